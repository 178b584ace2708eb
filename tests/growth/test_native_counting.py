"""The native library counts and moves the rows of a level as NumPy does, to the last bit."""

import os
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sizes import sized

from ftree import CHAID, ID3, Dataset, Schema, gini, grow
from ftree._lib.machine import thread_pool
from ftree.data.channels import in_parts
from ftree.growth.engines import EngineSetup, plain
from ftree.missing import heaviest, weighted
from ftree.splitters import subset, threshold
from ftree.stop import never
from ftree.testing import datasets, splits
from ftree.tree.splits import Threshold


@contextmanager
def by_numpy():
    with patch.dict(os.environ, {"FTREE_NATIVE": "off"}):
        yield


@st.composite
def tables(draw):
    """Tables of each kind of target, with gaps, weights and fractions."""
    kind = draw(st.sampled_from(["classes", "numbers", "events"]))
    rows = draw(datasets(missing=draw(st.booleans()), weighted=draw(st.booleans()), response=kind))
    if draw(st.booleans()):  # many values of one column
        spread = np.arange(90.0) % 37
        many = [
            np.where(np.isnan(column), column, spread) if column.dtype.kind == "f" else column
            for column in rows.take(np.arange(90) % len(rows)).columns
        ]
        rows = evolve(rows.take(np.arange(90) % len(rows)), columns=many)
    if draw(st.booleans()):
        rows = evolve(rows, weights=np.arange(1, len(rows) + 1) / 7)
    return rows if kind == "classes" else in_parts(rows, divided=True)


def arrays_of(counted):
    return [getattr(counted, name) for name in ("node", "feature", "value", "vector", "counts") if hasattr(counted, name)]


def known_at(engine, levels, kept):
    """All that an engine says of a table while it goes down by some splits, and is left with some nodes."""
    numeric = [number for number, values in enumerate(engine.values) if not np.isnan(values[:-1]).any()]
    for split in levels:
        answers = [*arrays_of(engine.count()), engine.totals(), *arrays_of(engine.joint(numeric))]
        listed = [split if node % 3 != 1 else None for node in range(len(engine.totals()))]
        if split.n_children == 2:
            answers += arrays_of(engine.sides(listed))
        engine = engine.advance(listed)
        answers += [engine.codes, engine.classes, engine.starts, engine.fractions, engine.times]
        yield from answers
        if kept:
            engine = engine.keep(np.arange(len(engine.totals())) % 2 == 0)
    yield from arrays_of(engine.count())


RULES = st.sampled_from([heaviest(), weighted(), lambda sizes: np.eye(1, len(sizes))[0]])


@given(st.data(), tables(), RULES, st.booleans(), st.integers(1, 2))
def test_counts_sides_vectors_and_places_of_rows_are_those_of_numpy(data, table, missing, kept, n_threads):
    levels = data.draw(st.lists(splits(table.schema), min_size=1, max_size=3))
    with sized(steps=1, many_codes=0), thread_pool(n_threads) as threads:
        ours = list(known_at(plain(table, EngineSetup(missing, threads=threads)), levels, kept))
    with by_numpy():
        theirs = list(known_at(plain(table, EngineSetup(missing)), levels, kept))
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one is other is None or (one.shape == other.shape and one.dtype == other.dtype) or not one.size


def test_a_table_without_features_has_no_counts():
    engine = plain(Dataset(Schema((), "label", "xyz"), [], [0, 1, 2]), EngineSetup())
    for size in (0, 1):
        with sized(many_codes=size):
            assert [array.tolist() for array in arrays_of(engine.count())] == [[]] * 4
            assert engine.count().counts.shape == (0, 3)


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
def test_policies_with_parts_of_ones_own_grow_the_same_tree_with_and_without_the_library(policy, n_classes):
    data = noisy(n_classes)
    with sized(many_cuts=1, many_codes=0):
        tree = grow(data, policy)
    with by_numpy():
        assert grow(data, policy) == tree


@pytest.mark.parametrize(("n", "engine"), [(120, "auto"), (120, "compiled"), (3000, "compiled")])
def test_a_function_sees_counts_that_it_cannot_change(n, engine):
    def spoils(counts):
        counts += 1
        return own_gini(counts)

    with pytest.raises(ValueError, match="read-only"):
        grow(noisy(2, n=n), evolve(ID3, impurity=spoils), engine=engine)


def test_runs_of_one_value_have_no_cut():
    data = Dataset.from_columns({"a": [1.0, 1.0], "b": [0.0, 1.0], "y": [0, 1]}, target="y")
    both = data.take([0, 0, 0])
    for engine, size in (("auto", {"many_cuts": 1, "many_codes": 0}), ("compiled", {})):
        with sized(**size):
            assert grow(data, evolve(ID3, impurity=own_gini), engine=engine).root.split == Threshold(1, 0.5)
            assert grow(both, evolve(ID3, impurity=own_gini, stop=never), engine=engine).root.counts == (3, 0)
