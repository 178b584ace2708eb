"""The scores of decisions are those that a pass's formula gives for the tree as it stands then."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, Leaf, grow, prune
from ftree.prune.compare import at_most
from ftree.prune.error_estimate import deviate, expected_errors
from ftree.prune.order import in_level_order
from ftree.testing import passes, trees
from ftree.tree.nodes import preorder


def halves(counts):
    return sum(counts) - max(counts) + 0.5


def upper_limit(counts):
    return expected_errors(counts, 0.25, deviate(0.25, "normal"))


# What a leaf counts, and the threshold by the cases and the score of the subtree.
FORMULAS = [
    (prune.pessimistic(), halves, lambda n, e: e + (sqrt(max(e * (n - e), 0) / n) if n else 0)),
    (prune.error_based(), upper_limit, lambda _, e: e + 0.1),
]


def replayed(pass_, tree):
    """Each decision with the node that it is about."""
    decisions = pass_.decisions(tree)
    for number, one in enumerate(decisions):
        node = prune.replay(decisions[:number], tree).root
        for child in one.path:
            node = node.children[child]
        yield one, node


@pytest.mark.parametrize(("pass_", "estimate", "limit"), FORMULAS, ids=["pessimistic", "error_based"])
@given(trees())
def test_scores_and_thresholds_are_those_of_the_formula(pass_, estimate, limit, tree):
    for one, node in replayed(pass_, tree):
        subtree = sum(estimate(each.counts) for each in preorder(node) if isinstance(each, Leaf))
        expected = estimate(node.counts), subtree, limit(sum(node.counts), subtree)
        assert (one.as_leaf, one.as_subtree, one.threshold) == pytest.approx(expected)


@given(trees(), st.data())
def test_a_branch_is_cut_where_its_score_as_a_leaf_is_at_most_the_threshold(tree, data):
    for one in data.draw(passes(tree.schema)).decisions(tree):
        if one.threshold is not None and one.done in {"cut", "kept"}:
            assert one.cut == at_most(one.as_leaf, one.threshold)


@given(trees())
def test_a_node_without_cases_predicts_as_the_nearest_one_above_that_has_some(tree):
    order = in_level_order(tree)
    for number in range(len(order.nodes)):
        above = [number]
        while above[-1]:
            above.append(order.parents[above[-1]])
        assert order.nearest_with_cases(number) is next((order.nodes[n] for n in above if sum(order.nodes[n].counts)), tree.root)


@given(st.integers(2, 4))
def test_a_class_may_learn_where_trees_are_cross_validated(folds):
    class Learner:
        def __new__(cls, dataset):
            return grow(dataset)

    data = Dataset.from_rows([["a"], ["b"]] * 8, [0, 1] * 8)
    assert prune.cross_validated(data, Learner, folds=folds) == prune.cross_validated(data, grow, folds=folds)
