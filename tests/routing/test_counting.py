"""Class counts of rows at every node, and shares and costs of answers, in worked cases; `test_one_way_down.py` has the law."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, accuracy, grow, mean_cost, recount
from ftree.routing import costs_of_answers
from ftree.routing.descent import Parts
from ftree.splitters import surrogates
from ftree.testing import datasets
from ftree.tree import Subset, Threshold, level_order, preorder
from ftree.tree.edit import with_counts

SCHEMA = Schema([Feature("x", "numeric")], "label", ("no", "maybe", "yes"))
THREE = Schema([Feature("x", "numeric"), Feature("c", "nominal", "abc"), Feature("y", "numeric")], "k", ("no", "yes"))


def test_a_recounted_tree_has_integers_where_the_tree_had_whole_floats():
    tree = Tree(SCHEMA, Branch((2.0, 0.0, 0.0), Threshold(0, 1.0), (Leaf((1.0, 0, 0)), Leaf((1.0, 0, 0)))))
    again = recount(tree, Dataset(SCHEMA, [np.array([0.0, 2.0])], [0, 0]))
    assert again == tree
    assert repr(again.root).startswith("Branch(counts=(2, 0, 0)")


KINDS = st.sampled_from(["classes", "numbers", "events"]).flatmap(lambda kind: datasets(response=kind, missing=True, min_rows=3))
WEIGHTS = st.sampled_from([None, [1, 2, 5], [0.1, 0.3, 1 / 3, 2.5]])


@given(KINDS, st.sampled_from(["ignore", "heaviest", "as_value", "as_branch", surrogates()]), WEIGHTS)
def test_the_rows_of_a_tree_give_it_back_but_for_the_rounding_of_divided_rows(data, missing, weights):
    data = data if weights is None else evolve(data, weights=np.resize(weights, len(data)))
    tree = grow(data, evolve(CART, missing=missing))
    again = recount(tree, data)
    if missing in ("heaviest", "as_branch") or data == data.complete():
        assert again == tree
    assert again.schema == tree.schema
    assert again.root.counts == pytest.approx(tree.root.counts)
    for node in preorder(again):
        if isinstance(node, Branch):
            assert node.counts == pytest.approx(
                [sum(each) for each in zip(*(child.counts for child in node.children), strict=True)]
            )
    for node, counted in zip(preorder(tree), preorder(again), strict=True):
        weight = tree.schema.response.weight
        assert weight(counted.counts) == pytest.approx(weight(node.counts), abs=1e-4)


def test_parts_are_sorted_by_node_and_stay_in_their_order():
    for numbers in ([3, 1, 3, 1, 2], [70_003, 5, 3, 70_000 + 65_536], [0] * 20, [65_535 + 7, 7, 8], [65_536 + 7, 7, 8], []):
        found = Parts(np.array(numbers, int), np.arange(len(numbers)), np.ones(len(numbers))).by_node()
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        assert [found.node.tolist(), found.rows.tolist()] == [[numbers[row] for row in order], order]


def test_an_accuracy_and_costs_count_by_weight():
    rows = Dataset(THREE, [np.array([0.0, 1.0, 1.0]), np.array([0, 0, 0]), np.zeros(3)], [0, 1, 0], weights=[1, 2, 5])
    tree = Tree(THREE, Branch((1, 2), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 2)))))
    assert accuracy(tree, rows) == 3 / 8
    assert accuracy(lambda _: ["no", "yes", "yes"], rows) == 3 / 8
    assert accuracy(tree, rows, leaves=lambda *_: [[1, 0]] * 3) == 6 / 8
    assert mean_cost(tree, rows, costs=[[0, 4], [1, 0]]) == 20 / 8
    cost, weights = costs_of_answers(tree, rows, costs=None)
    assert (cost.tolist(), weights.tolist()) == ([0, 0, 1], [1, 2, 5])
    assert costs_of_answers(tree, rows, costs=None, priors=(1, 0))[0].tolist() == [0, 1, 1 - 1]
    for call in (accuracy, lambda tree, none: mean_cost(tree, none, costs=[[0, 1], [1, 0]])):
        with pytest.raises(ValueError, match=r"^dataset must have a row with a weight above 0, got 0 rows without one\.$"):
            call(tree, rows.take([]))


def test_new_counts_leave_subtrees_without_a_change_the_same_objects():
    one, other = (Branch((1, 1), Subset(1, (code,)), [Leaf((1, 0)), Leaf((0, 1))]) for code in (0, 1))
    nodes, below = level_order(Branch((2, 2), Threshold(2, 0.5), [one, other]))
    old = [node.counts for node in nodes]
    assert with_counts(nodes, below, old)[0] is nodes[0]
    copy = with_counts(nodes, below, old, shared=False)
    assert copy[0] == nodes[0]
    assert all(one is not other for one, other in zip(copy, nodes, strict=True))
    changed = with_counts(nodes, below, [*old[:3], (9, 9), *old[4:]])[0]
    assert changed.children[0].children == (Leaf((9, 9)), one.children[1])
    assert changed.children[0].children[1] is one.children[1]
    assert changed.children[1] is other
