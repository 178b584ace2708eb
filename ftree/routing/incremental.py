"""Routes a dataset down a tree, one split at a time; missing values are divided in proportion to the known cases.

Subtree raising counts with it: a raise sends some rows through some nodes, so the tree is never walked as a whole.
"""

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, grid, missing_cells, times_and_fractions
from ftree.data.dataset import Dataset
from ftree.routing.route import WeightedRows, by_child, divide_unanswered
from ftree.routing.shares import shares_of
from ftree.routing.weighted import weighted
from ftree.tree.nodes import Counts
from ftree.tree.splits.child_of import second_child
from ftree.tree.splits.protocol import Split

_WEIGHTED = weighted()
_NO_ROWS = np.zeros(0, np.intp), np.zeros(0)


@frozen(eq=False)
class Descent:
    """The rows of one dataset, in the tree's codes; `all_rows` has each row and its weight in steps of the grid.

    `step` is the grid of shares, `times` are whole row weights, `complete` says which columns have no missing value.
    """

    data: Dataset
    step: float
    times: Array | None
    all_rows: WeightedRows
    complete: tuple[bool, ...]

    @staticmethod
    def of(data: Dataset) -> "Descent":
        """The descent of all rows of a dataset."""
        step = grid(sum(data.class_counts()))
        times, fractions = times_and_fractions(data.weights, step)
        all_rows = np.arange(len(data)), np.ones(len(data)) if fractions is None else fractions
        return Descent(data, step, times, all_rows, tuple([not missing_cells(column).any() for column in data.columns]))

    def divide(self, split: Split, here: WeightedRows, before: Sequence[Counts] = ()) -> tuple[list[WeightedRows], bool]:
        """The rows of each child, and whether every row has an answer; `before` has the children's counts of earlier rows.

        A row without an answer is divided in proportion to the rows that have one, earlier rows included.
        """
        high = second_child(split, self.data.columns, self.complete, here[0])
        if high is not None:
            return _in_two(high, here), True
        groups = by_child(split, self.data.columns, here)
        if not len(groups[-1][0]):
            return groups[:-1], True
        sizes = np.array([self._weights(rows).sum() for rows in groups[:-1]]) + (list(map(sum, before)) or 0)
        return divide_unanswered(groups, shares_of(_WEIGHTED, sizes), self.step)[:-1], False

    def count(self, here: WeightedRows, before: Counts) -> Counts:
        """Class counts of some rows and of those that were counted before."""
        added = np.bincount(self.data.labels[here[0]], self._weights(here), len(before)).tolist()
        return tuple([_whole(old + new) for old, new in zip(before, added, strict=True)])

    def _weights(self, here: WeightedRows) -> Array:
        """The number of cases that the rows stand for."""
        rows, shares = here
        return shares if self.times is None else shares * self.times[rows]


def _in_two(high: Array, here: WeightedRows) -> list[WeightedRows]:
    """The rows of each child if every row has an answer; the most frequent case, in half the time of `by_child`."""
    rows, shares = here
    low = ~high
    return [(rows[low], shares[low]), (rows[high], shares[high])]


def concatenate(groups: Sequence[WeightedRows]) -> WeightedRows:
    """The rows of all groups; there may be no group."""
    if len(groups) == 1:
        return groups[0]
    rows, shares = zip(_NO_ROWS, *groups, strict=True)
    return np.concatenate(rows), np.concatenate(shares)


def _whole(count: float) -> float:
    whole = int(count)
    return whole if whole == count else count
