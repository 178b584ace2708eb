"""Checks that a split fits a schema, shared by split types: features exist, and cuts and codes are among their values."""

from collections.abc import Iterable

from ftree._lib.messages import short_repr
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits.protocol import Split


def check_features(schema: Schema, split: Split) -> None:
    """Raise a ValueError for a split that uses features that the schema does not have.

    >>> from ftree import Threshold
    >>> check_features(Schema([Feature("age", "numeric")], "ill", (False, True)), Threshold(1, 0.5))
    Traceback (most recent call last):
    ValueError: A split must use features 0 to 0 of the schema, got feature 1 in Threshold(feature=1, at=0.5).
    """
    for feature in split.features:
        if not 0 <= feature < len(schema.features):
            wanted = f"features 0 to {len(schema.features) - 1} of the schema" if schema.features else "no features"
            message = f"A split must use {wanted}, got feature {feature} in {short_repr(split)}."
            raise ValueError(message)


def check_cuts(feature: Feature, split: Split, cuts: tuple[float, ...]) -> None:
    """Raise a ValueError for thresholds on a nominal feature, or outside the codes of an ordinal one."""
    if feature.kind == "nominal":
        message = f"A threshold must be on a numeric or ordinal feature, got {short_repr(split)} on {feature.name!r} (nominal)."
        raise ValueError(message)
    if feature.kind == "ordinal" and not 0 <= cuts[0] <= cuts[-1] < len(feature.values):
        bounds = f"at least 0 and below {len(feature.values)}"
        message = f"Thresholds on the codes of {feature.name!r} must be {bounds}, got {short_repr(split)}."
        raise ValueError(message)


def check_codes(feature: Feature, split: Split, codes: Iterable[int]) -> None:
    """Raise a ValueError for codes of a numeric feature, or for codes above those of the feature's values."""
    if max(codes) >= len(feature.values):  # a numeric feature has no values
        has = f"{feature.name!r} ({feature.kind}, {len(feature.values)} values)"
        message = f"A split's codes must be positions in the feature's values, got {short_repr(split)} on {has}."
        raise ValueError(message)
