"""Conditions as logic: whether one holds, what two hold together, and which values of a feature satisfy one."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain, pairwise
from math import inf, nan, nextafter
from operator import and_, or_
from typing import Any, Protocol

from attrs import evolve, frozen

from ftree.tree.conditions import (
    AllOf,
    AnyOf,
    Between,
    Condition,
    FeatureKey,
    FirstKnown,
    Missing,
    NoneOf,
    Not,
    OneOf,
    Opaque,
    SumBetween,
    Worded,
    unknown_condition,
    weighted_sum,
)


class Cells(Protocol):
    """The values of one row, or of several: answers are bools and numbers, or arrays (n,) of them."""

    def number(self, feature: FeatureKey) -> Any:
        """The feature's numbers, NaN where missing."""
        ...

    def missing(self, feature: FeatureKey) -> Any:
        """Whether its value is missing."""
        ...

    def among(self, feature: FeatureKey, values: Sequence[Hashable]) -> Any:
        """Whether it has one of some values."""
        ...

    def child(self, opaque: Opaque) -> Any:
        """The child that an opaque condition's split gives."""
        ...


def satisfied(stated: Condition, cells: Cells) -> Any:
    """Whether a condition holds: a bool for one row, an array (n,) for several; for every row if it asks nothing.

    >>> satisfied(AnyOf((Between("age", at_most=17.0), Not(Missing("sky")))), OneRow({"age": 40, "sky": None}))
    False
    """
    match stated:
        case AllOf(parts):
            holds = _together(parts, cells, and_, start=True)
        case AnyOf(parts):
            holds = _together(parts, cells, or_, start=False)
        case Not(inner):
            holds = satisfied(inner, cells) ^ True
        case Worded(inner):
            holds = satisfied(inner, cells)
        case FirstKnown():
            holds = satisfied(without_order(stated), cells)
        case Opaque(_, child):
            holds = cells.child(stated) == child
        case _:
            holds = _satisfied(stated, cells)
    return holds


def _together(parts: Iterable[Condition], cells: Cells, operator: Callable[[Any, Any], Any], *, start: bool) -> Any:
    """The answers to several conditions together; for one row, those after a decisive one are not asked."""
    holds: Any = start
    for each in parts:
        holds = operator(holds, satisfied(each, cells))
        if holds is (not start):
            break
    return holds


def _satisfied(stated: Between | SumBetween | OneOf | NoneOf | Missing, cells: Cells) -> Any:
    """Whether a condition on the values of features holds."""
    match stated:
        case Missing(feature):
            return cells.missing(feature)
        case OneOf(feature, values):
            return cells.among(feature, values)
        case NoneOf(feature, values):
            return (cells.missing(feature) | cells.among(feature, values)) ^ True
        case SumBetween(features, weights):
            numbers = list(map(cells.number, features))
            total = weighted_sum(weights, numbers)
        case Between(feature):
            numbers = [total := cells.number(feature)]
        case _:
            raise unknown_condition(stated)
    known = reduce(and_, [number == number for number in numbers])  # noqa: PLR0124  # NaN is not equal to itself
    # A sum that overflows to NaN is not above any number, as in the split.
    return known & ((stated.above == -inf) | (total > stated.above)) & ((total > stated.at_most) ^ True)


@frozen
class OneRow:
    """One row as a mapping of values by feature; an absent value, None and NaN are missing."""

    values: Mapping[Any, Any]

    def number(self, feature: FeatureKey) -> Any:
        """The value."""
        value = self.values.get(feature)
        return nan if value is None else value

    def missing(self, feature: FeatureKey) -> bool:
        """Whether there is no value."""
        value = self.values.get(feature)
        return value is None or bool(value != value)  # noqa: PLR0124  # only NaN differs from itself

    def among(self, feature: FeatureKey, values: Sequence[Hashable]) -> bool:
        """Whether the value is listed; a missing one is if None is."""
        return self.values.get(feature) in values

    def child(self, opaque: Opaque) -> int:
        """A row of a mapping has no columns."""
        raise TypeError(f"An opaque condition must be asked of a dataset, got {opaque.text!r}.")


# Conditions in other forms.


def without_order(stated: FirstKnown) -> Condition:
    """Conditions with surrogates without their order: each pair decides, or does not fail to hold while the rest holds.

    >>> a, b = (OneOf("a", (1,)), NoneOf("a", (1,))), (OneOf("b", (1,)), NoneOf("b", (1,)))
    >>> print(without_order(FirstKnown((a, b))))
    a = 1 or (not (a not in {1}) and b = 1)
    """
    found = Not(stated.pairs[-1][1]) if stated.default else stated.pairs[-1][0]
    for holds, fails in reversed(stated.pairs[:-1]):
        found = AnyOf((holds, AllOf((Not(fails), found))))
    return found


def subject_of(stated: Condition) -> Hashable:
    """What a condition asks: its feature, or the features and the weights of a sum; one made of others is its own subject."""
    match stated:
        case SumBetween(features, weights):
            return features, weights
        case Worded(inner):
            return subject_of(inner)
    return getattr(stated, "feature", stated)


# Two conditions at once.


def both(old: Condition, new: Condition) -> Condition | None:
    """The combination of two conditions on one subject; None if nothing satisfies both. One that says it all keeps its text.

    >>> print(both(Between("age", above=18.0), Between("age", at_most=65.0)), both(Missing("sky"), OneOf("sky", ("blue",))))
    18 < age <= 65 None
    """
    if isinstance(old, Worded) or isinstance(new, Worded):
        found = both(*(each.condition if isinstance(each, Worded) else each for each in (old, new)))
        return next((each for each in (new, old) if isinstance(each, Worded) and each.condition == found), found)
    if isinstance(old, (Between, SumBetween)) and type(old) is type(new):
        return _narrower(old, new)
    match old, new:
        case (OneOf(feature, values) as listed, other) | (other, OneOf(feature, values) as listed):
            left = [value for value in values if satisfied(other, OneRow({feature: value}))]
            return evolve(listed, values=left) if left else None
        case (Between() | NoneOf() | AllOf(), Between() | NoneOf()):
            return _of_known(old, new)
    if old == new:
        return old
    # A known value is not missing, and a split sends a row to one child.
    if any(isinstance(each, Missing | FirstKnown | Opaque) for each in (old, new)):
        return None
    raise TypeError(f"Conditions on one subject must be of types that `both` combines, got {old!r} and {new!r}.")


def _narrower(old: Any, new: Any) -> Condition | None:
    """The intersection of two intervals; None if it is empty."""
    above, at_most = max(old.above, new.above), min(old.at_most, new.at_most)
    if above >= at_most:
        return None
    return Between(old.feature, above, at_most) if isinstance(old, Between) else evolve(old, above=above, at_most=at_most)


def _of_known(old: Condition, new: Between | NoneOf) -> Condition:
    """Two conditions that both require a known value, as one; "is known" adds nothing."""
    known = NoneOf(new.feature), Between(new.feature)
    parts = old.conditions if isinstance(old, AllOf) else (old,)
    if new in (*known, *parts):
        return old
    return new if old in known else AllOf((*parts, new))


def intervals_of(stated: Condition) -> list[tuple[float, float]] | None:
    """The numbers that satisfy a condition on one feature, as the ends of intervals (above, at most], which do not meet.

    None for a condition on a sum, and for one that only a split can evaluate.

    >>> intervals_of(Not(AnyOf((Between(0, 1.0, 2.0), Between(0, above=2.0, at_most=5.0), Missing(0)))))
    [(-inf, 1.0), (5.0, inf)]
    """
    match stated:
        case AllOf(parts):
            return intervals_of(Not(AnyOf(map(Not, parts))))
        case AnyOf(parts):
            listed = list(map(intervals_of, parts))
            found = None if None in listed else _united([each for some in listed for each in some or ()])
        case Not(inner):
            out = intervals_of(inner)
            ends = None if out is None else [-inf, *chain.from_iterable(out), inf]
            found = None if ends is None else [(low, high) for low, high in list(pairwise(ends))[::2] if low < high]
        case FirstKnown():
            found = intervals_of(without_order(stated))
        case Worded(inner):
            found = intervals_of(inner)
        case SumBetween() | Opaque():
            found = None
        case _:
            found = _intervals(stated)
    return found


def _intervals(stated: Between | OneOf | NoneOf | Missing) -> list[tuple[float, float]]:
    match stated:
        case Between(_, above, at_most):
            return [(above, at_most)] if above < at_most else []
        case OneOf(_, listed):
            values: Any = listed
            return _united([(nextafter(float(value), -inf), float(value)) for value in values])
        case NoneOf(feature, values):
            return intervals_of(Not(OneOf(feature, values))) or []
        case Missing():
            return []
    raise unknown_condition(stated)


def _united(intervals: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Intervals that may overlap as some that do not meet, in order."""
    found: list[tuple[float, float]] = []
    for above, at_most in sorted(intervals):
        if found and above <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], at_most)
        else:
            found.append((above, at_most))
    return found
