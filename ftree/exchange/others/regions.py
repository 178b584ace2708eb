"""Splits made of what other libraries say of each child: an interval of numbers, a set of codes, whether it gets missing ones."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import inf, isfinite
from typing import Any

from attrs import frozen

from ftree._lib.messages import short_repr
from ftree.tree.schema import Schema
from ftree.tree.splits import Groups, Intervals, IsMissing, Multiway, Subset, Threshold, WithDefault
from ftree.tree.splits.protocol import Split

_PAIR = 2


@frozen
class Region:
    """What a child gets of one feature: an interval of numbers or codes, or a set of codes, and whether missing values.

    >>> Region(0, at_most=2.5, missing=True).above
    -inf
    """

    feature: int
    above: float = -inf
    at_most: float = inf
    codes: frozenset[int] | None = None
    missing: bool = False
    excludes: bool = False  # the codes are what is left by others


def at_threshold(feature: int, at: float, *, missing_left: bool | None = None) -> Split:
    """The split by a threshold; missing values go to the first child, to the second one, or, for None, where the rule says.

    >>> at_threshold(0, 2.5, missing_left=True)
    WithDefault(split=Threshold(feature=0, at=2.5), default_child=0)
    """
    return _with_default(Threshold(feature, at), missing_left)


def among_codes(feature: int, codes: Iterable[int], *, missing_left: bool | None = None) -> Split:
    """The split by a set of codes, which go to the first child; missing values as for `at_threshold`.

    >>> among_codes(0, [2, 1])
    Subset(feature=0, members=(1, 2))
    """
    return _with_default(Subset(feature, tuple(codes)), missing_left)


def _with_default(own: Split, missing_left: bool | None) -> Split:  # noqa: FBT001  # a side
    return own if missing_left is None else WithDefault(own, default_child=int(not missing_left))


def split_of(schema: Schema, regions: Sequence[Region]) -> tuple[Split, list[int]]:
    """The split of children with these regions of one feature, and the order of its children among them.

    Raises a ValueError where no split of ours divides rows so.
    """
    features = {each.feature for each in regions}
    missing = [number for number, each in enumerate(regions) if each.missing]
    if len(features) != 1 or len(missing) > 1:
        raise refused(regions)
    (feature,) = features
    if missing and regions[missing[0]].codes == frozenset():
        return _beside_missing(schema, regions, missing[0])
    own, order = _of_codes(regions) if schema.features[feature].kind == "nominal" else _of_intervals(regions)
    return (WithDefault(own, default_child=order.index(missing[0])) if missing else own), order


def _beside_missing(schema: Schema, regions: Sequence[Region], missing: int) -> tuple[Split, list[int]]:
    """The split where a child gets the missing values, and nothing else that is known."""
    others = [number for number in range(len(regions)) if number != missing]
    every = frozenset(range(len(schema.features[regions[0].feature].values)))
    if len(others) == 1 and regions[others[0]].codes in (None, every):
        return IsMissing(regions[0].feature), [others[0], missing]
    own, order = split_of(schema, [regions[number] for number in others])
    return WithDefault(own, default_child=len(others)), [*[others[place] for place in order], missing]


def _of_intervals(regions: Sequence[Region]) -> tuple[Split, list[int]]:
    order = sorted(range(len(regions)), key=lambda number: regions[number].above)
    rising = [regions[number] for number in order]
    cuts = [each.at_most for each in rising[:-1]]
    meet = all(low.at_most == high.above for low, high in pairwise(rising)) and all(map(isfinite, cuts))
    if not cuts or not meet or rising[0].above != -inf or rising[-1].at_most != inf:
        raise refused(regions)
    return (Threshold(regions[0].feature, cuts[0]) if len(cuts) == 1 else Intervals(regions[0].feature, cuts)), order


def _of_codes(regions: Sequence[Region]) -> tuple[Split, list[int]]:
    order = sorted(range(len(regions)), key=lambda number: regions[number].excludes)
    groups = [sorted(regions[number].codes or ()) for number in order]
    feature, last = regions[0].feature, regions[order[-1]]
    if last.excludes and len(regions) == _PAIR and not set(groups[0]) & set(groups[1]):
        return Subset(feature, groups[0]), order
    if all(len(group) == 1 for group in groups):
        return Multiway(feature, [group[0] for group in groups]), order
    return Groups(feature, groups), order


def refused(predicates: Any) -> ValueError:
    """The error for children that no split of ours divides so."""
    wanted = "a threshold, intervals, values or sets of values of one field, or whether it is missing"
    message = f"Predicates of a node's children must be {wanted}, got {short_repr(list(predicates))}."
    return ValueError(message)
