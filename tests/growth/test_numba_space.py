"""The memory in which groups of subtrees grow."""

from types import SimpleNamespace

import numpy as np
import pytest

from ftree import ID3, Dataset, grow
from ftree.growth.engines import numba_space
from ftree.growth.engines.numba_engine import compiled
from ftree.growth.engines.protocol import EngineSetup


def table():
    cells = np.random.default_rng(3).normal(size=(200, 3))
    labels = (cells[:, 0] + cells[:, 1] > 0).tolist()
    return Dataset.from_rows(np.where(np.random.default_rng(4).random(cells.shape) < 0.2, np.nan, cells), labels)


@pytest.mark.parametrize("short", ["_ROW", "_NODE", "_FEW"])
def test_a_group_that_finds_no_room_grows_in_a_larger_one(short, monkeypatch):
    data = table()
    monkeypatch.setattr(numba_space, "_LEAST", 64)
    monkeypatch.setattr(numba_space, short, -190 if short == "_FEW" else 0)
    assert grow(data, ID3, engine="compiled", n_jobs=1) == grow(data, ID3, engine="plain")


def test_a_group_for_which_the_machine_has_no_room_is_an_error(monkeypatch):
    data = table()
    monkeypatch.setattr(numba_space, "_LEAST", 64)
    monkeypatch.setattr(numba_space, "_NODE", -100)

    def refuse(*_):
        raise MemoryError("no room")  # for the test

    monkeypatch.setattr(numba_space, "require_memory", refuse)
    with pytest.raises(MemoryError, match="no room"):
        grow(data, ID3, engine="compiled", n_jobs=1)


def test_a_group_finds_the_place_of_the_one_before_empty():
    free = np.array([5, 9, 1])  # where free bytes begin and end, and where they begin in an empty room
    place = numba_space.Place(1, np.empty(9, np.uint8), SimpleNamespace(kept=SimpleNamespace(free=free)))
    spaces = numba_space.Spaces(None, 1)
    spaces.idle.append(place)
    assert spaces.take() is place
    assert free.tolist() == [1, 9, 1]
    assert not spaces.idle, "another thread needs a place of its own"
    spaces.give_back(place)
    assert list(spaces.idle) == [place]
    spaces.n = 2
    spaces.give_back(place)
    assert list(spaces.idle) == [place], "groups of two need a larger one"


def test_memory_is_asked_for_a_place_of_twice_the_entries_before_it_is_made(monkeypatch):
    wanted = []
    monkeypatch.setattr(numba_space, "require_memory", lambda *given: wanted.append(given))
    state = compiled(table(), EngineSetup()).state
    spaces = numba_space.Spaces(state, 100)
    small = spaces.take()
    spaces.give_back(small)
    spaces.enlarge()
    large = spaces.take()
    assert wanted == [(large.block.nbytes, "the nodes below some rows", "Stop earlier.")]
    assert (small.n, large.n, spaces.n) == (100, 200, 200)
    assert large.block.nbytes > small.block.nbytes
