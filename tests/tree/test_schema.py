"""Schemas, features, and the times that numbers stand for."""

import pickle
from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given

from ftree import Branch, Feature, Leaf, Schema, Tree, dnf, latex, rules
from ftree.data.values import TimesInUTC
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


def test_a_feature_is_of_one_of_three_kinds():
    with pytest.raises(ValueError, match="kind must be one of"):
        Feature("age", "real")


def test_a_numeric_feature_lists_no_values():
    with pytest.raises(ValueError, match="values must be empty for a numeric feature, got 2 for 'age'"):
        Feature("age", "numeric", (1, 2))


def test_a_nominal_feature_without_values_is_one_of_which_all_cells_are_missing():
    assert Feature("gone", "nominal").values == ()


def test_values_are_distinct_and_the_message_names_the_feature():
    with pytest.raises(ValueError, match="values of 'sky' must be distinct, got 'a' twice"):
        Feature("sky", "nominal", ("a", "b", "a"))


def test_values_that_python_calls_equal_are_one():
    with pytest.raises(ValueError, match=r"got True twice.*True and 1, count as one"):
        Feature("sky", "nominal", (True, 1))


def test_values_are_hashable():
    with pytest.raises(TypeError, match=r"values of 'sky' must be hashable .* got a list: \['a'\]"):
        Feature("sky", "nominal", (["a"],))


def test_classes_are_distinct_and_hashable():
    with pytest.raises(ValueError, match="classes must be distinct, got 'no' twice"):
        Schema((), "class", ("no", "no"))
    with pytest.raises(TypeError, match="classes must be hashable"):
        Schema((), "class", ([1],))


def test_feature_names_are_distinct():
    with pytest.raises(ValueError, match="features must have distinct names, got 'age' 2 times"):
        Schema((Feature("age", "numeric"), Feature("age", "numeric")), "class", (0, 1))


def test_the_target_is_no_feature():
    with pytest.raises(ValueError, match=r"target must not be the name of a feature, got 'ill'. Leave the feature out"):
        Schema((Feature("ill", "numeric"),), "ill", (0, 1))


def test_an_absent_feature_is_a_key_error_that_lists_the_names():
    with pytest.raises(KeyError, match=r"must be one of 'age', got 'agee'. Did you mean 'age'\?"):
        position(Schema((Feature("age", "numeric"),), "class", (0, 1)), "agee")


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


def test_only_numbers_can_stand_for_times():
    with pytest.raises(ValueError, match="time must be None for a feature that is nominal, got 'date' for 'sky'"):
        Feature("sky", "nominal", "ab", time="date")


def test_times_in_utc_are_listed_as_pythons():
    times = TimesInUTC(np.array(["2020-01-01T12", "NaT"], "M8[us]"))
    first, missing = times
    assert (len(times), first.isoformat(), missing) == (2, "2020-01-01T12:00:00+00:00", None)
    assert np.asarray(times).dtype == np.dtype("M8[us]")
