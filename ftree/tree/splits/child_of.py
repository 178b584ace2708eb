"""The child that each value leads to: the definition that every other way of routing rows must equal."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import missing_cells
from ftree.tree.splits.base import OfOneFeature, Split, features_of
from ftree.tree.splits.groups import Groups
from ftree.tree.splits.intervals import Intervals
from ftree.tree.splits.multiway import Multiway
from ftree.tree.splits.oblique import Oblique
from ftree.tree.splits.threshold import Threshold
from ftree.tree.splits.with_surrogates import WithSurrogates

Columns: TypeAlias = "tuple[npt.NDArray[Any], ...]"


Integers: TypeAlias = npt.NDArray[np.intp]


# The answer for a value that is missing, or that the split does not know.
UNKNOWN = -1


def weighted_sum(weights: Iterable[float], values: Iterable[Any]) -> Any:
    """The sum of values, or of columns, times their weights, summed from left to right.

    Every part of the library sums in this order: another order rounds differently, and could send a case at the threshold
    to the other child.

    >>> weighted_sum((1.0, -0.5), (3.0, 2.0))
    2.0
    """
    # A sum too large for a float becomes infinite or NaN; NaN is not above any threshold.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        # Not `sum`: from Python 3.12 on it compensates for rounding in sums of numbers, but not in sums of columns.
        return reduce(add, (weight * value for weight, value in zip(weights, values, strict=True)))


def child_of(split: Split, *columns: npt.NDArray[Any]) -> Integers:
    """The child number for each value of a column, (n,); -1 where the value is missing or the split does not know it.

    A column has codes (n,), -1 where missing, or floats (n,), NaN where missing. A split of several features takes the
    columns of `features_of(split)`, in that order.

    >>> child_of(Threshold(0, 2.5), np.array([1.0, 2.5, 3.0, np.nan])).tolist()
    [0, 0, 1, -1]
    >>> child_of(Multiway(0, (0, 2)), np.array([0, 1, 2, -1])).tolist()
    [0, -1, 1, -1]
    >>> child_of(Oblique((1, 1), 2), np.array([1.0, 1.0, np.nan]), np.array([1.0, 1.5, 0.0])).tolist()
    [0, 1, -1]
    """
    if isinstance(split, Oblique):
        missing = np.logical_or.reduce([np.isnan(column) for column in columns])
        total = weighted_sum(filter(None, split.weights), (column.astype(np.float64) for column in columns))
        return np.where(missing, UNKNOWN, total > split.at)
    if isinstance(split, WithSurrogates):
        return _child_with_surrogates(split, columns)
    return _child_of_one(split, columns[0])


def children_of(splits: Sequence[Split], sizes: Integers, columns: Columns, rows: Integers) -> Integers:
    """`child_of` for many splits at once: the first split takes the first `sizes[0]` of the rows, the next the following ones.

    All thresholds of one feature are compared in one call, since a level of a tree may have thousands of them.

    >>> column = np.array([1.0, 2.0, 3.0])
    >>> children_of([Threshold(0, 1.5), Threshold(0, 2.5)], np.array([2, 1]), (column,), np.array([0, 1, 2])).tolist()
    [0, 1, 1]
    """
    if len(splits) == 1:
        return child_of(splits[0], *(columns[feature][rows] for feature in features_of(splits[0])))
    ends = sizes.cumsum()
    child = np.empty(len(rows), dtype=np.intp)
    thresholds: defaultdict[int, list[int]] = defaultdict(list)
    for number, split in enumerate(splits):
        if isinstance(split, Threshold):
            thresholds[split.feature].append(number)
        else:
            here = slice(ends[number] - sizes[number], ends[number])
            child[here] = child_of(split, *(columns[feature][rows[here]] for feature in features_of(split)))
    for feature, numbers in thresholds.items():
        chosen = np.repeat(np.bincount(numbers, minlength=len(splits)).astype(bool), sizes)
        cuts = [split.at for split in map(splits.__getitem__, numbers) if isinstance(split, Threshold)]
        column = columns[feature][rows[chosen]]
        child[chosen] = np.where(missing_cells(column), UNKNOWN, column > np.repeat(np.array(cuts), sizes[numbers]))
    return child


def is_high(split: Threshold, column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which values go to child 1 of a threshold: `child_of` for a column without missing values, in less time.

    >>> is_high(Threshold(0, 2.5), np.array([2.5, 3.0])).tolist()
    [False, True]
    """
    # As doubles, so that a float32 column is compared in full precision; NumPy 1 would round a number to the column's type.
    high: npt.NDArray[np.bool_] = np.greater(column, split.at, signature="dd->?")
    return high


def _child_with_surrogates(split: WithSurrogates, columns: Sequence[npt.NDArray[Any]]) -> Integers:
    child = _child_of_one(split.split, columns[0])
    for surrogate, column in zip(split.surrogates, columns[1:], strict=True):
        answer = _child_of_one(surrogate.split, column)
        if surrogate.reversed:
            answer = np.where(answer == UNKNOWN, UNKNOWN, 1 - answer)
        child = np.where(child == UNKNOWN, answer, child)
    return child if split.default_child is None else np.where(child == UNKNOWN, split.default_child, child)


def _child_of_one(split: OfOneFeature, column: npt.NDArray[Any]) -> Integers:
    missing = missing_cells(column)
    match split:
        case Threshold():
            return np.where(missing, UNKNOWN, is_high(split, column))
        case Intervals():
            return np.where(missing, UNKNOWN, np.searchsorted(split.cuts, column.astype(np.float64)))
    codes = np.where(missing, np.intp(UNKNOWN), column).astype(np.intp)
    match split:
        case Multiway():
            return _lookup(split.values, tuple(range(len(split.values))), UNKNOWN, codes)
        case Groups():
            listed = tuple(code for group in split.groups for code in group)
            children = tuple(child for child, group in enumerate(split.groups) for _ in group)
            return _lookup(listed, children, UNKNOWN, codes)
    return np.where(missing, UNKNOWN, _lookup(split.members, (0,) * len(split.members), 1, codes))


def _lookup(codes: tuple[int, ...], children: tuple[int, ...], other_child: int, column: Integers) -> Integers:
    """The child of each code, from a table; its last cell is for missing values and codes above the largest listed."""
    beyond = max(codes) + 1
    table = np.full(beyond + 1, other_child, dtype=np.intp)
    table[list(codes)] = children
    return table[np.where((column < 0) | (column > beyond), beyond, column)]
