"""`look_ahead`: growth that gives each node the first split of the best tree of a few levels below it."""

from collections.abc import Mapping, Sequence
from typing import Any

from ftree._lib.fields import require_whole_number
from ftree._lib.interrupts import interrupts_deferred
from ftree.data.dataset import Dataset
from ftree.exact.candidates import AS_BRANCH, BINARY
from ftree.exact.objectives import ERRORS, Objective
from ftree.exact.plain import tree_of
from ftree.exact.problem import problem_of
from ftree.tree.nodes import Tree

_MOST_DEPTH = 20


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
    min_leaf: float = 0,
    max_candidates: int = 1000,
) -> Tree:
    """A tree each of whose splits is the first split of a best tree of `steps` levels; its last levels are such a tree.

    With `steps=1` this is greedy growth by the objective. A tree with `max_depth` up to `steps` is optimal. Arguments and errors
    are those of `optimal`; `steps` above 3 take as long as `optimal` with that depth, at every node.

    Source: Norton 1989 (IDX).

    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> look_ahead(xor, steps=1), look_ahead(xor, steps=2)
    (<Tree for 'class': 1 nodes, 1 leaves>, <Tree for 'class': 7 nodes, 4 leaves>)
    """
    require_whole_number("steps", steps, 1)
    require_whole_number("max_depth", max_depth, 0, most=_MOST_DEPTH)
    options: dict[str, Any] = {"objective": objective, "leaf_penalty": leaf_penalty, "feature_costs": feature_costs}
    problem = problem_of(dataset, splitters, missing=missing, min_leaf=min_leaf, most=max_candidates, **options)
    with interrupts_deferred():
        # Imported here, since it loads numba.
        from ftree.exact.best_tree import best_steps  # noqa: PLC0415

    return tree_of(problem, best_steps(problem, int(steps), int(max_depth)))
