"""Counting: counts as a monoid, and the routing of the plain engine."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.arrays import class_counts_of_cells, exact_unit
from ftree.data import Dataset
from ftree.growth.engines import EngineSetup, plain, unit_of
from ftree.routing import weighted
from ftree.routing.missing_rules import divide_weights, shares_of
from ftree.testing import datasets
from ftree.tree.splits import Multiway, Threshold

entries = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(1, 5)), max_size=20)


@given(entries, st.integers(0, 20))
def test_counts_of_parts_add_up(listed, cut):
    table = np.array(listed, dtype=np.intp).reshape(-1, 3)
    parts = [class_counts_of_cells(*part.T, 5, 3) for part in (table[:cut], table[cut:])]
    assert (sum(parts) == class_counts_of_cells(*table.T, 5, 3)).all()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.lists(st.integers(1, 1000), min_size=1, max_size=5))
def test_shares_of_a_row_add_up_to_it_exactly(parts, sizes):
    step = exact_unit(sum(sizes))
    fractions = np.array(parts) / 16
    parts, stays = divide_weights(fractions, shares_of(weighted(), np.array(sizes)), step)
    shares = parts.T
    assert not stays.any()
    assert (shares.sum(axis=1) == fractions).all()
    assert (np.floor(shares / step) * step == shares).all()
    assert shares == pytest.approx(np.outer(fractions, np.array(sizes) / sum(sizes)), abs=1e-10)


def rows(*cells, labels, **options):
    return Dataset.from_rows(cells, labels, kinds="nominal", **options)


def test_a_row_without_an_answer_goes_down_in_fractions():
    data = rows(["a"], ["a"], ["a"], ["b"], [None], labels=[0, 0, 0, 1, 1])
    engine = plain(data, EngineSetup()).advance([Multiway(0, (0, 1))])
    assert engine.totals().tolist() == [[3, 0.75], [0, 1.25]]
    assert plain(data, EngineSetup("heaviest")).advance([Multiway(0, (0, 1))]).totals().tolist() == [[3, 1], [0, 1]]


def test_fractions_of_fractions_still_add_up():
    data = rows(["a", "c"], ["b", "d"], ["b", None], [None, "c"], [None, None], labels=[0, 1, 0, 1, 1])
    first = plain(data, EngineSetup()).advance([Multiway(0, (0, 1))])
    second = first.advance([Multiway(1, (0, 1)), Multiway(1, (0, 1))])
    assert second.totals().sum(axis=0).tolist() == [2, 3]


@given(datasets(missing=True, weighted=True, max_rows=10))
def test_rows_that_are_closed_are_gone_and_the_others_stay(dataset):
    engine = plain(dataset, EngineSetup())
    assert engine.totals().tolist() == [list(dataset.class_counts())]
    assert engine.keep(np.array([True])) is engine
    assert engine.keep(np.array([False])).totals().shape == (0, len(dataset.schema.classes))
    assert engine.advance([None]).totals().shape == (0, len(dataset.schema.classes))


@given(datasets(missing=True, weighted=True))
def test_avc_sets_hold_what_a_loop_counts(dataset):
    avc = plain(dataset, EngineSetup()).count()
    tallies = {}
    for number, column in enumerate(dataset.columns):
        missing = np.isnan(column) if column.dtype.kind == "f" else column < 0
        for value, gone, label, weight in zip(column.tolist(), missing, dataset.labels, dataset.weights, strict=True):
            cell = tallies.setdefault((number, str(None if gone else float(value))), [0] * len(dataset.schema.classes))
            cell[label] += weight
    names = ["None" if np.isnan(value) else str(value) for value in avc.value.tolist()]
    assert dict(zip(zip(avc.feature.tolist(), names, strict=True), avc.counts.tolist(), strict=True)) == tallies
    assert sorted(zip(avc.node, avc.feature, strict=True)) == list(zip(avc.node, avc.feature, strict=True))


def test_features_of_many_values_are_sorted_instead_of_counted_to_the_same_end():
    rng = np.random.default_rng(0)
    columns = {"many": rng.normal(size=3000), "few": rng.integers(0, 3, 3000).astype(float), "y": rng.integers(0, 2, 3000)}
    data = Dataset.from_columns(columns, target="y")
    engine = plain(data, EngineSetup())
    for cut in (1.5, 0.5):  # with more nodes than rows, dense tables are too large
        engine = engine.advance([Threshold(0, 0.0)] * len(engine.totals())) if cut == 1.5 else engine
        engine = engine.advance([Threshold(1, cut)] * len(engine.totals()))
    avc = engine.count()
    for node in range(len(engine.totals())):
        for feature in (0, 1):
            here = (avc.node == node) & (avc.feature == feature)
            assert (avc.counts[here].sum(axis=0) == engine.totals()[node]).all()
            assert (np.diff(avc.value[here]) > 0).all()
    assert len(avc.value) >= 3000


def test_a_table_without_features_has_no_avc_sets():
    data = Dataset.from_rows([[], []], [0, 1])
    assert plain(data, EngineSetup()).count().counts.shape == (0, 2)


def test_the_unit_of_weighted_rows_is_that_of_their_copies():
    rows = Dataset.from_rows([["a"], ["b"]], [0, 1])
    copies = Dataset.from_rows([["a"], ["b"]] * 400, [0, 1] * 400)
    assert unit_of(evolve(rows, weights=[400, 400])) == unit_of(copies) > unit_of(rows)
