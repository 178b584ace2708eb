"""Lower bounds on what trees cost: a function for each lemma that makes a bound right.

S and T are rows, w(S) is what errors in all of S cost, p is the penalty of a leaf with cases, and V(S, d) is the least cost of
trees of S with at most d levels of splits. A tree is *deep* if each split divides its rows and it has at least four leaves.
Removing a split that does not divide its rows never raises the cost, and a tree without such splits of more than two levels has
four leaves. So V(S, d) is the least cost of a deep tree, or V(S, 2), which counts of pairs give at once (`shallow_trees.py`).

| lemma | in a sentence |
|---|---|
| `equivalent_points` | Rows that no split separates share a leaf, so all but their heaviest class are errors of every tree. |
| `four_leaves` | A deep tree costs at least its equivalent points and 4 p. |
| `shallow_or_four_leaves` | V(S, d) is at least the lesser of V(S, 2) and of the bound for four leaves. |
| `part_of_rows` | A deep tree of a part S of T costs at least what it costs for T, less w(T outside S). |
| `SimilarRows` | V(S, d) is at least V(T, d) - w(T outside S), whatever rows S has besides. |

A new lemma is a function here, its use in `branch_and_bound.py` where the others are used, and a property in
`tests/exact/test_lower_bounds.py` that no tree costs less. Arrays are (C,) by the first split of a tree, or (M, 2) by item: for
the rows with it, and for those without it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from attrs import define

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree.exact.listed.items import Items, bits_as_numbers
from ftree.exact.listed.row_set import RowSet

_TWO, _FOUR = 2, 4
# The number of row sets kept for each depth: the last ones, since neighbours in the search are the most similar.
_KEPT = 1024


class Bounds(NamedTuple):
    """What trees of some rows cost at least, up to some depth.

    - `any_tree`: every tree.
    - `deep` (C,): a tree that begins with each split, also one that does not divide these rows. With a penalty, such a tree may
      have fewer levels here, so the bound is lowered to V(S, 2).
    """

    any_tree: float
    deep: Floats


def no_bounds(items: Items) -> Bounds:
    """What is known of rows before anything is."""
    return Bounds(-np.inf, np.full(items.n_splits, -np.inf))


def equivalent_points(rows: RowSet) -> Floats:
    """Bounds (M, 2) on all trees, without penalties.

    Rows that no split separates share a leaf in every tree. The leaf has one label, so of such a group at least all but the
    heaviest class are errors. These rows are the same in every tree, so a tree of S costs at least what those of them in S
    weigh. Objectives that count no errors cost at least 0 if they say so by `least`; of others nothing is known.

    Source: Angelino et al. 2018; Lin et al. 2020 (GOSDT).
    """
    items = rows.items
    if not items.counts_errors:
        return np.full((items.n, _TWO), 0.0 if getattr(items.problem.objective, "least", -1) >= 0 else -np.inf)
    own, total = rows.always_wrong
    return np.stack([own, total - own], axis=1)


def four_leaves(rows: RowSet) -> Floats:
    """Bounds (C,) on deep trees; -inf without a penalty, where they are seldom useful.

    Each row that is always wrong is wrong in its leaf, and each of the four leaves costs p. If the first split has several
    children, each of them is a leaf, or has two leaves or more, and costs at least its rows that are always wrong + 2 p; the
    greater bound counts.
    """
    items, penalty, n = rows.items, rows.items.problem.penalty, rows.items.n_binary
    if not penalty:
        return no_bounds(items).deep
    wrong = equivalent_points(rows)
    bound: Floats = wrong[0].sum() + _FOUR * penalty + items.prices
    if n < items.n:
        children = np.minimum(items.leaf_costs(rows.counts().T), wrong[:, 0] + _TWO * penalty)
        bound[n:] = np.maximum(bound[n:], np.add.reduceat(children, items.wide[:-1]) + items.prices[n:])
    return bound


def shallow_or_four_leaves(rows: RowSet, depth_two: Floats) -> Floats:
    """Bounds (M, 2) on all trees of the sides of items, given V(side, 2): a tree is that shallow, or has four leaves."""
    return np.minimum(depth_two, equivalent_points(rows) + _FOUR * rows.items.problem.penalty)


def part_of_rows(rows: RowSet, deep: Floats, part: RowSet) -> Floats:
    """Bounds (C,) on deep trees of a part of the rows, given those for all rows.

    If S is a part of T, apply the best deep tree of S with a given first split to T: it errs in at most the rows of T outside S
    besides. Each leaf keeps its rows of S, so it is as large as leaves must be. But a child of several that had no case may get
    one, and then cost p, or have too few cases. Then, and if leaves do not cost errors, nothing is known.

    Source: Demirović et al. 2022 (MurTree).
    """
    items, problem = rows.items, rows.items.problem
    if not items.counts_errors or (items.has_wide and (problem.penalty or problem.limits_leaves)):
        return no_bounds(items).deep
    bounds: Floats = deep - float(items.cost_weights @ (rows.total - part.total))
    return bounds


def similar_rows_help(items: Items) -> bool:
    """Whether the lemma of `SimilarRows` holds for a problem."""
    problem = items.problem
    return items.counts_errors and not problem.limits_leaves and not (items.has_wide and problem.penalty)


@define(eq=False)
class SimilarRows:
    """The last row sets (N, W) of one depth with their class counts (N, K) and bounds; `n` have been added so far.

    V(S, d) >= V(T, d) - w(T outside S), if S has a case: apply the best tree of S, without splits that do not divide its rows, to
    T. It errs in at most the rows of T outside S besides, and has the same leaves. It holds for errors, if leaves may be of any
    size, since a leaf may have fewer rows in T; and if splits of several children go with no penalty, since an empty child may
    get rows, and cost p (`similar_rows_help`).

    The same holds among trees with a given first split. But with a penalty, a leaf of a deep tree may have no row in T. The tree
    may then be one of two levels there, which costs V(T, 2) or more: so bounds by first split are lowered to V(T, 2).

    `any_tree` (N,) and `deep` (N, C) are the bounds of the sets. `most_of_others` of the native library finds the highest bound,
    or NumPy does. Source: Demirović et al. 2022 (MurTree).
    """

    masks: Array
    totals: Floats
    any_tree: Floats
    deep: Floats
    most_of_others: Callable[..., int] | None
    n: int = 0

    def add(self, rows: RowSet, bounds: Bounds, depth_two: float) -> None:
        """Keep the bounds of a row set T, of which V(T, 2) is given; beyond the limit, it replaces the oldest one."""
        place = self.n % _KEPT
        self.masks[place], self.totals[place], self.any_tree[place] = rows.mask, rows.total, bounds.any_tree
        self.deep[place] = np.minimum(bounds.deep, depth_two) if rows.items.problem.penalty else bounds.deep
        self.n += 1

    def raised(self, rows: RowSet, known: Bounds) -> Bounds:
        """The bounds by the set that gives the highest one on the rows' trees; those that are known, if none is higher."""
        n, best = min(self.n, _KEPT), np.array([known.any_tree])
        if self.most_of_others is None:
            place = self._most_by_numpy(rows, n, best)
        else:
            place = self.most_of_others(n, rows.mask, rows.total.astype(np.float64), best)
        any_tree = float(best[0])
        return Bounds(any_tree, self.deep[place] - (self.any_tree[place] - any_tree)) if place >= 0 else known

    def _most_by_numpy(self, rows: RowSet, n: int, best: Floats) -> int:
        """`most_of_others`: the row set with the highest bound above `best`, which becomes that bound, or -1."""
        items, segment = rows.items, np.diff(rows.items.starts)
        fewer = np.maximum(self.totals[:n] - rows.total, 0) @ items.cost_weights
        places = np.flatnonzero(self.any_tree[:n] - fewer > best)
        outside = bits_as_numbers((self.masks[places] & ~rows.mask).T).reshape(len(rows.mask), 64, len(places)).sum(axis=1)
        bounds = np.append(self.any_tree[places] - np.repeat(items.row_weights, segment) @ outside, -np.inf)
        first = int(bounds.argmax())
        if bounds[first] <= best:
            return -1
        best[0] = bounds[first]
        return int(places[first])


def no_similar_rows(items: Items) -> SimilarRows:
    """No row sets yet."""
    masks, totals = np.empty((_KEPT, len(items.bits)), np.uint64), np.zeros((_KEPT, items.problem.n_classes))
    any_tree, terms = np.empty(_KEPT), (items.row_weights, items.starts, items.cost_weights)
    find = native.prepared("most_of_others", masks, totals, any_tree, *terms) if items.is_native else None
    return SimilarRows(masks, totals, any_tree, np.empty((_KEPT, items.n_splits)), find)
