"""Kinds are decided by a column's values and dtype, with a reason, and a warning if they are in doubt."""

import re
import warnings
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reread import in_blocks

from ftree import Dataset, Feature, Schema, gain, gini, grow, predict
from ftree.data import columns_of
from ftree.data.coding import check_times, decode, encode
from ftree.data.columns import read_column
from ftree.data.doubts import chance_doubt
from ftree.data.kinds import column_kind
from ftree.data.labelled import as_dataset
from ftree.data.values import missing_among

NOTHING = missing_among(())
DAY = date(2020, 1, 1)
NOON = datetime(2020, 1, 1, 12)  # noqa: DTZ001  # without a time zone on purpose


def pandas_categories(values, categories, *, ordered):
    return pd.Series(values, dtype=pd.CategoricalDtype(categories, ordered=ordered))


def arrow_categories(values, categories, *, ordered):
    codes = [None if value is None else categories.index(value) for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(categories), ordered=ordered)


def decided(values, missing=()):
    return column_kind("x", read_column(values), None, missing_among(missing))


@pytest.mark.parametrize(
    ("values", "kind", "reason"),
    [
        ([1, 2.5, None], "numeric", "numbers"),
        (np.array([1, 2]), "numeric", "numbers of type int64"),
        ([DAY, NOON], "numeric", "dates, in seconds"),
        ([datetime(2020, 1, 1, tzinfo=UTC)], "numeric", "dates with a time zone, in seconds"),
        ([time(1), time(2)], "numeric", "times of day, in seconds"),
        ([timedelta(1), None], "numeric", "durations, in seconds"),
        (np.array([DAY], "M8[D]"), "numeric", "times of type datetime64[D], in seconds"),
        (np.array([DAY], "M8[ns]"), "numeric", "times of type datetime64[ns], in seconds"),
        (np.array([1], "m8[s]"), "numeric", "times of type timedelta64[s], in seconds"),
        (["a", "b"], "nominal", "text"),
        ([True, False, None], "nominal", "booleans"),
        ([1, "a"], "nominal", "numbers and text"),
        ([DAY, 1], "nominal", "dates and numbers"),
        ([NOON, datetime(2020, 1, 1, tzinfo=UTC)], "nominal", "dates and dates with a time zone"),
        ([time(1), time(2, tzinfo=UTC)], "nominal", "other values and times of day"),
        ([(1, 2)], "nominal", "other values"),
        ([None, None], "nominal", "no value is known"),
        (pandas_categories([2, 1], [1, 2], ordered=False), "nominal", "categories without an order"),
        (arrow_categories([2, 1], [2, 1], ordered=False), "nominal", "categories without an order"),
        (pandas_categories(["lo"], ["lo", "?", "hi"], ordered=True), "ordinal", "ordered categories"),
    ],
    # Not the repr of a frame library's column, which may have an address in it.
    ids=lambda part: repr(part) if isinstance(part, (list, str, np.ndarray)) else type(part).__name__,
)
def test_a_kind_is_decided_with_its_reason(values, kind, reason):
    answer = decided(values, ["?"])
    assert (answer.feature.kind, answer.reason, answer.doubt) == (kind, reason, None)


@given(st.lists(st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)), min_size=1))  # noqa: DTZ001  # as above
def test_times_are_seconds_that_keep_order_and_differences_in_lists_and_arrays(times):
    column = encode(Feature("x", "numeric"), times, NOTHING)
    assert np.allclose(column, [(each - datetime(1970, 1, 1)).total_seconds() for each in times], rtol=0, atol=1e-6)  # noqa: DTZ001
    assert np.array_equal(np.argsort(column, kind="stable"), np.argsort(np.array(times, "M8[us]"), kind="stable"))
    assert np.array_equal(encode(Feature("x", "numeric"), np.array(times, "M8[us]"), NOTHING), column)
    assert len(set(column.tolist())) == len(set(times))


def test_a_date_is_its_midnight_and_a_time_of_day_counts_from_there():
    values = [date(1970, 1, 2), datetime(1970, 1, 1, 1), None]  # noqa: DTZ001  # as above
    assert decode(Feature("x", "numeric"), encode(Feature("x", "numeric"), values, NOTHING)) == [86400.0, 3600.0, None]
    assert encode(Feature("x", "numeric"), [time(1, 0, 1), time(0)], NOTHING).tolist() == [3601.0, 0.0]
    assert encode(Feature("x", "numeric"), [timedelta(minutes=1)], NOTHING).tolist() == [60.0]
    utc = datetime(1970, 1, 1, 1, tzinfo=UTC)
    assert encode(Feature("x", "numeric"), [utc], NOTHING).tolist() == [3600.0]


@pytest.mark.parametrize(
    "values",
    [
        [DAY, 1],
        [1, DAY],
        ["2020-01-01", "3"],
        [time(1), timedelta(1)],
        [time(1, tzinfo=UTC)],
        [None, NOON, datetime(2020, 1, 1, tzinfo=UTC)],
    ],
    ids=repr,
)
def test_times_among_other_values_are_no_numbers(values):
    with pytest.raises(ValueError, match=r"numeric feature 'x' must be (dates|numbers|times of day), got .* in row \d"):
        encode(Feature("x", "numeric"), values, NOTHING)


def test_a_column_of_dates_in_a_file_is_numeric_and_a_date_can_be_predicted():
    dataset = Dataset.read_csv(b"day,play\n2020-01-01,no\n,no\n2020-02-01,yes\n2020-02-03 12:30,yes\n")
    assert dataset.schema.features[0].kind == "numeric"
    assert np.isnan(dataset.columns[0]).tolist() == [False, True, False, False]
    tree = grow(dataset)
    assert predict(tree, [["2020-01-02"], [date(2020, 3, 1)], [np.datetime64("2020-03-01")]]) == ["no", "yes", "yes"]
    none_of_dates = Dataset.read_csv(b"day,play\n2020-01-01,no\n2020-02-31,yes\n")
    assert none_of_dates.schema.features[0].kind == "nominal"


@pytest.mark.parametrize(
    "cell", ["1_0", b"3", "1 0", "\N{ARABIC-INDIC DIGIT ONE}", "0x1", bytearray(b"1"), np.bytes_(b"3"), ""], ids=repr
)
def test_text_that_is_no_plain_number_and_bytes_are_refused_in_numeric_columns(cell):
    with pytest.raises(ValueError, match=r"numeric feature 'x' must be numbers, got .* in row 1. Convert it"):
        encode(Feature("x", "numeric"), [1, cell], NOTHING)
    with pytest.raises(ValueError, match="must be numbers"):
        Dataset.from_rows([[1], [cell]], [0, 1], kinds="numeric", missing=())
    with pytest.raises(ValueError, match="weights must be numbers"):
        Dataset.from_rows([[1], [2]], [0, 1], weights=[1, cell])


MOST = 2**53
LONG = np.longdouble(MOST) + np.arange(2)  # of 80 bits on most machines


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1))
def test_whole_numbers_are_exact_or_refused(values):
    for column in (values, np.array(values), np.array(values, object), list(map(str, values))):
        if all(int(float(value)) == value for value in values):
            assert encode(Feature("x", "numeric"), column, NOTHING).tolist() == values
        else:
            with pytest.raises(
                ValueError, match=r"Whole numbers of 'x' must be exact as floats.* got '?-?\d+'? in row \d+\. Give"
            ):
                encode(Feature("x", "numeric"), column, NOTHING)


def test_two_integers_never_become_one():
    for column in ([MOST, MOST + 1], np.array([MOST, MOST + 1]), np.ma.array([MOST + 1, MOST + 1], mask=[1, 0]), LONG):
        with pytest.raises(
            ValueError, match=f"Whole numbers of 'x' must be exact as floats, as all are up to 2.*53, got .*{MOST + 1}.* in row 1"
        ):
            Dataset.from_columns({"x": column, "class": [0, 1]})
    nominal = Dataset.from_columns({"x": [MOST, MOST + 1], "class": [0, 1]}, kinds="nominal")
    assert nominal.schema.features[0].values == (MOST, MOST + 1)
    assert encode(Feature("x", "numeric"), np.ma.array([MOST + 1, 1], mask=[1, 0]), NOTHING).tolist()[1] == 1


def warned(make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    return caught


def test_a_column_that_is_mostly_numbers_warns_once_with_its_name_and_the_odd_value():
    ages = [*map(str, range(40)), "unknown"]
    (caught,) = warned(lambda: Dataset.from_columns({"age": ages, "sky": ["red"] * 41, "class": [0, 1, *[0] * 39]}))
    assert "Feature 'age' is nominal, but 40 of its 41 values are numbers, as 'unknown' is not" in str(caught.message)
    assert caught.filename == __file__


def test_numbers_that_are_all_written_as_texts_warn_with_what_to_do():
    (caught,) = warned(lambda: Dataset.from_columns({"age": list(map(str, range(12))), "class": [0, 1] * 6}))
    assert str(caught.message) == ("Feature 'age' is nominal, but 12 of its 12 values are numbers, written as text. Give kinds=.")


@given(st.sets(st.builds("{}' {}".format, st.text("ab"), st.integers(0, 9)), min_size=2, max_size=4))
def test_each_column_in_doubt_is_warned_of_whatever_its_name(names):
    columns = {name: list("abcdefghijkl") for name in names}
    caught = warned(lambda: Dataset.from_columns(columns | {"class": [0, 1] * 6}))
    assert len(caught) == len(names)


@given(st.lists(st.text("abc", min_size=1), min_size=2, max_size=4))
def test_a_library_that_reads_part_after_part_warns_once_of_a_column_whatever_the_part(odd_values):
    """The library is a function of a file that stands among those that are installed."""
    reads = "def read(parts, make):\n    for part in parts:\n        make(part)\n"
    library = {}
    exec(compile(reads, "/lib/site-packages/library.py", "exec"), library)  # noqa: S102
    warned(lambda: Dataset.from_rows([["a"]], [0]))  # a call without the library ends the one before
    parts = [{"age": [*map(str, range(9 + n)), odd], "class": [0, *[1] * (9 + n)]} for n, odd in enumerate(odd_values)]
    (caught,) = warned(lambda: library["read"](parts, Dataset.from_columns))
    assert caught.filename == __file__


@pytest.mark.parametrize("n", [10, 100])
def test_a_column_with_a_value_for_nearly_each_row_warns(n):
    names = [f"name {number}" for number in range(n)]
    (caught,) = warned(lambda: Dataset.from_rows([[name] for name in names], [0, 1] * (n // 2)))
    assert f"Feature 'x0' is nominal with {n} values in {n} rows" in str(caught.message)
    assert decided(names * 2).doubt is None


def test_a_target_of_many_numbers_or_of_ids_warns_unless_its_classes_are_given():
    many = {"x": [0.5] * 200, "class": list(range(100)) * 2}
    (caught,) = warned(lambda: Dataset.from_columns(many))
    assert "Target 'class' has 100 numbers as classes, and may be a measurement" in str(caught.message)
    (caught,) = warned(lambda: Dataset.from_rows([[0]] * 20, [f"id {number}" for number in range(20)]))
    assert "Target 'class' has 20 classes in 20 rows" in str(caught.message)
    thousands = [f"class {number}" for number in range(1001)] * 2
    (caught,) = warned(lambda: Dataset.from_rows([[0]] * 2002, thousands))
    assert "has 1001 classes. Each level of growth takes time in proportion to rows times classes" in str(caught.message)
    assert not warned(lambda: Dataset.from_rows([[0]] * 2002, thousands, classes=sorted(set(thousands))))
    assert not warned(lambda: Dataset.from_columns(many, classes=range(100)))
    assert not warned(lambda: Dataset.from_rows([[0]] * 60, [*range(30)] * 2))


# Cells of a column of a file, what the warning of it says, and the options that end it.
signed = st.sampled_from(["{}%", "${}", "-{} €", "{},000£"])
days = st.sampled_from(["{}/2/2020", "1.{}.20", "{}-02-2020", "2020/{}/03 12:30"])
digits = st.integers(0, 9)
rows = partial(st.lists, min_size=12, max_size=20)
IN_DOUBT = {
    "comma": (
        rows(st.builds("{},{}".format, digits, digits)),
        "numbers with a comma, such as '.*'. Read .* decimal=','",
        "nominal",
    ),
    "sign": (rows(st.builds(str.format, signed, digits)), "numbers with a sign, such as .*. Convert", "nominal"),
    "date": (
        rows(st.builds(str.format, days, digits)),
        "dates in another form than 2020-01-31.*dates={'a': '%d/%m/%Y'}",
        "nominal",
    ),
    "code": (rows(digits.map("0{}0".format)), r"'0\d0' is read as a number. If it is a code, give kinds", "nominal"),
    "gaps": (rows(digits).map(lambda some: [*some, "-", "-"]), "as '-' is not. List it in missing=", "nominal"),
    "-999": (rows(digits).map(lambda some: [*some, -999, -999]), "-999 is its only number below 0.*missing", "numeric"),
    "rows": (
        st.integers(12, 20).flatmap(lambda n: st.permutations(range(n))),
        "numbers the rows, from 0 .*keep_columns",
        "numeric",
    ),
}


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(("cells", "doubt", "kind"), IN_DOUBT.values(), ids=IN_DOUBT)
@pytest.mark.parametrize("block", [0, 1 << 12], ids=["Python", "pyarrow"])
@given(data=st.data())
def test_a_column_in_doubt_is_warned_of_with_its_name_and_what_to_do(cells, doubt, kind, block, data):
    """Whichever reader reads the file; with the kind given, nobody doubts."""
    lines = "".join(f'"{cell}",{row % 3}.5,{row % 2}\n' for row, cell in enumerate(data.draw(cells)))
    (caught,) = warned(lambda: in_blocks(f"a,z,y\n{lines}".encode(), block=block))
    assert re.search(f"Feature 'a' .*{doubt}", str(caught.message))
    assert not warned(lambda: in_blocks(f"a,z,y\n{lines}".encode(), block=block, kinds={"a": kind}))


def message(text):
    """The pattern of a whole message."""
    return f"^{re.escape(text)}$"


def test_times_of_another_kind_are_refused_in_rows_and_in_labelled_tables():
    schema = Schema([Feature("born", "numeric", time="date")], "ill", ("no", "yes"))
    got = message("Values of 'born' must be dates, such as '2020-02-29', got datetime.time(3, 0) in row 0.")
    for read in (lambda: columns_of(schema, [[time(3)]]), lambda: as_dataset(schema, {"born": [time(3)], "ill": ["no"]})):
        with pytest.raises(ValueError, match=got):
            read()
    assert columns_of(schema, [[date(1970, 1, 2)]])[0][0].tolist() == [86400.0]


def test_numbers_of_seconds_are_times_of_any_kind_and_dates_are_times():
    for kind in ("date", "datetime", "duration", None):
        check_times([Feature("x", "numeric", time=kind)], [read_column([None, 5])], [np.array([np.nan, 5.0])])
    for kind in ("date", "datetime"):
        check_times([Feature("x", "numeric", time=kind)], [read_column([date(2020, 2, 29)])], [np.array([1.0])])


# What values explain by chance.


@given(st.lists(st.integers(0, 2), min_size=3, max_size=6), st.data())
def test_values_without_a_relation_to_the_classes_explain_as_much_of_the_impurity_as_the_doubt_says(labels, data):
    """The mean over all orders of the labels, by the library's own gain."""
    codes = np.array([*data.draw(st.permutations(range(len(labels)))), 0]) // 2
    labels = np.array([*labels, 0])
    before = float(gini(np.bincount(labels)))
    shares = []
    for order in permutations(range(len(labels))):
        counts = np.zeros((codes.max() + 1, 3))
        np.add.at(counts, (codes, labels[list(order)]), 1)
        shares.append(float(gain(counts, gini)))
    assert np.mean(shares) == pytest.approx(before * codes.max() / (len(labels) - 1))


@pytest.mark.parametrize("response", ["numbers", "classes"])
def test_a_column_of_names_is_in_doubt_where_it_explains_what_chance_does(response):
    random, n = np.random.default_rng(0), 2000
    names, answers = random.integers(0, 400, n), random.random(n).round(1)
    answers = answers if response == "numbers" else (10 * answers).astype(int)
    with pytest.warns(
        UserWarning, match=r"^Feature 'who' has \d+ values in 2000 rows: they explain \d+% of the target, 20% by chance\. Call"
    ):
        Dataset.from_columns({"who": np.char.add("n", names.astype(str)), "y": answers}, target="y", response=response)
    told = {"who": np.char.add("n", names.astype(str)), "y": names % 7 + (0.5 if response == "numbers" else 0)}
    Dataset.from_columns(told, target="y", response=response)  # no warning: the names tell
    Dataset.from_columns(told | {"y": answers}, target="y", response=response, kinds={"who": "nominal"})
    Dataset.from_columns(told | {"y": answers}, target="y", response=response, weights=np.ones(n))


def test_a_column_whose_target_does_not_vary_is_not_in_doubt():
    assert chance_doubt(Feature("who", "nominal", range(20)), np.arange(20), np.zeros(20)) is None
    assert chance_doubt(Feature("who", "nominal", range(20)), np.arange(20), np.zeros(20, dtype=int)) is None
