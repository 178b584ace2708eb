"""Splits made of what other libraries say of each child: a threshold, some values, or the conditions of all children."""

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree.tree.conditions import AllOf, AnyOf, Condition, NoneOf, Not, features_of
from ftree.tree.describe import codes_of
from ftree.tree.logic import OneRow, intervals_of, satisfied
from ftree.tree.schema import Feature, Schema, codes_of_values, is_hashable
from ftree.tree.splits import Groups, Intervals, IsMissing, Multiway, Subset, Threshold, WithDefault
from ftree.tree.splits.split import Split

_PAIR = 2


def at_threshold(feature: int, at: float, *, missing_left: bool | None = None) -> Split:
    """The split by a threshold; missing values go to the first child, to the second one, or, for None, where the rule says.

    >>> at_threshold(0, 2.5, missing_left=True)
    WithDefault(split=Threshold(feature=0, at=2.5), default_child=0, unseen=False)
    """
    return _with_default(Threshold(feature, at), missing_left)


def among_codes(feature: int, codes: Iterable[int], *, missing_left: bool | None = None) -> Split:
    """The split by a set of codes, which go to the first child; missing values as for `at_threshold`, and unseen ones with them.

    >>> among_codes(0, [2, 1])
    Subset(feature=0, members=(1, 2))
    """
    return _with_default(Subset(feature, tuple(codes)), missing_left)


def _with_default(own: Split, missing_left: bool | None) -> Split:  # noqa: FBT001  # a side
    return own if missing_left is None else WithDefault(own, default_child=int(not missing_left), unseen=isinstance(own, Subset))


def at_number(schema: Schema, feature: int, at: float, *, missing_left: bool) -> tuple[Split, Sequence[int]]:
    """The split by a threshold, of booleans or other numbers that are a feature's values by those; and its children's order.

    >>> at_number(Schema([Feature("wet", "nominal", (True, False))], "ill", ("no", "yes")), 0, 0.5, missing_left=False)
    (WithDefault(split=Subset(feature=0, members=(1,)), default_child=1, unseen=False), (0, 1))
    """
    values = list[Any](_numbered(schema, feature).values)
    if not values or not _are_numbers(values):
        return at_threshold(feature, at, missing_left=missing_left), (0, 1)
    return _by_codes(schema, feature, [code for code, value in enumerate(values) if value <= at], missing=int(not missing_left))


def among_categories(
    schema: Schema, feature: int, categories: Sequence[int], labels: Sequence[Any] | None, *, missing_left: bool
) -> tuple[Split, Sequence[int]]:
    """The split by categories, which go to the first child, and the order of its children.

    Categories are places in `labels`. Without these they are values of a feature of numbers, and codes of any other one.

    >>> schema = Schema([Feature("sky", "nominal", ("blue", "grey"))], "ill", ("no", "yes"))
    >>> among_categories(schema, 0, [1], ["grey", "blue"], missing_left=False)
    (WithDefault(split=Subset(feature=0, members=(0,)), default_child=1, unseen=False), (0, 1))
    """
    asked = _numbered(schema, feature)
    if not asked.values:
        raise ValueError(
            f"A split by categories must be of a feature with values, got {short_repr(asked.name)}, which is {asked.kind}."
        )
    known, told = codes_of_values(asked), asked.values if labels is None and not _are_numbers(asked.values) else labels
    most = inf if told is None else len(told)
    if not all(type(each) is int and 0 <= each < most for each in categories):
        raise ValueError(f"Categories must be whole numbers from 0 and below {most}, got {short_repr(categories)}.")
    found = categories if told is None else [told[each] for each in categories]
    codes = [known[label] for label in found if is_hashable(label) and label in known]
    return _by_codes(schema, feature, codes, missing=int(not missing_left))


def _numbered(schema: Schema, feature: int) -> Feature:
    if not 0 <= feature < len(schema.features):
        raise ValueError(f"A split must use features 0 to {len(schema.features) - 1} of the schema, got feature {feature}.")
    return schema.features[feature]


def _are_numbers(values: Iterable[Any]) -> bool:
    return all(isinstance(value, Real) for value in values)


def _by_codes(schema: Schema, feature: int, left: Collection[int], *, missing: int) -> tuple[Split, Sequence[int]]:
    """The split between some codes and all others, of which one side may have missing values only, or nothing."""
    right = [code for code in range(len(schema.features[feature].values)) if code not in left]
    if not (left, right)[missing]:
        return IsMissing(feature), (1 - missing, missing)
    order = (0, 1) if left else (1, 0)
    return WithDefault(Subset(feature, tuple(left or right)), default_child=order.index(missing)), order


def split_of(schema: Schema, stated: Sequence[Condition]) -> tuple[Split, list[int]]:
    """The split of children with these conditions on one feature, and the order of its children among them.

    Raises a ValueError where no split of ours divides rows so.

    >>> from ftree.tree.conditions import Between
    >>> schema = Schema([Feature("age", "numeric")], "ill", ("no", "yes"))
    >>> split_of(schema, [Not(Between(0, at_most=2.5)), Between(0, at_most=2.5)])
    (WithDefault(split=Threshold(feature=0, at=2.5), default_child=1, unseen=False), [1, 0])
    """
    asked = {feature for each in stated for feature in features_of(each)}
    number: Any = next(iter(asked), None)
    missing = [child for child, each in enumerate(stated) if satisfied(each, OneRow({number: None}))]
    if len(asked) != 1 or len(missing) > 1:
        raise refused(stated)
    feature = schema.features[number]
    if not missing:
        return _of_known(number, feature, stated)
    (place,) = missing
    others, unseen = [*stated[:place], *stated[place + 1 :]], feature.kind != "numeric" and isinstance(stated[place], Not)
    if any(isinstance(each, Not) for each in others):  # it gets values that are not named, which would count as missing
        raise refused(stated)
    if _known(feature, stated[place]):
        own, order = _of_known(number, feature, stated)
        return WithDefault(own, default_child=order.index(place), unseen=unseen), order
    if len(others) == 1 and not unseen and _known(feature, others[0]) == _known(feature, NoneOf(number)):
        return IsMissing(number), [1 - place, place]
    own, order = _of_known(number, feature, others)
    return WithDefault(own, default_child=len(others), unseen=unseen), [*[each + (each >= place) for each in order], place]


def _known(feature: Feature, stated: Condition) -> list[Any]:
    """The known values that satisfy a condition: codes of a nominal feature, intervals of any other one."""
    if feature.kind != "nominal":
        return intervals_of(stated) or []
    return sorted(_codes(feature, stated))


def _codes(feature: Feature, stated: Condition) -> AbstractSet[int]:
    """The codes that satisfy a condition, by sets: asking for each code takes the square of their number."""
    every = range(len(feature.values))
    match stated:
        case Not(inner):
            return set(every) - _codes(feature, inner)
        case AllOf(parts):
            return set(every).intersection(*[_codes(feature, each) for each in parts])
        case AnyOf(parts):
            return set[int]().union(*[_codes(feature, each) for each in parts])
    return set(codes_of(feature, stated) or ())  # none if it asks whether a value is missing


def _of_known(number: int, feature: Feature, stated: Sequence[Condition]) -> tuple[Split, list[int]]:
    """The split by known values alone."""
    known, places = [_known(feature, each) for each in stated], range(len(stated))
    if feature.kind == "nominal":
        # A child that gets values never seen gets all others.
        excludes = [satisfied(each, OneRow({number: object()})) for each in stated]
        order = sorted(places, key=lambda place: excludes[place])
        return _of_codes(number, [sorted(known[place]) for place in order], excludes=excludes[order[-1]]), order
    if any(len(intervals) != 1 for intervals in known):
        raise refused(stated)
    order = sorted(places, key=lambda place: known[place])
    ends = [end for place in order for end in known[place][0]]
    cuts = ends[1:-1:2]
    if not cuts or cuts != ends[2::2] or (ends[0], ends[-1]) != (-inf, inf):
        raise refused(stated)
    return (Threshold(number, cuts[0]) if len(cuts) == 1 else Intervals(number, cuts)), order


def _of_codes(number: int, groups: Sequence[Sequence[int]], *, excludes: bool) -> Split:
    if excludes and len(groups) == _PAIR and not set(groups[0]) & set(groups[1]):
        return Subset(number, groups[0])
    return (
        Multiway(number, [group[0] for group in groups]) if all(len(group) == 1 for group in groups) else Groups(number, groups)
    )


def refused(predicates: Any) -> ValueError:
    """The error for children that no split of ours divides so."""
    wanted = "a threshold, intervals, values or sets of values of one field, or whether it is missing"
    message = f"Predicates of a node's children must be {wanted}, got {short_repr(list(predicates))}."
    return ValueError(message)


def last_below(at: float) -> float:
    """The largest number that, rounded to 32 bits, is below `at`, a number of 32 bits.

    >>> last_below(1.0)
    0.9999999701976775
    """
    return last_rounded_to(float(np.nextafter(np.float32(at), np.float32(-np.inf))))


def last_rounded_to(at: float) -> float:
    """The largest number that, rounded to 32 bits, is at most `at`: halfway to the next one, since ties round to even.

    >>> last_rounded_to(1.0), last_rounded_to(np.float32(0.1)) > 0.1
    (1.0000000596046448, True)
    """
    low = np.float32(at)
    if float(low) > at:
        low = np.nextafter(low, np.float32(-np.inf))
    middle = (float(low) + float(np.nextafter(low, np.float32(np.inf)))) / 2
    return middle if float(np.float32(middle)) == float(low) else float(np.nextafter(middle, -np.inf))
