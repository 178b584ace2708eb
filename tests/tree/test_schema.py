"""Features and schemas: names, kinds and values that fit together, and helpful messages."""

import pickle

import pytest
from hypothesis import given

from ftree import Feature, Schema
from ftree.testing import schemas
from ftree.tree.schema import is_hashable, names, position, unknown_name


@given(schemas())
def test_a_schema_is_hashable_and_survives_pickling(schema):
    copy = pickle.loads(pickle.dumps(schema))  # noqa: S301  # made here
    assert (copy, hash(copy)) == (schema, hash(schema))


@given(schemas())
def test_each_feature_is_found_by_its_name(schema):
    assert [position(schema, name) for name in names(schema.features)] == list(range(len(schema.features)))


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


@pytest.mark.parametrize("classes", [["no", "yes"], iter(["no", "yes"]), "ny"])
def test_a_schema_of_any_sequences_is_a_key(classes):
    schema = Schema([Feature("size", "ordinal", ["S", "L"])], "class", classes)
    assert isinstance(schema.classes, tuple)
    assert hash(schema) == hash(Schema(schema.features, "class", schema.classes))


def test_a_name_too_deep_for_a_text_is_refused():
    deep = ()
    for _ in range(5000):
        deep = (deep,)
    with pytest.raises(TypeError, match=r"A name must be a text, or a value that has one, such as a number, got \(\(\("):
        Feature(deep, "numeric")
