"""Search by looking at every point: any metric, any number of features. Equal distances go to the lower row number."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree.neighbors.metric import Metric, distances, euclidean
from ftree.points import Points, ordinary

# Distances and rows, one row of k a query; and for a radius, one pair of arrays a query.
Nearest: TypeAlias = tuple[Points, Points]

# Numbers in one block of work: a few megabytes.
_BLOCK = 1 << 20


class Index(Protocol):
    """What answers who is near; all of them give the same answers."""

    def nearest(self, queries: Points, k: int) -> Nearest:
        """The k nearest points of each query, (m, k): distances, and row numbers; nearest first."""
        ...

    def within(self, queries: Points, radius: float) -> list[Nearest]:
        """For each query the points at most so far away: distances, and row numbers; nearest first."""
        ...


@frozen(eq=False)
class brute:
    """Every point, one after the other.

    >>> distance, row = brute(np.array([[0.0], [3.0], [1.0]])).nearest(np.array([[2.0]]), 2)
    >>> distance.tolist(), row.tolist()
    ([[1.0, 1.0]], [[1, 2]])
    """

    points: Points = field(repr=False)
    metric: Metric = euclidean

    def nearest(self, queries: Points, k: int) -> Nearest:
        """The k nearest points of each query, (m, k): distances, and row numbers; nearest first."""
        found = [self._nearest(block, k) for block in _blocks(queries, self.points)]
        return np.concatenate([distance for distance, _ in found]), np.concatenate([row for _, row in found])

    def within(self, queries: Points, radius: float) -> list[Nearest]:
        """For each query the points at most so far away: distances, and row numbers; nearest first."""
        return [near for block in _blocks(queries, self.points) for near in self._within(block, radius)]

    def _nearest(self, queries: Points, k: int) -> Nearest:
        if self.metric == euclidean and ordinary(queries) and ordinary(self.points):
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
        size = max(1, _BLOCK // max(self.points.size, 1))
        parts = [queries[start : start + size, None] for start in range(0, max(len(queries), 1), size)]
        return np.concatenate([distances(self.metric, part, self.points[None]) for part in parts])


def ranked(query: Points, row: Points, distance: Points, n_queries: int, k: int) -> Nearest:
    """The first k of each query's candidates by distance, then row, as (m, k); each query has k candidates or more.

    >>> ranked(np.array([0, 0, 0]), np.array([4, 2, 1]), np.array([1.0, 1.0, 3.0]), 1, 2)[1].tolist()
    [[2, 4]]
    """
    order = np.lexsort((row, distance, query))
    starts = np.searchsorted(query[order], np.arange(n_queries))
    first = order[starts[:, None] + np.arange(k)]
    return distance[first], row[first]


def grouped(query: Points, row: Points, distance: Points, n_queries: int) -> list[Nearest]:
    """Each query's candidates by distance, then row."""
    order = np.lexsort((row, distance, query))
    bounds = np.searchsorted(query[order], np.arange(n_queries + 1)).tolist()
    return [(distance[order[low:high]], row[order[low:high]]) for low, high in pairwise(bounds)]


def paired(metric: Metric, queries: Points, points: Points, query: Points, row: Points) -> Points:
    """Distances of pairs, given by their numbers."""
    size = max(1, _BLOCK // max(points.shape[1], 1))
    starts = range(0, max(len(query), 1), size)
    parts = [slice(start, start + size) for start in starts]
    return np.concatenate([distances(metric, queries[query[part]], points[row[part]]) for part in parts])


def _maybe_nearest(queries: Points, points: Points, k: int) -> Any:
    """Which points can be among the k nearest, (m, n), by squared distances that are fast and a little wrong.

    |a - b|^2 = |a|^2 - 2ab + |b|^2 is one product of matrices; it errs by no more than `slack`.
    """
    lengths, others = (queries**2).sum(axis=1)[:, None], (points**2).sum(axis=1)
    squared = lengths + others - 2 * queries @ points.T
    slack = 8 * (points.shape[1] + 4) * np.finfo(float).eps * (lengths + others.max())
    return squared <= np.partition(squared, k - 1, axis=1)[:, k - 1, None] + slack


def _blocks(queries: Points, points: Points) -> Iterator[Points]:
    """Queries in parts that meet all points within a block of work; one empty part when there are none."""
    size = max(1, 4 * _BLOCK // len(points))
    return (queries[start : start + size] for start in range(0, max(len(queries), 1), size))
