"""One rule of kinds: a file, what libraries make of it, its Parquet and its rows are one dataset, with the same answers."""

import csv
import io
import warnings
from datetime import date, datetime
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv
from pyarrow import parquet
from reread import in_blocks

from ftree import CART, ID3, Dataset, Feature, accuracy, confusion, from_json, grow, mean_cost, predict, to_json
from ftree.data import MISSING_WORDS
from ftree.data.values import python_values
from ftree.prune import reduced_error
from ftree.responses import events
from ftree.scan import survey
from ftree.study import Predictions, metrics

pytestmark = pytest.mark.filterwarnings("ignore:(Feature|Target|The column)")

booleans = st.sampled_from(["True False", "TRUE FALSE", "true false"]).map(str.split)
days = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(str)
moments = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(lambda each: each.isoformat(" ", "seconds"))  # noqa: DTZ001
# Cells as files have them, by the kind of their column.
FAMILIES = {
    "whole numbers": st.integers(-3, 12).map(str),
    "numbers": st.sampled_from(["1.5", "-2", "0.25", "1e3", "7"]),
    "booleans": booleans,
    "dates": days,
    "dates and times": moments,
    "times of day": st.times().map(lambda each: each.isoformat("seconds")),
    "texts": st.sampled_from(["a", " a", "a ", "A", 'say "a"', "a, b", "a\nb", "x1", "grün", "yes"]),
    "texts and numbers": st.sampled_from(["1", "2", " x", "many", "2020-01-01"]),
}


WORDS = list(MISSING_WORDS)
# The words of a file; no library reads an empty cell as a text.
words = st.lists(st.sampled_from([*MISSING_WORDS, "-", "none", "-9"])).map(lambda more: ["", *more])


@st.composite
def columns(draw, n, *, gaps, words=WORDS):
    """Cells of a kind, of which the first is known; others may be a word for missing."""
    cells = draw(st.sampled_from(list(FAMILIES.values())))
    cells = st.sampled_from(draw(cells)) if cells is booleans else cells
    listed = draw(st.lists(cells, min_size=n, max_size=n))
    if gaps and draw(st.booleans()):
        word = draw(st.sampled_from(words))
        listed = [cell if row == 0 or draw(st.integers(0, 3)) else word for row, cell in enumerate(listed)]
    return listed


def nothing(n, words=WORDS):
    """A column without a value."""
    return st.sampled_from(words).map(lambda word: [word] * n)


@st.composite
def files(draw):
    """A file of a few columns, the last of which is the target, and options for its dataset."""
    n, missing = draw(st.integers(2, 12)), draw(words)
    column = columns(n, gaps=draw(st.booleans()), words=missing)
    drawn, labels = draw(st.lists(column | nothing(n, missing), min_size=1, max_size=3)), draw(column)
    names, file = [*(f"c{number}" for number in range(len(drawn))), "y"], io.StringIO()
    if draw(st.booleans()):  # row names, as pandas and R write them
        names, drawn = ["", *names], [list(map(str, range(n))), *drawn]
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]))
    csv.writer(file, quoting=quoting).writerows([names, *zip(*drawn, labels, strict=True)])
    options = {"drop_missing_labels": True, "response": draw(st.sampled_from([None, "classes"])), "missing": missing}
    return file.getvalue().encode(), options


def by_pyarrow(content, words):
    typed = arrow_csv.ConvertOptions(null_values=words, strings_can_be_null=True)
    return arrow_csv.read_csv(
        io.BytesIO(content), convert_options=typed, parse_options=arrow_csv.ParseOptions(newlines_in_values=True)
    )


def frames(content, words=WORDS):
    """What libraries make of a file, with the same words for missing."""
    pandas = partial(pd.read_csv, keep_default_na=False, na_values=words)
    polars = partial(pl.read_csv, content, null_values=words, infer_schema_length=None)
    made = {"polars": polars(), "polars with dates": polars(try_parse_dates=True), "Arrow": by_pyarrow(content, words)}
    made |= {"pandas": pandas(io.BytesIO(content)), "its own types": pandas(io.BytesIO(content), dtype_backend="pyarrow")}
    return made | {"rows": made["polars with dates"].to_dicts()}


def as_parquet(frame):
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pandas(frame) if isinstance(frame, pd.DataFrame) else pa.table(frame), file)
    return file.getvalue()


@given(files(), st.randoms(use_true_random=False))
def test_a_file_its_frames_its_parquet_and_its_rows_are_one_dataset_with_one_answer(file, random):
    content, options = file
    read = Dataset.read_csv(content, **options)
    tables = frames(content, options["missing"])
    made = {name: Dataset.from_frame(table, **options) for name, table in tables.items()}
    for name in ("Arrow", "pandas"):
        made[f"Parquet of {name}"] = Dataset.read(as_parquet(tables[name]), format="parquet", **options)
    for name, dataset in made.items():
        assert dataset == read, name
    tree = grow(random.choice(list(made.values())), CART if read.schema.response.kind == "numbers" else ID3, n_jobs=1)
    answers = python_values(predict(tree, read))
    for name, table in tables.items():
        if len(read) == len(table) and name != "rows":
            assert python_values(predict(tree, table)) == answers, name
        if len(read) == len(table) and read.schema.has_classes:
            assert accuracy(tree, table) == accuracy(tree, read), name


def text_of(rows, delimiter=","):
    """A file of rows."""
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue().encode()


@given(st.lists(st.tuples(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), days, st.booleans()), min_size=2, max_size=9))
def test_commas_before_decimals_dates_of_a_form_and_an_encoding_are_read_as_what_they_stand_for(rows):
    plain = Dataset.read_csv(text_of([("größe", "day", "y"), *rows]))
    written = [(str(number).replace(".", ","), "/".join(day.split("-")[::-1]), truth) for number, day, truth in rows]
    content = text_of([("größe", "day", "y"), *written], ";").decode().encode("latin-1")
    for block in (0, 20):
        options = {"delimiter": ";", "decimal": ",", "dates": {"day": "%d/%m/%Y"}}
        assert Dataset.read_csv(content, encoding="latin-1", **options) == plain
        assert in_blocks(content.decode("latin-1").encode(), block=block, **options) == plain


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"decimal": ";"}, ValueError, "decimal must be one of '.', ',', got ';'"),
        ({"dates": ["x"]}, TypeError, "dates must be the formats of columns by name, such as {'day': .*}, got"),
        ({"dates": {"x": 3}}, TypeError, "dates must be the formats of columns by name"),
        ({"dates": {"z": "%d"}}, KeyError, "must be one of 'x', 'y', got 'z'"),
        ({"dates": {"x": "%Y"}}, ValueError, "Values of 'x' must be dates of the form '%Y', got '1.5'"),
        ({"omit": "z"}, KeyError, "must have a column 'z'"),
        ({}, ValueError, "a label in every row, got '', which means missing, in row 2. .* drop_missing_labels=True"),
    ],
)
def test_options_that_do_not_fit_the_file_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        Dataset.read_csv(b"x,y\n1.5,no\n2,yes\n3,\n", **options)


def test_a_point_is_no_sign_before_decimals_where_a_comma_is():
    assert Dataset.read_csv(b"x;y\n1.500;a\n2,5;b\n", delimiter=";", decimal=",").schema.features[0].kind == "nominal"


ITEMS = {"x": [1.0, 2.0, 3.0, 4.0], "n": [5, 6, 7, 8], "t": ["a", "b", "a", "b"], "y": [1, None, 3, 3]}


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=["pandas", "polars", "Arrow", "columns"])
def test_rows_without_a_label_are_left_out_with_their_weights_and_exposures(made):
    options = {"target": "y", "drop_missing_labels": True, "weights": "n"}
    read = Dataset.from_frame(made(ITEMS), **options)
    assert read == Dataset.from_frame(
        {name: [column[row] for row in (0, 2, 3)] for name, column in ITEMS.items()}, "y", weights="n"
    )
    assert list(map(repr, read.schema.classes)) == ["1", "3"]
    of_events = Dataset.from_frame(made(ITEMS), response=events("x"), omit=["t"], **options)
    assert (np.asarray(of_events.further_targets[0]).tolist(), [feature.name for feature in of_events.schema.features]) == (
        [1.0, 3.0, 4.0],
        [],
    )


@pytest.mark.parametrize("x", [[1.0, 2.0], ["a", "b"]])
def test_a_table_without_labels_has_no_rows(x):
    content = "x,y\n" + "".join(f"{cell},\n" for cell in x)
    for make in (partial(Dataset.from_frame, {"x": x, "y": [None, None]}), partial(Dataset.read_csv, content.encode())):
        with pytest.raises(ValueError, match="at least one row with a label, got none: 'y' has no known value"):
            make(target="y", drop_missing_labels=True)
        with pytest.raises(TypeError, match="drop_missing_labels must be True or False, got 'yes'"):
            make(target="y", drop_missing_labels="yes")


def test_times_with_a_zone_are_left_out_with_their_label():
    moments = pd.date_range("2020-01-01", periods=3, tz="UTC")
    read = Dataset.from_frame(pd.DataFrame({"x": moments, "y": ["a", None, "b"]}), drop_missing_labels=True)
    assert read["x"].tolist() == [moments[0].to_pydatetime(), moments[2].to_pydatetime()]


# Row names ----------------------------------------------------------------------------------------------------

NAMED = b",x,y\nann,1,no\nbob,2,yes\neve,3,yes\n"


@pytest.mark.parametrize("names", ["a b c", "0 1 2", "7 3 5", "a b b"])
@pytest.mark.parametrize("table", ["file", "pandas", "polars", "Arrow"])
def test_a_first_column_without_a_name_is_left_out_with_one_doubt_if_its_values_are_distinct(names, table):
    content = NAMED
    for name, other in zip((b"ann", b"bob", b"eve"), names.encode().split(), strict=True):
        content = content.replace(name, other)
    make = partial(Dataset.read_csv, content) if table == "file" else partial(Dataset.from_frame, frames(content)[table])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read = make()
    distinct = len(set(names.split())) == 3
    assert [feature.name for feature in read.schema.features] == ["x"] if distinct else ["Unnamed: 0", "x"]
    assert len(caught) == distinct
    assert not distinct or "left out. If they are a feature, give kinds={'Unnamed: 0': ...}; otherwise omit='Unnamed: 0'" in str(
        caught[0].message
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert make(omit="Unnamed: 0") == make(omit=["Unnamed: 0"])
        assert len(make(kinds={"Unnamed: 0": "nominal"}).schema.features) == 2
        assert make(omit=["x"]).schema.features[0].name == "Unnamed: 0"  # the only one


def test_a_column_that_is_omitted_is_in_no_doubt():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(Dataset.read_csv(b"zip,x,y\n007,1,a\n008,2,b\n", omit="zip").schema.features) == 1


# Answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["TRUE", "True", "true"])
def test_booleans_are_known_as_files_spell_them(spelling):
    tree = grow(Dataset.read_csv(b"x,y\nTRUE,a\nFALSE,b\n"))
    assert predict(tree, [{"x": spelling}]) == predict(tree, {"x": [spelling]}) == ["a"]


def test_measures_refuse_labels_none_of_which_is_a_class_of_the_tree():
    numbers = Dataset.from_rows([["a"], ["b"]], [0, 1], features=["x"])
    tree, texts = grow(numbers), Dataset.from_rows([["a"], ["b"]], ["0", "1"], features=["x"])
    table = {"x": ["a", "b"], "class": ["0", "1"]}
    measures = [accuracy, confusion, partial(mean_cost, costs=[[0, 1], [1, 0]]), lambda tree, rows: reduced_error(rows)(tree)]
    calls = [partial(measure, tree, rows) for measure in measures for rows in (texts, table)]
    calls += [partial(metric, Predictions(tree, texts)) for metric in (metrics.accuracy, metrics.kappa, metrics.log_loss)]
    for call in calls:
        with pytest.raises(ValueError, match=r"Labels must be classes of the schema \(0, 1\), got '0'"):
            call()
    assert accuracy(tree, Dataset.from_rows([["a"], ["b"]], [0, 2], features=["x"])) == 0.5


# Kinds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objects", [False, True])
def test_intervals_are_ordered_texts_and_so_are_those_of_rows(objects):
    ages = pd.Series([3, 30, 70, 5, None, 40])
    cut = pd.cut(ages, [0.5, 18.5, 65.5, 99.5])
    frame = pd.DataFrame({"age": pd.arrays.IntervalArray(cut) if objects else cut, "y": [0, 1, 1, 0, 0, 1]})
    read = Dataset.from_frame(frame)
    assert read.schema.features == (Feature("age", "ordinal", ("(0.5, 18.5]", "(18.5, 65.5]", "(65.5, 99.5]")),)
    assert read.columns[0].tolist() == [0, 1, 2, 0, -1, 1]
    assert from_json(to_json(grow(read))) == grow(read)
    assert predict(grow(read), frame).tolist() == frame["y"].tolist()


def test_a_target_of_few_numbers_that_occur_often_is_doubted_and_response_decides():
    doses = {"x": list(range(30)), "dose": [0.5, 1.0, 2.0] * 10}
    with pytest.warns(UserWarning, match=r"'dose' has only 3 numbers in 30 rows, and may have classes. Give response='classes'"):
        assert not Dataset.from_frame(doses).schema.has_classes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Dataset.from_frame(doses, response="classes", omit="x").schema.classes == (0.5, 1.0, 2.0)
        assert not Dataset.from_frame(doses, response="numbers", omit="x").schema.has_classes


@given(st.lists(st.integers(1, 2**20), min_size=3, max_size=20, unique=True), st.floats(1e-16, 1e-15))
def test_numbers_that_differ_by_a_rounding_error_are_rounded_without_a_word(numbers, error):
    pay = np.array([*numbers, *(number * (1 + error) for number in numbers)]) / 1024
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Dataset.from_columns({"x": np.ones(len(pay)), "class": pay}, response="numbers")


@given(columns(9, gaps=True) | nothing(9) | st.just([float("nan")] * 9), st.lists(st.booleans(), min_size=9, max_size=9))
def test_a_survey_in_parts_decides_kinds_by_the_same_rule(cells, labels):
    table = pa.table({"x": cells, "y": labels})
    assert survey(table).summary.schema == Dataset.from_frame(table).schema
