"""Subtree raising by the native library prunes as the plain twin does."""

from math import log

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, ID3, Branch, Dataset, Feature, Leaf, Schema, Tree, grow, native, prune
from ftree.criteria.error_limits import deviate, expected_errors
from ftree.native import filled
from ftree.prune.passes import in_level_order
from ftree.prune.subtree_raising import native_raised, plain_raised
from ftree.routing.flat import flat
from ftree.routing.one_split import Descent
from ftree.testing import datasets, trees
from ftree.tree import Threshold, level_order

SCHEMA = Schema(
    [Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd"), Feature("m", "numeric")],
    "label",
    "xyz",
)


def both(tree, data, confidence):
    """The pruned root by the native library, and by the plain twin."""
    given = in_level_order(tree), data, confidence, deviate(confidence, "normal")
    return native_raised(*given), plain_raised(*given)


def noisy(seed, *, missing, n):
    """Cases most of which follow a rule, with a share of missing values."""
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 9, (2, n)).astype(float)
    codes = [np.where(random.random(n) < missing, -1, random.integers(0, size, n)) for size in (3, 4)]
    numbers[random.random((2, n)) < missing] = np.nan
    labels = np.where(random.random(n) < 0.7, random.integers(0, 3, n), (numbers[0] > 4) * 1 + (codes[1] > 1))
    return Dataset(SCHEMA, [numbers[0], *codes, numbers[1]], labels)


@given(
    st.lists(st.integers(0, 2**20), min_size=1, max_size=4),
    st.sampled_from([1, 8, 2**20]),
    st.floats(0, 0.5, exclude_min=True),
    st.floats(0, 40),
)
def test_the_errors_of_a_leaf_have_the_same_bits(cases, grid, confidence, z):
    counts = tuple(each / grid for each in cases)
    tree, state = flat(Leaf(counts)), filled(native.RAISED, source=np.zeros(1, np.int64))
    rows = np.zeros((1, 0)), *tree.walk_arrays, np.zeros(0, np.int64), np.zeros(0), 1.0, np.empty(0, native.PART)
    notes = np.empty((1, len(counts))), np.empty(len(counts)), np.zeros(1, np.int64), np.zeros(1, np.int64)
    native.call("raise_subtrees", *rows, state, tree.counts.copy(), np.zeros(1, np.int64), *notes, -log(confidence), z)
    assert state["errors"].tolist() == [expected_errors(counts, confidence, z)]


@given(st.data(), st.sampled_from([0.05, 0.25, 0.5]))
def test_any_tree_is_pruned_as_by_the_plain_twin(data, confidence):
    tree = data.draw(trees(schema=SCHEMA))
    rows = data.draw(datasets(schema=SCHEMA, missing=data.draw(st.booleans()), weighted=data.draw(st.booleans())))
    if data.draw(st.booleans()):
        rows = evolve(rows, weights=np.arange(1, len(rows) + 1) / 7)
    ours, plain = both(tree, rows, confidence)
    assert ours == plain
    assert repr(ours) == repr(plain), "whole counts are integers"


@pytest.mark.parametrize("missing", [0, 0.02, 0.1])
@pytest.mark.parametrize("policy", [CART, ID3], ids=["CART", "ID3"])
def test_grown_trees_are_pruned_as_by_the_plain_twin_and_some_are_raised(policy, missing):
    data = [noisy(seed, missing=missing, n=200) for seed in range(8)]
    grown = [grow(each, policy, engine="plain") for each in data]
    pruned = [both(tree, each, 0.25) for tree, each in zip(grown, data, strict=True)]
    assert all(ours == plain for ours, plain in pruned)
    decided = [prune.error_based(raise_with=each).decisions(tree) for tree, each in zip(grown, data, strict=True)]
    assert any(one.done == "raised" for each in decided for one in each)


def test_a_child_that_is_raised_and_gets_no_case_stays_the_same_node():
    twig = Branch((5, 5, 0), Threshold(3, 4.5), [Leaf((5, 0, 0)), Leaf((0, 5, 0))])
    tree = Tree(SCHEMA, Branch((5, 5, 0), Threshold(0, -1.0), [Leaf((0, 0, 0)), twig]))
    data = Dataset(SCHEMA, [np.ones(10), [0] * 10, [0] * 10, np.arange(10.0)], [0] * 5 + [1] * 5)
    assert both(tree, data, 0.25)[0] is twig


def test_a_large_tree_is_raised_as_by_the_plain_twin():
    data = noisy(1, missing=0.1, n=600)
    tree = grow(data, ID3)
    raised = prune.error_based(confidence=0.25, z="normal", raise_with=data)(tree)
    assert len(level_order(tree.root)[0]) > 100
    assert raised.root == both(tree, data, 0.25)[1] != tree.root


def test_parts_of_rows_lie_in_one_list():
    """The example that stands in `native/raise.c`."""
    x, y = [0.0, 0.0, 2.0, 2.0, 2.0, np.nan], [0.0, 2.0, 0.0, 2.0, 0.0, 2.0]
    data = Dataset(Schema([Feature("x", "numeric"), Feature("y", "numeric")], "label", "ab"), [x, y], [0, 0, 0, 1, 0, 1])
    branch = Branch((2, 1), Threshold(1, 1.0), [Leaf((2, 0)), Leaf((0, 1))])
    tree = flat(Branch((4, 2), Threshold(0, 1.0), [Leaf((2, 0)), branch]))
    parts, counts = np.zeros(13, native.PART), np.zeros((5, 2))
    nodes = filled(native.RAISED, first=tree.first_child, arity=tree.arity, source=np.arange(5))
    parts["row"][:6], parts["size"][:6], nodes["end"][0] = range(6), 1, 6
    cells = tree.questions.cells(data.columns, len(data))
    rows = cells, *tree.walk_arrays, data.target_column.astype(np.int64), np.ones(6), Descent.of(data).unit
    assert native.call("count_parts", *rows, parts, nodes, counts, np.empty(5, np.int64)) == 5
    assert parts["row"].tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 5, 2, 4, 3, 5]
    assert parts["size"][[8, 12]] == pytest.approx([0.4, 0.6])
    assert list(zip(nodes["begin"], nodes["end"], strict=True)) == [(0, 6), (6, 9), (9, 13), (9, 11), (11, 13)]
