"""Conditions as logic: what holds of rows, of two at once, and which numbers satisfy one."""

from itertools import pairwise
from math import inf, nan

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, latex, predict, rules
from ftree.data.matching import fits, matching
from ftree.exchange import to_python
from ftree.testing import check_split
from ftree.tree.conditions import (
    AllOf,
    AnyOf,
    Between,
    FirstKnown,
    Missing,
    NoneOf,
    Not,
    OneOf,
    Opaque,
    SumBetween,
    Worded,
    features_of,
)
from ftree.tree.logic import OneRow, both, intervals_of, satisfied, subject_of

SKIES = ("grey", "blue", None)
NUMBERS = st.integers(-2, 4).map(lambda n: n / 2)
ENDS = st.tuples(NUMBERS | st.just(-inf), NUMBERS | st.just(inf))


def on_a_number(name):
    between = ENDS.map(lambda ends: Between(name, *ends))
    listed = st.lists(NUMBERS, max_size=2).map(tuple)
    return between | st.just(Missing(name)) | st.builds(OneOf, st.just(name), listed) | st.builds(NoneOf, st.just(name), listed)


def on_a_sky():
    listed = st.lists(st.sampled_from(SKIES), max_size=3).map(tuple)
    known = listed.map(lambda values: tuple(value for value in values if value))
    return st.builds(OneOf, st.just("sky"), listed) | st.builds(NoneOf, st.just("sky"), known) | st.just(Missing("sky"))


def made_of(parts):
    """Conditions made of others."""

    def of_some(inner):
        several = st.lists(inner, max_size=3)
        opposites = st.tuples(inner, inner).map(lambda two: (two[0], AllOf((Not(two[0]), two[1]))))
        pairs = st.lists(opposites, min_size=1, max_size=3)
        texts = st.builds(Worded, inner, st.just("as it is"))
        return (
            several.map(AllOf) | several.map(AnyOf) | inner.map(Not) | st.builds(FirstKnown, pairs, default=st.booleans()) | texts
        )

    return st.recursive(parts, of_some, max_leaves=6)


SUMS = ENDS.map(lambda ends: SumBetween(("x", "y"), (1.0, -0.5), *ends))
ROWS = st.fixed_dictionaries({"x": NUMBERS | st.none(), "y": NUMBERS | st.none(), "sky": st.sampled_from(SKIES)})


def holds(stated, row):
    """Whether a condition holds for a row: the definition."""
    match stated:
        case AllOf(parts):
            return all(holds(each, row) for each in parts)
        case AnyOf(parts):
            return any(holds(each, row) for each in parts)
        case Not(inner):
            return not holds(inner, row)
        case Worded(inner):
            return holds(inner, row)
        case FirstKnown(pairs, default):
            known = (holds(one, row) for one, other in pairs if holds(one, row) or holds(other, row))
            return next(known, default)
    return holds_of_values(stated, row)


def holds_of_values(stated, row):
    values = [row[name] for name in features_of(stated)]
    match stated:
        case Missing():
            return values[0] is None
        case OneOf(_, listed):
            return values[0] in listed
        case NoneOf(_, listed):
            return values[0] is not None and values[0] not in listed
    if None in values:
        return False
    total = values[0] if isinstance(stated, Between) else values[0] - 0.5 * values[1]
    return stated.above < total <= stated.at_most


@given(made_of(on_a_number("x") | on_a_sky() | SUMS), st.lists(ROWS, min_size=1, max_size=5))
def test_a_condition_holds_for_a_row_as_its_parts_do(stated, rows):
    assert [fits(stated, row) for row in rows] == [holds(stated, row) for row in rows]


@given(made_of(ENDS.map(lambda ends: Between("x", *ends)) | on_a_sky() | SUMS), st.lists(ROWS, min_size=1, max_size=5))
def test_it_holds_for_the_rows_of_a_table_for_which_it_holds_one_by_one(stated, rows):
    schema = Schema(
        [Feature("x", "numeric"), Feature("y", "numeric"), Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes")
    )
    columns = [[nan if row[name] is None else row[name] for row in rows] for name in ("x", "y")]
    skies = np.array([-1 if row["sky"] is None else ("grey", "blue").index(row["sky"]) for row in rows], np.int8)
    table = Dataset(schema, (*map(np.array, columns), skies), np.zeros(len(rows), np.int8))
    assert matching(stated, table).tolist() == [fits(stated, row) for row in rows]


@given(on_a_sky(), on_a_sky(), ROWS)
def test_two_conditions_at_once_hold_where_both_do(one, other, row):
    found = both(one, other)
    assert (found is not None and fits(found, row)) == (fits(one, row) and fits(other, row))


@given(on_a_number("x"), on_a_number("x"), ROWS)
def test_so_do_two_conditions_on_a_number(one, other, row):
    found = both(one, other)
    assert (found is not None and fits(found, row)) == (fits(one, row) and fits(other, row))


def test_intervals_that_touch_have_no_number_in_common_and_are_one():
    below, above = Between("x", at_most=1.0), Between("x", above=1.0)
    assert (both(below, above), intervals_of(AnyOf((below, above)))) == (None, [(-inf, inf)])


@given(made_of(on_a_number("x")), NUMBERS)
@example(AnyOf((Between("x", 0.0, 2.0), Between("x", 0.5, 1.0))), 1.5)  # one interval in another
def test_the_numbers_that_satisfy_a_condition_are_intervals_that_do_not_meet(stated, number):
    found = intervals_of(stated)
    assert any(above < number <= at_most for above, at_most in found) == satisfied(stated, OneRow({"x": number}))
    assert all(low < high for low, high in found)
    assert all(low[1] < high[0] for low, high in pairwise(found))


OPAQUE = Opaque(None, 0, "the model says left")


@pytest.mark.parametrize("stated", [SumBetween(("x",), (1.0,)), OPAQUE])
def test_no_intervals_are_known_of_what_asks_no_feature_alone(stated):
    assert intervals_of(AnyOf((Between("x"), Not(stated)))) is None


def test_a_text_stays_while_its_condition_says_it_all():
    told, blue = Worded(OneOf("sky", ("grey", "blue")), "there is a sky"), OneOf("sky", ("blue",))
    assert both(told, NoneOf("sky")) == told
    assert both(told, blue) == both(blue, told) == blue
    assert both(told, evolve(told, text="grey or blue")).text == "grey or blue"
    assert subject_of(told) == "sky"


def test_an_opaque_condition_asks_the_features_of_its_split():
    assert features_of(Not(Opaque(Outside(2, 0.0, 1.0), 0, "outside"))) == (2,)


def test_an_opaque_condition_needs_its_columns():
    with pytest.raises(TypeError, match="An opaque condition must be asked of a dataset, got 'the model says left'"):
        satisfied(OPAQUE, OneRow({}))


@frozen
class Outside:
    """A user's split of numbers outside an interval and inside it, stated by opposites."""

    feature: int
    above: float
    at_most: float
    n_children = 2

    @property
    def features(self):
        return (self.feature,)

    @property
    def conditions(self):
        inside = Between(self.feature, self.above, self.at_most)
        return AllOf((Not(Missing(self.feature)), Not(inside))), inside

    def child(self, column):
        return np.where(np.isnan(column), -1, (column > self.above) & (column <= self.at_most))


def test_a_split_stated_by_opposites_is_a_split():
    check_split(st.just(Outside(0, -0.5, 1.0)), Schema([Feature("x", "numeric")], "ride", ("no", "yes")))


@given(st.lists(NUMBERS, min_size=1, max_size=5))
def test_opposites_are_printed_and_exported(numbers):
    schema = Schema([Feature("x", "numeric")], "ride", ("no", "yes"))
    tree = Tree(schema, Branch((1, 2), Outside(0, -0.5, 1.0), (Leaf((1, 0)), Leaf((0, 2)))))
    assert str(rules(tree)[0]) == "if not (x is missing) and not (-0.5 < x <= 1) then no"
    assert str(latex(rules(tree)[0])) == r"(\lnot (\text{x is missing}) \land \lnot (-0.5 < \text{x} \le 1))"
    made = {}
    exec(to_python(tree), made)  # noqa: S102  # this source is under test
    assert [made["predict"]([number]) for number in numbers] == predict(tree, [[number] for number in numbers])
