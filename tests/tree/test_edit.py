"""Edits, comparisons, counting again, and shrinking of trees."""

import pickle
from itertools import pairwise
from math import inf, nan

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree import (
    C45,
    CART,
    ID3,
    Branch,
    Dataset,
    Feature,
    Leaf,
    Schema,
    Tree,
    collapse_at,
    grow,
    is_pruning_of,
    leaves,
    predict,
    predict_counts,
    recount,
)
from ftree._lib.messages import type_of
from ftree.missing import as_value
from ftree.routing import at_observed, heaviest
from ftree.splitters import ignore
from ftree.testing import datasets, trees
from ftree.tree import Multiway, Threshold, diff, map_leaves, node_at, replace_at, shrunk, subtree_at, walk

SCHEMA = Schema((Feature("sky", "nominal", ("grey", "blue")), Feature("wind", "numeric")), "class", ("no", "yes"))
CALM = Branch((1, 5), Threshold(1, 3.0), (Leaf((0, 4)), Leaf((1, 1))))
TREE = Tree(SCHEMA, Branch((4, 5), Multiway(0, (0, 1)), (Leaf((3, 0)), CALM)))


@st.composite
def places(draw):
    """A tree, a path in it and the node there."""
    tree = draw(trees())
    path, node = draw(st.sampled_from(list(walk(tree))))
    return tree, path, node


# Taking, replacing, cutting ---------------------------------------------------------------------------------------


@given(places())
def test_the_subtree_at_a_path_is_the_node_the_walk_has_there(place):
    tree, path, node = place
    assert subtree_at(tree, path).root is node_at(tree, path) is node
    assert subtree_at(tree, list(path)).schema is tree.schema


@given(places())
def test_what_is_put_in_a_place_is_found_there_and_the_rest_is_shared(place):
    tree, path, node = place
    new = Leaf([count + 1 for count in node.counts])
    changed = replace_at(tree, path, new)
    assert subtree_at(changed, path).root is new
    before = dict(walk(tree))
    for other, kept in walk(changed):
        if other != path[: len(other)]:
            assert kept is before[other]


@given(places())
def test_putting_back_what_was_there_gives_back_the_tree(place):
    tree, path, node = place
    assert replace_at(tree, path, node) is tree
    assert replace_at(tree, path, Tree(tree.schema, node)) is tree
    changed = replace_at(tree, path, Leaf([count + 1 for count in node.counts]))
    assert replace_at(changed, path, node) == tree


@given(places())
def test_cutting_leaves_a_leaf_with_the_counts_of_the_branch(place):
    tree, path, node = place
    cut = collapse_at(tree, path)
    assert subtree_at(cut, path).root == Leaf(node.counts)
    assert is_pruning_of(cut, tree)
    assert (cut is tree) == isinstance(node, Leaf)
    assert collapse_at(cut, path) is cut
    assert diff(cut, tree) == (() if isinstance(node, Leaf) else (path,))


@given(places())
def test_counts_above_a_new_node_stay_as_they_are(place):
    tree, path, node = place
    changed = replace_at(tree, path, Leaf([count + 1 for count in node.counts]))
    for other, above in walk(changed):
        if other == path[: len(other)] and other != path:
            assert above.counts == subtree_at(tree, other).root.counts


@given(places())
def test_edits_leave_their_input_unchanged(place):
    tree, path, _ = place
    before = pickle.dumps(tree)
    collapse_at(tree, path)
    replace_at(tree, path, Leaf(tree.root.counts))
    map_leaves(tree, lambda leaf: Leaf([0 for _ in leaf.counts]))
    assert pickle.dumps(tree) == before


@pytest.mark.parametrize("edit", [subtree_at, collapse_at, lambda tree, path: replace_at(tree, path, Leaf((1, 1)))])
@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ((2,), IndexError, r"got \(2,\), where step 0 goes to child 2 of a node with 2 children"),
        ((1, 0, 0), IndexError, "where step 2 goes to child 0 of a node with 0 children"),
        ([0, 1], IndexError, r"got \(0, 1\), where step 1 goes"),
        ((-1,), IndexError, "child -1"),
        (1, TypeError, r"path must be a tuple of child numbers from the root, got 1"),
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
        (Leaf((1, 2, 3)), ValueError, r"count 2 classes, as the branch does, got 2, 3"),
        (Branch((1, 1), Threshold(0, 1), (Leaf((1, 0)), Leaf((0, 1)))), ValueError, "A threshold must be .* on 'sky'"),
        (Tree(evolve(SCHEMA, classes=("yes", "no")), Leaf((1, 2))), ValueError, "a Tree of another schema. Pass its root"),
    ],
)
def test_what_does_not_fit_in_a_place_is_refused(node, error, words):
    with pytest.raises(error, match=words):
        replace_at(TREE, (1,), node)


# Leaves ----------------------------------------------------------------------------------------------------------


@given(trees())
def test_every_leaf_is_replaced_by_what_the_function_makes_of_it(tree):
    doubled = map_leaves(tree, lambda leaf: Leaf([2 * count for count in leaf.counts]))
    assert [leaf.counts for leaf in leaves(doubled)] == [tuple(2 * count for count in leaf.counts) for leaf in leaves(tree)]
    assert [path for path, _ in walk(doubled)] == [path for path, _ in walk(tree)]


@pytest.mark.parametrize("made", [None, "no", TREE])
def test_a_function_that_makes_no_nodes_is_refused(made):
    with pytest.raises(TypeError, match=f"got {type_of(made)}"):
        map_leaves(TREE, lambda _: made)
    with pytest.raises(TypeError, match=f"got {type_of(made)}"):
        map_leaves(Tree(SCHEMA, Leaf((1, 1))), lambda _: made)


# Comparing -------------------------------------------------------------------------------------------------------


def is_pruning(small, big):
    """The definition of `is_pruning_of`."""
    if small.counts != big.counts:
        return False
    if isinstance(small, Leaf):
        return True
    return isinstance(big, Branch) and small.split == big.split and all(map(is_pruning, small.children, big.children))


def differing(one, other, path=()):
    """The definition of `diff`."""
    splits = [getattr(node, "split", None) for node in (one, other)]
    here = [path] if (one.counts, splits[0]) != (other.counts, splits[1]) else []
    if splits[0] != splits[1] or isinstance(one, Leaf):
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
            st.just(collapse_at(tree, path)),
            st.just(replace_at(tree, path, evolve(node, counts=[count + 1 for count in node.counts]))),
            trees(schema=tree.schema).map(lambda new: replace_at(tree, path, new)),
        )
    )
    return tree, other


@given(relatives())
def test_a_pruning_is_the_tree_with_branches_cut_to_leaves(pair):
    one, other = pair
    assert is_pruning_of(one, other) == is_pruning(one.root, other.root)
    assert is_pruning_of(other.root, one) == is_pruning(other.root, one.root)


@given(relatives())
def test_diff_has_the_paths_at_which_trees_differ(pair):
    one, other = pair
    assert diff(one, other) == diff(other.root, one.root) == tuple(differing(one.root, other.root))
    assert (diff(one, other) == ()) == (one == other)


@given(trees())
def test_a_tree_is_a_pruning_of_itself_and_does_not_differ(tree):
    again = pickle.loads(pickle.dumps(tree))  # noqa: S301  # pickled here
    assert is_pruning_of(tree, tree)
    assert is_pruning_of(again, tree)
    assert diff(tree, tree) == diff(again, tree) == ()


# Counting other data ---------------------------------------------------------------------------------------------

POLICIES = st.sampled_from(
    [
        *[ID3, CART, evolve(ID3, missing="heaviest"), evolve(CART, missing="heaviest"), evolve(CART, missing="as_branch")],
        *[evolve(C45, missing="as_value"), evolve(C45, missing="heaviest")],  # thresholds at observed values
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
    tree = grow(dataset, policy)
    again = recount(tree, dataset, missing="heaviest" if policy.missing == heaviest() else "weighted")
    divided = policy.missing in (ignore(), as_value())  # numbers have no value for missing
    assert again == tree or divided
    for (path, node), (same_path, same) in zip(walk(again), walk(tree), strict=True):
        assert path == same_path
        assert getattr(node, "split", None) == getattr(same, "split", None)
        assert node.counts == pytest.approx(same.counts, abs=1e-9 * dataset.n_cases)


@given(st.data(), st.sampled_from(["weighted", "heaviest"]), st.sampled_from([None, "whole", "fractions"]))
def test_after_recounting_a_branch_counts_the_sum_of_its_children_exactly(data, missing, weights):
    tree = data.draw(trees())
    dataset = data.draw(datasets(schema=tree.schema, missing=True, weighted=weights is not None, min_rows=0))
    if weights == "fractions":
        dataset = evolve(dataset, weights=np.asarray(dataset.weights) / 7)
    again = recount(tree, dataset, missing=missing)
    for _, node in walk(again):
        if isinstance(node, Branch):
            assert node.counts == tuple(map(sum, zip(*(child.counts for child in node.children), strict=True)))
    assert again.root.counts == pytest.approx(dataset.class_counts())


@given(st.data())
def test_recounting_keeps_every_split_and_changes_no_input(data):
    tree = data.draw(trees())
    dataset = data.draw(datasets(schema=tree.schema, missing=True, weighted=True))
    before = pickle.dumps((tree, dataset))
    again = recount(tree, dataset)
    assert [getattr(node, "split", None) for _, node in walk(again)] == [getattr(node, "split", None) for _, node in walk(tree)]
    assert again.schema is tree.schema
    assert pickle.dumps((tree, dataset)) == before
    assert recount(again, dataset.take([])).root.counts == (0,) * len(tree.schema.classes)


@given(st.data(), st.randoms(use_true_random=False))
def test_counts_do_not_depend_on_the_order_of_rows(data, random):
    tree = data.draw(trees())
    dataset = data.draw(datasets(schema=tree.schema, missing=True, weighted=True))
    order = random.sample(range(len(dataset)), len(dataset))
    assert recount(tree, dataset.take(order)) == recount(tree, dataset)


@given(st.data())
def test_a_row_of_weight_k_counts_as_k_rows(data):
    tree = data.draw(trees())
    dataset = data.draw(datasets(schema=tree.schema, missing=True, weighted=True))
    copies = [row for row in range(len(dataset)) for _ in range(dataset.weights[row])]
    assert recount(tree, evolve(dataset, weights=None).take(copies)) == recount(tree, dataset)


def test_rows_without_an_answer_go_down_in_proportion_or_down_the_heaviest():
    data = Dataset.from_rows([["grey", 1.0], [None, 1.0], ["pink", 9.0]], ["no", "yes", "no"], features=["sky", "wind"])
    weighted = recount(TREE, data).root
    assert weighted.counts == (2, 1)
    assert weighted.children[0].counts == pytest.approx((1 + 1 / 3, 1 / 3))
    assert weighted.children[1].children[1].counts == pytest.approx((2 / 3, 0))
    heaviest = recount(TREE, data, missing="heaviest").root
    assert [leaf.counts for leaf in leaves(heaviest)] == [(1, 0), (0, 1), (1, 0)]


def test_data_are_matched_by_name_and_their_classes_by_label():
    data = Dataset.from_columns({"wind": [9.0, 1.0], "extra": [1, 2], "class": ["yes", "no"], "sky": ["blue", "grey"]})
    assert recount(TREE, evolve(data, schema=evolve(data.schema, classes=("no", "yes")))).root.counts == (1, 1)
    (grey, _, windy) = leaves(recount(TREE, data))
    assert (grey.counts, windy.counts) == ((1, 0), (0, 1))


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        ({"sky": ["grey"], "class": ["no"]}, KeyError, "got 'wind'"),
        (
            {"sky": ["grey"], "wind": ["low"], "class": ["no"]},
            ValueError,
            "'wind' of the dataset must be numeric, got a feature that is nominal",
        ),
        (
            {"sky": ["grey"], "wind": [1.0], "class": ["maybe"]},
            ValueError,
            "Labels must be classes of the schema .*, got 'maybe'",
        ),
    ],
)
def test_data_of_other_features_or_classes_are_refused(columns, error, words):
    with pytest.raises(error, match=words):
        recount(TREE, Dataset.from_columns(columns))


def test_rows_without_labels_cannot_be_counted():
    with pytest.raises(TypeError, match="dataset must be a Dataset, got a list"):
        recount(TREE, [["grey", 1.0]])


@given(datasets(missing=True))
def test_cuts_at_observed_values_send_all_cases_where_they_went(dataset):
    tree = grow(dataset, CART)
    moved = at_observed(tree, dataset)
    assert predict_counts(moved, dataset).tolist() == predict_counts(tree, dataset).tolist()
    assert at_observed(moved, dataset) == moved


WIND_ONLY = Schema((Feature("wind", "numeric"),), "class", ("no", "yes"))
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
    tree = Tree(WIND_ONLY, Branch((4, 4), Threshold(0, 1.0), (Leaf((3, 1)), twig)))
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
        shrunk(Tree(WIND_ONLY, Leaf((1, 1))), strength)


def test_a_bigger_tree_or_another_split_is_no_pruning():
    assert not is_pruning_of(TREE, Leaf((4, 5)))
    assert not is_pruning_of(evolve(TREE.root, split=Threshold(1, 0)), TREE)
    assert not is_pruning_of(Leaf((4, 4)), TREE)
