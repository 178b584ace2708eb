"""Edits, comparisons, counting again, and shrinking of trees."""

from itertools import pairwise

import numpy as np
import pytest
from attrs import evolve
from hostile_labels import trees_of_any
from hypothesis import assume, given
from hypothesis import strategies as st

import ftree as ft
from ftree._lib.messages import type_of
from ftree.missing import as_value
from ftree.prune import shrunk
from ftree.routing import at_observed, heaviest
from ftree.splitters import ignore
from ftree.testing import datasets, trees
from ftree.tree import Multiway, Threshold, diff, map_leaves, node_at, replace_at, subtree_at, walk
from ftree.tree.response import numbers

SCHEMA = ft.Schema((ft.Feature("sky", "nominal", ("grey", "blue")), ft.Feature("wind", "numeric")), "class", ("no", "yes"))
CALM = ft.Branch((1, 5), Threshold(1, 3.0), (ft.Leaf((0, 4)), ft.Leaf((1, 1))))
TREE = ft.Tree(SCHEMA, ft.Branch((4, 5), Multiway(0, (0, 1)), (ft.Leaf((3, 0)), CALM)))


@st.composite
def places(draw):
    """A tree, a path in it and the node there."""
    tree = draw(trees())
    path, node = draw(st.sampled_from(list(walk(tree))))
    return tree, path, node


@given(places())
def test_the_subtree_at_a_path_is_the_node_the_walk_has_there(place):
    tree, path, node = place
    assert subtree_at(tree, path).root is node_at(tree, path) is node
    assert subtree_at(tree, list(path)).schema is tree.schema


@given(places())
def test_what_is_put_in_a_place_is_found_there_the_rest_is_shared_and_what_was_there_can_be_put_back(place):
    tree, path, node = place
    new = ft.Leaf([count + 1 for count in node.counts])
    changed = replace_at(tree, path, new)
    assert subtree_at(changed, path).root is new
    before = dict(walk(tree))
    for other, kept in walk(changed):
        if other != path[: len(other)]:
            assert kept is before[other]
        elif other != path:
            assert kept.counts == before[other].counts
    assert replace_at(changed, path, node) == tree
    assert replace_at(tree, path, node) is replace_at(tree, path, ft.Tree(tree.schema, node)) is tree


@given(places())
def test_cutting_leaves_a_leaf_with_the_counts_of_the_branch(place):
    tree, path, node = place
    cut = ft.collapse_at(tree, path)
    assert subtree_at(cut, path).root == ft.Leaf(node.counts)
    assert ft.is_pruning_of(cut, tree)
    assert (cut is tree) == isinstance(node, ft.Leaf)
    assert ft.collapse_at(cut, path) is cut
    assert diff(cut, tree) == (() if isinstance(node, ft.Leaf) else (path,))


@pytest.mark.parametrize("edit", [subtree_at, ft.collapse_at, lambda tree, path: replace_at(tree, path, ft.Leaf((1, 1)))])
@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ((2,), IndexError, r"got \(2,\), where step 0 goes to child 2 of a node with 2 children"),
        ((1, 0, 0), IndexError, "where step 2 goes to child 0 of a node with 0 children"),
        ([0, 1], IndexError, r"got \(0, 1\), where step 1 goes"),
        ((-1,), IndexError, "child -1"),
        (1, TypeError, r"path must be a tuple of child numbers from the root, got 1"),
        ((True,), TypeError, r"path must be a tuple of child numbers from the root, got \(True,\)"),
        (None, TypeError, "got None"),
        ("01", TypeError, "got '01'"),
        ((0.0,), TypeError, r"got \(0.0,\)"),
        (("blue",), TypeError, r"got \('blue',\)"),
    ],
)
def test_a_path_that_is_none_or_leaves_the_tree_is_refused(edit, path, error, words):
    with pytest.raises(error, match=words):
        edit(TREE, path)


@pytest.mark.parametrize(
    ("node", "error", "words"),
    [
        ("no", TypeError, "tree must be a Tree or a node .*, got a str"),
        (None, TypeError, "got None"),
        (ft.Leaf((1, 2, 3)), ValueError, r"count 2 classes, as the branch does, got 2, 3"),
        (ft.Branch((1, 1), Threshold(0, 1), (ft.Leaf((1, 0)), ft.Leaf((0, 1)))), ValueError, "A threshold must be .* on 'sky'"),
        (ft.Tree(evolve(SCHEMA, classes=("yes", "no")), ft.Leaf((1, 2))), ValueError, "a Tree of another schema. Pass its root"),
    ],
)
def test_what_does_not_fit_in_a_place_is_refused(node, error, words):
    with pytest.raises(error, match=words):
        replace_at(TREE, (1,), node)


@given(trees())
def test_every_leaf_is_replaced_by_what_the_function_makes_of_it(tree):
    doubled = map_leaves(tree, lambda leaf: ft.Leaf([2 * count for count in leaf.counts]))
    assert [leaf.counts for leaf in ft.leaves(doubled)] == [tuple(2 * count for count in leaf.counts) for leaf in ft.leaves(tree)]
    assert [path for path, _ in walk(doubled)] == [path for path, _ in walk(tree)]


@pytest.mark.parametrize("made", [None, "no", TREE])
def test_a_function_that_makes_no_nodes_is_refused(made):
    with pytest.raises(TypeError, match=f"got {type_of(made)}"):
        map_leaves(TREE, lambda _: made)
    with pytest.raises(TypeError, match=f"got {type_of(made)}"):
        map_leaves(ft.Tree(SCHEMA, ft.Leaf((1, 1))), lambda _: made)


def is_pruning(small, big):
    """The definition of `is_pruning_of`."""
    if small.counts != big.counts:
        return False
    if isinstance(small, ft.Leaf):
        return True
    return isinstance(big, ft.Branch) and small.split == big.split and all(map(is_pruning, small.children, big.children))


def differing(one, other, path=()):
    """The definition of `diff`."""
    splits = [getattr(node, "split", None) for node in (one, other)]
    here = [path] if (one.counts, splits[0]) != (other.counts, splits[1]) else []
    if splits[0] != splits[1] or isinstance(one, ft.Leaf):
        return here
    pairs = zip(one.children, other.children, strict=True)
    return here + [found for number, pair in enumerate(pairs) for found in differing(*pair, (*path, number))]


@st.composite
def relatives(draw):
    """Two trees of one schema: unrelated, or one with a node of the other changed, cut or replaced."""
    tree, path, node = draw(places())
    other = draw(
        st.one_of(
            trees(schema=tree.schema),
            st.just(ft.collapse_at(tree, path)),
            st.just(replace_at(tree, path, evolve(node, counts=[count + 1 for count in node.counts]))),
            trees(schema=tree.schema).map(lambda new: replace_at(tree, path, new)),
        )
    )
    return tree, other


@given(relatives())
def test_a_pruning_is_the_tree_with_branches_cut_to_leaves(pair):
    one, other = pair
    assert ft.is_pruning_of(one, other) == is_pruning(one.root, other.root)
    assert ft.is_pruning_of(other.root, one) == is_pruning(other.root, one.root)


@given(relatives())
def test_diff_has_the_paths_at_which_trees_differ(pair):
    one, other = pair
    assert diff(one, other) == diff(other.root, one.root) == tuple(differing(one.root, other.root))
    assert (diff(one, other) == ()) == (one == other)


POLICIES = st.sampled_from(
    [
        *[
            ft.ID3,
            ft.CART,
            evolve(ft.ID3, missing="heaviest"),
            evolve(ft.CART, missing="heaviest"),
            evolve(ft.CART, missing="as_branch"),
        ],
        *[evolve(ft.C45, missing="as_value"), evolve(ft.C45, missing="heaviest")],  # thresholds at observed values
    ]
)
# Weights that no power of two divides, over nine orders, and very light; numbers of a column at the edge of floats.
WEIGHTS = [lambda w: w, lambda w: w / 7, lambda w: w * 3.5e8, lambda w: 10.0 ** (w % 10) / 3, lambda w: w * 1e-200]
EDGES = [lambda x: x, lambda x: x * 1e300, lambda x: x * 1e-300, lambda x: np.where(x > 0, x + 1e16, x)]


@given(datasets(missing=True, weighted=True), POLICIES, st.sampled_from(WEIGHTS), st.sampled_from(EDGES))
def test_recounting_the_growing_data_gives_back_the_tree(dataset, policy, weigh, move):
    """To the last bit unless rows are divided: in growth by shares of known cases, here of cases with their parts."""
    edge = [move(np.clip(column, -9, 9)) if column.dtype.kind == "f" else column for column in dataset.columns]
    dataset = evolve(dataset, columns=edge, weights=weigh(np.asarray(dataset.weights, dtype=float)))
    assume(dataset.n_cases)
    tree = ft.grow(dataset, policy)
    again = ft.recount(tree, dataset, missing="heaviest" if policy.missing == heaviest() else "weighted")
    divided = policy.missing in (ignore(), as_value())  # numbers have no value for missing
    assert again == tree or divided
    for (path, node), (same_path, same) in zip(walk(again), walk(tree), strict=True):
        assert path == same_path
        assert getattr(node, "split", None) == getattr(same, "split", None)
        assert node.counts == pytest.approx(same.counts, abs=1e-9 * dataset.n_cases)


def test_data_are_matched_by_name_and_their_classes_by_label():
    data = ft.Dataset.from_columns({"wind": [9.0, 1.0], "extra": [1, 2], "class": ["yes", "no"], "sky": ["blue", "grey"]})
    assert ft.recount(TREE, evolve(data, schema=evolve(data.schema, classes=("no", "yes")))).root.counts == (1, 1)
    (grey, _, windy) = ft.leaves(ft.recount(TREE, data))
    assert (grey.counts, windy.counts) == ((1, 0), (0, 1))


@given(datasets(missing=True))
def test_cuts_at_observed_values_send_all_cases_where_they_went(dataset):
    tree = ft.grow(dataset, ft.CART)
    moved = at_observed(tree, dataset)
    assert ft.predict_counts(moved, dataset).tolist() == ft.predict_counts(tree, dataset).tolist()
    assert at_observed(moved, dataset) == moved


STRENGTHS = st.floats(1e-3, 1e6)


def _answer(response, node):
    """The shares of classes, or the sums for each case."""
    return np.array(node.counts, dtype=float) / response.weight(node.counts)


def _by_definition(response, path_nodes, strength):
    estimate = _answer(response, path_nodes[0])
    for parent, child in pairwise(path_nodes):
        if not any(child.counts):
            break
        pull = 1 + strength / float(response.weight(parent.counts))
        estimate = estimate + (_answer(response, child) - _answer(response, parent)) / pull
    return estimate


@given(trees_of_any(), STRENGTHS)
def test_each_node_is_what_the_definition_says_along_its_path(tree, strength):
    if not any(tree.root.counts):
        return
    assert shrunk(tree, 0) is tree
    response = tree.schema.response
    old, new = dict(walk(tree)), dict(walk(shrunk(tree, strength)))
    for path, node in new.items():
        assert response.weight(node.counts) == pytest.approx(response.weight(old[path].counts))
        if any(node.counts):
            expected = _by_definition(response, [old[path[:length]] for length in range(len(path) + 1)], strength)
            np.testing.assert_allclose(_answer(response, node), expected, atol=1e-9)


def test_rounded_sums_of_equal_numbers_have_no_deviation():
    assert numbers().deviation((3.0, 3 * 0.1, 3 * 0.01)) == 0
    assert numbers(0, 2.0**900).deviation((2, 2, 4)) == 2.0**900, "its square would overflow"
