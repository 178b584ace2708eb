"""Files of every format: the same table from each, and clear errors."""

import bz2
import gzip
import io
import json
import lzma
import sys
from datetime import datetime
from functools import partial
from types import SimpleNamespace
from typing import get_args

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet
from reread import in_blocks

from ftree import Dataset, Feature
from ftree.data.dataset import FileFormat
from ftree.files import sources, typed_files
from ftree.files.arff import read_arff
from ftree.files.read_files import FORMATS, format_of
from ftree.scan import survey
from ftree.tree.response import numbers

CSV = "sky,wind,ride\ngrey,3.5,no\nblue,NA,yes\n?,1,yes\n"
ROWS = {"sky": ["grey", "blue", None], "wind": [3.5, None, 1.0], "ride": ["no", "yes", "yes"]}
JSON = '{"sky": "grey", "wind": 3.5, "ride": "no"}\n\n{"sky": "blue", "wind": null, "ride": "yes"}\n{"wind": 1, "ride": "yes"}\n'
ARFF = """% the same table
@RELATION rides

@ATTRIBUTE sky {blue, grey}
@attribute wind REAL
@attribute 'ride' {no, yes}
@data
grey,3.5,no
% a comment
blue,?,yes
?, 1 ,'yes'
"""


@pytest.fixture
def written(tmp_path):
    """Write bytes or text under a name, and return the path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def arrow_file(write, table):
    buffer = io.BytesIO()
    write(table, buffer)
    return buffer.getvalue()


def zst(content):
    return pa.compress(content.encode(), "zstd", asbytes=True)


WANTED = Dataset.from_frame(ROWS, target="ride")

FILES = {
    "a.csv": CSV,
    "a.tsv": CSV.replace(",", "\t"),
    "a.csv.gz": gzip.compress(CSV.encode()),
    "a.csv.zst": zst(CSV),
    "a.JSONL": JSON,
    "a.ndjson.gz": gzip.compress(JSON.encode()),
    "a.arff": ARFF,
    "a.parquet": arrow_file(parquet.write_table, pa.table(ROWS)),
    "a.feather": arrow_file(feather.write_feather, pa.table(ROWS)),
    "a.arrow": arrow_file(lambda table, file: pl.from_arrow(table).write_ipc(file), pa.table(ROWS)),
}


def test_each_format_has_a_name_a_reader_and_a_file_here():
    assert set(get_args(FileFormat)) == set(FORMATS)
    opened = (sources.sources_of(SimpleNamespace(name=name, read=bytes)) for name in FILES)
    assert {format_of(files, None) for files in opened if files[0].suffix not in ("gz", "zst")} == set(FORMATS)


@pytest.mark.parametrize("name", FILES)
def test_the_same_table_in_every_format_is_the_same_dataset(written, name):
    path = written(name, FILES[name])
    assert Dataset.read(path) == Dataset.read(str(path), target="ride") == WANTED


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_polars_reads_typed_files_where_pyarrow_is_not_installed(written, monkeypatch, name):
    monkeypatch.setattr(typed_files, "find_spec", lambda library: library == "polars")
    assert Dataset.read(written(name, FILES[name])) == WANTED


@pytest.mark.parametrize(
    ("name", "where", "words"),
    [
        ("a.parquet", typed_files, r"a\.parquet needs pyarrow or polars"),
        ("a.csv.zst", sources, "zst file needs pyarrow, .* or Python 3.14"),
    ],
)
def test_a_file_that_needs_a_library_names_it(written, monkeypatch, name, where, words):
    monkeypatch.setattr(where, "find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(ModuleNotFoundError, match=rf"{words}, .* pip install 'ftrees\[files\]'"):
        Dataset.read(written(name, b""))


def test_zst_needs_no_library_where_Python_has_one(written, monkeypatch):
    monkeypatch.setattr(sources, "find_spec", lambda _: None)
    monkeypatch.setitem(
        sys.modules, "compression.zstd", SimpleNamespace(open=lambda path: pa.input_stream(path, compression="zstd"))
    )
    assert Dataset.read(written("a.csv.zst", FILES["a.csv.zst"])) == WANTED


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.zst", "a.ndjson.gz", "a.parquet", "a.feather"])
@pytest.mark.parametrize(
    "change", [lambda _: b"no such format", lambda content: content[: len(content) // 2]], ids=["other", "cut"]
)
def test_a_damaged_file_is_refused_by_its_name(written, name, change):
    with pytest.raises(ValueError, match=rf"a\.{name[2:]}"):
        Dataset.read(written(name, change(FILES[name])))


def test_an_error_of_the_system_stays_what_it_is(written, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied")

    path = written("a.csv", FILES["a.csv"])
    monkeypatch.setattr(sources, "_open", refused)
    with pytest.raises(PermissionError):
        Dataset.read(path)


# Sources ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "buffer",
    [CSV.encode(), bytearray(CSV.encode()), io.BytesIO(CSV.encode()), io.StringIO(CSV)],
    ids=lambda buffer: type(buffer).__name__,
)
def test_a_buffer_is_read_by_the_format_that_is_named(buffer):
    assert Dataset.read(buffer, format="csv") == WANTED


def test_an_open_file_has_the_format_of_its_name(written):
    with written("a.arff", ARFF).open() as file:
        assert Dataset.read(file) == WANTED


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.arff", "a.parquet"])
def test_a_glob_is_the_rows_of_all_files_in_sorted_order(written, name):
    content = JSON if name == "a.jsonl" else FILES[name]
    first = written(name, content)
    written(name.replace("a.", "b."), content)
    both = Dataset.read(str(first.with_name("[ab]" + first.suffix)))
    assert both == WANTED.take([0, 1, 2, 0, 1, 2])


def test_a_path_that_exists_is_no_glob(written):
    assert Dataset.read(written("[a].csv", CSV)) == WANTED


SUFFIXES = ["xlsx", "xls", "ods", "sav", "dta", "xz", "csv.xz", "bz2", "zip", "json"]
OTHER_OPTIONS = ["drop", "parse_dates", "sep", "na_values", "na_strings", "delim_whitespace", "dtype", "index_col"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_of_another_program_is_refused_with_what_to_do(written, suffix):
    path = written(f"a.{suffix}", b"\xff\xfe\x00")
    for read in (Dataset.read, Dataset.read_csv):
        with pytest.raises(ValueError, match=r"must .*, got .*\. (Read|Decompress|Write) .*, (and|or) give .*"):
            read(path)


@pytest.mark.parametrize("compress", [bz2, lzma])
def test_what_is_decompressed_elsewhere_is_given_as_an_open_file(tmp_path, compress):
    with compress.open(tmp_path / "a", "wt") as file:
        file.write(CSV)
    assert Dataset.read(compress.open(tmp_path / "a"), format="csv") == Dataset.read(CSV.encode(), format="csv")


@pytest.mark.parametrize("read", [Dataset.read, Dataset.read_csv])
@pytest.mark.parametrize("name", OTHER_OPTIONS)
def test_an_option_of_another_reader_is_refused_with_what_to_do(read, name):
    with pytest.raises(
        TypeError, match=rf"Dataset\.read must be given options that it has, got {name}=','\. (Give|Read it) .*\."
    ):
        read(CSV.encode(), **{name: ","})


@pytest.mark.parametrize(
    ("asked", "options", "error", "message"),
    [
        ("a.csv", {}, FileNotFoundError, r"path must be a file, got '.*a\.csv', which does not exist\. Looked for .*a\.csv"),
        ("", {}, IsADirectoryError, "which is a directory"),
        ("*.tsv", {}, FileNotFoundError, r"must match at least one file, got '.*\*\.tsv', which matches no file below"),
        ("b.*", {}, ValueError, "all alike"),
        (
            "b.jsonl",
            {"delimiter": ";"},
            ValueError,
            "header, delimiter, comment, decimal, dates, encoding must be omitted for a file that is jsonl",
        ),
        *((f"c{end}", {}, ValueError, r"one of \.csv, \.tsv, .*, got '.*'\. Or give format=") for end in (".rds", "", ".gz")),
        ("b.arff", {"format": "excel"}, ValueError, "one of 'arff', 'arrow', 'csv', 'jsonl', 'parquet', got 'excel'"),
    ],
)
def test_what_is_no_file_or_none_of_one_format_is_refused(written, tmp_path, asked, options, error, message):
    for name, content in (("b.arff", ARFF), ("b.jsonl", JSON), ("c.rds", CSV), ("c", CSV), ("c.gz", CSV)):
        written(name, content)
    with pytest.raises(error, match=message):
        Dataset.read(tmp_path / asked, **options)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("a.csv", "sky,storm,ride\ngrey,1,no\n"),
        ("a.arff", ARFF.replace("wind", "storm")),
        ("a.parquet", arrow_file(parquet.write_table, pa.table(ROWS).rename_columns(["sky", "storm", "ride"]))),
    ],
)
def test_files_of_a_glob_must_have_the_same_columns(written, name, other):
    path = written(name, FILES[name])
    written(name.replace("a.", "b."), other)
    with pytest.raises(ValueError, match=r"must have the columns of .*a\.\w+, got 'storm' in place of 'wind' in .*b\."):
        Dataset.read(path.with_name("?" + path.suffix))


@pytest.mark.parametrize("block", [0, 1 << 20], ids=["python", "pyarrow"])
@pytest.mark.parametrize(
    ("header", "message"),
    [("a,a,class", "distinct names, got 'a' twice"), ("a,,class", "got none for column 2 of 3"), ("class", "several columns")],
)
def test_headers_that_name_no_columns_are_refused_whoever_reads_them(header, message, block):
    with pytest.raises(ValueError, match=message):
        in_blocks(f"{header}\n1,2,x\n3,4,y\n".encode(), block=block)


# JSON lines ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"the buffer must have at least one row, got an empty file"),
        ('{"a": 1', r"must be a JSON object, got '\{\"a\": 1' in line 1: Expecting"),
        ('{"a": 1}\n[1]', r"must be a JSON object, got a list in line 2"),
        ('{"a": {"b": 1}}', r"Values of 'a' must be plain, got a dict in line 1 of the buffer\. Flatten it beforehand"),
    ],
)
def test_what_is_no_table_in_json_lines_is_refused_with_its_line(text, message):
    with pytest.raises(ValueError, match=message):
        Dataset.read(text.encode(), format="jsonl")


# ARFF ---------------------------------------------------------------------------------------------------------


def arff(attributes, rows):
    return f"@relation r\n{attributes}\n@data\n{rows}".encode()


def test_a_column_may_begin_in_any_line_of_json():
    rows = [{"a": 1, "y": "n"}, {"a": 2, "y": "y"}, {"a": 3, "b": 4, "y": "n"}, {"b": 5, "y": "y"}]
    found = Dataset.read("\n".join(map(json.dumps, rows)).encode(), format="jsonl", target="y")
    assert found.columns[1][2:].tolist() == [4, 5]
    assert np.isnan(found.columns[1][:2]).all()


def test_declared_values_and_classes_keep_their_order_and_those_without_a_row():
    data = Dataset.read(arff("@attribute size {S,M,L}\n@attribute class {yes,no,perhaps}", "L,no\nS,yes"), format="arff")
    assert data.schema.features == (Feature("size", "nominal", ("S", "M", "L")),)
    assert data.schema.classes == ("yes", "no", "perhaps")
    assert data["size"].tolist() == ["L", "S"]


def test_classes_and_kinds_that_are_given_come_before_declared_ones():
    content = arff("@attribute size {S,M,L}\n@attribute class {yes,no}", "L,no\nS,yes")
    data = Dataset.read(content, format="arff", classes=["no", "yes"], kinds={"size": ("S", "L")})
    assert data.schema.classes == ("no", "yes")
    assert data.schema.features == (Feature("size", "ordinal", ("S", "L")),)


@pytest.mark.parametrize(("target", "options"), [("numeric", {}), ("{1, 2.5}", {"response": "numbers"})])
def test_declared_values_stand_beside_a_target_of_numbers(target, options):
    data = Dataset.read(arff(f"@attribute size {{S,M,L}}\n@attribute y {target}", "L,1\nS,2.5\nS,1"), format="arff", **options)
    assert data.schema.features == (Feature("size", "nominal", ("S", "M", "L")),)
    assert data.labels.tolist() == [1.0, 2.5, 1.0]
    assert data.schema.response == numbers.of([1.0, 2.5])


def test_declared_words_for_missing_are_values():
    data = Dataset.read(arff("@attribute x {NA, EU}\n@attribute class {a,b}", "NA,a\n?,b"), format="arff")
    assert data["x"].tolist() == ["NA", None]


def test_quotes_escapes_texts_and_dates_are_read():
    attributes = """@attribute 'a name' {'x, y', "it's", b\\c}\n@attribute "n" string\n@attribute day date
@attribute other date\t"dd.MM.yy"\n@attribute class {no,yes}"""
    rows = """'x, y', 'say \\'no\\'', 2020-02-29T12:00:00, 29.02.20, no\n"it's",?,?,"01.03.20",yes"""
    table = read_arff(sources.sources_of(arff(attributes, rows)), ["?"])
    assert table.columns["a name"].tolist() == ["x, y", "it's"]
    assert table.columns["n"].tolist() == ["say 'no'", "?"]
    assert table.columns["day"].tolist() == [datetime(2020, 2, 29, 12), "?"]  # noqa: DTZ001  # such dates have no time zone
    assert table.columns["other"].tolist() == [datetime(2020, 2, 29), datetime(2020, 3, 1)]  # noqa: DTZ001  # as above


def test_a_sparse_row_has_0_the_first_value_or_nothing_where_it_says_nothing():
    attributes = "@attribute x numeric\n@attribute 'a, b' {'x, y', z}\n@attribute t string\n@attribute d date yyyy\n"
    content = arff(attributes + "@attribute class {no, yes}", "{0 1.5, 1 z, 4 yes}\n{}\n{1 'x, y',2 \"a, 1 b\" , 3 2020}\n{0 ?}")
    table = read_arff(sources.sources_of(content), ["?"])
    assert table.columns["x"].tolist() == [1.5, 0, 0, "?"]
    assert table.columns["a, b"].tolist() == ["z", "x, y", "x, y", "x, y"]
    assert table.columns["t"].tolist() == ["?", "?", "a, 1 b", "?"]
    assert table.columns["d"].tolist() == ["?", "?", datetime(2020, 1, 1), "?"]  # noqa: DTZ001  # such dates have no time zone
    assert Dataset.read(content, format="arff")["class"].tolist() == ["yes", "no", "no", "no"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["0", "1.5", "-2"]),
            st.sampled_from(["a", "it's, {so} %", "b c"]),
            st.sampled_from(["no", "yes", "?"]),
        ),
        min_size=1,
    ),
    st.sampled_from(["", " % more", "\t% 'open, {2}", ", {2.5}", " ,{ 2 } %{3}"]),
)
def test_sparse_rows_are_read_as_the_full_ones_that_they_stand_for(rows, end):
    """Comments and weights at the end of rows too."""

    def quoted(value):
        return value if value.isalnum() or value[0] in "-?" or "." in value else "'" + value.replace("'", "\\'") + "'"

    attributes = "@attribute x numeric % it's\n@attribute y {a, 'it\\'s, {so} %', 'b c'}\n@attribute z {no, yes}"
    plain = ("0", "a", "no")
    dense = "\n".join(",".join(map(quoted, row)) + end for row in rows)
    listed = ([(n, value) for n, value in enumerate(row) if value != plain[n]] for row in rows)
    sparse = "\n".join("{" + ", ".join(f"{n} {quoted(value)}" for n, value in row) + "}" + end for row in listed)
    read = [read_arff(sources.sources_of(arff(attributes, each)), ["?"]) for each in (dense, sparse)]
    assert [column.tolist() for column in read[0].columns.values()] == [column.tolist() for column in read[1].columns.values()]
    assert list(zip(*(column.tolist() for column in read[0].columns.values()), strict=True)) == [
        (float(x), *yz) for x, *yz in rows
    ]
    weight = 2.5 if "2.5" in end else 2.0
    assert all(table.weights == (tuple(f"{weight:g}" for _ in rows) if end.lstrip()[:1] == "," else None) for table in read)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (arff("@attribute x numeric", ""), r"the buffer must have at least one row after @data, got none"),
        (b"@relation r\n@attribute x numeric\n", r"must have a line @data, got none"),
        (b"x,y\n1,2\n", r"must begin with @relation or @attribute, got 'x,y' in line 1"),
        (arff("@attribute x relational", "1"), r"must have a name and a type, .*, got '@attribute x relational' in line 2"),
        (arff("@attribute x", "1"), r"must have a name and a type, .*, got '@attribute x' in line 2"),
        (arff("@attribute", "1"), r"must have a name and a type, .*, got '@attribute' in line 2"),
        *(
            (
                arff("@attribute x numeric\n@attribute y {a,b}", row),
                r"must be {number value, ...}, .* below 2, increasing, .* in line 5",
            )
            for row in ("{2 1}", "{0}", "{0 1", "{1 b, 0 1}", "{0 1, 0 2}", "{x 1}", "{0 1,}", "{0 1}, 5", "{0 'a}")
        ),
        (arff("@attribute x numeric", "1\n1,2"), r"must have 1 values, got 2 in line 5"),
        (arff("@attribute x numeric\n@attribute y string", "1,'a"), r"must have 2 values, got 1 in line 5"),
        *(
            (arff("@attribute x real", f"1\n?\n{cell}"), f"Values of 'x' must be numbers, as declared, got '{cell}' in line 6")
            for cell in ("a", "true", "2020-02-29", "1_0")
        ),
        (arff("@attribute x real", "true\nfalse"), "Values of 'x' must be numbers, as declared, got 'true' in line 4"),
        (arff("@attribute x {a,b}", "a\nc"), r"Values of 'x' must be among 'a', 'b', got 'c' in line 5"),
        (arff("@attribute x date", "soon"), r"Values of 'x' must be dates of the form .*, got 'soon'"),
        (arff("@attribute x date yyyy-dd-dd", "2020-01-01"), r"must be dates of the form 'yyyy-dd-dd', got '2020-01-01'"),
    ],
)
def test_what_is_no_arff_is_refused_with_its_line(content, message):
    with pytest.raises(ValueError, match=message):
        Dataset.read(content, format="arff")


def test_weights_of_rows_in_arff_are_those_of_the_dataset_unless_others_are_given():
    content = arff("@attribute x numeric\n@attribute class {a,b}", "1,a,{2}\n2,b")
    assert Dataset.read(content, format="arff").class_counts() == (2, 1)
    assert Dataset.read(content, format="arff", weights=[1, 3]).class_counts() == (1, 3)
    with pytest.raises(ValueError, match="weights must be finite numbers from 0, got -1"):
        Dataset.read(content.replace(b"{2}", b"{-1}"), format="arff")


def test_csv_and_arff_need_no_library(monkeypatch):
    for name in ("pyarrow", "polars", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    assert Dataset.read(CSV.encode(), format="csv") == WANTED
    assert Dataset.read(ARFF.encode(), format="arff") == WANTED


@pytest.mark.parametrize("first", ["5.1,3.5,Iris-setosa", "1,2,3"])
def test_a_first_line_of_numbers_is_doubted_as_names(first):
    content = f"{first}\n4.9,3.0,a\n4.7,3.2,b\n".encode()
    with pytest.warns(UserWarning, match=r"^The first line was taken for names, .*If it is a row, write header=False\."):
        Dataset.read_csv(content)
    assert len(Dataset.read_csv(content, header=False)) == 3


WORDS = pa.array(["u", "v", "u", None] * 20).dictionary_encode()
TABLE = pa.table({"x": [1.0, None, 4.0, 2.5] * 20, "s": ["a", None, "ccc", "bb"] * 20, "d": WORDS, "c": ["p", "q"] * 40})
ARROW = [arrow_file(partial(feather.write_feather, compression=each), TABLE) for each in ("uncompressed", "lz4")]


@pytest.mark.filterwarnings("ignore")
@given(st.sampled_from(ARROW), st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_arrow_file_is_read_or_refused_and_does_not_end_the_process(content, changes):
    damaged = bytearray(content)
    for place, byte in changes:
        damaged[int(place * len(damaged))] = byte
    try:
        assert len(Dataset.read(bytes(damaged), format="arrow"))
    except ValueError as refusal:
        assert " must " in str(refusal)  # noqa: PT017  # an error of decoding is a ValueError too


def test_a_text_in_a_damaged_parquet_file_that_is_no_unicode_is_refused_by_the_files_name():
    written = io.BytesIO()
    parquet.write_table(pa.table({"x": ["a", "bcdefgh"], "y": ["no", "yes"]}), written, compression="none")
    with pytest.raises(ValueError, match=r"must be a file of the format 'parquet', got one that cannot be read"):
        Dataset.read(written.getvalue().replace(b"bcdefgh", b"bcd\xffefg"), format="parquet")


@pytest.mark.parametrize("first", [pa.nulls(2), pa.array([0.5, 1.5], pa.float32())])
def test_columns_without_values_or_of_shorter_floats_in_the_first_file_keep_those_of_the_next(first, tmp_path):
    for name, column in (("a", first), ("b", pa.array([0.1, 0.2]))):
        parquet.write_table(pa.table({"x": column, "y": ["no", "yes"]}), tmp_path / f"{name}.parquet")
    read = Dataset.read(str(tmp_path / "*.parquet"), target="y")
    assert read["x"].tolist()[2:] == [0.1, 0.2]
    assert survey(str(tmp_path / "*.parquet"), target="y").summary.class_counts == read.class_counts()
