"""The compiled engine counts values as NumPy does, and lists candidate cuts as NumPy does, for searches without kernels."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sizes import sized

from ftree import CHAID, ID3, Dataset, Feature, Schema, gini, grow
from ftree.growth.engines import EngineSetup, compiled_engine
from ftree.growth.engines.compiled_engine import compiled
from ftree.splitters import subset, threshold
from ftree.stop import never
from ftree.testing import datasets, splits
from ftree.tree.splits import Threshold

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


def own_gini(counts):
    """Gini, in NumPy."""
    return 1 - (np.asarray(counts) ** 2).sum(-1) / np.maximum(np.asarray(counts).sum(-1), 1) ** 2


def noisy(n_classes, *, n=120):
    random = np.random.default_rng(n_classes)
    numbers = np.where(random.random((2, n)) < 0.1, np.nan, random.normal(size=(2, n)).round(1))
    columns = {"a": numbers[0], "b": numbers[1], "c": random.choice(list("pqr"), n)}
    labels = random.integers(0, n_classes, n) * (numbers[0] > 0)
    return Dataset.from_columns({**columns, "y": labels}, target="y")


@pytest.mark.parametrize("n_classes", [2, 9])
@pytest.mark.parametrize(
    "policy",
    [
        evolve(ID3, impurity=own_gini),
        evolve(ID3, impurity=own_gini, splits=(threshold(min_cases=3), subset())),
        evolve(ID3, impurity=gini, score=lambda children, impurity: impurity(children.sum(-2)) - impurity(children).mean(-1)),
        CHAID,
    ],
    ids=["impurity", "least sizes", "score", "CHAID"],
)
def test_policies_that_only_numpy_searches_grow_the_same_tree_in_both_engines(policy, n_classes):
    """The native library lists the cuts of the one, and NumPy those of the other."""
    data = noisy(n_classes)
    with sized(many_cuts=1):
        tree = grow(data, policy, engine="compiled")
    with sized(many_cuts=10**9):
        assert grow(data, policy, engine="plain") == tree


def test_a_function_sees_counts_that_it_cannot_change():
    def spoils(counts):
        counts += 1
        return own_gini(counts)

    with pytest.raises(ValueError, match="read-only"):
        grow(noisy(2), evolve(ID3, impurity=spoils), engine="compiled")


def test_runs_of_one_value_have_no_cut():
    data = Dataset.from_columns({"a": [1.0, 1.0], "b": [0.0, 1.0], "y": [0, 1]}, target="y")
    both = data.take([0, 0, 0])
    with sized(many_cuts=1):
        assert grow(data, evolve(ID3, impurity=own_gini), engine="compiled").root.split == Threshold(1, 0.5)
        assert grow(both, evolve(ID3, impurity=own_gini, stop=never), engine="compiled").root.counts == (3, 0)
