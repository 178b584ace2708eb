"""The destinations of rows: every row is somewhere, in parts that add up to it exactly."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Leaf, Multiway, Threshold, path_of
from ftree._lib.arrays import grid
from ftree.data.coding import decode
from ftree.missing import heaviest, stop_here, weighted
from ftree.routing.route import arrivals as arrivals_by
from ftree.routing.route import divide
from ftree.routing.rule_names import as_prediction_rule
from ftree.testing import datasets, trees
from ftree.tree.nodes import preorder

POLICIES = ("all_routes", "weighted", "heaviest", "stop")
NAN = float("nan")
THREE = Branch((2, 4), Multiway(0, (0, 1, 2)), (Leaf((1, 0)), Leaf((1, 2)), Leaf((0, 2))))


@st.composite
def trees_and_datasets(draw, *, missing=True, **options):
    tree = draw(trees(**options))
    return tree, draw(datasets(schema=tree.schema, missing=missing))


def raw_rows(dataset):
    cells = [decode(feature, column) for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)]
    return list(zip(*cells, strict=True))


def arrivals(root, columns, weights, missing):
    return arrivals_by(root, columns, weights, as_prediction_rule(missing))


def ends(tree, dataset, missing, weights=None):
    ones = np.ones(len(dataset)) if weights is None else weights
    return [arrival for arrival in arrivals(tree.root, dataset.columns, ones, missing) if arrival.ends]


@given(trees_and_datasets(missing=False), st.sampled_from(POLICIES))
def test_every_case_reaches_exactly_one_leaf_when_nothing_is_missing(drawn, missing):
    """A value that its split has never seen counts as missing there, and the row then stops at a branch."""
    tree, dataset = drawn
    reached = Counter(row for arrival in ends(tree, dataset, missing) for row in arrival.rows.tolist())
    for number, row in enumerate(raw_rows(dataset)):
        if isinstance(path_of(tree, row, missing="stop").node, Leaf):
            assert reached[number] == 1


@given(trees_and_datasets(), st.sampled_from(["heaviest", "stop"]))
def test_a_row_that_takes_one_route_ends_once_and_whole_where_its_path_ends(drawn, missing):
    tree, dataset = drawn
    arrived = [(row, a.node, weight) for a in ends(tree, dataset, missing) for row, weight in zip(a.rows, a.weights, strict=True)]
    assert sorted(row for row, _, _ in arrived) == list(range(len(dataset)))
    rows = raw_rows(dataset)
    for row, node, weight in arrived:
        assert path_of(tree, rows[row], missing=missing).node is node
        assert weight == 1


@given(trees_and_datasets(), st.data())
def test_the_parts_of_a_weighted_row_add_up_to_it_exactly(drawn, data):
    tree, dataset = drawn
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(dataset), max_size=len(dataset))), dtype=float)
    total = np.zeros(len(dataset))
    for arrival in ends(tree, dataset, "weighted", weights):
        assert (arrival.weights > 0).all()
        total[arrival.rows] += arrival.weights
    assert total.tolist() == weights.tolist()


@given(trees_and_datasets(), st.sampled_from(POLICIES))
def test_a_row_comes_to_a_node_once_at_most_and_nodes_without_rows_are_left_out(drawn, missing):
    tree, dataset = drawn
    for arrival in arrivals(tree.root, dataset.columns, np.ones(len(dataset)), missing):
        assert len(set(arrival.rows.tolist())) == len(arrival.rows) == len(arrival.weights) > 0
        assert arrival.ends == isinstance(arrival.node, Leaf) or missing == "stop"


@given(trees_and_datasets(), st.sampled_from(POLICIES))
def test_nodes_are_reached_in_preorder_and_know_the_last_one_with_cases(drawn, missing):
    tree, dataset = drawn
    reached = [arrival.node for arrival in arrivals(tree.root, dataset.columns, np.ones(len(dataset)), missing)]
    order = {id(node): number for number, node in reversed(list(enumerate(preorder(tree))))}
    numbers = [order[id(node)] for node in reached]
    assert numbers == sorted(numbers)
    for arrival in arrivals(tree.root, dataset.columns, np.ones(len(dataset)), missing):
        assert arrival.answer is arrival.node or not any(arrival.node.counts)
        assert any(arrival.answer.counts) or not any(tree.root.counts)


@given(trees_and_datasets())
def test_all_routes_reach_what_any_other_policy_reaches(drawn):
    tree, dataset = drawn
    everywhere = {(id(a.node), row) for a in ends(tree, dataset, "all_routes") for row in a.rows.tolist()}
    for missing in ("weighted", "heaviest"):
        assert {(id(a.node), row) for a in ends(tree, dataset, missing) for row in a.rows.tolist()} <= everywhere


def test_no_rows_reach_the_root_and_nothing_below():
    (only,) = arrivals(THREE, (np.array([], dtype=np.int8),), np.ones(0), "all_routes")
    assert (only.node, only.rows.tolist(), only.ends) == (THREE, [], False)


@pytest.mark.parametrize(
    ("missing", "parts"),
    [
        ("all_routes", [[1, 1, 1], [1, 1, 1], [1, 1]]),
        ("weighted", [[1, 1 / 6, 1 / 6], [1 / 2, 1 / 2, 1], [1 / 3, 1 / 3]]),
        ("heaviest", [[1], [1, 1, 1], []]),
        ("stop", [[1], [1], []]),
    ],
)
def test_rows_without_an_answer_join_the_branches_that_the_policy_gives_them(missing, parts):
    column = np.array([0, 1, -1, 3], dtype=np.int8)
    *groups, (lost, _) = divide(THREE, (column,), (np.arange(4), np.ones(4)), as_prediction_rule(missing), grid(1.0))
    assert lost.tolist() == [2, 3]
    assert [sorted(weights.tolist()) for _, weights in groups] == [pytest.approx(sorted(part)) for part in parts]


def test_rows_keep_their_numbers_and_weights_on_the_way():
    here = (np.array([7, 3, 5]), np.array([0.5, 2.0, 1.0]))
    column = np.array([NAN] * 8)
    column[[7, 3]] = [1.0, 0.0]
    below, above, lost = divide(
        Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1)))), (column,), here, stop_here(), grid(2.0)
    )
    assert [(rows.tolist(), weights.tolist()) for rows, weights in (below, above, lost)] == [
        ([3], [2.0]),
        ([7], [0.5]),
        ([5], [1.0]),
    ]


def test_nobody_is_divided_into_nobody():
    groups = divide(THREE, (np.array([0], dtype=np.int8),), (np.array([], dtype=int), np.ones(0)), weighted(), grid(1.0))
    assert [len(rows) for rows, _ in groups] == [0, 0, 0, 0]


def test_branches_without_cases_get_equal_parts():
    nothing = Branch((0,), Threshold(0, 0.5), (Leaf((0,)), Leaf((0,))))
    low, high, _ = divide(nothing, (np.array([NAN]),), (np.array([0]), np.ones(1)), weighted(), grid(1.0))
    assert (low[1].tolist(), high[1].tolist()) == ([0.5], [0.5])
    low, high, _ = divide(nothing, (np.array([NAN]),), (np.array([0]), np.ones(1)), heaviest(), grid(1.0))
    assert (low[1].tolist(), high[1].tolist()) == ([1.0], [])


def test_a_policy_that_exists_passes_and_another_is_refused():
    for missing in POLICIES:
        assert as_prediction_rule(as_prediction_rule(missing)) == as_prediction_rule(missing)
    names = "'all_routes', 'weighted', 'heaviest', 'stop_here'"
    with pytest.raises(ValueError, match=rf"missing must be .* such as weighted\(\), or one of {names}, got 'all'\."):
        as_prediction_rule("all")
