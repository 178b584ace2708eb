"""Growth that needs more memory than is available says so before it allocates any."""

from math import inf
from time import process_time

import numpy as np
import pytest
from attrs import evolve
from fuzzing import memory_of

from ftree import ID3, Dataset, Feature, Schema, grow
from ftree._lib import machine
from ftree._lib.machine import available_memory, require_memory
from ftree.growth.engines import compiled_state, compiled_subtrees
from ftree.growth.kernels import grow_subtrees
from ftree.stop import max_depth


def a_class_for_each_row(n):
    schema = Schema([Feature("x", "numeric")], "y", range(n))
    return Dataset(schema, [np.arange(n) * 0.618034 % 1], np.arange(n, dtype=np.int16))


def test_what_is_left_on_the_machine_is_read_in_kilobytes_and_infinite_where_nothing_tells(monkeypatch):
    monkeypatch.setattr(machine.Path, "read_text", lambda *_, **__: "MemTotal: 9 kB\nMemAvailable:    3000 kB\n")
    assert machine._left_on_machine() == 3000 * 1024
    monkeypatch.setattr(machine.Path, "read_text", lambda *_, **__: "MemTotal: 9 kB\n")
    assert machine._left_on_machine() == inf


MANY = a_class_for_each_row(8000)


@pytest.fixture
def little(monkeypatch):
    """A machine with 300 MB left."""
    monkeypatch.setattr(machine, "available_memory", lambda: 3e8)


@pytest.mark.usefixtures("little")
def test_a_class_for_each_row_is_refused_with_what_is_needed_what_there_is_and_what_to_do():
    start = process_time()
    words = r"Memory must have room for counts of .* cells by 8,000 classes, .* GB, got 0.3 GB\. Use fewer classes"
    with pytest.raises(MemoryError, match=words):
        grow(MANY, engine="plain")
    assert process_time() - start < 20


@pytest.mark.filterwarnings("ignore::UserWarning")  # of kinds in doubt
@pytest.mark.parametrize("kind", ["numeric", "nominal"])
@pytest.mark.parametrize(("n_rows", "n_classes"), [(600, 500), (20_000, 20)])
def test_no_search_takes_more_memory_than_was_asked_for(kind, n_rows, n_classes, monkeypatch):
    needed = []
    monkeypatch.setattr("ftree._lib.arrays.require_memory", lambda n, *_: needed.append(n))
    rows = Dataset.from_columns(
        {"x": np.arange(n_rows) * 0.618034 % 1, "y": np.arange(n_rows) % n_classes}, target="y", kinds=kind
    )
    taken = memory_of(lambda: grow(rows, evolve(ID3, stop=max_depth(1)), engine="plain"))
    assert 0.4 * max(needed) < taken < max(needed)


@pytest.mark.usefixtures("little")
def test_a_level_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr("ftree._lib.arrays.require_memory", lambda *_: None)
    monkeypatch.setattr(machine, "_LITTLE", 0)
    monkeypatch.setattr(machine, "available_memory", lambda: 1000.0)
    rows = a_class_for_each_row(40)
    with pytest.raises(
        MemoryError, match=r"room for 1 nodes with counts of 40 classes, 1.92e-06 GB, got 1e-06 GB\. Stop earlier"
    ):
        grow(rows)


@pytest.mark.parametrize("n_values", [10, 1000], ids=["coded", "sorted"])
def test_the_compiled_engine_refuses_a_table_without_room_before_the_first_level(monkeypatch, n_values):
    monkeypatch.setattr(machine, "_LITTLE", 0)
    rows = Dataset.from_columns({"x": np.arange(1000.0) % n_values, "y": np.arange(1000) % 2}, target="y")
    tree = grow(rows, engine="compiled")
    monkeypatch.setattr(machine, "available_memory", lambda: 20_000.0)
    monkeypatch.setattr(compiled_state, "put_codes", None)
    monkeypatch.setattr(compiled_state, "sort_column", None)
    words = r"room for the columns of 1,000 rows by 1 features, sorted or coded, \S+ GB, got 2e-05 GB\. Use fewer rows"
    with pytest.raises(MemoryError, match=words):
        grow(rows, engine="compiled")
    monkeypatch.undo()
    assert grow(rows, engine="compiled") == tree


def test_the_compiled_engine_grows_level_by_level_where_subtrees_could_need_too_much(monkeypatch):
    rows = Dataset.from_columns({"x": np.arange(60.0) * 7 % 60, "y": np.arange(60) % 3}, target="y")
    tree = grow(rows, engine="plain")
    monkeypatch.setattr(compiled_subtrees, "has_room", lambda _: False)
    monkeypatch.setattr(grow_subtrees, "grow_counted", None)
    assert grow(rows, engine="compiled") == tree


@pytest.mark.usefixtures("little")
def test_little_memory_is_taken_without_a_look(monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 0.0)
    require_memory(2**28 - 1, "a level", "Stop earlier.")
    with pytest.raises(MemoryError):
        require_memory(2**28, "a level", "Stop earlier.")


def test_what_is_available_is_the_least_that_is_known(monkeypatch):
    assert 0 < available_memory() <= inf
    monkeypatch.setattr(machine, "_left_on_machine", lambda: 7.0)
    monkeypatch.setattr(machine, "_left_below_limit", lambda: 5.0)
    assert available_memory() == 5


def test_a_limit_on_addresses_counts(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (2**60, 2**60))
    assert 0 < machine._left_below_limit() < 2**60
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 2**60))
    assert available_memory() == 0, "the soft limit counts"
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 1))
    assert machine._left_below_limit() == 0
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
    assert machine._left_below_limit() == inf


def test_what_is_left_below_a_limit_is_what_the_process_s_addresses_leave(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (10**9, 10**9))
    monkeypatch.setattr(machine.os, "sysconf", {"SC_PAGE_SIZE": 4096}.__getitem__)
    monkeypatch.setattr(
        machine.Path, "read_text", lambda *_, **__: "1000 200 30 4 0 5 0\n"
    )  # pages: of addresses, then in memory
    assert machine._left_below_limit() == 10**9 - 1000 * 4096


def test_where_nothing_is_known_nothing_is_refused(monkeypatch):
    def unknown(*_, **__):
        raise OSError("no such file")

    monkeypatch.setattr(machine.Path, "read_text", unknown)
    assert available_memory() == inf
    require_memory(1e30, "anything", "")
