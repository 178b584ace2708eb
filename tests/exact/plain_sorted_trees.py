"""The search of `native/sorted_trees.c` in plain Python, step by step: what C is held equal to. It is for tables of few rows.

A tree is a column, the highest rank on the left, and the trees of both sides; None is a leaf.
"""

from collections import deque

import numpy as np
from attrs import define, field

_KEPT = 512


@define
class Cuts:
    """The cuts of a column at a node: the highest rank on the left, the weight of the left rows, and bounds on both sides."""

    ranks: np.ndarray
    before: np.ndarray
    sides: np.ndarray
    price: float

    @property
    def costs(self):
        return self.sides.sum(axis=0) + self.price

    @property
    def least(self):
        return self.costs.min(initial=np.inf)

    def middle(self):
        """The middle cut of the first run of those with the least bound, and half of what the run weighs."""
        cheap = self.costs <= self.least
        first = int(cheap.argmax())
        last = first + int(np.append(cheap[first:], False).argmin()) - 1
        return (first + last) // 2, (self.before[last] - self.before[first]) / 2

    def raise_bounds(self, cut, costs):
        """More rows cost no less, and fewer rows save at most their weight."""
        moved = self.before - self.before[cut]
        less = np.stack([np.maximum(-moved, 0), np.maximum(moved, 0)])
        self.sides = np.maximum(self.sides, np.array(costs)[:, None] - less)


@define
class PlainSearch:
    """A search of `depth` levels: the least `cost` so far, the `bound` on all trees, and the states."""

    table: object
    depth: int
    cost: float
    restrict: int = 0
    most_states: float = np.inf
    bound: float = 0.0
    states: int = 0
    kept: dict = field(factory=dict)

    def run(self):
        """The best tree that costs less than `cost`, if any; whether there is one, and whether the search ended by itself."""
        cost, found, tree = self.solve(np.arange(self.table.rank.shape[1]), self.depth, self.cost, np.zeros(len(self.table.rank)))
        self.cost = cost if found else self.cost
        if not self.stopped and not self.restrict:
            self.bound = min(self.cost, cost)
        return tree, found, not self.stopped

    @property
    def stopped(self):
        return self.states > self.most_states

    def solve(self, rows, depth, upper, by_column):
        """The cost of the best tree, whether it is below `upper`, and the tree; otherwise a lower bound on all trees."""
        leaf = self.leaf(rows)
        self.states += 1
        if not depth or leaf <= 2 * self.table.penalty:
            return leaf, leaf < upper, None
        if depth == 1:
            cost, tree = self.best_cut(rows)
            return cost, cost < upper, tree
        cost, tree = (self.two_levels if depth == 2 else self.more_levels)(rows, depth, min(leaf, upper), by_column)
        if tree is not None:
            return cost, True, tree
        return (leaf, True, None) if leaf < upper else (min(leaf, cost), False, None)

    def two_levels(self, rows, _, upper, by_column):
        best = None
        for column in range(len(by_column)):
            if by_column[column] < upper:
                cuts = self.cuts_of(rows, column)
                while cuts.least < upper and not self.stopped:
                    cut, _ = cuts.middle()
                    sides = [self.best_cut(side) for side in self.divided(rows, column, cuts.ranks[cut])]
                    costs = [cost for cost, _ in sides]
                    if sum(costs) + cuts.price < upper:
                        upper, best = sum(costs) + cuts.price, (column, cuts.ranks[cut], *(tree for _, tree in sides))
                    cuts.raise_bounds(cut, costs)
                by_column[column] = max(by_column[column], cuts.least)
        return (min(by_column) if best is None else upper), best

    def more_levels(self, rows, depth, upper, by_column):
        best, cuts = None, [self.cuts_of(rows, column) for column in range(len(by_column))]
        while (bounds := np.maximum([each.least for each in cuts], by_column)).min() < upper:
            column = int(bounds.argmin())
            if depth == self.depth and not self.restrict:
                self.bound = bounds.min()
            cut, half = cuts[column].middle()
            sides = self.divided(rows, column, cuts[column].ranks[cut])
            similar = [self.bound_by_similar(side, depth - 1) for side in sides]
            costs = [max(known, bound) for known, (bound, _) in zip(cuts[column].sides[:, cut], similar, strict=True)]
            if sum(costs) + cuts[column].price < upper:
                trees = self.solve_sides(sides, depth, costs, [each for _, each in similar], upper - cuts[column].price, half)
                if trees is not None:
                    upper, best = sum(costs) + cuts[column].price, (column, cuts[column].ranks[cut], *trees)
                    if depth == self.depth:
                        self.cost = upper
                if self.stopped:
                    break
            cuts[column].raise_bounds(cut, costs)
        np.maximum(by_column, [each.least for each in cuts], out=by_column)
        return (bounds.min() if best is None else upper), best

    def solve_sides(self, sides, depth, costs, by_column, upper, half):
        """The trees of both sides, the heavier one first, if they cost less than `upper` together; `costs` become theirs."""
        weights, trees = [self.table.amounts[side].sum() for side in sides], [None, None]
        for side in (1, 0) if weights[1] > weights[0] else (0, 1):
            needed = upper - costs[1 - side]
            if costs[side] >= needed:
                return None
            cost, _, trees[side] = self.solve(sides[side], depth - 1, needed + half, by_column[side])
            if self.stopped:
                return None
            costs[side] = max(costs[side], cost)
            kept = np.where(by_column[side] < np.inf, by_column[side], costs[side])
            self.kept.setdefault(depth - 1, deque(maxlen=_KEPT)).append((sides[side], costs[side], kept))
            if costs[side] >= needed:
                return None
        return trees

    def bound_by_similar(self, rows, depth):
        """A lower bound on the cost of rows, by rows that were solved, and such bounds by the column of the first cut."""
        best, by_column = 0.0, np.zeros(len(self.table.rank))
        for other, cost, columns in self.kept.get(depth, ()):
            more = np.maximum(self.classes(other) - self.classes(rows), 0).sum() * self.table.unit
            if cost - more > best:
                less = self.table.amounts[np.setdiff1d(other, rows)].sum() * self.table.unit
                best = max(best, cost - less)
                if not self.table.prices.any():
                    by_column = np.maximum(by_column, columns - less - self.table.penalty * 2 ** (depth - 1))
        return best, by_column

    def cuts_of(self, rows, column):
        """All cuts of a column, or those at some equal shares of the rows."""
        ranks, place = np.unique(self.table.rank[column, rows], return_inverse=True)
        before = np.cumsum(np.bincount(place, self.table.amounts[rows]))
        chosen = []
        for cut in range(len(ranks) - 1):
            if not self.restrict or before[cut] * (self.restrict + 1) >= (len(chosen) + 1) * before[-1]:
                chosen.append(cut)
        chosen = np.array(chosen, int)
        sides = np.full((2, len(chosen)), self.table.penalty)
        return Cuts(ranks[chosen], before[chosen] * self.table.unit, sides, self.table.prices[column])

    def best_cut(self, rows):
        """The least cost of a leaf or of one cut, and the first tree with this cost."""
        best = self.leaf(rows), None
        for column, price in enumerate(self.table.prices):
            for rank in np.unique(self.table.rank[column, rows])[:-1]:
                cost = price + sum(map(self.leaf, self.divided(rows, column, rank)))
                best = (cost, (column, rank, None, None)) if cost < best[0] else best
        return best

    def divided(self, rows, column, rank):
        is_left = self.table.rank[column, rows] <= rank
        return rows[is_left], rows[~is_left]

    def classes(self, rows):
        labels = self.table.dataset.target_column
        return np.bincount(labels[rows], self.table.amounts[rows], len(self.table.dataset.schema.classes))

    def leaf(self, rows):
        counts = self.classes(rows)
        return (counts.sum() - counts.max()) * self.table.unit + self.table.penalty
