"""Objectives: the cost of a leaf, as a function of its class counts. The cost of a tree is the sum over its leaves.

An objective is a function of class counts (..., K) that returns costs (...), such as a user's. Optional attributes
make the search faster:

| attribute | meaning | without it |
|---|---|---|
| `for_table(class_counts)` | the objective for a table with these class counts | the objective itself |
| `class_weights(n_classes)` | weights (K,), if a leaf costs all its cases but the heaviest class; or None | None |
| `least` | a lower bound on the cost of any leaf | no bound: every tree is examined |
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import ConstructorRepr
from ftree._lib.messages import short_repr
from ftree.criteria.costs import Costs, Priors, as_costs, as_priors, check_length, costs_for, expected_costs, factors, numbers

# From class counts (..., K) to costs (...).
Objective: TypeAlias = Callable[[npt.ArrayLike], Any]

_TWO = 2


@frozen(repr=False)
class errors(ConstructorRepr):
    """The cases of a leaf that are not of its majority class.

    >>> float(errors()([3, 1]))
    1.0
    """

    least = 0.0

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Errors of leaves with these class counts."""
        cases = np.asarray(counts, dtype=np.float64)
        answer: Floats = cases.sum(axis=-1) - cases.max(axis=-1)
        return answer

    def class_weights(self, n_classes: int) -> Floats:
        """Every class weighs the same."""
        return np.ones(n_classes)


def _as_matrix(matrix: Any) -> Costs:
    return as_costs(() if matrix is None else matrix) or ()


def _as_prior(prior: Any) -> Priors:
    return as_priors(() if prior is None else prior) or ()


@frozen(repr=False)
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


@frozen(repr=False)
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
    found = numbers(weights)
    if min(found, default=-1) < 0:
        message = f"weights must be numbers from 0, one for each class in the schema's order, got {short_repr(weights)}."
        raise ValueError(message)
    return found


@frozen(repr=False)
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


@frozen(repr=False)
class entropy(ConstructorRepr):
    """The bits that encode the classes of a leaf's cases by their shares: -sum of n_c log2(n_c / n).

    >>> float(entropy()([2, 2]))
    4.0
    """

    least = 0.0

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Bits of leaves with these class counts."""
        cases = np.asarray(counts, dtype=np.float64)
        answer: Floats = n_log_n(cases.sum(axis=-1)) - n_log_n(cases).sum(axis=-1)
        return answer


def objective_for(objective: Any, class_counts: Array) -> Objective:
    """The objective for a table with these class counts.

    >>> objective_for(errors(), [3, 1])
    errors()
    """
    made: Objective = objective.for_table(class_counts) if hasattr(objective, "for_table") else objective
    return made


def class_weights(objective: Any, n_classes: int) -> Floats | None:
    """The weights of classes by which an objective counts errors; None if it does not count errors.

    >>> class_weights(costs([[0, 1], [5, 0]]), 2), class_weights(entropy(), 2)
    (array([1., 5.]), None)
    """
    if not hasattr(objective, "class_weights"):
        return None
    weights: Floats | None = objective.class_weights(n_classes)
    return weights


def n_log_n(n: Any) -> Any:
    """The product of n and log2(n), 0 for 0.

    >>> n_log_n(8.0)
    np.float64(24.0)
    """
    return n * np.log2(np.where(n > 0, n, 1.0))


# The default is a constant, since a call in a signature would be evaluated for each function.
ERRORS = errors()
