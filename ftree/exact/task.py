"""What both searches get and give: the task, the weights of its rows, and the tree that was found."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats
from ftree.data.cases import weights_of_rows
from ftree.data.dataset import Dataset
from ftree.exact.candidates import AS_BRANCH, BINARY
from ftree.exact.objectives import ERRORS, Objective, checked_objective, class_errors, class_weights, costs, tree_cost
from ftree.exact.rounding import BITS, rounded, rounded_factors, rounds_little
from ftree.tree.nodes import Tree


@frozen(kw_only=True)
class SearchTask:
    """What is searched for: the arguments of `optimal` that say which trees there are, and what they cost."""

    dataset: Dataset
    splitters: Sequence[Any] = BINARY
    missing: Any = AS_BRANCH
    objective: Objective = ERRORS
    leaf_penalty: float = 0.0
    feature_costs: Mapping[str, float] | None = None
    min_leaf: float = 0.0
    max_candidates: int = 1000

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


class ExactWeights(NamedTuple):
    """The objective for a table, and weights whose sums are exact in any order.

    - `class_weights` (K,): those by which the objective counts errors; None if it does not count errors.
    - `cases` (n,): those of rows, which trees show. `weights` (n,): what the search counts.
    """

    objective: Objective
    class_weights: Floats | None
    cases: Floats
    weights: Floats


def exact_weights(objective: Any, table: Dataset, min_leaf: float) -> ExactWeights:
    """The objective for a table, and the weights by which both searches count its rows and classes.

    The price of a row is its cases times the weight of its class, which an error in the row costs. Sums of weights of rows times
    weights of classes are exact in any order:

    - If leaves may have any size, rows weigh their prices, and classes 1; a class whose errors are free weighs 0, its rows their
      cases.
    - If some leaves have too few cases, rows weigh their cases, and the weights of classes have the bits that are left.
    - If prices cannot be rounded so without changing a proof, the objective becomes a matrix of costs, which has fewer bounds.
    """
    given, labels, n_classes = weights_of(table), table.target_column, len(table.schema.classes)
    made = checked_objective(objective, problem_counts(labels, given, n_classes))
    factors, cases = class_weights(made, n_classes), rounded(given, BITS)
    if factors is None:
        return ExactWeights(made, None, cases, cases)
    counts = problem_counts(labels, cases, n_classes)
    factors = np.where(counts > 0, factors, 0.0)
    with np.errstate(over="ignore"):
        prices = cases * factors[labels]
    if isfinite(prices.sum()):
        weight_of_class, weights = _rounded_prices(factors, cases, prices, some_are_too_small=min_leaf > cases.min())
        if rounds_little(weights * weight_of_class[labels], prices, float(ERRORS(counts * factors))):
            return ExactWeights(class_errors(weight_of_class), weight_of_class, cases, weights)
    return ExactWeights(costs(factors[:, None] * (1 - np.eye(n_classes))), None, cases, cases)


def _rounded_prices(factors: Floats, cases: Floats, prices: Floats, *, some_are_too_small: bool) -> tuple[Floats, Floats]:
    """Weights of classes (K,) and of rows (n,), whose products are the prices, rounded; some leaves may be too small."""
    if some_are_too_small:
        return rounded_factors(factors, cases), cases
    return (factors > 0).astype(np.float64), rounded(np.where(prices > 0, prices, cases), BITS)


def weights_of(table: Dataset) -> Floats:
    """The weights of rows as they are given, as floats."""
    return weights_of_rows(table).astype(np.float64)
