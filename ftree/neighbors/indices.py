"""Indices that find the points near queries: all points in turn, and SciPy's k-d tree. Both find the same points."""

from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.messages import how_to_install, imported
from ftree.neighbors.point_distances import Distance, distances, euclidean, minkowski
from ftree.points import Points, powers_are_finite

# Numbers in one block of work: a few megabytes.
BLOCK = 1 << 20
# Distances and row numbers: (m, k) each for m queries, or one pair of arrays for each query and a radius.
Nearest: TypeAlias = tuple[Points, Points]


def nearest_first(query: Points, row: Points, distance: Points, n_queries: int, k: int) -> Nearest:
    """The first k of each query's candidates by distance, then row, as (m, k); each query has at least k candidates.

    >>> nearest_first(np.array([0, 0, 0]), np.array([4, 2, 1]), np.array([1.0, 1.0, 3.0]), 1, 2)[1].tolist()
    [[2, 4]]
    """
    order = np.lexsort((row, distance, query))
    starts = np.searchsorted(query[order], np.arange(n_queries))
    first = order[starts[:, None] + np.arange(k)]
    return distance[first], row[first]


def sorted_by_query(query: Points, row: Points, distance: Points, n_queries: int) -> list[Nearest]:
    """Each query's candidates by distance, then row."""
    order = np.lexsort((row, distance, query))
    bounds = np.searchsorted(query[order], np.arange(n_queries + 1)).tolist()
    return [(distance[order[low:high]], row[order[low:high]]) for low, high in pairwise(bounds)]


def paired(metric: Distance, queries: Points, points: Points, query: Points, row: Points) -> Points:
    """Distances between the queries and the points with these numbers, pair by pair."""
    parts = blocks(len(query), points.shape[1])
    return np.concatenate([distances(metric, queries[query[part]], points[row[part]]) for part in parts])


def blocks(n_rows: int, width: int) -> list[slice]:
    """Slices of rows of `width` numbers, so that each fits into one block of work; one empty slice for no row."""
    size = max(1, BLOCK // max(width, 1))
    return [slice(start, start + size) for start in range(0, max(n_rows, 1), size)]


@frozen(eq=False)
class brute:
    """An index that compares each query with every point.

    >>> distance, row = brute(np.array([[0.0], [3.0], [1.0]])).nearest(np.array([[2.0]]), 2)
    >>> distance.tolist(), row.tolist()
    ([[1.0, 1.0]], [[1, 2]])
    """

    points: Points = field(repr=False)
    metric: Distance = euclidean

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
            return nearest_first(query, row, paired(self.metric, queries, self.points, query, row), len(queries), k)
        found = self._all(queries)
        query, row = np.nonzero(found <= np.partition(found, k - 1, axis=1)[:, k - 1, None])
        return nearest_first(query, row, found[query, row], len(queries), k)

    def _within(self, queries: Points, radius: float) -> list[Nearest]:
        found = self._all(queries)
        query, row = np.nonzero(found <= radius)
        return sorted_by_query(query, row, found[query, row], len(queries))

    def _all(self, queries: Points) -> Points:
        parts = blocks(len(queries), self.points.size)
        return np.concatenate([distances(self.metric, queries[part, None], self.points[None]) for part in parts])


def _maybe_nearest(queries: Points, points: Points, k: int) -> Any:
    """Which points can be among the k nearest, (m, n), by squared distances that are fast to compute but less exact.

    |a - b|^2 = |a|^2 - 2ab + |b|^2 takes one matrix product; its rounding error is at most `slack`, also where squares underflow.
    """
    lengths, others = (queries**2).sum(axis=1)[:, None], (points**2).sum(axis=1)
    squared = lengths + others - 2 * queries @ points.T
    slack = 8 * (points.shape[1] + 4) * np.finfo(float).eps * (lengths + others.max()) + _LEAST_POWER
    return squared <= np.partition(squared, k - 1, axis=1)[:, k - 1, None] + slack


# Distances within this factor may be equal in the library's arithmetic, which adds in another order than SciPy's.
_NEAR = 1 + 1e-9
# Sums of smaller powers are less exact than that, since they underflow.
_LEAST_POWER = 1e-290


@frozen(eq=False)
class scipy_tree:
    """An index that takes candidates from SciPy's k-d tree, and sorts them by the library's own distances.

    >>> distance, row = scipy_tree(np.array([[0.0], [3.0], [1.0]])).nearest(np.array([[2.0]]), 2)
    >>> distance.tolist(), row.tolist()
    ([[1.0, 1.0]], [[1, 2]])
    """

    points: Points = field(repr=False)
    metric: minkowski = euclidean
    tree: Any = field(init=False, repr=False)

    @tree.default
    def _built(self) -> Any:
        spatial = imported("scipy.spatial", f"A search tree needs SciPy. {how_to_install('neighbors')}")
        return spatial.cKDTree(self.points) if self.points.shape[1] else None

    def nearest(self, queries: Points, k: int) -> Nearest:
        """Distances and row numbers of the k nearest points of each query, (m, k) each, nearest first."""
        if not self._fits(queries):
            return brute(self.points, self.metric).nearest(queries, k)
        # All points as far as the k-th are candidates, since of equal distances the lower row is wanted.
        farthest, _ = self.tree.query(queries, [k], p=self.metric.p)
        query, row = self._within(queries, farthest[:, 0] * _NEAR)
        return nearest_first(query, row, paired(self.metric, queries, self.points, query, row), len(queries), k)

    def within(self, queries: Points, radius: float) -> list[Nearest]:
        """For each query, distances and row numbers of the points at most `radius` away, nearest first."""
        if not self._fits(queries):
            return brute(self.points, self.metric).within(queries, radius)
        query, row = self._within(queries, np.full(len(queries), radius * _NEAR))
        found = paired(self.metric, queries, self.points, query, row)
        inside = found <= radius
        return sorted_by_query(query[inside], row[inside], found[inside], len(queries))

    def _fits(self, queries: Points) -> bool:
        """Whether SciPy can search: numbers must not overflow, and points need a coordinate."""
        power = self.metric.p if np.isfinite(self.metric.p) else 1
        return queries.shape[1] > 0 and powers_are_finite(queries, power) and powers_are_finite(self.points, power)

    def _within(self, queries: Points, radii: Points) -> tuple[Points, Points]:
        """Queries and rows of the pairs within each query's radius, up to rounding errors."""
        radii = np.maximum(radii, _LEAST_POWER ** (1 / self.metric.p) if self.metric.p < np.inf else 0.0)
        lists = self.tree.query_ball_point(queries, radii, p=self.metric.p) if len(queries) else []
        sizes = np.array([len(listed) for listed in lists], dtype=np.intp)
        rows = np.fromiter((row for listed in lists for row in listed), np.intp, int(sizes.sum()))
        return np.repeat(np.arange(len(lists)), sizes), rows
