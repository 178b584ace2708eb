"""Splits by cuts of numbers: one threshold, intervals, a threshold of a weighted sum."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite, log2
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree._lib.arrays import largest_up_to, missing_cells
from ftree._lib.fields import must_be
from ftree._lib.messages import short_repr
from ftree.tree.conditions import Between, SumBetween, weighted_sum
from ftree.tree.schema import Schema
from ftree.tree.splits import shared
from ftree.tree.splits.shared import recoded_feature
from ftree.tree.splits.split import ABOVE, BETWEEN, SUM, UNKNOWN, Integers, TableForm


@frozen
class Threshold(shared.OfOneFeature):
    """Child 0 for x <= at, child 1 for x > at; x is a value of a numeric feature or a code of an ordinal one.

    Raises a TypeError or a ValueError for a threshold that is not a finite number.

    >>> Threshold(2, at=2.45)
    Threshold(feature=2, at=2.45)
    """

    at: float = field(converter=shared.as_number, validator=shared.finite)
    n_children = 2
    answers_all_known = True

    @property
    def conditions(self) -> tuple[Between, Between]:
        """At most the threshold, above it."""
        return Between(self.feature, at_most=self.at), Between(self.feature, above=self.at)

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """1 where the value is above the threshold, else 0; -1 where it is missing."""
        return np.where(missing_cells(column), UNKNOWN, self.is_high(column))

    def is_high(self, column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which values are above the threshold."""
        # As doubles: a float32 column is compared in full precision; NumPy 1 would round the threshold to the column's type.
        high: npt.NDArray[np.bool_] = np.greater(column, self.at, signature="dd->?")
        return high

    def check(self, schema: Schema) -> None:
        """Raise a ValueError for a nominal feature, or for a threshold outside an ordinal one's codes."""
        shared.check_cuts(schema.features[self.feature], self, (self.at,))

    def recoded(self, old: Schema, new: Schema) -> "Threshold":
        """The threshold in another schema's numbers. Raises a ValueError where it has no position there."""
        (at,) = shared.recoded_cuts(old, new, self.feature, (self.at,))
        return Threshold(recoded_feature(old, new, self.feature), at)

    def at_observed(self, values: Sequence[Any]) -> "Threshold":
        """The threshold moved down to the largest observed value of a numeric feature that is not above it."""
        observed = values[self.feature]
        moved = self.at if observed is None else float(largest_up_to(observed, np.array([self.at]))[0])
        return self if moved == self.at else evolve(self, at=moved)

    def tables(self) -> TableForm:
        """The question whether the number is above the threshold."""
        return TableForm(ABOVE, self.feature, self.at)


def _numbers(cuts: Any) -> tuple[float, ...]:
    try:
        return tuple(map(shared.as_number, cuts))
    except TypeError:
        raise TypeError(f"cuts must be a sequence of finite numbers, got {short_repr(cuts)}.") from None


def _rise(cuts: tuple[float, ...]) -> bool:
    return bool(cuts) and all(map(isfinite, cuts)) and all(low < high for low, high in pairwise(cuts))


@frozen
class Intervals(shared.OfOneFeature):
    """One child for each interval between cuts: child 0 for x <= cuts[0], child 1 for cuts[0] < x <= cuts[1], and so on.

    x is a value of a numeric feature, or a code of an ordinal one. Raises a ValueError for cuts that do not increase.

    >>> Intervals(2, cuts=(2.45, 4.75))
    Intervals(feature=2, cuts=(2.45, 4.75))
    """

    cuts: tuple[float, ...] = field(
        converter=_numbers, validator=must_be("one or more finite numbers in increasing order", _rise)
    )
    answers_all_known = True

    @property
    def n_children(self) -> int:
        """The number of cuts plus one."""
        return len(self.cuts) + 1

    @property
    def conditions(self) -> tuple[Between, ...]:
        """The intervals."""
        return tuple([Between(self.feature, *ends) for ends in self._ends()])

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """The number of the interval; -1 where the value is missing."""
        return np.where(missing_cells(column), UNKNOWN, np.searchsorted(self.cuts, column.astype(np.float64)))

    def check(self, schema: Schema) -> None:
        """Raise a ValueError for a nominal feature, or for cuts outside an ordinal one's codes."""
        shared.check_cuts(schema.features[self.feature], self, self.cuts)

    def recoded(self, old: Schema, new: Schema) -> "Intervals":
        """The intervals in another schema's numbers. Raises a ValueError where a cut has no position there."""
        return Intervals(recoded_feature(old, new, self.feature), shared.recoded_cuts(old, new, self.feature, self.cuts))

    def bits(self, distinct: float) -> float:
        """log2 of the number of ways to choose the cuts among those between distinct values."""
        places = max(distinct - 1, len(self.cuts))
        return sum(log2((places - chosen) / (chosen + 1)) for chosen in range(len(self.cuts)))

    def tables(self) -> TableForm:
        """The question between which cuts the number lies."""
        return TableForm(BETWEEN, self.feature, numbers=self.cuts, terms=(self.feature,) * len(self.cuts))

    def _ends(self) -> list[tuple[float, float]]:
        return list(pairwise((-inf, *self.cuts, inf)))


def _weights(weights: Any) -> tuple[float, ...]:
    try:
        return tuple(float(weight) for weight in weights)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"weights must be a sequence of numbers, one for each feature, got {short_repr(weights)}.") from None


_SOME_WEIGHT = must_be("finite and not all 0", lambda weights: all(map(isfinite, weights)) and any(weights))


@frozen
class Oblique:
    """Child 0 where a weighted sum of numeric features is at most `at`, child 1 where it is above.

    There is one weight for each feature, 0 for unused features. A row that lacks any of the features used is
    routed as missing. Raises a ValueError for weights that are not finite, or all 0.

    >>> Oblique(weights=(1, 0, -0.5), at=2)
    Oblique(weights=(1.0, 0.0, -0.5), at=2.0)
    """

    weights: tuple[float, ...] = field(converter=_weights, validator=_SOME_WEIGHT)
    at: float = field(converter=shared.as_number, validator=shared.finite)
    n_children = 2
    answers_all_known = True

    @property
    def features(self) -> tuple[int, ...]:
        """The features whose weight is not 0."""
        return tuple([number for number, weight in enumerate(self.weights) if weight])

    @property
    def conditions(self) -> tuple[SumBetween, SumBetween]:
        """The sum is at most the threshold, or above it."""
        given = self.features, filter(None, self.weights)
        low = SumBetween(*given, at_most=self.at)
        return low, SumBetween(low.features, low.weights, above=self.at)

    def child(self, *columns: npt.NDArray[Any]) -> Integers:
        """1 where the sum is above the threshold, else 0; -1 where one of the features is missing."""
        missing = np.logical_or.reduce([np.isnan(column) for column in columns])
        total = weighted_sum(filter(None, self.weights), (column.astype(np.float64) for column in columns))
        return np.where(missing, UNKNOWN, total > self.at)

    def check(self, schema: Schema) -> None:
        """Raise a ValueError for another number of features than the schema's, or for features that are not numeric."""
        if len(self.weights) != len(schema.features):
            wanted = f"one number for each of the schema's {len(schema.features)} features"
            raise ValueError(f"weights must have {wanted}, got {len(self.weights)}.")
        for feature, weight in zip(schema.features, self.weights, strict=True):
            if weight and feature.kind != "numeric":
                got = f"{weight} for {short_repr(feature.name)} ({feature.kind})"
                raise ValueError(f"weights must be 0 for features that are not numeric, got {got}.")

    def renumbered(self, features: Sequence[int], n: int) -> "Oblique":
        """The sum with features numbered as in a table of n features."""
        weights = dict(zip(features, self.weights, strict=True))
        return Oblique([weights.get(number, 0.0) for number in range(n)], self.at)

    def recoded(self, old: Schema, new: Schema) -> "Oblique":
        """The sum in another schema's numbers. Raises a ValueError where a feature that it uses does not exist there."""
        weights = [0.0] * len(new.features)
        for feature in self.features:
            weights[recoded_feature(old, new, feature)] = self.weights[feature]
        return Oblique(weights, self.at)

    def tables(self) -> TableForm:
        """The question whether the sum is above the threshold."""
        terms = self.features
        return TableForm(SUM, at=self.at, numbers=[self.weights[feature] for feature in terms], terms=terms)
