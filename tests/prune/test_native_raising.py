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
