"""Optimal trees, all trees in the order of their costs, and growth that looks some levels ahead."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from attrs import field, frozen
from attrs.validators import optional

from ftree._lib.fields import (
    QUIET,
    ConstructorRepr,
    a_finite_number,
    a_whole_number,
    is_finite,
    must_be,
    require_n_jobs,
    require_whole_number,
)
from ftree._lib.messages import short_repr
from ftree._lib.waiting import progress as showing
from ftree.data.dataset import Dataset
from ftree.exact.candidates import AS_BRANCH, BINARY
from ftree.exact.cuts.all_cuts import best_of_all_cuts, single_leaf
from ftree.exact.cuts.ranked_table import ranked_table
from ftree.exact.listed.problem import Problem, problem_of, tree_of
from ftree.exact.listed.ranked_trees import best_listed, best_steps, ranked_plans
from ftree.exact.objectives import ERRORS, Objective
from ftree.exact.task import FoundTree, SearchTask
from ftree.routing.counting import recount
from ftree.tree.nodes import Tree

MOST_DEPTH = 20
_SECONDS = optional(must_be("a finite number above 0", lambda value: is_finite(value) and value > 0))


@frozen(kw_only=True)
class Limits(ConstructorRepr):
    """Limits of trees, of time, and of the machine, for `optimal`, `look_ahead` and `best_trees`.

    - A leaf has at least `min_leaf` cases.
    - More than `max_candidates` listed splits are refused; `optimal` lists no thresholds of numbers where leaves cost errors.
    - The search ends after `seconds`, or after `states` row sets that it has examined.
    - `n_jobs` is the number of threads, None for one on each processor. The result is the same, and large tables take less time.

    Raises a ValueError for numbers out of range.

    >>> from ftree import optimal
    >>> from ftree.datasets import monks
    >>> optimal(monks(2), max_depth=5, limits=Limits(states=20)).proved
    False
    """

    min_leaf: float = field(default=0, validator=a_finite_number, metadata=QUIET)
    max_candidates: int = field(default=1000, validator=a_whole_number(1, of="splits"), metadata=QUIET)
    seconds: float | None = field(default=None, validator=_SECONDS, metadata=QUIET)
    states: int | None = field(default=None, validator=optional(a_whole_number(1)), metadata=QUIET)
    n_jobs: int | None = field(default=1, validator=lambda *given: require_n_jobs(given[-1]), metadata=QUIET)


# The default is a constant, since a call in a signature would be evaluated for each function.
_NONE = Limits()


def optimal(
    dataset: Dataset,
    *,
    max_depth: int = 4,
    leaf_penalty: float = 0.0,
    objective: Objective = ERRORS,
    splitters: Sequence[Any] = BINARY,
    feature_costs: Mapping[str, float] | None = None,
    missing: Any = AS_BRANCH,
    start: Tree | None = None,
    limits: Limits = _NONE,
    progress: bool = False,
) -> "Optimum":
    """A tree of least cost among all trees up to a depth, made of the splits that splitters list.

    - The cost is the sum of the `objective` over leaves, `errors()` by default, plus `leaf_penalty` for each leaf, as a share of
      all cases: 0.01 allows one more leaf for each percent of accuracy. `feature_costs` maps names to shares of all cases;
      each branch that tests a feature costs that share. Of splits that divide all rows alike, the first cheapest is used.
    - For a target without classes, `errors()` is the loss of its response: the squared error of numbers, the deviance of events,
      the regret of policies. Shares are those of the loss of all rows.
    - `splitters` list candidates: `one_value()`, `threshold()`, `multiway()`, `subset()`, `quantile_cuts(20)` or your own.
    - `missing` is `as_branch()` or `as_value()`, which send each row to one child.
    - `start` is a tree of any depth, which is returned unless another one is better.
    - At the `limits` of time or states, or with Ctrl-C, the best tree so far is returned, with its bound.
    - `progress` shows the best cost and the bound on the terminal.

    The tree does not depend on the order of rows. Of trees of equal cost, the one that the search finds first is returned.

    Raises a TypeError for a splitter that lists no candidates, a ValueError for more than `max_candidates` of them, another
    policy for missing values, a depth above 20, numbers out of range, and another objective for a target
    without classes.

    Sources: Demirović et al. 2022 (MurTree); van der Linden et al. 2023 (STreeD); van den Bos et al. 2024 (of numbers); Briţa
    et al. 2025 (ConTree, all thresholds).

    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> optimum = optimal(xor, max_depth=2)
    >>> optimum.tree, optimum.cost, optimum.proved
    (<Tree for 'class': 7 nodes, 4 leaves>, 0.0, True)
    """
    began = perf_counter()
    costs: dict[str, Any] = {"objective": objective, "leaf_penalty": leaf_penalty, "feature_costs": feature_costs}
    task = _task(dataset, splitters, missing, max_depth, limits, **costs)
    leaf, search = _search_for(task, limits.n_jobs)
    first = leaf if start is None else recount(start, dataset)
    known = task.cost_of(first)
    with showing(shown=progress) as line:
        found = search(int(max_depth), known, report=line.write, **_stops(limits, began))
    tree = found.tree or first
    cost = task.cost_of(tree)
    tree, cost = (tree, cost) if cost < known else (first, known)  # costs of numbers are rounded in the search
    return Optimum(tree, cost, cost if found.proved else min(found.bound, cost), found.states, perf_counter() - began)


@frozen
class Optimum:
    """A tree, its cost, and a lower bound on the cost of any tree; equality ignores `seconds`.

    `states` is the number of row sets that the search has examined.

    >>> from ftree import optimal
    >>> from ftree.datasets import xor
    >>> best = optimal(xor(), max_depth=2)
    >>> best.tree, best.cost, best.gap, best.proved
    (<Tree for 'odd': 7 nodes, 4 leaves>, 0.0, 0.0, True)
    """

    tree: Tree
    cost: float
    bound: float
    states: int
    seconds: float = field(eq=False)

    @property
    def gap(self) -> float:
        """The most by which another tree can cost less."""
        return self.cost - self.bound

    @property
    def proved(self) -> bool:
        """Whether no tree costs less."""
        return self.bound >= self.cost


def best_trees(
    dataset: Dataset,
    *,
    max_depth: int = 3,
    slack: float | None = None,
    leaf_penalty: float = 0.0,
    objective: Objective = ERRORS,
    splitters: Sequence[Any] = BINARY,
    feature_costs: Mapping[str, float] | None = None,
    missing: Any = AS_BRANCH,
    limits: Limits = _NONE,
) -> Iterator[Tree]:
    """All trees up to a depth in the order of their costs; with `slack`, those that cost at most 1 + slack times the least.

    There are very many: take some with `itertools.islice`. Of splits that divide all rows alike, the first cheapest is used;
    splits that divide only the rows of a node alike make different trees. At the `limits` of time or states the trees end. Other
    arguments and errors are those of `optimal`; the first tree has the cost of `optimal`'s.

    Sources: Xin et al. 2022 (TreeFARMS, the Rashomon set of trees); Huang & Chiang 2005.

    >>> from itertools import islice
    >>> from ftree import n_leaves
    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> [n_leaves(tree) for tree in islice(best_trees(xor, max_depth=2), 5)]
    [4, 4, 3, 3, 3]
    """
    began = perf_counter()
    if slack is not None and not (is_finite(slack) and slack >= 0):
        raise ValueError(f"slack must be a finite number of at least 0, got {short_repr(slack)}.")
    costs: dict[str, Any] = {"objective": objective, "leaf_penalty": leaf_penalty, "feature_costs": feature_costs}
    problem = problem_of(_task(dataset, splitters, missing, max_depth, limits, **costs))
    return _in_order(problem, int(max_depth), slack, n_jobs=limits.n_jobs, **_stops(limits, began))


def _in_order(problem: Problem, depth: int, slack: float | None, **limits: Any) -> Iterator[Tree]:
    for cost, least, plan in ranked_plans(problem, depth, **limits):
        own, best = map(problem.cost_of_tree, (cost, least))
        if slack is not None and own > best + slack * abs(best):
            return
        yield tree_of(problem, plan)


def look_ahead(
    dataset: Dataset,
    *,
    steps: int = 3,
    max_depth: int = 4,
    leaf_penalty: float = 0.0,
    objective: Objective = ERRORS,
    splitters: Sequence[Any] = BINARY,
    feature_costs: Mapping[str, float] | None = None,
    missing: Any = AS_BRANCH,
    limits: Limits = _NONE,
) -> Tree:
    """A tree each of whose splits is the first split of a best tree of `steps` levels; its last levels are such a tree.

    With `steps=1` this is greedy growth by the objective. A tree with `max_depth` up to `steps` is optimal. At the `limits` of
    time or states, nodes that have no split yet become leaves. Other arguments and errors are those of `optimal`; `steps` above 3
    take as long as `optimal` with that depth, at every node.

    Source: Norton 1989 (IDX).

    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> look_ahead(xor, steps=1), look_ahead(xor, steps=2)
    (<Tree for 'class': 1 node, 1 leaf>, <Tree for 'class': 7 nodes, 4 leaves>)
    """
    began = perf_counter()
    require_whole_number("steps", steps, 1)
    costs: dict[str, Any] = {"objective": objective, "leaf_penalty": leaf_penalty, "feature_costs": feature_costs}
    problem = problem_of(_task(dataset, splitters, missing, max_depth, limits, **costs))
    return tree_of(problem, best_steps(problem, int(steps), int(max_depth), n_jobs=limits.n_jobs, **_stops(limits, began)))


def _task(dataset: Dataset, splitters: Any, missing: Any, max_depth: Any, limits: Any, **costs: Any) -> SearchTask:
    """The task of a function above, after a check of its depth and its limits."""
    require_whole_number("max_depth", max_depth, 0, most=MOST_DEPTH)
    if not isinstance(limits, Limits):
        raise TypeError(f"limits must be Limits(...), got {short_repr(limits)}. Write Limits(seconds=10).")
    trees = {"splitters": splitters, "missing": missing, "min_leaf": limits.min_leaf, "max_candidates": limits.max_candidates}
    return SearchTask(dataset=dataset, **trees, **costs)


def _search_for(task: SearchTask, n_jobs: int | None) -> tuple[Tree, Callable[..., FoundTree]]:
    """The tree of a leaf, and the search that serves a task: among all cuts of numbers, or among listed splits.

    Both take a depth, a cost that the tree must be below, and the limits at which they end with the best tree so far.
    """
    table = ranked_table(task)
    if table is not None:
        return single_leaf(table), partial(best_of_all_cuts, table)
    problem = problem_of(task)
    return tree_of(problem, None), partial(best_listed, problem, n_jobs=n_jobs)


def _stops(limits: Limits, began: float) -> dict[str, float]:
    """The time at which a search that began at a time ends, and its number of states."""
    return {"deadline": began + (limits.seconds or np.inf), "max_states": limits.states or np.inf}
