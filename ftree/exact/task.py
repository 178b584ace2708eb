"""What both searches get and give: the task, the weights of its rows, and the tree that was found."""

from collections.abc import Mapping, Sequence
from math import ceil, log2
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats
from ftree.data.dataset import Dataset
from ftree.exact.objectives import Objective, checked_objective, class_errors, class_weights, costs, tree_cost
from ftree.exact.rounding import BITS, rounded
from ftree.tree.nodes import Tree


@frozen(kw_only=True)
class SearchTask:
    """What is searched for: the arguments of `optimal` that say which trees there are, and what they cost."""

    dataset: Dataset
    splitters: Sequence[Any]
    missing: Any
    objective: Objective
    leaf_penalty: float
    feature_costs: Mapping[str, float] | None
    min_leaf: float
    max_candidates: int

    def cost_of(self, tree: Tree) -> float:
        """The cost of a tree."""
        return tree_cost(tree, objective=self.objective, leaf_penalty=self.leaf_penalty, feature_costs=self.feature_costs)


@frozen(eq=False)
class FoundTree:
    """A tree that costs less than required, or None; a lower bound on the costs of all; whether it is proved; the states."""

    tree: Tree | None
    bound: float
    proved: bool
    states: int


def problem_counts(labels: Array, weights: Floats, n_classes: int) -> Floats:
    """Class counts (K,) of rows with labels and weights."""
    return np.bincount(labels, weights, n_classes).astype(np.float64)


def exact_weights(objective: Any, table: Dataset, min_leaf: float) -> tuple[Objective, Floats | None, Floats, Floats]:
    """The objective; the weights of classes by which it counts errors, or None; the cases of rows; and their weights.

    Weights are the cases, or have fewer digits, so that their products with weights of classes are exact. Where these would not
    do to tell which leaves have the least cases, the objective becomes a matrix of costs, of whole leaves.
    """
    given, n_classes = weights_of(table), len(table.schema.classes)
    made = checked_objective(objective, problem_counts(table.target_column, given, n_classes))
    factors, cases = class_weights(made, n_classes), rounded(given, BITS)
    if factors is None:
        return made, None, cases, cases
    of_class = rounded(factors, BITS // 2 - 2)
    whole = bool((of_class == np.round(of_class)).all())
    digits = BITS - 2 - ceil(log2(max(of_class.max(), 1))) if whole else BITS // 2 - 2
    weights = rounded(given, digits)
    if digits < BITS - 2 and min_leaf > cases.min() and not np.array_equal(weights, cases):
        return costs(factors[:, None] * (1 - np.eye(n_classes))), None, cases, cases
    return class_errors(of_class), of_class, cases, weights


def weights_of(table: Dataset) -> Floats:
    """The weights of rows as they are given."""
    return np.ones(len(table)) if table.weights is None else table.weights.astype(np.float64)
