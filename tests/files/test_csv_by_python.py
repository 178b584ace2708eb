"""Text tables: every usual form of file is read, and an unusual one is refused with its line."""

import csv
import os
import signal
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from itertools import product
from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured_memory import memory_of
from reread import in_blocks

from ftree import Dataset
from ftree.files.csv_by_python import read_in_python, read_records
from ftree.files.csv_columns import CsvLayout, typed_texts
from ftree.files.sources import sources_of


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


def names_and_rows(source, n_rows=None, **options):
    """The names of columns, and the rows as texts."""
    columns = read_in_python(sources_of(source), CsvLayout(**options, as_text=lambda names: names), n_rows)
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


@pytest.fixture
def table(path):
    """Write a text (or bytes) and read the table back."""

    def read(content, **options):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return names_and_rows(path, **options)

    return read


@pytest.fixture
def dataset(path):
    """Write a text and read the dataset."""

    def read(content, **options):
        path.write_bytes(content.encode())
        return Dataset.read_csv(path, **options)

    return read


WANTED = (["a", "class"], [["1", "yes"], ["2", "no"]])


# Forms of files -----------------------------------------------------------------------------------------------


FORMS = {
    "plain": "a,class\n1,yes\n2,no\n",
    "no last line end": "a,class\n1,yes\n2,no",
    "tabs": "a\tclass\n1\tyes\n2\tno\n",
    "Windows": "a,class\r\n1,yes\r\n2,no\r\n",
    "old Macintosh": "a,class\r1,yes\r2,no\r",
    "byte order mark": "\ufeffa,class\n1,yes\n2,no\n",
    "blank lines": "\n\na,class\n\n1,yes\n  \n2,no\n\n",
    "blanks after commas": "a, class\n1, yes\n2,  no\n",
    "quotes": 'a,class\n"1","yes"\n2,"no"\n',
    "a blank last column": "a,class,\n1,yes,\n2,no,\n",
    "commas at the end of rows": "a,class\n1,yes,\n2,no, \n",
    "lines of commas": "a,class\n1,yes\n2,no\n,\n , \n,,,\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_usual_forms_of_one_table_read_alike(table, form):
    assert table(FORMS[form]) == WANTED


TABS = "\n#a\tb\tc\n  \nx\ty\n1,5\tno\n2,5\tyes\n"


@pytest.mark.parametrize(
    ("content", "options", "wanted"),
    [
        # quotes
        ('a,class\n"x, y","say ""no"""\n"one\ntwo",yes\n', {}, [["x, y", 'say "no"'], ["one\ntwo", "yes"]]),
        ('a, class\n"1" ,"yes"\t\n"2", "no" \n', {}, WANTED[1]),
        ('a;class\n"x ; ""y"" " ; "yes"  \n', {"delimiter": "; "}, [['x ; "y" ', "yes"]]),
        ('a,class\n"say ""hi""" ,yes\n"" ,"a,"" ,b\nc"" " \n', {}, [['say "hi"', "yes"], ["", 'a," ,b\nc" ']]),
        ('a,class\n5" ,yes\n"1\n"" ,2" ,no\n', {}, [['5" ', "yes"], ['1\n" ,2', "no"]]),
        # blanks around cells belong to them, as in frames, unless each comma of the first line has one after it
        (' a,class\n 1 ,yes \n" 2", no\n', {}, ([" a", "class"], [[" 1 ", "yes "], [" 2", " no"]])),
        ('# "made, "by hand\na,b\n\n"1\n\n# 2\n  \n3",y\n# no row, "\n2,n\n', {}, [["1\n\n# 2\n  \n3", "y"], ["2", "n"]]),
        # comments, names, delimiters
        ("# made by hand\na,class\n1,yes\n  # in between\n2,no\n#\n", {}, WANTED),
        ("1,yes\n2,no\n", {"header": False}, (["x0", "x1"], WANTED[1])),
        ("1,yes\n2,no\n", {"header": ["a", "class"]}, WANTED),
        ("a;class\n1;yes\n2;no\n", {"delimiter": ";"}, WANTED),
        ("  a  class \n 1 yes \n 2   no\n", {"delimiter": " "}, WANTED),
        # the delimiter is a tab where the first line has one that is neither blank nor a comment nor at the end
        ("1,yes\t\n2,no\n", {"header": False}, [["1", "yes\t"], ["2", "no"]]),
        (TABS, {}, (["x", "y"], [["1,5", "no"], ["2,5", "yes"]])),
        ("#a\tb\nx,y\n1\t5,no\n2\t5,yes\n", {}, [["1\t5", "no"], ["2\t5", "yes"]]),
        (TABS.replace("\t", ";"), {"delimiter": ";"}, (["x", "y"], [["1,5", "no"], ["2,5", "yes"]])),
        # empty cells at the end are cells where the column has a name or a value
        ("a,,\nc,d\ne,,,\n", {"header": False}, [["a", ""], ["c", "d"], ["e", ""]]),
        ("a,b\n1,\n2,3\n", {}, [["1", ""], ["2", "3"]]),
        ("1,\n2,3\n", {"header": False}, [["1", ""], ["2", "3"]]),
        # a record is skipped where all of its cells are empty
        ("a,b,y\n,,\n1,,no\n , ,\t\n,2,yes\n", {}, [["1", "", "no"], ["", "2", "yes"]]),
    ],
)
def test_quotes_comments_names_delimiters_and_empty_cells(table, content, options, wanted):
    read = table(content, comment="#", **options)
    assert (read if isinstance(wanted, tuple) else read[1]) == wanted


ragged = st.lists(st.sampled_from(["", "", "a", "b"]), min_size=1, max_size=4).filter(any)


@given(st.lists(ragged, min_size=1, max_size=8), st.integers(1, 5))
def test_records_without_names_have_the_width_of_the_longest_or_the_first_other_one_is_told(tmp_path_factory, rows, n_rows):
    path = tmp_path_factory.getbasetemp() / "ragged.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    width = max(max(place for place, cell in enumerate(row, 1) if cell) for row in rows)
    wrong = [(line, len(row)) for line, row in enumerate(rows, 1) if len(row) < width]
    if wrong:
        with pytest.raises(ValueError, match=f"must have {width} fields, got {wrong[0][1]} in line {wrong[0][0]}"):
            names_and_rows(path, n_rows, header=False)
    elif width > 1:
        read = names_and_rows(path, n_rows, header=False)
        assert read == ([f"x{number}" for number in range(width)], [row[:width] for row in rows])


@pytest.mark.filterwarnings("ignore:Feature")
@pytest.mark.parametrize(
    ("line", "n_rows", "header", "times", "besides"),
    [
        *((line, 8_000, False, 10, 500_000) for line in (b"0,1\n", b"0,1,0,1,0,1,0,1\n", b"red,,2\n")),
        # Of twelve characters where few columns share what reading takes: Python's text alone takes 60 bytes.
        *((line, 9_000, True, 10, 200_000) for line in (b"%07dw,%07dx,%07dy,a\n", b"%013dw,a\n")),
        *((b"%d,%d.5,a\n", 10_000, header, 6, 0) for header in (False, ["x", "y", "class"])),
    ],
)
def test_reading_takes_a_few_times_the_memory_of_the_file(line, n_rows, header, times, besides):
    """Short cells, distinct texts, and distinct numbers."""
    content = b"".join(line % ((number,) * line.count(b"%")) for number in range(5, n_rows + 5))
    Dataset.read(b"a,b\n1,2\n", format="csv")  # loads what reads files
    memory = memory_of(lambda: Dataset.read(content, format="csv", header=header))
    assert memory < times * len(content) + besides


@given(st.lists(st.sampled_from(["", "a", "ä", "日本", "1", "1_0", "-0"]), min_size=3, max_size=30), st.integers(1, 9))
def test_a_column_is_the_same_however_many_rows_are_texts_at_a_time(cells, n_rows):
    content = "x,y\n" + "".join(f"{cell},yes\n" for cell in cells)
    files, layout = sources_of(content.encode()), CsvLayout(missing=[""])
    assert repr(read_in_python(files, layout, n_rows)) == repr(read_in_python(files, layout))


def test_many_distinct_texts_are_those_of_the_file_and_none_is_there_twice():
    cells = [f"{number * 7919 % 9000}th" for number in range(18_000)]
    column = read_in_python(sources_of("\n".join(["x,y", *(f"{cell},yes" for cell in cells)]).encode()), CsvLayout())["x"]
    assert column.tolist() == cells
    assert (len(column.values), set(column.values)) == (9000, set(cells))


@pytest.mark.parametrize("content", ["1,2\n3,4\n5,red\n", "1,2\n3,4\n", "1,?\n2,3\n"])
def test_labels_that_are_numbers_are_numbers_unless_the_classes_are_texts(content):
    digits = sorted(line[0] for line in content.splitlines())
    for classes, wanted in ((None, tuple(map(int, digits))), (digits, tuple(digits))):
        assert Dataset.read_csv(content.encode(), header=False, target=0, classes=classes).schema.classes == wanted


# Files that are refused ---------------------------------------------------------------------------------------


ONE = "several columns, got one, "
OPEN = "quote in .* must be closed, got one that is open at the end, in the row that .* line "
AFTER = r"must be closed, got an error in line \d, in the row that begins in line 2: ',' expected"


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        *((blank, {"comment": "#"}, "csv must have .* one row, got an empty") for blank in ("", "\n \n", ",,\n", "# x\n")),
        ("a,class\n", {}, r"got column names only. If the first line is a row, set header=False"),
        # a line of another length is told by its number in the file
        ("a,b,class\n1,2,yes\n1,no\n", {}, "must have 3 fields, got 2 in line 3"),
        ("a,b,class\n\n1,2,3,yes\n", {}, "must have 3 fields, got 4 in line 3"),
        ('a,b,class\n"1\n\n1",2,yes\n1\n', {}, "must have 3 fields, got 1 in line 5"),
        ("1\n1,2\n", {"header": False}, "must have 2 fields, got 1 in line 1"),
        ("1,2,3\n", {"header": ["a", "b"]}, "must have 2 fields, got 3 in line 1"),
        # columns
        ("# made by hand\na,class\n1,yes\n", {}, f"{ONE}'# made by hand'. .* comment='#'"),
        ("a;class\n1;yes\n", {}, f"{ONE}'a;class'. Give its delimiter"),
        ("a;class\n1,5;yes\n", {}, f"{ONE}'a;class'. Give its delimiter"),
        ("y,n,n\ny,y,n\n", {}, r"distinct names, got 'n' twice. Rename one, or set header=False"),
        ("1,2\n", {"header": ["a", "a"]}, "distinct names, got 'a' twice"),
        ("a,,class\n0,1,yes\n1,2,no\n", {}, r"must have a name, got none for column 2 of 3"),
        # quotes
        ('a,b,class\n"1,2,yes\n3,4,no\n', {}, f"{OPEN}2"),
        ('a,class\n"1,yes\n' + "2,no\n" * 40_000, {}, f"{OPEN}2"),
        ('a,class\n1,yes\n\n2,"no\n', {}, f"{OPEN}4"),
        ('a,class\n"1\n2",yes\n"3,no', {}, f"{OPEN}4"),
        ('a,class\n1,"', {}, f"{OPEN}2"),
        ('a,class\n"1,yes\n"2",no\n', {}, AFTER),
        ('a,class\n"1"0,yes\n2,"no"x\n', {}, AFTER),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_no_table_is_refused_with_its_line(table, content, options, message):
    with pytest.raises(ValueError, match=message):
        table(content, **options)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_file_in_another_encoding_is_refused_with_the_remedy(table, encoding):
    with pytest.raises(ValueError, match=f"must be UTF-8 text, got .* Write encoding='{encoding}'"):
        table("café,class\n1,yes\n".encode(encoding))
    content = "café,class\n1,yes\n".encode(encoding)
    for options in ({"path": TextIOWrapper(BytesIO(content), encoding)}, {"path": content, "encoding": encoding}):
        assert Dataset.read_csv(**options).schema.features[0].name == "café"
    for wrong in ("utf-16", "latin-99", 8):
        with pytest.raises(ValueError, match=f"encoding must be that of the buffer, such as 'latin-1', got {wrong!r}: .+"):
            Dataset.read_csv(b"a,class\n1,yes\n", encoding=wrong)


@pytest.mark.parametrize("limit", [3, 1 << 17])
def test_a_cell_may_be_longer_than_pythons_limit_which_stays_the_users(table, limit):
    before = csv.field_size_limit(limit)
    try:
        assert table(f'a,class\n"{"long " * 40_000}",yes\n')[1] == [["long " * 40_000, "yes"]]
        assert read_records(sources_of(b"a,b")[0], CsvLayout(), lambda _: csv.field_size_limit()) == limit
    finally:
        assert csv.field_size_limit(before) == limit


@pytest.mark.parametrize(("line", "times"), [(b"1,2\n", 1), (b'"1" ,2\n', 2), (b'"1,2\n', 2), (b"1,2\n" * 9999 + b"\xff", 1)])
@pytest.mark.parametrize("fails", [False, True])
def test_only_a_wrong_quote_makes_a_file_be_read_again(line, times, fails):
    read = []

    def take(records):
        read.append(0)
        if len(list(records)) > 1 and fails:
            raise ValueError("taken")

    with suppress(ValueError):
        read_records(sources_of(b"a,b\n" + line)[0], CsvLayout(), take)
    assert len(read) == times


def test_a_file_is_read_while_another_one_is():
    one, other = sources_of(b"a,b\n1,2\n") + sources_of(b"c\n")
    assert read_records(one, CsvLayout(), lambda records: [read_records(other, CsvLayout(), list), *records]) == [
        [(1, ["c"])],
        (1, ["a", "b"]),
        (2, ["1", "2"]),
    ]


def test_a_delimiter_and_a_comment_are_one_character_and_a_header_is_true_false_or_names():
    for option, character in product(("delimiter", "comment"), ("", "::", 5, '"', "\n", b";")):
        with pytest.raises(ValueError, match=f"{option} must be one character other than a quote or the end of a line, got "):
            Dataset.read_csv(b"a,class\n1,yes\n", **{option: character})
    for header in (0, None, "a,class"):
        with pytest.raises(TypeError, match=r"header must be True .names in the first line., False .* or a list of names"):
            Dataset.read_csv(b"a,class\n1,yes\n", header=header)


written = st.lists(st.tuples(*[st.text(st.sampled_from('ab,"#\n\r '), max_size=5)] * 2), min_size=1, max_size=5)


@given(written)
def test_what_pythons_writer_writes_is_read_whatever_is_in_the_cells(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "quoted.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows, ("end", "end")])
    kept = [list(row) for row in rows if any(map(str.strip, row))]
    assert names_and_rows(path, comment="#")[1] == [*kept, ["end", "end"]]


# Numbers and text ---------------------------------------------------------------------------------------------


def test_a_column_is_numbers_when_all_that_is_known_is():
    assert repr(typed_texts(["1", "?", "3"], ["?"])) == repr([1, "?", 3])
    assert typed_texts(["1", "2.5", "-1e3"], []) == [1.0, 2.5, -1000.0]
    assert typed_texts(["1", "two"], []) == ["1", "two"]
    assert typed_texts(["12_3", "45"], []) == ["12_3", "45"]
    assert typed_texts(["not_known", "45"], ["not_known"]) == ["not_known", 45]


MOST = 2.0**53
NUMBERS = st.sampled_from([1.0, 3.0, -9.0, MOST - 1, 1 - MOST, MOST, -MOST, np.inf, np.nan])


@given(st.lists(NUMBERS, max_size=4), st.integers(0, 2))
def test_floats_are_the_numbers_of_a_file_where_none_is_missing_or_too_large(floats, n_missing):
    known = [each for each in floats if each == each]  # noqa: PLR0124  # NaN
    wanted = len(floats) - len(known) == n_missing and all(abs(each) < MOST and each != -9 for each in known)
    for words in ([-9], ["?", " x ", "-9", 7, None, float("nan"), 10**400, "1_0"]):
        assert CsvLayout(missing=words).are_numbers(np.array(floats), n_missing) is wanted


@pytest.mark.parametrize("block", [0, 1 << 20], ids=["python", "pyarrow"])
def test_minus_zero_is_zero_as_it_is_as_a_whole_number(block):
    column = in_blocks(b"a,b\n-0,x\n-0.0,y\n1,x\n", block=block)["a"]
    assert list(map(repr, column.tolist())) == ["0.0", "0.0", "1.0"]


# Reading a dataset --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        *(("a,b,c\n1,yes,2\n", {"target": n}, f"number from 0 to 2 .-1 is the last., got {n}") for n in (3, -4, None)),
        *(
            (f"a,times,play\n1,2,yes\n2,{cell},no\n", {"weights": "times"}, f"weights must be .*, got {shown} in row 1")
            for cell, shown in (("?", "nan"), ("many", "'many'"), ("-1", r"-1\.0"))
        ),
        ("age,play\n3,yes\ninf,no\n", {}, "'age' must be finite, got inf in row 1"),
    ],
)
def test_targets_weights_and_numbers_that_are_none_are_refused(dataset, content, options, message):
    with pytest.raises(ValueError, match=message):
        dataset(content, **options)


def test_labels_are_typed_and_in_order_and_blanks_around_texts_are_kept(dataset):
    assert dataset("a,play\n1,yes \n2,yes\n3,no\n").schema.classes == ("no", "yes", "yes ")
    assert dataset("a,play\nx,10\ny,9\n").schema.classes == (9, 10)
    assert dataset("a,play\nx,TRUE\ny,false\n").schema.classes == (False, True)


@pytest.mark.parametrize(
    ("content", "options", "n_missing"),
    [
        ("age,play\nNA,yes\n-1,no\n3,no\n", {"missing": ["NA", "-1"], "kinds": "numeric"}, 2),
        ("sky,play\nN,yes\nNA,no\n", {"missing": "NA"}, 1),  # one value and not its letters
        ("age,play\n-999,yes\n3,no\n", {"missing": [-999]}, 1),
        ("age,play\n-999,yes\n3,no\n", {"missing": [-999], "kinds": "numeric"}, 1),
        ("age,play\nnan,yes\n3,no\n", {}, 1),
    ],
)
def test_words_and_numbers_for_missing_may_be_listed(dataset, content, options, n_missing):
    assert len(dataset(content, **options).incomplete()) == n_missing


@pytest.mark.parametrize(
    ("cells", "kinds", "values"),
    [
        ("? -", None, ()),  # missing throughout
        ("1 10", "nominal", (1, 10)),
        ("01 10", "nominal", ("01", "10")),  # codes
        ("1 10 9", "ordinal", (1, 9, 10)),  # ordered as numbers
        ("3 1", (1, 2, 3), (1, 2, 3)),
        ("3 1", ("1", "2", "3"), ("1", "2", "3")),
        ("high low", ["low", "high"], ("low", "high")),
    ],
)
def test_the_values_of_a_column_are_those_of_its_kind(dataset, cells, kinds, values):
    cells = cells.split()
    read = dataset("a,play\n" + ",yes\n".join([*cells, ""]), kinds=kinds and {"a": kinds}, missing=["?", "-"])
    assert read.schema.features[0].values == values
    assert read.columns[0].tolist() == [[*map(str, values), cell].index(cell) if values else -1 for cell in cells]


@pytest.mark.parametrize("kinds", [None, "nominal", {"a": "nominal"}])
def test_a_column_may_hold_the_weights_whatever_the_kinds(dataset, kinds):
    read = dataset("a,times,play\n1,2,yes\n2,3,no\n", weights="times", kinds=kinds)
    assert ([feature.name for feature in read.schema.features], read.class_counts()) == (["a"], (3, 2))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # from Python 3.12 on
def test_a_child_of_a_fork_reads_while_a_thread_of_its_parent_does():
    reading, done = Event(), Event()

    def wait(_):
        reading.set()
        done.wait(60)

    thread = Thread(target=read_records, args=(sources_of(b"a,b\n1,2\n")[0], CsvLayout(), wait))
    thread.start()
    reading.wait()
    child = os.fork()
    if not child:
        signal.alarm(20)
        read_in_python(sources_of(b"a,b\n1,2\n"), CsvLayout())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    done.set()
    thread.join()
