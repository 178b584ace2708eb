"""Class priors and costs of errors: how they alter the counts that growth measures, and the labels that leaves predict.

Priors are shares, and costs a matrix, in the schema's order of classes. costs[i][j] is the cost of predicting class j
for a case of class i. Altered priors and least expected cost follow Breiman et al. 1984, sections 4.4 and 2.6.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Array, first_smallest
from ftree._lib.fields import QUIET, ConstructorRepr, as_tuple, is_distribution, is_finite, is_iterable, must_be
from ftree._lib.messages import joined, short_repr
from ftree.criteria.impurity import checked_counts
from ftree.tree.formats import format_number
from ftree.tree.response import majority

# The share of each class where the tree is used, in the order of the schema's classes.
Priors: TypeAlias = tuple[float, ...]
# The cost of each error: rows by true class, columns by predicted class, 0 on the diagonal.
Costs: TypeAlias = tuple[tuple[float, ...], ...]


def as_priors(priors: Iterable[float] | None) -> Priors | None:
    """Priors as a tuple of numbers.

    Raises a ValueError for anything but numbers from 0 that sum to 1.

    >>> as_priors([0.25, 0.75])
    (0.25, 0.75)
    """
    if priors is None:
        return None
    shares = all_numbers(priors)
    if not is_distribution(shares):
        wanted = "numbers from 0 that sum to 1, one for each class in the schema's order"
        raise ValueError(f"priors must be {wanted}, got {short_repr(priors)}.")
    return shares


def as_costs(costs: Iterable[Iterable[float]] | None) -> Costs | None:
    """A cost matrix as tuples, with rows by true class and columns by predicted class.

    Raises a ValueError for a matrix that is not square, for negative costs, and for a correct prediction with a cost.

    >>> as_costs([[0, 5], [1, 0]])
    ((0.0, 5.0), (1.0, 0.0))
    """
    if costs is None:
        return None
    rows = tuple(map(all_numbers, costs)) if is_iterable(costs) else ()
    square = bool(rows) and all(len(row) == len(rows) for row in rows)
    if not square or min(map(min, rows)) < 0 or any(row[number] for number, row in enumerate(rows)):
        wanted = "a square matrix of numbers from 0, with 0 on the diagonal, rows by true class and columns by predicted class"
        raise ValueError(f"costs must be {wanted}, got {short_repr(costs)}.")
    return rows


def factors(class_counts: Iterable[float], priors: Priors | None, costs: Costs | None) -> Array | None:
    """Factors of the class counts (K,) that account for priors and costs; None if they alter nothing.

    The factor of a class is its prior, divided by its share of the cases, times the sum of its errors' costs; 0 without
    cases. For more than two classes this approximates the costs. The factors keep the sum of the counts.

    Raises a ValueError for priors or costs of another number of classes, and if a factor is too large for a float.

    >>> factors((8, 2), (0.5, 0.5), None).tolist()
    [0.625, 2.5]
    >>> factors((5, 5), None, ((0, 3), (1, 0))).tolist()
    [1.5, 0.5]
    """
    if priors is None and costs is None:
        return None
    counts = np.array(list(class_counts), dtype=np.float64)
    check_length(priors, len(counts), "priors")
    check_length(costs, len(counts), "costs")
    if len(counts) == 1:
        # A single class has no errors, and its weight changes nothing.
        return None
    shares = counts if priors is None else np.array(priors)
    weight = shares * (1.0 if costs is None else np.sum(costs, axis=1))
    with np.errstate(over="ignore", invalid="ignore"):
        weight = np.where(counts > 0, weight / np.where(counts > 0, counts, 1.0), 0.0)
        total = float((weight * counts).sum())
        altered: Array = weight * (counts.sum() / (total or 1.0))
    if not total:
        raise ValueError("priors and costs must give at least one class in the data a weight, got 0 for all classes.")
    if not np.isfinite(altered).all():
        got = f"factors for counts from {counts[counts > 0].min():.3g} to {counts.max():.3g}"
        message = f"priors and costs must give finite factors of the class counts, got {got}. Use weights of similar size."
        raise ValueError(message)
    return altered


def costs_for(costs: Iterable[Iterable[float]] | None, n_classes: int) -> Costs:
    """A cost matrix for `n_classes` classes; without one, every error costs 1.

    Raises a ValueError for anything that is not a cost matrix, or for a matrix of another number of classes.

    >>> costs_for(None, 2)
    ((0.0, 1.0), (1.0, 0.0))
    """
    given = as_costs(costs)
    check_length(given, n_classes, "costs")
    return given or tuple(map(tuple, (1.0 - np.eye(n_classes)).tolist()))


def expected_costs(counts: npt.ArrayLike, costs: Costs) -> Array:
    """Cost of predicting each class for cases with these class counts; the shape (..., K) is kept.

    Raises a ValueError for counts that are not numbers from 0, and for costs that are no matrix for K classes.

    >>> expected_costs([3, 1], ((0, 1), (5, 0))).tolist()
    [5.0, 3.0]
    """
    cases = checked_counts(counts)
    answer: Array = cases @ np.array(costs_for(costs, cases.shape[-1]))
    return answer


@frozen
class LeastCost:
    """The label has the least expected cost; of equal ones it is the first in the order.

    >>> LeastCost(((0, 1), (5, 0)), (0, 1)).labels([[4, 1], [6, 1]]).tolist()
    [1, 0]
    """

    costs: Costs
    order: tuple[int, ...]

    def labels(self, counts: npt.ArrayLike) -> Array:
        """The numbers of the classes for class counts; (..., K) to (...)."""
        cost, cases = expected_costs(counts, self.costs)[..., list(self.order)], np.sum(counts, axis=-1, keepdims=True)
        found: Array = np.array(self.order)[first_smallest(cost, cases * np.max(self.costs))]
        return found


def by_threshold(threshold: Any, n_classes: int) -> LeastCost:
    """The decision for the second of two classes where its probability is at least the threshold.

    Raises a ValueError for anything but a number from 0 to 1, and for another number of classes.

    >>> by_threshold(0.2, 2).labels([[7, 2], [9, 2]]).tolist()
    [1, 0]
    """
    if not (is_finite(threshold) and 0 <= threshold <= 1 and n_classes == 2):  # noqa: PLR2004  # a threshold divides two
        got = f"{short_repr(threshold)} for {n_classes} classes"
        raise ValueError(f"threshold must be a number from 0 to 1 for a tree of two classes, got {got}. Give costs for more.")
    return LeastCost(((0.0, float(threshold)), (1.0 - float(threshold), 0.0)), (1, 0))


_CLASS_COUNTS = must_be(
    "numbers from 0, one for each class",
    lambda counts: min(all_numbers(counts), default=-1) >= 0,
    remedy=" dataset.class_counts() gives them.",
)


@frozen
class cost_risk(ConstructorRepr):
    """Risk of a node: the cost per case of predicting the class of least expected cost; counts (..., K) to (...).

    `class_counts` are the counts of the whole tree. The risk is meant for `cost_complexity`, whose R is then the mean cost
    of the training cases, weighted by the priors.

    Raises a ValueError for priors or costs of another number of classes than the class counts.

    Source: Breiman et al. 1984, section 3.2.

    >>> risk = cost_risk((8, 2), costs=[[0, 1], [5, 0]])
    >>> risk([[8, 2], [3, 0]]).tolist()
    [0.8, 0.0]
    """

    class_counts: tuple[float, ...] = field(converter=as_tuple, validator=_CLASS_COUNTS)
    priors: Priors | None = field(default=None, converter=as_priors, kw_only=True, metadata=QUIET)
    costs: Costs | None = field(default=None, converter=as_costs, kw_only=True, metadata=QUIET)

    def __attrs_post_init__(self) -> None:
        """Check the numbers of classes."""
        factors(self.class_counts, self.priors, self.costs)

    def __call__(self, counts: npt.ArrayLike) -> Array:
        """Cost per case of predicting the best class."""
        weights = np.asarray(counts, dtype=np.float64)
        altered = factors(self.class_counts, self.priors, None)
        costs = costs_for(self.costs, weights.shape[-1])
        least = expected_costs(weights if altered is None else weights * altered, costs).min(axis=-1)
        total = weights.sum(axis=-1)
        risk: Array = np.divide(least, total, out=np.zeros_like(total), where=total > 0)
        return risk


def all_numbers(values: Iterable[float]) -> tuple[float, ...]:
    """Numbers as a tuple; an empty tuple for anything but finite numbers, which the caller must refuse.

    >>> all_numbers([1, 2.5]), all_numbers([1, "two"])
    ((1.0, 2.5), ())
    """
    if isinstance(values, (str, Mapping)):
        return ()
    try:
        listed = tuple(float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        return ()
    return listed if all(map(isfinite, listed)) else ()


def check_length(given: tuple[Any, ...] | None, n_classes: int, name: str) -> None:
    """Raise a ValueError for another number of values than classes.

    >>> check_length((1, 2), 3, "priors")
    Traceback (most recent call last):
    ValueError: priors must be for the 3 classes of the schema, got 2.
    """
    if given is not None and len(given) != n_classes:
        raise ValueError(f"{name} must be for the {n_classes} classes of the schema, got {len(given)}.")


# A single leaf with at least this share of the cases hides the others; so few others are a rounding error.
_MOST_ALIKE, _NONE = 0.9, 1e-6


def rare_class_hint(classes: Sequence[Hashable], counts: Sequence[float]) -> str:
    """A line that names priors and costs, for a tree of one leaf; empty unless a class has nine cases in ten or more, not all.

    >>> rare_class_hint(("no", "yes"), (150, 1))
    "# Every row gets 'no'. To find the other 1 of 151 cases, give the policy priors= or costs=: evolve(CART, priors=(0.5, 0.5))."
    >>> rare_class_hint(("no", "yes"), (9, 5))
    ''
    """
    others, k = sum(counts) - max(counts), sum(map(bool, counts))
    if not _NONE < others <= (1 - _MOST_ALIKE) * sum(counts):
        return ""
    label = short_repr(classes[majority(counts)])
    found = f"Every row gets {label}. To find the other {format_number(others)} of {format_number(sum(counts))} cases"
    priors = joined((format_number(bool(count) / k, decimals=3) for count in counts), at_most=5)
    return f"# {found}, give the policy priors= or costs=: evolve(CART, priors=({priors}))."
