"""Every reader of a delimited file makes the same dataset, gives the same reasons, and raises the same errors."""

import gzip
import warnings
from os import getpid
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pytest
from attrs import evolve
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ftree import Dataset
from ftree.data import csv_blocks, csv_by_pandas, delimited
from ftree.data.csv_engines import ENGINES
from ftree.data.csv_parts import FloatColumn, Numbers
from ftree.data.missing_values import MISSING_WORDS
from ftree.data.sources import sources_of

# Cells by the kind of column; each is written unchanged, quoted or not.
NUMBERS = ["1", "2.5", "-3", "+5", "007", ".5", "5.", "1e3", "-0", "0.1", "1e-320", "12345678901234567"]
MISSING = ["", "NA", "?", "nan", "NULL", "N/A"]
ODD = [
    "1_0",
    "inf",
    "-Infinity",
    "1e400",
    "9007199254740993",
    "0x10",
    "1d5",
    "1e",
    "--1",
    "1,5",
    " 1 ",
    "1\u00a0",
    "\u0663",
    "\uff11",
    "True",
]
DATES = ["2020-02-29", "1999-12-31"]
TEXTS = [
    "red",
    "grün",
    "a b",
    " x",
    "x ",
    "x,y",
    'say "no"',
    "one\ntwo",
    "one\r\ntwo",
    "#",
    "\u00a0",
    "\u3000",
    "'",
    "\\",
    "a;b",
    '"',
]
FAMILIES = [NUMBERS, NUMBERS + MISSING, NUMBERS + ODD, DATES, DATES + MISSING, TEXTS, TEXTS + MISSING + NUMBERS]


options = st.fixed_dictionaries(
    {},
    optional={
        "header": st.sampled_from([True, True, False, ["a", "b"], ["a", "b", "c"]]),
        "comment": st.just("#"),
        "missing": st.sampled_from([("?",), (), ("1", "red"), ("",), (-3, 2.5, True), MISSING_WORDS]),
        "kinds": st.sampled_from(["nominal", "ordinal", "numeric"]),
        "target": st.sampled_from([0, "c1"]),
    },
)


@st.composite
def files(draw):
    """A file as bytes, and options: most are in the usual form, some have an irregularity."""
    n_columns, n_rows = draw(st.sampled_from([2, 3, 4, 1])), draw(st.integers(0, 6))
    families = draw(st.lists(st.sampled_from(FAMILIES), min_size=n_columns, max_size=n_columns))
    delimiter = draw(st.sampled_from([",", ",", ",", "\t", ";"]))
    line_end = draw(st.sampled_from(["\n"] * 6 + ["\r\n"] * 3 + ["\r"]))
    names = [f"c{number}" for number in range(n_columns)]
    rows = [names, *([draw(st.sampled_from(family)) for family in families] for _ in range(n_rows))]
    lines = [delimiter.join(_written(draw, cell, delimiter) for cell in row) for row in rows]
    if draw(st.integers(0, 3)) == 0:
        oddities = ["", "  ", "# note", delimiter * (n_columns - 1), "1", delimiter, '"', "\0", 'x"']
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(oddities)))
    text = line_end.join(lines) + draw(st.sampled_from(["", line_end]))
    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    chosen = draw(options) | ({"delimiter": ";"} if delimiter == ";" else {})
    return (mark + text).encode() + draw(st.sampled_from([b""] * 15 + [b"\xff"])), chosen


def _written(draw, cell, delimiter):
    """A cell in quotes if it needs them, sometimes if it does not, and rarely without them."""
    must = any(mark in cell for mark in (delimiter, '"', "\n", "\r"))
    if (draw(st.integers(0, 39)) != 0) if must else (draw(st.integers(0, 4)) == 0):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def in_a_file(content):
    """The path of a file with the content."""
    path = Path(gettempdir(), f"ftree-csv-{getpid()}.csv")
    path.write_bytes(content)
    return path


def outcome(content, engine, chosen):
    """The dataset, its reasons and the warnings; or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            dataset = Dataset.read_csv(content, engine=engine, **chosen)
        except (ValueError, KeyError) as error:
            return type(error), str(error)
    return dataset, repr(dataset), repr(dataset.summary()), [str(each.message) for each in caught]


# An engine that reads files itself reads other blocks of a buffer, and a file that is larger than a block.
KEPT = [(engine, *how) for engine in sorted(ENGINES) for how in [(1 << 22, bytes), (20, bytes)]] + [("pandas", 20, in_a_file)]


@pytest.mark.parametrize(("engine", "block", "kept"), KEPT, ids=lambda part: str(getattr(part, "__name__", part)))
@settings(deadline=None)
@given(files())
@example((b"a,b\n1,x\n2,y\n", {}))
@example((b"a,b\n1,x\n,\n2,y\n", {}))
@example((b"a,b\n-0,x\n2,y\n", {"kinds": "ordinal"}))
@example((b"a,b\n1,x\n,y\n", {"missing": ()}))
@example((b"1,x\n,\n", {"header": False}))
@example((b'a,b\n"",1\n', {}))
@example((b"a,b\n1,x\n2,y\n1,x\n", {"missing": [2]}))
@example((b"a,b,c\n1,1,x\n2,2,y\n3,3,x\nred,4,y\n", {}))
@example((b"a,b\n1,x\0\n", {}))
@example((b'a,b\n1,x"\n', {}))
@example((b"a,b\n1,x\n2\n", {}))
@example((b"a,b\n1,x\n1,2,3\n", {}))
@example((b"a,b\n1,2,3\n4,5,6\n", {}))
@example((b"a,b\n1,1\n2,2\n3,3\n4,4\n1,2,3\n", {}))
@example((b"a,b\n\xef\xbb\xbf1,x\n2,y\n", {}))
@example(("a,b\n\u00a0,1\n\u00a0,\u00a0\nx,1\n".encode(), {}))
@example((b"\n a,b\n1,x\n2,y\n3,x\n4,y\n5,x\n", {}))
@example((b"a,b\n\n", {}))
@example((b"\xef\xbb\xbf1,x\n2,y\n3,x\n4,y\n5,x\n", {"header": False}))
def test_whoever_reads_a_file_the_dataset_is_the_same(engine, block, kept, file):
    before, csv_blocks.BLOCK = csv_blocks.BLOCK, block
    try:
        content = kept(file[0])
        assert outcome(content, engine, file[1]) == outcome(content, "python", file[1])
    finally:
        csv_blocks.BLOCK = before


@pytest.fixture
def read_whole(monkeypatch):
    """The files that pandas read itself and that were used."""
    found = []

    def read(path, shape, numbers):
        columns = csv_by_pandas.read_file(path, shape, numbers)
        found.append(Path(path).name)
        return columns

    monkeypatch.setattr(csv_blocks, "BLOCK", 64)
    monkeypatch.setitem(ENGINES, "pandas", evolve(ENGINES["pandas"], read_file=read))
    return found


ROWS = "0.5,2,yes\n1.25,-0,no\n" * 20


def test_pandas_reads_large_local_files_itself(read_whole, tmp_path):
    for name, header in (("1.csv", "a,b,c\n"), ("2.csv", "\ufeff\n a , b,c\n")):
        (tmp_path / name).write_text(header + ROWS, encoding="utf-8")
    assert outcome(tmp_path / "*.csv", "pandas", {}) == outcome(tmp_path / "*.csv", "python", {})
    assert read_whole == ["1.csv", "2.csv"]


def test_pandas_reads_no_compressed_small_or_buffered_file_itself(read_whole, tmp_path):
    content = b"a,b,c\n" + ROWS.encode()
    (tmp_path / "large.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "small.csv").write_bytes(content[:40])
    for source in (tmp_path / "large.csv.gz", tmp_path / "small.csv", content):
        assert outcome(source, "pandas", {}) == outcome(source, "python", {})
    assert not read_whole


@pytest.mark.parametrize(
    ("rows", "by_itself"),
    [
        ("1,1,\n", False),
        ("1,1\n", False),
        ("1,1,x,x\n", False),
        ("?,1,no\n", False),
        ("1e300,1,no\n", True),
        ("1,1,True\n", True),
        ('1,1,"a\nb"\n', True),
        ('1,1,a"b\n', True),
        ("\n", False),
    ],
)
def test_a_file_that_pandas_reads_itself_is_read_alike_whatever_comes_later(rows, by_itself, read_whole, tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("a,b,c\n" + ROWS + rows + ROWS)
    assert outcome(path, "pandas", {}) == outcome(path, "python", {})
    assert bool(read_whole) is by_itself


@pytest.mark.parametrize("word", ["true", "FALSE"])
def test_words_for_booleans_in_a_file_are_no_numbers(word, read_whole, tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("a,b,c\n" + ROWS + f"{word},1,no\n" * 40)
    assert outcome(path, "pandas", {}) == outcome(path, "python", {})
    path.write_text("a,b,c\n" + "1,1,no\n0,2,yes\n" * 20)
    read_whole.clear()
    assert outcome(path, "pandas", {}) == outcome(path, "python", {})
    assert read_whole == ["file.csv"]


@pytest.mark.usefixtures("read_whole")
def test_files_of_other_columns_are_not_one_table(tmp_path):
    (tmp_path / "1.csv").write_text("a,b,c\n" + ROWS)
    (tmp_path / "2.csv").write_text("a,c,b\n" + ROWS)
    assert outcome(tmp_path / "*.csv", "pandas", {}) == outcome(tmp_path / "*.csv", "python", {})


@pytest.mark.parametrize("quoted", [False, True], ids=["plain", "quoted"])
@pytest.mark.parametrize("cell", [*NUMBERS, *MISSING, *ODD, *TEXTS])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_that_begins_as_numbers_is_read_alike_whatever_comes_later(engine, cell, quoted, monkeypatch):
    monkeypatch.setattr(csv_blocks, "BLOCK", 64)
    written = '"' + cell.replace('"', '""') + '"' if quoted else cell
    rows = ["0.5,2,yes", "1.25,-0,no"] * 20
    content = "\n".join(["a,b,c", *rows, f"1,{written},no", *rows]).encode()
    assert outcome(content, engine, {}) == outcome(content, "python", {})


@pytest.mark.parametrize("words", ["True", "FALSE,true"])
@pytest.mark.parametrize("engine", ENGINES)
def test_words_for_booleans_are_no_numbers_whatever_came_before(engine, words, monkeypatch):
    monkeypatch.setattr(csv_blocks, "BLOCK", 64)
    rows = ["0.5,2,yes"] * 20 + [f"{word},2,no" for word in words.split(",") for _ in range(20)]
    content = "\n".join(["a,b,c", *rows]).encode()
    assert outcome(content, engine, {}) == outcome(content, "python", {})


# Pieces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [b"a,b\n# c\n", b"a,#b\n", b"a\rb\n", b"a,\0\n", b'a"b,c\n', b"\xef\xbb\xbfa,b\n"])
def test_a_block_that_readers_read_in_several_ways_is_irregular(block):
    with pytest.raises(csv_blocks.Irregular):
        csv_blocks.check_regular(block, ",", "#")


@pytest.mark.parametrize("block", [b"a,b\n", b"a,b\r\n", b'"a",b\n', b'"a ""b""",c\n'])
def test_a_block_without_such_places_is_regular(block):
    csv_blocks.check_regular(block, ",", "#")
    csv_blocks.check_regular(block, ",", None)


@settings(max_examples=300)
@given(st.text('aab""",,\n\n\r', max_size=12).map(str.encode))
def test_quotes_around_cells_are_regular(block):
    if csv_blocks._quotes_are_around_cells(block or b"\n", ","):
        assert csv_blocks._patterns(",")[0].fullmatch(block)


@pytest.mark.parametrize(("size", "large"), [(0, False), ((1 << 20) - 1, False), (1 << 20, True), (3 << 20, True)])
def test_a_file_from_a_mebibyte_on_is_large(size, large):
    assert delimited._is_large(*sources_of(b"x" * size)) == large


@given(st.lists(st.sampled_from(["a,b", '"x\ny",1', '"",', 'é,"q""q"', "1,2"]), max_size=9), st.integers(1, 30))
def test_blocks_are_whole_records_and_together_the_file(lines, size):
    content = "\n".join([*lines, "1,2"]).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_blocks, "BLOCK", size)
        patch.setattr(csv_blocks, "FIRST_BLOCK", size)
        blocks = list(csv_blocks.blocks_of(sources_of(content)[0]))
    assert b"".join(blocks) == content
    assert all(block.endswith(b"\n") and block.count(b'"') % 2 == 0 for block in blocks[:-1])


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_reads_numbers_where_they_are_asked_for_and_texts_elsewhere(name):
    pytest.importorskip(name)
    block = b"1,x\n2,3\n"
    columns = ENGINES[name].read(block, csv_blocks.Shape(("a", "b"), ",", 0), ["a", "b"], ["a"])
    assert np.asarray(columns["a"]).tolist() == [1.0, 2.0]
    texts, codes = ENGINES[name].encode(columns["b"])
    assert [texts[code] for code in codes] == ["x", "3"]


def test_a_column_of_numbers_is_unknown_where_no_block_has_one():
    gap, number = Numbers(np.array([np.nan]), ["?"]), Numbers(np.array([1.0]))
    for parts, unknown in (([gap], True), ([gap, gap], True), ([gap, number], False), ([number, gap], False), ([number], False)):
        column = FloatColumn()
        assert all(map(column.add, parts))
        assert column.is_unknown() == unknown
