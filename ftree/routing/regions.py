"""Regions: the values of one feature that the splits along a path send down that path."""

from math import inf, isnan, nan, nextafter
from typing import Any

import numpy as np
from attrs import frozen

from ftree.tree.conditions import AnyOf, Between, Condition, FirstKnown, Missing, NoneOf, OneOf
from ftree.tree.schema import Feature
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import UNKNOWN, Split


@frozen
class Region:
    """Values of a feature: numbers in (above, at_most], or codes if it is not numeric; and whether a missing value belongs."""

    above: float = -inf
    at_most: float = inf
    codes: frozenset[int] = frozenset()
    missing: bool = True


def everything(feature: Feature) -> Region:
    """The region of all values."""
    return Region(codes=frozenset(range(len(feature.values))))


def region_of(split: Split, child: int, feature: Feature, *, default: int | None = None) -> Region | None:
    """The values of its only feature that a split sends to a child; None if they are not an interval that it states.

    Codes that the split does not know go to the child `default`.

    >>> from ftree import Threshold
    >>> region_of(Threshold(0, 2.0), 1, Feature("x", "numeric"))
    Region(above=2.0, at_most=inf, codes=frozenset(), missing=False)
    """
    if feature.kind == "numeric":
        interval = _interval(split.conditions[child])
        missing = bool(child_of(split, np.array([nan]))[0] == child)
        return None if interval is None else Region(*interval, missing=missing)
    missing, *answers = child_of(split, np.arange(UNKNOWN, len(feature.values))).tolist()
    wanted = {child, UNKNOWN} if child == default else {child}
    return Region(codes=frozenset(code for code, answer in enumerate(answers) if answer in wanted), missing=missing == child)


def both(one: Region, other: Region) -> Region:
    """The values that belong to two regions."""
    above, at_most = max(one.above, other.above), min(one.at_most, other.at_most)
    return Region(above, at_most, one.codes & other.codes, one.missing and other.missing)


def nearest(region: Region, feature: Feature, value: float) -> float | None:
    """The value of a region that is nearest to a number or a code, missing only if there is no other; None in an empty region.

    NaN and negative codes are missing. All codes of a nominal feature are equally near; the lowest is chosen.

    >>> nearest(Region(at_most=2.5), Feature("x", "numeric"), 7.0)
    2.5
    """
    if is_unknown(value) and region.missing:
        return value
    if feature.kind == "numeric":
        return _nearest_number(region, value)
    if value in region.codes or not region.codes:
        return value if region.codes else UNKNOWN if region.missing else None
    order = 0 if feature.kind == "nominal" or is_unknown(value) else value
    return min(region.codes, key=lambda code: (abs(code - order), code))


def is_unknown(value: float) -> bool:
    """Whether a number (a float) or a code (an int) stands for a missing value."""
    return value < 0 if isinstance(value, int) else isnan(value)


def condition_of(number: int, feature: Feature, region: Region, value: float) -> Condition:
    """The part of a region around a value as a condition with feature numbers and codes.

    >>> print(condition_of(0, Feature("x", "numeric"), Region(above=2.0), 3.0))
    0 > 2
    """
    if is_unknown(value):
        return Missing(number)
    return Between(number, region.above, region.at_most) if feature.kind == "numeric" else OneOf(number, sorted(region.codes))


def _nearest_number(region: Region, value: float) -> float | None:
    if region.above < value <= region.at_most:
        return value
    if not region.above < region.at_most:
        return nan if region.missing else None
    return region.at_most if region.at_most < inf and not value <= region.above else nextafter(region.above, inf)


def _interval(condition: Any) -> tuple[float, float] | None:
    """The ends of the numbers for which a condition on a numeric feature holds; None if it states no interval."""
    match condition:
        case Between(_, above, at_most):
            return above, at_most
        case NoneOf():
            return -inf, inf
        case Missing():
            return inf, -inf
        case FirstKnown(((own, _),)):
            return _interval(own)
        case AnyOf((own, Missing())):
            return _interval(own)
    return None
