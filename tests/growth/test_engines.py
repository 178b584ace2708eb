"""Counting: kernels against plain twins, counts as a monoid, and the routing of the plain engine."""

from math import inf, nextafter

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.arrays import (
    class_counts_of_cells,
    distinct,
    exact_unit,
    first_near_best,
    midpoint,
    run_starts,
    times_and_fractions,
)
from ftree.data import Dataset
from ftree.growth.engines import EngineSetup, plain, unit_of
from ftree.routing import weighted
from ftree.routing.missing_rules import divide_weights, shares_of
from ftree.testing import datasets
from ftree.tree.splits import Multiway, Threshold

entries = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(1, 5)), max_size=20)
finite = st.floats(allow_nan=False, allow_infinity=False)


@given(entries)
def test_count_is_a_tally(listed):
    cells, classes, weights = np.array(listed, dtype=np.intp).reshape(-1, 3).T
    tally = [[sum(w for c, k, w in listed if (c, k) == (cell, label)) for label in range(3)] for cell in range(5)]
    assert class_counts_of_cells(cells, classes, weights, 5, 3).tolist() == tally
    ones = [[sum((c, k) == (cell, label) for c, k, _ in listed) for label in range(3)] for cell in range(5)]
    assert class_counts_of_cells(cells, classes, None, 5, 3).tolist() == ones


@given(entries, st.integers(0, 20))
def test_counts_of_parts_add_up(listed, cut):
    table = np.array(listed, dtype=np.intp).reshape(-1, 3)
    parts = [class_counts_of_cells(*part.T, 5, 3) for part in (table[:cut], table[cut:])]
    assert (sum(parts) == class_counts_of_cells(*table.T, 5, 3)).all()


@given(entries)
def test_features_are_counted_together_as_one_by_one(listed):
    cells, classes, weights = np.array(listed, dtype=np.intp).reshape(-1, 3).T
    both = np.array([cells, 5 + cells[::-1]])
    separate = [class_counts_of_cells(row, classes, weights, 10, 3) for row in both]
    assert (class_counts_of_cells(both, classes, weights, 10, 3) == sum(separate)).all()


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, 1.0 + 1e-10, 2.0]), min_size=1), min_size=1))
def test_the_first_near_the_best_is_what_a_loop_finds(groups):
    starts = np.cumsum([0] + [len(group) for group in groups[:-1]])
    found = first_near_best(np.concatenate(groups), starts, 1e-9).tolist()
    for start, group, index in zip(starts, groups, found, strict=True):
        assert index == start + next(i for i, score in enumerate(group) if score >= max(group) - 1e-9)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1))
def test_runs_start_where_a_key_changes(pairs):
    changes = [i for i in range(len(pairs)) if i == 0 or pairs[i] != pairs[i - 1]]
    assert run_starts(*np.array(pairs).T).tolist() == changes


@given(st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**40)), max_size=30))
def test_distinct_keys_are_numbered_in_their_order(keys):
    rows, which = distinct(np.array(keys, dtype=np.int64))
    assert [keys[row] for row in rows.tolist()] == sorted(set(keys))
    assert [keys[rows[number]] for number in which.tolist()] == keys


@given(finite, finite)
def test_a_threshold_divides_any_two_numbers(one, other):
    low, high = min(one, other), max(one, other)
    if low < high:
        assert low <= midpoint(np.array(low), np.array(high)) < high


@pytest.mark.parametrize("low", [0.0, 1.0, -1.0, 1e308, -1.7e308, 5e-324])
def test_a_threshold_divides_even_neighbouring_floats(low):
    assert low <= midpoint(np.array(low), np.array(nextafter(low, inf))) < nextafter(low, inf)
    assert np.isfinite(midpoint(np.array(-1.7e308), np.array(1.7e308)))


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


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_weights_on_the_grid_add_up_alike_in_any_order(weights, random):
    _, fractions = times_and_fractions(np.array(weights), exact_unit(sum(weights)))
    mixed = random.sample(fractions.tolist(), len(fractions))
    assert sum(fractions.tolist()) == sum(mixed)
    assert fractions == pytest.approx(weights, abs=1e-12 * sum(weights))


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
