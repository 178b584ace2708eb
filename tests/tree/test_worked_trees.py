"""Trees by their definitions: worked folds, walks, texts of numbers and times, conditions, and what a split's child must be."""

import re
from math import inf, nan

import numpy as np
import pytest
from attrs import frozen

from ftree import Branch, Feature, Leaf, Schema, Threshold, Tree, fold, leaves, n_leaves, n_nodes, shrunk, unfold, walk
from ftree.missing import weighted
from ftree.tree import describe
from ftree.tree.build import new_branches, new_leaves, new_tree, set_children
from ftree.tree.conditions import Between, FirstKnown, Missing, NoneOf, OneOf, Opaque, SumBetween
from ftree.tree.describe import codes_of, describe_condition, named
from ftree.tree.formats import format_interval, format_number, format_sum
from ftree.tree.measure import class_counts, depth
from ftree.tree.nodes import all_whole_numbers, level_order, majority, path_along, preorder, whole_numbers, with_children
from ftree.tree.splits import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, WithDefault
from ftree.tree.splits.child_of import child_of, children_of, second_child
from ftree.tree.splits.lookup import child_by_membership, child_of_code, weighted_sum
from ftree.tree.times import TimeNumber, format_time

INNER = Branch((2, 1), Threshold(0, 0.5), (Leaf((2, 0)), Leaf((0, 1))))
ROOT = Branch((2, 4), Multiway(1, (0, 1, 2)), (Leaf((0, 1)), INNER, Leaf((0, 2))))
SCHEMA = Schema([Feature("x", "numeric"), Feature("c", "nominal", "abc"), Feature("o", "ordinal", "SML")], "k", ("no", "yes"))
TREE = Tree(SCHEMA, ROOT, missing=weighted())


def exactly(text):
    """A pattern that a whole message matches."""
    return f"^{re.escape(text)}$"


# Folds and walks ---------------------------------------------------------------------------------------------------------


def test_a_fold_goes_from_the_leaves_up_and_a_walk_from_the_root_down():
    assert fold(ROOT, lambda leaf: leaf.counts, lambda branch, below: (branch.split.features, below)) == (
        (1,), ((0, 1), ((0,), ((2, 0), (0, 1))), (0, 2)),
    )  # fmt: skip
    assert list(walk(TREE)) == [
        ((), ROOT), ((0,), Leaf((0, 1))), ((1,), INNER), ((1, 0), Leaf((2, 0))), ((1, 1), Leaf((0, 1))), ((2,), Leaf((0, 2))),
    ]  # fmt: skip
    assert list(preorder(TREE)) == [node for _, node in walk(TREE)]
    assert [leaf.counts for leaf in leaves(TREE)] == [(0, 1), (2, 0), (0, 1), (0, 2)]
    nodes, below = level_order(ROOT)
    assert nodes == [ROOT, *ROOT.children, *INNER.children]
    assert below == [range(1, 4), range(4, 4), range(4, 6), range(6, 6), range(6, 6), range(6, 6)]
    assert (n_nodes(TREE), n_leaves(TREE), depth(TREE), class_counts(TREE)) == (6, 4, 2, {"no": 2, "yes": 4})
    assert depth(Leaf((1, 2))) == 0


def test_an_unfold_builds_what_its_steps_say():
    parts = {"root": (ROOT.counts, ROOT.split, ["a", "inner", "b"]), "inner": (INNER.counts, INNER.split, iter(("c", "a")))}
    made = {"a": Leaf((0, 1)), "b": Leaf((0, 2)), "c": Leaf((2, 0))}
    assert unfold("root", lambda name: parts.get(name) or made[name]) == ROOT


@pytest.mark.parametrize("grown", [None, 3, [Leaf((1,))], (1, 2), (1, 2, 3, 4), "abc", ()])
def test_a_step_returns_a_leaf_or_three_parts(grown):
    words = "step must return a Leaf, or a tuple (counts, split, seeds of the children), got "
    with pytest.raises(TypeError, match=re.escape(words)):
        unfold(0, lambda _: grown)


@pytest.mark.parametrize("given", [None, 3, "leaf"])
def test_functions_are_asked_for_by_name_and_a_class_is_one(given):
    for name, arguments in (("leaf", (ROOT, given, max)), ("branch", (ROOT, max, given))):
        with pytest.raises(TypeError, match=exactly(f"{name} must be a function, got {given!r}.")):
            fold(*arguments)
    with pytest.raises(TypeError, match=exactly(f"step must be a function, got {given!r}.")):
        unfold(0, given)

    class Seen:
        def __init__(self, _, below=()):
            self.size = 1 + sum(each.size for each in below)

    assert fold(ROOT, Seen, Seen).size == 6
    assert unfold((1, 2), Leaf) == Leaf((1, 2))


def test_nodes_made_at_once_are_those_that_constructors_make():
    made = new_leaves(iter([(0, 1), (2, 0), (0, 1), (0, 2)]))
    branches = new_branches(iter([(2, 4), (2, 1)]), [ROOT.split, INNER.split])
    set_children(branches, [(made[0], branches[1], made[3]), (made[1], made[2])])
    assert branches == [ROOT, INNER]
    tree = new_tree(SCHEMA, branches[0], missing=weighted())
    assert (tree, tree.schema, tree.missing) == (TREE, SCHEMA, weighted())
    assert new_tree(SCHEMA, branches[0]).missing is None


def test_children_that_are_the_same_objects_change_nothing():
    assert with_children(INNER, INNER.children) is INNER
    assert with_children(INNER, list(INNER.children)) is INNER
    swapped = with_children(INNER, INNER.children[::-1])
    assert (swapped.counts, swapped.split, swapped.children) == (INNER.counts, INNER.split, INNER.children[::-1])
    assert path_along(None) == ()
    assert path_along((((None, 3), 1), 0)) == (3, 1, 0)


def test_counts_that_are_whole_are_integers():
    assert [type(each) for each in whole_numbers(np.array([2.0, 0.5, 0.0]))] == [int, float, int]
    some = all_whole_numbers(np.array([[2.0, 0.5], [3.0, 0.0]]))
    assert (some, [type(each) for row in some for each in row]) == ([(2, 0.5), (3, 0)], [int, float, int, int])
    for whole in (np.array([[2.0, 1.0]]), np.array([[2, 1]]), np.array([[2, 1]], np.int8)):
        assert [type(each) for each in all_whole_numbers(whole)[0]] == [int, int]


def test_the_majority_is_the_first_of_the_largest_but_for_rounding():
    assert [majority(each) for each in ((1, 3, 3), (0.3, 0.1 + 0.2), (0, 0), [2], iter((1, 2)))] == [1, 0, 0, 0, 1]
    assert majority((1.0, 1.0 + 1e-9)) == 1
    for counts in ((), None, ("a", "b"), (nan, nan), (inf, 1), (1, None)):
        with pytest.raises(ValueError, match=r"^counts must be numbers, one for each class, got "):
            majority(counts)


def test_shrinking_keeps_the_rule_and_gives_a_node_without_cases_the_estimate_above():
    tree = Tree(SCHEMA, Branch((4, 4), Threshold(0, 1.0), (Leaf((4, 4)), Branch((0, 0), Threshold(0, 2.0), [Leaf((0, 0))] * 2))))
    found = shrunk(Tree(SCHEMA, tree.root, missing=weighted()), 4)
    assert (found.root.counts, found.missing) == ((4, 4), weighted())
    assert found.root == tree.root
    below = Branch((1, 3), Threshold(0, 2.0), (Leaf((1, 0)), Leaf((0, 3))))
    worked = shrunk(Tree(SCHEMA, Branch((4, 4), Threshold(0, 1.0), (Leaf((3, 1)), below))), 4).root
    assert [node.counts for node in preorder(worked)] == [
        pytest.approx(each) for each in [(4, 4), (8 / 3, 4 / 3), (4 / 3, 8 / 3), (17 / 24, 7 / 24), (5 / 8, 19 / 8)]
    ]
    for wrong in (-1, -1e-9, inf, nan, "1", True):
        with pytest.raises(ValueError, match=exactly(f"strength must be a finite number from 0, got {wrong!r}.")):
            shrunk(tree, wrong)
    with pytest.raises(TypeError, match=r"^tree must be a Tree, got a Branch"):
        shrunk(tree.root, 1)


# Texts -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (0.0, "0"), (-0.0, "0"), (3, "3"), (100.0, "100"), (0.6, "0.6"), (2.4500000000000002, "2.45"), (-3.0, "-3"),
        (0.123456789, "0.123457"), (-0.123456789, "-0.123457"), (1.25e-9, "1.25e-09"), (0.0123456789, "0.0123457"),
        (0.000123456789, "0.000123457"), (0.05, "0.05"), (1e15, "1000000000000000"), (9.999e15, "9999000000000000"),
        (1e16, "1e+16"), (-1e16, "-1e+16"), (12345678901234567890, "1.2345678901234567e+19"), (123456.7890123, "123456.789012"),
        (TimeNumber(86400.0, "date"), "1970-01-02"), (inf, "inf"),
    ],
)  # fmt: skip
def test_a_number_has_six_decimals_at_most_and_a_small_one_six_digits(number, text):
    assert format_number(number) == text


def test_a_number_of_other_decimals_keeps_as_many_digits():
    assert [format_number(each, decimals=2) for each in (0.126, 1.005, 0.004, 0.0126, 12.0, 99.999)] == [
        "0.13", "1", "0.004", "0.013", "12", "100",
    ]  # fmt: skip
    assert format_number(0.12, decimals=6) == format_number(0.12)


def test_an_interval_is_written_by_its_finite_ends():
    assert [format_interval("x", *ends) for ends in ((-inf, inf), (1, inf), (-inf, 2), (1, 2))] == [
        "x is known", "x > 1", "x <= 2", "1 < x <= 2",
    ]  # fmt: skip
    assert format_interval("x", 1, 2, written="<{}>".format) == "<1> < x <= <2>"
    assert format_interval("x", 1, inf, written="<{}>".format) == "x > <1>"


def test_a_sum_is_written_with_its_signs():
    assert format_sum("xyz", (1, -1, 2)) == "x - y + 2 * z"
    assert format_sum("xyz", (-0.5, 1, -1), times="·", written="<{}>".format) == "-<0.5>·x + y - z"
    assert format_sum("x", (-1,)) == "-x"


@pytest.mark.parametrize(
    ("seconds", "kind", "text"),
    [
        (0.0, "date", "1970-01-01"), (-86400.0, "date", "1969-12-31"), (43200.0, "date", "1970-01-01 12:00"),
        (61.5, "datetime", "1970-01-01 00:01:01.500"), (0.0, "datetime in UTC", "1970-01-01Z"),
        (3600.0, "datetime in UTC", "1970-01-01 01:00Z"), (0.0, "time of day", "00:00"), (43261.0, "time of day", "12:01:01"),
        (0.0, "duration", "0:00:00"), (-9000.5, "duration", "-2:30:00.500000"), (86400.0, "duration", "1 day 0:00:00"),
        (-172800.0, "duration", "-2 days 0:00:00"), (0.25e-6, "duration", "0:00:00"), (-0.25e-6, "duration", "-0:00:00.000001"),
        (1.9999996e-6, "duration", "0:00:00.000001"), (2.0e-6, "duration", "0:00:00.000002"),
        (9e12, "date", "9000000000000.0"), (-9e12, "duration", "-9000000000000.0"), (nan, "date", "nan"),
        (8.9e12, "date", "283999-10-10 06:13:20"),
    ],
)  # fmt: skip
def test_a_time_prints_down_to_the_microsecond_that_is_not_later(seconds, kind, text):
    assert format_time(seconds, kind) == text
    assert f"{TimeNumber(seconds, kind)!r}" == str(TimeNumber(seconds, kind)) == text


# Conditions in words -----------------------------------------------------------------------------------------------------

BORN = Schema([Feature("born", "numeric", time="date"), *SCHEMA.features[1:], Feature("y", "numeric")], "k", ("no", "yes"))


@pytest.mark.parametrize(
    ("stated", "words", "with_names"),
    [
        (Between(0, at_most=86400.0), "born <= 1970-01-02", Between("born", at_most=86400.0)),
        (Between(0), "born is known", Between("born")),
        (Between(3, 1.0, 2.5), "1 < y <= 2.5", Between("y", 1.0, 2.5)),
        (Between(2, at_most=1.5), "o <= M", OneOf("o", "SM")),
        (Between(2, above=0.5), "o > S", OneOf("o", "ML")),
        (Between(2, 0.5, 1.5), "S < o <= M", OneOf("o", "M")),
        (OneOf(1, (2, 0)), "c in {c, a}", OneOf("c", "ca")),
        (NoneOf(1, (1,)), "c in {a, c}", OneOf("c", "ac")),
        (NoneOf(1), "c is known", OneOf("c", "abc")),
        (NoneOf(3), "y is known", NoneOf("y")),
        (Missing(1), "c is missing", Missing("c")),
        (SumBetween((0, 3), (1.0, -2.0), above=3.0), "born - 2 * y > 3", SumBetween(("born", "y"), (1.0, -2.0), above=3.0)),
    ],
)
def test_a_condition_in_words_and_with_names(stated, words, with_names):
    assert describe_condition(BORN, stated) == words
    assert named(BORN, stated) == with_names
    pair = FirstKnown(((stated, Missing(1)), (Missing(1), stated)), default=True)
    assert describe_condition(BORN, pair) == words, "the first decides"
    assert named(BORN, pair) == FirstKnown(((with_names, Missing("c")), (Missing("c"), with_names)), default=True)


def test_codes_of_a_condition_are_those_for_which_it_holds():
    c, o, x = SCHEMA.features[1], SCHEMA.features[2], SCHEMA.features[0]
    assert [codes_of(o, Between(2, *ends)) for ends in ((0, 1), (-inf, 0), (1, inf), (0.5, 1.5))] == [[1], [0], [2], [1]]
    assert [codes_of(c, stated) for stated in (OneOf(1, (2, 0)), NoneOf(1, (0,)), NoneOf(1))] == [[2, 0], [1, 2], [0, 1, 2]]
    assert [codes_of(c, Missing(1)), codes_of(x, Between(0, 1, 2)), codes_of(x, NoneOf(0))] == [None] * 3


def test_an_expression_is_a_name_a_sum_or_several_names():
    assert describe.tested_expression(BORN, Threshold(3, 1.0)) == "y"
    assert describe.tested_expression(BORN, Oblique((1, 0, 0, -2), 1.0)) == "born - 2 * y"
    assert describe.tested_expression(BORN, WithDefault(Oblique((0, 0, 0, -2), 1.0), default_child=0)) == "y"
    used = [BORN.features[3], BORN.features[0]]
    opaque = named(BORN, Opaque(WithFeatures((3, 0)), 1, "{0} beats {1}"))
    assert (opaque.text, opaque.features, str(opaque)) == ("y beats born", tuple(used), "y beats born")


@frozen
class WithFeatures:
    """A split that only tells its features."""

    features: tuple


# Children ----------------------------------------------------------------------------------------------------------------


@frozen
class Answering:
    """A user's split that answers as it is told."""

    answer: object
    features = (0,)
    n_children = 2
    answers_all_known = True

    def child(self, _):
        return self.answer


@pytest.mark.parametrize(
    "answer", [[0, 1, -1], (1, 1, 1), np.array([0, 1, 0], np.int8), np.array([1, 0, 1], np.uint8), [True, False, True]]
)
def test_children_are_whole_numbers_and_become_those_of_an_index(answer):
    found = child_of(Answering(answer), np.zeros(3))
    assert (found.tolist(), found.dtype) == ([int(each) for each in answer], np.dtype(np.intp))
    assert child_of(Answering(np.zeros(0, int)), np.zeros(0)).tolist() == []


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        ([0, 1, 2], "0 to 2"),
        ([-2, 0, 1], "-2 to 1"),
        ([0, 1], "an array of int64 with shape (2,)"),
        ([0.0, 1.0, 1.0], "an array of float64 with shape (3,)"),
        (0, "an array of int64 with shape ()"),
        (["a", "b", "c"], "an array of <U1 with shape (3,)"),
    ],
)
def test_a_child_that_is_none_is_refused_with_what_came(answer, got):
    split = Answering(answer)
    words = f"Answering(answer={answer!r}).child must return one integer for each of 3 rows, from -1 to 1, got {got}."
    with pytest.raises(TypeError, match=exactly(words)):
        child_of(split, np.zeros(3))


COLUMNS = np.array([0.0, 1.0, 2.0, nan]), np.array([0, 1, 2, -1], np.int8), np.array([2, 1, 0, -1], np.int8)


def test_the_second_child_is_told_of_splits_in_two_whose_columns_are_complete():
    complete, rows = [True, True, True], np.array([2, 0, 1])
    assert second_child(Threshold(0, 1.0), COLUMNS, complete, rows).tolist() == [True, False, False]
    assert second_child(Subset(1, (0, 2)), COLUMNS, complete, rows).tolist() == [False, False, True]
    assert second_child(Intervals(0, (0.5,)), COLUMNS, complete, rows).tolist() == [True, False, True]
    for split in (Intervals(0, (0.5, 1.5)), Multiway(1, (0, 1)), Groups(1, ((0,), (1,)))):
        assert second_child(split, COLUMNS, complete, rows) is None
    assert second_child(Threshold(0, 1.0), COLUMNS, [False, True, True], rows) is None
    assert second_child(Subset(1, (0,)), COLUMNS, [True, False, True], rows) is None
    both = Oblique((1, 0, 1), 1.5)
    assert second_child(both, COLUMNS, [True, True, False], rows) is None
    assert second_child(both, (COLUMNS[0], COLUMNS[1], COLUMNS[0]), complete, rows).tolist() == [True, False, True]


def test_many_splits_are_asked_at_once_as_each_alone():
    splits = [Threshold(0, 0.5), Multiway(1, (1, 0)), Threshold(2, 0.5), IsMissing(1), Threshold(0, 1.0)]
    sizes, rows = np.array([2, 3, 2, 1, 4]), np.array([1, 3, 0, 2, 1, 3, 0, 3, 0, 1, 2, 3])
    found = children_of(splits, sizes, COLUMNS, rows)
    ends = sizes.cumsum()
    alone = [
        child_of(split, COLUMNS[split.feature][rows[end - size : end]])
        for split, size, end in zip(splits, sizes, ends, strict=True)
    ]
    assert found.tolist() == np.concatenate(alone).tolist() == [1, -1, 1, -1, 0, -1, 1, 1, 0, 0, 1, -1]
    assert found.dtype == np.intp
    assert children_of([Threshold(0, 0.5)], np.array([4]), COLUMNS, np.arange(4)).tolist() == [0, 1, 1, -1]


def test_codes_are_looked_up_and_sums_are_added_from_left_to_right():
    column = np.array([0, 1, 2, 3, 9, -1])
    assert child_of_code((3, 1), (0, 1), column).tolist() == [-1, 1, -1, 0, -1, -1]
    assert child_by_membership((3, 1), column).tolist() == [1, 0, 1, 0, 1, -1]
    assert child_by_membership((0,), np.array([nan, 0.0, 1.0])).tolist() == [-1, 0, 1]
    assert weighted_sum((1.0, 1.0, -1.0), (1e16, 1.0, 1e16)) == 0.0, "from left to right, 1 is lost"
    with np.errstate(all="raise"):
        assert weighted_sum((1e308, 1e308), (np.float64(10), np.float64(10))) == inf
        assert np.isnan(weighted_sum((1e308, -1e308), (np.float64(10), np.float64(10))))
        assert weighted_sum((1e-308,), (np.float64(1e-300),)) == 0
