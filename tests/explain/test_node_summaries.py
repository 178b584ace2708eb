"""Summaries of nodes: improvements add up to importances, surrogates are those of growth, and every kind of tree has one."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given

from ftree import C45, CART, ID3, Branch, Dataset, Leaf, Tree, gini, grow, importances, n_nodes, recount
from ftree import datasets as ready
from ftree.explain import summary
from ftree.growth import attach_surrogates
from ftree.missing import surrogates
from ftree.responses import events
from ftree.stop import max_depth
from ftree.testing import datasets
from ftree.tree import Multiway, Oblique, Threshold, WithSurrogates, walk
from ftree.tree.edit import branch_of

SHALLOW = CART.stopping(max_depth(2))


def sums_of_improvements(tree, nodes):
    due = dict.fromkeys((feature.name for feature in tree.schema.features), 0.0)
    for node in nodes:
        if node.split is not None:
            due[node.split.feature] += node.split.improvement
    return {name: worth / (sum(due.values()) or 1) for name, worth in due.items()}


@given(datasets(missing=False, weighted=True))
def test_improvements_of_splits_add_up_to_importances_and_no_competitor_improves_more(data):
    tree = grow(data, SHALLOW)
    nodes = summary(tree, data, SHALLOW).nodes
    assert sums_of_improvements(tree, nodes) == pytest.approx(importances(tree, impurity=gini))
    assert {node.path: node.counts for node in nodes} == {path: node.counts for path, node in walk(tree)}
    for node in nodes:
        assert all(other.improvement <= node.split.improvement + 1e-6 for other in node.competitors)
        assert all(other.missing == 0 for other in node.competitors)


@given(datasets())
def test_surrogates_are_those_that_growth_gives_everywhere(data):
    policy = evolve(SHALLOW, missing=surrogates(everywhere=True))
    tree = grow(data, policy)
    with_surrogates = dict(walk(attach_surrogates(tree, data)))
    for node in summary(tree, data, policy).nodes:
        split = getattr(with_surrogates[node.path], "split", None)
        wanted = [(each.agreement, each.adjusted) for each in split.surrogates] if isinstance(split, WithSurrogates) else []
        assert [(each.agreement, each.adjusted) for each in node.surrogates] == wanted


def test_limits_count_competitors_and_surrogates():
    cars = Dataset.from_rows(
        [[n, n // 8, n % 5] for n in range(40)], [n**2 + n % 5 for n in range(40)], kinds="numeric", response="numbers"
    )
    tree = grow(cars, SHALLOW)
    root = summary(tree, cars, SHALLOW, competitors=2, surrogates=1).nodes[0]
    assert (len(root.competitors), len(root.surrogates)) == (2, 1)
    assert 0 < root.competitors[1].improvement < root.competitors[0].improvement < root.split.improvement < 1
    bare = summary(tree, cars, SHALLOW, competitors=0, surrogates=0)
    assert not any(node.competitors or node.surrogates for node in bare.nodes)
    assert len(bare.nodes) == n_nodes(tree)
    with pytest.raises(ValueError, match="competitors must be a whole number from 0, got -1"):
        summary(tree, cars, competitors=-1)
    with pytest.raises(ValueError, match="surrogates must be a whole number from 0, got"):
        summary(tree, cars, surrogates=1.5)
    with pytest.raises(TypeError, match="tree must be a Tree"):
        summary(cars, cars)


def test_events_improve_by_the_deviance_that_the_split_saves():
    calls = Dataset.from_rows([[1, 0], [1, 1], [3, 0], [3, 1]] * 3, [0, 2, 4, 6] * 3, response=events(shrink=0), kinds="numeric")
    tree = grow(calls, SHALLOW)
    root, response = tree.root, tree.schema.response
    saved = response.risk(root.counts) - sum(response.risk(child.counts) for child in root.children)
    assert summary(tree, calls, SHALLOW).nodes[0].split.improvement == pytest.approx(saved)


def test_a_split_of_ones_own_is_measured_by_the_cases_of_its_children():
    data = Dataset.from_rows([[1.0, 1.0], [2.0, 5.0], [3.0, 2.0], [4.0, 7.0]], ["no", "no", "yes", "yes"])
    tree = Tree(data.schema, Branch((2, 2), Threshold(0, 1.5), (Leaf((1, 0)), Leaf((1, 2)))))
    root = summary(tree, data).nodes[0]
    assert root.split.condition == "x0 <= 1.5"
    assert root.split.improvement == pytest.approx(4 * (1 / 2 - 3 / 4 * 4 / 9))
    assert [each.feature for each in root.competitors] == ["x1"]


def test_a_split_into_several_children_of_ones_own_is_measured_by_all_of_them_at_any_node():
    """Subsets divide the weather better than the three children of outlook, which stand below both children of windy."""
    days = ready.weather()
    outlook, windy = (column_of(days, name) for name in ("outlook", "windy"))
    tree = recount(Tree(days.schema, branch_of(Multiway(windy, (0, 1)), [divided(outlook, 3)] * 2)), days)
    nodes = summary(tree, days).nodes
    for node, found in zip((tree.root, *tree.root.children), nodes, strict=False):
        impurity, cases = gini(node.counts), sum(node.counts)
        assert found.split.improvement == pytest.approx(
            cases * impurity - sum(sum(c.counts) * gini(c.counts) for c in node.children)
        )


def column_of(data, name):
    return [feature.name for feature in data.schema.features].index(name)


def divided(feature, n):
    return branch_of(Multiway(feature, range(n)), [Leaf((1, 1))] * n)


@given(datasets(response="numbers"))
def test_numbers_improve_by_the_share_of_the_nodes_squared_error(data):
    tree = grow(data, SHALLOW)
    response = tree.schema.response
    for found, (_, node) in zip(summary(tree, data, SHALLOW).nodes, sorted(walk(tree), key=lambda at: len(at[0])), strict=True):
        if isinstance(node, Branch):
            left = sum(response.risk(child.counts) for child in node.children) / response.risk(node.counts)
            assert found.split.improvement == pytest.approx(1 - left)


def test_a_surrogate_tells_the_values_that_go_the_same_way():
    data = Dataset.from_columns({"x": [1.0, 2.0, 3.0, 4.0], "less": [4.0, 3.0, 2.0, 1.0], "class": [*"nnyy"]})
    root = summary(grow(data, SHALLOW), data).nodes[0]
    assert (root.split.condition, [each.condition for each in root.surrogates]) == ("x <= 2.5", ["less > 2.5"])


def test_no_case_lacks_the_value_of_a_feature_that_has_one_value():
    data = Dataset.from_columns({"same": [1.0, 1.0], "x": [1.0, 2.0], "class": [*"ny"]})
    tree = Tree(data.schema, Branch((1, 1), Threshold(0, 5.0), (Leaf((1, 1)), Leaf((0, 0)))))
    assert summary(tree, data).nodes[0].split.missing == 0


def test_sums_of_features_and_splits_into_several_children_are_named_by_what_they_test():
    points = Dataset.from_rows([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [2.0, 1.0]], ["no", "no", "yes", "yes"])
    sums = Tree(points.schema, Branch((2, 2), Oblique(weights=(1.0, 1.0), at=2.0), (Leaf((2, 0)), Leaf((0, 2)))))
    root = summary(sums, points).nodes[0]
    assert (root.split.improvement, root.split.missing, root.competitors) == (2.0, 0.0, ())
    assert root.split.feature.count("x") == 2
    days = ready.weather()
    assert summary(grow(days, ID3), days, ID3).nodes[0].split.condition == "outlook"
    assert summary(grow(days, C45), days, C45).nodes[0].split.feature == "outlook"


def test_a_node_that_no_row_reaches_has_no_splits_and_a_single_leaf_has_a_line():
    days = ready.weather()
    tree = grow(days, ID3)
    few = days.take(np.flatnonzero(days["outlook"] != "sunny"))
    empty = next(node for node in summary(tree, few, ID3).nodes if node.conditions == ("outlook = sunny",))
    assert (empty.split, empty.counts) == (None, (3, 2))
    assert str(summary(Tree(days.schema, Leaf((5, 9))), days)) == "all rows: yes, 14 cases"
    assert summary(tree, days, ID3)._repr_html_().count("<table>") == 3
