"""Dividing runs into several parts: the parts as rows of runs, and the split whose children they are.

A division is an array (R,): for each row of the runs, the number of the first row of its part.
"""

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array, midpoint
from ftree.splitters.base import BestSplits, Runs
from ftree.tree.splits import Groups, Intervals
from ftree.tree.splits.protocol import Split


def merged_rows(runs: Runs, first: Array) -> Runs:
    """The runs with one row for each part: the value of its first row, and the sum of its rows' counts."""
    rows, part = np.unique(first, return_inverse=True)
    counts = np.zeros((len(rows), runs.counts.shape[1]), dtype=runs.counts.dtype)
    np.add.at(counts, part, runs.counts)
    start, end = np.searchsorted(rows, runs.start), np.searchsorted(rows, runs.end)
    return evolve(runs, value=runs.value[rows], counts=counts, start=start, end=end)


def division_from(begins: Array) -> Array:
    """The division into parts that begin where the mask is true; it must be true in the first row.

    >>> division_from(np.array([True, False, True])).tolist()
    [0, 0, 2]
    """
    first: Array = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    return first


def nested_division(first: Array, further: Array) -> Array:
    """The combination of two nested divisions: `further` merges the parts of `first`, each given as one row.

    >>> nested_division(np.array([0, 1, 0, 3]), np.array([0, 1, 1])).tolist()
    [0, 1, 0, 1]
    """
    rows, part = np.unique(first, return_inverse=True)
    nested: Array = rows[further[part]]
    return nested


def splits_into(runs: Runs, first: Array, score: Array) -> BestSplits:
    """The splits of each run into the given parts: intervals, or groups of values for a nominal feature."""
    parts = merged_rows(runs, first)

    def build(run: int) -> tuple[Split, Array]:
        return _split(runs, first, run), parts.counts[parts.start[run] : parts.end[run]]

    return BestSplits(score, build)


def _split(runs: Runs, first: Array, run: int) -> Split:
    rows, feature = slice(runs.start[run], runs.end[run]), int(runs.feature[run])
    value, part = runs.value[rows], first[rows]
    if runs.features[feature].kind == "nominal":
        return Groups(feature, [value[part == number].astype(np.intp).tolist() for number in np.unique(part)])
    last = np.flatnonzero(part[1:] != part[:-1])
    return Intervals(feature, midpoint(value[last], value[last + 1]).tolist())
