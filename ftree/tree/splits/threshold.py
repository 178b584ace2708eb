"""Two children, below and above a threshold."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree._lib.arrays import largest_up_to, missing_cells
from ftree.tree.conditions import Between
from ftree.tree.schema import Schema
from ftree.tree.splits import shared
from ftree.tree.splits.split import ABOVE, UNKNOWN, Integers, TableForm


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
        return Threshold(shared.recoded_feature(old, new, self.feature), at)

    def at_observed(self, values: Sequence[Any]) -> "Threshold":
        """The threshold moved down to the largest observed value of a numeric feature that is not above it."""
        observed = values[self.feature]
        moved = self.at if observed is None else float(largest_up_to(observed, np.array([self.at]))[0])
        return self if moved == self.at else evolve(self, at=moved)

    def tables(self) -> TableForm:
        """The question whether the number is above the threshold."""
        return TableForm(ABOVE, self.feature, self.at)

    def to_keys(self, schema: Schema) -> tuple[str, tuple[str, ...]]:
        """The feature's name, and "<= at" and "> at"."""
        return schema.features[self.feature].name, shared.threshold_keys(self.at)

    @classmethod
    def from_keys(cls, schema: Schema, name: Any, keys: tuple[Any, ...]) -> "Threshold | None":
        """The threshold that keys stand for."""
        number, feature = shared.feature_named(schema, name)
        at = None if feature.kind == "nominal" else shared.threshold_of(keys)
        return None if at is None else cls(number, at)
