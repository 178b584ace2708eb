"""Conditions: what must hold for a row to go to a child of a split. They form a small closed algebra for all readers of trees.

A split states its conditions with feature numbers and codes. Rules and formulas use the same classes with names of
features and values instead (`ftree.tree.describe.named`). A split that the algebra cannot state is `Opaque`.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import reduce
from itertools import accumulate, chain
from math import inf
from operator import add
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, field, frozen
from attrs.validators import optional

from ftree._lib.fields import a_whole_number, as_tuple
from ftree._lib.messages import short_repr
from ftree.tree.formats import format_exactly, format_interval, format_sum
from ftree.tree.schema import Feature, Schema, position

# A feature's number in a condition of a split, whose values are codes; its name in a named condition, whose values are labels.
FeatureKey: TypeAlias = int | str


class _InWords:
    """Prints a condition whole, as in the tree's text."""

    __slots__ = ()

    def __str__(self) -> str:
        return in_words(self)  # type: ignore[arg-type]  # all its classes are conditions


@frozen
class Between(_InWords):
    """The feature is above one number and at most another; a missing value is not.

    >>> print(Between("age", above=18.0, at_most=65.0), Between("age", at_most=65.0), Between("age"), sep="; ")
    18 < age <= 65; age <= 65; age is known
    """

    feature: FeatureKey
    above: float = -inf
    at_most: float = inf


@frozen
class OneOf(_InWords):
    """The feature has one of the values (codes, in a split).

    >>> print(OneOf("sky", ("grey", "blue")))
    sky in {grey, blue}
    """

    feature: FeatureKey
    values: tuple[Hashable, ...] = field(converter=as_tuple)


@frozen
class NoneOf(_InWords):
    """The feature has a known value that is not listed (codes, in a split).

    >>> print(NoneOf("sky", ("grey", "blue")), NoneOf("age"), sep="; ")
    sky not in {grey, blue}; age is known
    """

    feature: FeatureKey
    values: tuple[Hashable, ...] = field(default=(), converter=as_tuple)


@frozen
class Missing(_InWords):
    """The feature's value is missing.

    >>> print(Missing("sky"))
    sky is missing
    """

    feature: FeatureKey


@frozen
class SumBetween(_InWords):
    """A weighted sum of features is above one number and at most another; false where one of them is missing.

    A sum that overflows to NaN is above no number; so it satisfies the condition only where `above` is -inf.

    >>> print(SumBetween(("width", "height"), (1.0, -0.5), above=2.0))
    width - 0.5 * height > 2
    """

    features: tuple[FeatureKey, ...] = field(converter=as_tuple)
    weights: tuple[float, ...] = field(converter=as_tuple)
    above: float = -inf
    at_most: float = inf


@frozen
class AllOf(_InWords):
    """All conditions hold; without conditions, it always holds.

    >>> print(AllOf((Between("age", above=18), OneOf("sky", ("blue",)))))
    age > 18 and sky = blue
    """

    conditions: "tuple[Condition, ...]" = field(converter=as_tuple)


@frozen
class AnyOf(_InWords):
    """At least one of the conditions holds; without conditions, it never holds.

    >>> print(AnyOf((Between("age", above=18), Missing("age"))))
    age > 18 or age is missing
    """

    conditions: "tuple[Condition, ...]" = field(converter=as_tuple)


@frozen
class Not(_InWords):
    """The condition does not hold. On a missing value every condition but `Missing` is false, so its `Not` is true.

    >>> print(Not(OneOf("sky", ("blue",))))
    not (sky = blue)
    """

    condition: "Condition"


@frozen
class FirstKnown(_InWords):
    """A condition with surrogates, in order: the first one that is known to hold or not to hold decides.

    `pairs` are conditions, each with its opposite: where neither of a pair holds, the next pair decides. `default` decides
    where none of the pairs does.

    >>> light, width = Between("weight", at_most=2.0), Between("width", at_most=0.8)
    >>> print(FirstKnown(((light, Between("weight", above=2.0)), (width, Between("width", above=0.8)))))
    weight <= 2
    """

    pairs: "tuple[tuple[Condition, Condition], ...]" = field(converter=as_tuple)
    default: bool = False


@frozen
class Opaque(_InWords):
    """The split sends the row to the child: a condition that only the split itself can evaluate.

    `text` describes it; `{0}` and `{1}` in it stand for the names of the split's first and second feature. If names
    replace numbers, `features` are the split's features, which map values to codes.

    >>> Opaque(None, 0, "the model says left", (0,)).text
    'the model says left'
    """

    split: Any  # a Split, which stands above conditions
    child: int
    text: str
    features: tuple[Feature, ...] = field(default=(), converter=as_tuple)


@frozen
class Worded(_InWords):
    """A condition that prints as its own text, such as a prefix in place of all values that begin with it.

    Exports write the condition. `{0}` and `{1}` in the text stand for the names of its first and second feature.

    >>> print(Worded(OneOf("word", ("abbey", "able")), "word begins with ab"))
    word begins with ab
    """

    condition: "Condition"
    text: str


# What must hold for a row to go to a child. CONTRIBUTING ("Change together") lists what reads conditions.
Condition: TypeAlias = Between | OneOf | NoneOf | Missing | SumBetween | AllOf | AnyOf | Not | FirstKnown | Opaque | Worded


def unknown_condition(stated: object) -> TypeError:
    """The error of a reader for anything but the conditions above."""
    return TypeError(f"tree must have splits with conditions of ftree.show, such as Between, got {short_repr(stated)}.")


def without_text(stated: Condition) -> Condition:
    """The condition that a text stands for; any other condition itself.

    >>> without_text(Worded(Missing("word"), "no word"))
    Missing(feature='word')
    """
    return stated.condition if isinstance(stated, Worded) else stated


def without_surrogates(stated: Condition) -> Condition:
    """The condition of the split's own feature, where those of surrogates follow it; any other condition itself."""
    return stated.pairs[0][0] if isinstance(stated, FirstKnown) else stated


# The characters of a list of values or a label in a text that is cut, and of a condition.
ROOM, CONDITION_ROOM = 60, 120
# So many significant digits tell any two floats apart.
_MOST_DIGITS = 17


@frozen(eq=False)
class Wording:
    """How conditions are written: numbers with so many significant `digits`, or all; and lists of values.

    With a schema, long lists of values are cut: the shorter side of the feature's values stands there, as "not in", and the
    first values, with the number of the others.

    >>> in_words(Between("age", at_most=17.25), Wording(digits=2)), in_words(OneOf("of", ("a, b", "c")))
    ('age <= 17', 'of in {"a, b", c}')
    """

    digits: int | None = field(default=None, validator=optional(a_whole_number(1, most=_MOST_DIGITS)))
    schema: Schema | None = None
    all_of, any_of, opposite, always, never = " and ", " or ", "not ", "true", "false"

    @property
    def cuts(self) -> bool:
        """Whether long texts are cut."""
        return self.schema is not None

    def simple(self, stated: "Between | SumBetween | OneOf | NoneOf | Missing | Opaque | Worded") -> str:
        """A condition that is not made of others."""
        match stated:
            case Between(feature, above, at_most):
                return format_interval(str(feature), above, at_most, written=self.number)
            case SumBetween(features, weights, above, at_most):
                total = format_sum(map(str, features), weights, written=self.number)
                return format_interval(total, above, at_most, written=self.number)
            case NoneOf(feature, ()):
                return f"{feature} is known"
            case OneOf(feature, values) | NoneOf(feature, values):
                return self.of_values(str(feature), values, inside=isinstance(stated, OneOf))
            case Missing(feature):
                return f"{feature} is missing"
            case Opaque() | Worded():
                return stated.text
        raise unknown_condition(stated)

    def part(self, stated: "Condition") -> str:
        """One of several conditions that hold together: alternatives are in parentheses."""
        own = without_surrogates(stated)
        words = in_words(own, self)
        return f"({words})" if isinstance(own, AnyOf) and own.conditions else words

    def conjunction(self, several: Iterable["Condition"], answer: str = "") -> list[str]:
        """The parts of a sentence of conditions that hold together, the last one with an answer; long ones are cut."""
        words = list(map(self.part, several)) or ["true"]
        if self.cuts:
            words = [cut_to(each, CONDITION_ROOM) for each in words]
        return [*(f"{each} and" for each in words[:-1]), f"{words[-1]}{answer}"]

    def label(self, text: str) -> str:
        """A label."""
        return cut_to(text, ROOM) if self.cuts else text

    def number(self, value: float) -> str:
        """A number as text."""
        return format_exactly(value, digits=self.digits)

    def of_values(self, name: str, values: Sequence[Hashable], *, inside: bool) -> str:
        """The condition that a feature has one of some values, or none of them."""
        if len(values) == 1 and inside:
            return f"{name} = {values[0]}"
        sign, texts = "in" if inside else "not in", list(map(_quoted, values))
        if self.schema is None or len(", ".join(texts)) <= ROOM:
            return f"{name} {sign} {{{', '.join(texts)}}}"
        every = self.schema.features[position(self.schema, name)].values
        if len(values) < len(every) < 2 * len(values):
            taken = set(values)
            return self.of_values(name, [value for value in every if value not in taken], inside=not inside)
        first = max(sum(end <= ROOM for end in accumulate(len(text) + 2 for text in texts)), 1)
        more = f", … and {len(texts) - first} more" if first < len(texts) else ""
        return f"{name} {sign} {{{cut_to(', '.join(texts[:first]), ROOM)}{more}}}"


def wording_for(schema: Schema, digits: int | None, values: str | None) -> Wording:
    """How conditions of a tree are written: with the first few values, or all with `values=None`.

    Raises a ValueError for other values, and for digits that do not fit.
    """
    if not (values is None or (isinstance(values, str) and values == "few")):
        raise ValueError(f"values must be 'few', or None for all, got {short_repr(values)}.")
    return Wording(digits, None if values is None else schema)


def _quoted(value: Hashable) -> str:
    """A value in a list; quotes tell its commas and braces from the list's."""
    text = str(value)
    is_clear = text == text.strip() != "" and not any(mark in text for mark in ',{}"')
    return text if is_clear else '"' + text.replace('"', '""') + '"'


def cut_to(text: str, room: int) -> str:
    """A text of at most so many characters, the last of which is "…" where it is cut.

    >>> cut_to("temperature", 6), cut_to("sky", 6)
    ('tempe…', 'sky')
    """
    return text if len(text) <= room else f"{text[: room - 1]}…"


def end_of(text: str, room: int) -> str:
    """The end of a text, in so many characters, the first of which is "…" where it is cut: what tells paths apart stands there.

    >>> end_of("sky = grey and wind > 3", 9), end_of("wind > 3", 9)
    ('…wind > 3', 'wind > 3')
    """
    return text if len(text) <= room else f"…{text[len(text) - room + 1 :]}"


def in_words(stated: Condition, wording: Wording = Wording()) -> str:  # immutable
    """A condition with names as in the tree's text; conditions with surrogates as their first one.

    >>> in_words(AllOf((Between("age", above=18), OneOf("sky", ("blue",)))))
    'age > 18 and sky = blue'
    """
    match stated:
        case AllOf(several):
            words = wording.all_of.join(map(wording.part, several)) or wording.always
        case AnyOf(several):
            each = (f"({in_words(one, wording)})" if isinstance(one, AllOf) else in_words(one, wording) for one in several)
            words = wording.any_of.join(each) or wording.never
        case Not(inner):
            words = f"{wording.opposite}({in_words(inner, wording)})"
        case FirstKnown():
            words = in_words(without_surrogates(stated), wording)
        case _:
            words = wording.simple(stated)
    return words


def mapped(stated: Condition, change: Callable[[Any], Condition]) -> Condition:
    """A condition with each of its parts that is not made of others replaced by what `change` makes of it.

    >>> print(mapped(AnyOf((Missing("sky"), Not(Between("age", at_most=17.0)))), lambda part: evolve(part, feature="wind")))
    wind is missing or not (wind <= 17)
    """
    match stated:
        case AllOf(parts) | AnyOf(parts):
            return evolve(stated, conditions=[mapped(each, change) for each in parts])
        case Not(inner):
            return Not(mapped(inner, change))
        case FirstKnown(pairs):
            return evolve(stated, pairs=[(mapped(holds, change), mapped(fails, change)) for holds, fails in pairs])
    return change(stated)


def alternatives(several: Sequence[Condition]) -> Condition:
    """That one of several conditions holds; of one, that it does.

    >>> alternatives([Missing("sky")])
    Missing(feature='sky')
    """
    return several[0] if len(several) == 1 else AnyOf(several)


def features_of(stated: Condition) -> tuple[FeatureKey, ...]:
    """The features that a condition asks, in order; one that it asks twice is there twice.

    >>> features_of(AnyOf((Not(Missing(2)), SumBetween((0, 1), (1.0, -1.0)))))
    (2, 0, 1)
    """
    match stated:
        case AllOf(parts) | AnyOf(parts):
            return tuple(chain.from_iterable(map(features_of, parts)))
        case Not(inner) | Worded(inner):
            return features_of(inner)
        case FirstKnown(pairs):
            return features_of(AllOf(chain.from_iterable(pairs)))
        case SumBetween(features):
            return features
        case Opaque(split):
            return tuple(split.features)
        case Between(feature) | OneOf(feature) | NoneOf(feature) | Missing(feature):
            return (feature,)
    raise unknown_condition(stated)


def weighted_sum(weights: Iterable[float], values: Iterable[Any]) -> Any:
    """The sum of values, or of columns, times their weights, summed from left to right.

    Every part of the library adds up in this order: another order rounds differently, and could send a case at the threshold
    to the other child.

    >>> weighted_sum((1.0, -0.5), (3.0, 2.0))
    2.0
    """
    # A sum too large for a float becomes infinite or NaN; NaN is not above any threshold.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        # Not `sum`: from Python 3.12 on it compensates for rounding in sums of numbers, but not in sums of columns.
        return reduce(add, (weight * value for weight, value in zip(weights, values, strict=True)))
