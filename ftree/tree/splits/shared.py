"""What split types share: checks of fields, keys, the lookup of codes, the fit to a schema; and splits in another schema."""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from math import floor, isfinite
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen, has

from ftree._lib.arrays import missing_cells
from ftree._lib.fields import must_be
from ftree._lib.messages import joined, short_repr
from ftree.tree.schema import Feature, Schema, codes_of_values, names_of
from ftree.tree.splits.split import UNKNOWN, Integers, Split, TableForm


def as_column_number(feature: Any) -> int:
    """A converter: the number of a feature, from 0."""
    try:
        number = index(feature)
    except TypeError:
        remedy = "position(schema, name) gives the number of a name."
        raise TypeError(f"feature must be a column number, got {short_repr(feature)}. {remedy}") from None
    if number < 0:
        raise ValueError(f"feature must be a column number from 0, got {number}.")
    return number


@frozen
class OfOneFeature:
    """A base of the library's splits of one feature; a split of a user's needs none."""

    feature: int = field(converter=as_column_number)

    @property
    def features(self) -> tuple[int, ...]:
        """The feature."""
        return (self.feature,)


@frozen
class OfCodes(OfOneFeature):
    """A base of the splits by codes of a nominal feature: `tables` says which child each code has."""

    @abstractmethod
    def tables(self) -> TableForm:
        """A question of kind CODE."""

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """The child of each row's code; -1 for a code that has none, and where the value is missing."""
        form = self.tables()
        beyond = max(form.codes) + 1
        table = np.full(beyond + 2, form.other_child, dtype=np.intp)  # the last two cells are for larger codes, and for gaps
        table[list(form.codes)] = form.children
        table[-1] = UNKNOWN
        return table[np.where(missing_cells(column), beyond + 1, np.minimum(column, np.intp(beyond))).astype(np.intp)]

    def check(self, schema: Schema) -> None:
        """Raise a ValueError for a numeric feature, or for codes that it does not have."""
        feature = schema.features[self.feature]
        if max(self.tables().codes) >= len(feature.values):  # a numeric feature has no values
            has = f"{short_repr(feature.name)} ({feature.kind}, {len(feature.values)} values)"
            raise ValueError(f"A split's codes must be positions in the feature's values, got {short_repr(self)} on {has}.")


def as_number(at: Any, wanted: str = "at must be a finite number") -> float:
    """A converter: a number as a float; `wanted` begins the error for any other value."""
    try:
        return float(at)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{wanted}, got {short_repr(at)}.") from None


def as_codes(values: Any) -> tuple[int, ...]:
    """A converter: a sequence of codes."""
    try:
        return tuple(index(_whole(value)) for value in values)
    except TypeError:
        wanted = "a sequence of codes, which are positions in Feature.values"
        raise TypeError(f"values of a split must be {wanted}, got {short_repr(values)}.") from None


def _whole(value: Any) -> Any:
    """An integer for a whole float, such as a code from an array of floats; anything else unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def as_sorted_codes(values: Any) -> tuple[int, ...]:
    """A converter: codes in increasing order."""
    return tuple(sorted(as_codes(values)))


def are_distinct(codes: Sequence[int]) -> bool:
    """Whether numbers are one or more codes from 0, none of them twice."""
    return min(codes, default=-1) >= 0 and len(set(codes)) == len(codes)


# Validators of fields.
distinct_codes = must_be("one or more distinct codes from 0", are_distinct)
finite = must_be("a finite number", isfinite)


# Values and numbers in texts.


def code_of(feature: Feature, value: Hashable) -> int:
    """The code of a value. Raises a ValueError for a value that the feature does not have.

    >>> code_of(Feature("sky", "nominal", ("grey", "blue")), "blue")
    1
    """
    code = codes_of_values(feature).get(value)
    if code is None:
        wanted = joined(map(short_repr, feature.values))
        raise ValueError(f"A value of {short_repr(feature.name)} must be one of {wanted}, got {short_repr(value)}.")
    return code


def number_of(text: str) -> float:
    """The number in a key, in plain ASCII digits.

    Raises a ValueError for any other text: blanks, underscores between digits and other digits are refused as well.

    >>> number_of("0.5")
    0.5
    """
    if "_" in text or not text.isascii() or text != text.strip():
        raise ValueError(text)
    return float(text)


# Splits in the numbers of another schema.


def renumbered(split: Split, features: Sequence[int], n: int) -> Split:
    """The split with its feature i as feature `features[i]` of n: `split.renumbered(features, n)`.

    A split of an attrs class whose only feature is its field `feature` needs no such method. Raises a TypeError for
    any other split that lacks the method and whose features change.

    >>> from ftree.tree import Oblique, Threshold
    >>> renumbered(Oblique((1, 2), 0.5), (1, 3), 4), renumbered(Threshold(0, 2.5), (1, 3), 4)
    (Oblique(weights=(0.0, 1.0, 0.0, 2.0), at=0.5), Threshold(feature=1, at=2.5))
    """
    own = getattr(split, "renumbered", None)
    if own is not None:
        moved: Split = own(features, n)
        return moved
    if all(features[feature] == feature for feature in split.features):
        return split
    if has(type(split)) and split.features == (getattr(split, "feature", None),):
        return evolve(split, feature=features[split.features[0]])  # type: ignore[misc]  # an attrs class with that field
    raise TypeError(f"{short_repr(split)} must have a method renumbered(features, n), since the numbers of its features change.")


def recoded(split: Split, old: Schema, new: Schema) -> Split:
    """The split in the numbers and codes of another schema: `split.recoded(old, new)`.

    Raises a ValueError where something that it uses does not exist there, and where the codes of its values change and it
    has no such method.

    >>> from ftree import Feature
    >>> from ftree.tree import Threshold
    >>> age, sky = Feature("age", "numeric"), Feature("sky", "nominal", ("grey", "blue"))
    >>> recoded(Threshold(0, 18), Schema([age], "ride", (0, 1)), Schema([sky, age], "ride", (0, 1)))
    Threshold(feature=1, at=18.0)
    """
    own = getattr(split, "recoded", None)
    if own is not None:
        recoded_split: Split = own(old, new)
        return recoded_split
    for feature in split.features:
        if old.features[feature].values != new.features[recoded_feature(old, new, feature)].values:
            message = f"{short_repr(split)} must have a method recoded(old, new), since the values of its features change."
            raise ValueError(message)
    moved = {feature: recoded_feature(old, new, feature) for feature in split.features}
    return renumbered(split, [moved.get(number, number) for number in range(len(old.features))], len(new.features))


def recoded_feature(old: Schema, new: Schema, number: int) -> int:
    """The number of a feature in another schema. Raises a ValueError where it does not exist, or has another kind.

    >>> from ftree import Feature
    >>> age, sky = Feature("age", "numeric"), Feature("sky", "nominal", ("grey", "blue"))
    >>> recoded_feature(Schema([age, sky], "ride", (0, 1)), Schema([sky], "ride", (0, 1)), 1)
    0
    """
    feature = old.features[number]
    if feature.name not in names_of(new.features):
        wanted = f"the feature {short_repr(feature.name)}, which a split uses"
        raise ValueError(f"The schema must have {wanted}, got {short_repr(names_of(new.features))}.")
    place = names_of(new.features).index(feature.name)
    if new.features[place].kind != feature.kind:
        got = f"one that is {new.features[place].kind}"
        message = f"Feature {short_repr(feature.name)} must be {feature.kind}, as in the tree, got {got}."
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
        raise ValueError(f"Feature {short_repr(feature.name)} must have {wanted_value}, got {short_repr(there.values)}.")
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
        wanted = f"{short_repr(beside)} of {short_repr(before.name)} must be neighbours, since a split cuts between them"
        raise ValueError(f"The values {wanted}, got {short_repr(after.values)}.")
    return places[0] + (cut - low)


def _check_order(before: Feature, after: Feature) -> None:
    shared = [after.values.index(value) for value in before.values if value in after.values]
    if shared != sorted(shared):
        wanted = f"keep their order {short_repr(before.values)}"
        raise ValueError(f"The values of {short_repr(before.name)} must {wanted}, got {short_repr(after.values)}.")


# Checks that a split fits a schema, shared by split types.


def check_cuts(feature: Feature, split: Split, cuts: tuple[float, ...]) -> None:
    """Raise a ValueError for thresholds on a nominal feature, or outside the codes of an ordinal one."""
    if feature.kind == "nominal":
        got = f"{short_repr(split)} on {short_repr(feature.name)} (nominal)"
        message = f"A threshold must be on a numeric or ordinal feature, got {got}."
        raise ValueError(message)
    if feature.kind == "ordinal" and not 0 <= cuts[0] <= cuts[-1] < len(feature.values):
        bounds = f"at least 0 and below {len(feature.values)}"
        raise ValueError(f"Thresholds on the codes of {short_repr(feature.name)} must be {bounds}, got {short_repr(split)}.")
