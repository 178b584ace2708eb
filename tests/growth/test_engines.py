"""Counting: counts as a monoid, and the routing of the plain engine."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.arrays import exact_unit
from ftree.data import Dataset
from ftree.growth.engines import EngineSetup, plain, unit_of
from ftree.routing import weighted
from ftree.routing.missing_rules import divide_weights, shares_of
from ftree.tree.splits import Multiway, Threshold


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


def test_the_unit_of_weighted_rows_is_that_of_their_copies():
    rows = Dataset.from_rows([["a"], ["b"]], [0, 1])
    copies = Dataset.from_rows([["a"], ["b"]] * 400, [0, 1] * 400)
    assert unit_of(evolve(rows, weights=[400, 400])) == unit_of(copies) > unit_of(rows)
