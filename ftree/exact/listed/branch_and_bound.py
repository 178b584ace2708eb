"""Branch and bound over trees: the recursion of `every_tree.py`, without the trees that a lower bound excludes.

Write V(S, d) for the least cost of trees of rows S with at most d levels of splits, and S_f for the children of S by a split f:

    V(S, 0) = leaf(S)
    V(S, d) = min(leaf(S), least over f of price(f) + sum of V(C, d - 1) over C in S_f)

`solve(S, d, upper)` returns V(S, d) and its tree if V(S, d) < `upper`, else a lower bound on V(S, d) that is at least `upper`:

1. `Cache`: the same rows have had an answer at this depth.
2. `_shallow`: counts of pairs give V(S, 2) at once.
3. `_deep`: every other tree is deep: it has four leaves or more. First splits whose bound reaches the best cost so far are
   excluded.
4. `best_depth_three`: counts of triples give the best tree of depth three by each first split that is left.
5. `_deeper`: the children of each first split that is left are solved, the most promising split first; each must cost less than
   `upper` minus the lower bounds of its siblings (`_children`). With a `width`, only some splits are followed, and nothing is
   proved.

Bounds come from `bounds.py`, a function for each lemma; they are `Bounds` of rows, or arrays by first split of a deep tree (C,).
All costs are multiples of a power of two (`exact/rounding.py`), so that sums and differences are exact in any order, equal trees
have equal costs, and C and NumPy agree. Sources: Demirović et al. 2022 (MurTree), Nijssen & Fromont 2010 (DL8).
"""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from attrs import Factory, define, field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.machine import ThreadPool
from ftree.exact.listed.bounds import (
    Bounds,
    SimilarRows,
    four_leaves,
    no_bounds,
    no_similar_rows,
    part_of_rows,
    shallow_or_four_leaves,
    similar_rows_help,
)
from ftree.exact.listed.children_ahead import ChildrenAhead, n_ahead
from ftree.exact.listed.items import Items
from ftree.exact.listed.row_set import RowSet, released
from ftree.exact.listed.shallow_trees import best_depth_one, best_depth_three, best_depth_two
from ftree.exact.listed.solutions import NOTHING, Cache, Sketch, Solution, cheaper, over

_TWO, _THREE, _FOUR = 2, 3, 4


class Stopped(Exception):  # noqa: N818  # not an error: the search has reached a limit
    """The search has reached a limit."""


@frozen(eq=False)
class DeepNode:
    """Rows whose first splits are followed to a depth above three, and what the counts of these rows tell.

    - `two` (M, 2): V(side, 2) for the rows with each item and for those without it.
    - `any_tree` (M, 2): lower bounds on any trees of these sides.
    - `three` (C,): lower bounds on deep trees of all the rows of depth three, by first split.
    """

    rows: RowSet
    depth: int
    two: Floats
    any_tree: Floats
    three: Floats


@define(eq=False)
class BranchAndBound:
    """The state of a search.

    - `items`: the problem as bits, which never changes.
    - `max_states`, `deadline`: the limits at which `Stopped` is raised; `report` gets a line for each first split of the table.
    - `width`: how many first splits are followed at a node. With a number, nothing is proved; None follows all.
    - `threads`: those that count children ahead; the answers do not depend on them.
    - `states`: the number of row sets examined.
    - `best`: the best tree of the table so far; `bound`: no tree of the table costs less.
    - `cache`: answers of row sets. `similar`: by depth, row sets with their bounds. Both have proved bounds only.
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
    similar: dict[int, SimilarRows] = field(factory=dict)

    def run(self, table: RowSet, depth: int, width: int | None) -> None:
        """Search for a tree of the table that is better than the best so far. Raises Stopped at a limit."""
        self.width = width
        if self.items.counts_errors:
            self.bound = max(self.bound, min(self.best.cost, table.always_wrong[1] + self.items.problem.penalty))
        self.best = cheaper(self.best, self.solve(table, depth, self.best.cost))
        if self._proves(depth):
            self.bound = self.best.cost

    def solve(
        self, rows: RowSet, depth: int, upper: float, known: Bounds | None = None, depth_two: float | None = None
    ) -> Solution:
        """The best tree of rows up to a depth, if it costs less than `upper`; otherwise a lower bound, which is at least `upper`.

        The caller may know some bounds, and V(S, 2).
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
            deep, by_first = self._deep(rows, depth, min(upper, shallow.cost), known or no_bounds(self.items))
            answer = cheaper(shallow, deep)
            self._keep(rows, depth, Bounds(answer.cost, by_first), shallow.cost)
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
        leaf = Solution(float(self.items.leaf_costs(rows.total)))
        if not depth:
            return leaf
        cost = best_depth_one(rows)[0] if depth == 1 else best_depth_two(rows)[0] if depth_two is None else depth_two
        return cheaper(leaf, Solution(cost, min(depth, _TWO)))

    def _deep(self, rows: RowSet, depth: int, upper: float, known: Bounds) -> tuple[Solution, Floats]:
        """The best deep tree, if it costs less than `upper`, and lower bounds (C,) on deep trees by first split."""
        bounds = np.maximum(known.deep, four_leaves(rows))
        if bounds.min() >= upper:
            return Solution(float(bounds.min()), found=False), bounds
        cost, number, two = best_depth_three(rows, bounds.argsort(kind="stable"), bounds, upper, self._in_time)
        answer = Solution(cost, over(self.items, number, _TWO)) if number >= 0 else Solution(cost, found=False)
        examined = self.items.by_split(two)
        three = np.where(np.isfinite(examined), examined, bounds)
        if depth == _THREE:
            return answer, three
        node = DeepNode(rows, depth, two, shallow_or_four_leaves(rows, two), three)
        return self._deeper(node, answer if answer.cost < upper else Solution(upper, found=False), bounds)

    def _deeper(self, node: DeepNode, answer: Solution, bounds: Floats) -> tuple[Solution, Floats]:
        """A better tree than `answer`, the best of depth three, if there is one; and lower bounds (C,) by first split.

        A split is passed over if its bound reaches the best cost; of any other, the answer is its new bound. So the least of the
        bounds, or the best cost, holds for all trees at any time: after the last split, no tree costs less than that.
        With a width, the children follow few splits too, so an answer is no bound, and raises none.
        """
        order = np.lexsort((node.three, ~np.isfinite(self.items.by_split(node.two))))[: self.width]
        bounds = np.maximum(self.items.by_split(node.any_tree), bounds)
        with closing(self._ahead(node)) as ahead:
            for place, number in enumerate(order.tolist()):
                self._tell(node, answer, bounds, place)
                if bounds[number] < answer.cost:
                    coming = order[place + 1 :]
                    parts = ahead.take(number, coming[bounds[coming] < answer.cost].tolist(), answer.cost)
                    found = self._split(node, parts, number, answer.cost)
                    answer = cheaper(answer, found)
                    if self.width is None:
                        bounds[number] = found.cost
        return (answer if answer.found else Solution(max(answer.cost, float(bounds.min())), found=False)), bounds

    def _tell(self, node: DeepNode, answer: Solution, bounds: Floats, done: int) -> None:
        """Of the table, keep the best tree and the best bound, and report them."""
        if node.rows.is_table:
            self.bound = max(self.bound, min(answer.cost, float(bounds.min())))
            self.best = cheaper(self.best, answer)
            cost, bound = map(self.items.problem.cost_of_tree, (self.best.cost, self.bound))
            self.report(f"{done} of {self.items.n_splits} first splits: cost {cost:g}, at least {bound:g}")

    # The children of a split

    def _split(self, node: DeepNode, parts: list[RowSet], number: int, upper: float) -> Solution:
        """The best trees of a split's children, if together they cost less than `upper`; otherwise a lower bound."""
        price = float(self.items.prices[number])
        with released(parts):
            least, sketches = self._children(node, parts, number, upper - price)
        return Solution(price + sum(least), (number, tuple(sketches)), found=len(sketches) == len(parts))

    def _children(self, node: DeepNode, parts: list[RowSet], number: int, upper: float) -> tuple[list[float], list[Sketch]]:
        """Lower bounds of the children, and the sketches of those solved: not all if the bounds add up to `upper` before.

        If the children other than C cost at least b together, they are below `upper` only if V(C, d - 1) < `upper` - b: the cost
        is the sum. Each child that is solved replaces its bound. Source: Aglin et al. 2020 (DL8.5).
        """
        any_tree, two = (self.items.of_children(number, each) for each in (node.any_tree, node.two))
        known = [self._by_similar(node, *each) for each in zip(parts, any_tree, strict=True)]
        least, sketches = [each.any_tree for each in known], list[Sketch]()
        for place, part in enumerate(parts):
            below = upper - sum(least[:place]) - sum(least[place + 1 :])
            if least[place] >= below:
                break
            answer = self.solve(part, node.depth - 1, below, self._by_node(node, part, known[place]), two[place])
            least[place] = max(least[place], answer.cost)
            if answer.cost >= below:
                # Where a child has too few cases and another no bound, the sum would be no number.
                return ([np.inf] if least[place] == np.inf else least), sketches
            sketches.append(answer.sketch)
        return least, sketches

    def _by_similar(self, node: DeepNode, part: RowSet, any_tree: float) -> Bounds:
        """The bounds of a child by similar rows, if these are higher than the one that is known."""
        known = Bounds(any_tree, no_bounds(self.items).deep)
        return self.similar[node.depth - 1].raised(part, known) if node.depth - 1 in self.similar else known

    def _by_node(self, node: DeepNode, part: RowSet, known: Bounds) -> Bounds:
        """The bounds of a child, raised by those of the node's own trees, if both have three levels.

        `three` bounds trees of depth three; a child of a node above depth four may have deeper and better ones.
        """
        if node.depth != _FOUR:
            return known
        return Bounds(known.any_tree, np.maximum(known.deep, part_of_rows(node.rows, node.three, part)))

    def _keep(self, rows: RowSet, depth: int, bounds: Bounds, depth_two: float) -> None:
        """Keep the bounds of rows for similar rows."""
        if similar_rows_help(self.items) and self._proves(depth):
            if depth not in self.similar:
                self.similar[depth] = no_similar_rows(self.items)
            self.similar[depth].add(rows, bounds, depth_two)

    def _ahead(self, node: DeepNode) -> ChildrenAhead:
        """Other threads count children of depth three, which most of the search examines."""
        n = n_ahead(self.items, self.threads) if node.depth == _FOUR else 0
        return ChildrenAhead(node.rows, self.threads, n, partial(self._needs_first, node))

    def _needs_first(self, node: DeepNode, number: int, parts: list[RowSet], upper: float) -> bool:
        """Whether the bounds known so far leave the first child of a split to be examined."""
        if self.cache.get(parts[0], node.depth - 1) is not None:
            return False
        first, *others = self.items.of_children(number, node.any_tree)
        below, known = upper - float(self.items.prices[number]) - sum(others), self._by_similar(node, parts[0], first)
        return known.any_tree < below and bool(self._by_node(node, parts[0], known).deep.min() < below)
