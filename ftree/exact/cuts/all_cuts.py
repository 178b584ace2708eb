"""The search among all cuts of columns of any number of values, where leaves cost errors.

`native/sorted_trees.c` searches in a thread of its own, so that a stop by time or by Ctrl-C is heard at once.
Source: Briţa, van der Linden & Demirović 2025 (ConTree).
"""

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from time import perf_counter
from typing import Any

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array
from ftree._lib.machine import thread_pool
from ftree.exact.cuts.ranked_table import RankedTable
from ftree.exact.cuts.sorted_trees import empty_plan, first_cut, known_before, plan_begin, prepared_call
from ftree.exact.objectives import ERRORS
from ftree.exact.rounding import BITS, of_bits, rounds_little
from ftree.exact.task import FoundTree, problem_counts
from ftree.tree.counts import whole_numbers
from ftree.tree.nodes import Branch, Leaf, Node, Tree, new_tree
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

    def cost_and_bound() -> tuple[float, float]:
        exact = np.concatenate([known["cost"], known["bound"]])
        # As `_with_fewest_leaves` proves. The cost of the first tree, a float, may lie just below whole units.
        without_ties = exact if searched is problem else np.floor(exact / searched.unit + 1 / 4) * searched.unit
        cost, bound = without_ties.tolist()
        return cost, bound

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
