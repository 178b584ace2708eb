"""Distances between points, and indices that find near points: all points in turn, and SciPy's k-d tree.

A metric is any function of two points that returns a number. The metrics here also broadcast: for two arrays of points (..., F)
they return (...), so one call measures a whole table.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from math import inf
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, name_of
from ftree._lib.messages import how_to_install, imported, short_repr, type_of
from ftree.points import Points, powers_are_finite

Distance: TypeAlias = Callable[[Any, Any], Any]


def _exponent(p: Any) -> float:
    with suppress(OverflowError):  # of a whole number beyond all floats
        if isinstance(p, Real) and not isinstance(p, bool) and float(p) >= 1:
            return float(p)
    raise ValueError(f"p must be a number from 1, or infinity, got {short_repr(p)}.")


@frozen
class minkowski(ConstructorRepr):
    """Minkowski distance: the p-th root of the sum of p-th powers of the differences; for infinite p, the largest difference.

    Raises a ValueError for p below 1.

    >>> float(minkowski(2)(np.array([0, 0]), np.array([3, 4])))
    5.0
    """

    p: float = field(converter=_exponent)

    def __call__(self, one: Any, other: Any) -> Any:
        """Distances (...) of points (..., F) twice."""
        gaps = np.abs(np.subtract(one, other))
        # Overflow gives infinity, which is refused later, and underflow gives 0.
        with np.errstate(over="ignore", under="ignore"):
            if self.p == inf:
                return gaps.max(axis=-1, initial=0)
            return np.sqrt((gaps * gaps).sum(axis=-1)) if self.p == 2 else (gaps**self.p).sum(axis=-1) ** (1 / self.p)  # noqa: PLR2004  # Euclid's


# The sum of absolute differences.
manhattan = minkowski(1)
# The Euclidean distance.
euclidean = minkowski(2)
# The largest absolute difference.
chebyshev = minkowski(inf)


@frozen
class broadcasts:
    """Mark your own metric as one that broadcasts: it is called once with two arrays of points (..., F), and returns (...).

    >>> @broadcasts
    ... def angle(one, other):
    ...     return np.arccos((one * other).sum(axis=-1).clip(-1, 1))
    >>> angle
    angle
    """

    metric: Distance

    def __call__(self, one: Any, other: Any) -> Any:
        """Distances (...) of points (..., F) twice."""
        return self.metric(one, other)

    def __repr__(self) -> str:
        """The metric's name."""
        return name_of(self.metric)


@broadcasts
def hamming(one: Any, other: Any) -> Any:
    """Hamming distance: the number of features that differ, of any kind; points (..., F) twice to (...). Hamming 1950."""
    return np.not_equal(one, other).astype(bool).sum(axis=-1)


def distances(metric: Distance, one: Points, other: Points) -> Points:
    """Distances (...) of points (..., F) twice, broadcast: by one call, or pair by pair for a metric that does not broadcast.

    Raises a ValueError for a distance that is negative or not finite, a TypeError for a distance that is not a number.

    >>> distances(lambda a, b: abs(a[0] - b[0]), np.array([[1.0], [5.0]]), np.array([2.0])).tolist()
    [1.0, 3.0]
    """
    if isinstance(metric, (minkowski, broadcasts)):
        found = np.asarray(metric(one, other), dtype=np.float64)
    else:
        # The signature passes whole points to the metric, not their coordinates.
        found = np.asarray(np.vectorize(_one_number(metric), signature="(f),(f)->()", otypes=[float])(one, other))
    usable = (found >= 0) & (found < inf)
    if not usable.all():
        strange = found[~usable][0]
        raise ValueError(
            f"Distances by {name_of(metric)} must be finite numbers from 0, got {strange}. Scale numbers that are very large."
        )
    return found


def check_metric(metric: Any, points: Points) -> None:
    """Check that a metric is a function, and that points are numbers for a Minkowski metric."""
    if not callable(metric) or isinstance(metric, type):
        raise TypeError(f"metric must be a function of two points, such as euclidean or hamming, got {name_of(metric)}.")
    if isinstance(metric, minkowski) and points.dtype == object:
        raise ValueError(
            f"metric must measure the distance of all features, got {metric} and features that are not numeric. "
            "Use hamming, which counts the features that differ, or your own function of two points."
        )


def _one_number(metric: Distance) -> Callable[[Any, Any], float]:
    def number(one: Any, other: Any) -> float:
        answer = metric(one, other)
        try:
            return float(answer)
        except (TypeError, ValueError):
            message = f"The distance of two points by {name_of(metric)} must be one number, got {type_of(answer)}."
            raise TypeError(message) from None

    return number


# Indices.


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

    |a - b|^2 = |a|^2 - 2ab + |b|^2 takes one matrix product; its rounding error is at most `slack`.
    """
    lengths, others = (queries**2).sum(axis=1)[:, None], (points**2).sum(axis=1)
    squared = lengths + others - 2 * queries @ points.T
    slack = 8 * (points.shape[1] + 4) * np.finfo(float).eps * (lengths + others.max())
    return squared <= np.partition(squared, k - 1, axis=1)[:, k - 1, None] + slack


# Distances within this factor may be equal in the library's arithmetic, which adds in another order than SciPy's.
_NEAR = 1 + 1e-9


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
        lists = self.tree.query_ball_point(queries, radii, p=self.metric.p) if len(queries) else []
        sizes = np.array([len(listed) for listed in lists], dtype=np.intp)
        rows = np.fromiter((row for listed in lists for row in listed), np.intp, int(sizes.sum()))
        return np.repeat(np.arange(len(lists)), sizes), rows
