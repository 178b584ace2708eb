"""SciPy's k-d tree as an index, for many points and few features; it finds the same points as `brute`."""

from typing import Any

import numpy as np
from attrs import field, frozen

from ftree.data.points import Points, powers_are_finite
from ftree.neighbors.brute import brute
from ftree.neighbors.index import Nearest, grouped, paired, ranked
from ftree.neighbors.metric import euclidean, minkowski

# Distances within this factor may be equal in the library's arithmetic, which adds in another order than SciPy's.
_NEAR = 1 + 1e-9


@frozen(eq=False)
class scipy_tree:
    """An index that takes candidates from SciPy's tree, and sorts them by the library's own distances.

    >>> distance, row = scipy_tree(np.array([[0.0], [3.0], [1.0]])).nearest(np.array([[2.0]]), 2)
    >>> distance.tolist(), row.tolist()
    ([[1.0, 1.0]], [[1, 2]])
    """

    points: Points = field(repr=False)
    metric: minkowski = euclidean
    tree: Any = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Build SciPy's tree."""
        from scipy.spatial import cKDTree  # noqa: PLC0415  # loaded on first use, not by `import ftree`

        object.__setattr__(self, "tree", cKDTree(self.points) if self.points.shape[1] else None)

    def nearest(self, queries: Points, k: int) -> Nearest:
        """Distances and row numbers of the k nearest points of each query, (m, k) each, nearest first."""
        if not self._fits(queries):
            return brute(self.points, self.metric).nearest(queries, k)
        # With k + 1 points, a tie at rank k is visible; then all points at that distance are candidates.
        found, near = self.tree.query(queries, np.arange(1, min(k + 1, len(self.points)) + 1), p=self.metric.p)
        tied = (found[:, k:] <= found[:, k - 1, None] * _NEAR).any(axis=1)
        query, row = np.repeat(np.flatnonzero(~tied), k), near[~tied, :k].ravel()
        more, others = self._within(queries[tied], found[tied, k - 1] * _NEAR)
        query, row = np.concatenate([query, np.flatnonzero(tied)[more]]), np.concatenate([row, others])
        return ranked(query, row, paired(self.metric, queries, self.points, query, row), len(queries), k)

    def within(self, queries: Points, radius: float) -> list[Nearest]:
        """For each query, distances and row numbers of the points at most `radius` away, nearest first."""
        if not self._fits(queries):
            return brute(self.points, self.metric).within(queries, radius)
        query, row = self._within(queries, np.full(len(queries), radius * _NEAR))
        found = paired(self.metric, queries, self.points, query, row)
        inside = found <= radius
        return grouped(query[inside], row[inside], found[inside], len(queries))

    def _fits(self, queries: Points) -> bool:
        """Whether SciPy can search: numbers must not overflow, and points need a coordinate."""
        power = self.metric.p if np.isfinite(self.metric.p) else 1
        return queries.shape[1] > 0 and powers_are_finite(queries, power) and powers_are_finite(self.points, power)

    def _within(self, queries: Points, radii: Points) -> tuple[Points, Points]:
        """Queries and rows of the pairs within each query's radius, up to rounding errors."""
        lists = self.tree.query_ball_point(queries, radii, p=self.metric.p) if len(queries) else []
        sizes = np.array([len(listed) for listed in lists], dtype=np.intp)
        rows = np.fromiter((row for listed in lists for row in listed), np.intp, int(sizes.sum()))
        return np.repeat(np.arange(len(lists)), sizes), rows
