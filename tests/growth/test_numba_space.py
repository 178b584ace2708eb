"""The memory in which groups of subtrees grow."""

import numpy as np
import pytest

from ftree import ID3, Dataset, grow
from ftree.growth.engines import numba_space, numba_subtrees


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


def test_one_group_after_another_grows_in_the_same_place(monkeypatch):
    made, place_for = [], numba_space.place_for
    monkeypatch.setattr(numba_space, "place_for", lambda state, n: made.append(n) or place_for(state, n))
    monkeypatch.setattr(numba_subtrees, "_SMALL", 300)
    monkeypatch.setattr(numba_subtrees, "_GROUP", 100)
    cells = np.random.default_rng(5).normal(size=(2000, 3))
    data = Dataset.from_rows(cells, (cells[:, 0] * cells[:, 1] + cells[:, 2] > 0).tolist())
    levels = []
    assert grow(data, ID3, engine="compiled", n_jobs=1) == grow(data, ID3, engine="plain", trace=levels.append)
    # Each level has groups of its own, and all of them one place.
    assert 1 <= len(made) <= len(levels)
