"""Two children, below and above a threshold of a weighted sum of numeric features."""

from collections.abc import Hashable, Sequence
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.fields import must_be
from ftree._lib.messages import short_repr
from ftree.tree.conditions import SumBetween
from ftree.tree.logic import weighted_sum
from ftree.tree.schema import Schema, position
from ftree.tree.splits.shared import as_number, finite, recoded_feature, threshold_keys, threshold_of
from ftree.tree.splits.split import SUM, UNKNOWN, Integers, TableForm


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
    at: float = field(converter=as_number, validator=finite)
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

    def to_keys(self, schema: Schema) -> tuple[Hashable, tuple[str, ...]]:
        """Pairs of features' names and weights, and "<= at" and "> at"."""
        pairs = [(schema.features[feature].name, self.weights[feature]) for feature in self.features]
        return tuple(pairs), threshold_keys(self.at)

    @classmethod
    def from_keys(cls, schema: Schema, name: Any, keys: tuple[Any, ...]) -> "Oblique | None":
        """The sum that keys stand for. Raises a ValueError for pairs or keys that do not name a sum."""
        if not isinstance(name, tuple):
            return None
        at = threshold_of(keys)
        if at is None or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in name):  # noqa: PLR2004  # a pair
            wanted = "((feature, weight), ...) with the keys '<= a number' and '> the same number'"
            raise ValueError(f"A weighted sum must be {wanted}, got {short_repr(name)} with the keys {short_repr(list(keys))}.")
        weight_of = {position(schema, feature): weight for feature, weight in name}
        return cls([weight_of.get(number, 0.0) for number in range(len(schema.features))], at)
