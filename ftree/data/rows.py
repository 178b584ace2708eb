"""Rows to predict, in any form, as columns of a schema.

Rows are a `Dataset` (matched by feature name), sequences of values in the schema's order, or dicts, where a feature
that is absent is missing. One sequence or dict of values is a single row.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree._lib.messages import joined, short_repr
from ftree.data.coding import decode, encode
from ftree.data.dataset import Dataset, recoded_columns
from ftree.data.missing_values import USUALLY_MISSING
from ftree.data.values import python_values
from ftree.tree.schema import Feature, Schema, names, position, unknown_name
from ftree.tree.splits.protocol import Columns

# One row: values by feature name, or in the schema's order. Values are hashable and rows are not, so a type checker can tell
# a list of values from a list of rows; it takes a tuple of tuples for either.
Row: TypeAlias = Mapping[str, Hashable] | Sequence[Hashable]
# Several rows: what `columns_of` takes for rows, as far as types can tell.
Rows: TypeAlias = (
    Dataset
    | Sequence[list[Any] | tuple[Any, ...] | Mapping[str, Any] | npt.NDArray[Any]]
    | np.ndarray[tuple[int, int], np.dtype[Any]]
)


def columns_of(schema: Schema, rows: Any) -> tuple[Columns, int, bool]:
    """Rows as columns in the schema's codes, the number of rows, and whether a single row was given.

    Raises a ValueError for rows of another length, a KeyError for a column that the schema does not have.

    >>> from ftree import Feature
    >>> columns_of(Schema([Feature("age", "numeric")], "ill", (False, True)), [[20], [60]])
    ((array([20., 60.]),), 2, False)
    """
    if isinstance(rows, Dataset):
        return recoded_columns(rows, schema.features), len(rows), False
    columns, n, single = _columns(schema, rows)
    pairs = zip(schema.features, columns, strict=True)
    return tuple(encode(feature, column, USUALLY_MISSING) for feature, column in pairs), n, single


def cells_of(schema: Schema, rows: Any) -> tuple[list[list[Any]], int, bool]:
    """Rows as columns of raw values, None where missing, also of values that the schema does not have; else as `columns_of`.

    >>> from ftree import Feature
    >>> cells_of(Schema([Feature("sky", "nominal", ("blue",))], "ride", ("no", "yes")), {"sky": "green"})
    ([['green']], 1, True)
    """
    if isinstance(rows, Dataset):
        own = [position(rows.schema, name) for name in names(schema.features)]
        return [decode(rows.schema.features[number], rows.columns[number]) for number in own], len(rows), False
    columns, n, single = _columns(schema, rows)
    return [_known(feature, column) for feature, column in zip(schema.features, columns, strict=True)], n, single


def _known(feature: Feature, column: Any) -> list[Any]:
    is_missing = USUALLY_MISSING.but(feature.values)
    return [None if is_missing(cell) else cell for cell in python_values(column)]


def _columns(schema: Schema, rows: Any) -> tuple[list[Any], int, bool]:
    single = _is_single_row(rows)
    listed = [rows] if single else list(rows)
    cells = [_in_order(schema, row) for row in listed]
    return list(zip(*cells, strict=True)) if cells else [()] * len(schema.features), len(listed), single


def _is_single_row(rows: Any) -> bool:
    """Whether rows are a dict, or a sequence whose first item is not a row itself."""
    if isinstance(rows, Mapping):
        return True
    if not _is_sequence(rows) or getattr(rows, "ndim", 1) not in (1, 2):
        wanted = "a Dataset, a list of rows, or one row (a sequence or a dict of values)"
        message = f"rows must be {wanted}, got {short_repr(rows)}."
        raise TypeError(message)
    if getattr(rows, "ndim", 1) == 2:  # noqa: PLR2004  # rows by columns
        return False
    return len(rows) > 0 and not (isinstance(rows[0], (list, tuple, Mapping)) or _is_array(rows[0]))


def _is_array(row: Any) -> bool:
    """Whether a row is an array of numpy or Arrow; one without dimensions is a value."""
    return hasattr(row, "to_pylist") or (isinstance(row, np.ndarray) and row.ndim > 0)


def _is_sequence(row: Any) -> bool:
    """Whether a row is a sequence of values; text is not, and a set has no order."""
    return _is_array(row) or (isinstance(row, Sequence) and not isinstance(row, (str, bytes)))


def _in_order(schema: Schema, row: Any) -> Sequence[Any]:
    known = names(schema.features)
    if isinstance(row, Mapping):
        strange = [name for name in row if name not in known and name != schema.target]
        if strange:
            raise KeyError(unknown_name(strange[0], known))
        return [row.get(name) for name in known]
    if not _is_sequence(row):
        message = f"A row must be a sequence or a dict of values, got {short_repr(row)}."
        raise TypeError(message)
    values: Sequence[Any] = python_values(row) if _is_array(row) else row
    if len(values) != len(known):
        wanted = f"one value for each of the {len(known)} features ({joined(known, at_most=5)})"
        message = f"A row must have {wanted}, got {len(values)}: {short_repr(values)}."
        raise ValueError(message)
    return values
