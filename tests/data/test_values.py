"""Errors in incoming data that raise nothing: masks, nulls and scalars of other libraries, listed missing values."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ftree import Dataset, Feature, Schema, grow, predict
from ftree.data import MISSING_WORDS
from ftree.data import columns as data_columns
from ftree.data.coding import decode, encode
from ftree.data.columns import encoded_text_array
from ftree.data.values import missing_among, python_value, python_values
from ftree.points import points_of

MASKED = np.ma.masked


def column_of(values, labels=None, **options):
    labels = list(range(len(values))) if labels is None else labels
    dataset = Dataset.from_columns({"x": values, "class": labels}, classes=sorted(set(labels)), **options)
    return decode(dataset.schema.features[0], dataset.columns[0])


NOTHINGS = [
    float("nan"),
    np.float32("nan"),
    Decimal("NaN"),
    Decimal("sNaN"),
    np.datetime64("NaT", "s"),
    pd.NaT,
    pd.NA,
    MASKED,
    pa.NA,
]


@pytest.mark.parametrize("nothing", NOTHINGS, ids=lambda value: f"{type(value).__name__} {value}")
@pytest.mark.parametrize("kind", [None, "numeric", "nominal", (1, 2)], ids=str)
def test_whatever_stands_for_nothing_in_a_cell_is_as_none(nothing, kind):
    """Also what cannot be compared or hashed, such as a signaling NaN; in a list and in an array of objects."""
    dataset, expected = (
        Dataset.from_columns(
            {"x": [1, cell, 2, 2], "y": ["S", "L", cell, "L"], "ill": [0, 1, 1, 0]}, target="ill", kinds={"x": kind}
        )
        for cell in (nothing, None)
    )
    assert dataset == expected
    assert dataset.origins == expected.origins
    with pytest.raises(ValueError, match="must have a label in every row, got none in row 1"):
        Dataset.from_columns({"x": [1, 2], "ill": ["no", nothing]}, target="ill")
    tree = grow(expected)
    assert predict(tree, [[nothing, "S"], [1, nothing]]) == predict(tree, [[None, "S"], [1, None]])


def masked_rows():
    return np.ma.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], mask=[[0, 1], [0, 0], [1, 0]])


numbers = st.sampled_from([np.float64, np.float32, np.int64, np.uint8])


@given(st.data(), numbers, st.integers(1, 8))
def test_a_masked_value_is_missing_in_every_column(data, dtype, n):
    values = data.draw(arrays.arrays(dtype, n, elements=st.integers(0, 9)))
    mask = data.draw(arrays.arrays(bool, n))
    wanted = [None if gap else value for gap, value in zip(mask, values.tolist(), strict=True)]
    for kind in ("numeric", "nominal"):
        assert column_of(np.ma.array(values, mask=mask), kinds=kind) == wanted
    assert values.tolist() == np.ma.array(values, mask=mask).data.tolist()


def test_a_masked_value_is_missing_in_rows():
    labels = [0, 1, 0]
    from_array = Dataset.from_rows(masked_rows(), labels)
    assert from_array == Dataset.from_rows(list(masked_rows()), labels) == Dataset.from_rows(masked_rows().tolist(), labels)
    assert len(from_array.complete()) == 1


def test_a_masked_row_to_predict_misses_that_value():
    tree = grow(Dataset.from_rows([[1.0, 5.0], [2.0, 5.0]], ["low", "high"]))
    row = np.ma.array([2.0, 5.0], mask=[True, False])
    assert predict(tree, row) == predict(tree, [None, 5.0])
    assert predict(tree, [MASKED, 5.0]) == predict(tree, [None, 5.0])
    assert list(predict(tree, np.ma.array([[2.0, 5.0], [2.0, 5.0]], mask=[[1, 0], [0, 0]]))) == list(
        predict(tree, [[None, 5.0], [2.0, 5.0]])
    )


def test_masked_weights_and_labels_are_refused():
    for gap in (np.ma.array([1, 2], mask=[0, 1]), [1, MASKED]):
        with pytest.raises(ValueError, match="weights must be finite numbers from 0, got nan in row 1"):
            Dataset.from_rows([[1], [2]], [0, 1], weights=gap)
        with pytest.raises(ValueError, match="target 'class' must have a label in every row, got none in row 1"):
            Dataset.from_rows([[1], [2]], gap)
    assert Dataset.from_rows([[1], [2]], [0, 1], weights=np.ma.array([1, 2], mask=False)).class_counts() == (1, 2)


def test_scalars_of_arrow_are_read_by_value_in_lists_rows_and_points():
    assert column_of(list(pa.array([1, None, 3]))) == [1.0, None, 3.0]
    tree = grow(Dataset.from_rows([["p"], ["q"]], ["no", "yes"]))
    for row in ([pa.scalar("q")], {"x0": pa.scalar("q")}, pa.chunked_array([["q"]])):
        assert predict(tree, row) == "yes"
    assert predict(tree, [pa.chunked_array([["q"]]), [pa.scalar("p")]]) == ["yes", "no"]
    assert points_of(tree.schema, [pa.scalar("q")])[0].tolist() == [["q"]]


def test_times_of_numpy_become_pythons_whatever_their_unit():
    for unit in ("D", "s", "us", "ns"):
        value = python_value(np.datetime64("2020-01-02", unit))
        assert value == (date(2020, 1, 2) if unit == "D" else datetime(2020, 1, 2))  # noqa: DTZ001  # numpy has no time zones
        assert python_values(np.array(["2020-01-02", "NaT"], f"M8[{unit}]")) == [value, None]
    assert python_value(np.timedelta64(1500, "ms")) == timedelta(seconds=1.5)
    assert python_value(np.array(3)) == 3


def test_a_time_between_two_microseconds_is_refused():
    for kind in ("numeric", "nominal"):
        with pytest.raises(ValueError, match=r"Times must be whole microseconds .*, got 1970-01-01T00:00:00\.000000001"):
            column_of(np.array([1000, 1, "NaT"], "M8[ns]"), kinds=kind)


@pytest.mark.parametrize(
    "missing", [[-999], [np.int64(-999)], np.array([-999]), (-999.0,), [np.float32(-999)], {Decimal(-999)}], ids=repr
)
@pytest.mark.parametrize("kind", ["numeric", "nominal"])
def test_a_listed_number_is_missing_in_lists_and_in_arrays_of_every_type(missing, kind):
    for dtype in (np.int16, np.int64, np.float32, np.float64, object):
        column = np.array([-999, 1], dtype)
        for values in (column, column.tolist(), list(column), np.ma.array(column)):
            assert column_of(values, missing=missing, kinds=kind) == [None, 1]
    with_rows = Dataset.from_rows(np.array([[-999, 1], [2, -999]]), [0, 1], missing=missing, kinds=kind)
    assert len(with_rows.complete()) == 0


def test_a_listed_number_is_missing_among_shorter_floats():
    for column in ([np.float32(0.1), None, np.float32(2)], np.array([0.1, np.nan, 2], np.float32)):
        assert column_of(column, missing=[0.1]) == [None, None, 2]


def test_a_listed_time_is_missing_in_arrays_as_in_lists():
    never = date(1900, 1, 1)
    column = np.array(["1900-01-01", "1970-01-02"], "M8[D]")
    assert column_of(column, missing=[never]) == column_of(column.tolist(), missing=[never]) == [None, date(1970, 1, 2)]


def test_a_declared_word_is_a_value_and_not_missing():
    dataset = Dataset.from_rows([["NA"], ["EU"]], ["no", "yes"], missing=())
    assert predict(grow(dataset), [["NA"], ["EU"], ["?"]]) == ["no", "yes", "no"]
    assert points_of(dataset.schema, [["NA"]])[0].tolist() == [["NA"]]
    assert encode(Feature("x", "nominal", ("?", "a")), ["?", "a", "NA"], missing_among(MISSING_WORDS)).tolist() == [0, 1, -1]


def test_masked_codes_and_masked_row_numbers_are_refused():
    schema = Schema([Feature("x", "numeric")], "y", ("no", "yes"))
    with pytest.raises(ValueError, match=r"arrays must have no masked values, got MaskedArray of shape \(2,\)"):
        Dataset(schema, [np.ma.array([1.0, 2.0], mask=[0, 1])], [0, 1])
    with pytest.raises(IndexError, match="rows must have no masked values, got MaskedArray"):
        Dataset(schema, [[1.0, 2.0]], [0, 1]).take(np.ma.array([True, True], mask=[0, 1]))


def test_listed_infinity_and_the_largest_integer_are_missing():
    for values in ([float("inf"), 1.0], np.array([np.inf, 1]), np.array([np.inf, 1], np.float32)):
        assert column_of(values, missing=[float("inf")]) == [None, 1.0]
    most = 2**63 - 1
    assert column_of([most, 1], missing=[most]) == column_of(np.array([most, 1]), missing=[most]) == [None, 1.0]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # NumPy 2.5 warns where the test makes durations without a unit
@pytest.mark.parametrize("dtype", ["m8[Y]", "m8[M]", "m8"])
def test_durations_without_a_fixed_length_are_refused(dtype):
    for values in (np.array([1, 2], dtype), list(np.array([1, 2], dtype))):
        with pytest.raises(ValueError, match="Durations must have a unit of fixed length"):
            column_of(values)


def test_times_beyond_what_can_be_held_are_refused():
    with pytest.raises(ValueError, match="Times must be whole microseconds within 290,000 years of 1970, got "):
        column_of(np.array([2**62, 1], "M8[Y]"))
    for strange in (np.array(["12000-01-01", "2000-01-01"], "M8[D]"), np.array(["-0001-06-01", "2000-01-01"], "M8[s]")):
        for values, kind in ((strange, None), (strange, "nominal"), (list(strange), "nominal")):
            with pytest.raises(ValueError, match=r"within the years 1 to 9999, got .*\. Give them as numbers"):
                column_of(values, kinds=kind)


FIRST, LAST = np.array(["0001-01-01", "9999-12-31T23:59:59.999999"], "M8[us]").tolist()


@given(st.lists(st.datetimes() | st.sampled_from([FIRST, LAST]), min_size=1, max_size=4))
def test_a_time_comes_back_within_a_float_of_what_it_was(times):
    data = Dataset.from_columns({"t": times, "y": list(range(len(times)))}, target="y")
    came = np.array(list(data.to_pandas()["t"]), "M8[us]")
    assert (abs(came - np.array(times, "M8[us]")) < np.timedelta64(64, "us")).all()
    assert len(data.to_polars()) == len(data.to_arrow()) == len(times)


# Arrays of texts are coded by their distinct texts, and no Python object is made for a cell.

TEXTS = st.lists(st.text(st.sampled_from("ab\u00e4\U0001f333 "), max_size=4) | st.text(max_size=6))


@given(TEXTS, st.data())
def test_an_array_of_texts_is_its_texts_once_each_and_a_code_of_each_row(listed, data):
    array = np.array(listed, dtype=np.dtype(data.draw(st.sampled_from(["<", ">"])) + "U6"))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(listed), max_size=len(listed))), dtype=bool)
    column = encoded_text_array(array)
    assert column.tolist() == array.tolist()
    assert len(set(column.values)) == len(column.values)
    assert set(map(type, column.values)) <= {str}
    masked = encoded_text_array(np.ma.array(array, mask=mask))
    assert masked.tolist() == np.ma.array(array, mask=mask).tolist()


@pytest.mark.parametrize("form", [lambda column: column[::2], lambda column: column.reshape(-1, 2).T[0]], ids=["steps", "table"])
def test_texts_that_do_not_lie_side_by_side_are_read(form):
    assert encoded_text_array(form(np.array(["b", "x", "a", "y"]))).tolist() == ["b", "a"]


def test_a_table_of_texts_is_that_of_lists_and_so_are_its_answers():
    rows = [["grey", "yes"], ["blue", "?"], ["grey", "no"], ["", "no"]]
    labels = ["stay", "ride", "stay", "ride"]
    dataset = Dataset.from_rows(np.array(rows), np.array(labels))
    assert dataset == Dataset.from_rows(rows, labels)
    assert dataset.summary() == Dataset.from_rows(rows, labels).summary()
    tree = grow(dataset)
    assert predict(tree, np.array(rows)).tolist() == predict(tree, rows)
    assert predict(tree, np.array([["green", "yes"]])).tolist() == predict(tree, [["green", "yes"]])


def test_texts_that_have_one_hash_stay_apart(monkeypatch):
    monkeypatch.setattr(data_columns, "_hashes", lambda texts: np.zeros(len(texts), np.uint64))
    assert encoded_text_array(np.array(["b", "a", "b"])).tolist() == ["b", "a", "b"]
