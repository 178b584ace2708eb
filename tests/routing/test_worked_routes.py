"""Routes by their definitions: worked trees as arrays and steps, shares and their rounding."""

import re
from math import inf, nan

import numpy as np
import pytest
from attrs import evolve, frozen

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, accuracy, mean_cost, predict_counts
from ftree.routing import all_routes, costs_of_answers, counting, heaviest, nearest_leaf, stop_here, weighted
from ftree.routing import flat as flat_module
from ftree.routing import shap as shap_game
from ftree.routing.descent import Descent, Parts, concatenate, descend, divided, plain_leaf_numbers
from ftree.routing.flat import flat, in_arrays, tables_of_codes
from ftree.routing.missing_rules import (
    adds_distributions,
    as_prediction_rule,
    child_of_rest,
    divide_weights,
    one_route,
    rule_for,
    shares_of,
    whole_shares,
)
from ftree.routing.nearest_leaf import Region, both, condition_of, nearest_value, regions_of
from ftree.routing.predict import _label_of_row
from ftree.routing.reach import cheapest_class, checked_answer
from ftree.routing.scoring import labels_by
from ftree.tree import Threshold, level_order
from ftree.tree.conditions import Between, Missing, OneOf
from ftree.tree.edit import with_counts
from ftree.tree.splits import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, Surrogate, WithDefault, WithSurrogates

SCHEMA = Schema([Feature("x", "numeric"), Feature("c", "nominal", "abc"), Feature("y", "numeric")], "k", ("no", "yes"))


def exactly(text):
    """A pattern that a whole message matches."""
    return f"^{re.escape(text)}$"


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


def test_tables_of_codes_end_with_a_cell_for_all_larger_codes():
    coded, width = np.array([False, True, True, False]), np.array([3, 0, 0, 2])
    start, wide, table, small = tables_of_codes(
        coded, width, np.array([2, 1]), np.array([0, 2, 1]), np.array([5, 6, 7]), np.array([-1, 9])
    )
    assert (start.tolist(), wide.tolist(), table.tolist(), small) == ([0, 0, 4, 3], [3, 4, 3, 2], [5, -1, 6, -1, 9, 7, 9], True)
    assert width.tolist() == [3, 0, 0, 2], "its argument is not changed"


# Shares ------------------------------------------------------------------------------------------------------------------


@frozen
class Shared:
    """A user's rule that gives these shares."""

    shares: object

    def __call__(self, _):
        return self.shares


@pytest.mark.parametrize("shares", [[0.5], "ab", [0.5, -0.1], [nan, 1], [inf, 0], [0.5, "x"], [[0.5, 0.5]], [1j, 0], None])
def test_shares_that_are_none_are_refused_with_what_is_wanted(shares):
    words = "must return shares, a finite number from 0 for each of 2 children, got "
    with pytest.raises(ValueError, match=re.escape(words)):
        shares_of(Shared(shares), np.array([1.0, 2.0]))


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


def test_one_route_is_a_whole_row_to_one_child_or_to_none():
    sizes = np.array([2.0, 1.0])
    assert [one_route(rule, sizes) for rule in (heaviest(), stop_here(), Shared([0, 1]))] == [0, None, 1]
    words = "missing must be a rule that follows one route, such as heaviest() or stop_here(), got all_routes(). "
    with pytest.raises(ValueError, match=re.escape(words + "A path cannot follow several routes.")):
        one_route(all_routes(), sizes)
    for shares in ([0.5, 0.5], [0.5, 0], [0, 2]):
        with pytest.raises(ValueError, match="follows one route"):
            one_route(Shared(shares), sizes)


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


def test_weights_are_divided_by_shares_of_their_own():
    shares = np.array([[0.3, 0.0, 1.0], [0.7, 0.0, 1.0]])
    found, left = divide_weights(np.array([1.0, 0.5, 0.3]), shares, 0.25)
    assert (found.tolist(), left.tolist()) == ([[0.25, 0, 0.3], [0.75, 0, 0.3]], [0, 0.5, 0])


def test_rows_without_an_answer_go_to_the_children_of_their_nodes():
    lost = Parts(np.array([2, 0, 0]), np.array([5, 6, 7]), np.array([1.0, 1.0, 2.0]))
    share = np.array([0, 0.25, 0.75, 0.5, 0.0])
    (parts,), stays = divided(lost, np.array([1, 0, 3]), np.array([2, 0, 2]), share.__getitem__, 0.25)
    assert sorted(zip(*map(np.ndarray.tolist, parts), strict=True)) == [
        (1, 6, 0.25), (1, 7, 0.5), (2, 6, 0.75), (2, 7, 1.5), (3, 5, 0.5),
    ]  # fmt: skip
    assert stays.tolist() == [0.5, 0, 0]


def test_a_share_that_no_child_gets_ends_at_the_branch():
    tree = flat(Branch((1, 1), Threshold(0, 0.5), (Leaf((0, 0)), Leaf((1, 1)))))
    root, below = descend(tree, (np.array([0.0, nan, nan]),), np.array([1.0, 1.0, 0.0]), Shared([0.5, 0]), 0.25)
    assert (root.ends.tolist(), root.unanswered.tolist()) == ([0, 0.5, 0], [False, True, True])
    assert (below.node.tolist(), below.rows.tolist(), below.sizes.tolist()) == ([1, 1], [0, 1], [1, 0.5])
    assert root.ending().rows.tolist() == [1]


# Answers -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        ([0.5], "[0.5]"),
        ("ab", "'ab'"),
        ([1, -1], "[1, -1] with other numbers"),
        ([nan, 1], "[nan, 1] with other numbers"),
        ([inf, 1], "[inf, 1] with other numbers"),
        ([[1, 2]], "[[1, 2]]"),
    ],
)
def test_an_answer_must_be_finite_numbers_for_the_classes(answer, got):
    words = f"leaves must return finite numbers from 0 of shape (2,), one for each class, got {got}."
    with pytest.raises(ValueError, match=exactly(words)):
        checked_answer("leaves", answer, (2,))
    assert checked_answer("leaves", (0, "2"), (2,)).tolist() == [0, 2]


def test_the_class_of_least_cost_weighs_counts_by_priors():
    tree = Tree(SCHEMA, Leaf((6, 2)))
    counts = np.array([[3.0, 2.0], [1.0, 2.0]])
    assert cheapest_class(tree, counts, None, None).tolist() == [0, 1]
    assert cheapest_class(tree, counts, (0.5, 0.5), None).tolist() == [1, 1], "three of six are fewer than two of two"
    assert cheapest_class(tree, counts, None, [[0, 1], [2, 0]]).tolist() == [1, 1]
    assert cheapest_class(tree, counts[0], None, [[0, 2], [3, 0]]).tolist() == 0, "equal costs go to the first class"


def test_an_accuracy_and_costs_count_by_weight():
    rows = Dataset(SCHEMA, [np.array([0.0, 1.0, 1.0]), np.array([0, 0, 0]), np.zeros(3)], [0, 1, 0], weights=[1, 2, 5])
    tree = Tree(SCHEMA, Branch((1, 2), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 2)))))
    assert accuracy(tree, rows) == 3 / 8
    assert accuracy(lambda _: ["no", "yes", "yes"], rows) == 3 / 8
    assert accuracy(tree, rows, leaves=lambda *_: [[1, 0]] * 3) == 6 / 8
    assert mean_cost(tree, rows, costs=[[0, 4], [1, 0]]) == 20 / 8
    cost, weights = costs_of_answers(tree, rows, costs=None)
    assert (cost.tolist(), weights.tolist()) == ([0, 0, 1], [1, 2, 5])
    assert costs_of_answers(tree, rows, costs=None, priors=(1, 0))[0].tolist() == [0, 1, 1 - 1]
    for labels in ("no", ["no"], 3, None):
        words = (
            "tree must be a tree, or a function of a dataset that returns a list of 3 labels, one for each row, got a function"
        )
        with pytest.raises(ValueError, match=re.escape(f"{words} that returned {labels!r}.")):
            labels_by(lambda _, labels=labels: labels, rows)
    for call in (accuracy, lambda tree, none: mean_cost(tree, none, costs=[[0, 1], [1, 0]])):
        with pytest.raises(ValueError, match=exactly("dataset must have a row with a weight above 0, got 0 rows without one.")):
            call(tree, rows.take([]))


def test_an_empty_leaf_adds_what_is_above_it_only_where_nothing_else_answers():
    empty = Branch((0, 6), Threshold(0, 0.5), (Leaf((0, 0)), Leaf((0, 6))))
    root = Branch((4, 6), Threshold(2, 0.5), (Branch((4, 0), Threshold(0, 0.5), (Leaf((0, 0)), Leaf((0, 0)))), empty))
    tree = Tree(SCHEMA, root)
    rows = [[0.0, "a", None], [1.0, "a", None], [None, "a", 0.0], [0.0, "a", 1.0]]
    assert predict_counts(tree, rows, missing="all_routes").tolist() == [[4, 6], [0, 6], [4, 0], [0, 6]]
    shares = predict_counts(tree, rows, missing="weighted")
    assert shares == pytest.approx(np.array([[0.4, 0.6], [0.4, 0.6], [1, 0], [0, 1]]))


# Counts ------------------------------------------------------------------------------------------------------------------


def test_parts_are_sorted_by_node_and_stay_in_their_order():
    for numbers in ([3, 1, 3, 1, 2], [70_003, 5, 3, 70_000 + 65_536], [0] * 20, [65_535 + 7, 7, 8], [65_536 + 7, 7, 8], []):
        found = Parts(np.array(numbers, int), np.arange(len(numbers)), np.ones(len(numbers))).by_node()
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        assert [found.node.tolist(), found.rows.tolist()] == [[numbers[row] for row in order], order]


def test_counts_are_those_of_worked_rows_and_where_rows_have_no_answer_is_told():
    rows = Dataset(SCHEMA, [np.array([0.5, nan, 3.5, 1.5]), np.array([0, -1, 1, 2]), np.array([0.0, 0, nan, 1])], [0, 1, 1, 0])
    counts, gaps = counting.counts_and_gaps(ROOT, rows)
    assert gaps == {0, 1, 2}
    assert counts[:3].tolist() == [[2, 2], [1, 1.75], [1, 0.25]]


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


def test_rows_go_down_one_split_at_a_time_and_are_added_to_those_before():
    rows = Dataset(
        SCHEMA, [np.array([0.0, 1.0, nan, 1.0]), np.array([0, 1, -1, 2]), np.zeros(4)], [0, 1, 1, 0], weights=[1, 2, 4, 1]
    )
    down = Descent.of(rows)
    (low, high), whole = down.divide(Threshold(2, 0.5), down.all_rows)
    assert (low[0].tolist(), high[0].tolist(), whole) == ([0, 1, 2, 3], [], True)
    (low, high), whole = down.divide(Threshold(0, 0.5), down.all_rows)
    assert [low[0].tolist(), low[1].tolist()] == [[0, 2], [1, 0.25]]
    assert [high[0].tolist(), high[1].tolist()] == [[1, 3, 2], [1, 1, 0.75]]
    assert not whole
    (low, high), whole = down.divide(Threshold(0, 0.5), down.all_rows, [(4, 0), (0, 2)])
    assert (low[1].tolist(), high[1].tolist()) == ([1, 0.5], [1, 1, 0.5]), "earlier rows count as well"
    (low, high), whole = down.divide(Threshold(0, 0.5), (np.array([3, 1]), np.array([1.0, 0.5])))
    assert (low[0].tolist(), high[0].tolist(), high[1].tolist(), whole) == ([], [3, 1], [1, 0.5], True)
    assert down.count(down.all_rows, (0, 0)) == (2, 6)
    found = down.count((np.array([1, 0]), np.array([0.25, 1.0])), (0.5, 3))
    assert (found, [type(each) for each in found]) == ((1.5, 3.5), [float, float])
    assert [type(each) for each in down.count(down.all_rows, (1.0, 0.0))] == [int, int]
    light = Descent.of(Dataset(SCHEMA, rows.columns, rows.labels, weights=[0.5, 0.25, 0.25, 1]))
    assert (light.times, light.all_rows[1].tolist()) == (None, [0.5, 0.25, 0.25, 1])
    groups = [(np.array([1]), np.array([0.5])), (np.array([3, 2]), np.array([1.0, 0.25]))]
    assert [each.tolist() for each in concatenate(groups)] == [[1, 3, 2], [0.5, 1, 0.25]]
    assert concatenate(groups[:1]) is groups[0]
    assert [len(each) for each in concatenate([])] == [0, 0]


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


def test_a_row_of_numbers_is_taken_as_it_is():
    tree = Tree(
        Schema([Feature("x", "numeric")], "k", ("no", "yes")), Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    )
    answers = [_label_of_row(tree, row) for row in ([0.5], [0.75], np.array([0.75]), (1,), [], [nan], np.array([0], "M8[s]"))]
    assert answers == [0, 1, 1, 1, None, None, None]
    ordinal = Tree(
        Schema([Feature("o", "ordinal", "abc")], "k", ("no", "yes")),
        Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1)))),
    )
    assert [_label_of_row(ordinal, [value]) for value in "abcd"] == [0, 1, 1, None]
    assert _label_of_row(Tree(tree.schema, Leaf((1, 2))), [0.5]) == 1


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


def test_the_players_of_a_game_are_features_and_sums_of_them():
    assert shap_game._players([None], 3).tolist() == [0, 1, 2]
    sums = [Oblique(weights, 0.5) for weights in ((0, 1, 0, 1, 0), (0, 0, 0, 1, 2))]
    assert shap_game._players(sums[:1], 5).tolist() == [0, 1, 2, 1, 3]
    assert shap_game._players(sums, 5).tolist() == [0, 1, 2, 1, 1]
    assert shap_game._players(sums[::-1], 5).tolist() == [0, 1, 2, 1, 1]
    game = shap_game.game_of(Tree(FIVE, Branch((1, 1), sums[0], [Leaf((1, 0)), Leaf((0, 1))])))
    assert (game.split_player, game.base.tolist(), game.player.tolist()) == ([1, -1, -1], [0.5, 0.5], [0, 1, 2, 1, 3])


def test_a_game_pays_the_answers_of_the_leaves_by_the_cases_of_the_children():
    game = shap_game.game_of(TREE)
    assert [each.tolist() for each in game.answers] == [
        [3 / 8, 5 / 8], [0.5, 0.5], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1], [0, 1], [0, 1],
    ]  # fmt: skip
    assert game.share.tolist() == [0, 0.75, 0.25, 1 / 6, 1 / 6, 2 / 6, 2 / 6, 0, 1]
    assert game.base == pytest.approx(np.array([0.375, 0.625]))
    assert game.split_player == [2, 0, 1, *[-1] * 6]


def test_changes_are_measured_by_the_range_of_thresholds_and_of_the_value():
    tree = Tree(
        SCHEMA, Branch((3, 5), Threshold(0, 0.5), [Branch((3, 3), Threshold(0, 2.5), [Leaf((1, 2)), Leaf((2, 1))]), CODES])
    )
    assert nearest_leaf._scales(tree, [1.0, 0, 3.0]) == {0: 2.0}, "no threshold on y, whose value alone has no range"
    assert nearest_leaf._scales(tree, [4.5, 0, 3.0]) == {0: 4.0}
    assert nearest_leaf._scales(tree, [nan, -1, nan]) == {0: 2.0}
    assert nearest_leaf._scales(tree, [-inf, 0, 0.0]) == {0: 2.0}
    in_order = Tree(Schema([IN_ORDER], "k", ("no", "yes")), Branch((1, 1), Threshold(0, 1.5), [Leaf((1, 0)), Leaf((0, 1))]))
    assert nearest_leaf._scales(in_order, [3]) == {0: 5.0}
    row, scales = [1.0, 0, 3.0], {0: 2.0, 2: 4.0}
    assert nearest_leaf._cost(row, scales, {}) == (0, 0)
    assert nearest_leaf._cost(row, scales, {0: 2.0, 2: 0.0}) == (2, 0.5 + 0.75)
    assert nearest_leaf._cost(row, scales, {0: nan}) == (1, 1.0), "to a missing value"
    assert nearest_leaf._cost([nan, 0, 3.0], scales, {0: 2.0}) == (1, 1.0), "from a missing value"
    assert nearest_leaf._cost(row, scales, {1: 2}) == (1, 1.0), "another value of a nominal feature"


def test_a_changed_row_follows_its_new_values():
    columns = np.array([0.0]), np.array([0], np.int8), np.array([1.0])
    follow = nearest_leaf._followed
    assert [follow(CODES, columns, values, weighted()) for values in ({}, {1: 2}, {0: 5.0})] == [0, 1, 0]
    assert follow(CODES, columns, {1: 1}, heaviest()) == 1, "no child for b: the rule decides"
    assert follow(CODES, columns, {1: 1}, stop_here()) is None
    assert follow(Leaf((1, 0)), columns, {}, heaviest()) is None
    visit = nearest_leaf.Visit(CODES.children[1], CODES, link=((None, 1), 1), values={1: 2})
    assert nearest_leaf._arrives(TREE, columns, visit, heaviest())
    assert not nearest_leaf._arrives(TREE, columns, evolve(visit, values={}), heaviest())
    assert not nearest_leaf._arrives(TREE, columns, evolve(visit, link=((None, 0), 1)), heaviest())
    assert nearest_leaf._arrives(TREE, columns, evolve(visit, link=None), heaviest())


def test_rules_have_names_and_a_tree_its_own():
    assert [as_prediction_rule(name) for name in ("all_routes", "weighted", "heaviest", "stop_here", "stop")] == [
        all_routes(), weighted(), heaviest(), stop_here(), stop_here(),
    ]  # fmt: skip
    own = evolve(TREE, missing=heaviest())
    assert (rule_for(own, None), rule_for(own, "weighted"), rule_for(TREE, None)) == (heaviest(), weighted(), all_routes())
    assert [adds_distributions(rule) for rule in (all_routes(), weighted(), heaviest(), lambda sizes: sizes)] == [
        False,
        True,
        False,
        False,
    ]
    with pytest.raises(
        TypeError, match=exactly("missing must be a prediction rule, got the class weighted. Write weighted(), with parentheses.")
    ):
        as_prediction_rule(weighted)
    for wrong in ("heavy", 3, ()):
        names = "'all_routes', 'weighted', 'heaviest', 'stop_here'"
        words = f"missing must be a prediction rule such as weighted(), or one of {names}, got "
        with pytest.raises(ValueError, match=exactly(f"{words}{wrong!r}.")):
            as_prediction_rule(wrong)


def test_rules_that_broadcast_answer_for_many_branches_at_once():
    sizes = np.array([[1.0, 3.0], [2.0, 2.0], [5.0, 0.0]])
    assert weighted()(sizes).tolist() == [[0.25, 0.75], [0.5, 0.5], [1, 0]]
    assert heaviest()(sizes).tolist() == [[0, 1], [1, 0], [1, 0]]
    assert all_routes()(sizes).tolist() == [[1, 1]] * 3
    assert stop_here()(sizes).tolist() == [[0, 0]] * 3
    assert all(rule.broadcasts for rule in (weighted(), heaviest(), all_routes(), stop_here()))
    assert (heaviest().shares, heaviest().predict) == (heaviest(), heaviest())
