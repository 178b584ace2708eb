"""Rows that fit conditions on single columns: a value, one of several values, or a function of a value."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import missing_cells
from ftree._lib.messages import joined, short_repr
from ftree.data.coding import decode
from ftree.data.numbers import seconds, time_family
from ftree.data.values import TEMPORAL, Column, is_number, is_ordered
from ftree.tree.schema import Feature, is_hashable

Mask = npt.NDArray[np.bool_]


def fits(feature: Feature, column: Column, wanted: Any) -> Mask:
    """Where a column has a wanted value, given as a value, several values, or a function that says whether a value is wanted.

    None stands for missing; a function is not called for missing values.

    Raises a ValueError for a value that the feature does not have: one of other codes, or not a number for a numeric one.

    >>> fits(Feature("sky", "nominal", ("blue", "grey")), np.array([0, 1, -1]), ("grey", None)).tolist()
    [False, True, True]
    """
    if callable(wanted):
        return _fits_function(feature, column, wanted)
    several = _several(feature, wanted)
    known = [value for value in several if value is not None or None in feature.values]
    cells = np.array([_cell(feature, value) for value in known], dtype=column.dtype)  # float32 is compared as float32
    found: Mask = np.isin(column, cells)
    return found | missing_cells(column) if len(known) < len(several) else found


def fits_all(columns: Mapping[str, tuple[Feature, Column]], conditions: Mapping[str, Any], n_rows: int) -> Mask:
    """Where all conditions hold, given the feature and the column of each name.

    >>> fits_all({}, {}, 2).tolist()
    [True, True]
    """
    found = np.ones(n_rows, dtype=bool)
    for name, wanted in conditions.items():
        found &= fits(*columns[name], wanted)
    return found


def _several(feature: Feature, wanted: Any) -> list[Any]:
    """The wanted values in a list; a tuple that is a value of the feature counts as one value."""
    one_value = is_hashable(wanted) and wanted in feature.values
    return list(wanted) if not one_value and (is_ordered(wanted) or isinstance(wanted, (set, frozenset))) else [wanted]


def _fits_function(feature: Feature, column: Column, wanted: Callable[[Any], Any]) -> Mask:
    """Call the function once for each distinct value, since a call takes much longer than a comparison."""
    cells = np.unique(column[~missing_cells(column)])
    return np.isin(column, cells[np.array([bool(wanted(value)) for value in decode(feature, cells)], dtype=bool)])


def _cell(feature: Feature, value: Any) -> Any:
    """A value as the column holds it: a number, or a code."""
    if feature.kind == "numeric":
        if not time_family(value) and not is_number(value):
            message = f"Values of {feature.name!r} must be numbers, got {short_repr(value)}."
            raise ValueError(message)
        return seconds(value) if isinstance(value, TEMPORAL) else float(value)
    if not is_hashable(value) or value not in feature.values:
        message = f"Values of {feature.name!r} must be among {joined(map(short_repr, feature.values))}, got {short_repr(value)}."
        raise ValueError(message)
    return feature.values.index(value)
