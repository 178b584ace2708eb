"""The protocol of indices, which find near points, and the order of their results."""

from itertools import pairwise
from typing import Protocol, TypeAlias

import numpy as np

from ftree.data.points import Points
from ftree.neighbors.metric import Metric, distances

# Numbers in one block of work: a few megabytes.
BLOCK = 1 << 20
# Distances and row numbers: (m, k) each for m queries, or one pair of arrays for each query and a radius.
Nearest: TypeAlias = tuple[Points, Points]


class Index(Protocol):
    """An index that finds near points; all indices find the same ones."""

    def nearest(self, queries: Points, k: int) -> Nearest:
        """Distances and row numbers of the k nearest points of each query, (m, k) each, nearest first."""
        ...

    def within(self, queries: Points, radius: float) -> list[Nearest]:
        """For each query, distances and row numbers of the points at most `radius` away, nearest first."""
        ...


def ranked(query: Points, row: Points, distance: Points, n_queries: int, k: int) -> Nearest:
    """The first k of each query's candidates by distance, then row, as (m, k); each query has at least k candidates.

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
    """Distances between the queries and the points with these numbers, pair by pair."""
    parts = blocks(len(query), points.shape[1])
    return np.concatenate([distances(metric, queries[query[part]], points[row[part]]) for part in parts])


def blocks(n_rows: int, width: int) -> list[slice]:
    """Slices of rows of `width` numbers, so that each fits into one block of work; one empty slice for no row."""
    size = max(1, BLOCK // max(width, 1))
    return [slice(start, start + size) for start in range(0, max(n_rows, 1), size)]
