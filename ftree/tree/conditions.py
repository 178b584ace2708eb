"""Conditions: what must hold for a row to go to a child of a split. They form a small closed algebra for all readers of trees.

A split states its conditions with feature numbers and codes. Rules and formulas use the same classes with names of
features and values instead (`ftree.tree.describe.named`). A split that the algebra cannot state is `Opaque`.
"""

from collections.abc import Hashable
from math import inf
from typing import Any, TypeAlias

from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree.tree.formats import format_interval, format_sum
from ftree.tree.schema import Feature

# A feature's number, or its name.
FeatureKey: TypeAlias = int | str


@frozen
class Between:
    """The feature is above one number and at most another; a missing value is not.

    >>> print(Between("age", above=18.0, at_most=65.0), Between("age", at_most=65.0), Between("age"), sep="; ")
    18 < age <= 65; age <= 65; age is known
    """

    feature: FeatureKey
    above: float = -inf
    at_most: float = inf

    def __str__(self) -> str:
        """The condition as in the tree's text."""
        return format_interval(str(self.feature), self.above, self.at_most)


@frozen
class OneOf:
    """The feature has one of the values (codes, in a split).

    >>> print(OneOf("sky", ("grey", "blue")))
    sky in {grey, blue}
    """

    feature: FeatureKey
    values: tuple[Hashable, ...] = field(converter=as_tuple)

    def __str__(self) -> str:
        """The condition as in the tree's text."""
        if len(self.values) == 1:
            return f"{self.feature} = {self.values[0]}"
        return f"{self.feature} in {{{', '.join(map(str, self.values))}}}"


@frozen
class NoneOf:
    """The feature has a known value that is not listed (codes, in a split).

    >>> print(NoneOf("sky", ("grey", "blue")), NoneOf("age"), sep="; ")
    sky not in {grey, blue}; age is known
    """

    feature: FeatureKey
    values: tuple[Hashable, ...] = field(default=(), converter=as_tuple)

    def __str__(self) -> str:
        """The condition as in the tree's text."""
        return f"{self.feature} not in {{{', '.join(map(str, self.values))}}}" if self.values else f"{self.feature} is known"


@frozen
class Missing:
    """The feature's value is missing.

    >>> print(Missing("sky"))
    sky is missing
    """

    feature: FeatureKey

    def __str__(self) -> str:
        """The condition as in the tree's text."""
        return f"{self.feature} is missing"


@frozen
class SumBetween:
    """A weighted sum of features is above one number and at most another; false where one of them is missing.

    A sum that overflows to NaN is above no number; so it satisfies the condition only where `above` is -inf.

    >>> print(SumBetween(("width", "height"), (1.0, -0.5), above=2.0))
    width - 0.5 * height > 2
    """

    features: tuple[FeatureKey, ...] = field(converter=as_tuple)
    weights: tuple[float, ...] = field(converter=as_tuple)
    above: float = -inf
    at_most: float = inf

    def __str__(self) -> str:
        """The condition as in the tree's text."""
        return format_interval(format_sum(map(str, self.features), self.weights), self.above, self.at_most)


@frozen
class AllOf:
    """All conditions hold; without conditions, it always holds.

    >>> print(AllOf((Between("age", above=18), OneOf("sky", ("blue",)))))
    age > 18 and sky = blue
    """

    conditions: "tuple[Condition, ...]" = field(converter=as_tuple)

    def __str__(self) -> str:
        """The conditions joined by "and"; those joined by "or" stand in parentheses."""
        return " and ".join(f"({each})" if isinstance(each, AnyOf) else str(each) for each in self.conditions) or "true"


@frozen
class AnyOf:
    """At least one of the conditions holds; without conditions, it never holds.

    >>> print(AnyOf((Between("age", above=18), Missing("age"))))
    age > 18 or age is missing
    """

    conditions: "tuple[Condition, ...]" = field(converter=as_tuple)

    def __str__(self) -> str:
        """The conditions joined by "or"; those joined by "and" stand in parentheses."""
        return " or ".join(f"({each})" if isinstance(each, AllOf) else str(each) for each in self.conditions) or "false"


@frozen
class FirstKnown:
    """A condition with surrogates, in order: the first one that is known to hold or not to hold decides.

    `pairs` are conditions, each with its opposite: where neither of a pair holds, the next pair decides. `default` decides
    where none of the pairs does.

    >>> light, width = Between("weight", at_most=2.0), Between("width", at_most=0.8)
    >>> print(FirstKnown(((light, Between("weight", above=2.0)), (width, Between("width", above=0.8)))))
    weight <= 2
    """

    pairs: "tuple[tuple[Condition, Condition], ...]" = field(converter=as_tuple)
    default: bool = False

    def __str__(self) -> str:
        """The first condition."""
        return str(self.pairs[0][0])


@frozen
class Opaque:
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

    def __str__(self) -> str:
        """The text."""
        return self.text


@frozen
class Worded:
    """A condition that prints as its own text, such as a prefix in place of all values that begin with it.

    Exports write the condition. `{0}` and `{1}` in the text stand for the names of its first and second feature.

    >>> print(Worded(OneOf("word", ("abbey", "able")), "word begins with ab"))
    word begins with ab
    """

    condition: "Condition"
    text: str

    def __str__(self) -> str:
        """The text."""
        return self.text


# What must hold for a row to go to a child.
Condition: TypeAlias = Between | OneOf | NoneOf | Missing | SumBetween | AllOf | AnyOf | FirstKnown | Opaque | Worded


def without_text(stated: Condition) -> Condition:
    """The condition that a text stands for; any other condition itself.

    >>> without_text(Worded(Missing("word"), "no word"))
    Missing(feature='word')
    """
    return stated.condition if isinstance(stated, Worded) else stated
