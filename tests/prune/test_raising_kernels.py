"""Subtree raising in compiled code, or the same kernels as plain Python, prunes as the plain twin does."""

from functools import cache

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from ftree import CART, ID3, Branch, Dataset, Feature, Leaf, Multiway, Schema, Threshold, Tree, grow, prune
from ftree.prune import compiled_raising
from ftree.prune.compare import at_most
from ftree.prune.compiled_raising import raised_in_compiled_code, raising_is_compiled
from ftree.prune.decisions import ignore_decision
from ftree.prune.error_based import _raised
from ftree.prune.error_estimate import deviate, expected_errors
from ftree.prune.kernels import divide_rows, raise_subtrees
from ftree.prune.kernels.divide_rows import Rows, Segments
from ftree.routing.incremental import Descent
from ftree.testing import datasets, trees
from ftree.tree.nodes import level_order, preorder

pytestmark = pytest.mark.in_python

SCHEMA = Schema(
    [Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd"), Feature("m", "numeric")],
    "label",
    "xyz",
)


def both(tree, data, confidence):
    """The pruned root by kernels, and by the plain twin."""
    z, (nodes, below) = deviate(confidence, "normal"), level_order(tree.root)
    plain = _raised(nodes, below, data, cache(lambda counts: expected_errors(counts, confidence, z)), ignore_decision)
    return raised_in_compiled_code(nodes, below, Descent.of(data), confidence, z), plain


def noisy(seed, *, missing, n=60):
    """Cases most of which follow a rule, some with missing values."""
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 9, (2, n)).astype(float)
    codes = [random.integers(-1 if missing else 0, size, n) for size in (3, 4)]
    if missing:
        numbers[random.random((2, n)) < 0.1] = np.nan  # a tenth
    labels = np.where(random.random(n) < 0.7, random.integers(0, 3, n), (numbers[0] > 4) * 1 + (codes[1] > 1))
    return Dataset(SCHEMA, [numbers[0], *codes, numbers[1]], labels)


@settings(max_examples=40)
@given(st.data(), st.sampled_from([0.05, 0.25, 0.5]))
def test_any_tree_is_pruned_as_by_the_plain_twin(data, confidence):
    tree = data.draw(trees(schema=SCHEMA))
    rows = data.draw(datasets(schema=SCHEMA, missing=data.draw(st.booleans()), weighted=data.draw(st.booleans())))
    if data.draw(st.booleans()):
        rows = evolve(rows, weights=np.arange(1, len(rows) + 1) / 7)
    ours, plain = both(tree, rows, confidence)
    assert ours == plain
    assert repr(ours) == repr(plain), "whole counts are integers"


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("policy", [CART, ID3], ids=["CART", "ID3"])
def test_grown_trees_are_pruned_as_by_the_plain_twin_and_some_are_raised(policy, missing):
    data = [noisy(seed, missing=missing) for seed in range(8)]
    grown = [grow(each, policy, engine="plain") for each in data]
    pruned = [both(tree, each, 0.25) for tree, each in zip(grown, data, strict=True)]
    assert all(ours == plain for ours, plain in pruned)
    decided = [prune.error_based(raise_with=each).decisions(tree) for tree, each in zip(grown, data, strict=True)]
    assert any(one.done == "raised" for each in decided for one in each)


@pytest.mark.parametrize("factor", [1 + 1e-6, 1 + 1e-4])
def test_counts_that_differ_a_little_are_counted_anew(factor):
    data = noisy(3, missing=False)
    tree = grow(data, CART, engine="plain")
    heavier = evolve(data, weights=np.full(len(data), factor))
    ours, plain = both(tree, heavier, 0.25)
    assert ours == plain
    assert sum(ours.counts) == pytest.approx(len(data) * factor, rel=1e-12)


def test_what_does_not_change_is_shared():
    data = noisy(3, missing=False)
    tree = grow(data, CART, engine="plain")
    ours, _ = both(tree, data, 0.25)
    kept = {id(node) for node in preorder(tree.root)}
    assert any(id(node) in kept for node in preorder(ours))
    assert ours != tree.root


def test_a_child_that_is_raised_and_gets_no_case_stays_the_same_node():
    twig = Branch((5, 5, 0), Threshold(3, 4.5), [Leaf((5, 0, 0)), Leaf((0, 5, 0))])
    tree = Tree(SCHEMA, Branch((5, 5, 0), Threshold(0, -1.0), [Leaf((0, 0, 0)), twig]))
    data = Dataset(SCHEMA, [np.ones(10), [0] * 10, [0] * 10, np.arange(10.0)], [0] * 5 + [1] * 5)
    assert both(tree, data, 0.25)[0] is twig


def test_rows_in_many_parts_get_more_room():
    levels = Leaf((0, 0, 0))
    for number in (0, 3, 0, 3):
        levels = Branch((0, 0, 0), Threshold(number, 4.5), [levels, levels])
    data = Dataset(SCHEMA, [np.full(6, np.nan), [0] * 6, [0] * 6, np.full(6, np.nan)], [0, 1, 2] * 2)
    ours, plain = both(Tree(SCHEMA, levels), data, 0.25)
    assert ours == plain


def test_compiled_code_prunes_large_trees_whose_splits_it_knows(monkeypatch):
    small, large = (Tree(SCHEMA, _chain(depth)) for depth in (10, 60))
    listed = level_order(large.root)[0]
    monkeypatch.setattr(compiled_raising, "is_compiled", lambda: True)
    assert not raising_is_compiled(level_order(small.root)[0])
    assert raising_is_compiled(listed)
    monkeypatch.setattr(compiled_raising, "is_compiled", lambda: False)
    assert not raising_is_compiled(listed)
    monkeypatch.setattr(compiled_raising, "_MANY_UNLOADED", 100)
    monkeypatch.setattr(compiled_raising, "compiled_code_is_due", lambda seconds: seconds < 1)
    assert raising_is_compiled(listed)
    assert not raising_is_compiled(level_order(_chain(60, split=Own(2, (0, 1))))[0])
    data = Dataset(SCHEMA, [[0.0, 50.0, 99.0], [0] * 3, [0] * 3, [0.0] * 3], [0, 1, 2])
    tree = Tree(SCHEMA, _chain(60, counts=(1, 1, 1)))
    pass_ = prune.error_based(raise_with=data)
    assert pass_(tree) == prune.replay(pass_.decisions(tree), tree)


def _chain(depth, *, split=None, counts=(0, 0, 0)):
    node = Leaf(counts)
    for number in range(depth, 0, -1):
        node = Branch(counts, split or Threshold(0, number + 0.5), [Leaf((0, 0, 0)), node])
    return node


@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 2**16), st.booleans())
def test_rows_without_an_answer_are_shared_out_and_the_largest_child_gets_the_rest(n, arity, seed, added):
    random, step, first = np.random.default_rng(seed), 0.125, 2
    row, child = random.permutation(n), random.integers(-1, arity, n)
    share, times = random.integers(1, 9, n) / 8, random.integers(1, 4, n).astype(float)
    counts = random.integers(0, 3, (first + arity, 2)).astype(float)
    room, ends = n * (arity + 1), np.zeros((2, first + arity), np.int64)
    parts = Segments(*(np.resize(each, room) for each in (row, share, child)), *ends, np.empty(arity), np.empty(arity, np.int64))
    rows = Rows(None, None, None, times, step)
    end = divide_rows._copy_with_shares(rows, parts, 0, n, first, arity, counts, added, n)
    sizes = np.array([(share * times[row])[child == v].sum() + counts[first + v].sum() * added for v in range(arity)])
    sizes = sizes if sizes.any() else np.ones(arity)
    given_ = np.floor(share[:, None] * sizes / sizes.sum() / step) * step
    given_[:, sizes.argmax()] += share - given_.sum(axis=1)
    place = n
    for v in range(arity):
        gets = np.where(child == v, share, np.where(child < 0, given_[:, v], 0.0))
        assert (parts.begin[first + v], parts.end[first + v]) == (place, place + (gets > 0).sum())
        here = slice(place, parts.end[first + v])
        assert (parts.row[here].tolist(), parts.share[here].tolist()) == (row[gets > 0].tolist(), gets[gets > 0].tolist())
        place = parts.end[first + v]
    assert end == place


@given(st.floats(0, 1e6), st.sampled_from([0.0, 1e-13, 1e-11, 0.9e-10, 1.1e-10, 1e-9, -1e-9]))
def test_numbers_of_errors_are_compared_as_the_plain_twin_compares_them(one, beyond):
    other = one * (1 + beyond)
    assert raise_subtrees._at_most(one, other) == at_most(one, other)
    assert raise_subtrees._at_most(other, one) == at_most(other, one)


class Own(Multiway):
    """A split without a table form for compiled code."""

    tables = None
