"""Candidate splits as intervals: columns whose items, such as "at most 5" or "is red", are neighbouring values."""

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.exact.problem import Problem

_TWO = 2
# Columns with fewer items on average are counted as bits.
_MANY = 12


@frozen(eq=False)
class IntervalColumn:
    """A column whose items are cells `low` to `high` (m,), the end not included; `cell` (n,) is the cell of each row."""

    cell: Array
    low: Array
    high: Array
    flipped: Array


def intervals_of(problem: Problem) -> tuple[IntervalColumn, ...] | None:
    """The columns of a problem whose items are all intervals; None where some are not, or where columns have few items."""
    if any(split.n_children != _TWO for split in problem.splits):
        return None
    feature = problem.column
    columns = np.unique(feature)
    if not len(columns) or len(feature) < _MANY * len(columns) or (np.diff(feature) < 0).any():
        return None
    found = [_column(problem, each, np.flatnonzero(feature == each)) for each in columns.tolist()]
    known = tuple(column for column in found if column is not None)
    return known if len(known) == len(found) else None


def flipped_of(columns: tuple[IntervalColumn, ...]) -> Array:
    """Whether each item is child 0 of its split."""
    return np.concatenate([column.flipped for column in columns])


def _column(problem: Problem, feature: int, numbers: Array) -> IntervalColumn | None:
    """A column's cells and items, if each item or its complement is an interval; values that no split divides share a cell."""
    child = np.array([problem.child[number] for number in numbers.tolist()]) == 1
    new = np.append(True, (child[:, 1:] != child[:, :-1]).any(axis=0))
    cell_of = np.cumsum(new) - 1
    child = child[:, new]
    flipped = _is_interval(~child)
    if not (flipped | _is_interval(child)).all():
        return None
    item = child ^ flipped[:, None]
    low = item.argmax(axis=1)
    return IntervalColumn(cell_of[problem.place[feature]], low, low + item.sum(axis=1), flipped)


def _is_interval(item: Array) -> Array:
    """Whether the cells of each item (m, cells) follow one another."""
    begins = np.diff(item.astype(np.int8), axis=1, prepend=0) == 1
    answer: Array = begins.sum(axis=1) == 1
    return answer
