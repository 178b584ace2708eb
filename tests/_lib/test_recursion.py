"""Fold and unfold: recursive in meaning, iterative inside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Leaf, depth, fold, leaves, n_leaves, n_nodes, unfold
from ftree._lib.objects import fold_over
from ftree.testing import trees
from ftree.tree import Multiway, Threshold, walk

nested = st.recursive(st.integers(), lambda inner: st.lists(inner, max_size=4), max_leaves=20)
TWIG = Branch((3, 2), Threshold(0, 0.5), (Leaf((3, 0)), Branch((0, 2), Multiway(1, (0,)), (Leaf((0, 2)),))))


def items(part):
    return part if isinstance(part, list) else []


def recursively(part, combine):
    """The definition of `fold_over`."""
    return combine(part, tuple(recursively(item, combine) for item in items(part)))


@given(nested)
def test_fold_over_answers_as_recursion_does(part):
    def shape(node, below):
        return (repr(node), below)

    assert fold_over(part, items, shape) == recursively(part, shape)


@given(nested)
def test_fold_over_asks_each_node_for_its_children_once(part):
    asked = []
    n_nodes = fold_over(part, lambda node: asked.append(node) or items(node), lambda _, below: 1 + sum(below))
    assert len(asked) == n_nodes


def test_children_may_come_as_any_iterable():
    assert fold_over(3, lambda n: (below for below in range(n)), lambda n, below: n + sum(below)) == 3 + 2 + 1 + 1


@given(trees())
def test_folding_with_the_constructors_gives_back_the_tree(tree):
    assert fold(tree, lambda leaf: Leaf(leaf.counts), lambda b, below: Branch(b.counts, b.split, below)) == tree.root


@given(trees())
def test_unfolding_what_a_tree_takes_apart_gives_back_the_tree(tree):
    def apart(node):
        return node if isinstance(node, Leaf) else (node.counts, node.split, node.children)

    assert unfold(tree.root, apart) == tree.root


def test_unfold_refuses_a_step_with_more_seeds_than_answers():
    def step(n):
        return Leaf((1,)) if n else ((1,), Threshold(0, 0.5), [1, 1, 1])

    with pytest.raises(ValueError, match=r"must be 2 nodes, .* got 3"):
        unfold(0, step)


@given(trees())
def test_the_walk_has_every_node_once_before_those_below_it_left_to_right(tree):
    paths = [path for path, _ in walk(tree)]
    assert paths == sorted(set(paths))
    for path, node in walk(tree):
        reached = tree.root
        for number in path:
            reached = reached.children[number]
        assert reached is node
    assert len(paths) == fold(tree, lambda _: 1, lambda _, below: 1 + sum(below))


@pytest.mark.parametrize("thing", ["a tree", None, (1, 2), [TWIG]])
@pytest.mark.parametrize(
    "question", [n_nodes, n_leaves, depth, lambda t: fold(t, len, len), lambda t: [*walk(t)], lambda t: [*leaves(t)]]
)
def test_what_is_no_tree_is_refused(thing, question):
    with pytest.raises(TypeError, match=r"tree must be a Tree or a node .*, got (a )?\w+"):
        question(thing)
