"""Schemas, features, and the times that numbers stand for."""

import pickle
from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given

from ftree import Branch, Feature, Leaf, Schema, Tree, dnf, latex, rules
from ftree.data.times import TimesInUTC
from ftree.show import holds
from ftree.testing import schemas
from ftree.tree import Threshold
from ftree.tree.formats import TimeNumber
from ftree.tree.schema import is_hashable, names_of, position, unknown_name


@given(schemas())
def test_a_schema_is_hashable_and_survives_pickling(schema):
    copy = pickle.loads(pickle.dumps(schema))  # noqa: S301  # made here
    assert (copy, hash(copy)) == (schema, hash(schema))


@given(schemas())
def test_each_feature_is_found_by_its_name(schema):
    assert [position(schema, name) for name in names_of(schema.features)] == list(range(len(schema.features)))


def test_values_features_and_classes_come_from_any_iterable_and_are_tuples():
    schema = Schema(iter([Feature("size", "ordinal", ["S", "L"])]), "class", {"no": 1, "yes": 2})
    assert schema.features == (Feature("size", "ordinal", ("S", "L")),)
    assert schema.classes == ("no", "yes")


def test_names_are_text_whatever_they_came_as():
    assert Schema([Feature(2019, "numeric")], 5, (0, 1)) == Schema([Feature("2019", "numeric")], "5", (0, 1))


def test_a_nominal_feature_without_values_is_one_of_which_all_cells_are_missing():
    assert Feature("gone", "nominal").values == ()


AGE = Feature("age", "numeric")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Feature("age", "real"), ValueError, "kind must be one of"),
        (lambda: Feature("age", "numeric", (1, 2)), ValueError, "values must be empty for a numeric feature, got 2 for 'age'"),
        (lambda: Feature("sky", "nominal", "aba"), ValueError, "values of 'sky' must be distinct, got 'a' twice"),
        (lambda: Feature("sky", "nominal", (True, 1)), ValueError, r"got True twice.*True and 1, count as one"),
        (lambda: Feature("sky", "nominal", (["a"],)), TypeError, r"values of 'sky' must be hashable .* got a list: \['a'\]"),
        (lambda: Feature("sky", "nominal", "ab", time="date"), ValueError, "time must be None .* nominal, got 'date' for 'sky'"),
        (lambda: Schema((), "class", ("no", "no")), ValueError, "classes must be distinct, got 'no' twice"),
        (lambda: Schema((), "class", ([1],)), TypeError, "classes must be hashable"),
        (lambda: Schema((AGE, AGE), "class", (0, 1)), ValueError, "features must have distinct names, got 'age' 2 times"),
        (lambda: Schema((AGE,), "age", (0, 1)), ValueError, "target must not be .* a feature, got 'age'. Leave the feature out"),
        (lambda: position(Schema((AGE,), "class", (0, 1)), "agee"), KeyError, r"one of 'age', got 'agee'. Did you mean 'age'\?"),
    ],
)
def test_what_no_feature_or_schema_is_is_refused_by_name(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("asked", ["PLAY", "play", " Play ", "plya"])
def test_a_name_in_the_wrong_case_or_with_blanks_or_a_slip_is_recognized(asked):
    assert "Did you mean 'Play'?" in unknown_name(asked, ["Outlook", "Play"])


def test_a_name_like_no_other_gets_the_list_alone():
    assert unknown_name(7, ["age"]) == "The column must be one of 'age', got 7."
    assert unknown_name("age", []) == "The column must be omitted, since there are no columns, got 'age'."


def test_of_many_columns_a_screenful_is_listed():
    message = unknown_name("zzz", [f"x{number}" for number in range(500)])
    assert "'x19', ..." in message
    assert "'x20'" not in message


def test_only_what_can_stand_in_a_set_is_hashable():
    assert [is_hashable(value) for value in (1, "a", None, (1, (2,)), [1], (1, [2]), {})] == [True] * 4 + [False] * 3


def test_a_name_too_deep_for_a_text_is_refused():
    deep = ()
    for _ in range(100_000):  # some Pythons print 20,000
        deep = (deep,)
    with pytest.raises(TypeError, match=r"A name must be a text, or a value that has one, such as a number, got \(\(\("):
        Feature(deep, "numeric")


DAY = 86400.0
SCHEMA = Schema([Feature("born", "numeric", time="date")], "class", ("no", "yes"))
TREE = Tree(SCHEMA, Branch((2, 1), Threshold(0, DAY), (Leaf((2, 0)), Leaf((0, 1)))))


def test_a_tree_reads_as_dates_in_text_rules_and_formulas():
    assert "born <= 1970-01-02" in str(TREE)
    assert "born > 1970-01-02" in str(rules(TREE)[1])
    assert "1970-01-02" in str(dnf(TREE, "yes"))
    assert r"\text{1970-01-02}" in latex(dnf(TREE, "yes"))
    assert [holds(rules(TREE)[1], {"born": born}) for born in (date(1970, 1, 3), datetime(1970, 1, 1))] == [True, False]  # noqa: DTZ001


def test_a_time_number_is_pickled_as_one():
    copy = pickle.loads(pickle.dumps(TimeNumber(DAY, "date")))  # noqa: S301  # the bytes are ours
    assert (copy, copy.time, str(copy)) == (DAY, "date", "1970-01-02")


def test_times_in_utc_are_listed_as_pythons():
    times = TimesInUTC(np.array(["2020-01-01T12", "NaT"], "M8[us]"))
    first, missing = times
    assert (len(times), first.isoformat(), missing) == (2, "2020-01-01T12:00:00+00:00", None)
    assert np.asarray(times).dtype == np.dtype("M8[us]")
