"""One table is the same dataset, whatever library holds it."""

import io
import pickle
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv

from ftree import C45, CART, ID3, Dataset, Feature, accuracy, grow
from ftree.data.columns import read_column
from ftree.scan import survey

NOON = datetime(2020, 1, 1, 12)  # noqa: DTZ001  # without a time zone on purpose
CELLS = {
    "text": st.sampled_from(["a", "b ", "B", "?", "NA", "\u00e4"]),
    "flag": st.booleans(),
    "count": st.integers(-(2**53), 2**53),
    "heat": st.floats(-1e9, 1e9),
    "day": st.dates(date(1700, 1, 1), date(2200, 1, 1)),
    "at": st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)),  # noqa: DTZ001  # as above
    "utc": st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001  # as above
    "took": st.timedeltas(timedelta(days=-999), timedelta(days=999)),
    "clock": st.times(),
    "iso": st.dates(date(1700, 1, 1), date(2200, 1, 1)).map(str),
    "cost": st.decimals(-99, 99, places=2),
}


@st.composite
def tables(draw):
    """Columns of every type, in which values may be missing, and labels."""
    n = draw(st.integers(1, 6))
    columns = {name: draw(st.lists(cells | st.none(), min_size=n, max_size=n)) for name, cells in CELLS.items()}
    return columns | {"ride": draw(st.lists(st.sampled_from(["no", "yes"]), min_size=n, max_size=n))}


def masked(values):
    """Numbers, booleans and texts as a masked array of numpy, times as an array with NaT; others as objects."""
    known = next((value for value in values if value is not None), None)
    if isinstance(known, timedelta) or (isinstance(known, date) and getattr(known, "tzinfo", None) is None):
        return np.array(values, "m8[us]" if isinstance(known, timedelta) else "M8[us]")
    if not isinstance(known, (str, int, float)):
        return np.array(values, dtype=object)
    return np.ma.array([known if value is None else value for value in values], mask=[value is None for value in values])


def halves(table):
    return table[: len(table) // 2], table[len(table) // 2 :]


FORMS = {
    "tuples": lambda columns: {name: tuple(values) for name, values in columns.items()},
    "dicts": lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    "numpy": lambda columns: {name: np.array(values, dtype=object) for name, values in columns.items()},
    "masked": lambda columns: {name: masked(values) for name, values in columns.items()},
    "scalars": lambda columns: {name: list(pa.array(values)) for name, values in columns.items()},
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas on arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": partial(pl.DataFrame, strict=False),
    "polars lazy": lambda columns: pl.DataFrame(columns).lazy(),
    "polars chunks": lambda columns: pl.concat(halves(pl.DataFrame(columns)), rechunk=False),
    "arrow": pa.table,
    "arrow chunks": lambda columns: pa.concat_tables(halves(pa.table(columns))),
    "arrow batch": lambda columns: pa.table(columns).to_batches()[0],
    "arrow stream": lambda columns: pa.table(columns).to_reader(),
    "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
}


@pytest.mark.usefixtures("fewer")
@pytest.mark.filterwarnings("ignore:Feature")
@given(tables())
@pytest.mark.parametrize("form", FORMS)
def test_one_table_is_the_same_dataset_and_the_same_tree_in_every_library(form, columns):
    expected = Dataset.from_columns(columns, target="ride")
    dataset = Dataset.from_frame(FORMS[form](columns))
    assert dataset == expected
    assert grow(dataset) == grow(expected)


TABLE = {
    "sky": ["grey", "blue", None, "grey"],
    "wind": [3, None, 5, 1],
    "heat": [0.5, 1.25, None, -3.0],
    "day": [date(2020, 1, 1), None, date(2020, 2, 29), date(1960, 1, 1)],
    "at": [NOON, None, NOON + timedelta(seconds=1), NOON],
    "cost": [Decimal("1.10"), None, Decimal("2.50"), Decimal("1.10")],
    "ride": ["no", "yes", "yes", "no"],
}


def test_one_table_is_the_same_dataset_in_files():
    expected, parquet, text = Dataset.from_columns(TABLE, target="ride"), io.BytesIO(), io.BytesIO()
    pq.write_table(pa.table(TABLE), parquet)
    assert Dataset.read(parquet.getvalue(), format="parquet") == expected
    csv.write_csv(pa.table(TABLE), text)
    assert Dataset.read(text.getvalue(), format="csv") == expected


# Kinds of the columns of each library ----------------------------------------------------------------------------

BERLIN = timezone(timedelta(hours=1))
ZONED = [datetime(2020, 1, 1, 12, tzinfo=BERLIN), None]
SIZES = ["S", "L", None, "S"]


def first(column, **options):
    """The feature, the codes or numbers, and the reason, of the only column of a table."""
    dataset = Dataset.from_frame({"x": column}, ["a"] * len(column), **options)
    return dataset.schema.features[0], dataset.columns[0].tolist(), dataset.origins[0].reason


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(SIZES, ["S", "M", "L"])),
        pd.Categorical(SIZES),
        pa.array(SIZES).dictionary_encode(),
        pa.chunked_array([pa.array(SIZES[:1]), pa.array(SIZES[1:])]).dictionary_encode(),
        pl.Series(SIZES, dtype=pl.Categorical),
    ],
    ids=["pandas", "pandas array", "arrow", "arrow chunks", "polars"],
)
def test_categories_without_an_order_are_nominal_and_those_without_a_row_are_left_out(column):
    assert first(column) == (Feature("x", "nominal", ("L", "S")), [1, 0, -1, 1], "categories without an order")


def test_categories_of_numpys_numbers_are_pythons():
    assert list(map(type, first(pd.Series([np.int64(3), "a"], dtype="category"))[0].values)) == [int, str]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(SIZES, ["S", "M", "L"], ordered=True)),
        pa.DictionaryArray.from_arrays(pa.array([0, 2, None, 0], pa.int8()), pa.array(["S", "M", "L"]), ordered=True),
        pl.Series(SIZES, dtype=pl.Enum(["S", "M", "L"])),
    ],
    ids=["pandas", "arrow", "polars enum"],
)
def test_ordered_categories_are_ordinal_with_all_of_them_and_classes_in_their_order(column):
    labels = column[:2]
    assert Dataset.from_columns({"x": [1, 2], "class": labels}).schema.classes == ("S", "L")
    assert first(column) == (Feature("x", "ordinal", ("S", "M", "L")), [0, 2, -1, 0], "ordered categories")
    assert first(column, kinds="nominal")[0] == Feature("x", "nominal", ("L", "S"))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([3, None, 5], dtype="Int8"),
        pd.Series([3, None, 5], dtype="Float32"),
        pl.Series([3, None, 5], dtype=pl.UInt32),
        pl.Series([3, None, 5], dtype=pl.Int128),
        pl.Series([3.0, float("nan"), 5.0]),
        pa.array([3.0, float("nan"), 5.0], pa.float32()),
        [np.float32(3), None, np.float32(5)],
    ],
    ids=lambda column: f"{type(column).__name__} {getattr(column, 'dtype', getattr(column, 'type', None))}",
)
def test_numbers_are_numeric_and_null_and_nan_are_missing(column):
    feature, numbers, _ = first(column)
    assert feature == Feature("x", "numeric")
    assert np.array_equal(numbers, [3.0, np.nan, 5.0], equal_nan=True)


@pytest.mark.parametrize(
    ("values", "time", "seconds"),
    [
        ([date(2020, 1, 1), None], "date", 1577836800.0),
        ([NOON, None], "datetime", 1577880000.0),
        (ZONED, "datetime in UTC", 1577876400.0),
        ([timedelta(hours=-1), None], "duration", -3600.0),
        ([time(12, 30), None], "time of day", 45000.0),
    ],
    ids=["date", "datetime", "zone", "duration", "time"],
)
def test_times_are_numeric_and_say_what_they_are(values, time, seconds):
    feature, numbers, reason = first(values)
    assert (feature, numbers[0], np.isnan(numbers[1])) == (Feature("x", "numeric", time=time), seconds, True)
    assert "in seconds" in reason
    dataset = Dataset.from_frame({"x": pl.Series(values)}, ["a", "a"])
    shown = values[0].astimezone(UTC) if time == "datetime in UTC" else values[0]
    assert dataset.summary().columns[0].examples == (shown,)
    assert pickle.loads(pickle.dumps(dataset)) == dataset  # noqa: S301  # our own


def test_intervals_of_databases_are_durations_unless_months_count():
    relation = duckdb.sql("select * from (values (interval 2 hours, 'a'), (null, 'b')) as t(took, y)")
    assert Dataset.from_frame(relation).schema.features == (Feature("took", "numeric", time="duration"),)
    relation = duckdb.sql("select * from (values (interval 2 months, 'a'), (null, 'b')) as t(took, y)")
    assert Dataset.from_frame(relation).schema.features[0].kind == "nominal"


# Which columns are what --------------------------------------------------------------------------------------------


def test_the_target_is_a_name_a_number_or_a_column_beside_the_table():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "w": [1, 3]})
    by_name = Dataset.from_frame(frame, "b", weights="w")
    assert by_name == Dataset.from_frame(frame[["a", "w", "b"]], weights="w") == Dataset.from_frame(frame, 1, weights="w")
    assert by_name.schema.features == (Feature("a", "numeric"),)
    beside = Dataset.from_frame(frame[["a"]], frame["b"], weights=[1, 3])
    assert beside == by_name
    assert Dataset.from_frame(frame[["a"]], ["x", "y"]).schema.target == "class"
    assert Dataset.from_frame(frame, "b", features=["w"]).schema.features == (Feature("w", "numeric"),)


@pytest.mark.parametrize("n_levels", [2, 3])
@pytest.mark.parametrize("n_rows", [1, 2, 3])  # as many as levels, a name could be the labels
def test_a_target_of_several_levels_is_the_column_of_that_number(n_levels, n_rows):
    names = pd.MultiIndex.from_tuples([(kind, *range(n_levels - 1)) for kind in "abc"])
    frame = pd.DataFrame([[1, 0, row] for row in range(n_rows)], columns=names)
    for number, name in enumerate(names):
        assert Dataset.from_frame(frame, name) == Dataset.from_frame(frame, number)
    rows = frame.set_index(names[:n_rows]).index
    assert Dataset.from_frame(frame, rows).schema.classes == tuple(rows)


def test_arrays_and_rows_have_columns_by_number_and_named_fields_their_names():
    rows = [[1.0, "x"], [2.0, "y"]]
    named = np.array([(1.0, "x"), (2.0, "y")], dtype=[("x0", float), ("x1", "U1")])
    expected = Dataset.from_rows([[1.0], [2.0]], ["x", "y"], target="x1")
    for table in (rows, np.array(rows, dtype=object), named, named.view(np.recarray)):
        assert Dataset.from_frame(table) == expected
    gaps = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
    assert np.isnan(Dataset.from_frame(gaps, ["a", "b"]).columns[1]).tolist() == [True, False]


def test_numbers_of_a_frame_are_shared_not_copied():
    array = np.arange(4.0)
    for table in ({"x": array}, pl.DataFrame({"x": array}), pa.table({"x": array})):
        column = table["x"]
        shared = column if isinstance(column, np.ndarray) else column.to_numpy()
        assert np.shares_memory(Dataset.from_frame(table, list("abab")).columns[0], shared)


@pytest.mark.parametrize(
    ("table", "options", "error", "message"),
    [
        (pd.DataFrame({"a": [1]}), {"target": "b"}, KeyError, "The table must have a column 'b', got the columns 'a'."),
        (pd.DataFrame({"a": [1]}), {"target": 3}, ValueError, "target must be a column's name, or a number from 0 to 0"),
        (pd.DataFrame([[0, 1]], columns=[1, 0]), {"target": 5}, ValueError, "a column's name, or a number from 0 to 1"),
        (pd.DataFrame([[0, 1]], columns=[1, 0]), {"target": 1}, ValueError, r"number of '0' and another's name\. Write a text\."),
        (pd.DataFrame([[0, 1]], columns=["-1", "y"]), {"target": -1}, ValueError, "the number of 'y' and another's name"),
        (pd.DataFrame({"a": [1], "b": [2]}), {"weights": "c"}, KeyError, "a column 'c', got the columns 'a', 'b'"),
        (pd.DataFrame({"a": [1], "b": [2]}), {"weights": "b"}, ValueError, "weights must not be the target's column, got 'b'"),
        (pd.DataFrame({"a": [1], "b": [2]}), {"features": ["c"]}, KeyError, "a column 'c', got the columns 'a', 'b'"),
        (pl.DataFrame({"a": [1, 2], "b": ["x", None]}), {}, ValueError, "'b' must have a label in every row, got none in row 1"),
        (pl.DataFrame({"a": [1, 2], "b": ["x", "?"]}), {}, ValueError, "got '[?]', which means missing, in row 1"),
        ({"a": [1, 2], "class": ["u", "v"]}, {"features": ["a", "a"]}, ValueError, "distinct names, got 'a' twice"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, ValueError, "Columns must have distinct names"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), {}, ValueError, "distinct names, got '1' twice. Names are compared as text"),
        (pa.table([[1], [2]], names=["a", "a"]), {}, ValueError, "Columns must have distinct names"),
        (pl.DataFrame({"a": [[1]], "b": ["x"]}), {}, TypeError, r"Values of 'a' must be hashable .* got a list: \[1\]"),
        (pa.table({"a": [{"c": 1}], "b": ["x"]}), {}, TypeError, "Values of 'a' must be hashable"),
        (pl.DataFrame({"a": [b"1"], "b": ["x"]}), {}, TypeError, "Values of 'a' must be text, .*got bytes: b'1'. Decode them"),
        (pa.table({"a": ["x"], "b": [b"1"]}), {}, TypeError, "Values of 'b' must be text, .*got bytes: b'1'. Decode them"),
        ({"a": [b"1"], "b": ["x"]}, {}, TypeError, "Values of 'a' must be text, .*got bytes: b'1'. Decode them"),
        (pl.DataFrame({"a": [], "b": []}), {}, ValueError, "A dataset must have at least one row, got none"),
        (pd.DataFrame(), {"target": "a"}, KeyError, "a column 'a', got no columns"),
        ({"a": [1, 2], "b": ["x"]}, {}, ValueError, "Columns must be equally long, got lengths"),
        (np.zeros(3), {}, ValueError, r"must have two dimensions to be a table, .* got shape \(3,\)"),
        (3, {}, TypeError, "table must be a data frame, .* got an int"),
        (pl.Series([1]), {}, TypeError, "table must be a data frame, .* got a Series"),
        (pa.chunked_array([[1]]), {}, TypeError, "table must be a data frame, .* got a ChunkedArray"),
        ([[1], 2], {}, TypeError, "A row must be a sequence of values, got 2 as row 1"),
        (pl.DataFrame({"a": ["1", "x"], "b": ["x", "y"]}), {"kinds": "numeric"}, ValueError, "must be numbers, got 'x' in row 1"),
    ],
)
def test_a_table_that_is_no_dataset_is_refused(table, options, error, message):
    with pytest.raises(error, match=message):
        Dataset.from_frame(table, **options)


@pytest.mark.parametrize("target", [None, "class"])
@pytest.mark.parametrize("index", [[3, 4], [[3, 4], [5, 6]]], ids=["one", "two"])
def test_the_index_of_a_frame_of_pandas_is_no_column_of_its_files(index, target, tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0], "class": ["a", "b"]}, index=index)
    frame.to_parquet(tmp_path / "rows.parquet")
    options = {} if target is None else {"target": target}
    expected = Dataset.from_frame(frame, **options)
    assert Dataset.read(tmp_path / "rows.parquet", **options) == expected
    assert Dataset.from_frame(pa.Table.from_pandas(frame), **options) == expected
    for table in (tmp_path / "rows.parquet", pa.Table.from_pandas(frame), frame):
        assert grow(survey(table, **options)) == grow(expected)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_rows_of_a_frame_are_asked_for_as_a_frame(frame):
    with pytest.raises(TypeError, match=r"got .*\. For a frame use from_frame, for columns by name from_columns\.$"):
        Dataset.from_rows(frame({"a": [1, 2], "b": [3, 4]}), [0, 1])


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("frame", [pd.Series, pl.Series, pa.array])
def test_times_of_any_unit_are_read_as_an_array(frame, unit):
    times = np.array(["2020-01-01T12:00", "1999-12-31", "NaT"], f"M8[{unit}]")
    assert np.array_equal(read_column(frame(times)).astype("M8[ns]"), times.astype("M8[ns]"), equal_nan=True)


@pytest.mark.parametrize(
    ("names", "target", "found"), [((0, 1), 1, "1"), ((5, 6), 6, "6"), ((5, 6), 1, "6"), ((-1, 0), "-1", "-1")]
)
def test_a_target_that_is_a_number_is_the_number_or_the_name_of_one_column(names, target, found):
    frame = pd.DataFrame([[0, 1], [1, 0]], columns=list(names))
    assert Dataset.from_frame(frame, target=target).schema.target == found


@pytest.mark.parametrize("kind", [">f8", ">f4", ">i4", ">u2", ">M8[s]"])
def test_numbers_of_another_byte_order_are_those_of_this_one(kind):
    numbers = np.array([1, 2, 3]).astype(kind)
    native = Dataset.from_columns({"x": numbers.astype(numbers.dtype.newbyteorder("=")), "class": [0, 1, 1]})
    for column in (numbers, pd.Series(numbers)):
        assert Dataset.from_columns({"x": column, "class": [0, 1, 1]}) == native


@pytest.mark.parametrize("bits", [32, 64, 128, 256])
def test_decimals_of_any_width_are_numbers(bits):
    made = getattr(pa, f"decimal{bits}", None)
    if made is None:
        pytest.skip("needs a newer pyarrow")
    table = pa.table({"x": pa.array([Decimal("1.5"), None, Decimal("-2.5")], made(5, 1)), "class": ["a", "b", "b"]})
    assert Dataset.from_frame(table) == Dataset.from_columns({"x": [1.5, None, -2.5], "class": ["a", "b", "b"]})


@pytest.mark.parametrize("convert", [Dataset.to_polars, Dataset.to_arrow])
def test_values_of_several_types_are_refused_where_a_column_has_one(convert):
    with pytest.raises(ValueError, match=r"must be of one type for a column of .*, got an int, a str. pandas holds them all"):
        convert(Dataset.from_columns({"x": ["a", 1, None], "class": [0, 1, 1]}))


@pytest.mark.parametrize("convert", [Dataset.to_pandas, Dataset.to_polars, Dataset.to_arrow])
@pytest.mark.parametrize("place", ["name", "value", "class"])
def test_texts_that_are_no_unicode_are_refused_by_every_frame(convert, place):
    name, value, label = ("\ud800" if place == each else "a" for each in ("name", "value", "class"))
    with pytest.raises(ValueError, match=r"must be Unicode without single surrogates, got .*ud800.*\. Rename it"):
        convert(Dataset.from_columns({name: [value, "b"], "class": [label, "c"]}))


@pytest.mark.parametrize("policy", [C45, ID3, CART])
@pytest.mark.parametrize("first", [0.0, 1.6e12, 1e14, 2.0**52])  # epoch milliseconds, and an outlier's size
def test_neighbouring_whole_numbers_are_divided_wherever_they_lie(policy, first):
    labels = [number >= 500 for number in range(1000)]
    data = Dataset.from_columns({"t": [*(first + np.arange(1000.0))], "y": labels}, target="y", kinds={"t": "numeric"})
    assert accuracy(grow(data, policy), data) == 1


def test_columns_are_omitted_by_name():
    table = {"id": [7, 8], "sky": ["grey", "blue"], "ride": ["no", "yes"]}
    without = Dataset.from_frame({name: table[name] for name in ("sky", "ride")})
    assert Dataset.from_frame(table, omit=["id"]) == Dataset.from_frame(table, features=["id", "sky"], omit=("id",)) == without
    with pytest.raises(KeyError, match=r"The table must have a column 'Id', got the columns .* Did you mean 'id'"):
        Dataset.from_frame(table, omit=["Id"])
    assert Dataset.from_frame(table, omit="id") == without
    with pytest.raises(TypeError, match=r"^omit must be a sequence of names"):
        Dataset.from_frame(table, omit=3)
    for what, option in [("target", {"target": "sky"}), ("target", {"target": 1}), ("weights", {"weights": "sky"})]:
        with pytest.raises(ValueError, match=f"omit must name features, got 'sky', the column of the {what}. Give another"):
            Dataset.from_frame(table, omit=["sky"], **option)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("given", [["b"], ("c",), np.array(["c"]), pd.Index(["b", "c"])], ids=repr)
def test_names_of_columns_are_no_labels(given, n):
    frame = pd.DataFrame({name: range(n) for name in "abc"})
    with pytest.raises(ValueError, match=r"^target must be one column, or a label for each row, got the columns? '.+' in a list"):
        Dataset.from_frame(frame, target=given)


def test_labels_may_be_equal_to_names_of_columns():
    frame = {"a": [1, 0, 1], "b": [0, 1, 0], "c": [1, 1, 0]}
    for labels in (["a", "b", "a"], ["a", "b", "d"]):
        assert Dataset.from_frame(frame, target=labels).labels.tolist() == labels
