"""Arrow and Python read every delimited file alike, or both refuse it with the same sentence."""

import sys
import warnings
from functools import partial

import pyarrow.csv
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reread import in_blocks

from ftree import Dataset
from ftree.data import MISSING_WORDS

# Cells by the kind of column; each is written unchanged, or in quotes.
NUMBERS = ["1", "2.5", "-3", "+5", "007", ".5", "5.", "1e3", "-0", "0.1", "1e-320", "12345678901234567"]
MISSING = list(MISSING_WORDS)
LARGE = ["9007199254740993", "1e400", "inf", "-Infinity"]
ODD = ["1_0", "0x10", "1d5", "1e", "--1", "True", "FALSE", "1,5", " 1 ", "1\u00a0", "\u0663", "\uff11", *LARGE]
TIMES = ["2020-02-29", "1999-12-31", "2020-02-29 12:00", "2020-02-29T12:00:00Z", "12:00", "2020-02-30"]
TEXTS = ["red", "grün", "a b", " x", "x ", "x,y", 'say "no"', "one\ntwo", "one\r\ntwo", "#", "#1", "'", "\\", "a;b", '"', "x\x1c"]
BLANKS = ["\u00a0", "\u3000", " ", "\t", "\x1c", "\ufeff"]
FAMILIES = [
    NUMBERS[:4],
    NUMBERS,
    NUMBERS + MISSING,
    NUMBERS + ODD,
    TIMES[:2],
    TIMES + MISSING,
    TEXTS,
    MISSING,
    TEXTS + MISSING + NUMBERS + BLANKS,
]
# Lines that readers of other libraries read in different ways.
LINES = ["", "  ", "\n" * 9, "# note", ' #, "', ",", ",,", ";", "1", '"', "\0", 'x"', "\ufeff1,2", '"a" ,b', "1,2,3,4,5", "1,2,,"]


@st.composite
def files(draw):
    """A file as bytes, and options: most are regular, some have an oddity in a line, a column or a cell."""
    n_columns = draw(st.sampled_from([2, 3, 2, 3, 1]))
    families = draw(st.lists(st.sampled_from(FAMILIES), min_size=n_columns, max_size=n_columns))
    delimiter = draw(st.sampled_from([",", ",", ",", "\t", ";", "|"]))
    line_end = draw(st.sampled_from(["\n"] * 6 + ["\r\n"] * 3 + ["\r"]))
    row = st.tuples(*(st.sampled_from(family) for family in families))
    rows = draw(st.lists(row, max_size=6))
    if rows and draw(st.booleans()):  # a column of numbers for many blocks, and texts or gaps at last
        rows = rows[:1] * draw(st.integers(2, 30)) + rows
    names = [f"c{number}" for number in range(n_columns)]
    lines = [delimiter.join(_written(draw, cell, delimiter) for cell in each) for each in [names, *rows]]
    for place in draw(st.lists(st.integers(0, len(lines)), max_size=2) if draw(st.integers(0, 2)) == 0 else st.just([])):
        lines.insert(place, draw(st.sampled_from([*LINES, delimiter * (n_columns - 1)])))
    text = line_end.join(lines) + draw(st.sampled_from(["", line_end]))
    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    chosen = draw(options) | ({"delimiter": delimiter} if delimiter in ";|" else {})
    return (mark + text).encode() + draw(st.sampled_from([b""] * 15 + [b"\xff"])), chosen


def _written(draw, cell, delimiter):
    """A cell in quotes if it needs them, sometimes if it does not, and rarely without them."""
    must = any(mark in cell for mark in (delimiter, '"', "\n", "\r"))
    if (draw(st.integers(0, 39)) != 0) if must else (draw(st.integers(0, 4)) == 0):
        return '"' + cell.replace('"', '""') + '"'
    return cell


options = st.fixed_dictionaries(
    {},
    optional={
        "header": st.sampled_from([True, True, False, ["a", "b"], ["a", "b", "c"]]),
        "comment": st.just("#"),
        "missing": st.lists(st.sampled_from([*MISSING_WORDS, "red", *NUMBERS, *TIMES, *BLANKS, -3, 2.5, True]), max_size=4),
        "kinds": st.sampled_from(["nominal", "ordinal", "numeric", {"c0": "nominal"}]),
        "target": st.sampled_from([0, "c1", "c9", 7]),
    },
)


def outcome(read, content, options):
    """The dataset, its kinds, reasons and warnings; or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            dataset = read(content, **options)
        except (ValueError, KeyError) as error:
            return type(error), str(error)
    return dataset, repr(dataset), repr(dataset.summary()), [str(each.message) for each in caught]


@given(files(), st.sampled_from([7, 10, 20, 50, 1 << 20]))
@example((b"# a, b\n\na,b\n1,x\n2,y\n", {"comment": "#"}), 1 << 20)
@example((b"a,b\n1,x\n" + b"\n" * 99 + b"2,y\n", {}), 10)
@example((b"a,b\n1,x\n,\n2,y\n", {}), 1 << 20)
@example((b"a,b\n-0,x\n2,y\n", {"kinds": "ordinal"}), 10)
@example((b"a,b\n1,x\n,y\n", {"missing": ()}), 1 << 20)
@example((b"a,b\n1,x\n2,y\n1,x\n", {"missing": [2]}), 10)
@example((b"a,b,c\n1,1,x\n2,2,y\n3,3,x\nred,4,y\n", {}), 10)
@example((b"a,b,c\n1,1,x\n2,2,y\n3,3,x\n ,4,y\n", {"missing": [" "]}), 10)
@example((b"a,b\n1,1\n2,2\n3,3\n4,4\n1,2,3\n", {"target": 7}), 10)
@example(("a,b\n\u00a0,1\n\u00a0,\u00a0\nx,1\n".encode(), {}), 10)
@example((b"\xef\xbb\xbf1,x\n2,y\n3,x\n4,y\n5,x\n", {"header": False}), 10)
@example((b"a,b\n\n", {}), 1 << 20)
def test_arrow_and_python_read_every_file_alike_or_refuse_it_with_the_same_sentence(file, block):
    content, options = file
    expected = outcome(Dataset.read_csv, content, options)
    assert outcome(partial(in_blocks, block=block), content, options) == expected


@pytest.mark.parametrize("quoted", [False, True], ids=["plain", "quoted"])
@pytest.mark.parametrize("cell", [*NUMBERS, *MISSING, *ODD, *TIMES, *TEXTS, *BLANKS])
def test_a_column_that_begins_as_numbers_is_read_alike_whatever_comes_later(cell, quoted):
    written = '"' + cell.replace('"', '""') + '"' if quoted else cell
    rows = ["0.5,2,yes", "1.25,-0,no"] * 8
    content = "\n".join(["a,b,c", *rows, f"1,{written},no", *rows]).encode()
    for options in ({}, {"kinds": "nominal"}, {"missing": ["", "2"]}):
        expected = outcome(Dataset.read_csv, content, options)
        assert outcome(partial(in_blocks, block=64), content, options) == expected


def test_a_large_file_is_read_alike_by_every_reader_and_by_pyarrow_where_none_is_named(monkeypatch):
    rows = b"0.5,red,yes\n-0,?,no\n" * 60_000 + b'007,"a\nb",no\n' + b"1.5,blue,no\n" * 20_000 + b"none,red,yes\n"
    content, options = b"# made by hand\na,b,c\n" + rows, {"comment": "#"}
    read_in_python = outcome(partial(in_blocks, block=0), content, options)
    blocks = []
    read = pyarrow.csv.read_csv
    monkeypatch.setattr(pyarrow.csv, "read_csv", lambda block, **more: blocks.append(block.size()) or read(block, **more))
    assert outcome(Dataset.read_csv, content, options) == read_in_python
    assert (len(content) > 1 << 20, sum(blocks) > len(rows)) == (True, True)


def test_pyarrow_is_not_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    content = b"a,b,c\n" + b"0.5,red,yes\n-0,?,no\n" * 60_000
    assert len(Dataset.read_csv(content)) == 120_000
    with pytest.raises(TypeError, match=r"table must be .*, got an int"):
        Dataset.from_frame(3)


def test_one_column_in_several_files_is_read_alike(tmp_path):
    for number, cells in enumerate((["1", "2"], ["?", "?"], ["3", "a lot"], ["4"])):
        (tmp_path / f"{number}.csv").write_text("".join(["x,y\n", *(f"{cell},yes\n" for cell in cells)]))
        for options in ({}, {"target": "x"}, {"kinds": "ordinal"}):
            expected = outcome(Dataset.read_csv, tmp_path / "*.csv", options)
            assert outcome(partial(in_blocks, block=8), tmp_path / "*.csv", options) == expected
