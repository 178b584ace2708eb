"""Text tables: every usual form of file is read, and an unusual one is refused with its line."""

import csv
from random import Random

import numpy as np
import pytest
from fuzzing import memory_of
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset
from ftree.data import csv_cells, csv_texts
from ftree.data.csv_file import numbers_or_text, read_table
from ftree.data.csv_layout import Layout
from ftree.data.sources import sources_of


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


def names_and_rows(path, **options):
    columns = read_table(sources_of(path)[0], Layout(**options))
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


def test_an_empty_last_cell_stays_where_the_column_has_a_name_or_a_value(table):
    assert table("a,b\n1,\n2,3\n")[1] == [["1", ""], ["2", "3"]]
    assert table("1,\n2,3\n", header=False)[1] == [["1", ""], ["2", "3"]]


cells = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=4)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5), st.sampled_from([",", "\t", ";", "|"]))
def test_what_was_written_is_read(tmp_path_factory, rows, delimiter):
    path = tmp_path_factory.getbasetemp() / "written.txt"
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows), encoding="utf-8")
    assert names_and_rows(path, header=["a", "b"], delimiter=delimiter)[1] == [list(row) for row in rows]


ragged = st.lists(st.sampled_from(["", "a", "b"]), min_size=1, max_size=4).filter(any)


@given(st.lists(ragged, min_size=1, max_size=8), st.integers(1, 5))
def test_records_without_names_have_the_width_of_the_longest_or_the_first_other_one_is_told(tmp_path_factory, rows, block):
    path = tmp_path_factory.getbasetemp() / "ragged.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    width = max(max(place for place, cell in enumerate(row, 1) if cell) for row in rows)
    wrong = [(line, len(row)) for line, row in enumerate(rows, 1) if len(row) < width]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_cells, "_BLOCK", block)
        if wrong:
            with pytest.raises(ValueError, match=f"must have {width} fields, got {wrong[0][1]} in line {wrong[0][0]}"):
                names_and_rows(path, header=False)
        elif width > 1:
            assert names_and_rows(path, header=False)[1] == [row[:width] for row in rows]


def memory_of_reading(content, **options):
    Dataset.read(b"a,b\n1,2\n", format="csv")  # loads what reads files
    return memory_of(lambda: Dataset.read(content, format="csv", engine="python", **options))


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


def test_texts_of_one_column_are_the_same_however_many_are_packed(monkeypatch):
    rng = Random(15)  # noqa: S311  # no secret
    cells = [rng.choice(["", "a", "b", "ä\n", "日本", str(rng.randrange(200))]) for _ in range(500)]
    for many, share in ((1, 1), (5, 8), (40, 2), (1000, 8)):
        monkeypatch.setattr(csv_texts, "_MANY", many)
        monkeypatch.setattr(csv_texts, "_SHARE", share)
        column = csv_texts.TextCells()
        for begin in range(0, 500, 7):
            column.add(cells[begin : begin + 7])
        whole = column.whole()
        assert whole.tolist() == cells
        assert sorted(whole.values) == sorted(set(cells))


@pytest.mark.parametrize("header", [False, ["x", "y", "class"]])
def test_distinct_numbers_take_at_most_six_times_the_memory_of_the_file(header):
    content = b"".join(b"%d,%d.5,a\n" % (number, number) for number in range(10_000))
    assert memory_of_reading(content, header=header) < 6 * len(content)


@pytest.mark.filterwarnings("ignore:Feature 'x' is nominal")
@pytest.mark.parametrize("odd", ["red", "1_0", "inf", "9007199254740993", "007", "-0", "", "2020-02-29", "nan"])
@pytest.mark.parametrize("kinds", [None, "nominal", "ordinal", {"x": "nominal"}])
def test_a_column_that_begins_as_numbers_is_that_of_a_file_read_as_texts(odd, kinds, monkeypatch):
    rows = ["1.50,1,yes", "02,?,no", "-0,1,yes"] * 4
    content = "\n".join(["x,y,class", *rows, f"{odd},1,no", *rows]).encode()
    monkeypatch.setattr(csv_cells, "_BLOCK", 9)

    def outcome():
        try:
            dataset = Dataset.read_csv(content, kinds=kinds, engine="python")
        except ValueError as error:
            return str(error)
        return dataset, dataset.summary()

    mixed = outcome()
    monkeypatch.setattr(Layout, "numbers", lambda _layout, _cells: None)
    assert mixed == outcome()


@pytest.mark.parametrize("content", ["1,2\n3,4\n5,red\n", "1,2\n3,4\n", "1,?\n2,3\n"])
def test_a_numeric_target_of_a_file_without_names_stays_text(content, monkeypatch):
    monkeypatch.setattr(csv_cells, "_BLOCK", 2)
    dataset = Dataset.read_csv(content.encode(), header=False, target=0, engine="python")
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
    with pytest.raises(ValueError, match=r"must be UTF-8 text, got .* Save it as UTF-8"):
        table("café,class\n1,yes\n".encode(encoding))


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
def test_a_delimiter_and_a_comment_are_one_character(table, option, character):
    with pytest.raises(ValueError, match=f"{option} must be one character other than a quote or the end of a line, got "):
        table("a,class\n1,yes\n", **{option: character})


written = st.lists(st.tuples(*[st.text(st.sampled_from('ab,"#\n\r '), max_size=5)] * 2), min_size=1, max_size=5)


@given(written)
def test_what_pythons_writer_writes_is_read_whatever_is_in_the_cells(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "quoted.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows, ("end", "end")])
    kept = [[cell.strip() for cell in row] for row in rows]
    assert names_and_rows(path, comment="#")[1] == [*(row for row in kept if any(row)), ["end", "end"]]


def test_a_file_that_is_not_there_is_pythons_own_error(path):
    with pytest.raises(FileNotFoundError, match=r"table\.csv"):
        Dataset.read_csv(path)


@pytest.mark.parametrize("header", [0, None, "a,class"], ids=repr)
def test_a_header_is_true_false_or_names(table, header):
    with pytest.raises(TypeError, match=r"header must be True .names in the first line., False .no names. or a list of names"):
        table("a,class\n1,yes\n", header=header)


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


def test_a_target_in_the_wrong_case_is_recognized(dataset):
    with pytest.raises(KeyError, match=r"a column 'class', got .* Did you mean 'CLASS'"):
        dataset("a,CLASS\n1,yes\n", target="class")


def test_labels_with_stray_blanks_are_the_same_label(dataset):
    assert dataset("a,play\n1,yes \n2, yes\n3,no\n").schema.classes == ("no", "yes")


def test_labels_stay_text(dataset):
    assert dataset("a,play\nx,1\ny,0\n").schema.classes == ("0", "1")


def test_a_missing_label_is_refused(dataset):
    with pytest.raises(ValueError, match=r"'play' must have a label in every row, got '\?', which means missing, in row 1. Omit"):
        dataset("a,play\n1,yes\n2,?\n")


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


def test_text_in_a_column_that_is_said_to_be_numeric_is_named(dataset):
    with pytest.raises(ValueError, match="numeric feature 'a' must be numbers, got 'x' in row 1"):
        dataset("a,play\n1,yes\nx,no\n", kinds={"a": "numeric"})


@pytest.mark.parametrize("kinds", [["nominal"], ("numeric", "nominal"), 3])
def test_kinds_in_a_list_are_refused(dataset, kinds):
    with pytest.raises(TypeError, match="kinds must be one kind for all features, or a mapping"):
        dataset("a,play\n1,yes\n", kinds=kinds)


@pytest.mark.parametrize("kinds", [None, "nominal", {"a": "nominal"}])
def test_a_column_may_hold_the_weights_whatever_the_kinds(dataset, kinds):
    read = dataset("a,times,play\n1,2,yes\n2,3,no\n", weights="times", kinds=kinds)
    assert ([feature.name for feature in read.schema.features], read.class_counts()) == (["a"], (3, 2))


@pytest.mark.parametrize(("cell", "shown"), [("?", "nan"), ("many", "'many'"), ("-1", r"-1\.0")])
def test_a_weight_that_is_none_is_refused_with_its_row(dataset, cell, shown):
    with pytest.raises(ValueError, match=f"weights must be .*, got {shown} in row 1"):
        dataset(f"a,times,play\n1,2,yes\n2,{cell},no\n", weights="times")
