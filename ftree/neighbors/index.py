"""What answers which points are near, and how its answers are put in order."""

from itertools import pairwise
from typing import Protocol, TypeAlias

import numpy as np

from ftree.data.points import Points
from ftree.neighbors.metric import Metric, distances

# Numbers in one block of work: a few megabytes.
BLOCK = 1 << 20
# Distances and rows, one row of k a query; and for a radius, one pair of arrays a query.
Nearest: TypeAlias = tuple[Points, Points]


class Index(Protocol):
    """What answers who is near; all of them give the same answers."""

    def nearest(self, queries: Points, k: int) -> Nearest:
        """The k nearest points of each query, (m, k): distances, and row numbers; nearest first."""
        ...

    def within(self, queries: Points, radius: float) -> list[Nearest]:
        """For each query the points at most so far away: distances, and row numbers; nearest first."""
        ...


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
    size = max(1, BLOCK // max(points.shape[1], 1))
    starts = range(0, max(len(query), 1), size)
    parts = [slice(start, start + size) for start in starts]
    return np.concatenate([distances(metric, queries[query[part]], points[row[part]]) for part in parts])
