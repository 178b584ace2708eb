"""Hierarchical shrinkage: a worked path, bounds, and the same figures as the definition along each path."""

from itertools import pairwise
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Feature, Leaf, Schema, Threshold, Tree, grow, predict, recount, shrunk, walk
from ftree.testing import trees

SCHEMA = Schema((Feature("wind", "numeric"),), "class", ("no", "yes"))
STRENGTHS = st.floats(1e-3, 1e6)


def _shares(node):
    return np.array(node.counts) / sum(node.counts)


def _by_definition(path_nodes, strength):
    estimate = _shares(path_nodes[0])
    for parent, child in pairwise(path_nodes):
        if sum(child.counts) == 0:
            break
        estimate = estimate + (_shares(child) - _shares(parent)) / (1 + strength / sum(parent.counts))
    return estimate


def test_a_worked_path():
    twig = Branch((1, 3), Threshold(0, 2.0), (Leaf((1, 0)), Leaf((0, 3))))
    tree = Tree(SCHEMA, Branch((4, 4), Threshold(0, 1.0), (Leaf((3, 1)), twig)))
    below = shrunk(tree, 4).root.children[1]
    # 1/2 + (1/4 - 1/2) / (1 + 4/8) = 1/3; then 1/3 + (1 - 1/4) / (1 + 4/4) = 17/24
    np.testing.assert_allclose(below.counts, (4 / 3, 8 / 3))
    np.testing.assert_allclose(below.children[0].counts, (17 / 24, 7 / 24))


@given(trees(), STRENGTHS)
def test_each_node_is_what_the_definition_says_along_its_path(tree, strength):
    if sum(tree.root.counts) == 0:
        return
    old, new = dict(walk(tree)), dict(walk(shrunk(tree, strength)))
    for path, node in new.items():
        expected = _by_definition([old[path[:length]] for length in range(len(path) + 1)], strength)
        np.testing.assert_allclose(node.counts, sum(old[path].counts) * expected, atol=1e-9)


@given(trees(), STRENGTHS)
def test_weights_splits_and_shape_stay(tree, strength):
    for (path, old), (other, new) in zip(walk(tree), walk(shrunk(tree, strength)), strict=True):
        assert path == other
        assert sum(new.counts) == pytest.approx(sum(old.counts))
        assert getattr(old, "split", None) == getattr(new, "split", None)


@given(trees())
def test_no_strength_changes_nothing_and_all_gives_the_shares_of_the_root(tree):
    assert shrunk(tree, 0) is tree
    root = np.array(tree.root.counts)
    for _, node in walk(shrunk(tree, 1e18)):
        np.testing.assert_allclose(np.array(node.counts) * root.sum(), root * sum(node.counts), atol=1e-6)


def test_counting_again_restores_the_tree():
    table = Dataset.from_rows([[1], [2], [3], [4]], ["no", "yes", "no", "yes"], features=["wind"])
    tree = grow(table)
    assert recount(shrunk(tree, 3), table) == tree
    assert predict(shrunk(tree, 100), [1]) == "no"


@pytest.mark.parametrize("strength", [-1, inf, nan, "1", None])
def test_a_strength_is_a_finite_number_from_zero(strength):
    with pytest.raises(ValueError, match="strength must be a finite number from 0, got"):
        shrunk(Tree(SCHEMA, Leaf((1, 1))), strength)
