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
from ftree.tree.nodes import Branch, Leaf, Node, Tree, new_tree, whole_numbers

# The plan of a node: None for a leaf, or the number of a candidate split and the plans of its children.
Plan: TypeAlias = "tuple[int, tuple[Plan, ...]] | None"


@frozen(eq=False)
class Problem(ListedSplits):
    """The data of a search: the candidate splits of a dataset, whose `prices` (C,) are costs, and the costs of leaves.

    `cases` (n,) are the weights of rows, and `weights` (n,) what the search counts: the cases, or what an error in the row costs
    (`exact_weights`). `class_weights` are None where leaves do not cost errors. `penalty` is the cost of a leaf with cases, and
    `min_leaf` the least that its `weights` add up to, 0 if every leaf may be. `step` is the power of two of which costs are
    multiples.

    A tree costs (the sum over its leaves and splits + `within`) * `worth`. `original` is a table without classes, whose `dataset`
    here has a class for each sum (`in_rows_of_sums`).
    """

    dataset: Dataset
    cases: Floats
    weights: Floats
    objective: Objective
    class_weights: Floats | None
    penalty: float
    min_leaf: float
    step: float
    within: float
    worth: float
    original: Dataset | None

    @cached_property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.dataset.schema.classes)

    @cached_property
    def limits_leaves(self) -> bool:
        """Whether a leaf with cases can have too few."""
        cases = self.weights if self.original is None else self.weights[self.dataset.target_column == 0]
        return bool(self.min_leaf > cases.min())

    def child_of(self, number: int, rows: Any) -> Array:
        """The child of rows by a candidate split."""
        answer: Array = self.child[number].take(self.place[self.column[number], rows])
        return answer

    def leaf_costs(self, counts: Array) -> Floats:
        """Costs of leaves with class counts (..., K), penalty included; infinite for leaves with too few cases."""
        cases = counts.sum(axis=-1) if self.original is None else counts[..., 0]
        costs = costs_of(self.objective, counts)
        counts_errors = self.class_weights is not None  # sums of weights, which are exact
        return self.charged(costs if counts_errors else np.round(costs / self.step) * self.step, cases)

    def charged(self, costs: Floats, cases: Floats) -> Floats:
        """The costs of leaves, given those before the penalty, and their cases."""
        return np.where(cases == 0, 0.0, np.where(cases < self.min_leaf, np.inf, costs + self.penalty))

    def cost_of_tree(self, cost: float) -> float:
        """The cost of a tree, given that of its leaves and splits here."""
        return (cost + self.within) * self.worth

    def cost_here(self, cost: float) -> float:
        """The cost here, given that of a tree."""
        return cost / self.worth - self.within


def problem_of(task: SearchTask) -> Problem:
    """The problem of finding a tree for a table.

    Raises a ValueError for a penalty or a number of cases out of range, and the errors of `candidates_of`,
    `checked_objective` and `charges_of`.
    """
    table, original = prepared_rows(task.dataset, task.missing), None
    charges = charges_of(table.schema, task.feature_costs, table.n_cases)
    found = candidates_of(table, task.splitters, task.max_candidates, charges)
    if table.schema.has_classes:
        objective, class_weights, cases, weights = exact_weights(task.objective, table, task.min_leaf)
        total, within, worth = float(cases.sum()), 0.0, 1.0
        min_leaf = least_sum(task.min_leaf, weights_of(table), cases) if task.min_leaf > cases.min() else 0.0
    else:
        original, (table, found, loss, min_leaf) = table, in_rows_of_sums(table, found, task.objective, task.min_leaf)
        objective, class_weights, cases = loss, None, weights_of(table)
        total, within, worth, weights = loss.whole, loss.within, loss.worth, cases
    require_price("leaf_penalty", task.leaf_penalty, total)
    _require_cases(task.min_leaf, task.dataset.n_cases)
    worst = float(costs_of(objective, problem_counts(table.target_column, weights, len(table.schema.classes))))
    leaf_penalty = float(task.leaf_penalty)  # a small float of NumPy would overflow
    penalty, prices, step = charges_on_grid(worst, leaf_penalty, found.prices, total)
    return Problem(
        **asdict(evolve(found, prices=prices), recurse=False),
        dataset=table,
        cases=cases,
        weights=weights,
        objective=objective,
        class_weights=class_weights,
        penalty=penalty,
        min_leaf=min_leaf,
        step=step,
        within=within,
        worth=worth,
        original=original,
    )


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
