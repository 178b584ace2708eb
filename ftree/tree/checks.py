"""Checks that a split fits a schema: its features exist, and are of a kind that it can divide."""

from collections.abc import Iterable
from itertools import chain

from ftree._lib.messages import short_repr
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import Groups, Intervals, Multiway, Oblique, OfOneFeature, Split, Threshold, WithSurrogates


def check_split(schema: Schema, split: Split) -> None:
    """Raise a ValueError for a split that uses features or codes that the schema does not have.

    >>> check_split(Schema([Feature("age", "numeric")], "ill", (False, True)), Threshold(1, 0.5))
    Traceback (most recent call last):
    ValueError: A split must use features 0 to 0 of the schema, got feature 1 in Threshold(feature=1, at=0.5).
    """
    match split:
        case Oblique():
            _check_weights(schema, split.weights)
        case WithSurrogates():
            for each in (split.split, *(surrogate.split for surrogate in split.surrogates)):
                check_split(schema, each)
        case _ if split.feature < len(schema.features):
            _check_values(schema.features[split.feature], split)
        case _:
            features = f"features 0 to {len(schema.features) - 1} of the schema" if schema.features else "no features"
            message = f"A split must use {features}, got feature {split.feature} in {short_repr(split)}."
            raise ValueError(message)


def _check_values(feature: Feature, split: OfOneFeature) -> None:
    match split:
        case Threshold():
            _check_cuts(feature, split, (split.at,))
        case Intervals():
            _check_cuts(feature, split, split.cuts)
        case Groups() if feature.kind == "ordinal":
            message = (
                f"A split of the ordinal feature {feature.name!r} must keep its order, got {short_repr(split)}. Use Intervals."
            )
            raise ValueError(message)
        case Groups():
            _check_codes(feature, split, chain.from_iterable(split.groups))
        case Multiway():
            _check_codes(feature, split, split.values)
        case _:
            _check_codes(feature, split, split.members)


def _check_cuts(feature: Feature, split: OfOneFeature, cuts: tuple[float, ...]) -> None:
    if feature.kind == "nominal":
        message = f"A threshold must be on a numeric or ordinal feature, got {short_repr(split)} on {feature.name!r} (nominal)."
        raise ValueError(message)
    if feature.kind == "ordinal" and not 0 <= cuts[0] <= cuts[-1] < len(feature.values):
        bounds = f"at least 0 and below {len(feature.values)}"
        message = f"Thresholds on the codes of {feature.name!r} must be {bounds}, got {short_repr(split)}."
        raise ValueError(message)


def _check_codes(feature: Feature, split: OfOneFeature, codes: Iterable[int]) -> None:
    if feature.kind == "numeric" or max(codes) >= len(feature.values):
        has = f"{feature.name!r} ({feature.kind}, {len(feature.values)} values)"
        message = f"A split's codes must be positions in the feature's values, got {short_repr(split)} on {has}."
        raise ValueError(message)


def _check_weights(schema: Schema, weights: tuple[float, ...]) -> None:
    if len(weights) != len(schema.features):
        message = f"weights must have one number for each of the schema's {len(schema.features)} features, got {len(weights)}."
        raise ValueError(message)
    for feature, weight in zip(schema.features, weights, strict=True):
        if weight and feature.kind != "numeric":
            message = f"weights must be 0 for features that are not numeric, got {weight} for {feature.name!r} ({feature.kind})."
            raise ValueError(message)
