"""Limits, orders and messages of datasets: the last value that is allowed, and the first that is refused."""

import pickle
import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from glob import glob

import numpy as np
import pytest

from ftree import Dataset, Feature, Schema
from ftree.data import binned, columns_of, sources
from ftree.data.arrays import check_codes, read_only, row_numbers
from ftree.data.bins import bin_codes
from ftree.data.coding import encode
from ftree.data.column_changes import recoded_columns
from ftree.data.encoded import Encoded
from ftree.data.folds import fold_numbers
from ftree.data.frames import as_table
from ftree.data.labelled import as_dataset
from ftree.data.missing_values import missing_among
from ftree.data.one_hot import from_one_hot
from ftree.data.rows import cells_of
from ftree.data.times import check_times, time_kind

TEN = Dataset.from_rows([[number] for number in range(10)], [0, 1] * 5)


def message(text):
    """The pattern of a whole message."""
    return f"^{re.escape(text)}$"


# Rows ---------------------------------------------------------------------------------------------------------


def test_the_head_is_five_rows_by_default_and_any_number_from_0():
    assert (len(TEN.head()), len(TEN.head(0)), len(TEN.head(np.int64(3))), len(TEN.head(11))) == (5, 0, 3, 10)


def test_a_split_may_take_no_row_or_all():
    assert [len(part) for fraction in (0, 0.0, 1, 0.25) for part in TEN.split(fraction, seed=1)] == [0, 10, 0, 10, 10, 0, 2, 8]
    for wrong in (-0.01, 1.01, "0.5", None):
        with pytest.raises(ValueError, match=message(f"fraction must be between 0 and 1, got {wrong!r}.")):
            TEN.split(wrong, seed=1)


def test_groups_are_in_the_order_of_the_schema_and_the_rows_in_which_the_value_is_missing_come_last():
    data = Dataset.from_columns({"x": [None, "b", "c", "a"], "class": [0, 1, 0, 1]})
    assert [(value, len(rows)) for value, rows in data.group_by("x").items()] == [("a", 1), ("b", 1), ("c", 1), (None, 1)]
    assert list(data.head(2).group_by("x")) == ["b", None]


@pytest.mark.parametrize("wrong", [1, 0, -2, 11, 2.0, "2"], ids=repr)
def test_folds_are_from_2_to_the_number_of_rows(wrong):
    assert [len(list(TEN.folds(n, seed=0))) for n in (2, np.int64(3), 10)] == [2, 3, 10]
    with pytest.raises(
        ValueError, match=message(f"folds must be a whole number from 2 to 10, the number of rows, got {wrong!r}.")
    ):
        TEN.folds(wrong, seed=0)


def test_folds_are_dealt_class_by_class_in_random_order():
    labels = np.random.default_rng(0).integers(0, 3, 500)
    order = np.random.default_rng(7).permutation(500).tolist()
    dealt = sorted(order, key=labels.__getitem__)
    found = fold_numbers(labels, 4, random=np.random.default_rng(7))
    assert found.dtype == np.intp
    assert [found[row] for row in dealt] == [place % 4 for place in range(500)]


def test_row_numbers_of_a_mask_or_of_numbers_are_integers():
    assert row_numbers([], 0).dtype == np.intp
    assert row_numbers([True, False, True], 3).tolist() == [0, 2]
    assert row_numbers([-3, 2], 3).tolist() == [-3, 2]
    assert row_numbers([1], 3).tolist() == [1]


@pytest.mark.parametrize(
    ("rows", "got"),
    [
        ([0, 3], "int64 of shape (2,) from 0 to 3"),
        ([-4, 1], "int64 of shape (2,) from -4 to 1"),
        ([0.5], "float64 of shape (1,) from 0.5 to 0.5"),
        (["a"], "<U1 of shape (1,)"),
        ([[1, 0]], "int64 of shape (1, 2) from 0 to 1"),
        (1, "int64 of shape () from 1 to 1"),
        ([[]], "float64 of shape (1, 0)"),
    ],
)
def test_a_row_that_does_not_exist_is_told_with_the_range_of_those_asked_for(rows, got):
    with pytest.raises(IndexError, match=message(f"rows must be a boolean mask, or numbers from 0 to 2, got {got}.")):
        row_numbers(np.array(rows), 3)


@pytest.mark.parametrize("mask", [[True], [True] * 4, [[True] * 3]])
def test_a_mask_has_the_length_of_the_rows(mask):
    got = f"A mask must have one boolean for each of the 3 rows, got shape {np.shape(mask)}."
    with pytest.raises(IndexError, match=message(got)):
        row_numbers(mask, 3)


# Codes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codes", "got"),
    [
        ([-2, 0], "int64 of shape (2,) from -2 to 0"),
        ([0, 3], "int64 of shape (2,) from 0 to 3"),
        ([0.0], "float64 of shape (1,) from 0.0 to 0.0"),
        ([True], "bool of shape (1,)"),
        ([[0]], "int64 of shape (1, 1) from 0 to 0"),
        ([[]], "float64 of shape (1, 0)"),
    ],
)
def test_codes_are_integers_in_their_range(codes, got):
    for right in ([], [-1, 2], [2], np.array([0, 2], np.uint8)):
        check_codes("sky", np.array(right), -1, 3)
    with pytest.raises(ValueError, match=message(f"The codes of 'sky' must be integers from -1 to 2, got {got}.")):
        check_codes("sky", np.array(codes), -1, 3)


@pytest.mark.parametrize("column", [[1, 2], [[1.0]], ["a"]], ids=repr)
def test_a_numeric_column_is_an_array_of_floats(column):
    schema = Schema([Feature("age", "numeric")], "ill", ("no", "yes"))
    got = rf"^The column of the numeric feature 'age' must be an array of floats, got .* of shape \({len(column)},"
    with pytest.raises(ValueError, match=got):
        Dataset(schema, [np.array(column)], np.zeros(len(column), int))


@pytest.mark.parametrize("value", [3, None, [[1], [1, 2]]], ids=repr)
def test_columns_are_arrays(value):
    with pytest.raises(ValueError, match=r"^A dataset's columns and labels must be arrays, got .*\. Dataset.from_columns takes"):
        read_only(value)


def test_a_read_only_array_is_a_view_that_stays_as_it_is():
    numbers = np.zeros(3)
    view = read_only(numbers)
    assert (read_only(view) is view, np.shares_memory(view, numbers), view.flags.writeable) == (True, True, False)
    assert read_only(np.array([True])).flags.writeable is False
    own = np.zeros(2)
    own.setflags(write=False)  # its owner may make it writeable again
    with pytest.raises(ValueError, match="WRITEABLE"):
        read_only(own).setflags(write=True)
    writeable = np.asarray(memoryview(bytearray(4)))
    assert read_only(writeable).flags.writeable is False


def test_a_value_that_no_row_has_may_be_anything():
    column = Encoded(np.array([-1, 1]), [[1], "b"])
    assert encode(Feature("x", "nominal", ("a", "b")), column, missing_among(())).tolist() == [-1, 1]


# Times --------------------------------------------------------------------------------------------------------

NOON = datetime(2020, 2, 29, 12)  # noqa: DTZ001  # without a time zone on purpose
SECONDS = np.array([np.nan, 1582977600.0])


def test_times_are_dates_where_all_are_midnights():
    midnight = datetime(2020, 2, 29)  # noqa: DTZ001  # as above
    for values, kind in [([midnight, NOON], "datetime"), ([midnight, midnight], "date"), ([NOON, None], "datetime")]:
        numbers = encode(Feature("x", "numeric"), values, missing_among(()))
        assert time_kind(values, numbers) == kind
        assert time_kind(Encoded(np.array([1, 0]), values[::-1]), numbers) == kind


@pytest.mark.parametrize(
    ("given", "time_", "wanted"),
    [
        (NOON, "time of day", "times of day, such as datetime.time(12)"),
        (time(12), "date", "dates, such as '2020-02-29'"),
        (timedelta(1), "datetime", "dates or times, such as '2020-02-29 12:00'"),
        (time(12), "duration", "durations, such as datetime.timedelta(hours=1)"),
        (NOON, "datetime in UTC", "times with a time zone, such as '2020-02-29 12:00+01:00'"),
        (NOON, None, "numbers"),
    ],
)
def test_times_of_another_kind_are_refused_with_the_first_of_them(given, time_, wanted):
    features = [Feature("sky", "nominal", ("grey",)), Feature("age", "numeric"), Feature("born", "numeric", time=time_)]
    columns = [np.array([0, 0]), np.array([1.0, 2.0]), SECONDS]
    got = f"Values of 'born' must be {wanted}, got {given!r} in row 1."
    with pytest.raises(ValueError, match=message(got)):
        check_times(features, [["grey", "grey"], [1, 2], [None, given]], columns)
    check_times(features[:2], [[NOON, NOON], np.array([1.0, 2.0])], columns[:2])


def test_numbers_of_seconds_are_times_of_any_kind_and_dates_are_times():
    for kind in ("date", "datetime", "duration", None):
        check_times([Feature("x", "numeric", time=kind)], [[None, 5]], [np.array([np.nan, 5.0])])
    for kind in ("date", "datetime"):
        check_times([Feature("x", "numeric", time=kind)], [[date(2020, 2, 29)]], [np.array([1.0])])


# Conditions, one-hot columns, files -------------------------------------------------------------------------------


def test_where_none_is_a_value_it_is_found_as_one():
    data = Dataset.from_rows([["a"], [None], ["b"]], [0, 1, 1]).missing_as_value()
    assert [len(data.where(x0=wanted)) for wanted in (None, ["a", None], "a")] == [1, 2, 1]


def test_a_function_is_not_called_where_nothing_is_known():
    data = Dataset.from_columns({"x": [None, None], "class": [0, 1]}, kinds="numeric")
    assert len(data.where(x=pytest.fail)) == 0


@pytest.mark.parametrize("words", [("true", "false"), ("yes", "no"), (" TRUE", "False "), ("1", "0"), (1.0, 0.0), (True, False)])
def test_words_for_true_and_false_are_one_hot(words):
    assert from_one_hot({"a": words, "b": words[::-1]}) == ["a", "b"]


def test_the_first_row_that_is_not_one_hot_is_told():
    got = "Exactly one of 'a', 'b' must be true in each row, got 0 in row 1."
    with pytest.raises(ValueError, match=message(got)):
        from_one_hot({"a": [1, 0, 1], "b": [0, 0, 1]})
    assert from_one_hot({"a": [], "b": []}) == []


def test_files_of_a_glob_are_sorted_and_may_be_in_folders_below(tmp_path, monkeypatch):
    for name in ("b.csv", "a.csv", "deep/er/c.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x,y\n1,2\n")
    (tmp_path / "folder.csv").mkdir()
    monkeypatch.setattr(sources, "glob", lambda *given, **options: sorted(glob(*given, **options), reverse=True))  # noqa: PTH207
    found = sources.sources_of(tmp_path / "**" / "*.csv")
    assert [each.name.rpartition("/")[2] for each in found] == ["a.csv", "b.csv", "c.csv"]
    assert "path=" not in repr(found[0])


def test_the_lines_of_a_source_end_as_they_do_in_the_file():
    assert list(sources.sources_of(b"\xef\xbb\xbfa\r\nb\rc\n")[0].lines()) == ["a\r\n", "b\r", "c\n"]


@pytest.mark.parametrize(("names", "strange"), [(["a.csv", "b.xls", "c.csv"], "b.xls"), (["a.csv", "b.csv", "c.arff"], "c.arff")])
def test_files_of_several_formats_are_told_with_one_that_differs(names, strange):
    listed = [sources.Source(name, name[2:], None) for name in names]
    with pytest.raises(ValueError, match=rf"^A file's name must end in one of \.csv, .*, all alike, got '{strange}'\. Or"):
        sources.format_of(listed, None)
    assert sources.format_of(listed[:1], None) == "csv"


# Features of a schema ---------------------------------------------------------------------------------------------


def test_columns_of_a_dataset_stay_and_those_of_rows_are_checked():
    columns, n, single = columns_of(TEN.schema, TEN)
    assert (columns[0] is TEN.columns[0], n, single) == (True, 10, False)
    assert recoded_columns(TEN, TEN.schema.features)[0] is TEN.columns[0]
    assert cells_of(TEN.schema, TEN) == ([TEN["x0"].tolist()], 10, False)
    with pytest.raises(ValueError, match="'x0' must be finite, got inf in row 1"):
        columns_of(TEN.schema, [[1.0], [float("inf")]])


# Ranges -----------------------------------------------------------------------------------------------------------


def test_cuts_are_numbers_of_any_type_and_as_many_as_are_wanted():
    assert binned([1, 2, None], cuts=[Decimal("1.5")]) == ["<= 1.5", "> 1.5", None]
    assert binned([0, 1], cuts=[Fraction(1, 2), 3], labels=["a", "b", "c"]) == ["a", "b"]
    for n, dtype in ((127, np.int8), (128, np.int16)):
        codes = bin_codes(np.array([-1.0, n - 0.5, np.nan]), range(n))
        assert (codes.tolist(), codes.dtype) == ([0, n, -1], dtype)


def test_a_column_with_a_text_is_not_divided():
    data = Dataset.from_columns({"x": [1, "a", 2], "class": [0, 1, 1]}, kinds="nominal")
    with pytest.raises(ValueError, match=message("A column to divide must hold numbers, got 'x', which is nominal.")):
        data.binned("x", cuts=[1])


@pytest.mark.parametrize("cuts", [(15, float("inf")), (float("-inf"), 15), (True, 2), (1, 1), (1, 3, 2), (3, 2, 4), ()], ids=repr)
def test_cuts_are_finite_numbers_that_increase(cuts):
    got = f"cuts must be numbers in increasing order, such as (15, 25), got {cuts!r}."
    with pytest.raises(ValueError, match=message(got)):
        binned([1, 2], cuts=cuts)


# Summaries, pickles and times of tables -----------------------------------------------------------------------------


def test_a_summary_shows_three_examples_of_twenty_characters_and_five_words_for_missing():
    words = ["?", "NA", "N/A", "n/a", "null", "NULL"]
    texts = ["x" * 18, "y" * 19, "z", "w", *words, None]
    days = [date(2020, 2, 29 - number % 3) for number in range(11)]
    data = Dataset.from_columns({"s": texts, "d": days, "class": [0, 1] * 5 + [0]}, kinds={"s": "nominal"})
    header, *rows = str(data.summary()).splitlines()
    assert header == "11 rows"
    assert [row.split("  ")[0] for row in rows] == ["column", "s", "d", "class"]
    assert "'xxxxxxxxxxxxxxxxxx', 'yyyyyyyyyyyyyyyy..., 'z', ...  " in rows[1]
    assert " 7 (null, '?', 'N/A', 'NA', 'NULL', ...)  " in rows[1]
    assert re.split("  +", rows[2])[-2:] == ["2020-02-29, 2020-02-28, 2020-02-27", "dates, in seconds"]
    assert rows[3].split() == ["class", "target", "2", "0", "0,", "1", "the", "labels"]


def test_a_pickled_dataset_keeps_the_origins_of_its_columns():
    data = Dataset.from_columns({"s": ["a", "?"], "class": [0, 1]})
    assert pickle.loads(pickle.dumps(data)).origins == data.origins != ()  # noqa: S301  # our own


def test_whole_class_counts_are_integers():
    data = Dataset.from_rows([[1], [2], [3]], [0, 1, 1], weights=[1, 0.25, 0.5])
    assert [(type(count), count) for count in data.class_counts()] == [(int, 1), (float, 0.75)]


@pytest.mark.parametrize(("n_features", "shown"), [(11, 12), (12, 12), (20, 12)])
def test_a_notebook_shows_all_of_twelve_columns_and_twelve_of_more(n_features, shown):
    page = Dataset.from_rows([[1] * n_features], ["a"])._repr_html_()
    assert page.count("<th>") == shown
    assert ("<th>...</th>" in page) == (n_features > 11)


def test_a_table_prints_its_number_of_rows_and_no_cell():
    assert repr(as_table({"x": range(1000)})) == "Table(n_rows=1000)"


def test_a_column_that_a_table_lacks_is_told_with_those_it_has():
    for table, got in (
        ({"sky": [1]}, "the columns 'sky'. Did you mean 'sky'?"),
        ({"a": [1], "b": [1]}, "the columns 'a', 'b'."),
        ({}, "no columns."),
    ):
        with pytest.raises(KeyError, match=re.escape(f"The table must have a column 'Sky', got {got}")):
            as_table(table).column("Sky")


def test_times_of_another_kind_are_refused_in_rows_and_in_labelled_tables():
    schema = Schema([Feature("born", "numeric", time="date")], "ill", ("no", "yes"))
    got = message("Values of 'born' must be dates, such as '2020-02-29', got datetime.time(3, 0) in row 0.")
    for read in (lambda: columns_of(schema, [[time(3)]]), lambda: as_dataset(schema, {"born": [time(3)], "ill": ["no"]})):
        with pytest.raises(ValueError, match=got):
            read()
    assert columns_of(schema, [[date(1970, 1, 2)]])[0][0].tolist() == [86400.0]


def test_a_feature_without_a_gap_gets_no_value_for_missing():
    data = Dataset.from_columns({"s": ["a", "b", "a"], "t": ["c", None, "d"], "class": [0, 1, 0]})
    filled = data.missing_as_value()
    assert [feature.values for feature in filled.schema.features] == [("a", "b"), ("c", "d", None)]
    assert [column.tolist() for column in filled.columns] == [[0, 1, 0], [0, 2, 1]]


@pytest.mark.parametrize("pair", ["ab", 3, (1,), ([1], "no", "more"), None, {"a": 1}], ids=repr)
def test_a_pair_is_a_row_and_a_label(pair):
    with pytest.raises(ValueError, match=message(f"A pair must be (row, label), got {pair!r} as pair 1.")):
        Dataset.from_pairs([([1], "no"), pair])
    with pytest.raises(TypeError, match=message("pairs must be a sequence of (row, label), got 3.")):
        Dataset.from_pairs(3)
    assert Dataset.from_pairs(iter([([1], "no"), ([2], "yes")]), target="ride").schema.target == "ride"
