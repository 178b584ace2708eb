"""Times in exports: a table has its dates and times, and each program predicts from them what the tree predicts."""

import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Leaf, Tree, grow, predict
from ftree.exchange import to_python, to_sql
from ftree.tree import Oblique

RULES = ["all_routes", "weighted", "heaviest", "stop_here"]
START = datetime(2000, 1, 1)  # noqa: DTZ001  # without a zone
MOMENTS = st.integers(-(10**12), 10**12).map(lambda n: START + timedelta(milliseconds=n))
# By kind of time, its values, and the type of a column of them.
KINDS = {
    "date": (st.dates(date(1900, 1, 1), date(2100, 1, 1)), "DATE"),
    "datetime": (MOMENTS, "TIMESTAMP"),
    "datetime in UTC": (MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)), "TIMESTAMP WITH TIME ZONE"),
    "time of day": (MOMENTS.map(datetime.time), "TIME"),
    "duration": (MOMENTS.map(lambda moment: moment - START), "INTERVAL"),
}


@st.composite
def trees_of_times(draw, kind):
    """A tree of two times, and rows of it: those of its data, times beside them, and missing ones."""
    values = draw(st.lists(st.tuples(*[KINDS[kind][0]] * 2), min_size=2, max_size=12))
    labels = draw(st.lists(st.sampled_from(["no", "yes"]), min_size=len(values) - 2, max_size=len(values) - 2))
    dataset = Dataset.from_rows(values, ["no", "yes", *labels], features=["Day", "at"])
    tree = grow(dataset, CART)
    if draw(st.booleans()):
        earlier = Oblique((1.0, -1.0), draw(st.integers(-(10**6), 10**6)) / 4)
        tree = Tree(tree.schema, Branch((1, 1), earlier, (Leaf((1, 0)), Leaf((0, 1)))))
    rows = [*values, *[pair[::-1] for pair in values], (None, values[0][1]), (values[0][0], None), (None, None)]
    return tree, list(map(list, rows))


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_python_takes_the_times_and_the_texts_that_the_tree_takes(kind, data):
    tree, rows = data.draw(trees_of_times(kind))
    made = {}
    exec(to_python(tree), made)  # noqa: S102  # this source is under test
    wanted = predict(tree, rows)
    assert [made["predict"](row) for row in rows] == wanted
    if kind.startswith("date"):
        texts = [[None if cell is None else str(cell).replace("+00:00", "Z") for cell in row] for row in rows]
        assert [made["predict"](row) for row in texts] == predict(tree, texts) == wanted


@pytest.mark.parametrize("kind", KINDS)
@given(st.data(), st.sampled_from(RULES))
def test_sqlite_compares_texts_of_times_and_seconds(kind, data, missing):
    tree, rows = data.draw(trees_of_times(kind))
    cells = [[cell.total_seconds() if isinstance(cell, timedelta) else cell and str(cell) for cell in row] for row in rows]
    columns = Dataset.from_rows(rows, ["no"] * len(rows), features=["Day", "at"]).columns
    seconds = [[None if np.isnan(cell) else cell for cell in row] for row in np.transpose(columns).tolist()]
    with closing(sqlite3.connect(":memory:")) as database:
        for table in (cells, seconds):
            database.execute("CREATE TABLE t (Day, at)")
            database.executemany("INSERT INTO t VALUES (?, ?)", table)
            found = database.execute(f"SELECT {to_sql(tree, dialect='sqlite', missing=missing)} FROM t ORDER BY rowid").fetchall()
            assert [label for (label,) in found] == predict(tree, rows, missing=missing)
            database.execute("DROP TABLE t")


def queries(tree, kind, rows, dialect, missing):
    """SQL that makes a table of typed columns, and the query for its answers in order."""
    literal = lambda cell: "NULL" if cell is None else f"'{cell.total_seconds()} seconds'" if kind == "duration" else f"'{cell}'"  # noqa: E731
    type_of = KINDS[kind][1]
    typed = [", ".join(f"CAST({literal(cell)} AS {type_of})" for cell in row) for row in rows]
    values = ", ".join(f"({number}, {row})" for number, row in enumerate(typed))
    made = f'CREATE TEMPORARY TABLE times AS SELECT * FROM (VALUES {values}) AS t(number, "Day", "at")'
    return made, f"SELECT {to_sql(tree, dialect=dialect, missing=missing)} FROM times ORDER BY number"


@pytest.mark.parametrize("kind", KINDS)
@given(st.data(), st.sampled_from(RULES), st.sampled_from(["duckdb", "ansi"]))
def test_duckdb_compares_its_times(kind, data, missing, dialect):
    tree, rows = data.draw(trees_of_times(kind))
    make, ask = queries(tree, kind, rows, dialect, missing)
    with duckdb.connect() as database:
        database.execute(make)
        assert [label for (label,) in database.execute(ask).fetchall()] == predict(tree, rows, missing=missing)
