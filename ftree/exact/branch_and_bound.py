"""Branch and bound over trees: counts of triples for shallow trees, a cache of row sets, and bounds that cut most of the search.

Sources: Demirović et al. 2022 (MurTree: depth two by counts, similarity bound), Nijssen & Fromont 2010 (DL8, a cache), and
Angelino et al. 2018 (equivalent points). Counts of all triples, the larger child by subtraction, and the bound by shape are
this library's own: a tree that is deeper than two has at least four leaves.
"""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from time import perf_counter
from types import EllipsisType
from typing import Any, TypeAlias

import numpy as np
from attrs import Factory, define, field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree._lib.machine import ThreadPool
from ftree.exact.items import Items, bits_as_numbers
from ftree.exact.problem import Plan
from ftree.exact.row_set import ChildrenAhead, RowSet, gains_by_threads, rows_of_children
from ftree.exact.shallow_trees import best_depth_one, best_depth_three, best_depth_two, by_split, leaf_costs

_TWO, _THREE, _FOUR = 2, 3, 4
# Splits whose children are counted before they are needed, for each thread: one is too few, since nodes differ in size.
_AHEAD = 3
# The number of row sets kept for each depth: the last ones, since neighbours in the search are the most similar.
_KEPT = 1024
# The number of answers kept; beyond it, the oldest is dropped. Each takes some 500 bytes.
_MOST = 100_000
# None for a leaf; a depth at which the best tree of the rows is found again; or a split's number and its children's plans.
Sketch: TypeAlias = "int | tuple[int, tuple[Sketch, ...]] | None"
# The least cost of rows and the sketch of a tree with that cost; or a lower bound on all trees, and `...`.
Answer: TypeAlias = "tuple[float, Sketch | EllipsisType]"


class Stopped(Exception):  # noqa: N818  # not an error: the search has reached a limit
    """The search has reached a limit."""


@define(eq=False)
class BranchAndBound:
    """A search in progress: the best tree so far, and the `bound` below which no tree's cost lies.

    `states` counts the row sets examined. With `width`, only that many splits are followed at a node, and nothing is proved.
    """

    items: Items
    max_states: float = np.inf
    deadline: float = np.inf
    width: int | None = None
    report: Callable[[str], Any] = str
    threads: ThreadPool = field(factory=lambda: ThreadPool(1))
    states: int = 0
    bound: float = -np.inf
    best: Answer = (np.inf, None)
    known: "Cache" = field(default=Factory(lambda search: Cache(search.items), takes_self=True))
    archives: "dict[int, Archive]" = field(factory=dict)

    def run(self, rows: RowSet, depth: int, width: int | None) -> None:
        """Search for a tree of the rows that is better than the best so far. Raises Stopped at a limit."""
        self.width = width
        if self.items.weights is not None:
            self.bound = max(self.bound, min(self.best[0], rows.always_wrong[1] + self.items.problem.penalty))
        self.best = min(self.best, self.solve(rows, depth, self.best[0], root=True), key=_cost)
        if self._proves(depth):
            self.bound = self.best[0]

    def solve(
        self,
        rows: RowSet,
        depth: int,
        upper: float,
        *,
        root: bool = False,
        prior: Floats | float = -np.inf,
        two: float | None = None,
    ) -> Answer:
        """The best tree of rows up to a depth, if it costs less than `upper`; otherwise a lower bound, which is at least `upper`.

        `prior` are lower bounds by first splits on trees of four leaves or more, and `two` is the least cost at depth two.
        """
        depth = depth if len(self.items.splits) else 0
        known: Answer | None = self.known.get(rows, depth)
        if known is not None and (known[0] >= upper or known[1] is not ...):
            return known
        self._count()
        answer = shallow = self._shallow(rows, depth, two)
        if root:
            self.best = min(self.best, answer, key=_cost)
        if depth >= _THREE:
            deep, by_first = self._deep(rows, depth, min(upper, answer[0]), root=root, prior=prior)
            answer = min(answer, deep, key=_cost)
            self._keep(rows, depth, answer[0], by_first, shallow[0])
        if self._proves(depth):
            self.known.put(rows, depth, answer)
        return answer

    def _proves(self, depth: int) -> bool:
        """Whether a search to a depth follows all splits, so that its bounds hold for all trees."""
        return self.width is None or depth <= _THREE

    def _keep(self, rows: RowSet, depth: int, least: float, by_first: Floats, shallow: float) -> None:
        """Keep the lower bounds of rows, of all trees and by first splits, for similar rows."""
        if self.items.bounds_similar and self._proves(depth):
            # On other rows, some leaves may be empty; then the tree is shallow and costs at least as much as the best of those.
            by_first = np.minimum(by_first, shallow) if self.items.problem.penalty else by_first
            if depth not in self.archives:
                self.archives[depth] = empty_archive(self.items)
            self.archives[depth].add(rows, least, by_first)

    def _similar(self, rows: RowSet, depth: int, known: float) -> tuple[float, Floats | float]:
        """The lower bound on the cost of rows, by the `known` bound and by similar rows, and bounds by first splits."""
        return self.archives[depth].bound(rows, known) if depth in self.archives else (known, -np.inf)

    def _count(self) -> None:
        self.states += 1
        if self.states > self.max_states:
            raise Stopped
        self._in_time()

    def _in_time(self) -> None:
        if perf_counter() > self.deadline:
            raise Stopped

    def _shallow(self, rows: RowSet, depth: int, two: float | None) -> Answer:
        """The best tree of a depth up to two."""
        leaf: Answer = float(leaf_costs(self.items, rows.total)), None
        if not depth:
            return leaf
        cost = best_depth_one(rows)[0] if depth == 1 else best_depth_two(rows)[0] if two is None else two
        return min(leaf, (cost, min(depth, _TWO)), key=_cost)

    def _deep(self, rows: RowSet, depth: int, upper: float, *, root: bool, prior: Floats | float) -> tuple[Answer, Floats]:
        """The best tree with four leaves or more, such as every tree deeper than two, and lower bounds by first splits."""
        bound = np.maximum(prior, self._without_counts(rows))
        if bound.min() >= upper:
            return (float(bound.min()), ...), bound
        two = np.full((self.items.n, 2), np.inf)
        cost, chosen = best_depth_three(rows, bound.argsort(kind="stable"), bound, upper, two, self._in_time)
        answer: Answer = (cost, over(self.items, chosen, _TWO)) if chosen >= 0 else (cost, ...)
        looked_at = by_split(self.items, two)
        bound_three = np.where(looked_at < np.inf, looked_at, bound)
        if depth == _THREE:
            return answer, bound_three
        answer = answer if answer[0] < upper else (upper, ...)
        return self._deeper(rows, depth, answer, bound, bound_three, two, root=root)

    def _deeper(
        self, rows: RowSet, depth: int, answer: Answer, bound: Floats, values: Floats, two: Floats, *, root: bool
    ) -> tuple[Answer, Floats]:
        """A better tree than the best of depth three, where there is one; `values` are bounds on those by first splits."""
        order = np.lexsort((values, by_split(self.items, two)))
        least = self._least(rows, two)
        bounds, known = np.maximum(by_split(self.items, least), bound), Bounds(two, least, values)
        needed = partial(self._needs_first, rows, depth - 1, known)
        with closing(ChildrenAhead(rows, self.threads, self._n_ahead(depth), needed)) as ahead:
            for place, number in enumerate(order.tolist()):
                if root:
                    # With a width, splits that were followed are not proved to be no better.
                    left = bounds[order[place:]] if self.width is None else bounds
                    self._tell(answer, min(answer[0], float(left.min())), place)
                if self.width is not None and place >= self.width:
                    break
                if bounds[number] < answer[0]:
                    coming = order[place + 1 : self.width]
                    parts = ahead.take(number, coming[bounds[coming] < answer[0]].tolist(), answer[0])
                    found = self._split(rows, parts, number, depth - 1, answer[0], known)
                    answer, bounds[number] = min(answer, found, key=_cost), found[0]
        # With a width, nothing is known of splits that are not followed.
        return (answer if answer[1] is not ... or self.width is not None else (float(bounds.min()), ...)), bounds

    def _n_ahead(self, depth: int) -> int:
        """The number of splits whose children other threads count: those of depth three, which most of the search looks at."""
        return _AHEAD * (self.threads.n - 1) if depth == _FOUR and gains_by_threads(self.items) else 0

    def _without_counts(self, rows: RowSet) -> Floats:
        """Lower bounds by first splits on trees of four leaves or more: one leaf and three others, or two and two."""
        items, penalty = self.items, self.items.problem.penalty
        if not penalty:  # then all splits share the bound of the rows, which is seldom useful
            return np.full(len(items.splits), -np.inf)
        wrong = self._wrong(rows)
        if not np.isfinite(wrong).all():
            return np.full(len(items.splits), -np.inf)
        counts = rows.counts().T
        leaves = np.stack([leaf_costs(items, counts), leaf_costs(items, rows.total - counts)], axis=1)
        wrong = np.broadcast_to(wrong, leaves.shape)
        bound = by_split(items, np.minimum(leaves, wrong + _TWO * penalty))
        n = items.n_binary
        with_leaf = (leaves + wrong[:, ::-1])[:n].min(axis=1) + _THREE * penalty
        bound[:n] = np.minimum(with_leaf, wrong[:n].sum(axis=1) + _FOUR * penalty) + items.prices[:n]
        return bound

    def _tell(self, answer: Answer, bound: float, done: int) -> None:
        """Keep the best tree and the best bound so far, and report them."""
        self.best, self.bound = min(self.best, answer, key=_cost), max(self.bound, bound)
        cost, bound = map(self.items.problem.cost_of_tree, (self.best[0], self.bound))
        self.report(f"{done} of {len(self.items.splits)} first splits: cost {cost:g}, at least {bound:g}")

    def _least(self, rows: RowSet, two: Floats) -> Floats:
        """Lower bounds (M, 2) on trees of the rows with each item and without it: of depth two, or of four leaves or more."""
        return np.minimum(two, self._wrong(rows) + _FOUR * self.items.problem.penalty)

    def _wrong(self, rows: RowSet) -> Floats:
        """The least cost of every tree, for the rows with each item and without it (M, 2), excluding penalties."""
        if self.items.weights is None:
            return np.array(0.0 if getattr(self.items.problem.objective, "least", -1) >= 0 else -np.inf)
        own, total = rows.always_wrong
        return np.stack([own, total - own], axis=1)

    def _split(self, rows: RowSet, parts: list[RowSet], number: int, depth: int, upper: float, known: "Bounds") -> Answer:
        """The best trees of a split's children, if together they cost less than `upper`; otherwise a lower bound."""
        price = float(self.items.prices[number])
        of_children = self._of_children(number, known.least).tolist()
        similar = [self._similar(part, depth, cost) for part, cost in zip(parts, of_children, strict=True)]
        least = [cost for cost, _ in similar]
        sketches: list[Any] = []
        shallow = self._of_children(number, known.two).tolist()
        try:
            for place, part in enumerate(parts):
                below = upper - price - sum(least[:place]) - sum(least[place + 1 :])
                if least[place] >= below:
                    break
                prior = similar[place][1]
                if depth == _THREE:
                    prior = np.maximum(prior, known.by_first - self._lost(rows, part))
                cost, sketch = self.solve(part, depth, below, prior=prior, two=shallow[place])
                least[place] = max(least[place], cost)
                if cost >= below:
                    break
                sketches.append(sketch)
        finally:
            for part in reversed(parts):
                part.release()
        found = len(sketches) == len(parts)
        return price + sum(least), ((number, tuple(sketches)) if found else ...)

    def _needs_first(self, rows: RowSet, depth: int, known: "Bounds", number: int, parts: list[RowSet], upper: float) -> bool:
        """Whether the bounds known so far leave the first child of a split to be examined."""
        first, *others = self._of_children(number, known.least).tolist()
        below = upper - float(self.items.prices[number]) - sum(others)
        if self.known.get(parts[0], depth) is not None:
            return False
        least, prior = self._similar(parts[0], depth, first)
        return least < below and bool(np.maximum(prior, known.by_first - self._lost(rows, parts[0])).min() < below)

    def _of_children(self, number: int, of_items: Floats) -> Floats:
        """The values for a split's children, given the values (M, 2) for the rows with each item and without it."""
        chosen: Floats = of_items[number] if number < self.items.n_binary else of_items[list(self.items.items_of(number)), 0]
        return chosen

    def _lost(self, rows: RowSet, part: RowSet) -> float:
        """The most by which a tree can cost less without the rows outside a part: their weight."""
        items, problem = self.items, self.items.problem
        # A child without a case may get one, and then cost a penalty, or have too few cases.
        if items.weights is None or (len(items.wide) > 1 and (problem.penalty or problem.limits_leaves)):
            return np.inf
        return float(items.cost_weights @ (rows.total - part.total))


def _cost(answer: Answer) -> float:
    return answer[0]


@frozen(eq=False)
class Bounds:
    """Bounds for a node's splits.

    `two` (M, 2) are the least costs at depth two of the rows with each item and of those without it, `least` (M, 2) lower bounds
    on the costs of their trees, and `by_first` (C,) lower bounds on the node's trees of depth three by first splits.
    """

    two: Floats
    least: Floats
    by_first: Floats


def plan_of(rows: RowSet, sketch: Sketch) -> Plan:
    """The plan of a sketch."""
    first = first_split(rows, sketch)
    if first is None:
        return None
    number, below = first
    return with_plans(rows.items, number, tuple(map(plan_of, rows_of_children(rows, number), below)))


def first_split(rows: RowSet, sketch: Sketch) -> tuple[int, tuple[Sketch, ...]] | None:
    """The number of a tree's first split, and the sketches of its children; None for a leaf. Shallow trees are found again."""
    if not isinstance(sketch, int):
        return sketch
    number = (best_depth_one, best_depth_two)[sketch - 1](rows)[1] if sketch else -1
    return None if number < 0 else over(rows.items, number, sketch - 1)


def over(items: Items, number: int, depth: int) -> tuple[int, tuple[Sketch, ...]]:
    """A split whose children are the best trees of a depth."""
    return number, (depth,) * (_TWO if number < items.n_binary else len(items.items_of(number)))


def with_plans(items: Items, number: int, plans: tuple[Plan, ...]) -> Plan:
    """The plan of a split by its position among the items, with plans in the order of its children there."""
    turned = number < items.n_binary and not items.flipped[number]
    return int(items.splits[number]), plans[::-1] if turned else plans


@define(eq=False)
class Archive:
    """The last row sets (N, W) of one depth, and their class counts (N, K), of which `n` have been added so far.

    `least` (N,) are lower bounds on what trees of them cost, and `by_split` (N, C) are such bounds by first splits. The highest
    one comes from `most_of_others` of the native library, or from NumPy.
    """

    masks: Array
    totals: Array
    least: Floats
    by_split: Floats
    most_of_others: Callable[..., int] | None
    n: int = 0

    def add(self, rows: RowSet, least: float, by_split: Floats | float) -> None:
        """Add a row set; beyond the limit, it replaces the oldest one."""
        place = self.n % _KEPT
        self.masks[place], self.totals[place], self.least[place], self.by_split[place] = rows.mask, rows.total, least, by_split
        self.n += 1

    def bound(self, rows: RowSet, known: float) -> tuple[float, Floats | float]:
        """The highest lower bound on the cost of the rows' trees, at least the `known` one, and bounds by first splits."""
        n, best = min(self.n, _KEPT), np.array([known])
        if self.most_of_others is None:
            place = self._most_by_numpy(rows, n, best)
        else:
            place = self.most_of_others(n, rows.mask, rows.total.astype(np.float64), best)
        least = float(best[0])
        return (least, self.by_split[place] - (self.least[place] - least)) if place >= 0 else (known, -np.inf)

    def _most_by_numpy(self, rows: RowSet, n: int, best: Floats) -> int:
        """`most_of_others`: the row set with the highest bound above `best`, which becomes that bound, or -1."""
        items, segment = rows.items, np.diff(rows.items.starts)
        fewer = np.maximum(self.totals[:n] - rows.total, 0) @ items.cost_weights
        places = np.flatnonzero(self.least[:n] - fewer > best)
        outside = bits_as_numbers((self.masks[places] & ~rows.mask).T).reshape(len(rows.mask), 64, len(places)).sum(axis=1)
        bounds = np.append(self.least[places] - np.repeat(items.row_weights, segment) @ outside, -np.inf)
        first = int(bounds.argmax())
        if bounds[first] <= best:
            return -1
        best[0] = bounds[first]
        return int(places[first])


def empty_archive(items: Items) -> Archive:
    """An archive of no row sets."""
    masks, totals = np.empty((_KEPT, len(items.bits)), np.uint64), np.zeros((_KEPT, items.problem.n_classes))
    least, terms = np.empty(_KEPT), (items.row_weights, items.starts, items.cost_weights)
    find = native.prepared("most_of_others", masks, totals, least, *terms) if items.is_native else None
    return Archive(masks, totals, least, np.empty((_KEPT, len(items.splits))), find)


@define(eq=False)
class Cache:
    """Answers by the hash of a row set and a depth. A hash is not trusted: the rows that led to the answer are made again."""

    items: Items
    most: int = _MOST
    answers: dict[tuple[int, int], tuple[tuple[int, ...], Any]] = field(factory=dict)

    def get(self, rows: RowSet, depth: int) -> Any:
        """The answer for the same rows and depth, which may have been reached by other splits; None if there is none."""
        path, answer = self.answers.get((hash(rows.mask.tobytes()), depth), (None, None))
        return answer if path is not None and np.array_equal(mask_of_path(self.items, path), rows.mask) else None

    def put(self, rows: RowSet, depth: int, answer: Any) -> None:
        """Keep an answer."""
        if len(self.answers) >= self.most:
            del self.answers[next(iter(self.answers))]
        self.answers[hash(rows.mask.tobytes()), depth] = rows.path, answer


def mask_of_path(items: Items, path: tuple[int, ...]) -> Array:
    """The rows (W,) with each item of a path, and without each item whose number is negated bit by bit."""
    mask = items.bits[:, items.n + 1]
    for item in path:
        mask = mask & (items.bits[:, item] if item >= 0 else ~items.bits[:, ~item])
    return mask
