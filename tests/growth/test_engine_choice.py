"""The engine for a table: when compiled code is used, and from which size on."""

import numpy as np
import pytest
from attrs import evolve

from ftree import C45, CART, ID3, Dataset
from ftree.growth import engine_choice
from ftree.growth.engine_choice import (
    _LARGE,
    _LOADED,
    _is_worth_it,
    _needs_counts_only,
    _rows_with_missing_values,
    _surrogates_of,
    check_engine_choice,
)
from ftree.growth.engines.fused import SurrogateSearch
from ftree.growth.search import Terms
from ftree.missing import as_value, heaviest, ignore, surrogates, weighted
from ftree.splitters import oblique, threshold


@pytest.fixture
def due(monkeypatch):
    """The seconds of the tasks for which compiled code is considered; it is due for tasks of more than half a second."""
    asked = []
    monkeypatch.setattr(engine_choice, "compiled_code_is_due", lambda seconds: asked.append(seconds) or seconds > 0.5)
    monkeypatch.setattr(engine_choice, "tell_of_compilation", lambda: asked.append("told"))
    return asked


def table(cells):
    """A table of five features."""
    rows = np.zeros((cells // 5, 5))
    return Dataset.from_rows(rows, np.zeros(len(rows), int))


@pytest.mark.parametrize(("loaded", "enough"), [(False, _LARGE), (True, _LOADED)])
def test_a_table_of_many_cells_asks_for_compiled_code_sooner_where_that_is_loaded(loaded, enough, due, monkeypatch):
    modules = {"ftree.growth.engines.numba_engine": None} if loaded else {}
    monkeypatch.setattr(engine_choice, "sys", type("Sys", (), {"modules": modules}))
    assert not _is_worth_it(table(enough - 5), "auto")
    assert due == []
    assert _is_worth_it(table(enough), "auto") == (enough == _LARGE)
    assert due == [enough * engine_choice._SECONDS_PER_CELL], "by the time that NumPy would take"


def test_who_asks_for_an_engine_gets_it_whatever_the_size(due):
    assert _is_worth_it(table(5), "compiled")
    assert due == ["told"]
    assert not _is_worth_it(table(2 * _LARGE), "plain")
    assert due == ["told"]


def test_rules_that_have_kernels_go_by_their_names_and_others_as_they_are():
    def own(sizes):
        return sizes / sizes.sum()

    shared = type("Shared", (), {"shares": staticmethod(own)})()
    for missing, rows in [(ignore(), "ignore"), (as_value(), "ignore"), (heaviest(), "heaviest"), (shared, own)]:
        assert _rows_with_missing_values(evolve(ID3, missing=missing)) == rows
    assert _rows_with_missing_values(evolve(ID3, missing=ignore(predict=weighted()))) == "ignore"


def test_an_engine_finds_surrogates_itself_where_they_are_the_librarys_and_some_values_are_missing():
    some = Terms((threshold(),), gaps=frozenset({1}))
    assert _surrogates_of(evolve(CART, missing=surrogates(at_most=2)), some) == SurrogateSearch(frozenset({1}), 2)
    assert _surrogates_of(CART, evolve(some, gaps=frozenset())) is None
    assert _surrogates_of(C45, some) is None


def test_an_engine_has_a_name_or_is_a_function():
    for fine in ("auto", "plain", "compiled", len):
        check_engine_choice(fine, None)
    with pytest.raises(ValueError, match=r"engine must be one of \('auto', 'plain', 'compiled'\), or a function .* got 'numba'"):
        check_engine_choice("numba", None)
    with pytest.raises(ValueError, match="n_jobs must be a whole number of threads from 1, got 0"):
        check_engine_choice("auto", 0)


@pytest.mark.parametrize(
    ("terms", "enough"),
    [
        (Terms((threshold(),)), True),
        (Terms((threshold(), oblique())), False),
        (Terms((oblique(),)), False),
        (Terms((threshold(),), gaps=frozenset({0})), False),
    ],
    ids=["one feature", "several too", "several", "surrogates"],
)
def test_counts_of_features_are_enough_without_surrogates_and_splits_of_several_features(terms, enough):
    assert _needs_counts_only(terms) is enough


@pytest.mark.parametrize("n_rows", [2**30 - 1, 2**30])
def test_rows_are_numbered_in_32_bits_with_room_for_copies(n_rows, monkeypatch):
    """Beyond that, the NumPy engine grows the tree even if the compiled one is requested."""
    chosen = []
    monkeypatch.setattr(engine_choice, "_ready", lambda start, *_: chosen.append(start.__name__))
    monkeypatch.setattr(engine_choice, "_is_worth_it", lambda *_: True)
    monkeypatch.setattr(Dataset, "__len__", lambda _: n_rows)
    data, terms = table(5), Terms((threshold(),))
    with engine_choice.started(data, ID3, terms, "compiled", 1):
        assert chosen == ["_start_compiled" if n_rows < 2**30 else "plain"]
