"""The engine for a table: when compiled code is used, and from which size on."""

import sys

import numpy as np
import pytest
from attrs import evolve

from ftree import ID3, Dataset, grow
from ftree._lib import compilation
from ftree.growth import engine_choice
from ftree.growth.engine_choice import _is_worth_it, _kind_of_kernels, native_pays
from ftree.growth.search import Terms
from ftree.splitters import by_gain_ratio, threshold

TERMS = Terms((threshold(),))


def table(cells, n_classes=1):
    """A table of five features."""
    rows = np.zeros((cells // 5, 5))
    return Dataset.from_rows(rows, [f"class {row % n_classes}" for row in range(len(rows))])


@pytest.mark.parametrize("n_cells", [4_995, 5_000])
def test_a_table_of_many_cells_is_grown_by_loaded_kernels(n_cells, monkeypatch, tmp_path):
    """The kind of kernels that is marked as compiled, and loaded, grows the tree from 5,000 cells on."""
    pytest.importorskip("numba")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compilation, "compiled", {"trees"})
    monkeypatch.setitem(sys.modules, "numba", sys)
    assert _is_worth_it(table(n_cells), TERMS, "auto") == (n_cells >= 5_000)
    assert not _is_worth_it(table(n_cells), evolve(TERMS, choose=by_gain_ratio()), "auto")
    assert _is_worth_it(table(1_000, n_classes=50), TERMS, "auto"), "NumPy's time grows with the classes"


def test_who_asks_for_an_engine_gets_it_whatever_the_size():
    assert _is_worth_it(table(5), TERMS, "compiled") == compilation.has_numba()
    assert not _is_worth_it(table(500_000), TERMS, "plain")


@pytest.mark.parametrize("cells", [1_999, 2_000])
def test_the_library_grows_trees_of_many_cells_or_those_that_are_requested_from_it(cells, monkeypatch):
    assert [native_pays(cells, engine) for engine in ("plain", "auto", "compiled", grow)] == [False, cells >= 2_000, True, False]
    monkeypatch.setenv("FTREE_NATIVE", "off")
    assert not any(native_pays(cells, engine) for engine in ("auto", "compiled"))


def test_the_kind_of_kernels_is_that_of_the_parts_of_the_policy():
    own = evolve(TERMS, impurity=lambda counts: counts[..., 0])
    for terms, kind in [
        (evolve(TERMS, choose=by_gain_ratio()), "trees by gain ratio"),
        (evolve(TERMS, gaps=frozenset({0})), "surrogates"),
        (own, "counts"),
        (TERMS, "trees"),
    ]:
        assert _kind_of_kernels(terms) == kind


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


@pytest.mark.parametrize("rows", [[[1.0], [2.0]], [["a"], ["b"]]])
def test_the_compiled_engine_by_name_needs_the_library_or_numba(rows, monkeypatch):
    """What the library does not know is then grown by NumPy."""
    monkeypatch.setattr(engine_choice, "has_numba", lambda: False)
    data = Dataset.from_rows(rows, [0, 1])
    assert grow(data, engine="compiled") == grow(data, engine="plain")
    monkeypatch.setenv("FTREE_NATIVE", "off")
    with pytest.raises(ImportError, match=r"engine='compiled' needs the native library, or numba; neither is here: .*build\.py"):
        grow(data, engine="compiled")


def test_what_starts_no_engine_is_told_what_an_engine_is():
    with pytest.raises(TypeError, match=r"engine must be a function .*, got one that returns an int"):
        grow(table(5), engine=lambda *_: 3)
