"""What Python's reader of delimited files gathers: cells, layouts, records and columns."""

from math import inf

import numpy as np
import pytest
from attrs import fields

from ftree import Dataset
from ftree.data.csv_cells import CellColumns, joined, without_empty_end
from ftree.data.csv_layout import Layout
from ftree.data.csv_parts import FloatColumn, Numbers, TextColumn
from ftree.data.csv_texts import TextCells
from ftree.data.encoded import Encoded

RECORDS = [(1, ["1", "x"]), (2, ["2", "y"]), (4, ["", "x"])]


def read(cells):
    return [column and column.__class__.__name__ for column in cells.columns()]


def test_columns_are_made_of_records_only():
    assert [each.name for each in fields(CellColumns) if each.init] == ["fixed", "layout", "is_text"]
    assert [each.name for each in fields(TextCells) if each.init] == ["code_of", "codes"]


def test_columns_are_texts_unless_another_reading_is_asked_for():
    texts, numbers = CellColumns(2), CellColumns(2, Layout(missing=[""]), lambda place: place == 1)
    for cells in (texts, numbers):
        cells.take(RECORDS[:2])
        cells.take(RECORDS[2:])
        assert (cells.n_rows, cells.wrong_length()) == (3, None)
    assert [column.tolist() for column in texts.columns()] == [["1", "2", ""], ["x", "y", "x"]]
    ages, names = numbers.columns()
    assert np.array_equal(ages.floats, [1, 2, np.nan], equal_nan=True)
    assert (ages.missing, names.tolist()) == (("",), ["x", "y", "x"])


def test_a_column_of_numbers_in_which_texts_follow_is_unknown_and_one_of_texts_stays():
    cells = CellColumns(2, Layout(), lambda _: False)
    cells.take(RECORDS[:2])
    cells.take([(3, ["red", "3"])])
    assert read(cells) == [None, "Encoded"]


def test_without_a_width_columns_are_as_many_as_the_longest_record_has():
    cells = CellColumns(None)
    cells.take([(1, ["a"]), (2, ["a", "b", ""]), (3, ["a"])])
    assert (cells.width, cells.n_rows, cells.wrong_length()) == (2, 3, (1, 1))
    padded = CellColumns(None)
    padded.take([(1, ["a", "", ""]), (2, ["c", "d"]), (3, ["e", "", "", ""])])
    assert padded.wrong_length() is None
    assert [column.tolist() for column in padded.columns()] == [["a", "c", "e"], ["", "d", ""]]


@pytest.mark.parametrize(
    ("records", "wrong"),
    [
        ([(1, ["a"]), (2, ["a", "b"])], (1, 1)),
        ([(1, ["a", "b"]), (5, ["a", "b", "c"]), (7, ["a"])], (5, 3)),
        ([(1, ["a", "b", ""]), (2, ["a", "b", "", "d"])], (2, 4)),
        ([(1, ["a", "b", "", ""]), (2, ["a", ""])], None),
    ],
)
def test_the_first_record_of_another_length_is_told_empty_cells_at_the_end_aside(records, wrong):
    cells = CellColumns(2)
    cells.take(records)
    assert cells.wrong_length() == wrong


def test_empty_cells_at_the_end_go_beyond_the_width_only():
    for cells, width, kept in [("ab", 0, 2), ("ab--", 0, 2), ("a---", 2, 2), ("----", 0, 0), ("----", 3, 3), ("a-b-", 9, 4)]:
        listed = ["" if cell == "-" else cell for cell in cells]
        assert without_empty_end(listed, width) == listed[:kept]


def test_parts_of_a_column_are_joined_in_order_with_all_their_texts_for_missing():
    numbers = [Numbers(np.array([1.0]), ["?"]), Numbers(np.array([2.0, np.nan]), ["NA"])]
    whole = joined(numbers)
    assert np.array_equal(whole.floats, [1, 2, np.nan], equal_nan=True)
    assert whole.missing == ("?", "NA")
    assert joined(numbers[:1]) is numbers[0]
    texts = [Encoded(np.array([0]), ["b"]), Encoded(np.array([1, 0]), ["a", "b"])]
    assert joined(texts).tolist() == ["b", "b", "a"]
    assert joined(texts[:1]) is texts[0]


def test_numbers_that_mean_missing_are_given_as_numbers_or_as_texts():
    layout = Layout(missing=["?", " x ", "-9", 7, 2.5, None, float("nan"), 10**400, "1_0"])
    assert sorted(layout.missing_numbers) == [-9, 2.5, 7]
    assert sorted(layout.words) == ["-9", "1_0", "?"]


@pytest.mark.parametrize(
    ("floats", "n_missing", "are_numbers"),
    [
        ([], 0, True),
        ([1.0, 2.0], 0, True),
        ([3.0, 3.0], 0, True),
        ([1.0, -9.0], 0, False),
        ([1.0, np.nan], 0, False),
        ([1.0, np.nan], 1, True),
        ([1.0, np.nan], 2, False),
        ([np.nan, -9.0], 1, False),
        ([2.0**53 - 1, 1 - 2.0**53], 0, True),
        ([1.0, 2.0**53], 0, False),
        ([1.0, -(2.0**53)], 0, False),
        ([1.0, 2.0**53, np.nan], 1, False),
        ([1.0, -(2.0**53), np.nan], 1, False),
        ([1.0, 2.0**53 - 1, np.nan], 1, True),
        ([1.0, inf], 0, False),
    ],
)
def test_floats_are_the_numbers_of_a_file_where_none_is_missing_or_too_large(floats, n_missing, are_numbers):
    assert Layout(missing=[-9]).are_numbers(np.array(floats), n_missing) is are_numbers
    if -9 not in floats:
        assert Layout().are_numbers(np.array(floats), n_missing) is are_numbers


def test_cells_are_numbers_beside_words_for_missing():
    numbers = Layout(missing=["?", "NA"]).numbers(["1", "?", "2", "?"])
    assert np.array_equal(numbers.floats, [1, np.nan, 2, np.nan], equal_nan=True)
    assert numbers.missing == {"?"}
    assert Layout(missing=["?"]).numbers(["1", "nan", "?"]) is None
    assert Layout(missing=["?"]).numbers(["1", "2"]).missing == frozenset()


def test_a_column_of_floats_takes_numbers_only_and_has_no_minus_zero():
    column = FloatColumn()
    assert column.add(Numbers(np.array([-0.0, 1.0]), ["?"])) is True
    assert column.add((["a"], np.array([0]))) is False
    assert column.add(Numbers(np.array([2.5]), ["NA", "?"])) is True
    whole = column.whole()
    assert list(map(repr, whole.floats.tolist())) == ["0.0", "1.0", "2.5"]
    assert whole.missing == ("?", "NA")


@pytest.mark.parametrize(
    ("blocks", "unknown"),
    [([[np.nan], [np.nan, np.nan]], True), ([[np.nan, 1.0], [np.nan]], False), ([[1.0], [np.nan]], False)],
)
def test_a_column_is_unknown_where_every_cell_is_missing(blocks, unknown):
    column = FloatColumn()
    for block in blocks:
        column.add(Numbers(np.array(block), ["?"]))
    assert column.is_unknown() is unknown
    assert FloatColumn().is_unknown() is False


def test_a_column_of_texts_has_each_stripped_text_once():
    column = TextColumn()
    assert column.add(([" b", "a"], np.array([0, 1, 0]))) is True
    assert column.add((["a", "b "], np.array([1, 0]))) is True
    whole = column.whole()
    assert (whole.tolist(), whole.values, whole.codes.dtype) == (["b", "a", "b", "b", "a"], ["b", "a"], np.int32)
    assert column.is_unknown() is False


# Records ------------------------------------------------------------------------------------------------------


def test_the_delimiter_is_a_tab_where_the_first_line_has_one_that_is_neither_blank_nor_a_comment():
    content = b"\n#a\tb\tc\n  \nx\ty\n1,5\tno\n2,5\tyes\n"
    assert Dataset.read_csv(content, comment="#", engine="python", kinds="nominal")["x"].tolist() == ["1,5", "2,5"]
    commas = b"#a\tb\nx,y\n1\t5,no\n2\t5,yes\n"
    assert Dataset.read_csv(commas, comment="#", engine="python")["x"].tolist() == ["1\t5", "2\t5"]
    assert Dataset.read_csv(content.replace(b"\t", b";"), comment="#", delimiter=";", engine="python").schema.target == "y"


def test_a_record_is_skipped_where_all_of_its_cells_are_empty_and_not_where_some_are():
    data = Dataset.read_csv(b"a,b,y\n,,\n1,,no\n , ,\t\n,2,yes\n", engine="python", kinds="nominal")
    assert data.rows() == [{"a": "1", "b": None, "y": "no"}, {"a": None, "b": "2", "y": "yes"}]
