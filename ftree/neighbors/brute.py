"""Brute-force search, for any metric and any number of features; equal distances go to the lower row number."""

from typing import Any

import numpy as np
from attrs import field, frozen

from ftree.data.points import Points, powers_are_finite
from ftree.neighbors.index import Nearest, blocks, grouped, paired, ranked
from ftree.neighbors.metric import Metric, distances, euclidean


@frozen(eq=False)
class brute:
    """An index that compares each query with every point.

    >>> distance, row = brute(np.array([[0.0], [3.0], [1.0]])).nearest(np.array([[2.0]]), 2)
    >>> distance.tolist(), row.tolist()
    ([[1.0, 1.0]], [[1, 2]])
    """

    points: Points = field(repr=False)
    metric: Metric = euclidean

    def nearest(self, queries: Points, k: int) -> Nearest:
        """Distances and row numbers of the k nearest points of each query, (m, k) each, nearest first."""
        found = [self._nearest(queries[part], k) for part in blocks(len(queries), len(self.points))]
        return np.concatenate([distance for distance, _ in found]), np.concatenate([row for _, row in found])

    def within(self, queries: Points, radius: float) -> list[Nearest]:
        """For each query, distances and row numbers of the points at most `radius` away, nearest first."""
        return [near for part in blocks(len(queries), len(self.points)) for near in self._within(queries[part], radius)]

    def _nearest(self, queries: Points, k: int) -> Nearest:
        if self.metric == euclidean and powers_are_finite(queries) and powers_are_finite(self.points):
            query, row = np.nonzero(_maybe_nearest(queries, self.points, k))
            return ranked(query, row, paired(self.metric, queries, self.points, query, row), len(queries), k)
        found = self._all(queries)
        query, row = np.nonzero(found <= np.partition(found, k - 1, axis=1)[:, k - 1, None])
        return ranked(query, row, found[query, row], len(queries), k)

    def _within(self, queries: Points, radius: float) -> list[Nearest]:
        found = self._all(queries)
        query, row = np.nonzero(found <= radius)
        return grouped(query, row, found[query, row], len(queries))

    def _all(self, queries: Points) -> Points:
        parts = blocks(len(queries), self.points.size)
        return np.concatenate([distances(self.metric, queries[part, None], self.points[None]) for part in parts])


def _maybe_nearest(queries: Points, points: Points, k: int) -> Any:
    """Which points can be among the k nearest, (m, n), by squared distances that are fast to compute but less exact.

    |a - b|^2 = |a|^2 - 2ab + |b|^2 takes one matrix product; its rounding error is at most `slack`.
    """
    lengths, others = (queries**2).sum(axis=1)[:, None], (points**2).sum(axis=1)
    squared = lengths + others - 2 * queries @ points.T
    slack = 8 * (points.shape[1] + 4) * np.finfo(float).eps * (lengths + others.max())
    return squared <= np.partition(squared, k - 1, axis=1)[:, k - 1, None] + slack
