"""The compiled engine counts values as NumPy does."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, Feature, Schema
from ftree.growth.engines import EngineSetup, compiled_engine
from ftree.growth.engines.compiled_engine import compiled
from ftree.testing import datasets, splits

pytestmark = pytest.mark.in_python

SCHEMA = Schema(
    [
        Feature("n", "numeric"),
        Feature("o", "ordinal", "abc"),
        Feature("c", "nominal", "abcd"),
        Feature("many", "nominal", range(70)),
    ],
    "label",
    "xyz",
)


def spread(data):
    """The same rows with more values in the first column than are coded, in 300 rows."""
    rows = data.take(np.arange(300) % len(data))
    column = np.where(np.isnan(rows.columns[0]), np.nan, np.arange(300.0) % 97)
    return evolve(rows, columns=[column, *rows.columns[1:]])


def same_counts(engine):
    ours, plain = engine.count(), engine.plain().count()
    for name in ("node", "feature", "value", "counts"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(plain, name))
    assert ours.counts.shape == plain.counts.shape
    assert ours.counts.dtype == plain.counts.dtype or not len(ours.counts)


@given(st.data())
def test_the_counts_of_a_level_are_those_of_numpy(data):
    rows = data.draw(datasets(schema=SCHEMA, missing=data.draw(st.booleans()), weighted=data.draw(st.booleans())))
    rows = spread(rows) if data.draw(st.booleans()) else rows
    if data.draw(st.booleans()):
        rows = evolve(rows, weights=np.arange(1, len(rows) + 1) / 7)
    engine = compiled(rows, EngineSetup())
    same_counts(engine)
    below = engine.advance([data.draw(splits(SCHEMA))])
    same_counts(below)
    same_counts(below.keep(np.arange(len(below.totals())) > 0))


def test_a_table_without_features_has_no_counts():
    same_counts(compiled(Dataset(Schema((), "label", "xyz"), [], [0, 1, 2]), EngineSetup()))


def test_memory_is_asked_for_all_arrays_of_the_counts_before_they_are_made(monkeypatch):
    wanted = []
    monkeypatch.setattr(compiled_engine, "require_memory", lambda *given: wanted.append(given))
    found = compiled(
        Dataset.from_columns({"a": [1.0, 2.0, 1.0], "b": list("pqr"), "y": [0, 1, 2]}, target="y"), EngineSetup()
    ).count()
    ((needed, purpose, remedy),) = wanted
    as_floats = found.counts
    assert needed == sum(array.nbytes for array in (found.node, found.feature, found.value, found.counts, as_floats))
    assert purpose == "counts of 5 values by 3 classes"
    assert remedy.startswith("Use fewer classes or distinct values")
