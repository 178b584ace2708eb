"""Every condition passes through every reader of conditions in `tree` and `show`, and a foreign one is refused by name."""

from typing import get_args

import numpy as np
import pytest
from attrs import frozen

from ftree import Feature, Schema
from ftree.show.compare_trees import _key, _of_known
from ftree.show.html_page import condition_json
from ftree.show.outline import short_condition
from ftree.show.tex import _Latex
from ftree.tree.conditions import (
    AllOf,
    AnyOf,
    Between,
    Condition,
    FirstKnown,
    Missing,
    NoneOf,
    Not,
    OneOf,
    Opaque,
    SumBetween,
    Worded,
    Wording,
    _InWords,
    features_of,
    in_words,
    mapped,
    without_surrogates,
    without_text,
)
from ftree.tree.describe import arriving, codes_of, describe_condition, named, term
from ftree.tree.logic import OneRow, both, intervals_of, satisfied, subject_of
from ftree.tree.splits import Threshold

AGE, SKY = Feature("age", "numeric"), Feature("sky", "nominal", ("grey", "blue"))
SCHEMA = Schema([AGE, SKY], "ride", ("no", "yes"))


class OneRowOfASplit(OneRow):
    """A row whose child an opaque split knows."""

    def child(self, opaque):
        return int(opaque.split.child(np.array([self.number(0)]))[0])


ROW = OneRowOfASplit({0: 20.0, 1: 1})
# Each condition with numbers and codes, as splits state it, and whether it holds of the row.
HOLDS = [
    (Between(0, above=18.0), True),
    (OneOf(1, (0,)), False),
    (NoneOf(1, (0,)), True),
    (Missing(0), False),
    (SumBetween((0, 0), (1.0, -0.5), above=11.0), False),
    (AllOf((Between(0, above=18.0), OneOf(1, (1,)))), True),
    (AnyOf((Between(0, at_most=18.0), Missing(0))), False),
    (Not(Missing(1)), True),
    (FirstKnown([(Between(0, at_most=18.0), Between(0, above=18.0))]), False),
    (Opaque(Threshold(0, 18.0), 1, "{0} is right"), True),
    (Worded(OneOf(1, (1,)), "{0} is clear"), True),
]
# Functions of conditions with numbers; those of named ones get what `named` makes of a condition.
OF_SPLITS = {
    "satisfied": lambda stated: satisfied(stated, ROW),
    "features_of": features_of,
    "describe_condition": lambda stated: describe_condition(SCHEMA, stated),
    "term": lambda stated: term(SCHEMA, stated),
    "named": lambda stated: named(SCHEMA, stated),
    "intervals_of": intervals_of,
    "arriving": lambda stated: arriving(SCHEMA, {}, stated),
    "condition_json": lambda stated: condition_json(SCHEMA, stated),
    "compare: key": lambda stated: hash(_key(SCHEMA, stated)),
    "mapped": lambda stated: mapped(stated, lambda part: part),
    "subject_of": lambda stated: hash(subject_of(stated)),
    "codes_of": lambda stated: codes_of(SKY, stated),
}
OF_NAMED = {
    "str": str,
    "in_words": lambda stated: in_words(stated, Wording(digits=3, schema=SCHEMA)),
    "conjunction": lambda stated: Wording(schema=SCHEMA).conjunction([stated, stated]),
    "latex": lambda stated: in_words(stated, _Latex()),
    "both": lambda stated: both(stated, stated),
    "without_text": without_text,
    "without_surrogates": without_surrogates,
    "short_condition": lambda stated: short_condition("age", str(stated), stated),
    "compare: known": _of_known,
}


def test_every_condition_has_an_example():
    assert [type(stated) for stated, _ in HOLDS] == list(get_args(Condition))


@pytest.mark.parametrize(("stated", "holds"), HOLDS, ids=lambda value: type(value).__name__)
def test_every_reader_takes_every_condition(stated, holds):
    assert bool(satisfied(stated, ROW)) == holds
    for reader in OF_SPLITS.values():
        reader(stated)
    for reader in OF_NAMED.values():
        reader(named(SCHEMA, stated))
    assert set(features_of(stated)) <= {0, 1}
    assert mapped(stated, lambda part: part) == stated
    assert both(stated, stated) in (stated, without_text(stated))


@frozen
class Modulo(_InWords):
    """A condition that no reader knows, though it has the fields of others."""

    feature: int
    above: float = 0.0
    at_most: float = 1.0
    values: tuple = ()
    text = "a remainder"


# What reads a part of a condition, and is right of any other: a condition is its own subject, lists no codes, ...
PARTIAL = {"arriving", "condition_json", "compare: key", "mapped", "subject_of", "codes_of", "both"}
PARTIAL |= {"without_text", "without_surrogates", "compare: known"}


@pytest.mark.parametrize("name", sorted({*OF_SPLITS, *OF_NAMED} - PARTIAL - {"str", "short_condition"}))
def test_a_condition_that_a_reader_does_not_know_is_refused_by_its_name(name):
    with pytest.raises(TypeError, match=r"with conditions of ftree\.show, such as Between, got Modulo"):
        {**OF_SPLITS, **OF_NAMED}[name](Modulo(0))


def test_two_conditions_of_types_that_both_does_not_combine_are_refused():
    with pytest.raises(
        TypeError, match=r"^Conditions on one subject must be of types that `both` combines, got Between.* and Mod"
    ):
        both(Between(0, 1.0), Modulo(0))
    assert both(Modulo(0), Missing(0)) is None
