"""Sizes, class counts and importances."""

import pytest
from attrs import evolve
from hypothesis import given

from ftree import (
    CART,
    Dataset,
    Leaf,
    Schema,
    Tree,
    class_counts,
    depth,
    grow,
    importances,
    n_leaves,
    n_nodes,
    surrogates,
    walk,
)
from ftree.testing import chain, trees


@given(trees())
def test_sizes_are_what_the_walk_counts(tree):
    everything = list(walk(tree))
    assert n_nodes(tree) == n_nodes(tree.root) == len(everything)
    assert n_leaves(tree) == n_leaves(tree.root) == sum(isinstance(node, Leaf) for _, node in everything)
    assert depth(tree) == depth(tree.root) == max(len(path) for path, _ in everything)


def test_a_leaf_is_one_node_one_leaf_and_no_question():
    assert (n_nodes(Leaf((1,))), n_leaves(Leaf((1,))), depth(Leaf((1,)))) == (1, 1, 0)


def test_a_chain_has_a_leaf_a_level():
    assert (n_nodes(chain(5)), n_leaves(chain(5)), depth(chain(5))) == (11, 6, 5)


def test_class_counts_are_those_of_the_root_by_label():
    assert class_counts(Tree(Schema((), "ride", ("no", True)), Leaf((2, 1.5)))) == {"no": 2, True: 1.5}


@pytest.mark.parametrize("question", [class_counts, importances])
def test_names_need_a_tree_and_a_bare_node_is_told_so(question):
    with pytest.raises(TypeError, match=r"tree must be a Tree, got a Leaf. Make one with Tree\(schema, leaf\)"):
        question(Leaf((1, 2)))


@pytest.mark.parametrize("question", [n_nodes, n_leaves, depth])
def test_sizes_of_what_is_no_tree_are_refused(question):
    with pytest.raises(TypeError, match="got a str"):
        question("tree")


def test_a_surrogate_has_a_part_in_what_its_split_takes_off():
    rows = [[1, 9, 1], [2, 8, 1], [3, 7, 2], [4, 6, 1], [5, 5, 2]]
    data = Dataset.from_rows(rows, [0, 0, 0, 1, 1], features=["x", "same", "nearly"])
    tree = grow(data, evolve(CART, missing=surrogates(everywhere=True)))
    assert importances(tree) == {"x": 1, "same": 0, "nearly": 0}
    adjusted = {other.split.feature: other.adjusted for other in tree.root.split.surrogates}
    total = 1 + sum(adjusted.values())
    shares = {"x": 1 / total} | {data.schema.features[number].name: part / total for number, part in adjusted.items()}
    assert importances(tree, surrogates=True) == pytest.approx({"nearly": 0} | shares)
    assert adjusted[1] == 1
