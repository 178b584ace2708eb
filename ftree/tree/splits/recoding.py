"""Splits in the numbers of another schema: features are matched by name, codes by value."""

from collections.abc import Iterable
from itertools import pairwise
from math import floor

from ftree._lib.messages import short_repr
from ftree.tree.schema import Feature, Schema, codes_of_values, names


def recoded_feature(old: Schema, new: Schema, number: int) -> int:
    """The number of a feature in another schema. Raises a ValueError where it does not exist, or has another kind.

    >>> age, sky = Feature("age", "numeric"), Feature("sky", "nominal", ("grey", "blue"))
    >>> recoded_feature(Schema([age, sky], "ride", (0, 1)), Schema([sky], "ride", (0, 1)), 1)
    0
    """
    feature = old.features[number]
    if feature.name not in names(new.features):
        message = f"The schema must have the feature {feature.name!r}, which a split uses, got {short_repr(names(new.features))}."
        raise ValueError(message)
    place = names(new.features).index(feature.name)
    if new.features[place].kind != feature.kind:
        message = f"Feature {feature.name!r} must be {feature.kind}, as in the tree, got one that is {new.features[place].kind}."
        raise ValueError(message)
    return place


def recoded_codes(old: Schema, new: Schema, number: int, codes: Iterable[int]) -> tuple[int, ...]:
    """The codes of the same values in another schema. Raises a ValueError where a value does not exist there.

    >>> old, new = (Schema([Feature("sky", "nominal", values)], "ride", (0, 1)) for values in ("ab", "cba"))
    >>> recoded_codes(old, new, 0, (0,))
    (2,)
    """
    feature, there = old.features[number], new.features[recoded_feature(old, new, number)]
    wanted, codes_there = [feature.values[code] for code in codes], codes_of_values(there)
    gone = [value for value in wanted if value not in codes_there]
    if gone:
        wanted_value = f"the value {short_repr(gone[0])}, which a split uses"
        message = f"Feature {feature.name!r} must have {wanted_value}, got {short_repr(there.values)}."
        raise ValueError(message)
    return tuple(map(codes_there.__getitem__, wanted))


def recoded_cuts(old: Schema, new: Schema, number: int, cuts: Iterable[float]) -> tuple[float, ...]:
    """Cuts of a numeric feature unchanged, those of an ordinal one between the same values.

    Raises a ValueError where the values next to a cut are no longer neighbours, or where values have another order.

    >>> old, new = (Schema([Feature("size", "ordinal", values)], "fits", (0, 1)) for values in ("SML", "XSML"))
    >>> recoded_cuts(old, new, 0, (0.5,))
    (1.5,)
    """
    before, after = old.features[number], new.features[recoded_feature(old, new, number)]
    if before.kind == "numeric":
        return tuple(cuts)
    _check_order(before, after)
    return tuple([_recoded_cut(before, after, cut) for cut in cuts])


def _recoded_cut(before: Feature, after: Feature, cut: float) -> float:
    low = floor(cut)
    beside = before.values[low : low + 2]
    places = [after.values.index(value) for value in beside if value in after.values]
    if len(places) < len(beside) or any(high - low != 1 for low, high in pairwise(places)):
        message = (
            f"The values {short_repr(beside)} of {before.name!r} must be neighbours, since a split cuts between them, "
            f"got {short_repr(after.values)}."
        )
        raise ValueError(message)
    return places[0] + (cut - low)


def _check_order(before: Feature, after: Feature) -> None:
    shared = [after.values.index(value) for value in before.values if value in after.values]
    if shared != sorted(shared):
        message = (
            f"The values of {before.name!r} must keep their order {short_repr(before.values)}, got {short_repr(after.values)}."
        )
        raise ValueError(message)
