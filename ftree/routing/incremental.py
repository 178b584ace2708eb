"""Cases on their way down a tree that is being judged."""

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, grid, missing_cells, times_and_fractions
from ftree.data.dataset import Dataset
from ftree.routing.route import Group, apart, joined, parts
from ftree.tree.nodes import Counts
from ftree.tree.splits import Split, Threshold, is_high

_NOBODY = np.zeros(0, np.intp), np.zeros(0)


@frozen(eq=False)
class Descent:
    """The way down for the cases of one dataset, in the tree's codes; cases are rows and how much of each.

    A case without an answer is divided as those that have one, and, where they are told, those that are there already.
    """

    data: Dataset
    step: float
    times: Array | None
    everything: Group
    complete: tuple[bool, ...]

    @staticmethod
    def of(data: Dataset) -> "Descent":
        """The way down for all cases."""
        step = grid(sum(data.class_counts()))
        times, fractions = times_and_fractions(data.weights, step)
        everything = np.arange(len(data)), np.ones(len(data)) if fractions is None else fractions
        return Descent(data, step, times, everything, tuple([not missing_cells(column).any() for column in data.columns]))

    def divided(self, split: Split, cases: Group, there: Sequence[Counts] = ()) -> tuple[list[Group], bool]:
        """The cases of each child, and whether all have an answer; `there` are the children's counts of those before."""
        if isinstance(split, Threshold) and self.complete[split.feature]:
            return self._in_two(split, cases), True
        *known, (rows, shares) = apart(split, self.data.columns, cases)
        if not len(rows):
            return known, True
        sizes = np.array([self._weights(group).sum() for group in known]) + (list(map(sum, there)) or 0)
        divided = parts(shares, sizes, "weighted", self.step)
        return [joined(group, rows, part) for group, part in zip(known, divided, strict=True)], False

    def _in_two(self, split: Threshold, cases: Group) -> list[Group]:
        """The cases of each child where all have an answer; most splits are like this."""
        rows, shares = cases
        high = is_high(split, self.data.columns[split.feature][rows])
        low = ~high
        return [(rows[low], shares[low]), (rows[high], shares[high])]

    def counted(self, cases: Group, there: Counts) -> Counts:
        """Class counts of the cases and of those that were there."""
        came = np.bincount(self.data.labels[cases[0]], self._weights(cases), len(there)).tolist()
        return tuple([_whole(before + more) for before, more in zip(there, came, strict=True)])

    def _weights(self, cases: Group) -> Array:
        """How many cases the rows stand for."""
        rows, shares = cases
        return shares if self.times is None else shares * self.times[rows]


def together(groups: Sequence[Group]) -> Group:
    """The cases of all groups, of which there may be none."""
    if len(groups) == 1:
        return groups[0]
    rows, shares = zip(_NOBODY, *groups, strict=True)
    return np.concatenate(rows), np.concatenate(shares)


def _whole(count: float) -> float:
    whole = int(count)
    return whole if whole == count else count
