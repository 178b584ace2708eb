"""Shares of rows and their rounding, the label of one row, regions, and counts that share what does not change."""

from math import inf, nan

import numpy as np
import pytest
from attrs import frozen

from ftree import Branch, Feature, Leaf, Schema, Tree
from ftree.explain.nearest_leaf import regions_of
from ftree.routing import flat as flat_module
from ftree.routing import weighted
from ftree.routing.descent import numpy_leaf_numbers
from ftree.routing.flat import flat
from ftree.routing.missing_rules import (
    child_of_rest,
    divide_weights,
    shares_of,
    whole_shares,
)
from ftree.routing.predict import _label_of_row
from ftree.tree import Threshold, level_order
from ftree.tree.conditions import Between, OneOf
from ftree.tree.edit import with_counts
from ftree.tree.splits import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, WithDefault

CUTS = Branch((3, 3), Intervals(0, (1.0, 2.0, 3.0)), [Leaf((1, 0)), Leaf((0, 1)), Leaf((2, 0)), Leaf((0, 2))])
CODES = Branch((0, 2), Groups(1, ((0,), (2,))), [Leaf((0, 0)), Leaf((0, 2))])
ROOT = Branch((3, 5), Threshold(2, 0.5), [CUTS, CODES])


def test_a_tree_with_sums_or_without_tables_has_no_steps(monkeypatch):
    assert flat(Branch((1, 1), Oblique((1, 0, 1), 0.5), [Leaf((1, 0)), Leaf((0, 1))])).steps is None
    monkeypatch.setattr(flat_module, "_MOST_CELLS", 4)
    small = flat(Branch((1, 1), Subset(1, (2,)), [Leaf((1, 0)), Leaf((0, 1))]))
    large = flat(Branch((1, 1), Subset(1, (3,)), [Leaf((1, 0)), Leaf((0, 1))]))
    assert (small.steps is None, large.steps) == (False, None)
    assert (small.compiled, large.compiled) == (True, False)
    columns = (np.zeros(2), np.array([3, 0]), np.zeros(2))
    assert numpy_leaf_numbers(large, columns, 2).tolist() == [1, 2], "its splits are asked"


@frozen
class Shared:
    """A user's rule that gives these shares."""

    shares: object

    def __call__(self, _):
        return self.shares


def test_shares_may_be_numbers_of_any_kind_and_become_floats():
    for shares in ([True, False], [1, 0], np.array([1, 0], np.uint8), (1.0, 0.0)):
        found = shares_of(Shared(shares), np.array([1.0, 2.0]))
        assert (found.tolist(), found.dtype) == ([1, 0], np.float64)
    assert shares_of(weighted(), np.zeros(2)).tolist() == [0.5, 0.5], "children without cases count as equal"
    assert shares_of(lambda sizes: sizes / sizes.sum(), np.array([[1, 3], [0, 0]])).tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert shares_of(lambda sizes: sizes, np.zeros((0, 2))).shape == (0, 2)


def test_shares_that_add_up_but_for_rounding_are_whole():
    for rest, whole in [(0.5 + 9e-10, True), (0.5 - 9e-10, True), (0.5 + 2e-9, False), (0.5 - 2e-9, False)]:
        rule, sizes = Shared([0.5, rest]), np.array([1.0, 2.0])
        assert (child_of_rest(np.array([0.5, rest])) >= 0) == whole
        if whole:
            assert whole_shares(rule, sizes).tolist() == [0.5, rest]
            continue
        with pytest.raises(
            ValueError, match=r"^missing must be a rule with shares that add up to 1, such as weighted\(\), got .*Shared.*"
        ):
            whole_shares(rule, sizes)
    assert child_of_rest(np.array([[0.5, 0.5], [0.2, 0.8], [0, 0]])).tolist() == [0, 1, -1], "the first of the largest"


@pytest.mark.parametrize(
    ("shares", "parts", "stays"),
    [
        ([1.0, 1.0], [[1, 0.5], [1, 0.5]], [0, 0]),
        ([0.0, 0.0], [[0, 0], [0, 0]], [1, 0.5]),
        ([0.0, 1.0], [[0, 0], [1, 0.5]], [0, 0]),
        ([0.3, 0.7], [[0.25, 0], [0.75, 0.5]], [0, 0]),
        ([0.7, 0.3], [[0.75, 0.5], [0.25, 0]], [0, 0]),
        ([0.5, 0.3], [[0.5, 0.25], [0.25, 0]], [0.25, 0.25]),
        ([1.0, 0.3], [[1, 0.5], [0.25, 0]], [0, 0]),
        ([0.5, 0.75], [[0.5, 0.25], [0.75, 0.25]], [0, 0]),
    ],
)
def test_weights_are_divided_on_the_grid_and_what_no_child_gets_stays(shares, parts, stays):
    found, left = divide_weights(np.array([1.0, 0.5]), np.array(shares), 0.25)
    assert (found.tolist(), left.tolist()) == (parts, stays)


def test_new_counts_leave_subtrees_without_a_change_the_same_objects():
    nodes, below = level_order(ROOT)
    old = [node.counts for node in nodes]
    assert with_counts(nodes, below, old)[0] is ROOT
    copy = with_counts(nodes, below, old, shared=False)
    assert copy[0] == ROOT
    assert all(one is not other for one, other in zip(copy, nodes, strict=True))
    changed = with_counts(nodes, below, [*old[:3], (9, 9), *old[4:]])
    assert changed[0].children[0].children[0] == Leaf((9, 9))
    assert changed[0].children[0].children[1] is CUTS.children[1]
    assert changed[0].children[1] is CODES
    assert (changed[0].counts, changed[0].split) == (ROOT.counts, ROOT.split)


SCHEMA = Schema([Feature("x", "numeric"), Feature("c", "nominal", "abc"), Feature("y", "numeric")], "k", ("no", "yes"))
TREE = Tree(SCHEMA, ROOT)


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ([0.5, "a", 0], 0),
        ((1.5, "b", 0.5), 1),
        ([3, "b", 0.0], 0),
        ([3.5, "b", 0.0], 1),
        ([0, "a", 1], 1),
        ([0, "c", 1], 1),
        ([0, "b", 1], None),
        ([True, "a", np.int64(0)], 0),
        ([np.float32(1.5), "a", np.float64(0)], 1),
        ([2**53 - 1, "a", 0], 1),
        ([2**53, "a", 0], None),
        ([-(2**53), "a", 0], None),
        ([-(2**53) + 1, "a", 0], 0),
        ([None, "a", 0], None),
        ([nan, "a", 0], None),
        ([inf, "a", 0], None),
        (["1", "a", 0], None),
        ([0, "z", 0], None),
        ([0, ["a"], 0], None),
        ([0, "a"], None),
        ([0, "a", 0, 0], None),
        ([[0, "a", 0]] * 3, None),
        (({"x": 1},) * 3, None),
        ({"x": 0, "c": "a", "y": 0}, None),
        (np.array([0, "a", 0], object), 0),
        (np.array([[0, "a", 0]], object), None),
        ([10**400, "a", 0], None),
    ],
)
def test_one_row_has_a_label_where_it_is_complete_and_known(row, label):
    assert _label_of_row(TREE, row) == label


X, C = Feature("x", "numeric"), Feature("c", "nominal", "abcd")


def test_a_region_is_what_a_split_sends_to_a_child():
    assert regions_of(Threshold(0, 2.0), X)[0] == [(Between(0, at_most=2.0), False)]
    assert regions_of(WithDefault(Threshold(0, 2.0), default_child=1), X)[1] == [(Between(0, above=2.0), True)]
    assert regions_of(WithDefault(Threshold(0, 2.0), default_child=1), X)[0] == [(Between(0, at_most=2.0), False)]
    assert regions_of(IsMissing(0), X) == [[(Between(0), False)], [(None, True)]]
    assert regions_of(Intervals(0, (1.0, 3.0)), X)[1] == [(Between(0, 1.0, 3.0), False)]
    assert regions_of(Multiway(0, (0, 2)), C)[1] == [(OneOf(0, [2]), False)]
    assert regions_of(Multiway(0, (0, 2)), C, default=1)[1] == [(OneOf(0, [1, 2, 3]), False)]
    assert regions_of(Multiway(0, (0, 2)), C, default=0)[1] == [(OneOf(0, [2]), False)]
    assert regions_of(IsMissing(0), C)[1] == [(None, True)]
