"""Routes by their definitions: worked trees as arrays and steps, shares and their rounding."""

from math import inf, nan

import numpy as np
import pytest
from attrs import evolve, frozen

from ftree import Branch, Feature, Leaf, Schema, Tree
from ftree.routing import flat as flat_module
from ftree.routing import shap as shap_game
from ftree.routing import weighted
from ftree.routing.descent import plain_leaf_numbers
from ftree.routing.flat import flat, in_arrays
from ftree.routing.missing_rules import (
    child_of_rest,
    divide_weights,
    shares_of,
    whole_shares,
)
from ftree.routing.nearest_leaf import Region, both, condition_of, nearest_value, regions_of
from ftree.routing.predict import _label_of_row
from ftree.tree import Threshold, level_order
from ftree.tree.conditions import Between, Missing, OneOf
from ftree.tree.edit import with_counts
from ftree.tree.splits import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, Surrogate, WithDefault, WithSurrogates

SCHEMA = Schema([Feature("x", "numeric"), Feature("c", "nominal", "abc"), Feature("y", "numeric")], "k", ("no", "yes"))


# Trees as arrays and steps -----------------------------------------------------------------------------------------------


CUTS = Branch((3, 3), Intervals(0, (1.0, 2.0, 3.0)), [Leaf((1, 0)), Leaf((0, 1)), Leaf((2, 0)), Leaf((0, 2))])
CODES = Branch((0, 2), Groups(1, ((0,), (2,))), [Leaf((0, 0)), Leaf((0, 2))])
ROOT = Branch((3, 5), Threshold(2, 0.5), [CUTS, CODES])


def test_a_tree_is_its_nodes_level_by_level():
    nodes = flat(ROOT)
    assert (nodes.arity.tolist(), nodes.first_child.tolist()) == ([2, 4, 2, *[0] * 6], [1, 3, 7, *[9] * 6])
    assert nodes.counts.tolist() == [[3, 5], [3, 3], [0, 2], [1, 0], [0, 1], [2, 0], [0, 2], [0, 0], [0, 2]]
    assert nodes.answer.tolist() == [0, 1, 2, 3, 4, 5, 6, 2, 8], "an empty leaf answers as the node above"
    assert nodes.labels.tolist() == [1, 0, 1, 0, 1, 0, 1, 1, 1]
    assert nodes.sizes.tolist() == [8, 6, 2, 1, 1, 2, 2, 0, 2]
    assert nodes.leaf_ranks.tolist() == [-1, -1, -1, 0, 1, 2, 3, 4, 5]
    assert nodes.preorder.tolist() == [0, 1, 6, 2, 3, 4, 5, 7, 8]
    assert nodes.below(np.array([0, 2]), 2).tolist() == [[1, 2], [7, 8]]
    share, rest = nodes.shares(weighted())
    assert share.tolist() == [0, 0.75, 0.25, 1 / 6, 1 / 6, 2 / 6, 2 / 6, 0, 1]
    assert rest.tolist() == [1 - 1, 2, 1, *[-1] * 6]
    link, at, rest, table, numbers, terms = nodes.walk_arrays
    assert (link & 0xFFFFFFFF).tolist() == [1, 3, 7, 3, 4, 5, 6, 7, 8], "a leaf links to itself"
    assert (link >> 32).tolist() == [4, 6, 3, *[6] * 6], "twice the feature's place, and 1 for a code"
    assert (at[0], table.tolist(), numbers.tolist(), terms.tolist()) == (0.5, [0, -1, 1, -1], [1, 2, 3], [0, 0, 0])
    assert nodes.walk_arrays_of_table is None, "it has borders and codes"
    assert rest.shape == (9, 7)
    assert nodes.questions.used_features.tolist() == [0, 1, 2]


def test_where_nodes_are_thresholds_links_hold_features_and_leaves_compare_with_infinity():
    nodes = flat(Branch((1, 2), Threshold(2, 0.5), [Leaf((1, 0)), Branch((0, 2), Threshold(1, 7.0), [Leaf((0, 1))] * 2)]))
    links, thresholds, *_ = nodes.walk_arrays_of_table
    assert links.tolist() == [(4 << 32) + 1, 1, (2 << 32) + 3, 3, 4]
    assert thresholds.tolist() == [0.5, inf, 7.0, inf, inf]
    assert (nodes.walk_arrays[0] >> 32).tolist() == [2, 4, 0, 4, 4], "twice the place among the features used"


def test_a_tree_with_sums_or_without_tables_has_no_steps(monkeypatch):
    assert flat(Branch((1, 1), Oblique((1, 0, 1), 0.5), [Leaf((1, 0)), Leaf((0, 1))])).steps is None
    monkeypatch.setattr(flat_module, "_MOST_CELLS", 4)
    small = flat(Branch((1, 1), Subset(1, (2,)), [Leaf((1, 0)), Leaf((0, 1))]))
    large = flat(Branch((1, 1), Subset(1, (3,)), [Leaf((1, 0)), Leaf((0, 1))]))
    assert (small.steps is None, large.steps) == (False, None)
    assert (small.compiled, large.compiled) == (True, False)
    columns = (np.zeros(2), np.array([3, 0]), np.zeros(2))
    assert plain_leaf_numbers(large, columns, 2).tolist() == [1, 2], "its splits are asked"


def test_questions_have_their_codes_in_tables_and_their_surrogates_after_them():
    split = WithSurrogates(
        Threshold(0, 0.5), [Surrogate(Subset(1, (1,)), reversed=True), Surrogate(Threshold(2, 4.0))], default_child=1
    )
    asked = in_arrays([None, split, Oblique((0.5, 0, -2), 1.0), Multiway(1, (2, 0))])
    assert asked.kind.tolist() == [-1, 0, 3, 1, 1, 0]
    assert asked.surrogate.tolist() == [-1, 4, -1, -1, 5, -1]
    assert asked.default_child.tolist() == [-1, 1, -1, -1, 1, 1]
    assert asked.reversed.tolist() == [False] * 4 + [True, False]
    assert asked.has_fallback.tolist() == [False, True, False, False, True, True]
    assert (asked.numbers.tolist(), asked.terms.tolist()) == ([0.5, -2], [0, 2])
    assert asked.table.tolist() == [1, -1, 0, -1, 1, 0, 1]
    assert asked.used_features.tolist() == [0, 1, 2]
    assert asked.place[[1, 3, 5]].tolist() == [0, 1, 2]
    assert (asked.simple, asked.compiled) == (False, True)
    assert in_arrays([Threshold(0, 0.5), Multiway(1, (0,))]).simple
    columns = np.array([1.0, nan]), np.array([-1, 2], np.int8), np.array([5.0, 6.0])
    assert np.array_equal(asked.cells(columns, 2), [[1, nan], [nan, 2], [5, 6], [nan, nan]], equal_nan=True)
    assert np.array_equal(in_arrays([None]).cells(columns, 2), [[nan, nan]], equal_nan=True)


# Shares ------------------------------------------------------------------------------------------------------------------


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


# Counts ------------------------------------------------------------------------------------------------------------------


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


# One row -----------------------------------------------------------------------------------------------------------------

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


# Regions -----------------------------------------------------------------------------------------------------------------

X, C, IN_ORDER = Feature("x", "numeric"), Feature("c", "nominal", "abcd"), Feature("o", "ordinal", "abcde")


def test_a_region_is_what_a_split_sends_to_a_child():
    assert regions_of(Threshold(0, 2.0), X)[0] == [Region(at_most=2.0, missing=False)]
    assert regions_of(WithDefault(Threshold(0, 2.0), default_child=1), X)[1] == [Region(above=2.0, missing=True)]
    assert regions_of(WithDefault(Threshold(0, 2.0), default_child=1), X)[0] == [Region(at_most=2.0, missing=False)]
    assert regions_of(IsMissing(0), X)[0] == [Region(missing=False)]
    assert regions_of(IsMissing(0), X)[1] == [Region(inf, -inf, missing=True)]
    assert regions_of(Intervals(0, (1.0, 3.0)), X)[1] == [Region(1.0, 3.0, missing=False)]
    assert regions_of(Multiway(0, (0, 2)), C)[1] == [Region(codes=frozenset({2}), missing=False)]
    assert regions_of(Multiway(0, (0, 2)), C, default=1)[1] == [Region(codes=frozenset({1, 2, 3}), missing=False)]
    assert regions_of(Multiway(0, (0, 2)), C, default=0)[1] == [Region(codes=frozenset({2}), missing=False)]
    assert regions_of(IsMissing(0), C)[1] == [Region(missing=True)]
    assert both(Region(1, 5, frozenset({1, 2}), missing=True), Region(0, 3, frozenset({2, 3}), missing=False)) == Region(
        1, 3, frozenset({2}), missing=False
    )
    assert both(Region(), Region()).missing


@pytest.mark.parametrize(
    ("region", "feature", "value", "wanted"),
    [
        (Region(1.0, 2.0), X, 1.5, 1.5),
        (Region(1.0, 2.0), X, 2.0, 2.0),
        (Region(1.0, 2.0), X, 1.0, np.nextafter(1.0, inf)),
        (Region(1.0, 2.0), X, 7.0, 2.0),
        (Region(1.0), X, -3.0, np.nextafter(1.0, inf)),
        (Region(1.0, 2.0, missing=False), X, nan, 2.0),
        (Region(1.0, missing=False), X, nan, np.nextafter(1.0, inf)),
        (Region(2.0, 2.0, missing=False), X, 2.0, None),
        (Region(codes=frozenset({1, 3})), C, 3, 3),
        (Region(codes=frozenset({1, 3})), C, 2, 1),
        (Region(codes=frozenset({1, 3})), C, 0, 1),
        (Region(codes=frozenset({1, 3}), missing=False), C, -1, 1),
        (Region(codes=frozenset({1, 3})), C, -1, -1),
        (Region(codes=frozenset({0, 3})), IN_ORDER, 2, 3),
        (Region(codes=frozenset({1, 3})), IN_ORDER, 2, 1),
        (Region(codes=frozenset({2, 4}), missing=False), IN_ORDER, -1, 2),
        (Region(), C, 2, -1),
        (Region(missing=False), C, 2, None),
    ],
)
def test_the_nearest_value_of_a_region(region, feature, value, wanted):
    assert nearest_value(region, feature, value) == wanted


def test_a_missing_number_stays_missing_where_it_may_and_becomes_missing_where_nothing_else_is():
    assert np.isnan(nearest_value(Region(1.0, 2.0), X, nan))
    assert np.isnan(nearest_value(Region(2.0, 1.0), X, 5.0))
    assert condition_of(3, X, Region(1.0, 2.0), nan) == condition_of(3, C, Region(), -1) == Missing(3)
    assert condition_of(3, X, Region(1.0, 2.0), 1.5) == Between(3, 1.0, 2.0)
    assert condition_of(3, C, Region(codes=frozenset({2, 0})), 2) == OneOf(3, (0, 2))


# Games and changes -------------------------------------------------------------------------------------------------------


def path_of_features(*features):
    """A chain of thresholds on these features, with a leaf at each."""
    node = Leaf((0, 2))
    for feature in reversed(features):
        node = Branch((1, 2), Threshold(feature, 0.5), [Leaf((1, 0)), evolve(node, counts=(0, 2))])
    return Tree(FIVE, node)


FIVE = Schema([Feature(f"f{number}", "numeric") for number in range(5)], "k", ("no", "yes"))


@pytest.mark.parametrize(
    ("features", "n_points"), [((), 1), ((0,), 1), ((0, 1), 1), ((0, 1, 0), 1), ((0, 1, 2), 2), ((4, 3, 2, 1), 2), (range(5), 3)]
)
def test_a_game_is_integrated_at_half_as_many_points_as_a_path_has_players(features, n_points):
    game = shap_game.game_of(path_of_features(*features))
    assert len(game.times) == len(game.weights) == n_points
    assert game.weights.sum() == pytest.approx(1)
    assert (game.weights @ game.times, game.weights @ game.times ** (2 * n_points - 1)) == pytest.approx(
        (1 / 2, 1 / (2 * n_points))
    )
