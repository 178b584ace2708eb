"""`optimal`: a tree that no other tree of its depth and splits beats, with a bound on the cost of any tree."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ftree._lib.fields import is_finite, require_n_jobs, require_whole_number
from ftree._lib.interrupts import interrupts_deferred
from ftree._lib.messages import short_repr
from ftree._lib.progress import progress as showing
from ftree.data.dataset import Dataset
from ftree.exact.candidates import AS_BRANCH, BINARY
from ftree.exact.objectives import ERRORS, Objective
from ftree.exact.optimum import Optimum
from ftree.exact.plain import tree_of
from ftree.exact.problem import problem_of
from ftree.exact.tree_cost import tree_cost
from ftree.routing.recount import recount
from ftree.tree.nodes import Tree

_MOST_DEPTH = 20


def optimal(  # noqa: PLR0913  # the cost of trees, the trees allowed, and when to stop
    dataset: Dataset,
    *,
    max_depth: int = 4,
    leaf_penalty: float = 0.0,
    objective: Objective = ERRORS,
    splitters: Sequence[Any] = BINARY,
    feature_costs: Mapping[str, float] | None = None,
    missing: Any = AS_BRANCH,
    min_leaf: float = 0,
    max_candidates: int = 1000,
    start: Tree | None = None,
    seconds: float | None = None,
    states: int | None = None,
    n_jobs: int | None = 1,
    progress: bool = False,
) -> Optimum:
    """A tree of least cost among all trees up to a depth, made of the splits that splitters list.

    - The cost is the sum of the `objective` over leaves, `errors()` by default, plus `leaf_penalty` for each leaf, as a share of
      all cases: 0.01 allows one more leaf for each percent of accuracy. `feature_costs` maps names to shares of all cases;
      each branch that tests a feature costs that share.
    - `splitters` list candidates: `one_value()`, `threshold()`, `multiway()`, `subset()`, `quantiles(20)` or your own.
    - `missing` is `as_branch()` or `as_value()`, which send each row to one child.
    - A leaf has at least `min_leaf` cases.
    - `start` is a tree of any depth, which is returned unless another one is better.
    - After `seconds`, `states` looked at, or Ctrl-C, the best tree so far is returned, with its bound.
    - `n_jobs` is the number of threads, None for one on each processor. The result is the same, and large tables take less time.
    - `progress` shows the best cost and the bound on the terminal.

    The tree does not depend on the order of rows. Of trees of equal cost, the one that the search finds first is returned.

    Raises a TypeError for a splitter that lists no candidates, a ValueError for more than `max_candidates` of them, another
    policy for missing values, a depth above 20, and numbers out of range.

    Sources: Demirović et al. 2022 (MurTree); van der Linden et al. 2023 (STreeD).

    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> optimum = optimal(xor, max_depth=2)
    >>> optimum.tree, optimum.cost, optimum.proved
    (<Tree for 'class': 7 nodes, 4 leaves>, 0.0, True)
    """
    began = perf_counter()
    _check_limits(max_depth, seconds, states)
    require_n_jobs(n_jobs)
    options: dict[str, Any] = {"objective": objective, "leaf_penalty": leaf_penalty, "feature_costs": feature_costs}
    problem = problem_of(dataset, splitters, missing=missing, min_leaf=min_leaf, most=max_candidates, **options)
    first = tree_of(problem, None) if start is None else recount(start, dataset)
    with interrupts_deferred():
        # Imported here, since it loads numba.
        from ftree.exact.best_tree import best_tree  # noqa: PLC0415

    limits: dict[str, Any] = {"max_states": states or np.inf, "deadline": began + (seconds or np.inf)}
    with showing(shown=progress) as line:
        found = best_tree(problem, int(max_depth), tree_cost(first, **options), n_jobs=n_jobs, report=line.write, **limits)
    tree = first if found.plan is ... else tree_of(problem, found.plan)
    cost = tree_cost(tree, **options)
    return Optimum(tree, cost, cost if found.proved else min(found.bound, cost), found.states, perf_counter() - began)


def _check_limits(max_depth: Any, seconds: Any, states: Any) -> None:
    require_whole_number("max_depth", max_depth, 0, most=_MOST_DEPTH)
    if seconds is not None and not (is_finite(seconds) and seconds > 0):
        message = f"seconds must be a finite number above 0, got {short_repr(seconds)}."
        raise ValueError(message)
    if states is not None:
        require_whole_number("states", states, 1)
