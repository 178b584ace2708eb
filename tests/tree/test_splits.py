"""Splits of several groups or intervals, and splits with surrogates: splits like any other."""

import pickle
from itertools import product
from math import comb, inf, log2, nan

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import (
    ID3,
    Branch,
    Dataset,
    Feature,
    Groups,
    Intervals,
    Leaf,
    Multiway,
    Oblique,
    Schema,
    Subset,
    Surrogate,
    Threshold,
    Tree,
    WithSurrogates,
    accuracy,
    dnf,
    from_dict,
    holds,
    importances,
    latex,
    path_of,
    predict,
    predict_counts,
    prune,
    recount,
    root_feature_counts,
    rules,
    text,
    to_dict,
)
from ftree._lib.arrays import missing_cells
from ftree.prune.description_length import split_cost
from ftree.routing.flat import flat
from ftree.show import Between, FirstKnown, OneOf
from ftree.testing import chain, datasets, trees
from ftree.tree import describe
from ftree.tree.conditions import AllOf, AnyOf, Missing, Opaque
from ftree.tree.describe import condition, named
from ftree.tree.fold import fold
from ftree.tree.formats import format_number
from ftree.tree.nodes import preorder
from ftree.tree.splits import IsMissing, WithDefault, child_of, primary
from ftree.tree.splits.optional import table_form
from ftree.tree.splits.protocol import UNKNOWN
from ftree.tree.splits.tables import ABOVE, BETWEEN, CODE, LEAF, OPAQUE, SUM, Question
from ftree.tree.times import TimeNumber

POLICIES = ("all_routes", "weighted", "heaviest", "stop")
SCHEMA = Schema(
    (
        Feature("length", "numeric"),
        Feature("width", "numeric"),
        Feature("colour", "nominal", ("white", "blue", "red", "pink")),
        Feature("size", "ordinal", ("S", "M", "L")),
    ),
    "flower",
    ("rose", "iris", "lily"),
)
ROSE, IRIS, LILY = Leaf((3, 0, 0)), Leaf((0, 4, 0)), Leaf((0, 0, 5))
GROUPS = Groups(2, ((2, 3), (0,)))
INTERVALS = Intervals(0, (2.45, 4.75))
SIZES = Intervals(3, (0.5, 1.5))
WIDTH, COLOUR = (
    Surrogate(Threshold(1, 0.8), agreement=0.94, adjusted=0.75),
    Surrogate(Subset(2, (0,)), reversed=True, agreement=0.9),
)
BACKED = WithSurrogates(Threshold(0, 2.5), [WIDTH, COLOUR])


def tree_of(split, *leaves):
    return Tree(SCHEMA, Branch([sum(column) for column in zip(*(leaf.counts for leaf in leaves), strict=True)], split, leaves))


GROUPED, CUT, SIZED = tree_of(GROUPS, ROSE, LILY), tree_of(INTERVALS, ROSE, IRIS, LILY), tree_of(SIZES, ROSE, IRIS, LILY)
SAFE = tree_of(BACKED, ROSE, IRIS)
ALL = [GROUPED, CUT, SIZED, SAFE, tree_of(evolve(BACKED, default_child=1), ROSE, IRIS)]


# Invalid splits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [(), ((),), ((0,), ()), ((0, 1), (1,)), ((0, 0),), ((-1,), (0,))])
def test_groups_are_of_one_or_more_codes_each_and_no_code_is_in_two(groups):
    with pytest.raises(ValueError, match="one or more codes from 0, with no code in two groups"):
        Groups(0, groups)


@pytest.mark.parametrize("groups", [3, None])
def test_what_is_no_sequence_of_groups_is_refused(groups):
    with pytest.raises(TypeError, match=r"groups must be a sequence of sequences of codes.*, got "):
        Groups(0, groups)


@pytest.mark.parametrize("groups", [(0, 1), (("white",), (1,)), ((0.5,),), "ab"])
def test_a_group_is_of_codes(groups):
    with pytest.raises(TypeError, match=r"codes, which are positions in Feature\.values"):
        Groups(0, groups)


@pytest.mark.parametrize("cuts", [(), (2, 1), (1, 1), (1, nan), (nan,), (1, inf), (-inf, 1)])
def test_cuts_are_finite_and_rise(cuts):
    with pytest.raises(ValueError, match="one or more finite numbers in increasing order"):
        Intervals(0, cuts)


@pytest.mark.parametrize("cuts", [3, None, ("low",), ((1, 2),)])
def test_cuts_are_numbers_in_a_sequence(cuts):
    with pytest.raises(TypeError, match=r"cuts must be a sequence of finite numbers, got "):
        Intervals(0, cuts)


@pytest.mark.parametrize("family", [lambda f: Groups(f, ((0,),)), lambda f: Intervals(f, (1,))])
def test_a_feature_is_a_column_number(family):
    with pytest.raises(TypeError, match="a column number"):
        family("colour")
    with pytest.raises(ValueError, match="a column number from 0, got -1"):
        family(-1)


@pytest.mark.parametrize("split", [Groups(2, ((2, 3), (0,), (1,))), INTERVALS, Multiway(0, (0, 1)), BACKED, None, 3])
def test_what_stands_in_and_what_is_backed_are_splits_in_two(split):
    for make in (Surrogate, WithSurrogates):
        with pytest.raises(TypeError, match=r"split must be a Threshold.* Subset"):
            make(split)


@pytest.mark.parametrize("surrogates", [[Threshold(0, 1)], [WIDTH, None], 3, WIDTH])
def test_surrogates_are_a_sequence_of_surrogates(surrogates):
    with pytest.raises(TypeError, match=r"A field of several values must be a sequence|surrogates must be Surrogate objects"):
        WithSurrogates(Threshold(0, 2.5), surrogates)


def test_children_are_numbered_by_plain_numbers():
    split = WithSurrogates(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5), reversed=True)], default_child=np.int8(1))
    assert type(split.default_child) is int


@pytest.mark.parametrize("default_child", [2, -1, 1.0, "heaviest"])
def test_the_default_child_is_a_child_or_none(default_child):
    with pytest.raises(ValueError, match=f"default_child must be 0, 1 or None, got {default_child!r}"):
        WithSurrogates(Threshold(0, 2.5), default_child=default_child)


@pytest.mark.parametrize("turned", [2, 1, 0, "left", None])
def test_a_surrogate_is_reversed_or_not(turned):
    with pytest.raises(TypeError, match="reversed must be True or False, got "):
        Surrogate(Threshold(0, 2.5), reversed=turned)


def test_agreement_is_a_number():
    with pytest.raises(TypeError, match="must be finite numbers, got 'much'"):
        Surrogate(Threshold(0, 2.5), agreement="much")


@pytest.mark.parametrize("figures", [{"agreement": nan}, {"adjusted": inf}])
def test_agreement_is_a_share(figures):
    with pytest.raises(ValueError, match=f"{next(iter(figures))} must be a finite number"):
        Surrogate(Threshold(0, 2.5), **figures)


def test_splits_are_values_of_plain_numbers():
    made = [
        (Groups(np.int64(2), [{3, 2}, np.array([0.0])]), GROUPS),
        (Intervals(0, np.array([2.45, 4.75])), INTERVALS),
        (WithSurrogates(Threshold(0, 2.5), (each for each in (WIDTH, COLOUR))), BACKED),
    ]
    for one, other in made:
        assert (one, hash(one), repr(one)) == (other, hash(other), repr(other))
    assert Groups(2, ((0,), (2, 3))) != GROUPS


# The child of a row -------------------------------------------------------------------------------------------------


def test_a_code_goes_to_the_child_of_its_group_and_one_in_no_group_to_none():
    assert child_of(GROUPS, np.array([0, 1, 2, 3, 4, 99, -1])).tolist() == [1, -1, 0, 0, -1, -1, -1]
    assert (GROUPS.n_children, GROUPS.features) == (2, (2,))


def test_a_number_goes_to_its_interval_which_is_closed_above():
    numbers = np.array([-9, 2.45, np.nextafter(2.45, 3), 4.75, 4.8, nan])
    assert child_of(INTERVALS, numbers).tolist() == [0, 0, 1, 1, 2, -1]
    assert child_of(SIZES, np.array([0, 1, 2, -1], dtype=np.int8)).tolist() == [0, 1, 2, -1]
    assert (INTERVALS.n_children, INTERVALS.features) == (3, (0,))
    assert [(stated.above, stated.at_most) for stated in INTERVALS.conditions] == [(-inf, 2.45), (2.45, 4.75), (4.75, inf)]


@given(st.floats(-9, 9), st.floats(allow_nan=True))
def test_one_cut_is_a_threshold(at, value):
    column = np.array([value])
    assert child_of(Intervals(0, (at,)), column).tolist() == child_of(Threshold(0, at), column).tolist()


@given(st.lists(st.integers(0, 6)), st.sets(st.integers(0, 4), min_size=1))
def test_groups_of_one_are_a_multiway_split(values, codes):
    column = np.array(values, dtype=np.int8)
    assert child_of(Groups(0, [[code] for code in codes]), column).tolist() == child_of(Multiway(0, codes), column).tolist()


@pytest.mark.parametrize(
    ("length", "width", "colour", "default_child", "child"),
    [
        (2.5, 9.0, 0, None, 0),  # the split itself
        (2.6, 0.0, 1, 0, 1),
        (nan, 0.8, 0, None, 0),  # the first surrogate
        (nan, 0.9, 1, 0, 1),
        (nan, nan, 0, None, 1),  # the second one, reversed
        (nan, nan, 3, 1, 0),
        (nan, nan, -1, None, -1),  # nothing is known
        (nan, nan, -1, 0, 0),
        (nan, nan, -1, 1, 1),
    ],
)
def test_the_first_that_knows_answers(length, width, colour, default_child, child):
    columns = (np.array([length]), np.array([width]), np.array([colour], dtype=np.int8))
    assert child_of(evolve(BACKED, default_child=default_child), *columns).tolist() == [child]


def test_surrogates_are_asked_in_their_order():
    turned = evolve(BACKED, surrogates=BACKED.surrogates[::-1])
    assert turned.features == (0, 2, 1)
    length, width, colour = np.array([nan]), np.array([0.5]), np.array([0], dtype=np.int8)
    assert child_of(BACKED, length, width, colour).tolist() == [0]
    assert child_of(turned, length, colour, width).tolist() == [1]


@given(st.lists(st.floats(allow_nan=True), min_size=1))
def test_without_surrogates_it_is_the_split(values):
    column = np.array(values)
    assert child_of(WithSurrogates(Threshold(0, 2.5)), column).tolist() == child_of(Threshold(0, 2.5), column).tolist()
    assert (BACKED.n_children, primary(BACKED), primary(GROUPS)) == (2, Threshold(0, 2.5), GROUPS)


# Prediction -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tree", "point", "label"),
    [
        (GROUPED, {"colour": "pink"}, "rose"),
        (GROUPED, {"colour": "white"}, "lily"),
        (GROUPED, {"colour": "blue"}, "lily"),  # in no group: all routes
        (CUT, {"length": 2.45}, "rose"),
        (CUT, {"length": 4.75}, "iris"),
        (CUT, {"length": 5}, "lily"),
        (CUT, {}, "lily"),
        (SIZED, {"size": "M"}, "iris"),
        (SIZED, {"size": "L"}, "lily"),
        (SAFE, {"length": 1, "width": 5}, "rose"),
        (SAFE, {"width": 0.8}, "rose"),
        (SAFE, {"width": 5, "colour": "red"}, "iris"),
        (SAFE, {"colour": "red"}, "rose"),
        (SAFE, {"colour": "white"}, "iris"),
        (SAFE, {}, "iris"),
    ],
)
def test_a_point_is_predicted_as_its_split_says(tree, point, label):
    whole = [point.get(feature.name) for feature in SCHEMA.features]
    assert predict(tree, point) == predict(tree, whole) == label
    assert predict(tree, [whole] * 3) == [label] * 3


CELLS = [(1.0, 3.0, None), (0.5, 0.9, None), ("white", "red", "blue", None, "unheard of"), ("S", "L", None)]


@pytest.mark.parametrize("default_child", [0, 1])
def test_with_otherwise_no_case_is_without_an_answer_whatever_is_missing(default_child):
    tree = tree_of(evolve(BACKED, default_child=default_child), ROSE, IRIS)
    rows = list(product(*CELLS))
    answers = [predict_counts(tree, rows, missing=missing) for missing in POLICIES if missing != "weighted"]
    assert all((answer == answers[0]).all() for answer in answers)
    assert all(np.count_nonzero(answer) == 1 for answer in answers[0])
    assert predict(tree, {}) == SCHEMA.classes[default_child]


@pytest.mark.parametrize(
    ("missing", "counts"),
    [("all_routes", [3, 4, 0]), ("weighted", [3 / 7, 4 / 7, 0]), ("heaviest", [0, 4, 0]), ("stop", [3, 4, 0])],
)
def test_without_otherwise_the_policy_decides_after_the_surrogates(missing, counts):
    assert predict_counts(SAFE, {}, missing=missing).tolist() == pytest.approx(counts)
    known = {"weighted": [1, 0, 0]}.get(missing, [3, 0, 0])
    assert predict_counts(SAFE, {"width": 0.1}, missing=missing).tolist() == known


@pytest.mark.parametrize("tree", ALL)
def test_rows_that_the_split_itself_knows_need_no_walk_of_their_own(tree):
    whole = [row for row in product(*CELLS) if None not in row and row[2] in ("white", "red")]
    data = Dataset.from_rows(whole, ["rose"] * len(whole), features=[f.name for f in SCHEMA.features]).recoded(SCHEMA)
    assert flat(tree.root).in_tables
    assert (flat(tree.root).leaf_numbers(data.columns, len(data)) > 0).all()


def test_many_rows_are_answered_as_a_few_are():
    """Enough rows for compiled code."""
    inner = tree_of(INTERVALS, ROSE, IRIS, LILY).root
    tree = tree_of(Groups(2, ((2, 3), (0,), (1,))), inner, LILY, SAFE.root)
    random = np.random.default_rng(0)
    columns = [random.integers(-1, 12, 120_000) / 2, random.integers(0, 4, 120_000) / 2, *random.integers(-1, 3, (2, 120_000))]
    columns[0][columns[0] < 0] = nan
    data = Dataset(SCHEMA, columns, random.integers(0, 3, 120_000))
    some = np.arange(0, 120_000, 997)
    assert (predict_counts(tree, data)[some] == predict_counts(tree, data.take(some))).all()


@pytest.mark.parametrize("n_cuts", range(1, 9))
def test_any_number_of_intervals_routes(n_cuts):
    counts = np.eye(n_cuts + 1, dtype=int)
    split = Intervals(0, np.arange(n_cuts) + 0.5)
    root = Branch([1] * (n_cuts + 1), split, map(Leaf, counts))
    tree = Tree(Schema([Feature("x", "numeric")], "class", range(n_cuts + 1)), root)
    assert predict(tree, [[x] for x in range(n_cuts + 1)]) == list(range(n_cuts + 1))
    assert [predict(tree, [x + 0.5]) for x in range(n_cuts + 1)] == list(range(n_cuts + 1))


def test_an_empty_interval_answers_as_the_node_above():
    tree = tree_of(INTERVALS, Leaf((0, 0, 0)), IRIS, LILY)
    assert predict(tree, [1.0, 0, "red", "S"]) == "lily"
    assert predict_counts(tree, {"length": 1.0}).tolist() == [0, 4, 5]


# Words ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("split", "words"),
    [
        (GROUPS, ["colour in {red, pink}", "colour = white"]),
        (INTERVALS, ["length <= 2.45", "2.45 < length <= 4.75", "length > 4.75"]),
        (SIZES, ["size <= S", "S < size <= M", "size > M"]),
        (Intervals(3, (1,)), ["size <= M", "size > M"]),
        (BACKED, ["length <= 2.5", "length > 2.5"]),
        (WithSurrogates(Subset(2, (1,)), [WIDTH]), ["colour = blue", "colour in {white, red, pink}"]),
    ],
)
def test_a_split_says_what_holds_for_each_child(split, words):
    assert [condition(SCHEMA, split, child) for child in range(split.n_children)] == words
    assert describe.tested_expression(SCHEMA, split) == SCHEMA.features[split.features[0]].name


def test_the_values_of_a_child_are_those_of_its_group_or_interval():
    assert [named(SCHEMA, GROUPS.conditions[child]).values for child in range(2)] == [("red", "pink"), ("white",)]
    assert [named(SCHEMA, SIZES.conditions[child]).values for child in range(3)] == [("S",), ("M",), ("L",)]
    assert [named(SCHEMA, Intervals(3, (1.5, 2)).conditions[child]).values for child in range(3)] == [("S", "M"), ("L",), ()]


def test_trees_print_a_line_for_each_child():
    assert str(CUT) == "length <= 2.45: rose (3.0)\n2.45 < length <= 4.75: iris (4.0)\nlength > 4.75: lily (5.0)"
    assert str(GROUPED) == "colour in {red, pink}: rose (3.0)\ncolour = white: lily (5.0)"
    assert str(SAFE) == text(SAFE) == "length <= 2.5: rose (3.0)\nlength > 2.5: iris (4.0)"


def test_surrogates_are_shown_when_asked_for_above_what_they_stand_in_for():
    below = Branch((0, 4, 5), BACKED, (IRIS, LILY))
    tree = tree_of(WithSurrogates(Subset(2, (0,)), [Surrogate(Threshold(3, 1.5), agreement=2 / 3)], default_child=0), ROSE, below)
    assert text(tree, surrogates=True).splitlines() == [
        "size <= M in place of colour = white (agreement 0.67)",
        "colour = white: rose (3.0)",
        "colour in {blue, red, pink}",
        "|   width <= 0.8 in place of length <= 2.5 (agreement 0.94)",
        "|   colour in {blue, red, pink} in place of length <= 2.5 (agreement 0.9)",
        "|   length <= 2.5: iris (4.0)",
        "|   length > 2.5: lily (5.0)",
    ]
    assert text(CUT, surrogates=True) == text(CUT)


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        ({"length": 2, "width": 9}, "length <= 2.5 -> rose"),
        ({"width": 0.8}, "length unknown, so width <= 0.8 -> rose"),
        ({"width": 1, "colour": "white"}, "length unknown, so width > 0.8 -> iris"),
        ({"colour": "white"}, "length unknown, so colour = white -> iris"),
        ({"colour": "red"}, "length unknown, so colour in {blue, red, pink} -> rose"),
        ({}, "length unknown, so length > 2.5 -> iris"),
    ],
)
def test_a_path_says_which_surrogate_answered(point, reason):
    assert str(path_of(SAFE, point)) == reason


def test_a_path_stops_only_where_no_surrogate_answers():
    assert path_of(SAFE, {}, missing="stop").node is SAFE.root
    assert path_of(SAFE, {"colour": "red"}, missing="stop").node == ROSE
    default_child = tree_of(evolve(BACKED, default_child=0), ROSE, IRIS)
    assert str(path_of(default_child, {}, missing="stop")) == "length unknown, so length <= 2.5 -> rose"
    assert str(path_of(CUT, {"length": 3})) == "2.45 < length <= 4.75 -> iris"
    assert str(path_of(GROUPED, {"colour": "blue"})) == "colour unknown, so colour = white -> lily"


# Rules ----------------------------------------------------------------------------------------------------------------


def test_groups_and_intervals_read_as_any_other_condition_and_are_merged_with_them():
    assert [rule.conditions for rule in rules(CUT)] == [
        (Between("length", at_most=2.45),),
        (Between("length", above=2.45, at_most=4.75),),
        (Between("length", above=4.75),),
    ]
    assert [rule.conditions for rule in rules(SIZED)] == [(OneOf("size", (size,)),) for size in "SML"]
    assert [rule.conditions for rule in rules(GROUPED)] == [(OneOf("colour", ("red", "pink")),), (OneOf("colour", ("white",)),)]
    inner = tree_of(INTERVALS, ROSE, IRIS, LILY).root
    assert [str(rule) for rule in rules(tree_of(Threshold(0, 3), inner, LILY))] == [
        "if length <= 2.45 then rose", "if 2.45 < length <= 3 then iris", "if length > 3 then lily",
    ]  # fmt: skip
    assert latex(dnf(CUT, "iris")) == r"2.45 < \text{length} \le 4.75"


@pytest.mark.parametrize("default_child", [None, 0, 1])
def test_the_rule_of_a_split_with_surrogates_holds_where_the_tree_goes_there(default_child):
    tree = tree_of(evolve(BACKED, default_child=default_child), ROSE, IRIS)
    names = [feature.name for feature in SCHEMA.features]
    for row in product(*CELLS):
        point = dict(zip(names, row, strict=True))
        answered = path_of(tree, point, missing="stop").path != ()
        assert [rule.label for rule in rules(tree) if holds(rule, point)] == ([predict(tree, point)] if answered else [])


def test_the_rule_of_a_split_with_surrogates_reads_as_the_split():
    assert [str(rule) for rule in rules(SAFE)] == ["if length <= 2.5 then rose", "if length > 2.5 then iris"]
    assert latex(dnf(SAFE, "iris")) == r"\text{length} > 2.5"
    (condition_,) = rules(SAFE)[0].conditions
    assert condition_ == FirstKnown((
        (Between("length", at_most=2.5), Between("length", above=2.5)),
        (Between("width", at_most=0.8), Between("width", above=0.8)),
        (OneOf("colour", ("blue", "red", "pink")), OneOf("colour", ("white",))),
    ))  # fmt: skip


def test_what_a_split_with_surrogates_asks_twice_it_answers_alike():
    tree = tree_of(BACKED, tree_of(BACKED, ROSE, LILY).root, IRIS)
    assert [rule.label for rule in rules(tree)] == ["rose", "iris"]
    assert all(len(rule.conditions) == 1 for rule in rules(tree))


# Dictionaries ---------------------------------------------------------------------------------------------------------


def test_dictionaries_name_groups_by_tuples_and_intervals_by_their_ends():
    assert to_dict(GROUPED) == {"colour": {("red", "pink"): "rose", ("white",): "lily"}}
    assert to_dict(CUT) == {"length": {"(-inf, 2.45]": "rose", "(2.45, 4.75]": "iris", "(4.75, inf)": "lily"}}
    width = ("width", ("<= 0.8", "> 0.8"), 0, 0.94, 0.75)
    colour = ("colour", (frozenset({"white"}), frozenset({"blue", "red", "pink"})), 1, 0.9, 1.0)
    assert to_dict(SAFE) == {("length", (width, colour), None): {"<= 2.5": "rose", "> 2.5": "iris"}}


@pytest.mark.parametrize(
    "split", [Intervals(0, (2.5,)), Intervals(3, (0.5,)), Groups(2, ((0, 1), (2, 3))), WithSurrogates(Threshold(3, 1))]
)
def test_a_split_that_answers_as_another_kind_does_comes_back_as_its_own(split):
    tree = tree_of(split, ROSE, IRIS)
    assert from_dict(to_dict(tree, counts=True), SCHEMA) == tree


@pytest.mark.parametrize("tree", ALL)
def test_dictionaries_and_pickles_give_back_the_tree(tree):
    assert from_dict(to_dict(tree, counts=True), SCHEMA) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree  # noqa: S301  # pickled here


def test_intervals_may_be_written_by_hand():
    assert from_dict({"length": {"(-inf, 2]": "rose", "(2, 3]": "iris", "(3, inf]": "lily"}}, SCHEMA).root.split == Intervals(
        0, (2, 3)
    )


@pytest.mark.parametrize(
    ("nested", "error", "words"),
    [
        ({"length": {"(-inf, 2]": "rose", "(3, inf)": "iris"}}, ValueError, "Keys of the numeric feature 'length' must be"),
        ({"length": {"(-inf, low]": "rose", "(low, inf)": "iris"}}, ValueError, "numeric feature 'length' must be .*got"),
        ({"length": {"(1, 2]": "rose", "(2, 3]": "iris"}}, ValueError, "numeric feature 'length' must be .*got"),
        ({"length": {"(-inf, 2]": "rose", 3: "iris"}}, ValueError, "numeric feature 'length' must be .*got"),
        ({"length": {"(-inf, inf)": "rose"}}, ValueError, "one or more finite numbers"),
        ({"length": {"(-inf, 3]": "rose", "(3, 2]": "iris", "(2, inf)": "lily"}}, ValueError, "in increasing order"),
        ({"colour": {("white", "green"): "rose", ("red",): "iris"}}, ValueError, "'colour' must be one of .*, got 'green'"),
        ({"colour": {("white",): "rose", ("white", "red"): "iris"}}, ValueError, "no code in two groups"),
        ({"size": {("S",): "rose", ("M", "L"): "iris"}}, ValueError, "ordinal feature 'size'"),
        ({("length", (("width",),), None): {"<= 2.5": "rose", "> 2.5": "iris"}}, ValueError, "A split with surrogates must be"),
        ({("length", (3,), None): {"<= 2.5": "rose", "> 2.5": "iris"}}, ValueError, "A split with surrogates must be"),
        ({("length", (), None): {"(-inf, 2]": "rose", "(2, inf)": "iris"}}, ValueError, "A split with surrogates must be"),
        ({("length", (), 2): {"<= 2.5": "rose", "> 2.5": "iris"}}, ValueError, "default_child must be 0, 1 or None"),
        ({("long", (), 1): {"<= 2.5": "rose", "> 2.5": "iris"}}, KeyError, "got 'long'"),
    ],
)
def test_a_dictionary_that_is_no_such_tree_is_refused(nested, error, words):
    with pytest.raises(error, match=words):
        from_dict(nested, SCHEMA)


# Other readers of trees -----------------------------------------------------------------------------------------------


def test_cases_are_recounted_where_surrogates_send_them():
    features = [feature.name for feature in SCHEMA.features]
    rows = [[1.0, 2.0, "red", "S"], [None, 2.0, "red", "S"], [None, None, "red", "S"], [None, None, None, "S"]]
    data = Dataset.from_rows(rows, ["rose", "iris", "lily", "lily"], features=features)
    low, high = recount(SAFE, data, missing="heaviest").root.children
    assert (low.counts, high.counts) == ((1, 0, 1), (0, 1, 1))
    assert accuracy(SAFE, data) == 0.5


def test_a_split_with_surrogates_counts_as_its_own_feature_s():
    assert importances(SAFE) == {"length": 1.0, "width": 0.0, "colour": 0.0, "size": 0.0}
    data = Dataset.from_rows([[1.0], [3.0]] * 4, ["rose", "iris"] * 4, features=["length"])
    assert root_feature_counts(data, lambda _: SAFE, size=4, repeats=3) == {"length": 3}
    assert root_feature_counts(data, ID3, size=4, repeats=3).keys() <= {"length", None}


def test_two_groups_cost_what_a_subset_does_and_one_cut_what_a_threshold_does():
    for values in range(2, 9):
        assert split_cost(Groups(0, ((0,), (1,))), values) == pytest.approx(split_cost(Subset(0, (0,)), values))
        assert split_cost(Intervals(0, (0.5,)), values) == split_cost(Threshold(0, 0.5), values)
    assert split_cost(Groups(0, ((0,), (1,))), 1) == split_cost(Intervals(0, (0.5, 1.5)), 1) == 0


@pytest.mark.parametrize(("values", "groups"), [(3, 3), (4, 3), (5, 2), (5, 4)])
def test_groups_cost_the_logarithm_of_the_ways_to_divide_the_values_and_intervals_of_those_to_choose_the_cuts(values, groups):
    ways = sum(set(dealt) == set(range(groups)) for dealt in product(range(groups), repeat=values))
    assert split_cost(Groups(0, [[group] for group in range(groups)]), values) == pytest.approx(log2(ways))
    assert split_cost(Intervals(0, range(groups - 1)), values) == pytest.approx(log2(comb(values - 1, groups - 1)))


def test_surrogates_cost_nothing_to_describe():
    plain = tree_of(BACKED.split, ROSE, IRIS)
    for pass_ in (prune.mdl(), prune.mdl(value_cost=2)):
        ((backed,), (alone,)) = pass_.decisions(SAFE), pass_.decisions(plain)
        assert backed.as_subtree == alone.as_subtree
    assert split_cost(BACKED, 9) == split_cost(BACKED.split, 9)


def deepened(tree, split_of):
    """A chain with other splits, each of which sends the same rows to the same child."""
    node = None
    for branch in reversed(list(_spine(tree))):
        low, high = branch.children
        node = Branch(branch.counts, split_of(branch.split), (low, high if node is None else node))
    return evolve(tree, root=node)


def _spine(tree):
    node = tree.root
    while isinstance(node, Branch):
        yield node
        node = node.children[1]


@pytest.mark.parametrize(
    "split_of",
    [lambda split: Intervals(0, (split.at,)), lambda split: WithSurrogates(split, default_child=1)],
    ids=["intervals", "backed"],
)
def test_deep_trees_of_such_splits_are_compared_hashed_printed_pickled_and_used(split_of):
    depth = 20_000
    tree = deepened(chain(depth), split_of)
    again = pickle.loads(pickle.dumps(tree))  # noqa: S301  # pickled here
    assert again == tree
    assert hash(again.root) == hash(tree.root)
    assert repr(again.root) == repr(tree.root)
    assert predict(tree, [[float(depth)], [0.0]]) == predict(chain(depth), [[float(depth)], [0.0]])
    assert len(path_of(tree, [float(depth)]).path) == depth
    assert len(str(tree).splitlines()) == 2 * depth


def test_keys_that_are_values_in_part_are_no_groups():
    schema = Schema([Feature("x", "nominal", ("a", "b"))], "class", ("no", "yes"))
    assert Groups.from_keys(schema, "x", (("a",), ("b",))) == Groups(0, ((0,), (1,)))
    assert Groups.from_keys(schema, "x", ("ab", ("b",))) is None
    tuples = Schema([Feature("x", "nominal", (("a",), "b"))], "class", ("no", "yes"))
    assert Groups.from_keys(tuples, "x", (("a",), ("b",))) is None


def test_a_sum_beyond_all_numbers_is_infinite_without_a_warning():
    columns = np.array([1e308, -1e308]), np.array([1e308, 1e308])
    assert Oblique((10.0, 1.0), 0.5).child(*columns).tolist() == [1, 0]


def test_a_sum_is_read_from_its_keys_and_from_no_others():
    schema = Schema([Feature("x", "numeric"), Feature("y", "numeric")], "class", ("no", "yes"))
    keys = (("y", -0.5), ("x", 2.0)), ("<= 1.5", "> 1.5")
    assert Oblique.from_keys(schema, *keys) == Oblique((2.0, -0.5), 1.5)
    assert Oblique.from_keys(schema, *Oblique((0.0, 3.0), -1.0).to_keys(schema)) == Oblique((0.0, 3.0), -1.0)
    assert Oblique.from_keys(schema, "x", keys[1]) is None
    for name, below in ((keys[0], ("<= 1.5", "> 2")), ((("x", 1.0, 2.0),), keys[1]), (("x",), keys[1]), ((["x", 1.0],), keys[1])):
        with pytest.raises(ValueError, match="A weighted sum must be"):
            Oblique.from_keys(schema, name, below)


def test_codes_are_read_from_the_values_of_their_feature():
    schema = Schema([Feature("c", "nominal", "abc"), Feature("x", "numeric")], "class", ("no", "yes"))
    assert Multiway.from_keys(schema, *Multiway(0, (2, 0)).to_keys(schema)) == Multiway(0, (2, 0))
    assert Multiway.from_keys(schema, "x", ("a", "b")) is None


def test_an_opaque_condition_is_hashable_whatever_its_features_come_in():
    feature = Feature("x", "numeric")
    assert hash(Opaque(None, 0, "the model says left", [feature])) == hash(Opaque(None, 0, "the model says left", (feature,)))


def test_every_split_of_the_library_routes_rows_in_compiled_code_too():
    schema = Schema([Feature("x", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abc")], "class", (0, 1))
    splits = [
        (Threshold(0, 0.5), ABOVE),
        (Intervals(0, (0.5, 1.5)), BETWEEN),
        (Multiway(2, (2, 0)), CODE),
        (Subset(2, (0, 1)), CODE),
        (Groups(2, ((0, 1), (2,))), CODE),
        (Oblique((1, 0, 0), 0.5), SUM),
        (IsMissing(1), ABOVE),
    ]
    for split, kind in splits:
        assert table_form(split).kind == kind
        leaves = [Leaf((1, 1))] * split.n_children
        assert flat(Tree(schema, Branch((len(leaves),) * 2, split, leaves)).root).compiled


@pytest.mark.parametrize("split", [Threshold(0, -0.5), Threshold(0, 3), Intervals(0, (-0.5, 1.5)), Intervals(0, (1.5, 3.5))])
def test_cuts_of_an_ordinal_feature_are_between_its_values(split):
    schema = Schema([Feature("size", "ordinal", "SML")], "class", ("no", "yes"))
    with pytest.raises(ValueError, match="Thresholds on the codes of 'size' must be at least 0 and below 3"):
        Tree(schema, Branch((2, 2), split, [Leaf((1, 1))] * split.n_children))


def test_a_fold_may_build_objects_of_classes():
    twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    assert fold(twig, lambda leaf: leaf.counts, slice) == slice(twig, ((1, 0), (0, 1)))


def test_a_value_that_the_schema_lacks_counts_as_missing_in_conditions():
    known, missing = IsMissing(2).conditions
    assert (missing.pairs, missing.default) == (((Missing(2), known),), True)


@pytest.mark.parametrize("keys", [("<= 0.5", "> 0.7"), ("> 0.5", "<= 0.5"), ("<= x", "> x"), ("<= 0.5", "no")])
def test_the_keys_of_a_threshold_are_of_one_number(keys):
    schema = Schema([Feature("x", "numeric")], "class", ("no", "yes"))
    assert Threshold.from_keys(schema, "x", keys) is None


# Numbers that compiled code and the protocol rely on -----------------------------------------------------------------


@pytest.mark.parametrize("family", [Multiway, Subset])
def test_the_feature_and_the_codes_of_a_split_are_plain_numbers(family):
    split = family(np.int64(2), np.array([0, 2]))
    assert (type(split.feature), split) == (int, family(2, (0, 2)))
    assert all(type(code) is int for code in (split.values if family is Multiway else split.members))
    assert type(Threshold(np.int8(1), np.float32(0.5)).at) is float
    assert type(Threshold(np.int8(1), 0).feature) is type(IsMissing(np.int8(1)).feature) is int


def test_kinds_of_questions_rise_from_a_leaf_to_what_only_the_split_answers():
    assert (LEAF, ABOVE, CODE, BETWEEN, SUM, OPAQUE) == (-1, 0, 1, 2, 3, 4)
    assert Question().kind == LEAF
    assert [table_form(split).kind for split in (None, Threshold(0, 1), Subset(2, (1,)), INTERVALS)] == [
        LEAF,
        ABOVE,
        CODE,
        BETWEEN,
    ]


def test_without_an_answer_a_child_is_minus_one():
    assert UNKNOWN == -1
    assert Threshold(0, 1).child(np.array([nan])).tolist() == GROUPS.child(np.array([-1])).tolist() == [-1]
    assert (Question().other_child, Question().default_child, Question().at, Question().feature) == (-1, -1, 0.0, 0)


@pytest.mark.parametrize("values", [[0.0, 0.1, 0.4, 0.7], [-0.7, -0.4, -0.1, 0.0]])
def test_a_midpoint_that_rounding_moved_below_an_observed_value_is_that_value(values):
    at = (values[1] + values[3]) / 2 if values[0] == 0 else (values[0] + values[2]) / 2
    assert Threshold(0, at).at_observed([np.array(values)]).at in (values[1:3])
    assert Threshold(0, (0.1 + 0.7) / 2).at_observed([np.array([0.0, 0.1, 0.4, 0.7])]) == Threshold(0, 0.4)
    assert Threshold(0, 0.39).at_observed([np.array([0.0, 0.1, 0.4, 0.7])]) == Threshold(0, 0.1)
    assert Threshold(0, -1.0).at_observed([np.array(values)]) == Threshold(0, -1.0)


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1.0, 1e3, 1e9])
def test_rounding_of_a_threshold_is_in_proportion_to_the_values(unit):
    values = np.array([0.1, 0.4, 0.7]) * unit
    moved = Threshold(0, (0.1 * unit + 0.7 * unit) / 2).at_observed([values])
    assert moved.at == values[1]
    assert Threshold(0, 0.3999 * unit).at_observed([values]).at == values[0]


@pytest.mark.parametrize("make", [Multiway, lambda feature, codes: Groups(feature, [codes]), Subset])
def test_a_code_stands_in_a_split_once(make):
    with pytest.raises(ValueError, match=r"distinct|once|two"):
        make(2, (1, 1))


@pytest.mark.parametrize(("arguments", "name"), [((3, tuple), "leaf"), ((tuple, 3), "branch")])
def test_a_fold_names_the_function_that_is_none(arguments, name):
    with pytest.raises(TypeError, match=f"{name} must be a function, got 3"):
        fold(Leaf((1,)), *arguments)


def child_by_question(question, row, otherwise):
    """The child of a row of numbers and codes, NaN where missing, by the table form as `Question` describes it."""
    cell = row[question.feature]
    if question.kind == SUM:
        cell = sum(number * row[term] for term, number in zip(question.terms, question.numbers, strict=True))
    if np.isnan(cell):
        child = UNKNOWN
    elif question.kind == CODE:
        child = dict(zip(question.codes, question.children, strict=True)).get(cell, question.other_child)
    else:
        child = sum(cell > cut for cut in question.numbers) if question.kind == BETWEEN else int(cell > question.at)
    found = [(child, False), *((child_by_question(each, row, UNKNOWN), each.reversed) for each in question.surrogates)]
    return next((1 - child if is_reversed else child for child, is_reversed in found if child >= 0), otherwise)


@given(trees(), st.data())
def test_the_table_form_of_a_split_answers_as_the_split(tree, data):
    dataset = data.draw(datasets(schema=tree.schema, missing=True))
    columns = [np.where(missing_cells(column), nan, column) for column in dataset.columns]
    for node in preorder(tree):
        if isinstance(node, Branch) and (question := table_form(node.split)).kind != OPAQUE:
            expected = node.split.child(*(dataset.columns[feature] for feature in node.split.features))
            rows = zip(*columns, strict=True)
            assert [child_by_question(question, row, question.default_child) for row in rows] == expected.tolist()


@pytest.mark.parametrize(
    "split", [IsMissing(0), WithDefault(Threshold(0, 0.5), default_child=1), WithDefault(Threshold(0, 0.5), default_child=2)]
)
def test_the_table_form_of_a_split_for_missing_values_has_their_child(split):
    question, column = table_form(split), np.array([0.0, 1.0, nan])
    assert [child_by_question(question, [cell], question.default_child) for cell in column] == split.child(column).tolist()


def test_rounding_is_as_large_as_the_largest_value_makes_it():
    for values in ([-1e4, 0.4], [-0.4, 0.4, 1e4]):
        assert Threshold(0, 0.4 - 1e-9).at_observed([np.array(values)]) == Threshold(0, 0.4)
    assert Threshold(0, 0.4 - 1e-9).at_observed([np.array([-0.4, 0.4])]) == Threshold(0, -0.4)


def test_a_condition_in_another_kind_stands_in_parentheses():
    one, other = Between("x", above=1), Missing("y")
    assert str(AnyOf((AllOf((one, other)), other))) == "(x > 1 and y is missing) or y is missing"
    assert str(AllOf((AnyOf((one, other)), other))) == "(x > 1 or y is missing) and y is missing"
    assert (str(AnyOf(())), str(AllOf(()))) == ("false", "true")


def test_a_time_is_written_as_text():
    assert type(format_number(TimeNumber(86400.0, "date"))) is str


@pytest.mark.parametrize("split", [Subset(2, (0,)), GROUPS, Multiway(2, (0, 1)), INTERVALS], ids=repr)
def test_one_value_needs_no_bits_and_more_values_never_fewer(split):
    bits = [split.bits(distinct) for distinct in (1, 2, 3, 4, 9)]
    assert bits[0] == 0
    assert bits == sorted(bits)
