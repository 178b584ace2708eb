"""`best_trees`: all trees in the order of their costs, the best one first, each found on demand."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ftree._lib.fields import is_finite, require_whole_number
from ftree._lib.interrupts import interrupts_deferred
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.exact.candidates import AS_BRANCH, BINARY
from ftree.exact.objectives import ERRORS, Objective
from ftree.exact.plain import tree_of
from ftree.exact.problem import Problem, problem_of
from ftree.tree.nodes import Tree

_MOST_DEPTH = 20


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
    min_leaf: float = 0,
    max_candidates: int = 1000,
) -> Iterator[Tree]:
    """All trees up to a depth in the order of their costs; with `slack`, those that cost at most 1 + slack times the least.

    There are very many: take some with `itertools.islice`. Trees with other splits are different trees, even if they divide the
    rows alike. Other arguments and errors are those of `optimal`; the first tree has the cost of `optimal`'s.

    Sources: Xin et al. 2022 (TreeFARMS, the Rashomon set of trees); Huang & Chiang 2005.

    >>> from itertools import islice
    >>> from ftree import n_leaves
    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> [n_leaves(tree) for tree in islice(best_trees(xor, max_depth=2), 5)]
    [4, 4, 3, 3, 3]
    """
    require_whole_number("max_depth", max_depth, 0, most=_MOST_DEPTH)
    if slack is not None and not (is_finite(slack) and slack >= 0):
        message = f"slack must be a finite number of at least 0, got {short_repr(slack)}."
        raise ValueError(message)
    options: dict[str, Any] = {"objective": objective, "leaf_penalty": leaf_penalty, "feature_costs": feature_costs}
    problem = problem_of(dataset, splitters, missing=missing, min_leaf=min_leaf, most=max_candidates, **options)
    return _in_order(problem, int(max_depth), slack)


def _in_order(problem: Problem, depth: int, slack: float | None) -> Iterator[Tree]:
    with interrupts_deferred():
        # Imported here, since it loads numba.
        from ftree.exact.best_tree import ranked_plans  # noqa: PLC0415

    for cost, least, plan in ranked_plans(problem, depth):
        if slack is not None and cost > least + slack * abs(least):
            return
        yield tree_of(problem, plan)
