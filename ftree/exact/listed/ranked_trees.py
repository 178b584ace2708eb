"""The search for a best tree in passes, each of which follows more splits than the one before; look-ahead; all trees in order.

The last pass follows all splits. `Ranked` has the trees of some rows in the order of their costs, each made when it is asked for.
Its heap begins with a leaf and, for each split, the tree of the children's best trees: these have the ranks (0, 0) in the orders
of the children. With each tree that is taken from the heap, its successors go in:

    taken     go in
    (0, 0)    (1, 0) and (0, 1): the next tree of one child
    (0, 1)    (0, 2)
    (1, 0)    (2, 0) and (1, 1)

No successor costs less. A child's rank rises only while those of later children are 0, so each pair goes in once. Sources: Huang
& Chiang 2005, algorithm 3 (the k best derivations, lazily); Xin et al. 2022 (TreeFARMS, the set of all good trees).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from heapq import heapify, heappop, heappush
from math import isfinite
from typing import Any

import numpy as np
from attrs import define, field

from ftree._lib.machine import thread_pool
from ftree.exact.listed.branch_and_bound import BranchAndBound, Stopped
from ftree.exact.listed.items import items_of
from ftree.exact.listed.problem import Plan, Problem, tree_of
from ftree.exact.listed.row_set import RowSet, all_rows, released, rows_of_children
from ftree.exact.listed.solutions import Sketch, Solution, first_split, plan_of, with_plans
from ftree.exact.task import FoundTree

# The numbers of splits that a node follows in each search but the last. The first is three-step look-ahead.
_WIDTHS = 1, 4
_THREE = 3


def best_listed(problem: Problem, depth: int, upper: float, *, report: Callable[[str], Any] = str, **limits: Any) -> FoundTree:
    """The best tree up to a depth, if it costs less than `upper`, as trees cost; `limits` are those of `searching`."""
    with searching(problem, **limits) as (search, rows):
        search.best, search.report = Solution(problem.cost_here(upper), found=False), report
        with suppress(Stopped, KeyboardInterrupt):  # the results so far are kept
            for width in (*(_WIDTHS if depth > _THREE else ()), None):
                search.run(rows, depth, width)
    best = search.best
    tree = tree_of(problem, plan_of(rows, best.sketch)) if best.found else None
    return FoundTree(tree, problem.cost_of_tree(search.bound), search.bound >= best.cost, search.states)


def best_steps(problem: Problem, steps: int, depth: int, **limits: Any) -> Plan:
    """The plan of a tree each of whose splits is the first split of a best tree with that many levels; leaves at a limit."""
    with searching(problem, **limits) as (search, rows):
        return plan_of(rows, _steps(search, rows, steps, depth))


def _steps(search: BranchAndBound, rows: RowSet, steps: int, depth: int) -> Sketch:
    try:
        sketch = search.solve(rows, min(steps, depth), np.inf).sketch
    except Stopped:
        return None
    first = first_split(rows, sketch)
    if depth <= steps or first is None:
        return sketch
    with released(rows_of_children(rows, first[0])) as parts:
        return first[0], tuple(_steps(search, part, steps, depth - 1) for part in parts)


@contextmanager
def searching(problem: Problem, *, n_jobs: int | None = 1, **limits: Any) -> Iterator[tuple[BranchAndBound, RowSet]]:
    """A search among the candidates as bits, and all rows; `limits` are those of `BranchAndBound`."""
    items = items_of(problem)
    with thread_pool(n_jobs) as threads:
        yield BranchAndBound(items, threads=threads, **limits), all_rows(items)


def ranked_plans(problem: Problem, depth: int, **limits: Any) -> Iterator[tuple[float, float, Plan]]:
    """The cost, the least cost of all, and the plan of each tree, in the order of costs; they end at a limit."""
    with suppress(Stopped), searching(problem, **limits) as (search, rows):
        ranked = Ranked(search, rows, depth)
        place = 0
        while (found := ranked.get(place)) is not None:
            yield found[0], ranked.found[0][0], found[1]
            place += 1


# The cost of a tree; a number that orders trees of equal cost; its first split, or -1; and the ranks of its children's trees.
Entry = tuple[float, int, int, tuple[int, ...]]


@define(eq=False)
class Ranked:
    """The trees of rows up to a depth: those found so far, and the costs of the next candidates."""

    search: BranchAndBound
    rows: RowSet
    depth: int
    found: list[tuple[float, Plan]] = field(factory=list)
    heap: list[Entry] | None = None
    below: "dict[int, list[Ranked]]" = field(factory=dict)

    def get(self, place: int) -> tuple[float, Plan] | None:
        """The tree at a position in the order of costs, counted from 0; None if there are fewer trees."""
        if self.heap is None:
            self.heap = self._first()
        while len(self.found) <= place and self.heap:
            self._next(self.heap)
        return self.found[place] if place < len(self.found) else None

    def _first(self) -> list[Entry]:
        """A leaf, and for each split that divides the rows, the best tree that begins with it."""
        items = self.search.items
        heap: list[Entry] = [(float(items.leaf_costs(self.rows.total)), 0, -1, ())]
        for number in range(items.n_splits if self.depth else 0):
            parts = rows_of_children(self.rows, number)
            some = [part for part in parts if part.total.any()]
            if len(some) > 1:
                cost = sum(self.search.solve(part, self.depth - 1, np.inf).cost for part in some)
                if isfinite(cost):
                    heap.append((cost + float(items.prices[number]), number + 1, number, (0,) * len(parts)))
        heapify(heap)
        return heap

    def _next(self, heap: list[Entry]) -> None:
        """Take the cheapest tree from the heap, and add those that differ from it in one child."""
        cost, order, number, ranks = heappop(heap)
        if number < 0:
            self.found.append((cost, None))
            return
        if number not in self.below:
            parts = rows_of_children(self.rows, number)
            self.below[number] = [Ranked(self.search, part, self.depth - 1 if part.total.any() else 0) for part in parts]
        own = [child.get(rank) for child, rank in zip(self.below[number], ranks, strict=True)]
        self.found.append((cost, with_plans(self.search.items, number, tuple(each[1] for each in own if each is not None))))
        for child in range(len(ranks)):
            if any(ranks[child + 1 :]):  # reached from the tree with a lower rank of a later child
                continue
            more, this = self.below[number][child].get(ranks[child] + 1), own[child]
            if more is not None and this is not None:
                changed = (*ranks[:child], ranks[child] + 1, *ranks[child + 1 :])
                heappush(heap, (cost - this[0] + more[0], order, number, changed))
