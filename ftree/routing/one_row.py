"""One point down a tree in plain Python, in microseconds: for points without gaps and surprises.

Whatever is not plainly a point of known values is left to `ftree.predict`, which has a word for everything.
"""

from math import isfinite
from typing import Any

import numpy as np

from ftree._lib.identity_cache import cached_by_identity
from ftree.routing.flat import flat
from ftree.tree.nodes import Tree
from ftree.tree.schema import Schema


def label_of_point(tree: Tree, point: Any) -> int | None:
    """The number of the class of a list, tuple or array of values, in the schema's order; None where that takes more care.

    >>> from ftree import Branch, Feature, Leaf, Threshold
    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> tree = Tree(Schema([Feature("x", "numeric")], "y", ("no", "yes")), twig)
    >>> label_of_point(tree, [0.7]), label_of_point(tree, [None]), label_of_point(tree, [[0.7]])
    (1, None, None)
    """
    schema = tree.schema
    kind = type(point)
    if kind is np.ndarray and point.ndim == 1:
        point = point.tolist()
    elif kind is not list and kind is not tuple:
        return None
    if len(point) != len(schema.features) or not point or type(point[0]) in _ROWS:
        return None
    cells = _cells(schema, point)
    steps = flat(tree.root).steps
    return _label(steps, cells) if cells is not None and steps is not None else None


_ROWS = {list, tuple, dict, np.ndarray}


def _cells(schema: Schema, point: Any) -> list[Any] | None:
    """Floats and codes, None when a value is missing, strange or not finite."""
    tables = _tables(schema)
    try:
        if tables is None:
            cells = list(map(float, point))
            return cells if all(map(isfinite, cells)) else None
        cells = [float(cell) if table is None else table[cell] for cell, table in zip(point, tables, strict=True)]
        return cells if all(map(isfinite, cells)) else None
    except (TypeError, ValueError, OverflowError, KeyError):
        return None


@cached_by_identity
def _tables(schema: Schema) -> tuple[Any, ...] | None:
    """For each feature the codes of its values, None for numbers; None when all are numbers."""
    made = [
        None if feature.kind == "numeric" else {value: code for code, value in enumerate(feature.values)}
        for feature in schema.features
    ]
    return tuple(made) if any(table is not None for table in made) else None


def _label(step: Any, cells: list[Any]) -> int | None:
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
