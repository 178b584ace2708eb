"""Splits at the edges: no rows, codes that a schema lacks, and expressions of several features."""

import numpy as np
import pytest
from attrs import frozen

from ftree import Branch, Feature, Leaf, Schema, Tree
from ftree.tree.conditions import AllOf, AnyOf, Between, OneOf, Opaque, SumBetween
from ftree.tree.describe import condition
from ftree.tree.describe import tested_expression as expression_of
from ftree.tree.formats import format_number
from ftree.tree.splits import (
    Groups,
    Intervals,
    IsMissing,
    Multiway,
    Oblique,
    Subset,
    Surrogate,
    Threshold,
    WithDefault,
    WithSurrogates,
)
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.recoding import recoded_cuts
from ftree.tree.times import TIME_KINDS, format_time

SCHEMA = Schema(
    [Feature("x", "numeric"), Feature("c", "nominal", "abc"), Feature("y", "numeric"), Feature("o", "ordinal", "SML")],
    "k",
    (0, 1),
)
LEAF = Leaf((1, 1))
EVERY = [
    Threshold(0, 1.5),
    Intervals(0, (0.5, 1.5)),
    Multiway(1, (0, 2)),
    Subset(1, (0, 2)),
    Groups(1, ((0,), (2,))),
    Oblique((1, 0, -1, 0), 0.5),
    IsMissing(1),
    WithDefault(Threshold(0, 1.5), default_child=1),
    WithSurrogates(Threshold(0, 1.5), [Surrogate(Subset(1, (0,)), reversed=False, agreement=0.9, adjusted=0.5)]),
]


@pytest.mark.parametrize("split", EVERY, ids=repr)
def test_no_rows_have_no_children(split):
    columns = [np.zeros(0) if SCHEMA.features[number].kind == "numeric" else np.zeros(0, np.int8) for number in split.features]
    assert child_of(split, *columns).tolist() == []


@pytest.mark.parametrize(
    ("split", "words"),
    [
        (Multiway(1, (0, 3)), "c"),
        (Subset(1, (3,)), "c"),
        (Groups(1, ((0,), (1, 3))), "c"),
        (Threshold(3, 3.5), "o"),
        (Intervals(3, (0.5, 3.5)), "o"),
        (Multiway(0, (0, 1)), "x"),
        (Subset(0, (1,)), "x"),
        (Threshold(1, 0.5), "c"),
        (Threshold(4, 0.5), "4"),
        (WithDefault(Subset(1, (3,)), default_child=0), "c"),
        (WithSurrogates(Threshold(0, 1.5), [Surrogate(Subset(1, (3,)), reversed=False, agreement=0.9, adjusted=0.5)]), "c"),
    ],
    ids=repr,
)
def test_a_tree_refuses_a_split_that_its_schema_does_not_know(split, words):
    with pytest.raises(ValueError, match=words):
        Tree(SCHEMA, Branch((2, 2), split, [LEAF] * split.n_children))


@frozen
class Both:
    """A user's split of two features, with the given conditions."""

    conditions: tuple
    features = (0, 1)
    n_children = 2

    def child(self, *columns):
        return np.zeros(len(columns[0]), int)


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (AllOf((Between(0, at_most=1.0), OneOf(1, (0,)))), "x, c"),
        (AnyOf((Between(0, at_most=1.0), OneOf(1, (0,)))), "x, c"),
        (Between(0, at_most=1.0), "x, c"),
        (SumBetween((0, 2), (1.0, 1.0), at_most=1.0), "x, c"),
        (SumBetween((0, 1), (2.0, -1.0), at_most=1.0), "2 * x - c"),
    ],
    ids=repr,
)
def test_a_split_of_several_features_is_named_by_a_sum_of_just_these_or_by_all_of_them(first, words):
    assert expression_of(SCHEMA, Both((first, first))) == words


def test_an_opaque_split_is_described_by_the_names_of_its_features():
    split = Both((AllOf(()), AllOf(())))
    split = Both((Opaque(split, 0, "{0} suits {1}"), Opaque(split, 1, "{0} does not suit {1}")))
    assert [condition(SCHEMA, split, child) for child in (0, 1)] == ["x suits c", "x does not suit c"]
    assert expression_of(SCHEMA, split) == "x, c"


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.06000048, "0.06"),  # five digits of six decimals are exact, so no more are needed
        (0.04000048, "0.0400005"),
        (0.1 + 0.2, "0.3"),
        (1e16, "1e+16"),
        (9999999999999998.0, "9999999999999998"),
        (-1e16, "-1e+16"),
        (-0.0, "0"),
    ],
)
def test_a_number_has_at_most_six_decimals_unless_it_is_small(number, shown):
    assert format_number(number) == shown


@pytest.mark.parametrize("lacking", ["features", "n_children", "child", "conditions"])
def test_a_split_has_all_four_members(lacking):
    members = {"features": (0,), "n_children": 2, "child": lambda _, column: column, "conditions": (AllOf(()), AllOf(()))}
    whole = type("Own", (), members)()
    assert Branch((2, 2), whole, (LEAF, LEAF)).split is whole
    part = type("Own", (), {name: member for name, member in members.items() if name != lacking})()
    with pytest.raises(TypeError, match="split must be a split such as Threshold"):
        Branch((2, 2), part, (LEAF, LEAF))
    with pytest.raises(TypeError, match="split must be a split such as Threshold"):
        Branch((2, 2), type(whole), (LEAF, LEAF))


def test_a_cut_stays_between_its_two_values_wherever_others_come_in():
    old = Schema([Feature("size", "ordinal", "SML")], "fits", (0, 1))

    def cut(values, at):
        return recoded_cuts(old, Schema([Feature("size", "ordinal", values)], "fits", (0, 1)), 0, (at,))

    assert [cut("SMXL", 0.5), cut("XSML", 0.5), cut("XSML", 1.25), cut("SXML", 1.5), cut("SML", 2.5)] == [
        *[(0.5,), (1.5,), (2.25,), (2.5,), (2.5,)],
    ]
    assert cut("XSML", 2.5) == (3.5,), "above all values"
    for values, at in [("SXML", 0.5), ("SMXL", 1.5), ("SL", 0.5), ("MSL", 1.5)]:
        with pytest.raises(ValueError, match=r"must be neighbours|must keep their order"):
            cut(values, at)


def test_a_surrogate_agrees_throughout_and_is_not_reversed_unless_that_is_said():
    assert Surrogate(Threshold(1, 0.5)) == Surrogate(Threshold(1, 0.5), reversed=False, agreement=1.0, adjusted=1.0)


@pytest.mark.parametrize("kind", TIME_KINDS)
@pytest.mark.parametrize("seconds", [1e13, -1e13, np.inf, -np.inf])
def test_a_time_beyond_what_dates_can_hold_prints_as_its_number(kind, seconds):
    assert format_time(seconds, kind) == str(float(seconds))
