"""Names and keys of splits in nested dictionaries."""

import pytest
from flower_trees import CUT, GROUPED, IRIS, ROSE, SAFE, SCHEMA, tree_of

import ftree as ft
from ftree.exchange.split_keys import keys_of, split_of_keys
from ftree.tree import Groups, Intervals, Oblique, Threshold, WithSurrogates


def test_dictionaries_name_groups_by_tuples_and_intervals_by_their_ends():
    assert ft.to_dict(GROUPED) == {"colour": {("red", "pink"): "rose", ("white",): "lily"}}
    assert ft.to_dict(CUT) == {"length": {"(-inf, 2.45]": "rose", "(2.45, 4.75]": "iris", "(4.75, inf)": "lily"}}
    width = ("width", ("<= 0.8", "> 0.8"), 0, 0.94, 0.75)
    colour = ("colour", (frozenset({"white"}), frozenset({"blue", "red", "pink"})), 1, 0.9, 1.0)
    assert ft.to_dict(SAFE) == {("length", (width, colour), None): {"<= 2.5": "rose", "> 2.5": "iris"}}


@pytest.mark.parametrize(
    "split", [Intervals(0, (2.5,)), Intervals(3, (0.5,)), Groups(2, ((0, 1), (2, 3))), WithSurrogates(Threshold(3, 1))]
)
def test_a_split_that_answers_as_another_kind_does_comes_back_as_its_own(split):
    tree = tree_of(split, ROSE, IRIS)
    assert ft.from_dict(ft.to_dict(tree, counts=True), SCHEMA) == tree


def test_intervals_may_be_written_by_hand():
    assert ft.from_dict({"length": {"(-inf, 2]": "rose", "(2, 3]": "iris", "(3, inf]": "lily"}}, SCHEMA).root.split == Intervals(
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
        ({"colour": {("white", "red"): "rose", "pink": "iris"}}, ValueError, r"'colour' must be .*, got \('white', 'red'\)"),
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
        ft.from_dict(nested, SCHEMA)


def test_a_sum_is_read_from_its_keys_and_from_no_others():
    schema = ft.Schema([ft.Feature("x", "numeric"), ft.Feature("y", "numeric")], "class", ("no", "yes"))
    keys = (("y", -0.5), ("x", 2.0)), ("<= 1.5", "> 1.5")
    assert split_of_keys(schema, *keys) == Oblique((2.0, -0.5), 1.5)
    assert split_of_keys(schema, *keys_of(schema, Oblique((0.0, 3.0), -1.0))) == Oblique((0.0, 3.0), -1.0)
    assert split_of_keys(schema, "x", keys[1]) == Threshold(0, 1.5)
    for name, below in ((keys[0], ("<= 1.5", "> 2")), ((("x", 1.0, 2.0),), keys[1]), (("x",), keys[1]), ((["x", 1.0],), keys[1])):
        with pytest.raises(ValueError, match="A weighted sum must be"):
            split_of_keys(schema, name, below)
