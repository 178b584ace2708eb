"""Merging conditions along a path: conditions on one feature, or on one weighted sum, become one condition."""

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

from attrs import evolve

from ftree.show.holds import fits
from ftree.tree.conditions import AllOf, Between, Condition, FirstKnown, Missing, NoneOf, OneOf, Opaque, SumBetween
from ftree.tree.splits.protocol import Split

# The subject of a condition: a feature's name, the features and weights of a sum, or a part of a split's condition.
Subject: TypeAlias = Hashable


def added(known: Mapping[Subject, Condition], split: Split, stated: Condition) -> "dict[Subject, Condition | None] | None":
    """The conditions that hold after a split's condition is added to the known ones; None if no row fits them all.

    >>> from ftree import Threshold
    >>> added({"x": Between("x", at_most=5.0)}, Threshold(0, 3.0), Between("x", above=3.0))
    {'x': Between(feature='x', above=3.0, at_most=5.0)}
    """
    changes: dict[Subject, Condition | None] = {}
    for place, part in enumerate(stated.conditions if isinstance(stated, AllOf) else (stated,)):
        subject = _subject(split, place, part)
        both = _both(changes.get(subject, known.get(subject)), part)
        if both is None:
            return None
        changes[subject] = both
    return changes


def _subject(split: Split, place: int, stated: Condition) -> Subject:
    match stated:
        case Between() | OneOf() | NoneOf() | Missing():
            return stated.feature
        case SumBetween(features, weights):
            return features, weights
        case FirstKnown() | Opaque():  # the same split leads to the same child again, or to no child
            return split, place
    return stated


def _both(old: Condition | None, new: Condition) -> Condition | None:
    """The combination of two conditions on one subject; None if no row fits both."""
    if old is None:
        return None if isinstance(new, OneOf) and not new.values else new
    if isinstance(old, (Between, SumBetween)) and type(old) is type(new):
        return _narrower(old, new)
    match old, new:
        case (OneOf() as listed, (Between() | OneOf() | NoneOf() | Missing()) as other) | (other, OneOf() as listed):
            return _among(listed, other)
        case (Between() | NoneOf() | AllOf(), Between() | NoneOf()):
            return _known(old, new)
    return old if old == new else None


def _narrower(old: Any, new: Any) -> Condition | None:
    """The intersection of two intervals; None if it is empty."""
    above, at_most = max(old.above, new.above), min(old.at_most, new.at_most)
    if above >= at_most:
        return None
    return Between(old.feature, above, at_most) if isinstance(old, Between) else evolve(old, above=above, at_most=at_most)


def _among(listed: OneOf, other: Condition) -> OneOf | None:
    """The listed values for which another condition on the same feature holds; None if there are none."""
    values = tuple([value for value in listed.values if fits(other, {listed.feature: value})])
    return evolve(listed, values=values) if values else None


def _known(old: Condition, new: Between | NoneOf) -> Condition:
    """Two conditions that both require a known value, as one; "is known" adds nothing."""
    if new in {NoneOf(new.feature), Between(new.feature)}:
        return old
    if old in {NoneOf(new.feature), Between(new.feature)}:
        return new
    parts = old.conditions if isinstance(old, AllOf) else (old,)
    return old if new in parts else AllOf((*parts, new))
