"""The rows that satisfy a condition with names of features and values: those of a dataset, or one row as a dict."""

from collections.abc import Hashable, Mapping, Sequence
from math import nan
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree._lib.arrays import Array, missing_cells
from ftree._lib.messages import short_repr
from ftree.data.changes import recoded_columns
from ftree.data.dataset import Dataset
from ftree.data.times import TEMPORAL, seconds
from ftree.tree.conditions import Condition, FeatureKey, Opaque
from ftree.tree.logic import OneRow, satisfied
from ftree.tree.schema import Feature, position
from ftree.tree.splits.split import UNKNOWN, child_of

Mask = npt.NDArray[np.bool_]


def matching(condition: Condition, dataset: Dataset) -> Mask:
    """The rows for which a condition with names instead of numbers holds, as a mask (n,).

    Raises a KeyError for a feature that the dataset lacks.

    >>> from ftree import datasets
    >>> from ftree.tree.conditions import OneOf
    >>> int(matching(OneOf("outlook", ("sunny",)), datasets.weather()).sum())
    5
    """
    mask: Mask = np.ones(len(dataset), dtype=bool) & satisfied(condition, _Columns(dataset))
    return mask


def fits(condition: Condition, point: Mapping[Any, Any]) -> bool:
    """Whether a condition with names instead of numbers holds for a row, a dict of values by feature name.

    An absent value is missing. Raises a TypeError for text instead of a number.

    >>> from ftree.tree.conditions import Missing, NoneOf
    >>> fits(Missing("wind"), {"wind": None}), fits(NoneOf("sky", ("grey",)), {"sky": "blue"})
    (True, True)
    """
    return bool(satisfied(condition, _Point(point)))


@frozen
class _Columns:
    """The rows of a dataset, by names of features and values."""

    dataset: Dataset

    def number(self, feature: FeatureKey) -> Array:
        """The feature's column."""
        return self.dataset.columns[position(self.dataset.schema, str(feature))]

    def missing(self, feature: FeatureKey) -> Mask:
        """Where it is missing."""
        return missing_cells(self.number(feature))

    def among(self, feature: FeatureKey, values: Sequence[Hashable]) -> Mask:
        """Where it has one of the values, which may be None."""
        known = self.dataset.schema.features[position(self.dataset.schema, str(feature))].values
        here = np.isin(self.number(feature), [code for code, value in enumerate(known) if value in values])
        return here | (self.missing(feature) & (None in values))

    def child(self, opaque: Opaque) -> Array:
        """The child of each row."""
        return child_of(opaque.split, *recoded_columns(self.dataset, opaque.features))


class _Point(OneRow):
    """One row, whose times count as seconds."""

    def number(self, feature: FeatureKey) -> Any:
        """The value as a number."""
        value = self.values.get(feature)
        if value is None or isinstance(value, Real):
            return nan if value is None else value if isinstance(value, int) else float(value)
        if isinstance(value, TEMPORAL):
            return seconds(value)
        raise TypeError(f"Values of {feature!r} must be numbers, got {short_repr(value)}.")

    def child(self, opaque: Opaque) -> int:
        """The child by the numbers, and the codes of the values."""
        return int(child_of(opaque.split, *(np.array([self._code(feature)]) for feature in opaque.features)).item())

    def _code(self, feature: Feature) -> float:
        """The number, or the code of the value; NaN or -1 if it is missing or not a value of the feature."""
        if feature.kind == "numeric":
            return float(self.number(feature.name))
        value = self.values.get(feature.name)
        return feature.values.index(value) if value in feature.values else UNKNOWN
