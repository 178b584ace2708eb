"""Trees as nested dictionaries and back."""

from decimal import Decimal

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, from_dict, grow, leaves, to_dict
from ftree.testing import trees
from ftree.tree import Multiway, Subset, Threshold, numbers, walk

SCHEMA = Schema(
    (Feature("sky", "nominal", ("grey", "blue", "red")), Feature("wind", "numeric"), Feature("size", "ordinal", "SML")),
    "class",
    ("no", "yes"),
)
NO, YES = Leaf((1, 0)), Leaf((0, 1))
FISH = Dataset.from_rows(
    [[1, 1], [1, 1], [1, 0], [0, 1], [0, 1]],
    ["yes", "yes", "no", "no", "no"],
    features=["no surfacing", "flippers"],
    kinds="nominal",
)


@given(trees() | trees(response="numbers") | trees(response="events"))
def test_from_dict_of_to_dict_is_the_tree(tree):
    assert from_dict(to_dict(tree, counts=True), tree.schema) == tree


@given(trees())
def test_without_counts_it_is_the_tree_with_one_case_a_leaf(tree):
    """Leaves without cases get the first class, since a dictionary of labels has no counts of ancestors."""
    again = from_dict(to_dict(tree), tree.schema)
    assert [path for path, _ in walk(again)] == [path for path, _ in walk(tree)]
    assert [getattr(node, "split", None) for _, node in walk(again)] == [getattr(node, "split", None) for _, node in walk(tree)]
    for one, other in zip(leaves(again), leaves(tree), strict=True):
        assert sum(one.counts) == 1
        assert one.counts.index(1) == other.counts.index(max(other.counts)) or not any(other.counts)


def test_the_fish_are_those_of_machine_learning_in_action():
    assert to_dict(grow(FISH)) == {"no surfacing": {0: "no", 1: {"flippers": {0: "no", 1: "yes"}}}}
    assert to_dict(grow(FISH), counts=True) == {
        "no surfacing": {
            0: {"no": 2, "yes": 0},
            1: {"flippers": {0: {"no": 1, "yes": 0}, 1: {"no": 0, "yes": 2}}},
        }
    }


def test_thresholds_are_two_keys_and_sets_are_frozen():
    wind = Branch((1, 1), Threshold(1, 0.1), (NO, YES))
    tree = Tree(SCHEMA, Branch((1, 2), Subset(0, (0, 2)), (wind, YES)))
    assert to_dict(tree) == {
        "sky": {frozenset({"grey", "red"}): {"wind": {"<= 0.1": "no", "> 0.1": "yes"}}, frozenset({"blue"}): "yes"}
    }


@pytest.mark.parametrize("at", [0.1 + 0.2, -0.0, 1e-300, 1e300, 3.0, 2.4500000000000002])
def test_a_threshold_is_kept_to_the_last_bit(at):
    tree = Tree(SCHEMA, Branch((1, 1), Threshold(1, at), (NO, YES)))
    assert from_dict(to_dict(tree), SCHEMA) == tree


def test_values_that_are_sets_or_look_like_thresholds_are_values():
    schema = Schema((Feature("bag", "nominal", (frozenset("a"), frozenset("b"), "<= 1", "> 1")),), "class", ("no", "yes"))
    for codes in ((0, 1), (2, 3)):
        tree = Tree(schema, Branch((1, 1), Multiway(0, codes), (NO, YES)))
        assert from_dict(to_dict(tree), schema) == tree


def test_a_leaf_alone_is_its_label_or_its_counts():
    tree = Tree(SCHEMA, Leaf((2, 3.5)))
    assert to_dict(tree) == "yes"
    assert to_dict(tree, counts=True) == {"no": 2, "yes": 3.5}
    assert from_dict("yes", SCHEMA).root == YES
    assert from_dict({"yes": 3.5, "no": 2}, SCHEMA) == tree


def test_a_leaf_of_numbers_is_its_mean_or_its_sums():
    schema = Schema(SCHEMA.features, "mpg", (), response=numbers(10.0, 0.5))
    tree = Tree(schema, Branch((3, 5, 9), Threshold(1, 2.5), (Leaf((2, 5, 9)), Leaf((1, 0, 0)))))
    assert to_dict(tree) == {"wind": {"<= 2.5": 11.25, "> 2.5": 10.0}}
    assert to_dict(tree, counts=True)["wind"]["<= 2.5"] == {"cases": 2, "sum": 5, "squares": 9}
    with pytest.raises(
        ValueError, match=r"A leaf of a regression tree must be a dictionary of cases, sum, squares, .* got 11.25"
    ):
        from_dict(to_dict(tree), schema)
    with pytest.raises(ValueError, match=r"must be a dictionary of cases, sum, squares, .* got \{'sum': 5, 'squares': 9\}"):
        from_dict({"sum": 5, "squares": 9}, schema)


def test_labels_left_out_of_a_leaf_have_no_cases_and_keys_may_come_in_any_order():
    tree = from_dict({"sky": {"red": {"yes": 2}, "grey": {}, "blue": "no"}}, SCHEMA)
    assert tree.root == Branch((1, 2), Multiway(0, (2, 0, 1)), (Leaf((0, 2)), Leaf((0, 0)), NO))


def test_labels_may_be_of_any_type():
    schema = evolve(SCHEMA, classes=(None, True, 7))
    tree = Tree(schema, Branch((1, 1, 1), Multiway(0, (0, 1, 2)), (Leaf((1, 0, 0)), Leaf((0, 1, 0)), Leaf((0, 0, 1)))))
    assert to_dict(tree) == {"sky": {"grey": None, "blue": True, "red": 7}}
    assert from_dict(to_dict(tree), schema) == tree


@pytest.mark.parametrize(
    ("nested", "error", "words"),
    [
        ("maybe", ValueError, r"A label must be one of 'no', 'yes', got 'maybe'"),
        (None, ValueError, "A label must be .*, got None"),
        (["no"], ValueError, r"A leaf must be a label, or a dictionary of labels to cases, got \['no'\]"),
        ({"no": 1, "maybe": 2}, ValueError, "one of 'no', 'yes', got 'maybe'"),
        ({"no": "three"}, ValueError, "counts must be numbers from 0"),
        ({"sky": "grey"}, ValueError, "one of 'no', 'yes', got 'sky'"),
        ({"sky ": {"grey": "no", "blue": "yes"}}, KeyError, "got 'sky '. Did you mean 'sky'"),
        ({"sky": {"grey": "no", "pink": "yes"}}, ValueError, "A value of 'sky' must be one of .*, got 'pink'"),
        ({"sky": {}}, ValueError, r"a dictionary with one key, .* got the keys \['sky'\]"),
        ({"sky": {"grey": "no"}, "wind": {"<= 1": "no", "> 1": "yes"}}, ValueError, r"got the keys \['sky', 'wind'\]"),
        (
            {"wind": {"<= 1": "no", "> 2": "yes"}},
            ValueError,
            r"Keys of the numeric feature 'wind' must be .*, got \['<= 1', '> 2'\]",
        ),
        ({"wind": {"> 1": "no", "<= 1": "yes"}}, ValueError, "numeric feature 'wind' must be"),
        ({"wind": {"<= low": "no", "> low": "yes"}}, ValueError, "numeric feature 'wind' must be"),
        ({"wind": {1.0: "no", 2.0: "yes"}}, ValueError, r"got \[1.0, 2.0\]"),
        ({"wind": {"<= 1_0": "no", "> 1_0": "yes"}}, ValueError, "numeric feature 'wind' must be"),
        ({"wind": {"<=  1": "no", ">  1": "yes"}}, ValueError, "numeric feature 'wind' must be"),
        ({"wind": {"(-inf, 1_0]": "no", "(1_0, inf)": "yes"}}, ValueError, "numeric feature 'wind' must be"),
        (Decimal("sNaN"), ValueError, "A leaf must be a label, or a dictionary of labels to cases, got Decimal"),
        (([],), ValueError, "A leaf must be a label, or a dictionary of labels to cases, got"),
        ({"no": 10**400}, ValueError, "counts must be numbers from 0"),
        ({"wind": {"<= nan": "no", "> nan": "yes"}}, ValueError, "at must be a finite number"),
        ({"sky": {"<= 1": "no", "> 1": "yes"}}, ValueError, "A value of 'sky' must be one of .*, got '<= 1'"),
        ({"size": {"<= 7": "no", "> 7": "yes"}}, ValueError, "codes of 'size' must be at least 0 and below 3"),
        (
            {"sky": {frozenset({"grey"}): "no", frozenset({"grey", "blue", "red"}): "yes"}},
            ValueError,
            "must be two sets that divide all values",
        ),
        ({"sky": {frozenset({"grey"}): "no", "blue": "yes"}}, ValueError, "A value of 'sky' must be one of"),
    ],
)
def test_a_dictionary_that_is_no_tree_is_refused(nested, error, words):
    with pytest.raises(error, match=words):
        from_dict(nested, SCHEMA)
    with pytest.raises(error, match=words):
        from_dict({"size": {"S": "no", "M": nested if nested is not None else {None: 1}}}, SCHEMA)


@pytest.mark.parametrize("splits", [Threshold(0, 0.5), (Threshold(0, 0.5),), ("Threshold",), np.array(1)])
def test_types_of_ones_own_must_be_types(splits):
    with pytest.raises(TypeError, match="splits must be a sequence of split types, such as"):
        from_dict("no", SCHEMA, splits=splits)


@pytest.mark.parametrize(
    "fields",
    [
        (),
        ("fields", "feature"),
        ("fields", ("feature",)),
        ("fields", ("feature", 0, 1)),
        ("fields", (0, 0)),
        ("fields", ("split", ("fields", ("feature", 0)))),
        ("fields", ("split", ("fields", ("type", ()), ("feature", 0)))),
        (".fields", ("feature", 0)),
        "feature",
        None,
    ],
)
def test_fields_that_make_no_split_are_refused(fields):
    nested = {(("type", "IsMissing"), ("sky",), fields): {"sky is missing": "no", "sky is known": "yes"}}
    with pytest.raises(ValueError, match=r"^(Fields of IsMissing|A split) must be .*, got "):
        from_dict(nested, SCHEMA)
