"""Frontiers: numbers of a level are those of its nodes, classes without cases count for nothing, and arrays are read-only."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import entropy, gini
from ftree.criteria import Nodes, variance
from ftree.testing import frontiers
from ftree.tree import Multiway
from ftree.tree.response import numbers

CHILDREN = [np.array([[3, 1, 0], [1, 3, 0]]), np.array([[2, 0, 2]])]


@pytest.fixture
def level():
    """A node with a split of two children and two of three classes, and a node without one."""
    counts = np.array([children.sum(axis=0) for children in CHILDREN])
    return Nodes(1, counts, entropy(counts)).with_splits((Multiway(0, range(2)), None), CHILDREN, entropy)


def test_arrays_are_read_only(level):
    for name in ("counts", "impurity", "gain", "child_counts"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(level, name)[...] = 1


def test_the_nodes_of_a_level_come_one_by_one(level):
    nodes = level.nodes()
    assert [next(nodes).counts.tolist() for _ in level.counts] == level.counts.tolist()
    assert list(nodes) == []


def test_a_level_without_nodes_has_none_and_numbers_of_none():
    none = Nodes(2, np.zeros((0, 3)), np.zeros(0))
    assert list(none.nodes()) == []
    assert (none.shape, none.weight.shape) == ((0,), (0,))


@given(frontiers(), st.data())
def test_some_nodes_of_a_level_have_the_numbers_that_they_have_in_it(frontier, draws):
    marked = np.array([draws.draw(st.booleans()) for _ in frontier.counts], dtype=bool)
    some = frontier[marked]
    assert list(some.splits) == [split for split, here in zip(frontier.splits, marked, strict=True) if here]
    if marked.any():
        for name in ("counts", "weight", "smallest_child", "chi2", "dof", "gain"):
            assert getattr(some, name) == pytest.approx(getattr(frontier, name)[marked])


def test_a_leaf_of_a_finished_level_has_no_children(level):
    finished = evolve(level, n_children=np.array([2, 0]), child_counts=CHILDREN[0])
    assert finished.open.tolist() == [True, False]
    assert (finished.chi2.tolist(), finished.dof.tolist(), finished.smallest_child.tolist()) == ([2, 0], [1, 0], [4, 0])


@given(frontiers())
def test_a_node_by_itself_has_the_numbers_that_it_has_in_its_level(frontier):
    for number, node in enumerate(frontier.nodes()):
        assert node.shape == ()
        for name in ("weight", "smallest_child", "chi2", "dof", "p_value", "gain"):
            assert getattr(node, name) == pytest.approx(getattr(frontier, name)[number])


@pytest.mark.parametrize("impurity", [entropy, gini, variance])
@given(frontiers(), st.integers(0, 3))
def test_the_gain_of_a_node_with_missing_cases_is_that_of_its_known_cases_times_their_share(impurity, frontier, times):
    missing, n = times * np.roll(frontier.counts, 1, axis=1), frontier.weight
    if impurity is variance:  # the classes are numbers, of which nodes have the sums
        label = np.arange(frontier.counts.shape[1])
        sums_of = np.stack([label**0, label, label**2], axis=1)
        known, child_counts, missing = (counts @ sums_of for counts in (frontier.counts, frontier.child_counts, missing))
        frontier = evolve(frontier, counts=known, child_counts=child_counts, response=numbers())
    with_missing = evolve(frontier, counts=frontier.counts + missing)
    assert with_missing.gain_by(impurity) == pytest.approx(frontier.gain_by(impurity) * n / with_missing.weight, abs=1e-9)
