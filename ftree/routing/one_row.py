"""The label of one row in plain Python, in microseconds, if all its values are known.

`ftree.predict` does everything else: missing and unknown values, other forms of rows, errors. A single call of NumPy or
a data frame takes longer than this whole walk.
"""

from math import isfinite, nan
from typing import Any

import numpy as np

from ftree._lib.identity_cache import cached_by_identity
from ftree.routing.flat import flat
from ftree.tree.nodes import Tree
from ftree.tree.schema import Schema


def label_of_row(tree: Tree, row: Any) -> int | None:
    """The class number for one row, a list, tuple or array of values in the schema's order.

    None if `ftree.predict` must decide: the row has another form, a value is missing or unknown, a split is `Oblique`.

    >>> from ftree import Branch, Feature, Leaf, Threshold
    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> tree = Tree(Schema([Feature("x", "numeric")], "y", ("no", "yes")), twig)
    >>> label_of_row(tree, [0.7]), label_of_row(tree, [None]), label_of_row(tree, [[0.7]])
    (1, None, None)
    """
    schema = tree.schema
    kind = type(row)
    if kind is np.ndarray and row.ndim == 1 and row.dtype.kind not in "mM":  # tolist gives times as other values
        row = row.tolist()
    elif kind is not list and kind is not tuple:
        return None
    if len(row) != len(schema.features) or not row or type(row[0]) in _ROW_TYPES:
        return None
    cells = _cells(schema, row)
    root = flat(tree.root).nested_steps
    return _label(root, cells) if cells is not None and root is not None else None


_ROW_TYPES = {list, tuple, dict, np.ndarray}
# Text, bytes, times and masked cells are left to the coding of tables, whose errors explain what is wrong.
_FLOATS = {float}
_NUMBER_TYPES = {int, float, bool, np.float64, np.float32, np.int64, np.int32}
# Beyond this number, some whole numbers are not floats.
_EXACT = 2**53


def _cells(schema: Schema, row: Any) -> list[Any] | None:
    """The row's numbers and codes; None if a value is missing, unknown or not finite."""
    tables = _tables(schema)
    try:
        if tables is None:
            cells = row if _FLOATS.issuperset(map(type, row)) else list(map(_number, row))
        else:
            cells = [_number(cell) if table is None else table[cell] for cell, table in zip(row, tables, strict=True)]
        return cells if all(map(isfinite, cells)) else None
    except (TypeError, OverflowError, KeyError):
        return None


def _number(cell: Any) -> float:
    """The cell as a float; NaN if the coding of tables must decide."""
    if type(cell) is float:
        return cell
    return float(cell) if type(cell) in _NUMBER_TYPES and -_EXACT < cell < _EXACT else nan


@cached_by_identity
def _tables(schema: Schema) -> tuple[Any, ...] | None:
    """For each feature the code of each value, None for a numeric one; None if all features are numeric."""
    tables = [
        None if feature.kind == "numeric" else {value: code for code, value in enumerate(feature.values)}
        for feature in schema.features
    ]
    return tuple(tables) if any(table is not None for table in tables) else None


def _label(step: Any, cells: list[Any]) -> int | None:
    """The class number at the end of a row's path; None if a code has no child. Steps are those of `Flat.nested_steps`."""
    while (feature := step[0]) >= 0:
        at = step[1]
        if at is not None:
            step = step[3] if cells[feature] > at else step[2]
            continue
        children = step[2]
        code = cells[feature]
        step = children[code] if code < len(children) else children[-1]
        if step is None:
            return None
    label: int = step[1]
    return label
