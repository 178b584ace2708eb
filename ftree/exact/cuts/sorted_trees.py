"""What Python and `native/sorted_trees.c` agree on: the numbers of a search, the places of a plan, and room for its arrays.

The search of two levels may find this plan. Its nodes are a row each, a column and the highest rank on its left, -1 for a leaf;
then come those of the left side, and those of the right:

    plan                                    tree
    [[2, 7], [-1, 0], [0, 3]]               rank of column 2 <= 7?  left: a leaf  right: rank of column 0 <= 3?

A plan of d levels has 2^d - 1 rows, so that each side has a place of its own, as long as it may become. In an array, plans of all
lower depths come before it: the search keeps the best trees of a node's sides there.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ftree import native
from ftree._lib.arrays import Array
from ftree.exact.cuts.ranked_table import RankedTable
from ftree.exact.listed.items import packed

# Sets of rows that are kept for each depth, to bound similar ones.
_KEPT = 512
# Places beyond the end of a column, so that it divides into equal parts.
PAD = 16


def known_before(upper: float, max_states: float) -> Array:
    """What is known before a search for a tree that costs less than `upper`: one record, which the search keeps."""
    return np.array([native.record(native.TREES_KNOWN, cost=upper, most_states=max_states)], native.TREES_KNOWN)


def empty_plan(depth: int) -> Array:
    """An array for the plan of a depth and those of all lower depths; a leaf alone has a row too."""
    return np.full((plan_begin(depth + 1) + (depth == 0), 2), -1, np.int32)


def plan_begin(depth: int) -> int:
    """Where the plan of a depth begins.

    >>> [plan_begin(depth) for depth in range(1, 5)]
    [0, 1, 4, 11]
    """
    return int(2**depth - 1 - depth)


def first_cut(plan: Array, depth: int) -> tuple[int, int, Array, Array] | None:
    """The column of a plan's first cut, the highest rank on its left, and the plans of both sides; None for a leaf.

    >>> first_cut(np.array([[2, 7], [-1, 0], [0, 3]]), 2)
    (2, 7, array([[-1,  0]]), array([[0, 3]]))
    """
    column, rank = plan[0].tolist() if depth else (-1, 0)
    half = 2 ** (depth - 1)
    return None if column < 0 else (column, rank, plan[1:half], plan[half : 2 * half - 1])


def prepared_call(problem: RankedTable, depth: int, stop: Array, known: Array) -> Callable[[int, Array], int]:
    """The native search, of which `cuts` and the plan (P, 2) are left to give; it answers whether it found a tree."""
    rank, labels = problem.rank, problem.dataset.target_column.astype(np.int32)
    (f, n), k = rank.shape, len(problem.dataset.schema.classes)
    order = rank.argsort(axis=1, kind="stable").astype(np.int32)
    total = np.bincount(labels, problem.amounts, k).astype(np.int64)
    everything = packed(np.arange(64 * _words(n)) < n)
    table = {"rank": rank, "order": order, "label": labels, "weight": problem.amounts, "total": total, "set": everything}
    costs = {"prices": problem.prices, "unit": problem.unit, "penalty": problem.penalty}
    room = _room(f, n, k, max(depth - 1, 1))

    def call(cuts: int, plan: Array) -> int:
        plans = {"best": plan, "trial": np.empty_like(plan)}
        return native.call("sorted_tree", **table, **costs, depth=depth, cuts=cuts, stop=stop, known=known, **plans, **room)

    return call


def _words(n: int) -> int:
    """Words of 64 bits for n rows."""
    return -(-n // 64)


def _room(f: int, n: int, k: int, levels: int) -> dict[str, Array]:
    """Room for a search in f columns, n rows and k classes, by the names in its signature; see `native/sorted_trees.c`."""
    arrays: dict[str, tuple[Any, tuple[int, ...]]] = {
        "lanes": (np.int32, (levels, f, n)),
        "at": (np.int32, (levels, f, n)),
        "place": (np.int32, (n,)),
        "spread": (np.int32, (3, f, n + PAD)),
        "bounds": (np.float64, (levels, f, 3, n)),
        "least": (np.float64, (levels, f)),
        "first": (np.float64, (f,)),
        "by_column": (np.float64, (levels, 2, f)),
        "n_cuts": (np.int64, (levels, f)),
        "totals": (np.int64, (levels, 2, k)),
        "seen": (np.int64, (4, k)),
        "sets": (np.uint64, (levels, 2, _words(n))),
        "kept_sets": (np.uint64, (levels, _KEPT, _words(n))),
        "kept": (np.float64, (levels, _KEPT, 1 + k + f)),
        "n_kept": (np.int64, (levels,)),
    }
    return {name: np.empty(shape, kind) for name, (kind, shape) in arrays.items()}
