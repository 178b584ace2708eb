"""All trees in the order of their costs, each made when it is asked for.

`Ranked` has the trees of some rows. Its heap begins with a leaf and, for each split, the tree of the children's best trees: these
have the ranks (0, 0) in the orders of the children. With each tree that is taken from the heap, its successors go in:

    taken     go in
    (0, 0)    (1, 0) and (0, 1): the next tree of one child
    (0, 1)    (0, 2)
    (1, 0)    (2, 0) and (1, 1)

No successor costs less. A child's rank rises only while those of later children are 0, so each pair goes in once. Sources: Huang
& Chiang 2005, algorithm 3 (the k best derivations, lazily); Xin et al. 2022 (TreeFARMS, the set of all good trees).
"""

from collections.abc import Iterator
from contextlib import suppress
from heapq import heapify, heappop, heappush
from math import isfinite
from typing import Any

import numpy as np
from attrs import define, field

from ftree.exact.listed.best_tree import searching
from ftree.exact.listed.branch_and_bound import BranchAndBound, Stopped
from ftree.exact.listed.problem import Plan, Problem
from ftree.exact.listed.row_set import RowSet, rows_of_children
from ftree.exact.listed.solutions import with_plans


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
