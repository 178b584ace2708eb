"""A k-d tree: space is cut repeatedly in two, at the median of one coordinate.

It is built by `unfold`, like a decision tree: a step takes the rows of a cell and returns a cut. Nodes are frozen, and hold
the bounding box of their points, so that a search skips every box further away than the neighbours found so far.

Source: Bentley 1975; Friedman, Bentley & Finkel 1977.
"""

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import name_of, require_whole_number
from ftree._lib.messages import short_repr
from ftree._lib.objects import unfold_over
from ftree.data.points import Points
from ftree.neighbors.indices import Nearest, distances, euclidean, minkowski, sorted_by_query

Box: TypeAlias = tuple[float, ...]
# Relative rounding error of distances: a box is skipped only if it is further away by more than this factor.
_ROUNDING = 1 + 1e-12


@frozen
class Cell:
    """A leaf of the k-d tree: the bounding box of its points from `low` to `high`, and their row numbers.

    >>> kd_tree(np.array([[0.0], [1.0]])).root.rows
    (0, 1)
    """

    low: Box
    high: Box
    rows: tuple[int, ...]


@frozen
class Cut:
    """An inner node: points whose coordinate `feature` is at most `at` are `below`, the others `above`.

    >>> kd_tree(np.array([[0.0], [1.0], [5.0], [6.0]]), leaf_size=2).root.at
    1.0
    """

    low: Box
    high: Box
    feature: int
    at: float
    below: "KdNode"
    above: "KdNode"


KdNode: TypeAlias = Cell | Cut


@frozen(eq=False)
class KdTree:
    """Points with their k-d tree: an index that finds the same points as `brute`.

    >>> tree = kd_tree(np.array([[0.0], [1.0], [5.0]]))
    >>> type(tree.root).__name__
    'Cell'
    """

    points: Points = field(repr=False)
    metric: minkowski
    root: KdNode = field(repr=False)

    def nearest(self, queries: Points, k: int) -> Nearest:
        """Distances and row numbers of the k nearest points of each query, (m, k) each, nearest first."""
        distance, row, _ = self._search(queries, k)
        return distance, row

    def visits(self, queries: Points, k: int) -> Points:
        """Number of cells that the search for the k nearest visits, (m,)."""
        return self._search(queries, k)[2]

    def within(self, queries: Points, radius: float) -> list[Nearest]:
        """For each query, distances and row numbers of the points at most `radius` away, nearest first."""
        query, row, distance = map(np.concatenate, zip(*self._pairs(queries, radius), strict=True))
        return sorted_by_query(query, row, distance, len(queries))

    def _search(self, queries: Points, k: int) -> tuple[Points, Points, Points]:
        """All queries descend together, the nearer child first; each skips boxes further away than its k-th best point."""
        m = len(queries)
        best, rows = np.full((m, k), np.inf), np.full((m, k), len(self.points))
        visits = np.zeros(m, dtype=np.intp)
        stack: list[tuple[KdNode, Points]] = [(self.root, np.arange(m))]
        while stack:
            part, waiting = stack.pop()
            here = waiting[self._gap(part, queries[waiting]) <= best[waiting, -1] * _ROUNDING]
            if not len(here):
                continue
            if isinstance(part, Cut):
                low = queries[here, part.feature] <= part.at
                stack += [(part.below, here[~low]), (part.above, here[~low]), (part.above, here[low]), (part.below, here[low])]
            else:
                visits[here] += 1
                found = distances(self.metric, queries[here, None], self.points[None, part.rows])
                best[here], rows[here] = _first(k, best[here], rows[here], found, np.broadcast_to(part.rows, found.shape))
        return best, rows, visits

    def _pairs(self, queries: Points, radius: float) -> Iterator[tuple[Points, Points, Points]]:
        """Queries, rows and distances of all pairs within the radius; first of none, so that there is something to join."""
        stack: list[tuple[KdNode, Points]] = [(self.root, np.arange(len(queries)))]
        yield np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0)
        while stack:
            part, waiting = stack.pop()
            here = waiting[self._gap(part, queries[waiting]) <= radius * _ROUNDING]
            if not len(here):
                continue
            if isinstance(part, Cut):
                stack += [(part.above, here), (part.below, here)]
            else:
                found = distances(self.metric, queries[here, None], self.points[None, part.rows])
                query, place = np.nonzero(found <= radius)
                yield here[query], np.array(part.rows)[place], found[query, place]

    def _gap(self, part: KdNode, queries: Points) -> Points:
        """Distance of each query from a box."""
        return distances(self.metric, queries, np.clip(queries, part.low, part.high))


def kd_tree(
    points: Points, metric: minkowski = euclidean, *, leaf_size: int = 16, cut: Literal["widest", "cycling"] = "widest"
) -> KdTree:
    """Grow the k-d tree of points (n, F): cells have at most `leaf_size` points, or only equal ones.

    A cell is cut at the median of the coordinate with the widest range, or of each coordinate in turn (`cut="cycling"`).

    Raises a ValueError for a leaf size below 1, or another cut; a TypeError for a metric that is not a `minkowski`, and for
    points that are not an array (n, F).

    >>> tree = kd_tree(np.array([[0.0], [1.0], [5.0]]), leaf_size=2)
    >>> tree.root
    Cut(low=(0.0,), high=(5.0,), feature=0, at=1.0, below=Cell(low=(0.0,), ...rows=(0, 1)), above=Cell(...rows=(2,)))
    """
    if not isinstance(points, np.ndarray) or points.ndim != 2:  # noqa: PLR2004  # as the message says
        raise TypeError(f"points must be an array (n, F), one row for each point, got {short_repr(points)}.")
    if not isinstance(metric, minkowski):
        message = f"metric must be a Minkowski metric such as euclidean or manhattan for a k-d tree, got {name_of(metric)}."
        raise TypeError(message)
    require_whole_number("leaf_size", leaf_size, 1, of="points")
    if cut not in ("widest", "cycling"):
        raise ValueError(f"cut must be 'widest' or 'cycling', got {short_repr(cut)}.")

    def step(seed: tuple[Points, int]) -> tuple[Any, list[tuple[Points, int]]]:
        rows, depth = seed
        here = points[rows]
        low, high = here.min(axis=0), here.max(axis=0)
        box = tuple(low.tolist()), tuple(high.tolist())
        if len(rows) <= leaf_size or not (low < high).any():
            return (*box, tuple(rows.tolist())), []
        feature = int((high - low).argmax()) if cut == "widest" else _next(high > low, depth)
        at = _near_median(here[:, feature])
        is_below = here[:, feature] <= at
        return (*box, feature, at), [(rows[is_below], depth + 1), (rows[~is_below], depth + 1)]

    def assemble(part: Any, below: tuple[KdNode, ...]) -> KdNode:
        return Cut(*part, *below) if below else Cell(*part)

    return KdTree(points, metric, unfold_over((np.arange(len(points)), 0), step, assemble))


def _next(spread: Points, depth: int) -> int:
    """The coordinate whose turn it is, of those with different values."""
    turn = (depth + np.arange(len(spread))) % len(spread)
    return int(turn[spread[turn].argmax()])


def _near_median(coordinates: Points) -> float:
    """The median, or, if the median is the maximum, the largest number below it, so that both sides have points."""
    ordered = np.sort(coordinates)
    middle = ordered[(len(ordered) - 1) // 2]
    return float(middle if middle < ordered[-1] else ordered[np.searchsorted(ordered, middle) - 1])


def _first(k: int, best: Points, rows: Points, found: Points, numbers: Points) -> Nearest:
    """The k best of the known and the new points, by distance, then row."""
    distance, row = np.concatenate([best, found], axis=1), np.concatenate([rows, numbers], axis=1)
    order = np.lexsort((row, distance))[:, :k]
    return np.take_along_axis(distance, order, axis=1), np.take_along_axis(row, order, axis=1)
