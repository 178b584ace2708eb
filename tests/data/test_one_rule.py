"""One rule of kinds: a file, what any library makes of it, its Parquet and its rows are one dataset, and have the same answers."""

import csv
import io
from datetime import date, datetime, time
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyarrow import parquet
from reread import in_blocks

from ftree import CART, ID3, Dataset, accuracy, confusion, grow, mean_cost, predict
from ftree.data import MISSING_WORDS
from ftree.data.values import python_values
from ftree.prune import reduced_error
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
    "texts and numbers": st.sampled_from(["1", "2", " 3", "many", "2020-01-01"]),
}


@st.composite
def columns(draw, n, *, gaps):
    """Cells of a kind, of which the first is known; others may be a word for missing."""
    cells = draw(st.sampled_from(list(FAMILIES.values())))
    cells = st.sampled_from(draw(cells)) if cells is booleans else cells
    listed = draw(st.lists(cells, min_size=n, max_size=n))
    if gaps and draw(st.booleans()):
        word = draw(st.sampled_from(["", "NA", "?"]))
        listed = [cell if row == 0 or draw(st.integers(0, 3)) else word for row, cell in enumerate(listed)]
    return listed


@st.composite
def files(draw):
    """A file of a few columns, the last of which is the target, and options for its dataset."""
    n = draw(st.integers(2, 12))
    drawn = [draw(columns(n, gaps=True)) for _ in range(draw(st.integers(1, 3)))]
    labels = draw(columns(n, gaps=draw(st.booleans())))
    names, file = [*(f"c{number}" for number in range(len(drawn))), "y"], io.StringIO()
    if draw(st.booleans()):  # row names, as pandas and R write them
        names, drawn = ["", *names], [list(map(str, range(n))), *drawn]
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]))
    csv.writer(file, quoting=quoting).writerows([names, *zip(*drawn, labels, strict=True)])
    options = {"drop_missing_labels": True, "response": draw(st.sampled_from([None, "classes"]))}
    return file.getvalue().encode(), options


WORDS = list(MISSING_WORDS)


def by_pyarrow(content):
    typed = pa.csv.ConvertOptions(null_values=WORDS, strings_can_be_null=True)
    return pa.csv.read_csv(io.BytesIO(content), convert_options=typed, parse_options=pa.csv.ParseOptions(newlines_in_values=True))


def frames(content):
    """What libraries make of a file, with the same words for missing."""
    pandas = partial(pd.read_csv, keep_default_na=False, na_values=WORDS)
    polars = partial(pl.read_csv, content, null_values=WORDS, infer_schema_length=None)
    made = {"polars": polars(), "polars with dates": polars(try_parse_dates=True), "Arrow": by_pyarrow(content)}
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
    tables = frames(content)
    made = {name: Dataset.from_frame(table, **options) for name, table in tables.items()}
    for name in ("Arrow", "pandas"):
        made[f"Parquet of {name}"] = Dataset.read(as_parquet(tables[name]), format="parquet", **options)
    if not options["drop_missing_labels"]:
        made["blocks"] = in_blocks(content, block=20)
    for name, dataset in made.items():
        assert dataset == read, name
    tree = grow(random.choice(list(made.values())), CART if read.schema.response.kind == "numbers" else ID3, n_jobs=1)
    answers = python_values(predict(tree, read))
    for name, table in tables.items():
        if len(read) == len(table) and name != "rows":
            assert python_values(predict(tree, table)) == answers, name
