"""Blocks of delimited files: regular files are read by engines, without Python's reader, and what is irregular is found."""

import numpy as np
import pytest
from attrs import evolve
from toolz import identity

from ftree import Dataset
from ftree.data import csv_blocks, csv_by_pandas, csv_columns, delimited
from ftree.data.csv_block_parts import expected_parts, parts_of, typed_parts
from ftree.data.csv_blocks import Irregular, Shape, blocks_of, check_complete, check_no_blank_record, check_regular, shape_of
from ftree.data.csv_engines import ENGINES
from ftree.data.csv_layout import Layout
from ftree.data.csv_parts import Numbers
from ftree.data.sources import sources_of

REGULAR = {
    "numbers": "a,b,c\n" + "1,2.5,no\n3,-1e3,yes\n" * 6,
    "missing": "a,b,c\n" + "1,?,no\n,2,yes\n" * 6,
    "missing late": "a,b,c\n" + "1,2,no\n3,4,yes\n" * 4 + "5,?,no\n" * 3,
    "text late": "a,b,c\n" + "1,2,no\n3,4,yes\n" * 4 + "5,red,no\n" * 3,
    "texts": "a,b,c\n" + "red,x,no\nblue,y,yes\n" * 6,
    "quotes": 'a,b,c\n"1","x, y",no\n"2","say ""no""",yes\n' * 1 + '3,"one\ntwo",no\n' * 5,
    "Windows": "a,b,c\r\n" + '1,"x",no\r\n2,y,yes\r\n' * 6,
    "tabs": "a\tb\tc\n" + "1\tx,y\tno\n2\ty\tyes\n" * 6,
    "empty ends": "a,b,c\n" + "1,2,no\n2,3,\n" * 6,
    "no line end": "a,b,c\n" + "1,2,no\n2,3,yes\n" * 6 + "3,4,no",
    "blank lines first": "\n \na,b,c\n" + "1,2,no\n2,3,yes\n" * 6,
    "byte order mark": "\ufeffa,b,c\n" + "1,2,no\n2,3,yes\n" * 6,
}
TARGETS = {"missing": "c", "empty ends": "b"}  # columns in which nothing is missing


def refused(*_):
    raise AssertionError("Python's reader is not needed.")


@pytest.mark.parametrize("block", [1 << 22, 30], ids=["one block", "several blocks"])
@pytest.mark.parametrize("name", REGULAR)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_reads_a_regular_file_alone(engine, name, block, monkeypatch):
    content, options = REGULAR[name].encode(), {"target": TARGETS.get(name, "a"), "missing": ["?", ""]}
    wanted = Dataset.read_csv(content, engine="python", **options)
    monkeypatch.setattr(csv_blocks, "BLOCK", block)
    monkeypatch.setattr(delimited, "read_in_python", refused)
    read = Dataset.read_csv(content, engine=engine, **options)
    assert (read, read.summary()) == (wanted, wanted.summary())


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_reads_a_file_without_names_and_with_those_given_alone(engine, monkeypatch):
    content = b"1,2,no\n3,4,yes\n"
    wanted = [Dataset.read_csv(content, engine="python", header=header) for header in (False, ["a", "b", "c"])]
    monkeypatch.setattr(delimited, "read_in_python", refused)
    assert [Dataset.read_csv(content, engine=engine, header=header) for header in (False, ["a", "b", "c"])] == wanted
    assert [feature.name for feature in wanted[0].schema.features] == ["x0", "x1"]


@pytest.mark.parametrize(
    ("first", "header", "delimiter", "shape"),
    [
        (b"a,b\n1,2\n", True, None, Shape(("a", "b"), ",", 4, 1)),
        (b"\n  \na,b\n1,2\n", True, None, Shape(("a", "b"), ",", 8, 3)),
        (b"a,b", True, None, Shape(("a", "b"), ",", 3, 0)),
        (b' a ,"b c"\r\n1,2\r\n', True, None, Shape(("a", "b c"), ",", 11, 1)),
        (b'a, "b"\n', True, None, Shape(("a", "b"), ",", 7, 1)),
        (b"a\tb,c\n", True, None, Shape(("a", "b,c"), "\t", 6, 1)),
        (b"\ta,b\t\n", True, None, Shape(("a", "b"), ",", 6, 1)),
        (b"a;b\n1;2\n", True, ";", Shape(("a", "b"), ";", 4, 1)),
        (b"a|b\n", True, "|", Shape(("a", "b"), "|", 4, 1)),
        (b"1,2\n3,4\n", False, None, Shape(("x0", "x1"), ",", 0, 0)),
        (b"\n1,2\n3,4\n", False, None, Shape(("x0", "x1"), ",", 1, 1)),
        (b"1,2\n3,4\n", ["a", "b"], None, Shape(("a", "b"), ",", 0, 0)),
        (b"1,\n3,4\n", ["a", "b"], None, None),
        (b"1,2,3\n", ["a", "b"], None, None),
        (b"a,b,\n", True, None, None),
        (b"a,,b\n", True, None, None),
        (b"a,a\n", True, None, None),
        (b"a\n", True, None, None),
        (b"a b\n", True, " ", None),
        (b"a,\xff\n", True, None, None),
        (b'a,"b\n', True, None, None),
        (b'a,"b"c\n', True, None, None),
        (b"", True, None, None),
    ],
)
def test_the_shape_of_a_file_is_that_of_its_first_line(first, header, delimiter, shape):
    if shape is None:
        with pytest.raises(Irregular):
            shape_of(first, header, delimiter)
    else:
        assert shape_of(first, header, delimiter) == shape


def test_blocks_double_up_to_their_largest_size(monkeypatch):
    monkeypatch.setattr(csv_blocks, "BLOCK", 16)
    monkeypatch.setattr(csv_blocks, "FIRST_BLOCK", 4)
    content = b"12\n" * 20 + b"1"
    assert list(map(len, blocks_of(sources_of(content)[0]))) == [3, 9, 15, 15, 18, 1]
    monkeypatch.setattr(csv_blocks, "BLOCK", 2)
    assert list(map(len, blocks_of(sources_of(b"1\n2\n34\n")[0]))) == [2, 2, 3]


@pytest.mark.parametrize(
    ("block", "regular"),
    [
        (b"a,b\n", True),
        (b"a,b\r\nc,d\r\n", True),
        (b"a,b\r\nc\rd,e\r\n", False),
        (b"a\0,b\n", False),
        (b"\xef\xbb\xbfa,b\n", False),
        (b"a,#b\n", False),
        (b'"a","b"\n', True),
        (b'"a","b"', True),
        (b'"a""b",c\n', True),
        (b'a"b,c\n', False),
        (b'a,b"\n', False),
        (b'"a"b,c\n', False),
        (b'a,"b\n', False),
        (b'a,"b""\n', False),
        (b'"a","b" \n', False),
        (b'a, "b"\n', False),
        (b'a,"b"\r\n', True),
        (b'a,"b\nc"\n"d",e\n', True),
        (b'x"y"z,"b"\n', False),
        (b'"a",x"b"\n', False),
    ],
)
def test_a_block_is_regular_where_quotes_are_around_cells(block, regular):
    if regular:
        check_regular(block, ",", "#")
    else:
        with pytest.raises(Irregular):
            check_regular(block, ",", "#")
    if b"#" in block:
        check_regular(block, ",", None)


@pytest.mark.parametrize(
    ("block", "blank"),
    [
        (b"a,b\n,\n", True),
        (b",\na,b\n", True),
        (b"a,b\n \t,\r\n1,2\n", True),
        (b'a,b\n"",""\n', True),
        (b"a,b\n,c\n", False),
        (b"a,b\nc,\n", False),
        (b",c\n", False),
    ],
)
def test_a_record_of_empty_cells_is_found_wherever_it_stands(block, blank):
    if blank:
        with pytest.raises(Irregular):
            check_no_blank_record(block, ",")
    else:
        check_no_blank_record(block, ",")


TWO = Shape(("a", "b"), ",", 0)


@pytest.mark.parametrize(
    ("block", "read", "inside", "complete"),
    [
        (b"1,2\n3,4\n", (2, 2), 0, True),
        (b"1,2\n3\n", (2, 2), 0, False),
        (b"1,2\n3,4,\n", (2, 2), 0, False),
        (b"1,2,3\n4,5,6\n", (2, 3), 0, False),
        (b'"1,1",2\n3,4\n', (2, 2), 1, True),
        (b'"1,1",2\n3,4\n', (2, 2), 0, False),
        (b"1,2\n3,4\n", (2, 2), 5, True),
    ],
)
def test_the_number_of_delimiters_shows_a_line_that_is_too_short(block, read, inside, complete):
    if complete:
        check_complete(block, TWO, read, lambda mark: inside * (mark == ","))
    else:
        with pytest.raises(Irregular):
            check_complete(block, TWO, read, lambda mark: inside * (mark == ","))


def test_bytes_are_counted_up_to_an_end_in_pieces(monkeypatch):
    monkeypatch.setattr(csv_blocks, "_PIECE", 3)
    content = b",a,,b,,,"
    assert csv_blocks.count_byte(content, b",") == 6
    assert [csv_blocks.count_byte(content, b",", end) for end in range(1, 9)] == [1, 1, 2, 3, 3, 4, 5, 6]
    assert csv_blocks._quotes_are_around_cells(b'"a","b"\n1,"c"\n', ",")
    assert not csv_blocks._quotes_are_around_cells(b'"a","b"\n1, "c"\n', ",")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_gives_floats_texts_and_gaps(engine):
    made = ENGINES[engine]
    block = b'1,x,"a,b"\n2.5,?,y\n-3,x,\n'
    found = made.read(block, Shape(("n", "s", "t"), ",", 0), ["n", "s", "t"], ["n"])
    assert list(found) == ["n", "s", "t"]
    assert np.asarray(found["n"]).tolist() == [1, 2.5, -3]
    texts, codes = made.encode(found["t"])
    assert [texts[code] for code in codes] == ["a,b", "y", ""]
    assert texts == ["a,b", "y", ""]
    without, times = made.without(found["s"], ["?", "NA"])
    assert times == {"?": 1}
    assert made.floats(found["s"]) is None
    only = made.read(block, Shape(("n", "s", "t"), ",", 0), ["n"], [])["n"]
    assert (made.floats(only).tolist(), made.floats(only).dtype) == ([1, 2.5, -3], np.float64)
    known, times = made.without(only, ["2.5", "1", "9"])
    assert times == {"2.5": 1, "1": 1}
    assert np.array_equal(made.floats(known), [np.nan, np.nan, -3], equal_nan=True)
    assert len(without) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_refuses_numbers_that_are_none_and_lines_of_other_lengths(engine):
    made, shape = ENGINES[engine], Shape(("n", "s"), ",", 0)
    for block in (b"1,x\nred,y\n", b"1,x\n,y\n"):
        if engine != "pyarrow" or b"red" in block:
            with pytest.raises(Irregular):
                made.read(block, shape, ["n", "s"], ["n"])
    for block in (b"1,x\n2\n", b"1,x,3\n2,y,4\n"):
        with pytest.raises(Irregular):
            made.read(block, shape, ["n", "s"], [])


@pytest.mark.parametrize(
    ("content", "words", "numbers"),
    [
        (b"1,a\n2,b\n", [], {"a"}),
        (b"1,a\n?,b\n", ["?"], {"a"}),
        (b"1,a\n?,b\n", [], set()),
        (b"nan,a\n1,b\n", [], set()),
        (b"1,a\n9007199254740993,b\n", [], set()),
        (b"1,a\n-9,b\n", [-9], set()),
    ],
)
def test_a_column_of_a_block_is_floats_where_all_that_is_known_is(content, words, numbers):
    block = (Shape(("a", "b"), ",", 0), content)
    parts = parts_of(block, Layout(missing=words), ENGINES["pyarrow"], ["b"], ["a", "b"])
    assert {name for name, part in parts.items() if isinstance(part, Numbers)} == numbers
    assert not isinstance(parts_of(block, Layout(missing=words), ENGINES["pyarrow"], ["a", "b"], ["a", "b"])["a"], Numbers)


@pytest.mark.parametrize(
    ("content", "end"),
    [
        (b"", 0),
        (b"a", 0),
        (b"a\n", 2),
        (b"a\nb", 2),
        (b'"a"\nb', 4),
        (b'"a\n', 0),
        (b'1\n"a\n', 2),
        (b'1\n2\n"a\nb\n', 4),
        (b'"x"\n"a\nb"\n"c\n', 10),
        (b'"x"\n"y"\n"a""\n', 8),
    ],
)
def test_a_record_ends_at_a_line_end_outside_quotes(content, end):
    assert csv_blocks._end_of_record(content) == end


@pytest.mark.parametrize("content", [b"1,a\r2,b\n", b"1,a\n2,\0\n", b"1,#a\n", b'1,a"b\n'])
def test_a_later_block_that_is_irregular_is_found_too(content):
    block = (Shape(("a", "b"), ",", 0), content)
    for engine in ENGINES.values():
        for read in (parts_of, expected_parts):
            with pytest.raises(Irregular):
                read(block, Layout(comment="#"), engine, ["b"], ["a", "b"])


@pytest.mark.parametrize("odd", ["", "9,a#b\n", "9,a\0\n"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_large_local_file_is_read_by_its_engine_alone_where_all_of_it_is_regular(engine, odd, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_blocks, "BLOCK", 64)
    path = tmp_path / "large.csv"
    path.write_text("a,b\n" + "1,x\n2.5,y\n" * 30 + odd + "3,z\n" * 30)
    wanted = Dataset.read_csv(path, engine="python", comment="#", missing=["?"])
    monkeypatch.setattr(delimited, "read_in_python", refused)
    if odd:
        with pytest.raises(AssertionError, match="is not needed"):
            Dataset.read_csv(path, engine=engine, comment="#", missing=["?"])
    else:
        assert Dataset.read_csv(path, engine=engine, comment="#", missing=["?"]) == wanted


def test_large_files_of_the_same_columns_are_read_whole_and_their_blocks_are_only_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_blocks, "BLOCK", 64)
    for number in (1, 2):
        (tmp_path / f"{number}.csv").write_text("a,b\n" + "1,x\n2.5,y\n" * 30 * number)
    wanted = Dataset.read_csv(tmp_path / "*.csv", engine="python")
    monkeypatch.setattr(csv_columns, "expected_parts", refused)
    assert Dataset.read_csv(tmp_path / "*.csv", engine="pandas") == wanted


def test_columns_are_read_as_numbers_at_once_only_where_the_first_one_is_of_numbers():
    read, shape = {"a": np.array([1.0]), "b": (["x"], [0])}, Shape(("a", "b"), ",", 0)
    engine = evolve(ENGINES["pandas"], encode=identity)
    asked = []
    parts = [typed_parts(lambda names: asked.append(names) or read, shape, ["a", "b"], Layout(), engine, [text]) for text in "ab"]
    assert (parts[0], list(parts[1]), asked) == (None, ["a", "b"], [["a"]])


@pytest.mark.parametrize("engine", ENGINES)
def test_delimiters_inside_quotes_are_no_ends_of_cells(engine, monkeypatch):
    content = b'a|b|c\n"x|y"|1|\nz|2|"u|v|w"\n'
    wanted = Dataset.read_csv(content, engine="python", delimiter="|", target="b")
    monkeypatch.setattr(delimited, "read_in_python", refused)
    assert Dataset.read_csv(content, engine=engine, delimiter="|", target="b") == wanted


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_lists_texts_in_the_order_of_their_rows(engine):
    listed = [f"text {number * 7919 % 1000}" for number in range(1000)]
    block = "".join(f"{text},1\n" for text in [*listed, *listed]).encode()
    column = ENGINES[engine].read(block, TWO, ["a"], ())["a"]
    texts, codes = ENGINES[engine].encode(column)
    assert (texts, np.asarray(codes).tolist()) == (listed, [*range(1000), *range(1000)])


ONES = [([0, 1], True), ([1, 1], True), ([0.0], True), ([0.5, 1], False), ([1, 2], False), ([2, 0], False), ([0, -1], False)]


@pytest.mark.parametrize(("numbers", "are"), ONES)
def test_words_for_booleans_can_only_be_among_zeros_and_ones(numbers, are):
    assert csv_by_pandas._are_zeros_and_ones(np.array(numbers)) is are
    for content, found in ((b"a,TRUE\n", are), (b"true", are), (b"False", are), (b"a,1\n", False)):
        if found:
            with pytest.raises(Irregular):
                csv_by_pandas._check_no_booleans([np.array([3]), np.array(numbers)], content)
        else:
            csv_by_pandas._check_no_booleans([np.array([3]), np.array(numbers)], content)
