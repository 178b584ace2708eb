"""All trees of a node in the order of their costs, each found on demand.

Source: Huang & Chiang 2005, algorithm 3 (the k best derivations, lazily); the set of all good trees: Xin et al. 2022 (TreeFARMS).
"""

from heapq import heapify, heappop, heappush
from math import isfinite

import numpy as np
from attrs import define, field

from ftree.exact.children import children
from ftree.exact.plain import Plan
from ftree.exact.row_set import RowSet
from ftree.exact.search import Search, with_plans
from ftree.exact.shallow import leaf_costs

# The cost of a tree; a number that orders trees of equal cost; its first split, or -1; and the ranks of its children's trees.
Entry = tuple[float, int, int, tuple[int, ...]]


@define(eq=False)
class Ranked:
    """The trees of rows up to a depth: those found so far, and the costs of the next candidates."""

    search: Search
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
        heap: list[Entry] = [(float(leaf_costs(items, self.rows.total)), 0, -1, ())]
        for number in range(len(items.splits) if self.depth else 0):
            parts = [part for part in children(self.rows, number) if part.total.any()]
            if len(parts) > 1:
                cost = sum(self.search.solve(part, self.depth - 1, np.inf)[0] for part in parts)
                if isfinite(cost):
                    heap.append((cost + float(items.prices[number]), number + 1, number, (0,) * len(children(self.rows, number))))
        heapify(heap)
        return heap

    def _next(self, heap: list[Entry]) -> None:
        """Take the cheapest tree from the heap, and add those that differ from it in one child."""
        cost, order, number, ranks = heappop(heap)
        if number < 0:
            self.found.append((cost, None))
            return
        if number not in self.below:
            parts = children(self.rows, number)
            self.below[number] = [Ranked(self.search, part, self.depth - 1 if part.total.any() else 0) for part in parts]
        own = [child.get(rank) for child, rank in zip(self.below[number], ranks, strict=True)]
        plans = tuple(each[1] for each in own if each is not None)
        self.found.append((cost, with_plans(self.search.items, number, plans)))
        for child in range(len(ranks)):
            if any(ranks[child + 1 :]):  # reached from the tree with a lower rank of a later child
                continue
            more, this = self.below[number][child].get(ranks[child] + 1), own[child]
            if more is not None and this is not None:
                changed = (*ranks[:child], ranks[child] + 1, *ranks[child + 1 :])
                heappush(heap, (cost - this[0] + more[0], order, number, changed))
