"""Lower bounds on what trees cost: one function for each lemma that makes a bound right.

S and T are rows, w(S) is what they weigh in errors, and V(S, d) is the least cost of trees of S with at most d levels of
splits. A leaf with cases costs a penalty p besides its objective.

A tree is *proper* if each split divides its rows. Removing a split that does not divide its rows never raises the cost, so some
tree of least cost is proper. A proper tree of more than two levels has at least four leaves with cases. Bounds on "trees of four
leaves" hold for proper trees with at least four such leaves. Any other tree costs at least as much as one of these, or as a tree
of up to two levels, whose least cost the search knows already.

In an array (M, 2), an item has a bound for the rows with it, and one for those without it.
"""

from collections.abc import Callable

import numpy as np
from attrs import define

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree.exact.listed.items import Items, bits_as_numbers
from ftree.exact.listed.row_set import RowSet
from ftree.exact.listed.shallow_trees import leaf_costs

_TWO, _FOUR = 2, 4
# The number of row sets kept for each depth: the last ones, since neighbours in the search are the most similar.
_KEPT = 1024


def always_wrong(rows: RowSet) -> Floats:
    """Bounds (M, 2) on all trees, without penalties, by equivalent points.

    Rows that no split separates share a leaf in every tree. The leaf has one label, so of such a group at least all but the
    heaviest class are errors. These rows are the same in every tree, so a tree of S costs at least what those of them in S
    weigh. Objectives that count no errors cost at least 0 if they say so by `least`; of others nothing is known.

    Source: Angelino et al. 2018; Lin et al. 2020 (GOSDT).
    """
    items = rows.items
    if items.weights is None:
        return np.full((items.n, _TWO), 0.0 if getattr(items.problem.objective, "least", -1) >= 0 else -np.inf)
    own, total = rows.always_wrong
    return np.stack([own, total - own], axis=1)


def four_leaves(rows: RowSet) -> Floats:
    """Bounds (C,) on trees of four leaves that begin with each split; -inf without a penalty, where they are seldom useful.

    Each row that is always wrong is wrong in its leaf, and each of the four leaves costs p. If the first split has several
    children, each of them is a leaf, or has two leaves or more, and costs at least its rows that are always wrong + 2 p; the
    greater bound counts.
    """
    items, penalty, n = rows.items, rows.items.problem.penalty, rows.items.n_binary
    if not penalty:
        return np.full(items.n_splits, -np.inf)
    wrong = always_wrong(rows)
    bound: Floats = wrong[0].sum() + _FOUR * penalty + items.prices
    if n < items.n:
        children = np.minimum(leaf_costs(items, rows.counts().T), wrong[:, 0] + _TWO * penalty)
        bound[n:] = np.maximum(bound[n:], np.add.reduceat(children, items.wide[:-1]) + items.prices[n:])
    return bound


def of_sides(rows: RowSet, depth_two: Floats) -> Floats:
    """Bounds (M, 2) on all trees of the sides of items, given V(side, 2): a tree is that shallow, or has four leaves."""
    return np.minimum(depth_two, always_wrong(rows) + _FOUR * rows.items.problem.penalty)


def weight_outside(rows: RowSet, part: RowSet) -> float:
    """The most by which a tree of four leaves with a given first split can cost less for a part: the weight of the other rows.

    If S is a part of T, apply the best such tree of S to T: it errs in at most the rows of T outside S besides. No leaf gets
    smaller, so leaves may have a least size. But a child of several that had no case may get one, and then cost p, or have too
    few cases.

    Source: Demirović et al. 2022 (MurTree).
    """
    items, problem = rows.items, rows.items.problem
    if items.weights is None or (len(items.wide) > 1 and (problem.penalty or problem.limits_leaves)):
        return np.inf
    return float(items.cost_weights @ (rows.total - part.total))


@define(eq=False)
class Archive:
    """Bounds by similar rows: the last row sets (N, W) of one depth with their class counts (N, K); `n` have been added so far.

    V(S, d) >= V(T, d) - w(T outside S), if S has a case: apply the best proper tree of S to T. It errs in at most the rows of T
    outside S besides, and has the same leaves. It holds for errors, if leaves may be of any size, since a leaf may have fewer
    rows in T; and if splits of several children go with no penalty, since an empty child may get rows, and cost p
    (`Items.bounds_similar`).

    The same holds among trees of four leaves with a given first split. But with a penalty, a leaf may have no row in T; the
    tree is then a shallow one there, so a bound by first split is at most V(T, 2).

    `least` (N,) are lower bounds on what trees of the sets cost, and `by_split` (N, C) those by first splits. `most_of_others`
    of the native library finds the highest bound, or NumPy does. Source: Demirović et al. 2022 (MurTree).
    """

    masks: Array
    totals: Floats
    least: Floats
    by_split: Floats
    most_of_others: Callable[..., int] | None
    n: int = 0

    def add(self, rows: RowSet, least: float, by_split: Floats, shallow: float) -> None:
        """Add a row set, of which `shallow` is V(T, 2); beyond the limit, it replaces the oldest one."""
        place = self.n % _KEPT
        self.masks[place], self.totals[place], self.least[place] = rows.mask, rows.total, least
        self.by_split[place] = np.minimum(by_split, shallow) if rows.items.problem.penalty else by_split
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
    return Archive(masks, totals, least, np.empty((_KEPT, items.n_splits)), find)
