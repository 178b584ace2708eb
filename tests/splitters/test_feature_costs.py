"""Features with costs: the published formulas, and trees that test cheap features first."""

from math import inf, nan

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import ID3, Dataset, from_json, grow, leaves, to_json
from ftree.splitters import by_cost, by_score
from ftree.testing import check_choice, datasets
from ftree.tree import walk

COSTS = (0.5, 2.0, 3.0, 8.0)


@pytest.mark.parametrize(
    ("formula", "figure"),
    [
        ("eg2", lambda gain, cost: (2**gain - 1) / (cost + 1)),
        ("cs_id3", lambda gain, cost: gain**2 / cost),
        ("idx", lambda gain, cost: gain / cost),
    ],
)
def test_each_formula_is_the_published_one(formula, figure):
    check_choice(
        by_cost(COSTS, formula=formula), oracle=lambda node: [figure(gain, COSTS[feature]) for feature, gain, *_ in node]
    )


def test_a_weight_raises_the_cost_to_a_power():
    check_choice(
        by_cost(COSTS, weight=2), oracle=lambda node: [(2**gain - 1) / (COSTS[feature] + 1) ** 2 for feature, gain, *_ in node]
    )


@given(datasets(), st.sampled_from(["eg2", "cs_id3", "idx"]))
def test_equal_costs_choose_by_score(dataset, formula):
    equal = by_cost([1] * len(dataset.schema.features), formula=formula)
    assert grow(dataset, evolve(ID3, choose=equal)) == grow(dataset, evolve(ID3, choose=by_score()))


def test_a_cheap_feature_is_asked_before_a_dear_one_that_gains_more():
    rows = [[a, b] for a in (0, 1) for b in (0, 1) for _ in range(4)]
    labels = ["yes" if a else "no" for a, _ in rows]
    labels[0] = "yes"  # so that the second feature gains something
    table = Dataset.from_rows(rows, labels, kinds="nominal")
    tree = grow(table, evolve(ID3, choose=by_cost((1000, 0))))
    assert tree.root.split.features == (1,)
    assert grow(table).root.split.features == (0,)
    assert len(list(leaves(tree))) < len(list(walk(tree)))


def test_it_is_a_value_that_json_keeps():
    policy = evolve(ID3, choose=by_cost([1, 2], formula="idx"))
    assert from_json(to_json(policy)) == policy
    assert repr(by_cost([1, 2], formula="idx")) == "by_cost((1, 2), formula='idx')"


@pytest.mark.parametrize("cost", [-1, nan, inf, "1", None])
def test_costs_are_finite_numbers_from_zero(cost):
    with pytest.raises(ValueError, match="costs must be finite numbers from 0, one for each feature, got"):
        by_cost((1, cost))


def test_a_cost_of_zero_divides_nothing():
    assert by_cost((0,)).costs == (0,)
    with pytest.raises(ValueError, match="costs must be finite numbers above 0, one for each feature, got 0"):
        by_cost((0,), formula="idx")


@pytest.mark.parametrize("weight", [-1, nan, "1"])
def test_a_weight_is_a_finite_number_from_zero(weight):
    with pytest.raises(ValueError, match="weight must be a finite number from 0, got"):
        by_cost((1,), weight=weight)


def test_each_feature_needs_a_cost():
    with pytest.raises(
        ValueError, match="costs must be one number for each feature of the schema, got 1, and a split on feature 1"
    ):
        grow(Dataset.from_rows([[0, 0], [0, 1]], ["a", "b"]), evolve(ID3, choose=by_cost((1,))))


@pytest.mark.parametrize(
    ("costs", "options"),
    [
        ((1.0, 1e-320), {"formula": "idx"}),
        ((1e308,), {"weight": 2}),
        ((3.0,), {"weight": 1e308}),
        ((1e-310,), {"formula": "cs_id3"}),
    ],
)
def test_costs_beyond_the_floats_are_refused_in_place_of_a_tree_by_no_gain(costs, options):
    with pytest.raises(ValueError, match="costs and weight must leave a gain of one bit above 0 and finite, got by_cost"):
        by_cost(costs, **options)
