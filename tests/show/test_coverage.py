"""The rows that fit a rule, rule statistics, and rule lists, compared with `holds` row by row."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, Feature, Oblique, Schema, Surrogate, Threshold, WithSurrogates, dnf, holds, rule_statistics, rules
from ftree.data.coding import decode
from ftree.datasets import weather
from ftree.show import AllOf, AnyOf, Between, Dnf, Missing, NoneOf, OneOf, Opaque, Rule, RuleList, covers
from ftree.testing import datasets, schemas, trees
from ftree.tree.describe import named


@st.composite
def trees_and_rows(draw):
    schema = draw(schemas())
    return draw(trees(schema=schema)), draw(datasets(schema=schema, missing=True))


def points_of(dataset):
    columns = [decode(feature, column) for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)]
    names = [feature.name for feature in dataset.schema.features]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


@given(trees_and_rows())
def test_rules_cover_the_rows_that_they_hold_for(tree_and_rows):
    tree, dataset = tree_and_rows
    points = points_of(dataset)
    for formula in (*rules(tree), *(dnf(tree, label) for label in tree.schema.classes)):
        assert covers(formula, dataset).tolist() == [holds(formula, point) for point in points]


XY = Schema(
    [Feature("x", "numeric"), Feature("y", "numeric"), Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes")
)
ROWS = Dataset(XY, [[0.0, 1.0, np.nan, np.nan], [5.0, np.nan, 0.0, np.nan], [0, 1, -1, 1]], [0, 1, 1, 1])


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        (OneOf("sky", ("grey", None)), [True, False, True, False]),
        (OneOf("sky", ("green",)), [False] * 4),
        (NoneOf("sky", ("grey",)), [False, True, False, True]),
        (NoneOf("x"), [True, True, False, False]),
        (Missing("y"), [False, True, False, True]),
        (AllOf(()), [True] * 4),
        (AnyOf(()), [False] * 4),
        (AnyOf((Missing("x"), OneOf("sky", ("grey",)))), [True, False, True, True]),
        (named(XY, Oblique((1, 1, 0), 4.0).conditions[1]), [True, False, False, False]),
        (named(XY, Oblique((1, 1, 0), 4.0).conditions[0]), [False] * 4),
        (named(XY, WithSurrogates(Threshold(0, 0.5), [Surrogate(Threshold(1, 2.5))]).conditions[1]), [False, True, False, False]),
        (named(XY, WithSurrogates(Threshold(0, 0.5), [], default_child=1).conditions[1]), [False, True, True, True]),
        (named(XY, Opaque(Threshold(0, 0.5), 1, "{0} is high")), [False, True, False, False]),
    ],
    ids=str,
)
def test_every_condition_has_its_rows(condition, wanted):
    rule = Rule((condition,), "yes", (0, 1))
    assert covers(rule, ROWS).tolist() == wanted
    assert [holds(rule, point) for point in points_of(ROWS)] == wanted


def test_statistics_of_a_rule_worked_by_hand():
    """5 of 14 days are sunny; on 2 of them golf is played, and on 9 of all days."""
    (found,) = rule_statistics([Rule((OneOf("outlook", ("sunny",)),), "yes", (3, 2))], weather())
    assert (found.coverage, found.support, found.confidence) == pytest.approx((5 / 14, 2 / 14, 2 / 5))
    assert found.lift == pytest.approx((2 / 5) / (9 / 14))
    assert str(found) == "if outlook = sunny then yes (coverage 0.357, confidence 0.400, lift 0.62)"


def test_statistics_are_by_weight_and_shares_of_nothing_are_not_a_number():
    heavy = Dataset.from_rows([["a"], ["b"]], ["no", "yes"], features=["sky"], weights=[3, 1])
    first, second, third = rule_statistics(
        [Rule((OneOf("sky", ("a",)),), "no", (3, 0)), Rule((OneOf("sky", ("c",)),), "no", (0, 0)), Rule((), "maybe", (3, 1))],
        heavy,
    )
    assert (first.coverage, first.lift) == (0.75, pytest.approx(4 / 3))
    assert isnan(second.confidence)
    assert (third.confidence, isnan(third.lift)) == (0, True)
    (nothing,) = rule_statistics([first.rule], heavy.take([]))
    assert isnan(nothing.coverage)


@given(trees_and_rows())
def test_a_list_of_a_trees_rules_answers_by_the_first_that_holds(tree_and_rows):
    tree, dataset = tree_and_rows
    told = rules(tree)
    answers = RuleList(tree.schema, told, tree.schema.classes[-1])(dataset)
    for point, answer in zip(points_of(dataset), answers, strict=True):
        assert answer == next((rule.label for rule in told if holds(rule, point)), tree.schema.classes[-1])


def test_a_label_that_the_schema_does_not_have_is_refused():
    with pytest.raises(ValueError, match="rules and default must have labels among 'no', 'yes', got 'maybe'"):
        RuleList(XY, [], "maybe")
    with pytest.raises(TypeError, match="formula must be a Dnf or a Rule"):
        covers("sky = grey", ROWS)
    with pytest.raises(KeyError, match="must be one of 'x', 'y', 'sky', got 'wind'"):
        covers(Dnf("yes", ((Missing("wind"),),)), ROWS)


def test_of_several_rules_that_fit_the_first_gives_the_label():
    wide, narrow = Rule((Between("x", above=1.0),), "no", (2, 0)), Rule((Between("x", above=5.0),), "yes", (0, 2))
    schema = Schema([Feature("x", "numeric")], "class", ("no", "yes"))
    assert RuleList(schema, [narrow, wide], "yes")([[6.0], [3.0], [0.0]]) == ["yes", "no", "yes"]
    assert RuleList(schema, [wide, narrow], "yes")([[6.0], [3.0], [0.0]]) == ["no", "no", "yes"]
