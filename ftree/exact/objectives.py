"""Objectives: the cost of a leaf, as a function of its class counts. The cost of a tree is the sum over its leaves.

An objective is a function of class counts (..., K) that returns costs (...), such as a user's. Optional attributes
make the search faster:

| attribute | meaning | without it |
|---|---|---|
| `for_table(class_counts)` | the objective for a table with these class counts | the objective itself |
| `class_weights(n_classes)` | class weights (K,), if a leaf costs its weighted cases outside the heaviest class, or None | None |
| `least` | a lower bound on the cost of any leaf | no bound: every tree is examined |
"""

from collections.abc import Callable, Iterable, Mapping
from math import fsum, isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats, read_only
from ftree._lib.fields import ConstructorRepr, is_finite, name_of, require_function
from ftree._lib.messages import short_repr
from ftree._lib.objects import is_exactly
from ftree.criteria.costs import Costs, Priors, all_numbers, as_costs, as_priors, check_length, costs_for, expected_costs, factors
from ftree.tree.nodes import Branch, Leaf, Tree, check_tree, preorder
from ftree.tree.schema import Schema, position

# From class counts (..., K) to costs (...).
Objective: TypeAlias = Callable[[npt.ArrayLike], Any]


@frozen
class errors(ConstructorRepr):
    """The cases of a leaf that are not of its majority class.

    >>> float(errors()([3, 1]))
    1.0
    """

    least = 0.0

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Errors of leaves with these class counts."""
        cases = np.sort(np.asarray(counts, dtype=np.float64), axis=-1)
        answer: Floats = cases[..., :-1].sum(axis=-1)  # a difference of large sums would lose small ones
        return answer

    def class_weights(self, n_classes: int) -> Floats:
        """Every class weighs the same."""
        return np.ones(n_classes)


def _as_matrix(matrix: Any) -> Costs:
    return as_costs(() if matrix is None else matrix) or ()


def _as_prior(prior: Any) -> Priors:
    return as_priors(() if prior is None else prior) or ()


@frozen
class costs(ConstructorRepr):
    """The cost of the best prediction of a leaf, by a matrix with rows by true class and columns by predicted class.

    Raises a ValueError for a matrix that is not square, for negative costs, and for a correct prediction with a cost.

    >>> float(costs([[0, 1], [5, 0]])([8, 2]))
    8.0
    """

    matrix: Costs = field(converter=_as_matrix)
    least = 0.0

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Least expected costs of leaves with these class counts."""
        answer: Floats = expected_costs(counts, costs_for(self.matrix, np.shape(counts)[-1])).min(axis=-1)
        return answer

    def class_weights(self, n_classes: int) -> Floats | None:
        """What an error costs, where it depends on the true class only, as for two classes."""
        matrix = np.array(costs_for(self.matrix, n_classes))
        weights = matrix.max(axis=1)
        same: bool = np.array_equal(matrix, weights[:, None] * (1 - np.eye(n_classes)))
        return weights if same else None


@frozen
class bayes(ConstructorRepr):
    """Errors, with each case weighted so that the classes of the table have these priors; the sum of weights stays the same.

    Raises a ValueError for priors that are no distribution, or of another number of classes.

    Source: Breiman et al. 1984, section 4.4.

    >>> float(bayes([0.5, 0.5]).for_table([8, 2])([8, 1]))
    2.5
    """

    prior: Priors = field(converter=_as_prior)
    least = 0.0

    def for_table(self, class_counts: Iterable[float]) -> "class_errors":
        """The errors of a table with these class counts."""
        factor = factors(class_counts, self.prior, None)
        return class_errors(np.ones(len(self.prior)) if factor is None else factor)

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Errors in leaves of a table with as many cases of each class."""
        return class_errors(len(self.prior) * np.array(self.prior))(counts)


def _as_weights(weights: Any) -> tuple[float, ...]:
    found = all_numbers(weights)
    if min(found, default=-1) < 0:
        raise ValueError(f"weights must be numbers from 0, one for each class in the schema's order, got {short_repr(weights)}.")
    return found


@frozen
class class_errors(ConstructorRepr):
    """Errors, with a weight for each class in the schema's order.

    Raises a ValueError for weights that are not finite numbers from 0, and for counts of another number of classes.

    >>> float(class_errors([1, 2.5])([8, 1]))
    2.5
    """

    weights: tuple[float, ...] = field(converter=_as_weights)
    least = 0.0

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Weight of all cases except those of the heaviest class."""
        cases = np.asarray(counts)
        return errors()(cases * self.class_weights(cases.shape[-1]))

    def class_weights(self, n_classes: int) -> Floats:
        """The weights."""
        check_length(self.weights, n_classes, "weights")
        return np.array(self.weights)


@frozen
class class_bits(ConstructorRepr):
    """The bits that encode the classes of a leaf's cases by their shares: -sum of n_c log2(n_c / n).

    >>> float(class_bits()([2, 2]))
    4.0
    """

    least = 0.0

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Bits of leaves with these class counts."""
        cases = np.asarray(counts, dtype=np.float64)
        answer: Floats = n_log2_n(cases.sum(axis=-1)) - n_log2_n(cases).sum(axis=-1)
        return answer


# The default is a constant, since a call in a signature would be evaluated for each function.
ERRORS = errors()


def tree_cost(
    tree: Tree, *, objective: Objective = ERRORS, leaf_penalty: float = 0.0, feature_costs: Mapping[str, float] | None = None
) -> float:
    """The sum of the costs of all leaves, of the penalties of leaves with cases, and of the features that branches test.

    `leaf_penalty` and `feature_costs` are shares of the tree's cases, as in `optimal`, whose errors are raised as well. The cost
    of a tree without classes is the loss of its leaves, such as the squared error, and shares are those of the root's.

    >>> from ftree import Schema
    >>> tree_cost(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))), leaf_penalty=0.25)
    2.0
    """
    check_tree(tree)
    leaves = [node.counts for node in preorder(tree) if isinstance(node, Leaf) and any(node.counts)]
    if tree.schema.has_classes:
        whole = sum(tree.root.counts)
        made = checked_objective(objective, np.array(tree.root.counts, dtype=np.float64))
        own = costs_of(made, np.array(leaves, dtype=np.float64).reshape(len(leaves), len(tree.schema.classes))).tolist()
    else:
        require_errors(objective)
        whole, *own = map(tree.schema.response.risk, (tree.root.counts, *leaves))
    charges = charges_of(tree.schema, feature_costs, whole)
    require_price("leaf_penalty", leaf_penalty, whole)
    tested = [number for node in preorder(tree) if isinstance(node, Branch) for number in node.split.features]
    return fsum([*own, float(leaf_penalty) * whole * len(leaves), *(whole * charges[number] for number in tested)])


def require_errors(objective: Objective) -> None:
    """Raise a ValueError for anything but the default objective, which stands for the loss of a response without classes.

    >>> require_errors(max)
    Traceback (most recent call last):
    ValueError: objective must be errors(), which is the loss of a target without classes, got max.
    """
    if type(objective) is not errors:
        got = f"got {name_of(objective)}"
        raise ValueError(f"objective must be errors(), which is the loss of a target without classes, {got}.")


def checked_objective(objective: Any, class_counts: Array) -> Objective:
    """The objective for a table with these class counts; a TypeError if it is not a function, a ValueError if costs are invalid.

    >>> checked_objective(3, np.array([3.0, 1.0]))
    Traceback (most recent call last):
    TypeError: objective must be a function, got 3.
    """
    require_function("objective", objective)
    made: Objective = objective.for_table(class_counts) if hasattr(objective, "for_table") else objective
    # Several nodes at once, since a function of one node's counts is the most common mistake.
    if not np.isfinite(costs_of(made, np.stack([class_counts] * 2))).all():
        raise ValueError("objective must return a finite cost for the whole table, got an infinite one.")
    return made


def costs_of(objective: Objective, counts: Array) -> Floats:
    """What an objective returns for class counts (..., K), as an array (...); nodes without a case cost 0.

    >>> costs_of(max, np.array([[3.0, 1.0]]))
    Traceback (most recent call last):
    ValueError: objective must return costs of shape (1,) for class counts of shape (1, 2), got ndarray of shape (2,).
    """
    given = objective(read_only(counts))
    try:
        costs = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        costs = np.full((), np.nan)
    costs = np.where(counts.any(axis=-1), costs, 0.0) if costs.shape == counts.shape[:-1] else costs
    if costs.shape != counts.shape[:-1] or np.isnan(costs).any():
        shapes = f"costs of shape {counts.shape[:-1]} for class counts of shape {counts.shape}"
        message = f"objective must return {shapes}, got {'NaN' if costs.shape == counts.shape[:-1] else short_repr(given)}."
        raise ValueError(message)
    return costs


def class_weights(objective: Any, n_classes: int) -> Floats | None:
    """The weights of classes by which an objective counts errors; None if it does not count errors.

    >>> class_weights(costs([[0, 1], [5, 0]]), 2), class_weights(class_bits(), 2)
    (array([1., 5.]), None)
    """
    own: tuple[type, ...] = errors, costs, bayes, class_errors
    is_subclass = isinstance(objective, own) and not is_exactly(objective, *own)  # which may cost something else
    if is_subclass or not hasattr(objective, "class_weights"):
        return None
    asked: Any = objective
    weights: Floats | None = asked.class_weights(n_classes)
    return weights


def charges_of(schema: Schema, feature_costs: Mapping[str, float] | None, cases: float) -> dict[int, float]:
    """The cost of each feature, by its number, as a share of the cases.

    Raises a TypeError for anything but a mapping, a KeyError for the cost of an unknown feature, and as `require_price`.

    >>> charges_of(Schema((), "ride", ("no", "yes")), [1], 3)
    Traceback (most recent call last):
    TypeError: feature_costs must be a mapping of features' names to costs, got [1].
    """
    charges = dict.fromkeys(range(len(schema.features)), 0.0)
    if feature_costs is not None and not isinstance(feature_costs, Mapping):
        raise TypeError(f"feature_costs must be a mapping of features' names to costs, got {short_repr(feature_costs)}.")
    for name, cost in (feature_costs or {}).items():
        place = position(schema, name)
        require_price(f"feature_costs[{short_repr(name)}]", cost, cases)
        charges[place] = cost
    return charges


def require_price(name: str, price: Any, cases: float) -> None:
    """Raise a ValueError for a share of cases that is negative, not a number, or too large for a float.

    >>> require_price("leaf_penalty", -1, 10)
    Traceback (most recent call last):
    ValueError: leaf_penalty must be a finite number of at least 0, got -1.
    """
    if not (is_finite(price) and price >= 0 and isfinite(float(price) * cases)):
        raise ValueError(f"{name} must be a finite number of at least 0, got {short_repr(price)}.")


def n_log2_n(n: Any) -> Any:
    """The product of n and log2(n), 0 for 0.

    >>> n_log2_n(8.0)
    np.float64(24.0)
    """
    return n * np.log2(np.where(n > 0, n, 1.0))
