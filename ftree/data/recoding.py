"""Columns in the codes of other features."""

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import evolve

from ftree.data.coding import encode, smallest_integers
from ftree.data.missing_values import ALWAYS_MISSING
from ftree.data.times import may_stand_for, time_in_words
from ftree.data.values import Column
from ftree.tree.schema import Feature

Codes: TypeAlias = npt.NDArray[np.intp]


def recoded(old: Feature, new: Feature, column: Column) -> Column:
    """A column in the codes of another feature of the same name; values that it lacks become missing.

    Raises a ValueError for a feature of another kind.
    """
    if (old.kind == "numeric") != (new.kind == "numeric"):
        remedy = f"Read it with kinds={{{new.name!r}: {new.kind!r}}}."
        message = f"Feature {new.name!r} of the dataset must be {new.kind}, got a feature that is {old.kind}. {remedy}"
        raise ValueError(message)
    if not may_stand_for(old.time, new.time):
        message = f"Feature {new.name!r} of the dataset must be {time_in_words(new.time)}, got {time_in_words(old.time)}."
        raise ValueError(message)
    if old.kind == "numeric" or old.values == new.values:
        return column
    codes = encode(new, [*old.values, None], ALWAYS_MISSING)
    return codes[column]


def codes_of_labels(labels: Sequence[Hashable], classes: Sequence[Hashable]) -> Codes:
    """The number of each label among classes, -1 for a label that is not among them.

    >>> codes_of_labels(("no", "maybe"), ("yes", "no")).tolist()
    [1, -1]
    """
    code_of = {label: code for code, label in enumerate(classes)}
    return np.array([code_of.get(label, -1) for label in labels], dtype=np.intp)


def with_none(feature: Feature) -> Feature:
    """A nominal feature with None, for "missing", as its last value, unless it has None already; other features unchanged."""
    # If None is a value already, the cells without a code are undeclared values, which mean missing.
    known = feature.kind != "nominal" or None in feature.values
    return feature if known else evolve(feature, values=(*feature.values, None))


def missing_as_none(feature: Feature, column: Column) -> tuple[Feature, Column]:
    """A nominal feature and its column with None, for "missing", as a value; unchanged if nothing is missing."""
    if feature.kind != "nominal" or not (column < 0).any():
        return feature, column
    wider = with_none(feature)
    # A wider type first, since the new code may not fit the column's own integers.
    codes = np.where(column < 0, wider.values.index(None), column.astype(np.intp))
    return wider, smallest_integers(codes, len(wider.values))
