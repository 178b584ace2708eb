"""The least costs of trees of depth one, two and three, from counts: by the native library, or by NumPy.

| what is searched | depth two | depth three |
|---|---|---|
| errors of two classes: `Items.short_counts` | `two_classes.c` | by triples, all first splits at once: `two_by_item` |
| leaves with an `Items.formula` | `depth_two.c` | by triples: `depth_three` in C |
| any other objective, or no library | `plain_depth_two` | by the pairs of each first split: `_divided_in_two` |

The last way serves all where counts of triples have no room, or few first splits remain. NumPy is the library's specification.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree.exact.listed.items import Items
from ftree.exact.listed.row_set import RowSet

# Pairs are counted for one item after another if at most one in this many remains.
_FEW = 6
# A call of the library looks at this many counts of pairs at most, since an interruption waits for it: hundredths of a second.
_MOST_CELLS = 2e6


def best_depth_one(rows: RowSet) -> tuple[float, int]:
    """The least cost of a split into leaves, and its number."""
    counts = rows.counts().T
    costs = rows.items.by_split(np.stack([rows.items.leaf_costs(counts), rows.items.leaf_costs(rows.total - counts)], axis=1))
    all_costs = np.append(rows.items.leaf_costs(rows.total), costs)
    return float(all_costs.min()), int(all_costs.argmin()) - 1


def best_depth_two(rows: RowSet) -> tuple[float, int]:
    """The least cost of a tree of depth two, and the number of its first split, or -1 for a leaf."""
    items, pairs = rows.items, rows.pairs()
    if items.terms is None:
        return plain_depth_two(items, pairs, rows.total)
    cost, own = np.empty(1), (pairs, rows.total)
    if items.short_counts:
        chosen = native.call("two_classes", *own, items.problem.penalty, np.empty((4, items.n), items.dtype), cost)
    else:
        chosen = native.call("depth_two", *own, *items.terms, *_room(items), cost)
    return float(cost[0]), chosen


def _room(items: Items) -> tuple[Floats, ...]:
    """Room for the counts of items, for the costs of both their sides, and for the counts of up to four leaves."""
    n_classes = items.problem.n_classes
    return np.empty((n_classes, items.n)), np.empty((2, items.n)), np.empty((4, n_classes))


class ThreeLevels(NamedTuple):
    """The least cost of a tree of depth three and the number of its first split; where none costs less, a lower bound and -1.

    `two` (M, 2) are the least costs at depth two of the rows with each item and of those without it, -inf where not examined.
    """

    cost: float
    number: int
    two: Floats


def best_depth_three(rows: RowSet, order: Array, bound: Floats, upper: float, in_time: Callable[[], Any] = int) -> ThreeLevels:
    """The best tree of depth three, if it costs less than `upper`.

    First splits are examined in `order`; those whose lower `bound` (C,) is not below the best cost are skipped. `in_time` is
    called before each split that takes long.
    """
    items, two = rows.items, np.full((rows.items.n, 2), -np.inf)
    few = int((bound < upper).sum()) * _FEW < items.n
    if items.counts_triples and not few:
        if items.short_counts:
            return _of_two_classes(rows, order, upper, two)
        if items.terms is not None:
            return _counted_three(rows, order, bound, upper, two)
    best, chosen, least = upper, -1, np.inf
    for number in order.tolist():
        cost = float(bound[number])
        if cost < best:
            in_time()
            cost = _divided_in_two(rows, number, two)
            best, chosen = (cost, number) if cost < best else (best, chosen)
        least = min(least, cost)
    return ThreeLevels(least if chosen < 0 else best, chosen, two)


def _of_two_classes(rows: RowSet, order: Array, upper: float, two: Floats) -> ThreeLevels:
    """Depth three by all first splits, whatever their bounds."""
    if rows.items.is_native:
        two[:] = rows.two_by_item()
    else:
        for number in order.tolist():
            _divided_in_two(rows, number, two)
    costs = two.sum(axis=1)[order]
    place = int(costs.argmin())
    return ThreeLevels(float(costs[place]), int(order[place]) if costs[place] < upper else -1, two)


def _counted_three(rows: RowSet, order: Array, bound: Floats, upper: float, two: Floats) -> ThreeLevels:
    """Depth three by the counts of triples."""
    counts, terms = (rows.triples(), rows.pairs(), rows.total), cast("Any", rows.items.terms)
    room = *_room(rows.items), np.empty_like(counts[1]), np.empty_like(counts[1]), np.empty((2, len(rows.total)))
    best, chosen, least = upper, -1, np.inf
    step = max(1, int(_MOST_CELLS / (counts[1].size + 1)))
    for some in (order[first : first + step] for first in range(0, len(order), step)):
        cost = np.array([best])
        number = native.call("depth_three", *counts, some, bound, two, *terms, *room, cost)
        best, chosen, least = (float(cost[0]), number, least) if number >= 0 else (best, chosen, min(least, float(cost[0])))
    return ThreeLevels(least if chosen < 0 else best, chosen, two)


def _divided_in_two(rows: RowSet, number: int, two: Floats) -> float:
    """The cost of a split whose children are trees of depth two."""
    items = rows.items
    parts = [(item, rows.part(item)) for item in items.items_of_split(number)]
    for item, part in parts:
        sides = [part, rows.others(part)] if number < items.n_binary else [part]
        two[item, : len(sides)] = [best_depth_two(side)[0] for side in sides]
    return float(items.prices[number] + sum(two[item, : 1 + (number < items.n_binary)].sum() for item, _ in parts))


def plain_depth_two(items: Items, pairs: Array, total: Array) -> tuple[float, int]:
    """The least cost of a tree of depth two, and the number of its first split, or -1 for a leaf; for any objective."""
    with_item, without = _one_split(items, pairs, total)
    binary = with_item[: items.n_binary] + without + items.prices[: items.n_binary]
    items_of_wide = [list(items.items_of_split(number)) for number in range(items.n_binary, items.n_splits)]
    several = [with_item[own].sum() for own in items_of_wide] + items.prices[items.n_binary :]
    costs = np.array([float(items.leaf_costs(total)), *binary, *several])
    costs[1:][~_divides(items, np.diagonal(pairs, axis1=1, axis2=2).T, total)] = np.inf
    return float(costs.min()), int(costs.argmin()) - 1


def _divides(items: Items, counts: Array, total: Array) -> Array:
    """Whether each candidate split (C,) divides rows, given the counts (M, K) of those with each item."""
    some, all_of_them = counts.any(axis=1), (counts == total).all(axis=1)
    n = items.n_binary
    several = [not all_of_them[list(items.items_of_split(number))].any() for number in range(n, items.n_splits)]
    return np.array([*(some & ~all_of_them)[:n], *several], dtype=bool)


def _one_split(items: Items, pairs: Array, total: Array) -> tuple[Floats, Floats]:
    """The least costs of trees of depth one of the rows with each item (M,), and of the rows without it (n_binary,)."""
    n = items.n_binary
    both = np.maximum(pairs, pairs.transpose(0, 2, 1)).transpose(1, 2, 0)
    own = np.diagonal(both, axis1=0, axis2=1).T
    only_i, only_j = own[:, None] - both, own[None, :] - both
    none = total - own[:, None] - only_j
    costs = [items.leaf_costs(cells) for cells in (both, only_i, only_j, none)]
    inside, outside = costs[0] + costs[1], costs[2] + costs[3]
    low = [items.leaf_costs(own), *(inside[:, :n] + items.prices[:n]).T]
    high = [items.leaf_costs(total - own), *(outside[:, :n] + items.prices[:n]).T]
    for number in range(n, items.n_splits):
        columns = list(items.items_of_split(number))
        low.append(costs[0][:, columns].sum(axis=1) + items.prices[number])
        high.append(costs[2][:, columns].sum(axis=1) + items.prices[number])
    return np.min(low, axis=0), np.min(high, axis=0)[:n]
