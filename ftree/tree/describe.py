"""Conditions and splits in words, with names instead of numbers, for all functions that show or export a tree."""

from collections.abc import Mapping
from functools import partial
from math import floor, isinf
from typing import Any, TypeAlias

from attrs import evolve
from toolz import unique

from ftree.tree.conditions import (
    AnyOf,
    Between,
    Condition,
    FeatureKey,
    FirstKnown,
    Missing,
    NoneOf,
    OneOf,
    Opaque,
    SumBetween,
    Worded,
    Wording,
    features_of,
    in_words,
    mapped,
    unknown_condition,
    without_surrogates,
)
from ftree.tree.formats import TimeNumber, format_interval, format_sum
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits.split import Split, primary


def condition(schema: Schema, split: Split, child: int, wording: Wording | None = None) -> str:
    """The condition for going to a child, in Weka's form; surrogates are not mentioned.

    >>> from ftree import Feature
    >>> from ftree.tree import Multiway, Threshold
    >>> schema = Schema((Feature("petal width", "numeric"), Feature("sky", "nominal", ("grey", "blue"))), "class", ("a", "b"))
    >>> condition(schema, Threshold(0, 0.8), 1), condition(schema, Multiway(1, (0, 1)), 1)
    ('petal width > 0.8', 'sky = blue')
    """
    return describe_condition(schema, split.conditions[child], wording)


def term(schema: Schema, stated: Condition) -> str:
    """A condition as a part of a conjunction: alternatives are in parentheses."""
    own = without_surrogates(stated)
    words = describe_condition(schema, own)
    return f"({words})" if isinstance(own, AnyOf) else words


def describe_condition(schema: Schema, stated: Condition, wording: Wording | None = None) -> str:
    """A condition of a split in words; cuts of an ordinal feature are named by the value below them.

    By default numbers have all their digits, and long lists of values are cut.

    >>> from ftree import Feature
    >>> size = Feature("size", "ordinal", ("S", "M", "L"))
    >>> describe_condition(Schema([size], "fits", ("no", "yes")), Between(0, at_most=1.5))
    'size <= M'
    """
    wording = wording or Wording(schema=schema)
    match stated:
        case Between(int(number), above, at_most) if schema.features[number].kind == "ordinal":
            # A threshold of an ordinal feature lies between two codes; it is named by the value below it.
            feature = schema.features[number]
            words = format_interval(feature.name, above, at_most, written=lambda at: str(feature.values[floor(at)]))
        case FirstKnown():
            return describe_condition(schema, without_surrogates(stated), wording)
        case NoneOf(int(number), ()):
            words = str(NoneOf(schema.features[number].name))
        case _:
            words = in_words(named(schema, stated), wording)
    return words


def named(schema: Schema, stated: Condition) -> Condition:
    """A condition of a split with names instead of numbers, and values instead of codes.

    An interval of an ordinal feature becomes the values in it, and "none of these codes" the other values of the feature.

    >>> from ftree import Feature
    >>> schema = Schema([Feature("sky", "nominal", ("grey", "blue", "red"))], "ride", ("no", "yes"))
    >>> named(schema, NoneOf(0, (1,)))
    OneOf(feature='sky', values=('grey', 'red'))
    """
    return mapped(stated, partial(_named, schema))


def _named(schema: Schema, stated: Between | OneOf | NoneOf | Missing | SumBetween | Worded | Opaque) -> Condition:
    """A condition that is not made of others."""
    match stated:
        case SumBetween(features):
            return evolve(stated, features=[_feature(schema, key).name for key in features])
        case Worded(condition):
            inner = named(schema, condition)
            return Worded(inner, stated.text.format(*unique(features_of(inner))))
        case Opaque(split):
            used = [schema.features[number] for number in split.features]
            return evolve(stated, text=stated.text.format(*(feature.name for feature in used)), features=used)
        case Between(key) | OneOf(key) | NoneOf(key) | Missing(key):
            return _of_one_feature(_feature(schema, key), stated)
    raise unknown_condition(stated)


def _feature(schema: Schema, key: FeatureKey) -> Feature:
    number: Any = key  # a condition of a split has numbers
    feature: Feature = schema.features[number]
    return feature


def _of_one_feature(feature: Feature, stated: Between | OneOf | NoneOf | Missing) -> Condition:
    codes = codes_of(feature, stated)
    if codes is not None:
        return OneOf(feature.name, [feature.values[code] for code in codes])
    if isinstance(stated, Between):  # the most frequent condition; `evolve` would take several times as long
        return Between(feature.name, _number(feature, stated.above), _number(feature, stated.at_most))
    return evolve(stated, feature=feature.name)


def _number(feature: Feature, number: float) -> float:
    """A bound of a feature that prints as the time or number for which it stands."""
    return number if feature.time is None or isinf(number) else TimeNumber(number, feature.time)


# For the numbers of some nominal features, the codes that can arrive at a node.
Arriving: TypeAlias = Mapping[int, frozenset[int]]


def codes_of(feature: Feature, stated: Condition) -> list[int] | None:
    """The codes of a nominal or ordinal feature for which a condition on it holds.

    None for a numeric feature, and for conditions on whether a value is missing.

    >>> codes_of(Feature("size", "ordinal", ("S", "M", "L")), Between(0, above=0.5))
    [1, 2]
    """
    codes = range(len(feature.values))
    match stated:
        case Between(_, above, at_most) if codes:
            return [code for code in codes if above < code <= at_most]
        case OneOf(_, listed) if codes:
            return list(listed)  # type: ignore[arg-type]  # codes, in a condition of a split
        case NoneOf(_, listed) if codes:
            without = set(listed)
            return [code for code in codes if code not in without]
    return None


def arriving(schema: Schema, known: Arriving, stated: Condition) -> tuple[Condition, Arriving]:
    """A condition without the values that a condition above turns away, and the codes that can arrive below it.

    >>> from ftree import Feature
    >>> schema = Schema([Feature("class", "nominal", ("crew", "first", "second"))], "survived", ("no", "yes"))
    >>> arriving(schema, {0: frozenset((0, 1))}, NoneOf(0, (1,)))
    (OneOf(feature=0, values=(0,)), {0: frozenset({0})})
    """
    own = without_surrogates(stated)
    if not isinstance(own, OneOf | NoneOf) or (codes := codes_of(_feature(schema, own.feature), own)) is None:
        return stated, known
    number: Any = own.feature
    here = [code for code in codes if code in known[number]] if number in known else codes
    return OneOf(number, here) if 0 < len(here) < len(codes) else stated, {**known, number: frozenset(here)}


def tested_expression(schema: Schema, split: Split) -> str:
    """The expression that a split tests: its feature's name, a weighted sum, or several names; surrogates are not mentioned.

    >>> from ftree import Feature
    >>> from ftree.tree import Oblique, Threshold
    >>> schema = Schema((Feature("age", "numeric"), Feature("weight", "numeric")), "class", ("a", "b"))
    >>> tested_expression(schema, Threshold(1, 70)), tested_expression(schema, Oblique((1, -0.5), 2))
    ('weight', 'age - 0.5 * weight')
    """
    own = primary(split)
    features = own.features
    names = [schema.features[number].name for number in features]
    if len(names) == 1:
        return names[0]
    first = own.conditions[0]
    return format_sum(names, first.weights) if isinstance(first, SumBetween) and first.features == features else ", ".join(names)


def answered(schema: Schema) -> str:
    """What a tree answers: its target, or the columns of each of which an answer has a number.

    >>> from ftree import Dataset
    >>> soil = {"depth": [1, 2], "lime": [1.5, 2], "ash": [3, 4.5]}
    >>> [answered(Dataset.from_frame(soil, target).schema) for target in ("ash", ["lime", "ash"])]
    ['ash', 'lime, ash']
    """
    columns = (schema.target, *schema.response.further_targets)
    names = schema.response.options.names
    return ", ".join(columns) if names is not None and tuple(names()) == columns else schema.target
