"""A problem in arrays: the child of each value by each candidate split, and the costs of leaves and splits.

Costs are multiples of a power of two, so that sums are exact in any order, and equal trees have equal costs.
"""

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from attrs import asdict, evolve, frozen

from ftree._lib.arrays import Array, Floats
from ftree.data.dataset import Dataset
from ftree.exact.candidates import ListedSplits, candidates_of, prepared_rows
from ftree.exact.listed.sums_as_classes import in_rows_of_sums
from ftree.exact.objectives import Objective, charges_of, costs_of, require_price
from ftree.exact.rounding import charges_on_grid, least_sum
from ftree.exact.task import SearchTask, exact_weights, problem_counts, weights_of
from ftree.routing.counting import recount
from ftree.tree.nodes import Branch, Leaf, Node, Tree, new_tree
from ftree.tree.response import whole_numbers

# The plan of a node: None for a leaf, or the number of a candidate split and the plans of its children.
Plan: TypeAlias = "tuple[int, tuple[Plan, ...]] | None"


@frozen(eq=False)
class Problem(ListedSplits):
    """The data of a search: the candidate splits of a dataset, whose `prices` (C,) are costs, and the costs of leaves.

    - `objective`, `class_weights`, `cases`, `weights`: the fields of `ExactWeights`.
    - `min_leaf`: the least that the `weights` of a leaf add up to, 0 if no leaf has too few.
    - `original`: a table without classes, whose `dataset` here has a class for each sum (`in_rows_of_sums`).
    - `penalty`: the cost of a leaf with cases. `step`: the power of two of which it, prices, and costs but errors are multiples.
    """

    dataset: Dataset
    cases: Floats
    weights: Floats
    objective: Objective
    class_weights: Floats | None
    min_leaf: float
    original: Dataset | None = None
    penalty: float = 0.0
    step: float = 1.0

    @cached_property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.dataset.schema.classes)

    @property
    def limits_leaves(self) -> bool:
        """Whether a leaf with cases can have too few."""
        return self.min_leaf > 0

    def child_of(self, number: int, rows: Any) -> Array:
        """The child of rows by a candidate split."""
        answer: Array = self.child[number].take(self.place[self.column[number], rows])
        return answer

    def leaf_costs(self, counts: Array) -> Floats:
        """Costs of leaves with class counts (..., K), penalty included; infinite for leaves with too few cases."""
        cases = counts.sum(axis=-1) if self.original is None else counts[..., 0]
        costs = costs_of(self.objective, counts)
        counts_errors = self.class_weights is not None  # sums of weights, which are exact
        return self.charged(costs if counts_errors else self.on_grid(costs), cases)

    def on_grid(self, costs: Floats) -> Floats:
        """Costs as multiples of the step."""
        return np.round(costs / self.step) * self.step

    def charged(self, costs: Floats, cases: Floats) -> Floats:
        """The costs of leaves, given those before the penalty, and their cases."""
        charged = costs + self.penalty
        return np.where(cases == 0, 0.0, np.where(cases < self.min_leaf, np.inf, charged) if self.limits_leaves else charged)

    def cost_of_tree(self, cost: float) -> float:
        """The cost of a tree, given that of its leaves and splits here."""
        loss: Any = self.objective
        return cost if self.original is None else (cost + loss.within) * loss.worth

    def cost_here(self, cost: float) -> float:
        """The cost here, given that of a tree."""
        loss: Any = self.objective
        return cost if self.original is None else cost / loss.worth - loss.within


def problem_of(task: SearchTask) -> Problem:
    """The problem of finding a tree for a table.

    Raises a ValueError for a penalty or a number of cases out of range, and the errors of `candidates_of`,
    `checked_objective` and `charges_of`.
    """
    table = prepared_rows(task.dataset, task.missing)
    charges = charges_of(table.schema, task.feature_costs, table.n_cases)
    listed = candidates_of(table, task.splitters, task.max_candidates, charges)
    return (_of_classes if table.schema.has_classes else _of_sums)(task, table, listed)


def _of_classes(task: SearchTask, table: Dataset, listed: ListedSplits) -> Problem:
    """The problem of a table of classes, whose rows have weights with exact sums."""
    exact = exact_weights(task.objective, table, task.min_leaf)
    min_leaf = _limit(least_sum(task.min_leaf, weights_of(table), exact.cases), exact.cases)
    problem = Problem(**_fields(listed), **exact._asdict(), dataset=table, min_leaf=min_leaf)
    return _priced(problem, task, float(exact.cases.sum()))


def _of_sums(task: SearchTask, table: Dataset, listed: ListedSplits) -> Problem:
    """The problem of a table without classes, in rows of a class for each sum."""
    rows, listed, loss, min_leaf = in_rows_of_sums(table, listed, task.objective, task.min_leaf)
    cases = weights_of(rows)
    costs = {"objective": loss, "class_weights": None, "min_leaf": _limit(min_leaf, cases[rows.target_column == 0])}
    problem = Problem(**_fields(listed), dataset=rows, cases=cases, weights=cases, **costs, original=table)
    return _priced(problem, task, loss.whole)


def _limit(min_leaf: float, cases: Floats) -> float:
    """The least cases of a leaf; 0 if each row alone has as many."""
    return min_leaf if min_leaf > cases.min() else 0.0


def _fields(listed: ListedSplits) -> dict[str, Any]:
    return asdict(listed, recurse=False)


def _priced(problem: Problem, task: SearchTask, whole: float) -> Problem:
    """The problem with the penalty of leaves and the prices of splits, which are given as shares of the whole."""
    require_price("leaf_penalty", task.leaf_penalty, whole)
    _require_cases(task.min_leaf, task.dataset.n_cases)
    worst = float(costs_of(problem.objective, problem_counts(problem.dataset.target_column, problem.weights, problem.n_classes)))
    leaf_penalty = float(task.leaf_penalty)  # a small float of NumPy would overflow
    penalty, prices, step = charges_on_grid(worst, leaf_penalty, problem.prices, whole)
    return evolve(problem, penalty=penalty, prices=prices, step=step)


def _require_cases(min_leaf: float, n_cases: float) -> None:
    if min_leaf > n_cases + 1e-9:
        raise ValueError(f"min_leaf must be at most the {n_cases:g} cases of the dataset, got {min_leaf:g}.")


def tree_of(problem: Problem, plan: Plan) -> Tree:
    """The tree of a plan, with the counts of the rows that reach each node."""
    tree = new_tree(problem.dataset.schema, _node(problem, np.arange(len(problem.dataset)), plan))
    return tree if problem.original is None else recount(new_tree(problem.original.schema, tree.root), problem.original)


def _node(problem: Problem, rows: Array, plan: Plan) -> Node:
    cases = problem_counts(problem.dataset.target_column[rows], problem.cases[rows], problem.n_classes)
    counts = tuple(whole_numbers(cases))
    if plan is None:
        return Leaf(counts)
    number, plans = plan
    children = [_node(problem, part, below) for part, below in zip(rows_divided(problem, rows, number), plans, strict=True)]
    return Branch(counts, problem.splits[number], children)


def rows_divided(problem: Problem, rows: Array, number: int) -> list[Array]:
    """The rows that go to each child of a candidate split."""
    child = problem.child_of(number, rows)
    return [rows[child == each] for each in range(problem.splits[number].n_children)]
