"""Times in exports: a table has its dates and times, and each program predicts from them what the tree predicts."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from consumers import RULES, ask_sqlite, asked_of, run
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, grow, predict
from ftree.exchange import to_python, to_sql
from ftree.tree import Oblique

START = datetime(2000, 1, 1)  # noqa: DTZ001  # without a zone
MOMENTS = st.integers(-(10**12), 10**12).map(lambda n: START + timedelta(milliseconds=n))
# By kind of time, its values.
KINDS = {
    "date": st.dates(date(1900, 1, 1), date(2100, 1, 1)),
    "datetime": MOMENTS,
    "datetime in UTC": MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)),
    "time of day": MOMENTS.map(datetime.time),
    "duration": MOMENTS.map(lambda moment: moment - START),
}


@st.composite
def trees_of_times(draw, kind):
    """A tree of two times, and rows of it: those of its data, times beside them, and missing ones."""
    values = draw(st.lists(st.tuples(*[KINDS[kind]] * 2), min_size=2, max_size=12))
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
    function = run(to_python(tree))
    wanted = predict(tree, rows)
    assert [function(row) for row in rows] == wanted
    texts = [[None if cell is None else data.draw(notations(cell)) for cell in row] for row in rows]
    assert [function(row) for row in texts] == predict(tree, texts) == wanted


def notations(value):
    """The texts of a time that the library reads: in ISO format, or its seconds if it is a duration."""
    if isinstance(value, timedelta):
        return st.just(repr(value.total_seconds()))
    texts = {str(value), value.isoformat(), f" {value} ", str(value).replace("+00:00", "Z"), str(value).removesuffix(":00")}
    return st.sampled_from(sorted(texts))


FINITE = st.floats(-1e12, 1e12)


@given(st.sampled_from(sorted(KINDS)), FINITE, FINITE, FINITE)
@example("date", 1.5e-05, 0.0, 0.0)
def test_python_takes_texts_of_numbers_beside_times_and_in_their_place(kind, number, moment, at):
    """A text such as 1.5e-05 has a minus where a date has one."""
    schema = Schema([Feature("x", "numeric"), Feature("at", "numeric", time=kind)], "y", ("no", "yes"))
    tree = Tree(schema, Branch((1, 1), Oblique((1.0, 1.0), at), (Leaf((1, 0)), Leaf((0, 1)))))
    row = [repr(number), repr(moment)]
    assert [run(to_python(tree))(row)] == predict(tree, [row])


@pytest.mark.parametrize("kind", KINDS)
@given(st.data(), st.sampled_from(RULES))
def test_sqlite_compares_texts_of_times_and_seconds(kind, data, missing):
    tree, rows = data.draw(trees_of_times(kind))
    cells = [[cell.total_seconds() if isinstance(cell, timedelta) else cell and str(cell) for cell in row] for row in rows]
    columns = Dataset.from_rows(rows, ["no"] * len(rows), features=["Day", "at"]).columns
    seconds = [[None if np.isnan(cell) else cell for cell in row] for row in np.transpose(columns).tolist()]
    asked = to_sql(tree, dialect="sqlite", missing=missing)
    for table in (cells, seconds):
        assert [label for (label,) in ask_sqlite([asked], tree.schema, table)] == predict(tree, rows, missing=missing)


@asked_of("duckdb", "ansi", "postgres")
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.sampled_from(RULES))
def test_databases_compare_their_times(consumer, kind, data, missing):
    tree, rows = data.draw(trees_of_times(kind))
    assert consumer(tree, missing)(rows)[0] == predict(tree, rows, missing=missing)
