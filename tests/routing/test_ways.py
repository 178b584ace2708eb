"""The way in which rows are routed: by NumPy, or by compiled code, and when compiled code is requested."""

import numpy as np
import pytest
from attrs import evolve

from ftree import Dataset, grow
from ftree.missing import all_routes
from ftree.routing import answers
from ftree.routing import flat as flat_module
from ftree.routing.flat import _LARGE_TREE, _MANY, _MANY_DOWN_LARGE, _MANY_WHERE_LOADED, _SECONDS_PER_STEP, flat

SMALL = flat(grow(Dataset.from_rows([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1])).root)


@pytest.fixture
def due(monkeypatch):
    """The seconds of the tasks for which compiled code is considered, on a machine without it."""
    asked = []
    for module in (flat_module, answers):
        monkeypatch.setattr(module, "compiled_code_is_due", lambda seconds: asked.append(seconds) or seconds > 0.005)
    monkeypatch.setattr(flat_module, "is_compiled", lambda: False)
    return asked


def large(n_nodes):
    """The same tree, reported as having that many nodes."""
    return evolve(SMALL, arity=np.zeros(n_nodes, np.int64))


def test_very_many_rows_ask_for_compiled_code_by_the_time_that_numpy_would_take(due):
    assert not SMALL._due(_MANY - 1)
    assert due == []
    assert SMALL._due(_MANY)
    levels = len(SMALL.arity).bit_length()
    assert due == [_MANY * levels * _SECONDS_PER_STEP]
    assert large(5000)._due(_MANY)
    assert due[1] == _MANY * (5000).bit_length() * _SECONDS_PER_STEP


def test_fewer_rows_take_compiled_code_where_it_is_there_and_fewer_still_down_a_large_tree(due, monkeypatch):
    sizes = [(SMALL, _MANY_WHERE_LOADED), (large(_LARGE_TREE - 1), _MANY_WHERE_LOADED), (large(_LARGE_TREE), _MANY_DOWN_LARGE)]
    for tree, enough in sizes:
        assert not tree._due(enough)
    monkeypatch.setattr(flat_module, "is_compiled", lambda: True)
    monkeypatch.setattr(flat_module, "sys", type("Sys", (), {"modules": {"numba": None}}))
    for tree, enough in sizes:
        assert tree._due(enough)
        assert not tree._due(enough - 1)
    monkeypatch.setattr(flat_module, "sys", type("Sys", (), {"modules": {}}))
    assert not SMALL._due(_MANY_WHERE_LOADED), "loading numba would take longer"
    assert due == []


def test_splits_without_a_table_form_never_take_compiled_code(due, monkeypatch):
    monkeypatch.setattr(flat_module, "is_compiled", lambda: True)
    opaque = evolve(SMALL, questions=evolve(SMALL.questions, kind=np.full_like(SMALL.questions.kind, flat_module.OPAQUE)))
    assert not opaque.compiled
    assert not opaque._due(_MANY)
    assert not opaque._due(_MANY_WHERE_LOADED)
    assert due == []


def test_rows_that_take_several_routes_ask_by_their_number_times_that_of_the_nodes(due, monkeypatch):
    tree = grow(Dataset.from_rows([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]))
    taken = []
    monkeypatch.setattr(flat_module.Flat, "gather_counts", lambda *given: taken.append(given[2]) or np.ones((given[2], 2)))
    column = np.full(answers._MANY, np.nan)
    assert answers._gathered(tree, (column[1:],), answers._MANY - 1, all_routes()).tolist() == [[2, 2]] * (answers._MANY - 1)
    assert due == []
    answers._gathered(tree, (column,), answers._MANY, all_routes())
    assert due == [answers._MANY * 7 * answers._SECONDS_PER_STEP]
    assert taken == [], "too little for a compiler"
    monkeypatch.setattr(answers, "compiled_code_is_due", lambda _: True)
    answers._gathered(tree, (column,), answers._MANY, all_routes())
    assert taken == [answers._MANY]
