"""The search for a best tree in passes, each of which follows more splits than the one before; the last follows all."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import EllipsisType
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.compilation import tell_of_compiling
from ftree._lib.threads import thread_pool
from ftree.exact.children import children
from ftree.exact.items import Items, items_of
from ftree.exact.plain import Plan
from ftree.exact.problem import Problem
from ftree.exact.ranked import Ranked
from ftree.exact.row_set import RowSet, all_rows
from ftree.exact.search import Search, Stopped, first_split, plan_of, with_plans

# The numbers of splits that a node follows in each search but the last. The first is three-step look-ahead.
_WIDTHS = 1, 4
_THREE = 3


@frozen(eq=False)
class Found:
    """The plan of the best tree, or `...` if none costs less than requested; a lower bound; and the state of the search."""

    plan: "Plan | EllipsisType"
    bound: float
    proved: bool
    states: int


def _items(problem: Problem) -> Items:
    """The candidates as bits, on which kernels search."""
    tell_of_compiling("the search for optimal trees", 10)
    return items_of(problem)


def best_tree(problem: Problem, depth: int, upper: float, *, n_jobs: int | None = 1, **limits: Any) -> Found:
    """The best tree up to a depth that costs less than `upper`; `limits` are those of `Search`."""
    items = _items(problem)
    rows = all_rows(items)
    with thread_pool(n_jobs) as threads, _stopping():
        search = Search(items, best=(upper, ...), threads=threads, **limits)
        for width in (*(_WIDTHS if depth > _THREE else ()), None):
            search.run(rows, depth, width)
    cost, sketch = search.best
    plan = ... if sketch is ... else plan_of(rows, sketch)
    return Found(plan, search.bound, search.bound >= cost, search.states)


def best_steps(problem: Problem, steps: int, depth: int) -> Plan:
    """The plan of a tree each of whose splits is the first split of a best tree with that many levels."""
    search = Search(_items(problem))
    return _steps(search, all_rows(search.items), steps, depth)


def ranked_plans(problem: Problem, depth: int) -> Iterator[tuple[float, float, Plan]]:
    """The cost, the least cost of all, and the plan of each tree, in the order of costs."""
    search = Search(_items(problem))
    ranked = Ranked(search, all_rows(search.items), depth)
    found, least, place = ranked.get(0), None, 0
    while found is not None:
        least = found[0] if least is None else least
        yield found[0], least, found[1]
        place += 1
        found = ranked.get(place)


def _steps(search: Search, rows: RowSet, steps: int, depth: int) -> Plan:
    sketch: Any = search.solve(rows, min(steps, depth), np.inf)[1]
    if depth <= steps:
        return plan_of(rows, sketch)
    first = first_split(rows, sketch)
    if first is None:
        return None
    parts = children(rows, first[0])
    plans = tuple(_steps(search, part, steps, depth - 1) for part in parts)
    for part in reversed(parts):
        part.release()
    return with_plans(search.items, first[0], plans)


@contextmanager
def _stopping() -> Iterator[None]:
    """A search that ends at a limit, or with Ctrl-C, and keeps its results so far."""
    try:
        yield
    except (Stopped, KeyboardInterrupt):
        pass
    except SystemError as error:  # Python raises it when a kernel returns after an interruption
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
