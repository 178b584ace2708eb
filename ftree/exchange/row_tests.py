"""Tests that a row must pass to go to a child, in the few forms to which the conditions of all splits are lowered."""

from collections.abc import Sequence
from math import inf, nextafter
from typing import Any, TypeAlias

from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import short_repr
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, Missing, NoneOf, OneOf, Opaque, SumBetween
from ftree.tree.describe import codes_of
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits.protocol import Split


@frozen
class Not:
    """The test fails. A test on a missing value fails, so its opposite passes.

    >>> Not(Missing(0))
    Not(test=Missing(feature=0))
    """

    test: "Test"


@frozen
class Every:
    """All tests pass; without tests, it always passes.

    >>> Every(()), Every((Between(0, at_most=2.5), Missing(1)))
    (Every(tests=()), Every(tests=(Between(feature=0, above=-inf, at_most=2.5), Missing(feature=1))))
    """

    tests: "tuple[Test, ...]" = field(converter=as_tuple)


@frozen
class Some:
    """At least one of the tests passes; without tests, it never passes.

    >>> Some((Missing(0), Between(1, above=2.5)))
    Some(tests=(Missing(feature=0), Between(feature=1, above=2.5, at_most=inf)))
    """

    tests: "tuple[Test, ...]" = field(converter=as_tuple)


# Between and SumBetween apply to numbers, OneOf to codes; Missing holds for unseen values as well.
Test: TypeAlias = Between | SumBetween | OneOf | Missing | Every | Some | Not


def lowered(schema: Schema, split: Split, stated: Condition) -> Test:
    """A condition of a split as a test: codes instead of intervals of codes, and no `NoneOf` or `FirstKnown`.

    Raises a ValueError for a condition that only the split can evaluate.

    >>> from ftree import Feature, Subset
    >>> schema = Schema([Feature("sky", "nominal", ("grey", "blue", "red"))], "ride", ("no", "yes"))
    >>> lowered(schema, Subset(0, (1,)), Subset(0, (1,)).conditions[1])
    OneOf(feature=0, values=(0, 2))
    """
    match stated:
        case AllOf(conditions):
            return Every([lowered(schema, split, each) for each in conditions])
        case AnyOf(conditions):
            return _some([lowered(schema, split, each) for each in conditions])
        case FirstKnown(pairs, default):
            asked = [(lowered(schema, split, one), lowered(schema, split, other)) for one, other in pairs]
            return _first_known(asked, default=default)
        case Opaque():
            message = f"tree must have splits whose conditions can be written out, got {short_repr(split)}, which is opaque."
            raise ValueError(message)
        case SumBetween() | Missing():
            return stated
    number: Any = stated.feature
    return _of_one_feature(schema.features[number], stated)


def _some(tests: list[Test]) -> Test:
    return tests[0] if len(tests) == 1 else Some(tests)


def _first_known(pairs: Sequence[tuple[Test, Test]], *, default: bool) -> Test:
    """The first pair of which one test passes decides: it holds, or it does not fail to hold and the rest holds."""
    holds, fails = pairs[-1]
    found: Test = Not(fails) if default else holds
    for earlier_holds, earlier_fails in reversed(pairs[:-1]):
        found = Some((earlier_holds, Every((Not(earlier_fails), found))))
    return found


def _of_one_feature(feature: Feature, stated: Between | OneOf | NoneOf) -> Test:
    if feature.kind != "numeric":
        return OneOf(stated.feature, codes_of(feature, stated) or ())
    if isinstance(stated, Between):
        return stated
    equal: list[Test] = [Between(stated.feature, nextafter(float(value), -inf), float(value)) for value in _listed(stated)]
    if isinstance(stated, OneOf):
        return _some(equal)
    return Every([Not(Missing(stated.feature)), *map(Not, equal)])


def _listed(stated: OneOf | NoneOf) -> tuple[Any, ...]:
    return stated.values


def features_of(test: Test) -> tuple[Any, ...]:
    """Numbers of the features that a test uses.

    >>> features_of(Not(Missing(2)))
    (2,)
    """
    match test:
        case Not(inner):
            return features_of(inner)
        case Every(tests) | Some(tests):
            return tuple([feature for each in tests for feature in features_of(each)])
        case SumBetween(features):
            return features
    return (test.feature,)
