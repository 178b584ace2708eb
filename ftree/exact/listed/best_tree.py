"""The search for a best tree in passes, each of which follows more splits than the one before, and the last all; look-ahead."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from ftree._lib.machine import thread_pool
from ftree.exact.listed.branch_and_bound import BranchAndBound, Stopped
from ftree.exact.listed.items import items_of
from ftree.exact.listed.problem import Plan, Problem, tree_of
from ftree.exact.listed.row_set import RowSet, all_rows, released, rows_of_children
from ftree.exact.listed.solutions import Sketch, Solution, first_split, plan_of
from ftree.exact.task import FoundTree

# The numbers of splits that a node follows in each search but the last. The first is three-step look-ahead.
_WIDTHS = 1, 4
_THREE = 3


def best_listed(problem: Problem, depth: int, upper: float, *, report: Callable[[str], Any] = str, **limits: Any) -> FoundTree:
    """The best tree up to a depth, if it costs less than `upper`, as trees cost; `limits` are those of `searching`."""
    with searching(problem, **limits) as (search, rows):
        search.best, search.report = Solution(problem.cost_here(upper), found=False), report
        with suppress(Stopped, KeyboardInterrupt):  # the results so far are kept
            for width in (*(_WIDTHS if depth > _THREE else ()), None):
                search.run(rows, depth, width)
    best = search.best
    tree = tree_of(problem, plan_of(rows, best.sketch)) if best.found else None
    return FoundTree(tree, problem.cost_of_tree(search.bound), search.bound >= best.cost, search.states)


def best_steps(problem: Problem, steps: int, depth: int, **limits: Any) -> Plan:
    """The plan of a tree each of whose splits is the first split of a best tree with that many levels; leaves at a limit."""
    with searching(problem, **limits) as (search, rows):
        return plan_of(rows, _steps(search, rows, steps, depth))


def _steps(search: BranchAndBound, rows: RowSet, steps: int, depth: int) -> Sketch:
    try:
        sketch = search.solve(rows, min(steps, depth), np.inf).sketch
    except Stopped:
        return None
    first = first_split(rows, sketch)
    if depth <= steps or first is None:
        return sketch
    with released(rows_of_children(rows, first[0])) as parts:
        return first[0], tuple(_steps(search, part, steps, depth - 1) for part in parts)


@contextmanager
def searching(problem: Problem, *, n_jobs: int | None = 1, **limits: Any) -> Iterator[tuple[BranchAndBound, RowSet]]:
    """A search among the candidates as bits, and all rows; `limits` are those of `BranchAndBound`."""
    items = items_of(problem)
    with thread_pool(n_jobs) as threads:
        yield BranchAndBound(items, threads=threads, **limits), all_rows(items)
