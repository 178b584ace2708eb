"""Trees as JSON and back: the result is equal, at any depth, and follows the published form."""

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st
from published_form import FORM, written_and_read
from saved_examples import NO, NUMBERS, RULES, XY, YES, Below, tree_with

import ftree as ft
from ftree import prune
from ftree.exchange import to_python
from ftree.responses import events
from ftree.testing import chain, trees
from ftree.tree import Threshold, WithDefault, exact_sums, numbers


def leaf_of(*classes):
    return ft.Tree(ft.Schema((), "class", classes), ft.Leaf([1] * len(classes)))


@given(trees() | trees(response="numbers") | trees(response="events"), st.sampled_from(RULES))
def test_from_json_of_to_json_is_the_tree_with_its_rule(tree, rule):
    tree = evolve(tree, missing=rule)
    again = written_and_read(tree)
    assert again == tree
    assert repr(again.root) == repr(tree.root)


def test_decisions_and_responses_without_an_option_are_read():
    header = json.loads(ft.to_json([prune.Decision((), (2, 1)), prune.Decision((0,), (2, 0), as_leaf=0.5, done="cut")]))
    del header["decisions"]["as_leaf"], header["decisions"]["done"]
    assert ft.from_json(json.dumps(header)) == (prune.Decision((), (2, 1)), prune.Decision((0,), (2, 0)))
    tree = ft.grow(ft.Dataset.from_rows([[1], [2]], [0, 2], response=events()), ft.CART)
    header = json.loads(ft.to_json(tree))
    del header["tree"]["schema"]["response"]["exposure"]
    FORM.validate(header)
    assert ft.from_json(json.dumps(header)) == tree


def _typed(label):
    """The text of a label and of its members; a set's are sorted, since its order differs between processes."""
    if isinstance(label, frozenset):
        return sorted(map(str, map(_typed, label)))
    return type(label), repr(label)


@pytest.mark.parametrize(
    "label",
    [
        *["", 'é\n"\\\x00', 0, -1, 2**70, 10**400, True, None, 0.1, -0.0, 1e308, 5e-324, inf, -inf, ("a", (1, None)), b"\xff"],
        *[
            date(2020, 1, 31),
            datetime.fromisoformat("2020-01-01T12:30:00.000005"),
            datetime(2020, 1, 1, tzinfo=UTC),
            time(12, 30),
            timedelta(-1, 5, 7),
        ],
        *[Decimal("1.50"), Fraction(-1, 3), frozenset({"b", "a", 1}), frozenset({frozenset()})],
        *[np.datetime64("2020-01-31"), np.datetime64(5, "25s"), np.timedelta64(7, "h")],
    ],
    ids=lambda label: type(label).__name__,
)
def test_labels_and_values_keep_their_types(label):
    values = ft.Feature("f", "nominal", (label, "other"))
    tree = ft.Tree(ft.Schema([values], "class", ("other", label)), ft.Leaf((1, 2)))
    again = written_and_read(tree)
    assert _typed(again.schema.classes[1]) == _typed(label) == _typed(again.schema.features[0].values[0])
    assert again == tree


@given(st.permutations(range(0, 256, 32)))
def test_a_set_is_written_in_one_order(members):
    """Python iterates over equal sets in different orders, which depend on how they were made, and on the process."""
    assert ft.to_json(leaf_of(frozenset(members), "b")) == ft.to_json(leaf_of(frozenset(sorted(members)), "b"))


@pytest.mark.parametrize(("label", "plain"), [(np.int64(3), 3), (np.float32(0.5), 0.5), (np.True_, True), (np.str_("a"), "a")])
def test_labels_of_numpy_are_those_of_python(label, plain):
    (again, *_) = written_and_read(leaf_of(label, "b")).schema.classes
    assert type(again) is type(plain)
    assert again == plain


def test_classes_that_python_tells_apart_by_type_only_are_kept_apart():
    assert [type(each) for each in written_and_read(leaf_of("1", 1, 0.0, date(1, 1, 1))).schema.classes] == [
        str,
        int,
        float,
        date,
    ]


@pytest.mark.parametrize(
    "counts", [(3, 0.1 + 0.2), (Fraction(1, 3), np.int8(7)), (2**70, 1e-300), (10**99, 7 * 10**98), (np.float32(0.1), 0)]
)
def test_counts_are_exact(counts):
    leaf = ft.Leaf(counts)
    again = written_and_read(ft.Tree(ft.Schema((), "class", (0, 1)), leaf)).root
    assert repr(again) == repr(leaf)


def test_sums_of_numbers_are_exact_at_any_size():
    tree = ft.Tree(NUMBERS, ft.Leaf((0.5, 3**70, 2**300 + 1)))
    again = written_and_read(tree)
    assert (again, repr(again.root), repr(again.schema)) == (tree, repr(tree.root), repr(tree.schema))
    assert ft.from_dict(ft.to_dict(tree, counts=True, schema=True)) == tree


@frozen
class Above:
    """A response of one's own: numbers above a limit."""

    limit: float
    kind, channels = "numbers above", ("cases", "sum", "squares")

    def add(self, values):
        above = np.maximum(values - self.limit, 0.0)
        return above, above**2

    def answer(self, cases, total, _):
        return total / np.maximum(cases, 1)

    def loss(self, answer, cases, total, squares):
        return cases * answer**2 - 2 * answer * total + squares


@frozen
class Clash(Above):
    """A response with a field of a name that JSON needs."""

    grids: int = 1


def test_a_response_of_ones_own_is_written_by_its_name_and_read_where_it_is_named():
    tree = ft.grow(ft.Dataset.from_rows([[1], [2]], [0.5, 2.5], response=Above(1.0)), ft.CART)
    text = ft.to_json(tree)
    assert written_and_read(tree, parts=(Above,)) == tree
    with pytest.raises(ValueError, match=r"A program must be of .* or of linear models, got one of"):
        to_python(tree)
    with pytest.raises(ValueError, match=r"or in ftree.responses or parts=\(...\), with grids and a part, got"):
        ft.from_json(text)
    with pytest.raises(ValueError, match="The response must be an object with the keys type, grids, part, limit, got"):
        ft.from_json(text.replace('"limit"', '"least"'), parts=(Above,))
    for own in (exact_sums(Clash(1.0)), Subclass()):
        with pytest.raises(TypeError, match=r"response must be that of .*, to be written, got"):
            ft.to_json(ft.Tree(ft.Schema((), "mpg", (), response=own), ft.Leaf((1, 2, 4)[: len(own.channels)])))


@frozen
class Subclass(numbers):
    """A response of another type."""


@pytest.mark.parametrize("time", ["date", "datetime", "datetime in UTC", "time of day", "duration"])
def test_times_are_kept(time):
    tree = ft.Tree(
        ft.Schema([ft.Feature("when", "numeric", time=time)], "class", ("no", "yes")),
        ft.Branch((1, 1), Threshold(0, 0.1), (NO, YES)),
    )
    assert written_and_read(tree).schema.features[0].time == time
    assert ft.from_dict(ft.to_dict(tree, counts=True, schema=True)) == tree


def test_splits_inside_splits_come_back():
    inner = WithDefault(Threshold(0, 0.5), default_child=1)
    tree = ft.Tree(XY, ft.Branch((1, 1), WithDefault(inner, default_child=0), (NO, YES)))
    assert written_and_read(tree) == tree


def test_a_tree_of_any_depth_comes_back():
    deep = chain(3000)
    assert ft.from_json(ft.to_json(deep)) == deep


class Written:
    """A user's split that defines its written form."""

    features, n_children, conditions = (0,), 2, Threshold(0, 0.5).conditions

    def __init__(self, *marks):
        self.marks = marks

    def child(self, column):
        return Threshold(0, 0.5).child(column)

    def to_fields(self):
        return {f"mark{n}": mark for n, mark in enumerate(self.marks)}

    @classmethod
    def from_fields(cls, fields):
        return cls(*fields.values())

    def __eq__(self, other):
        return self.marks == other.marks

    __hash__ = None


@pytest.mark.parametrize("note", [None, "é", (1, ("a", None)), inf, True, Fraction(1, 3)])
def test_a_split_of_ones_own_comes_back_where_it_is_named(note):
    tree = tree_with(Below(0, 0.5, note=note), Below(1, 1.5, note=note))
    assert written_and_read(tree, splits=(Below,)) == tree
    with pytest.raises(
        ValueError, match=r"must be of one of the types .*, got 'Below'. Pass your own types as splits=\(Below,\)"
    ):
        ft.from_json(ft.to_json(tree))


def test_a_split_that_says_how_it_is_written_comes_back():
    for tree in (tree_with(Written(1, "a"), Written(2, None)), tree_with(Written())):
        assert written_and_read(tree, splits=[Written]) == tree


def test_a_split_of_two_forms_or_of_a_dict_and_two_types_of_one_name_are_refused():
    with pytest.raises(TypeError, match=r"to_fields\(\) of Written must have the same names for each split"):
        ft.to_json(tree_with(Written(1), Written(1, 2)))
    other = frozen(type("Threshold", (Threshold,), {}))
    with pytest.raises(TypeError, match=r"A value must be None, a bool, .*, got \{'date': 'today'\}"):
        ft.to_json(tree_with(Written({"date": "today"})))  # not a split inside, which has a type
    with pytest.raises(TypeError, match="Split types must have distinct names, got two of the name Threshold"):
        ft.to_json(tree_with(Threshold(0, 0.5), other(0, 0.5)))
    with pytest.raises(ValueError, match="splits must have distinct names, got two of the name Threshold"):
        ft.from_json("", splits=(other, Threshold))


def test_a_type_that_makes_no_split_is_refused():
    text = ft.to_json(tree_with(Written())).replace("Written", "dict")
    with pytest.raises(ValueError, match=r"The split of node 0 must be a split with 2 children, as n_children says, got \{\}"):
        ft.from_json(text, splits=[dict])
    with pytest.raises(TypeError, match="splits must be a sequence of split types"):
        ft.from_json(text, splits=(3,))


@pytest.mark.parametrize(
    ("label", "error", "words"),
    [
        (1j, TypeError, r"A value must be None, a bool, .*, got 1j"),
        (np.longdouble(1) / 3, TypeError, "A value must be None, a bool"),
        (st, TypeError, "A value must be None, a bool"),
        (nan, ValueError, "The classes must be equal to themselves, got nan"),
        ("\ud800", ValueError, "Text must be Unicode without single surrogates"),
        (10**5000, ValueError, "value must be of whole numbers with at most 4300 digits"),
    ],
    ids=["complex", "long double", "module", "NaN", "surrogate", "long"],
)
def test_labels_that_json_cannot_keep_are_refused(label, error, words):
    with pytest.raises(error, match=words):
        ft.to_json(leaf_of(label))


def test_a_part_with_a_value_that_is_not_equal_to_itself_is_refused():
    with pytest.raises(ValueError, match=r"A value must be equal to itself, got NaN"):
        ft.to_json(Above(np.nan))
