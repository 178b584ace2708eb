"""Rows to predict in every form: their columns, their number, and whether they are a single row."""

import re
import warnings
from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, Feature, Schema
from ftree.data import cells_of, columns_of
from ftree.data.labelled import as_dataset
from ftree.data.rows import given_columns

SCHEMA = Schema([Feature("age", "numeric"), Feature("sky", "nominal", ("grey", "blue"))], "ill", ("no", "yes"))
ONE = Schema([Feature("age", "numeric")], "ill", ("no", "yes"))
RECORDS = np.array([(20.0, "grey", 1), (60.0, "blue", 2)], dtype=[("age", float), ("sky", "U4"), ("more", int)])
FRAME = pd.DataFrame({"sky": ["grey", "blue"], "more": [1, 2], "age": [20.0, 60.0]})
ALL, FIRST = ([20.0, 60.0], ["grey", "blue"]), ([20.0], ["grey"])

FORMS = {
    "lists": ([[20.0, "grey"], [60.0, "blue"]], ALL, False),
    "tuples": (((20.0, "grey"), (60.0, "blue")), ALL, False),
    "dicts": ([{"sky": "grey", "age": 20.0}, {"age": 60.0, "sky": "blue", "ill": "no"}], ALL, False),
    "dicts without a value": ([{"sky": "grey"}, {"age": 60.0}], ([None, 60.0], ["grey", None]), False),
    "columns": ({"sky": ["grey", "blue"], "age": [20.0, 60.0], "more": [1, 2]}, ALL, False),
    "one column is a list": ({"sky": ["grey"], "age": np.array([20.0])}, FIRST, False),
    "all columns are arrays": ({"sky": np.array(["grey"]), "age": np.array([20.0])}, FIRST, False),
    "arrow columns": ({"sky": pa.array(["grey", "blue"]), "age": pa.array([20.0, 60.0])}, ALL, False),
    "objects": (np.array([[20.0, "grey"], [60.0, "blue"]], dtype=object), ALL, False),
    "arrays": ([np.array([20.0, "grey"], dtype=object), np.array([60.0, "blue"], dtype=object)], ALL, False),
    "records": (RECORDS, ALL, False),
    "frame": (FRAME, ALL, False),
    "arrow": (pa.table(FRAME), ALL, False),
    "list of records": (list(RECORDS), ALL, False),
    "list of series": ([row for _, row in FRAME.iterrows()], ALL, False),
    "no rows": ([], ([], []), False),
    "no rows of an array": (np.zeros((0, 2)), ([], []), False),
    "a list": ([20.0, "grey"], FIRST, True),
    "a tuple": ((20.0, "grey"), FIRST, True),
    "a dict": ({"sky": "grey", "age": 20.0}, FIRST, True),
    "an empty dict": ({}, ([None], [None]), True),
    "an array": (np.array([20.0, "grey"], dtype=object), FIRST, True),
    "a record": (RECORDS[0], FIRST, True),
    "a record without dimensions": (RECORDS[0:1].reshape(()), FIRST, True),
    "a series": (FRAME.iloc[0], FIRST, True),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_every_form_are_columns_in_the_order_of_the_schema(form):
    rows, wanted, single = FORMS[form]
    columns, n, is_single = given_columns(SCHEMA, rows)
    assert ([column.tolist() for column in columns], n, is_single) == (list(wanted), len(wanted[0]), single)
    cells, n, is_single = cells_of(SCHEMA, rows)
    assert (cells, n, is_single) == (list(map(list, wanted)), len(wanted[0]), single)
    coded, n, is_single = columns_of(SCHEMA, rows)
    codes = [-1 if value is None else ("grey", "blue").index(value) for value in wanted[1]]
    assert (coded[1].tolist(), n, is_single) == (codes, len(wanted[0]), single)


def test_names_that_are_numbers_are_texts_in_rows_as_in_frames():
    frame = pd.DataFrame({0: [1.0, 2.0], 2020: ["a", "b"]})
    schema = Schema([Feature("0", "numeric"), Feature("2020", "nominal", ("a", "b"))], "y", ("n",))
    rows = [{0: 1.0, 2020: "a"}, {0: 2.0, 2020: "b"}]
    for form in (frame, rows, frame.to_dict("list"), [row for _, row in frame.iterrows()]):
        (numbers, codes), n, _ = columns_of(schema, form)
        assert (numbers.tolist(), codes.tolist(), n) == ([1.0, 2.0], [0, 1], 2)
    assert [column.tolist() for column in columns_of(schema, rows[1])[0]] == [[2.0], [1]]


def test_a_row_of_one_value_is_a_row():
    for rows, single in (
        ([20.0], True),
        ([[20.0]], False),
        (np.array([20.0]), True),
        (np.array([[20.0]]), False),
        ([np.float64(20)], True),
    ):
        columns, n, is_single = given_columns(ONE, rows)
        assert (list(np.asarray(columns[0])), n, is_single) == ([20.0], 1, single)
    assert given_columns(ONE, [np.array(20.0)])[2] is True


@pytest.mark.parametrize(
    "column",
    [[None, "?"], np.array(["NaT"] * 2, "M8[s]"), pd.Series([None, pd.NA]), pa.nulls(2)],
    ids=lambda each: type(each).__name__,
)
def test_a_column_without_a_value_is_missing_whatever_its_type(column):
    table = {"age": column, "ill": ["no", "yes"]}
    for read in (columns_of(ONE, table)[0], as_dataset(ONE, table).columns, Dataset.from_frame(table, kinds="numeric").columns):
        assert np.isnan(read[0]).tolist() == [True, True]


def refusal(text):
    return f"^{re.escape(text)}"


NUMBERS = Schema([Feature("size", "nominal", (1, 2)), Feature("well", "nominal", (False, True))], "ill", ("no", "yes"))


@pytest.mark.parametrize(
    ("column", "got"),
    [
        (["a", "b"], "text"),
        (np.array(["one", "two"]), "text"),
        ([date(2020, 1, 1)] * 2, "dates"),
        (np.array(["2020-01-01"] * 2, "M8[D]"), "dates"),
        (np.array([1, 2], "m8[s]"), "durations"),
        ([("a",), "b"], "other values and text"),
    ],
    ids=repr,
)
def test_a_column_whose_values_are_all_of_another_type_is_refused(column, got):
    wanted = f"Values of 'size' must be numbers, such as 1, got {got}. Convert the column."
    with pytest.raises(ValueError, match=f"{refusal(wanted)}$"):
        given_columns(NUMBERS, {"size": column, "well": [True, False]})
    for right in (np.array([1, 3]), np.array(["1", "2"]), ["a", 1], [None, None], [True, False], np.array([True, False])):
        assert given_columns(NUMBERS, {"size": right, "well": np.array([0, 1])})[1] == 2


@given(
    st.lists(
        st.booleans() | st.integers(0, 3) | st.sampled_from(["True", "1", "low", "2.0"]) | st.just(2.5), min_size=1, unique=True
    )
)
def test_a_value_stands_for_itself_first_and_else_for_the_only_one_that_prints_alike(values):
    """In rows of every form, alike."""
    feature = Feature("x", "nominal", values)
    schema = Schema([feature, Feature("y", "numeric")], "z", (0, 1))
    assert columns_of(schema, [["unheard of", 1]])[0][0].tolist() == [-1]
    for value in [*values, *map(str, values)]:
        alike = [str(own) for own in feature.values].index(str(value))
        wanted = feature.values.index(value) if value in feature.values else alike
        described = evolve(schema, features=[Feature("x", "nominal", (value,)), schema.features[1]])
        frame, named = pd.DataFrame({"x": pd.Series([value], dtype=object), "y": [1]}), {"x": value, "y": 1}
        for rows in ([value, 1], [[value, 1]], named, [named], frame, Dataset(described, [np.zeros(1, int), np.zeros(1)], [0])):
            assert columns_of(schema, rows)[0][0].tolist() == [wanted]


def test_a_text_like_which_several_values_print_is_refused():
    class Small:
        __str__ = __repr__ = lambda _: "small"

    schema = Schema([Feature("size", "nominal", (Small(), Small(), 3))], "ill", (0, 1))
    assert columns_of(schema, [[schema.features[0].values[1]], ["3"]])[0][0].tolist() == [1, 2]
    with pytest.raises(ValueError, match="'size' must match one value, got 'small', which matches small, small"):
        columns_of(schema, ["small"])


def test_labelled_rows_of_every_form_are_a_dataset():
    wanted = Dataset.from_rows(
        [[20.0, "grey"], [60.0, "blue"]], ["no", "yes"], features=["age", "sky"], target="ill", kinds={"sky": ("grey", "blue")}
    )
    labelled = FRAME.assign(ill=["no", "yes"])
    for table in (labelled, labelled.to_dict("records"), labelled.to_dict("list"), pa.table(labelled)):
        found = as_dataset(SCHEMA, table)
        assert [column.tolist() for column in found.columns] == [column.tolist() for column in wanted.columns]
        assert (found.schema, found.target_column.tolist()) == (SCHEMA, [0, 1])
    wider = as_dataset(SCHEMA, labelled.assign(ill=["perhaps", "no"]))
    assert (wider.schema.classes, wider.target_column.tolist()) == (("no", "yes", "perhaps"), [2, 0])
    with pytest.raises(ValueError, match="'sky' must be among 'grey', 'blue', got 'Grey'"):
        as_dataset(SCHEMA, labelled.assign(sky="Grey"), unseen="raise")


def test_values_that_nothing_stands_for_are_warned_of_once_a_call():
    """With what was meant, in rows of every form; missing values and known ones are not."""
    schema = Schema([Feature("sky", "nominal", ("sunny", "rainy")), Feature("wind", "ordinal", ("low", "high"))], "play", (0, 1))
    given = {"sky": ["Sunny", "sunny", None, "fog"], "wind": ["low", "hi gh", "?", "low"]}
    dataset = Dataset.from_columns(given | {"play": [0, 1, 1, 0]}, target="play")
    for rows in (given, list(zip(*given.values(), strict=True)), pd.DataFrame(given), dataset):
        with pytest.warns(UserWarning, match="^Unknown values have no answer") as warned:
            columns_of(schema, rows)
        [message] = [str(each.message) for each in warned]
        assert "'Sunny' of 'sky' (did you mean 'sunny'?)" in message
        assert "'hi gh' of 'wind' (did you mean 'high'?)" in message
        assert message.endswith("Write unseen='raise' to refuse them.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        columns_of(schema, {"sky": ["sunny", None], "wind": ["?", "high"]})
        columns_of(schema, Dataset(schema, [np.array([0, -1])] * 2, [0, 1]))
