"""Text tables: every usual form of file is read, and an unusual one is refused with its line."""

import csv
import os
import signal
from io import BytesIO, TextIOWrapper
from threading import Event, Thread

import numpy as np
import pytest
from fuzzing import memory_of
from hypothesis import given
from hypothesis import strategies as st
from reread import in_blocks

from ftree import Dataset
from ftree.data.csv_by_python import CsvLayout, read_in_python, read_records
from ftree.data.sources import sources_of
from ftree.data.values import numbers_or_text


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


@pytest.mark.parametrize(
    "content",
    [
        "a,class\n1,yes\n2,no\n",
        "a,class\n1,yes\n2,no",
        "a\tclass\n1\tyes\n2\tno\n",
        "a,class\r\n1,yes\r\n2,no\r\n",
        "a,class\r1,yes\r2,no\r",
        "\ufeffa,class\n1,yes\n2,no\n",
        "\n\na,class\n\n1,yes\n  \n2,no\n\n",
        " a , class \n 1 , yes\n2 ,  no \n",
        'a,class\n"1","yes"\n2, "no"\n',
        "a,class,\n1,yes,\n2,no,\n",
        "a,class,,\n1,yes,,\n2,no,,\n",
        "a,class\n1,yes,\n2,no, \n",
        "a,class\n1,yes\n2,no\n,\n , \n,,,\n",
    ],
    ids=[
        "plain",
        "no last line end",
        "tabs",
        "Windows",
        "old Macintosh",
        "byte order mark",
        "blank lines",
        "stray blanks",
        "quotes",
        "a blank last column",
        "two blank last columns",
        "commas at the end of rows",
        "lines of commas",
    ],
)
def test_the_usual_forms_of_one_table_read_alike(table, content):
    assert table(content) == WANTED


def test_a_quoted_cell_may_hold_the_delimiter_quotes_and_line_ends(table):
    assert table('a,class\n"x, y","say ""no"""\n"one\ntwo",yes\n')[1] == [["x, y", 'say "no"'], ["one\ntwo", "yes"]]


def test_comments_are_skipped_wherever_they_stand(table):
    assert table("# made by hand\na,class\n1,yes\n  # in between\n2,no\n#\n", comment="#") == WANTED


def test_without_the_option_a_comment_is_a_row_like_any_other(table):
    with pytest.raises(ValueError, match=r"several columns, got one, '# made by hand'. .* comment='#'"):
        table("# made by hand\na,class\n1,yes\n")


def test_without_a_header_columns_are_numbered(table):
    assert table("1,yes\n2,no\n", header=False) == (["x0", "x1"], WANTED[1])


def test_names_may_be_given(table):
    assert table("1,yes\n2,no\n", header=["a", "class"]) == WANTED


def test_the_delimiter_may_be_given(table):
    assert table("a;class\n1;yes\n2;no\n", delimiter=";") == WANTED
    assert table("  a  class \n 1 yes \n 2   no\n", delimiter=" ") == WANTED


def test_a_tab_at_the_end_of_the_first_line_does_not_make_a_table_of_tabs(table):
    assert table("1,yes\t\n2,no\n", header=False)[1] == WANTED[1]


def test_empty_cells_at_the_end_are_cells_where_a_later_row_has_a_value(table):
    assert table("a,,\nc,d\ne,,,\n", header=False)[1] == [["a", ""], ["c", "d"], ["e", ""]]


def test_the_delimiter_is_a_tab_where_the_first_line_has_one_that_is_neither_blank_nor_a_comment(table):
    content = "\n#a\tb\tc\n  \nx\ty\n1,5\tno\n2,5\tyes\n"
    assert table(content, comment="#") == (["x", "y"], [["1,5", "no"], ["2,5", "yes"]])
    assert table("#a\tb\nx,y\n1\t5,no\n2\t5,yes\n", comment="#")[1] == [["1\t5", "no"], ["2\t5", "yes"]]
    assert table(content.replace("\t", ";"), comment="#", delimiter=";")[0] == ["x", "y"]


def test_a_record_is_skipped_where_all_of_its_cells_are_empty_and_not_where_some_are(table):
    assert table("a,b,y\n,,\n1,,no\n , ,\t\n,2,yes\n")[1] == [["1", "", "no"], ["", "2", "yes"]]


def test_an_empty_last_cell_stays_where_the_column_has_a_name_or_a_value(table):
    assert table("a,b\n1,\n2,3\n")[1] == [["1", ""], ["2", "3"]]
    assert table("1,\n2,3\n", header=False)[1] == [["1", ""], ["2", "3"]]


cells = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=4)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5), st.sampled_from([",", "\t", ";", "|"]))
def test_what_was_written_is_read(tmp_path_factory, rows, delimiter):
    path = tmp_path_factory.getbasetemp() / "written.txt"
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows), encoding="utf-8")
    assert names_and_rows(path, header=["a", "b"], delimiter=delimiter)[1] == [list(row) for row in rows]


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


def memory_of_reading(content, **options):
    Dataset.read(b"a,b\n1,2\n", format="csv")  # loads what reads files
    return memory_of(lambda: Dataset.read(content, format="csv", **options))


@pytest.mark.parametrize("line", ["0,1", "0,1,0,1,0,1,0,1", "red,,2"])
def test_short_cells_take_at_most_ten_times_the_memory_of_the_file(line):
    content = (line + "\n").encode() * 8_000
    assert memory_of_reading(content, header=False) < 10 * len(content) + 500_000


@pytest.mark.filterwarnings("ignore:Feature")
@pytest.mark.parametrize("line", [b"%07dw,%07dx,%07dy,a\n", b"%013dw,a\n"])
def test_distinct_texts_take_at_most_ten_times_the_memory_of_the_file(line):
    """Of eight characters and more, of twelve where few columns share what reading takes: Python's text alone takes 60 bytes."""
    content = b"".join(line % ((number,) * line.count(b"%")) for number in range(9_000))
    assert memory_of_reading(content, header=False) < 10 * len(content) + 200_000


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


@pytest.mark.parametrize("header", [False, ["x", "y", "class"]])
def test_distinct_numbers_take_at_most_six_times_the_memory_of_the_file(header):
    content = b"".join(b"%d,%d.5,a\n" % (number, number) for number in range(5, 10_005))
    assert memory_of_reading(content, header=header) < 6 * len(content)


@pytest.mark.parametrize("content", ["1,2\n3,4\n5,red\n", "1,2\n3,4\n", "1,?\n2,3\n"])
def test_a_numeric_target_of_a_file_without_names_stays_text(content):
    dataset = Dataset.read_csv(content.encode(), header=False, target=0)
    assert set(dataset.schema.classes) == {line[0] for line in content.splitlines()}


# Files that are refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["", "\n \n", ",,\n", "# only this\n"])
def test_an_empty_file_has_no_rows(table, content):
    with pytest.raises(ValueError, match=r"table\.csv must have at least one row, got an empty file"):
        table(content, comment="#")


def test_a_header_alone_is_no_table_and_the_message_says_what_else_it_may_be(table):
    with pytest.raises(ValueError, match=r"got column names only. If the first line is a row, set header=False"):
        table("a,class\n")


@pytest.mark.parametrize(
    ("content", "line", "fields"),
    [
        ("a,b,class\n1,2,yes\n1,no\n", 3, 2),
        ("a,b,class\n\n1,2,3,yes\n", 3, 4),
        ('a,b,class\n"1\n\n1",2,yes\n1\n', 5, 1),
    ],
)
def test_a_line_of_another_length_is_named_by_its_number_in_the_file(table, content, line, fields):
    with pytest.raises(ValueError, match=f"must have 3 fields, got {fields} in line {line}"):
        table(content)


def test_a_line_of_another_length_is_found_without_a_header_as_well(table):
    with pytest.raises(ValueError, match="must have 2 fields, got 1 in line 1"):
        table("1\n1,2\n", header=False)
    with pytest.raises(ValueError, match="must have 2 fields, got 3 in line 1"):
        table("1,2,3\n", header=["a", "b"])


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ("a\na,b\n", (1, 1)),
        ("a,b\n\n\n\na,b,c\n\na\n", (3, 5)),
        ("a,b,\na,b,,d\n", (4, 2)),
        ("a,b,,\na,\n", None),
    ],
)
def test_the_first_record_of_another_length_is_told_empty_cells_at_the_end_aside(table, rows, wrong):
    if wrong:
        with pytest.raises(ValueError, match=f"must have 2 fields, got {wrong[0]} in line {wrong[1]}\\.$"):
            table(rows, header=["x", "y"])
    else:
        assert table(rows, header=["x", "y"])[1] == [["a", "b"], ["a", ""]]


def test_a_table_of_one_column_asks_what_separates_the_fields(table):
    with pytest.raises(ValueError, match=r"several columns, got one, 'a;class'. Give its delimiter"):
        table("a;class\n1;yes\n")
    with pytest.raises(ValueError, match=r"several columns, got one, 'a;class'. Give its delimiter"):
        table("a;class\n1,5;yes\n")


def test_two_columns_of_one_name_are_refused(table):
    with pytest.raises(ValueError, match=r"distinct names, got 'n' twice. Rename one, or set header=False"):
        table("y,n,n\ny,y,n\n")
    with pytest.raises(ValueError, match="distinct names, got 'a' twice"):
        table("1,2\n", header=["a", "a"])


def test_a_column_without_a_name_is_refused_since_it_is_often_a_row_number(table):
    with pytest.raises(ValueError, match=r"must have a name, got none for column 1 of 3"):
        table(",a,class\n0,1,yes\n1,2,no\n")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_file_in_another_encoding_is_refused_with_the_remedy(table, encoding):
    with pytest.raises(ValueError, match=r"must be UTF-8 text, got .* Give open\(path, encoding='latin-1'\)"):
        table("café,class\n1,yes\n".encode(encoding))
    text = TextIOWrapper(BytesIO("café,class\n1,yes\n".encode(encoding)), encoding)
    assert Dataset.read_csv(text).schema.features[0].name == "café"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('a,b,class\n"1,2,yes\n3,4,no\n', 2),
        ('a,class\n"1,yes\n' + "2,no\n" * 40_000, 2),
        ('a,class\n1,yes\n\n2,"no\n', 4),
        ('a,class\n"1\n2",yes\n"3,no', 4),
        ('a,class\n1,"', 2),
    ],
    ids=["first cell", "long file", "last cell", "after lines in quotes", "nothing in it"],
)
def test_a_quote_that_is_never_closed_is_refused_with_its_line(table, content, line):
    with pytest.raises(
        ValueError, match=f"quote in .* must be closed, got one that is open at the end, in the row that .* line {line}"
    ):
        table(content)


@pytest.mark.parametrize("content", ['a,class\n"1,yes\n"2",no\n', 'a,class\n"1"0,yes\n2,"no"x\n'])
def test_text_after_a_closing_quote_is_refused_with_its_line(table, content):
    with pytest.raises(
        ValueError, match=r"must be closed, got an error in line \d, in the row that begins in line 2: ',' expected"
    ):
        table(content)


def test_blanks_after_a_closing_quote_are_no_text(table):
    assert table('a,class \n"1" ,"yes"\t\n"2", "no" \n') == WANTED
    assert table('a;class\n"x ; ""y"" " ; "yes"  \n', delimiter=";")[1] == [['x ; "y"', "yes"]]


def test_blank_lines_and_comments_inside_a_quoted_cell_are_kept(table):
    content = '# "made, "by hand\na,class\n\n"one\n\n# two\n  \nthree",yes\n# no row, "\n2,no\n'
    assert table(content, comment="#")[1] == [["one\n\n# two\n  \nthree", "yes"], ["2", "no"]]


def test_a_cell_may_be_longer_than_pythons_reader_takes_and_the_limit_stays(table):
    limit = csv.field_size_limit()
    assert table(f'a,class\n"{"long " * 40_000}",yes\n')[1] == [[("long " * 40_000).strip(), "yes"]]
    with pytest.raises(ValueError, match="must be closed"):
        table('a,class\n"1,yes\n')
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("option", ["delimiter", "comment"])
@pytest.mark.parametrize("character", ["", "::", 5, '"', "\n", b";"], ids=repr)
def test_a_delimiter_and_a_comment_are_one_character(option, character):
    with pytest.raises(ValueError, match=f"{option} must be one character other than a quote or the end of a line, got "):
        Dataset.read_csv(b"a,class\n1,yes\n", **{option: character})


written = st.lists(st.tuples(*[st.text(st.sampled_from('ab,"#\n\r '), max_size=5)] * 2), min_size=1, max_size=5)


@given(written)
def test_what_pythons_writer_writes_is_read_whatever_is_in_the_cells(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "quoted.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows, ("end", "end")])
    kept = [[cell.strip() for cell in row] for row in rows]
    assert names_and_rows(path, comment="#")[1] == [*(row for row in kept if any(row)), ["end", "end"]]


@pytest.mark.parametrize("header", [0, None, "a,class"], ids=repr)
def test_a_header_is_true_false_or_names(header):
    with pytest.raises(TypeError, match=r"header must be True .names in the first line., False .no names. or a list of names"):
        Dataset.read_csv(b"a,class\n1,yes\n", header=header)


# Numbers and text ---------------------------------------------------------------------------------------------


def test_a_column_is_numbers_when_all_that_is_known_is():
    assert numbers_or_text(["1", "?", "3"], ["?"]) == [1, "?", 3]
    assert numbers_or_text(["1", "2.5", "-1e3"], []) == [1.0, 2.5, -1000.0]
    assert numbers_or_text(["1", "two"], []) == ["1", "two"]


def test_whole_numbers_are_integers():
    assert all(isinstance(number, int) for number in numbers_or_text(["1", "2"], []))


def test_digits_joined_by_underscores_are_text_as_in_names():
    assert numbers_or_text(["12_3", "45"], []) == ["12_3", "45"]
    assert numbers_or_text(["not_known", "45"], ["not_known"]) == ["not_known", 45]


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
        ([1.0, np.inf], 0, False),
    ],
)
def test_floats_are_the_numbers_of_a_file_where_none_is_missing_or_too_large(floats, n_missing, are_numbers):
    for words in ([-9], ["?", " x ", "-9", 7, None, float("nan"), 10**400, "1_0"]):
        assert CsvLayout(missing=words).are_numbers(np.array(floats), n_missing) is are_numbers


@pytest.mark.parametrize("block", [0, 1 << 20], ids=["python", "pyarrow"])
def test_minus_zero_is_zero_as_it_is_as_a_whole_number(block):
    column = in_blocks(b"a,b\n-0,x\n-0.0,y\n1,x\n", block=block)["a"]
    assert list(map(repr, column.tolist())) == ["0.0", "0.0", "1.0"]


# Reading a dataset --------------------------------------------------------------------------------------------


def test_numbers_are_numeric_and_text_is_nominal(dataset):
    read = dataset("age,sky,play\n20,red,yes\n?,,no\n31.5,grey,yes\n")
    assert [feature.kind for feature in read.schema.features] == ["numeric", "nominal"]
    assert read.schema.features[1].values == ("grey", "red")
    assert (read.schema.target, read.schema.classes) == ("play", ("no", "yes"))
    assert len(read.incomplete()) == 1


@pytest.mark.parametrize("target", ["b", 1, -2, np.int64(1)])
def test_the_target_is_given_by_name_or_by_number(dataset, target):
    read = dataset("a,b,c\n1,yes,2\n3,no,4\n", target=target)
    assert (read.schema.target, [feature.name for feature in read.schema.features]) == ("b", ["a", "c"])


@pytest.mark.parametrize("target", [3, -4, None])
def test_a_target_number_beyond_the_columns_is_refused(dataset, target):
    with pytest.raises(ValueError, match=f"number from 0 to 2 .-1 is the last., got {target}"):
        dataset("a,b,c\n1,yes,2\n", target=target)


def test_labels_with_stray_blanks_are_the_same_label(dataset):
    assert dataset("a,play\n1,yes \n2, yes\n3,no\n").schema.classes == ("no", "yes")


def test_labels_stay_text(dataset):
    assert dataset("a,play\nx,1\ny,0\n").schema.classes == ("0", "1")


def test_other_words_for_missing_may_be_listed(dataset):
    read = dataset("age,play\nNA,yes\n-1,no\n3,no\n", missing=["NA", "-1"])
    assert read.schema.features[0].kind == "numeric"
    assert len(read.incomplete()) == 2


def test_one_word_for_missing_is_one_value_and_not_its_letters(dataset):
    assert len(dataset("sky,play\nN,yes\nNA,no\n", missing="NA").incomplete()) == 1


@pytest.mark.parametrize("kinds", [None, "numeric"])
def test_a_number_for_missing_counts_in_a_numeric_column(dataset, kinds):
    assert len(dataset("age,play\n-999,yes\n3,no\n", missing=[-999], kinds=kinds).incomplete()) == 1


def test_a_column_that_is_missing_throughout_has_no_values(dataset):
    assert dataset("age,b,play\n?,1,yes\n,2,no\n").schema.features[0].values == ()


def test_nan_is_missing_in_numbers_and_infinity_is_refused(dataset):
    assert len(dataset("age,play\nnan,yes\n3,no\n").incomplete()) == 1
    with pytest.raises(ValueError, match="'age' must be finite, got inf in row 1"):
        dataset("age,play\n3,yes\ninf,no\n")


def test_numbers_may_be_read_as_nominal_values_and_stay_text(dataset):
    read = dataset("a,b,play\n1,1,yes\n10,2,no\n", kinds="nominal")
    assert [feature.values for feature in read.schema.features] == [("1", "10"), ("1", "2")]


def test_numbers_read_as_ordinal_values_are_ordered_as_numbers(dataset):
    assert dataset("a,play\n1,yes\n10,no\n9,yes\n", kinds={"a": "ordinal"}).schema.features[0].values == (1, 9, 10)


def test_an_order_may_list_numbers_or_text(dataset):
    assert dataset("a,play\n3,yes\n1,no\n", kinds={"a": (1, 2, 3)}).columns[0].tolist() == [2, 0]
    assert dataset("a,play\n3,yes\n1,no\n", kinds={"a": ("1", "2", "3")}).columns[0].tolist() == [2, 0]
    assert dataset("a,play\nhigh,yes\nlow,no\n", kinds={"a": ["low", "high"]}).columns[0].tolist() == [1, 0]


@pytest.mark.parametrize("kinds", [None, "nominal", {"a": "nominal"}])
def test_a_column_may_hold_the_weights_whatever_the_kinds(dataset, kinds):
    read = dataset("a,times,play\n1,2,yes\n2,3,no\n", weights="times", kinds=kinds)
    assert ([feature.name for feature in read.schema.features], read.class_counts()) == (["a"], (3, 2))


@pytest.mark.parametrize(("cell", "shown"), [("?", "nan"), ("many", "'many'"), ("-1", r"-1\.0")])
def test_a_weight_that_is_none_is_refused_with_its_row(dataset, cell, shown):
    with pytest.raises(ValueError, match=f"weights must be .*, got {shown} in row 1"):
        dataset(f"a,times,play\n1,2,yes\n2,{cell},no\n", weights="times")


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
