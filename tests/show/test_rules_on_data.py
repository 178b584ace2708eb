"""The rows that fit a rule, rule statistics and rule lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, Feature, Schema, dnf, rules, show
from ftree.datasets import weather
from ftree.testing import datasets, schemas, trees
from ftree.tree import Oblique, Surrogate, Threshold, WithSurrogates
from ftree.tree.describe import named


@st.composite
def trees_and_rows(draw):
    schema = draw(schemas())
    return draw(trees(schema=schema)), draw(datasets(schema=schema, missing=True))


@given(trees_and_rows())
def test_rules_cover_the_rows_that_they_hold_for(tree_and_rows):
    tree, dataset = tree_and_rows
    for formula in (*rules(tree), *(dnf(tree, label) for label in tree.schema.classes)):
        assert show.covers(formula, dataset).tolist() == [show.holds(formula, point) for point in dataset.rows()]


def test_statistics_of_a_rule_worked_by_hand():
    """5 of 14 days are sunny; on 2 of them golf is played, and on 9 of all days."""
    (found,) = show.rule_statistics([show.Rule((show.OneOf("outlook", ("sunny",)),), "yes", (3, 2))], weather())
    assert (found.coverage, found.support, found.confidence) == pytest.approx((5 / 14, 2 / 14, 2 / 5))
    assert found.lift == pytest.approx((2 / 5) / (9 / 14))
    assert str(found) == "if outlook = sunny then yes (coverage 0.357, confidence 0.400, lift 0.62)"


@given(trees_and_rows())
def test_a_list_of_a_trees_rules_answers_by_the_first_that_holds(tree_and_rows):
    tree, dataset = tree_and_rows
    told = rules(tree)
    answers = show.RuleList(tree.schema, told, tree.schema.classes[-1])(dataset)
    for point, answer in zip(dataset.rows(), answers, strict=True):
        assert answer == next((rule.label for rule in told if show.holds(rule, point)), tree.schema.classes[-1])


XY = Schema(
    [Feature("x", "numeric"), Feature("y", "numeric"), Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes")
)


ROWS = Dataset(XY, [[0.0, 1.0, np.nan, np.nan], [5.0, np.nan, 0.0, np.nan], [0, 1, -1, 1]], [0, 1, 1, 1])


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        (show.OneOf("sky", ("grey", None)), [True, False, True, False]),
        (show.OneOf("sky", ("green",)), [False] * 4),
        (show.NoneOf("sky", ("grey",)), [False, True, False, True]),
        (show.NoneOf("x"), [True, True, False, False]),
        (show.Missing("y"), [False, True, False, True]),
        (show.AllOf(()), [True] * 4),
        (show.AnyOf(()), [False] * 4),
        (show.AnyOf((show.Missing("x"), show.OneOf("sky", ("grey",)))), [True, False, True, True]),
        (named(XY, Oblique((1, 1, 0), 4.0).conditions[1]), [True, False, False, False]),
        (named(XY, Oblique((1, 1, 0), 4.0).conditions[0]), [False] * 4),
        (named(XY, WithSurrogates(Threshold(0, 0.5), [Surrogate(Threshold(1, 2.5))]).conditions[1]), [False, True, False, False]),
        (named(XY, WithSurrogates(Threshold(0, 0.5), [], default_child=1).conditions[1]), [False, True, True, True]),
        (named(XY, show.Opaque(Threshold(0, 0.5), 1, "{0} is high")), [False, True, False, False]),
    ],
    ids=str,
)
def test_every_condition_has_its_rows(condition, wanted):
    rule = show.Rule((condition,), "yes", (0, 1))
    assert show.covers(rule, ROWS).tolist() == wanted
    assert [show.holds(rule, point) for point in ROWS.rows()] == wanted


def test_a_label_that_the_schema_does_not_have_is_refused():
    with pytest.raises(ValueError, match="rules and default must have labels among 'no', 'yes', got 'maybe'"):
        show.RuleList(XY, [], "maybe")
    with pytest.raises(TypeError, match="formula must be a Dnf or a Rule"):
        show.covers("sky = grey", ROWS)
    with pytest.raises(KeyError, match="must be one of 'x', 'y', 'sky', got 'wind'"):
        show.covers(show.Dnf("yes", ((show.Missing("wind"),),)), ROWS)
