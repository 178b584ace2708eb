"""Kernels that send rows down a finished tree, as plain Python (NUMBA_DISABLE_JIT=1), against NumPy and against loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftree import Feature, Schema
from ftree._lib.jit import is_disabled
from ftree.missing import all_routes, heaviest, stop_here, weighted
from ftree.routing.answers import _gathered
from ftree.routing.flat import _in_compiled_code, _level_by_level, flat
from ftree.routing.kernels import walk
from ftree.testing import datasets, splits, trees
from ftree.tree.nodes import Branch, Leaf, Tree
from ftree.tree.splits import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, Threshold, WithDefault

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="plain Python is what this looks at; tests/_lib runs such files"),
]

SCHEMA = Schema(
    [Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd"), Feature("m", "numeric")],
    "label",
    ("no", "maybe", "yes"),
)


@st.composite
def trees_and_rows(draw):
    tree = draw(trees(schema=SCHEMA))
    return tree, draw(datasets(schema=SCHEMA, missing=True))


@settings(max_examples=30)
@given(trees_and_rows())
def test_rows_reach_the_leaves_that_numpy_finds(drawn):
    tree, data = drawn
    nodes = flat(tree.root)
    found = _in_compiled_code(nodes, data.columns, len(data))
    assert found.tolist() == _level_by_level(nodes, data.columns, len(data)).tolist()


@settings(max_examples=30)
@given(trees_and_rows(), st.sampled_from([all_routes(), weighted(), heaviest(), stop_here()]))
def test_rows_that_reach_several_leaves_get_the_counts_that_numpy_adds_up(drawn, rule):
    tree, data = drawn
    found = flat(tree.root).gather_counts(data.columns, len(data), rule)
    assert found.tolist() == _gathered(tree, data.columns, len(data), rule).tolist()


EACH = [
    Threshold(0, 1.5),
    Intervals(0, (0.5, 1.5, 2.5)),
    Multiway(2, (0, 2, 3)),
    Subset(2, (1, 3)),
    Groups(2, ((0, 3), (1,))),
    Oblique((1, 0, 0, -2), 0.5),
    IsMissing(1),
    WithDefault(Threshold(0, 1.5), default_child=1),
    WithDefault(Multiway(2, (0, 2)), default_child=0),
    WithDefault(Oblique((1, 0, 0, 1), 3.0), default_child=1),
]


@pytest.mark.parametrize("split", EACH, ids=repr)
@settings(max_examples=15)
@given(datasets(schema=SCHEMA, missing=True))
def test_each_kind_of_split_sends_rows_to_its_child(split, data):
    leaves = [Leaf((number, 1, 0)) for number in range(split.n_children)]
    total = tuple(map(sum, zip(*(leaf.counts for leaf in leaves), strict=True)))
    tree = Tree(SCHEMA, Branch(total, split, leaves))
    child = split.child(*(data.columns[feature] for feature in split.features))
    found = _in_compiled_code(flat(tree.root), data.columns, len(data))
    assert found.tolist() == np.where(child < 0, -1, child + 1).tolist()


def test_a_stack_that_is_full_is_doubled_and_keeps_what_it_has():
    longer = walk._doubled(np.array([3.0, 4.0]), 3)
    assert (len(longer), longer[:2].tolist()) == (6, [3, 4])


@pytest.mark.parametrize(
    ("shares", "rest", "parts", "stays"),
    [
        ([0.5, 0.5], 0, {1: 0.5, 2: 0.5}, 0.0),
        ([0.3, 0.7], 1, {1: 0.25, 2: 0.75}, 0.0),  # the second gets the remainder of rounding to quarters
        ([0.7, 0.3], 0, {1: 0.75, 2: 0.25}, 0.0),
        ([1.0, 1.0], -1, {1: 1.0, 2: 1.0}, -1.0),
        ([0.0, 0.0], -1, {}, 1.0),
        ([0.0, 1.0], 1, {2: 1.0}, 0.0),
    ],
)
def test_a_row_is_divided_on_the_grid_and_the_rest_goes_to_one_child(shares, rest, parts, stays):
    node, weight = np.zeros(4, np.int64), np.zeros(4)
    top, left = walk._divide(1.0, 1, 2, np.array([0.0, *shares]), rest, 0.25, node, weight, 0)
    assert dict(zip(node[:top].tolist(), weight[:top].tolist(), strict=True)) == parts
    assert list(node[:top]) == sorted(parts, reverse=True), "the first child is visited first, and so pushed last"
    assert left == stays


@settings(max_examples=30)
@given(st.data())
def test_a_surrogate_or_a_default_answers_as_the_split_itself_does(data):
    split = data.draw(splits(SCHEMA, sums=False))
    rows = data.draw(datasets(schema=SCHEMA, missing=True))
    leaves = [Leaf((1, 0, 0))] * split.n_children
    tree = Tree(SCHEMA, Branch((split.n_children, 0, 0), split, leaves))
    child = split.child(*(rows.columns[feature] for feature in split.features))
    found = _in_compiled_code(flat(tree.root), rows.columns, len(rows))
    assert found.tolist() == np.where(child < 0, -1, child + 1).tolist()
