"""One table is the same dataset, whatever library holds it."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ftree import Dataset, grow

NOON = datetime(2020, 1, 1, 12)  # noqa: DTZ001  # without a time zone on purpose
TABLE = {
    "sky": ["grey", "blue", None, "grey"],
    "wet": [True, None, False, True],
    "wind": [3, None, 5, 1],
    "heat": [0.5, 1.25, None, -3.0],
    "day": [date(2020, 1, 1), None, date(2020, 2, 29), date(1960, 1, 1)],
    "at": [NOON, None, NOON + timedelta(seconds=1), NOON],
    "took": [timedelta(hours=1), timedelta(days=-2), None, timedelta(0)],
    "cost": [Decimal("1.10"), None, Decimal("2.50"), Decimal("1.10")],
    "ride": ["no", "yes", "yes", "no"],
}


def masked(values):
    """Numbers as a masked array of numpy, times with NaT; all else as objects."""
    gaps = [value is None for value in values]
    known = [value for value in values if value is not None]
    if isinstance(known[0], (date, timedelta)):
        return np.array(values, "m8[us]" if isinstance(known[0], timedelta) else "M8[us]")
    if isinstance(known[0], (str, Decimal)):
        return np.array(values, dtype=object)
    return np.ma.array([known[0] if value is None else value for value in values], mask=gaps)


FORMS = {
    "lists": TABLE,
    "dicts": [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)],
    "numpy": {name: np.array(values, dtype=object) for name, values in TABLE.items()},
    "masked": {name: masked(values) for name, values in TABLE.items()},
    "pandas": pd.DataFrame(TABLE),
    "pandas objects": pd.DataFrame(TABLE, dtype=object),
    "pandas nullable": pd.DataFrame(TABLE).convert_dtypes(),
    "pandas on arrow": pa.table(TABLE).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame(TABLE),
    "polars lazy": pl.LazyFrame(TABLE),
    "polars chunks": pl.concat([pl.DataFrame(TABLE)[:2], pl.DataFrame(TABLE)[2:]], rechunk=False),
    "arrow": pa.table(TABLE),
    "arrow chunks": pa.concat_tables([pa.table(TABLE)[:2], pa.table(TABLE)[2:]]),
    "arrow batch": pa.table(TABLE).to_batches()[0],
    "arrow stream": pa.table(TABLE).to_reader(),
}


def in_form(form):
    """The table in that form; a relation of DuckDB is made for the test, since it is told of when it lives to the end."""
    return duckdb.from_arrow(pa.table(TABLE)) if form == "duckdb" else FORMS[form]


@pytest.mark.parametrize("form", [*FORMS, "duckdb"])
def test_one_table_is_the_same_dataset_and_the_same_tree_in_every_library(form):
    expected = Dataset.from_columns(TABLE, target="ride")
    assert [feature.kind for feature in expected.schema.features] == ["nominal"] * 2 + ["numeric"] * 6
    dataset = Dataset.from_frame(in_form(form))
    assert dataset == expected
    assert grow(dataset) == grow(expected)
