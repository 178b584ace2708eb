"""The names and keys by which the library's splits stand in nested dictionaries (`to_dict`), and the splits of such keys."""

import re
from collections.abc import Hashable, Sequence
from contextlib import suppress
from itertools import pairwise
from math import inf
from typing import Any, TypeAlias

from ftree._lib.messages import joined, short_repr
from ftree.tree.schema import Feature, Schema, codes_of_values, position
from ftree.tree.splits import Groups, Intervals, Multiway, Oblique, Subset, Surrogate, Threshold, WithSurrogates
from ftree.tree.splits.shared import code_of, number_of
from ftree.tree.splits.split import Split

# A key for each child.
Keys: TypeAlias = tuple[Any, ...]
# The key of an interval: above the first number, and at most the second.
_INTERVAL = re.compile(r"\((\S+), (\S+)[])]")


def keys_of(schema: Schema, split: Split) -> tuple[Hashable, Keys] | None:
    """The name of a split, and the keys of its children; None for a split of another type, which is written by its fields.

    >>> keys_of(Schema([Feature("age", "numeric")], "ill", (False, True)), Threshold(0, 0.5))
    ('age', ('<= 0.5', '> 0.5'))
    """
    match split:
        case WithSurrogates(own, surrogates, default_child):
            name, keys = _keys_of_part(schema, own)
            named = [(*_keys_of_part(schema, each.split), each.reversed, each.agreement, each.adjusted) for each in surrogates]
            return (name, tuple(named), default_child), keys
        case Oblique(weights, at):
            pairs = [(schema.features[feature].name, weights[feature]) for feature in split.features]
            return tuple(pairs), _threshold_keys(at)
        case Threshold() | Intervals() | Subset() | Groups() | Multiway():
            return _keys_of_part(schema, split)
    return None


def _keys_of_part(schema: Schema, split: Any) -> tuple[str, Keys]:
    """The name and keys of a split of one feature."""
    feature: Feature = schema.features[split.feature]

    def values(codes: Sequence[int]) -> tuple[Hashable, ...]:
        return tuple([feature.values[code] for code in codes])

    match split:
        case Threshold(_, at):
            keys: Keys = _threshold_keys(at)
        case Intervals(_, cuts):
            ends = pairwise((-inf, *cuts, inf))
            keys = tuple([f"({above!r}, {at_most!r}{')' if at_most == inf else ']'}" for above, at_most in ends])
        case Subset(_, members):
            others = set(range(len(feature.values))).difference(members)
            keys = frozenset(values(members)), frozenset(values(sorted(others)))
        case Groups(_, groups):
            keys = tuple(map(values, groups))
        case _:
            keys = values(split.values)
    return feature.name, keys


def _threshold_keys(at: float) -> tuple[str, str]:
    return f"<= {at!r}", f"> {at!r}"


def split_of_keys(schema: Schema, name: Any, keys: Keys) -> Split | None:
    """The split that a name and keys stand for; None where no type has such keys.

    Raises a KeyError for a feature, and a ValueError for values, that the schema lacks, and for keys that make no split.

    >>> split_of_keys(Schema([Feature("age", "numeric")], "ill", (False, True)), "age", ("<= 0.5", "> 0.5"))
    Threshold(feature=0, at=0.5)
    """
    match name:
        case (str(feature), tuple(surrogates), default_child):
            return _with_surrogates(schema, name, keys, feature, surrogates, default_child)
        case tuple():
            return _oblique(schema, name, keys)
    found: Split | None = _of_one_feature(schema, name, keys)
    return found


def _with_surrogates(schema: Schema, named: Any, keys: Keys, name: str, surrogates: Any, default_child: Any) -> WithSurrogates:
    try:
        backed = [_surrogate(schema, each) for each in surrogates]
        return WithSurrogates(_of_one_feature(schema, name, keys, binary=True), backed, default_child)
    except TypeError:
        wanted = "(feature, ((feature, keys, reversed, agreement, adjusted), ...), default_child) of binary splits"
        got = f"{short_repr(named)} with the keys {short_repr(list(keys))}"
        raise ValueError(f"A split with surrogates must be {wanted}, got {got}.") from None


def _surrogate(schema: Schema, named: Any) -> Surrogate:
    match named:
        case (str(feature), tuple(keys), is_reversed, agreement, adjusted):
            return Surrogate(_of_one_feature(schema, feature, keys, binary=True), is_reversed, agreement, adjusted)
    raise TypeError


def _oblique(schema: Schema, name: tuple[Any, ...], keys: Keys) -> Oblique:
    at = _threshold_of(keys)
    if at is None or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in name):  # noqa: PLR2004  # a pair
        wanted = "((feature, weight), ...) with the keys '<= a number' and '> the same number'"
        raise ValueError(f"A weighted sum must be {wanted}, got {short_repr(name)} with the keys {short_repr(list(keys))}.")
    weight_of = {position(schema, feature): weight for feature, weight in name}
    return Oblique([weight_of.get(number, 0.0) for number in range(len(schema.features))], at)


def _of_one_feature(schema: Schema, name: Any, keys: Keys, *, binary: bool = False) -> Any:
    """The split of one feature that keys stand for, or only one that may have surrogates; None if there is none."""
    number = position(schema, name)
    feature = schema.features[number]
    if feature.kind != "nominal" and (at := _threshold_of(keys)) is not None:
        return Threshold(number, at)
    if feature.kind != "nominal" and not binary and (cuts := _cuts_of(keys)) is not None:
        return Intervals(number, cuts)
    if feature.kind == "numeric":
        return None
    codes = codes_of_values(feature)  # a set or a tuple may be a value itself
    if all(isinstance(key, frozenset) and key not in codes for key in keys):
        return _subset(number, feature, keys)
    if all(isinstance(key, tuple) and key not in codes for key in keys):
        return Groups(number, [[code_of(feature, value) for value in key] for key in keys])
    return None if binary else Multiway(number, [code_of(feature, key) for key in keys])


def _subset(number: int, feature: Feature, keys: Keys) -> Subset:
    members, *others = ({code_of(feature, value) for value in key} for key in keys)
    if others != [set(range(len(feature.values))) - members]:
        wanted = f"two sets that divide all values of {short_repr(feature.name)}, {joined(map(short_repr, feature.values))}"
        raise ValueError(f"Keys that are sets must be {wanted}, got {short_repr(list(keys))}.")
    return Subset(number, members)


def _threshold_of(keys: Keys) -> float | None:
    """The threshold that two keys name; None for other keys."""
    match keys:
        case (str(low), str(high)) if low.startswith("<= ") and high == f"> {low[3:]}":
            with suppress(ValueError):
                return number_of(low[3:])
    return None


def _cuts_of(keys: Keys) -> list[float] | None:
    """The cuts between consecutive intervals; None for other keys."""
    found = [_INTERVAL.fullmatch(key) if isinstance(key, str) else None for key in keys]
    with suppress(ValueError):
        ends = [(number_of(each[1]), number_of(each[2])) for each in found if each]
        cuts = [above for above, _ in ends[1:]]
        if len(ends) == len(keys) and ends == list(pairwise((-inf, *cuts, inf))):
            return cuts
    return None
