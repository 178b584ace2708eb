"""Branch and bound over trees: the recursion of `every_tree.py`, without the trees that a lower bound excludes.

Write V(S, d) for the least cost of trees of rows S with at most d levels of splits, and S_f for the children of S by a split f:

    V(S, 0) = leaf(S)
    V(S, d) = min(leaf(S), least over f of price(f) + sum of V(C, d - 1) over C in S_f)

`solve(S, d, upper)` returns V(S, d) and its tree if V(S, d) < `upper`, else a lower bound on V(S, d) that is at least `upper`:

1. `Cache`: the same rows have had an answer at this depth.
2. `_shallow`: counts of pairs give V(S, 2) at once.
3. `_deep`: every other tree has four leaves or more. First splits whose lower bound reaches the best cost so far are excluded.
4. `best_depth_three`: counts of triples give the best tree of depth three by each first split that is left.
5. `_deeper_of_all`: the children of each first split that is left are solved, the most promising split first; each must cost
   less than `upper` minus the lower bounds of its siblings. `_deeper_of_few` follows the most promising splits only, and proves
   nothing.

Each bound is a function of `bounds.py`, with the lemma that makes it right; `_children` has a lemma of its own. All costs are
multiples of `Problem.step` with at most 50 bits, so that sums and differences are exact in any order, equal trees have equal
costs, and C and NumPy agree. Sources: Demirović et al. 2022 (MurTree), Nijssen & Fromont 2010 (DL8).
"""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from attrs import Factory, define, field, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.machine import ThreadPool
from ftree.exact.listed.bounds import Archive, empty_archive, four_leaves, of_sides, weight_outside
from ftree.exact.listed.children_ahead import ChildrenAhead, gains_by_threads
from ftree.exact.listed.items import Items
from ftree.exact.listed.row_set import RowSet, released
from ftree.exact.listed.shallow_trees import best_depth_one, best_depth_three, best_depth_two, by_split, leaf_costs, of_children
from ftree.exact.listed.solutions import NOTHING, Cache, Solution, cheaper, over

_TWO, _THREE, _FOUR = 2, 3, 4
# Splits whose children are counted before they are needed, for each thread: one is too few, since nodes differ in size.
_AHEAD = 3


class Stopped(Exception):  # noqa: N818  # not an error: the search has reached a limit
    """The search has reached a limit."""


@define(eq=False)
class BranchAndBound:
    """The state of a search.

    - `items`: the problem as bits, which never changes.
    - `max_states`, `deadline`: the limits at which `Stopped` is raised; `report` gets a line for each first split of the table.
    - `width`: how many first splits are followed at a node. With a number, nothing is proved; None follows all.
    - `threads`: those that count children ahead; the answers do not depend on them.
    - `states`: the number of row sets examined.
    - `best`: the best tree of the table so far; `bound`: no tree of the table costs less.
    - `cache`: answers of row sets. `archives`: by depth, lower bounds for similar row sets. Both have proved bounds only.
    """

    items: Items
    max_states: float = np.inf
    deadline: float = np.inf
    width: int | None = None
    report: Callable[[str], Any] = str
    threads: ThreadPool = field(factory=lambda: ThreadPool(1))
    states: int = 0
    bound: float = -np.inf
    best: Solution = NOTHING
    cache: Cache = field(default=Factory(lambda search: Cache(search.items), takes_self=True))
    archives: dict[int, Archive] = field(factory=dict)

    def run(self, table: RowSet, depth: int, width: int | None) -> None:
        """Search for a tree of the table that is better than the best so far. Raises Stopped at a limit."""
        self.width = width
        if self.items.weights is not None:
            self.bound = max(self.bound, min(self.best.cost, table.always_wrong[1] + self.items.problem.penalty))
        self.best = cheaper(self.best, self.solve(table, depth, self.best.cost))
        if self._proves(depth):
            self.bound = self.best.cost

    def solve(
        self, rows: RowSet, depth: int, upper: float, *, prior: Floats | float = -np.inf, depth_two: float | None = None
    ) -> Solution:
        """The best tree of rows up to a depth, if it costs less than `upper`; otherwise a lower bound, which is at least `upper`.

        `prior` are lower bounds by first splits on trees of four leaves or more, and `depth_two` is the least cost at that depth.
        """
        depth = depth if self.items.n_splits else 0
        cached = self.cache.get(rows, depth)
        if cached is not None and (cached.found or cached.cost >= upper):
            return cached
        self._count()
        answer = shallow = self._shallow(rows, depth, depth_two)
        if rows.is_table:
            self.best = cheaper(self.best, answer)
        if depth >= _THREE:
            deep, by_first = self._deep(rows, depth, min(upper, shallow.cost), prior)
            answer = cheaper(shallow, deep)
            self._archive(rows, depth, answer.cost, by_first, shallow.cost)
        if self._proves(depth):
            self.cache.put(rows, depth, answer)
        return answer

    def _proves(self, depth: int) -> bool:
        """Whether a search to a depth follows all splits, so that its bounds hold for all trees."""
        return self.width is None or depth <= _THREE

    def _count(self) -> None:
        self.states += 1
        if self.states > self.max_states:
            raise Stopped
        self._in_time()

    def _in_time(self) -> None:
        if perf_counter() > self.deadline:
            raise Stopped

    # Trees of a row set: up to two levels, three, more

    def _shallow(self, rows: RowSet, depth: int, depth_two: float | None) -> Solution:
        """The best tree of a depth up to two."""
        leaf = Solution(float(leaf_costs(self.items, rows.total)))
        if not depth:
            return leaf
        cost = best_depth_one(rows)[0] if depth == 1 else best_depth_two(rows)[0] if depth_two is None else depth_two
        return cheaper(leaf, Solution(cost, min(depth, _TWO)))

    def _deep(self, rows: RowSet, depth: int, upper: float, prior: Floats | float) -> tuple[Solution, Floats]:
        """The best tree with four leaves or more, if it costs less than `upper`, and lower bounds (C,) by first splits."""
        bound = np.maximum(prior, four_leaves(rows))
        if bound.min() >= upper:
            return Solution(float(bound.min()), found=False), bound
        two = np.full((self.items.n, 2), np.inf)
        cost, chosen = best_depth_three(rows, bound.argsort(kind="stable"), bound, upper, two, self._in_time)
        answer = Solution(cost, over(self.items, chosen, _TWO)) if chosen >= 0 else Solution(cost, found=False)
        examined = by_split(self.items, two)
        by_first = np.where(examined < np.inf, examined, bound)
        if depth == _THREE:
            return answer, by_first
        node = DeepNode(rows, depth, two, of_sides(rows, two), by_first)
        answer = answer if answer.cost < upper else Solution(upper, found=False)
        if self.width is None:
            return self._deeper_of_all(node, answer, bound)
        return self._deeper_of_few(node, answer, bound, self.width), bound

    def _deeper_of_all(self, node: "DeepNode", answer: Solution, bound: Floats) -> tuple[Solution, Floats]:
        """A better tree than `answer`, the best of depth three, if there is one; and lower bounds (C,) by first splits.

        A split is left out if its bound reaches the best cost; of any other, the answer is its new bound. So the least of these
        bounds holds for all trees, and that of the splits that are left, or the best cost, does before the end.
        """
        order, bounds = self._promising(node, bound)
        with closing(self._ahead(node)) as ahead:
            for place, number in enumerate(order.tolist()):
                if node.rows.is_table:
                    self._tell(answer, bounds[order[place:]], place)
                if bounds[number] < answer.cost:
                    found = self._followed(node, ahead, order[place:], bounds, answer.cost)
                    answer, bounds[number] = cheaper(answer, found), found.cost
        return (answer if answer.found else Solution(float(bounds.min()), found=False)), bounds

    def _deeper_of_few(self, node: "DeepNode", answer: Solution, bound: Floats, width: int) -> Solution:
        """A better tree than `answer` by one of the most promising first splits, if there is one; nothing is proved.

        Another split may have a better tree, and so may one of these, since its children follow few splits too. So the bounds
        stay as they were before, and no answer raises them.
        """
        order, bounds = self._promising(node, bound)
        few = order[:width]
        with closing(self._ahead(node)) as ahead:
            for place, number in enumerate(few.tolist()):
                if node.rows.is_table:
                    self._tell(answer, bounds, place)
                if bounds[number] < answer.cost:
                    answer = cheaper(answer, self._followed(node, ahead, few[place:], bounds, answer.cost))
        if node.rows.is_table:
            self._tell(answer, bounds, len(few))
        return answer

    def _promising(self, node: "DeepNode", bound: Floats) -> tuple[Array, Floats]:
        """First splits in the order in which they are followed, and lower bounds (C,) by first splits on trees of any depth."""
        two = by_split(self.items, node.depth_two)
        return np.lexsort((node.by_first, two)), np.maximum(by_split(self.items, node.least), bound)

    def _ahead(self, node: "DeepNode") -> ChildrenAhead:
        return ChildrenAhead(node.rows, self.threads, self._n_ahead(node.depth), partial(self._needs_first, node))

    def _followed(self, node: "DeepNode", ahead: ChildrenAhead, order: Array, bounds: Floats, upper: float) -> Solution:
        """The answer for the first split of those left; children of the next ones are counted ahead."""
        number, coming = int(order[0]), order[1:]
        parts = ahead.take(number, coming[bounds[coming] < upper].tolist(), upper)
        return self._split(node, parts, number, upper)

    def _tell(self, answer: Solution, left: Floats, done: int) -> None:
        """Keep the best tree and the best bound of the table, given bounds of the splits that are left, and report them."""
        self.bound = max(self.bound, min(answer.cost, float(left.min())))
        self.best = cheaper(self.best, answer)
        cost, bound = map(self.items.problem.cost_of_tree, (self.best.cost, self.bound))
        self.report(f"{done} of {self.items.n_splits} first splits: cost {cost:g}, at least {bound:g}")

    # The children of a split

    def _split(self, node: "DeepNode", parts: list[RowSet], number: int, upper: float) -> Solution:
        """The best trees of a split's children, if together they cost less than `upper`; otherwise a lower bound."""
        price = float(self.items.prices[number])
        with released(parts):
            least, sketches = self._children(node, parts, number, upper - price)
        return Solution(price + sum(least), (number, tuple(sketches)), found=len(sketches) == len(parts))

    def _children(self, node: "DeepNode", parts: list[RowSet], number: int, upper: float) -> tuple[list[float], list[Any]]:
        """Lower bounds of the children, and the sketches of those solved: not all if the bounds add up to `upper` before.

        If the children other than C cost at least b together, they are below `upper` only if V(C, d - 1) < `upper` - b: the cost
        is the sum. Each child that is solved replaces its bound. Source: Aglin et al. 2020 (DL8.5).
        """
        least_of, two_of = (of_children(self.items, number, each).tolist() for each in (node.least, node.depth_two))
        similar = [self._similar(part, node.depth - 1, cost) for part, cost in zip(parts, least_of, strict=True)]
        least, sketches = [cost for cost, _ in similar], list[Any]()
        for place, part in enumerate(parts):
            below = upper - sum(least[:place]) - sum(least[place + 1 :])
            if least[place] >= below:
                break
            prior = self._prior(node, part, similar[place][1])
            answer = self.solve(part, node.depth - 1, below, prior=prior, depth_two=two_of[place])
            least[place] = max(least[place], answer.cost)
            if answer.cost >= below:
                # Where a child has too few cases and another no bound, the sum would be no number.
                return ([np.inf] if least[place] == np.inf else least), sketches
            sketches.append(answer.sketch)
        return least, sketches

    def _needs_first(self, node: "DeepNode", number: int, parts: list[RowSet], upper: float) -> bool:
        """Whether the bounds known so far leave the first child of a split to be examined."""
        first, *others = of_children(self.items, number, node.least).tolist()
        below = upper - float(self.items.prices[number]) - sum(others)
        if self.cache.get(parts[0], node.depth - 1) is not None:
            return False
        least, prior = self._similar(parts[0], node.depth - 1, first)
        return least < below and bool(np.min(self._prior(node, parts[0], prior)) < below)

    def _n_ahead(self, depth: int) -> int:
        """The number of splits whose children other threads count: those of depth three, which most of the search examines."""
        return _AHEAD * (self.threads.n - 1) if depth == _FOUR and gains_by_threads(self.items) else 0

    # Lower bounds

    def _prior(self, node: "DeepNode", part: RowSet, similar: Floats | float) -> Floats | float:
        """Lower bounds by first splits on a child's trees of four leaves or more: by similar rows, and by the node's trees."""
        if node.depth != _FOUR:
            return similar
        bounds: Floats = np.maximum(similar, node.by_first - weight_outside(node.rows, part))
        return bounds

    def _similar(self, rows: RowSet, depth: int, least: float) -> tuple[float, Floats | float]:
        """The lower bound on the cost of rows, at least the given one, by similar rows; and bounds (C,) by first splits."""
        return self.archives[depth].bound(rows, least) if depth in self.archives else (least, -np.inf)

    def _archive(self, rows: RowSet, depth: int, least: float, by_first: Floats, shallow: float) -> None:
        """Keep the lower bounds of rows, of all trees and by first splits, for similar rows."""
        if self.items.bounds_similar and self._proves(depth):
            if depth not in self.archives:
                self.archives[depth] = empty_archive(self.items)
            self.archives[depth].add(rows, least, by_first, shallow)


@frozen(eq=False)
class DeepNode:
    """Rows whose first splits are followed to a depth above three, and what the counts of these rows tell.

    - `depth_two` (M, 2): the least costs, at depth two, of the rows with each item and of those without it.
    - `least` (M, 2): lower bounds on the costs of any trees of these rows.
    - `by_first` (C,): lower bounds on trees of all the rows, of depth three, by first splits.
    """

    rows: RowSet
    depth: int
    depth_two: Floats
    least: Floats
    by_first: Floats
