"""The way to grow: by the native library or by an engine that counts."""

import numpy as np
import pytest

from ftree import Dataset, grow
from ftree.criteria import any_of
from ftree.growth.depth_first.what_c_knows import StopLimits, stop_limits
from ftree.growth.given_table import is_native
from ftree.stop import max_depth, max_leaves, min_best_child, min_gain, min_rows, never, no_gain, not_significant, pure


def test_the_library_grows_what_it_knows_unless_another_engine_is_requested(monkeypatch):
    assert [is_native(engine) for engine in ("plain", "auto", "compiled", grow)] == [False, True, True, False]
    monkeypatch.setenv("FTREE_NATIVE", "off")
    assert not any(is_native(engine) for engine in ("auto", "compiled"))


@pytest.mark.parametrize("rows", [[[1.0], [2.0]], [["a"], ["b"]]])
def test_the_compiled_engine_by_name_needs_the_library(rows, monkeypatch):
    data = Dataset.from_rows(rows, [0, 1])
    assert grow(data, engine="compiled") == grow(data, engine="plain")
    monkeypatch.setenv("FTREE_NATIVE", "off")
    with pytest.raises(ImportError, match=r"engine='compiled' needs the native library, which is not here: .*build\.py"):
        grow(data, engine="compiled")


def test_what_starts_no_engine_is_told_what_an_engine_is():
    with pytest.raises(TypeError, match=r"engine must be a function .*, got one that returns an int"):
        grow(Dataset.from_rows(np.zeros((2, 1)), [0, 1]), engine=lambda *_: 3)


def test_rules_of_the_library_are_known_in_numbers_and_others_are_not():
    known = stop_limits(
        pure() | no_gain() | min_gain(0.2) | max_depth(3) | max_depth(5) | min_rows(4) | min_best_child(2) | max_leaves(9)
    )
    assert known == StopLimits(pure=True, depth=3, rows=4, leaf=2, gain=0.2 - 1e-9)
    assert stop_limits(never) == StopLimits()
    for rule in (~pure(), not_significant(), pure() & max_depth(2), lambda frontier: frontier.gain < 1):
        assert stop_limits(any_of(rule)) is None
