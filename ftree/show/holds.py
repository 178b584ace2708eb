"""Whether formulas and conditions hold for a row given by names."""

from collections.abc import Mapping
from math import inf, isnan, nan
from numbers import Real
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree.data.numbers import seconds
from ftree.data.values import TEMPORAL
from ftree.show.formulas import Dnf, Rule, terms
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, Missing, NoneOf, OneOf, Opaque, SumBetween
from ftree.tree.schema import Feature
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.lookup import weighted_sum
from ftree.tree.splits.protocol import UNKNOWN


def holds(formula: Dnf | Rule, point: Mapping[str, Any]) -> bool:
    """Whether a formula, or all conditions of a rule, hold for a row given as a dict of values by feature name.

    An absent value is None, for which only a condition with None among its values holds.

    Raises a TypeError for anything that is not a formula, rule or dict, and for text instead of a number.

    >>> holds(Dnf("play", ((Between("wind", at_most=3.0),),)), {"wind": 2.0})
    True
    """
    if not isinstance(point, Mapping):
        message = f"point must be a dict of values by feature name, got {short_repr(point)}."
        raise TypeError(message)
    return any(all(fits(condition, point) for condition in term) for term in terms(formula))


def fits(condition: Condition, point: Mapping[Any, Any]) -> bool:
    """Whether a condition with names instead of numbers holds for a row, a dict of values by feature name.

    >>> fits(Missing("wind"), {"wind": None}), fits(NoneOf("sky", ("grey",)), {"sky": "blue"})
    (True, True)
    """
    match condition:
        case FirstKnown(pairs, default):
            return next((known for pair in pairs if (known := _which(pair, point)) is not None), default)
        case AllOf(conditions):
            return all(fits(each, point) for each in conditions)
        case AnyOf(conditions):
            return any(fits(each, point) for each in conditions)
        case SumBetween() | Opaque():
            return _fits_several(condition, point)
    return _fits_one(condition, point)


def _fits_one(condition: Between | OneOf | NoneOf | Missing, point: Mapping[Any, Any]) -> bool:
    """Whether a condition on one feature holds."""
    value = point.get(condition.feature)
    match condition:
        case OneOf(_, values):
            return value in values
        case NoneOf(_, values):
            return not _is_missing(value) and value not in values
        case Missing():
            return _is_missing(value)
    number = _comparable(condition.feature, point)
    return number is not None and (condition.above == -inf or condition.above < number) and number <= condition.at_most


def _fits_several(condition: SumBetween | Opaque, point: Mapping[Any, Any]) -> bool:
    """Whether a condition on several features at once holds."""
    if isinstance(condition, Opaque):
        columns = [np.array([_code(feature, point)]) for feature in condition.features]
        return bool(child_of(condition.split, *columns).item() == condition.child)
    values = [_comparable(feature, point) for feature in condition.features]
    return not any(value is None or isnan(value) for value in values) and _within(condition, values)


def _which(pair: tuple[Condition, Condition], point: Mapping[Any, Any]) -> bool | None:
    """True if the condition fits, False if its opposite fits, None if neither does."""
    holding, opposite = (fits(condition, point) for condition in pair)
    return holding if holding or opposite else None


def _within(condition: SumBetween, values: list[Any]) -> bool:
    """Whether a weighted sum is in the interval; a sum that is NaN is not above any number, as in `child_of`."""
    total = weighted_sum(condition.weights, map(float, values))
    return (condition.above == -inf or bool(total > condition.above)) and not total > condition.at_most


def _code(feature: Feature, point: Mapping[Any, Any]) -> float:
    """A row's number, or the code of its value; NaN or -1 if it is missing or not a value of the feature."""
    if feature.kind == "numeric":
        value = _comparable(feature.name, point)
        return nan if value is None else float(value)
    value = point.get(feature.name)
    return feature.values.index(value) if value in feature.values else UNKNOWN


def _is_missing(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124  # only NaN differs from itself


def _comparable(feature: Any, point: Mapping[Any, Any]) -> Any:
    value = point.get(feature)
    if value is None or isinstance(value, Real):
        return value
    if isinstance(value, TEMPORAL):
        return seconds(value)
    message = f"Values of {feature!r} must be numbers, got {short_repr(value)}."
    raise TypeError(message)
