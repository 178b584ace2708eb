"""Class priors and costs of errors: in growing, in the label of a leaf, in pruning."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree import CART, ID3, Branch, Dataset, grow, mean_cost, predict
from ftree.criteria import cost_risk
from ftree.criteria.costs import factors
from ftree.prune import cost_complexity_path, measured
from ftree.stop import max_depth, never
from ftree.testing import datasets, schemas
from ftree.tree import preorder

POLICIES = st.sampled_from([ID3, CART])
times = st.lists(st.integers(1, 5), min_size=3, max_size=3)


def shape(tree):
    """The splits of a tree in preorder, None for a leaf."""
    return [getattr(node, "split", None) for node in preorder(tree)]


def of_classes(n):
    some = schemas().map(lambda schema: evolve(schema, classes=("no", "yes", "maybe")[:n]))
    return some.flatmap(lambda schema: datasets(schema=schema))


def shares(dataset, weights):
    heavy = np.array(dataset.class_counts()) * np.array(weights[: len(dataset.schema.classes)])
    return tuple((heavy / heavy.sum()).tolist())


@given(of_classes(3), times, POLICIES)
def test_priors_grow_what_weighting_the_classes_grows(dataset, weights, policy):
    by_prior = grow(dataset, evolve(policy, priors=shares(dataset, weights)))
    by_weight = grow(evolve(dataset, weights=np.array(weights)[dataset.target_column]), policy)
    assert shape(by_prior) == shape(by_weight)
    assert by_prior.root.counts == dataset.class_counts()


@given(of_classes(2), st.integers(1, 5), st.integers(1, 5), POLICIES)
def test_costs_of_two_classes_grow_what_altered_priors_grow(dataset, missed, alarmed, policy):
    by_cost = grow(dataset, evolve(policy, costs=[[0, missed], [alarmed, 0]]))
    by_prior = grow(dataset, evolve(policy, priors=shares(dataset, [missed, alarmed])))
    assert by_cost == by_prior


@given(of_classes(2), POLICIES)
def test_priors_as_the_data_have_them_and_equal_costs_change_nothing(dataset, policy):
    tree = grow(dataset, policy)
    assert grow(dataset, evolve(policy, priors=shares(dataset, [1, 1]))) == tree
    assert grow(dataset, evolve(policy, costs=[[0, 2], [2, 0]])) == tree


@given(of_classes(3))
def test_a_class_whose_prior_is_0_decides_nothing(dataset):
    counts = dataset.class_counts()
    assume(counts[0] + counts[1])
    first = 1.0 if counts[0] else 0.0
    tree = grow(dataset, evolve(ID3, priors=(first, 1 - first, 0), stop=never))
    assert tree.root.counts == counts
    assert all(node.counts == tuple(map(sum, zip(*(c.counts for c in node.children), strict=True))) for node in branches(tree))


def branches(tree):
    return [node for node in preorder(tree) if isinstance(node, Branch)]


LEAF = grow(Dataset.from_rows([["a"]] * 4, ["no", "no", "no", "yes"]), evolve(ID3, stop=max_depth(0)))


def test_the_label_is_that_of_least_expected_cost():
    assert predict(LEAF, ["a"]) == "no"
    assert predict(LEAF, ["a"], costs=[[0, 1], [4, 0]]) == "yes"
    assert predict(LEAF, ["a"], costs=[[0, 1], [3, 0]]) == "no", "the first of equals"
    assert predict(LEAF, [["a"], ["a"]], costs=[[0, 1], [4, 0]]) == ["yes", "yes"]


def test_the_label_weighs_classes_by_their_priors():
    assert predict(LEAF, ["a"], priors=[0.4, 0.6]) == "yes"
    assert predict(LEAF, ["a"], priors=[0.75, 0.25]) == "no"
    assert predict(LEAF, ["a"], priors=[0.6, 0.4], costs=[[0, 1], [2, 0]]) == "yes"


@given(of_classes(3))
def test_equal_costs_leave_labels_as_they_are(dataset):
    tree = grow(dataset)
    equal = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert list(predict(tree, dataset, costs=equal)) == list(predict(tree, dataset))


@given(of_classes(2), st.integers(1, 9), st.integers(1, 9))
def test_no_answers_cost_less_on_the_growing_data_than_the_cheapest(dataset, missed, alarmed):
    costs = [[0, missed], [alarmed, 0]]
    tree = grow(dataset, evolve(ID3, stop=max_depth(1)))
    assert mean_cost(tree, dataset, costs=costs) <= mean_cost(tree, dataset, costs=costs, decide=False) + 1e-12


@given(of_classes(2), st.integers(1, 9), st.integers(1, 9))
def test_the_path_starts_at_the_mean_cost_of_the_growing_data(dataset, missed, alarmed):
    costs = [[0, missed], [alarmed, 0]]
    tree = grow(dataset)
    first, *_ = cost_complexity_path(tree, risk=cost_risk(tree.root.counts, costs=costs))
    assert first.risk == pytest.approx(mean_cost(tree, dataset, costs=costs))


@pytest.mark.parametrize(
    "priors",
    [
        *([0.5, 0.6], [], [-0.5, 1.5], [float("nan"), 1], ["half", "half"], [2, float("inf")], 0.5, [[0.5, 0.5]]),
        *("01", {0: 0.5, 1: 0.5}),
    ],
)
def test_priors_are_shares_of_one_whole(priors):
    with pytest.raises(ValueError, match="priors must be numbers from 0 that sum to 1"):
        evolve(ID3, priors=priors)


@pytest.mark.parametrize(
    "costs",
    [
        *(
            [],
            [[0, 1]],
            [[0, -1], [1, 0]],
            [[0, -0.5], [1, 0]],
            [[1, 1], [1, 0]],
            [[0, 1], [float("inf"), 0]],
            [0, 1],
            [[0, "x"], [1, 0]],
            3,
        ),
        *(["01", "10"], {0: [0, 1], 1: [1, 0]}, [[0, None], [1, 0]]),
    ],
)
def test_costs_are_a_square_of_numbers_with_nothing_for_right_answers(costs):
    with pytest.raises(ValueError, match="costs must be a square matrix"):
        evolve(ID3, costs=costs)


def test_priors_and_costs_are_for_the_classes_of_the_data():
    data = Dataset.from_rows([["a"], ["b"], ["c"]], [0, 1, 2])
    with pytest.raises(ValueError, match="priors must be for the 3 classes of the schema, got 2"):
        grow(data, evolve(ID3, priors=(0.5, 0.5)))
    with pytest.raises(ValueError, match="costs must be for the 3 classes of the schema, got 2"):
        grow(data, evolve(ID3, costs=[[0, 1], [1, 0]]))
    with pytest.raises(ValueError, match="costs must be for the 3 classes of the schema, got 2"):
        predict(grow(data), ["a"], costs=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="must give at least one class in the data a weight"):
        factors((3, 0), (0.0, 1.0), None)


@given(of_classes(3))
def test_a_path_by_equal_costs_is_measured_as_by_errors(dataset):
    tree = grow(dataset)
    risk = cost_risk(dataset.class_counts())
    by_cost = measured(cost_complexity_path(tree, risk=risk), dataset, risk=risk)
    by_error = measured(cost_complexity_path(tree), dataset)
    assert [row.leaves for row in by_cost] == [row.leaves for row in by_error]
    for mine, theirs in zip(by_cost, by_error, strict=True):
        assert mine.error == pytest.approx(theirs.error)
        assert mine.standard_error == pytest.approx(theirs.standard_error, abs=1e-7)


@given(of_classes(2), st.integers(1, 9), st.integers(1, 9))
def test_a_path_is_measured_by_the_mean_cost_of_its_answers(dataset, missed, alarmed):
    costs = [[0, missed], [alarmed, 0]]
    risk = cost_risk(dataset.class_counts(), costs=costs)
    for row in measured(cost_complexity_path(grow(dataset), risk=risk), dataset, risk=risk):
        assert row.error == pytest.approx(mean_cost(row.tree, dataset, costs=costs))


@pytest.mark.parametrize("counts", [(-1, 2), (None, 2), "ab", ()])
def test_the_risk_is_of_class_counts(counts):
    with pytest.raises(ValueError, match="class_counts must be numbers from 0"):
        cost_risk(counts)


def test_a_single_class_has_its_priors_and_costs_too():
    data = Dataset.from_rows([["a"], ["b"]], ["yes", "yes"])
    tree = grow(data, evolve(ID3, priors=[1], costs=[[0]], stop=never))
    assert tree == grow(data, evolve(ID3, stop=never))
    assert list(predict(tree, data, priors=[1], costs=[[0]])) == ["yes", "yes"]
    assert mean_cost(tree, data, costs=[[0]]) == 0
    assert cost_risk((2,), priors=[1], costs=[[0]])([[2], [0]]).tolist() == [0, 0]
