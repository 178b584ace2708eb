"""Rows sent through one split at a time, as subtree raising needs them."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, exact_unit, times_and_fractions
from ftree.data.dataset import Dataset
from ftree.routing.descent import Parts, divided
from ftree.routing.missing_rules import shares_of, weighted
from ftree.tree.response import Counts
from ftree.tree.splits.split import UNKNOWN, Split, child_of

# Rows at one node: their numbers and the sizes of their parts.
WeightedRows: TypeAlias = tuple[Array, Array]
_NO_ROWS = np.zeros(0, np.intp), np.zeros(0)
_WEIGHTED = weighted()


@frozen(eq=False)
class Descent:
    """The rows of one dataset, in the tree's codes, which splits divide step by step; `all_rows` has each row and its size.

    `unit` is that of shares, `times` are whole row weights.
    """

    data: Dataset
    unit: float
    times: Array | None
    all_rows: WeightedRows

    @staticmethod
    def of(data: Dataset) -> "Descent":
        """The descent of all rows of a dataset."""
        unit = exact_unit(sum(data.class_counts()), len(data.schema.features))
        times, fractions = times_and_fractions(data.weights, unit)
        return Descent(data, unit, times, (np.arange(len(data)), np.ones(len(data)) if fractions is None else fractions))

    def divide(self, split: Split, here: WeightedRows, before: Sequence[Counts] = ()) -> tuple[list[WeightedRows], bool]:
        """The rows of each child, and whether every row has an answer; `before` has the children's counts of earlier rows.

        A row without an answer is divided in proportion to the rows that have one, earlier rows included.
        """
        rows, sizes = here
        child = child_of(split, *(self.data.columns[feature][rows] for feature in split.features))
        known, n_children = child != UNKNOWN, split.n_children
        groups = [(rows[which], sizes[which]) for which in (child == number for number in range(n_children))]
        if known.all():
            return groups, True
        cases = np.array([self._cases(group).sum() for group in groups]) + (list(map(sum, before)) or 0)
        lost = Parts(np.zeros(len(rows) - known.sum(), np.intp), rows[~known], sizes[~known])
        (parts,), _ = divided(
            lost, np.array([0]), np.array([n_children]), lambda kids: shares_of(_WEIGHTED, cases[kids]), self.unit
        )
        more = [(parts.rows[which], parts.sizes[which]) for which in (parts.node == number for number in range(n_children))]
        return list(map(concatenate, zip(groups, more, strict=True))), False

    def count(self, here: WeightedRows, before: Counts) -> Counts:
        """Class counts of some rows and of those that were counted before."""
        added = np.bincount(self.data.target_column[here[0]], self._cases(here), len(before)).tolist()
        return tuple([_whole(old + new) for old, new in zip(before, added, strict=True)])

    def _cases(self, here: WeightedRows) -> Array:
        """The number of cases that the rows stand for."""
        rows, sizes = here
        return sizes if self.times is None else sizes * self.times[rows]


def concatenate(groups: Sequence[WeightedRows]) -> WeightedRows:
    """The rows of all groups; there may be no group."""
    if len(groups) == 1:
        return groups[0]
    rows, sizes = zip(_NO_ROWS, *groups, strict=True)
    return np.concatenate(rows), np.concatenate(sizes)


def _whole(count: float) -> float:
    whole = int(count)
    return whole if whole == count else count
