"""What Python and `native/sorted_trees.c` agree on: the numbers of a search and the places of a plan.

The search of two levels may find this plan. Its nodes are a row each, a column and the highest rank on its left, -1 for a leaf;
then come those of the left side, and those of the right:

    plan                                    tree
    [[2, 7], [-1, 0], [0, 3]]               rank of column 2 <= 7?  left: a leaf  right: rank of column 0 <= 3?

A plan of d levels has 2^d - 1 rows, so that each side has a place of its own, as long as it may become. In an array, plans of all
lower depths come before it: the search keeps the best trees of a node's sides there.
"""

from collections.abc import Callable

import numpy as np

from ftree import native
from ftree._lib.arrays import Array
from ftree.exact.cuts.ranked_table import RankedTable
from ftree.exact.listed.items import packed


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
    everything = packed(np.arange(-(-n // 64) * 64) < n)  # whole words of 64 bits
    table = {"rank": rank, "order": order, "label": labels, "weight": problem.amounts, "total": total, "set": everything}
    costs = {"prices": problem.prices, "unit": problem.unit, "penalty": problem.penalty}
    limits = {"depth": depth, "stop": stop, "known": known}
    memory = np.empty(native.call("sorted_tree_words", f, n, k, depth), np.uint64)

    def call(cuts: int, plan: Array) -> int:
        return native.call("sorted_tree", **table, **costs, **limits, cuts=cuts, best=plan, memory=memory)

    return call
