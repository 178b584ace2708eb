"""The rows of one node, for growth by definition: how they count by value, and which child of a split each row goes to."""

from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, times_and_fractions
from ftree.criteria.frontier import Avc, Joint
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import unit_of
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import UNKNOWN, Split


@frozen(eq=False)
class NodeRows:
    """The cases of a node: its rows' columns, what a row adds to the counts, how often it counts, and the share that is here."""

    columns: tuple[Array, ...]
    adds: Array
    times: Array
    shares: Array

    def taken(self, rows: Array, shares: Array) -> "NodeRows":
        """Some of the rows, with these shares."""
        return NodeRows(tuple(column[rows] for column in self.columns), self.adds[rows], self.times[rows], shares)

    @property
    def weights(self) -> Array:
        """The number of cases of each row that are here."""
        weights: Array = self.times * self.shares
        return weights

    def counts(self) -> Array:
        """The counts (K,) of the node."""
        counts: Array = self.weights @ self.adds
        return counts

    def count(self) -> Avc:
        """The counts of each value of each feature, a missing value last."""
        nothing = np.zeros(0, int), np.zeros((0, 1)), np.zeros((0, self.adds.shape[1]))  # where there are no features
        tables = [nothing, *(self._by_value(number, [column]) for number, column in enumerate(self.columns))]
        feature, values, counts = map(np.concatenate, zip(*tables, strict=True))
        return Avc(np.zeros(len(feature), int), feature, values[:, 0], counts)

    def joint(self, features: Sequence[int]) -> Joint:
        """The counts of each vector of values of several features."""
        node, vectors, counts = self._by_value(0, [self.columns[feature] for feature in features])
        return Joint(node, vectors, counts)

    def sides(self, splits: Sequence[Split | None]) -> Avc:
        """The counts of the two children of the node's split in place of the classes, for surrogates."""
        (split,) = splits
        child = np.full(len(self.shares), UNKNOWN) if split is None else self.child(split)
        known = np.flatnonzero(child != UNKNOWN)
        return evolve(self.taken(known, self.shares[known]), adds=np.eye(2)[child[known]]).count()

    def child(self, split: Split) -> Array:
        """The child of each row, -1 for a row to which the split gives no answer."""
        return child_of(split, *(self.columns[feature] for feature in split.features))

    def _by_value(self, number: int, columns: Sequence[Array]) -> tuple[Array, Array, Array]:
        ranked = [np.unique(column, return_inverse=True) for column in columns]
        codes, row = np.unique(np.array([code for _, code in ranked]).reshape(len(columns), -1), axis=1, return_inverse=True)
        counts = np.zeros((codes.shape[1], self.adds.shape[1]))
        np.add.at(counts, row.ravel(), self.adds * self.weights[:, None])
        values = [values[code] for (values, _), code in zip(ranked, codes, strict=True)]
        return np.full(len(counts), number), np.array(values).reshape(len(columns), -1).T, counts


def all_rows(table: Dataset) -> NodeRows:
    """The cases of the root: all rows of a table.

    >>> all_rows(Dataset.from_rows([["a"], ["b"], ["a"]], ["no", "yes", "yes"])).counts().tolist()
    [1.0, 2.0]
    """
    columns = (np.where(column < 0, np.nan, column) if column.dtype.kind != "f" else column for column in table.columns)
    adds = np.eye(len(table.schema.classes))[table.target_column] if table.schema.has_classes else rows_in_channels(table)
    ones, parts = np.ones(len(table)), times_and_fractions(table.weights, unit_of(table))
    times, shares = (ones if part is None else part for part in parts)
    return NodeRows(tuple(column.astype(np.float64) for column in columns), adds, times, shares)
