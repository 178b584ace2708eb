"""The search among all cuts of columns of any number of values, where leaves cost errors.

`native/sorted_trees.c` searches in a thread of its own, so that a stop by time or by Ctrl-C is heard at once.
Source: Briţa, van der Linden & Demirović 2025 (ConTree).

The search of two levels may find this plan. Its nodes are a row each, a column and the highest rank on its left, -1 for a leaf;
then come those of the left side, and those of the right:

    plan                                    tree
    [[2, 7], [-1, 0], [0, 3]]               rank of column 2 <= 7?  left: a leaf  right: rank of column 0 <= 3?

A plan of d levels has 2^d - 1 rows, so that each side has a place of its own, as long as it may become. In an array, plans of all
lower depths come before it: the search keeps the best trees of a node's sides there.
"""

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from time import perf_counter
from typing import Any

import numpy as np
from attrs import evolve

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree._lib.machine import thread_pool
from ftree.exact.cuts.ranked_table import RankedTable
from ftree.exact.listed.items import packed
from ftree.exact.objectives import ERRORS
from ftree.exact.rounding import BITS, of_bits, rounds_little
from ftree.exact.task import FoundTree, problem_counts
from ftree.tree.nodes import Branch, Leaf, Node, Tree, new_tree
from ftree.tree.response import whole_numbers
from ftree.tree.splits.split import child_of

_TWO = 2
# The first search looks at so many cuts of a column in each node: it finds a good tree early, which excludes most others.
_CUTS = 3
# Seconds between two looks at the time and the progress.
_PAUSE = 0.1


def best_of_all_cuts(
    problem: RankedTable, depth: int, upper: float, *, report: Callable[[str], Any], deadline: float, max_states: float
) -> FoundTree:
    """The best tree up to a depth, if it costs less than `upper`; at a stop, the best one so far.

    Where leaves and cuts are free, it has no more leaves than its cost needs, unless weights differ too much to tell.
    """
    free = not problem.penalty and not problem.prices.any()
    searched = _with_fewest_leaves(problem, depth) if free else problem
    stop, known, plans = np.zeros(1, np.int64), known_before(upper, max_states), list[Array]()
    call = prepared_call(searched, depth, stop, known)

    def search() -> None:
        for cuts in (_CUTS, 0) if depth > _TWO else (0,):
            plan = empty_plan(depth)
            if call(cuts, plan):
                plans.append(plan)
            if stop[0] or known["states"] > max_states:
                return

    def cost_and_bound() -> list[float]:
        found = np.concatenate([known["cost"], known["bound"]])
        return list((found if searched is problem else _without_leaves(found, searched.unit)).tolist())

    _in_thread(search, stop, deadline, lambda: report("cost {:g}, at least {:g}".format(*cost_and_bound())))
    tree, (cost, bound) = _tree(problem, plans[-1], depth) if plans else None, cost_and_bound()
    return FoundTree(tree, bound, bound >= cost, int(known["states"][0]))


def _with_fewest_leaves(problem: RankedTable, depth: int) -> RankedTable:
    """A problem without penalties, with one so small that it only decides between trees of equal cost.

    Proof: errors cost whole units, and the penalties of at most 2^depth leaves are half a unit at most. So a tree with fewer
    errors costs less, whatever its leaves; and rounding a cost or a bound down to whole units takes all penalties off. Units are
    so large that errors and penalties add up in a double; where that changes amounts too much, the problem stays as it is.
    """
    amounts, unit, bits = problem.amounts, problem.unit, BITS - depth - 1
    if amounts.sum() > 1 << bits:
        exact = amounts.astype(np.float64)
        larger, times = of_bits(exact, bits)
        if not rounds_little(larger * times, exact, float(ERRORS(np.bincount(problem.dataset.target_column, exact)))):
            return problem
        amounts, unit = larger.astype(np.int64), unit * times
    return evolve(problem, amounts=amounts, unit=unit, penalty=unit / 2 ** (depth + 1))


def _without_leaves(found: Floats, unit: float) -> Floats:
    """Costs and bounds of `_with_fewest_leaves`, which has the proof, without its penalties: rounded down to whole units.

    A quarter of a unit is added first, since the cost of the first tree, a float, may lie just below whole units. It takes no
    cost to the next unit, since penalties are half a unit at most.
    """
    answer: Floats = np.floor(found / unit + 1 / 4) * unit
    return answer


def single_leaf(problem: RankedTable) -> Tree:
    """The tree of a leaf."""
    return _tree(problem, empty_plan(0), 0)


def _in_thread(search: Callable[[], None], stop: Array, deadline: float, progress: Callable[[], None]) -> None:
    """Run a search in a thread; stop it at the deadline or by Ctrl-C, and show its progress until it ends."""
    stop[0] |= perf_counter() >= deadline  # before the search begins, since it may find a tree before this thread looks again
    with thread_pool(_TWO) as threads:
        running = threads.begin(search)
        while not running.done():
            try:
                _wait(running, min(_PAUSE, deadline - perf_counter()))
                stop[0] |= perf_counter() >= deadline
                progress()
            except KeyboardInterrupt:
                stop[0] = 1
    running.result()


def _wait(running: "Future[None]", seconds: float) -> None:
    with suppress(NotYet):
        running.exception(timeout=max(seconds, 0.0))


def _tree(problem: RankedTable, plan: Array, depth: int) -> Tree:
    """The tree of a plan, with the counts of the rows that reach each node."""
    rows = np.arange(len(problem.dataset))
    return new_tree(problem.dataset.schema, _node(problem, rows, plan[plan_begin(depth) :], depth))


def _node(problem: RankedTable, rows: Array, plan: Array, depth: int) -> Node:
    table = problem.dataset
    counts = tuple(whole_numbers(problem_counts(table.target_column[rows], problem.cases[rows], len(table.schema.classes))))
    cut = first_cut(plan, depth)
    if cut is None:
        return Leaf(counts)
    column, rank, *plans = cut
    split = problem.columns[column].split_at(rank)
    left = problem.rank[column, rows] <= rank
    sides = list(zip((rows[left], rows[~left]), plans, strict=True))
    first = child_of(split, table.columns[problem.columns[column].feature][sides[0][0][:1]])[0]
    children = [_node(problem, some, below, depth - 1) for some, below in (sides[::-1] if first else sides)]
    return Branch(counts, split, children)


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
