"""A k-d tree: space cut in two, again and again, at the median of one coordinate.

It is a tree grown by another policy: a step looks at a cell's box and its rows and answers where to cut. Nodes are frozen,
and know the box that their points fill, so a search passes by every box that is further away than what it has.

Source: Bentley 1975; Friedman, Bentley & Finkel 1977.
"""

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.recursion import unfold_over
from ftree.data.points import Points
from ftree.neighbors.index import Nearest, grouped
from ftree.neighbors.metric import distances, euclidean, minkowski

Box: TypeAlias = tuple[float, ...]
# What rounding can make of two numbers that are equal: a box is passed by only when it is further away than that.
_ROUNDING = 1 + 1e-12


@frozen
class Cell:
    """The end of a way: the box from `low` to `high` that its points fill, and their row numbers."""

    low: Box
    high: Box
    rows: tuple[int, ...]


@frozen
class Cut:
    """A box cut in two: points with a coordinate of at most `at` are below, the others above."""

    low: Box
    high: Box
    feature: int
    at: float
    below: "Part"
    above: "Part"


Part: TypeAlias = Cell | Cut


@frozen(eq=False)
class KdTree:
    """Points with their tree; an index like `brute`, and with the same answers."""

    points: Points = field(repr=False)
    metric: minkowski
    root: Part = field(repr=False)

    def nearest(self, queries: Points, k: int) -> Nearest:
        """The k nearest points of each query, (m, k): distances, and row numbers; nearest first."""
        distance, row, _ = self._search(queries, k)
        return distance, row

    def visits(self, queries: Points, k: int) -> Points:
        """How many cells the search for the k nearest looks into, (m,)."""
        return self._search(queries, k)[2]

    def within(self, queries: Points, radius: float) -> list[Nearest]:
        """For each query the points at most so far away: distances, and row numbers; nearest first."""
        nothing = np.zeros(0, dtype=np.intp)
        found = [(nothing, nothing, np.zeros(0)), *self._pairs(queries, radius)]
        query, row, distance = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return grouped(query, row, distance, len(queries))

    def _search(self, queries: Points, k: int) -> tuple[Points, Points, Points]:
        """Queries go down together, the nearer half first; each turns back where a box is further than its k-th best."""
        m = len(queries)
        best, rows = np.full((m, k), np.inf), np.full((m, k), len(self.points))
        visits = np.zeros(m, dtype=np.intp)
        stack: list[tuple[Part, Points]] = [(self.root, np.arange(m))]
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
        """Queries, rows and distances of all pairs within the radius."""
        stack: list[tuple[Part, Points]] = [(self.root, np.arange(len(queries)))]
        while stack:
            part, waiting = stack.pop()
            here = waiting[self._gap(part, queries[waiting]) <= radius * _ROUNDING]
            if isinstance(part, Cut):
                stack += [(part.above, here), (part.below, here)] if len(here) else []
            else:
                found = distances(self.metric, queries[here, None], self.points[None, part.rows])
                query, place = np.nonzero(found <= radius)
                yield here[query], np.array(part.rows)[place], found[query, place]

    def _gap(self, part: Part, queries: Points) -> Points:
        """How far each query is from a box."""
        return distances(self.metric, queries, np.clip(queries, part.low, part.high))


def kd_tree(
    points: Points,
    metric: minkowski = euclidean,
    *,
    leaf_size: int = 16,
    cut: Literal["widest", "cycling"] = "widest",
) -> KdTree:
    """Grow the k-d tree of points (n, F): cells have at most `leaf_size` points, or points that are all the same.

    A cell is cut at the median of the coordinate that spreads widest, or of each one in turn (`cut="cycling"`).

    Raises a ValueError for a leaf size below 1, or another cut; a TypeError for a metric that is no `minkowski`.

    >>> tree = kd_tree(np.array([[0.0], [1.0], [5.0]]), leaf_size=2)
    >>> tree.root
    Cut(low=(0.0,), high=(5.0,), feature=0, at=1.0, below=Cell(low=(0.0,), ...rows=(0, 1)), above=Cell(...rows=(2,)))
    """
    if not isinstance(metric, minkowski):
        message = f"A k-d tree passes by boxes, which takes a Minkowski metric such as euclidean or manhattan; {metric!r} came."
        raise TypeError(message)
    if leaf_size < 1 or cut not in ("widest", "cycling"):
        message = f"leaf_size is a number of points from 1, cut is 'widest' or 'cycling'; {leaf_size!r} and {cut!r} came."
        raise ValueError(message)

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

    def assemble(part: Any, below: tuple[Part, ...]) -> Part:
        return Cut(*part, *below) if below else Cell(*part)

    return KdTree(points, metric, unfold_over((np.arange(len(points)), 0), step, assemble))


def _next(spread: Points, depth: int) -> int:
    """The coordinate whose turn it is, of those that spread."""
    turn = (depth + np.arange(len(spread))) % len(spread)
    return int(turn[spread[turn].argmax()])


def _near_median(coordinates: Points) -> float:
    """The median, or the largest number below when the median is the largest of all; some are above it in any case."""
    ordered = np.sort(coordinates)
    middle = ordered[(len(ordered) - 1) // 2]
    return float(middle if middle < ordered[-1] else ordered[np.searchsorted(ordered, middle) - 1])


def _first(k: int, best: Points, rows: Points, found: Points, numbers: Points) -> Nearest:
    """The k best of what was known and what was found, by distance, then row."""
    distance, row = np.concatenate([best, found], axis=1), np.concatenate([rows, numbers], axis=1)
    order = np.lexsort((row, distance), axis=-1)[:, :k]
    return np.take_along_axis(distance, order, axis=1), np.take_along_axis(row, order, axis=1)
