"""Runs divided into several parts: the parts as rows of runs, and the split that has them as children.

A division is an array with, for each row, the first row of its part.
"""

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array, midpoint
from ftree.splitters.base import Found, Runs
from ftree.tree.splits import Groups, Intervals, Split


def joined(runs: Runs, first: Array) -> Runs:
    """The runs with one row for each part: the value of its first row, and the counts of all its rows."""
    rows, part = np.unique(first, return_inverse=True)
    counts = np.zeros((len(rows), runs.counts.shape[1]), dtype=runs.counts.dtype)
    np.add.at(counts, part, runs.counts)
    start, end = np.searchsorted(rows, runs.start), np.searchsorted(rows, runs.end)
    return evolve(runs, value=runs.value[rows], counts=counts, start=start, end=end)


def beginning(begins: Array) -> Array:
    """The division in parts that begin where a mask says so, the first one in the first row.

    >>> beginning(np.array([True, False, True])).tolist()
    [0, 0, 2]
    """
    first: Array = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    return first


def regrouped(first: Array, further: Array) -> Array:
    """A division whose parts are divided in turn, as rows of their own: both in one.

    >>> regrouped(np.array([0, 1, 0, 3]), np.array([0, 1, 1])).tolist()
    [0, 1, 0, 1]
    """
    rows, part = np.unique(first, return_inverse=True)
    divided: Array = rows[further[part]]
    return divided


def divided(runs: Runs, first: Array, score: Array) -> Found:
    """What a family finds that divides each run in the parts given: intervals, or groups where a feature is nominal."""
    parts = joined(runs, first)

    def build(run: int) -> tuple[Split, Array]:
        return _split(runs, first, run), parts.counts[parts.start[run] : parts.end[run]]

    return Found(score, build)


def _split(runs: Runs, first: Array, run: int) -> Split:
    rows, feature = slice(runs.start[run], runs.end[run]), int(runs.feature[run])
    value, part = runs.value[rows], first[rows]
    if runs.features[feature].kind == "nominal":
        return Groups(feature, [value[part == number].astype(np.intp).tolist() for number in np.unique(part)])
    last = np.flatnonzero(part[1:] != part[:-1])
    return Intervals(feature, midpoint(value[last], value[last + 1]).tolist())
