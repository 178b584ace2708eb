"""Growth that needs more memory than is available says so before it allocates any."""

from functools import partial
from math import inf
from time import process_time

import numpy as np
import pytest
from attrs import evolve
from limits import memory_left
from measured_memory import memory_of

from ftree import ID3, Dataset, Feature, Schema, grow
from ftree._lib import machine
from ftree._lib.machine import available_memory, require_memory
from ftree.stop import max_depth


def a_class_for_each_row(n):
    schema = Schema([Feature("x", "numeric")], "y", range(n))
    return Dataset(schema, [np.arange(n) * 0.618034 % 1], np.arange(n, dtype=np.int16))


@pytest.mark.parametrize(
    ("told", "left"), [("MemTotal: 9 kB\nMemAvailable:    3000 kB\n", 3000 * 1024), ("MemTotal: 9 kB\n", inf)]
)
def test_what_is_left_on_the_machine_is_read_in_kilobytes_and_infinite_where_nothing_tells(told, left, monkeypatch):
    monkeypatch.setattr(machine.Path, "read_text", lambda *_, **__: told)
    assert machine._left_on_machine() == left


MANY = a_class_for_each_row(8000)


def test_a_class_for_each_row_is_refused_with_what_is_needed_what_there_is_and_what_to_do():
    start = process_time()
    words = r"Memory must have room for counts of .* cells by 8,000 classes, .* GB, got 0.3 GB\. Use fewer classes"
    with memory_left(3e8), pytest.raises(MemoryError, match=words):
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
    once = partial(grow, rows, evolve(ID3, stop=max_depth(1)), engine="plain")
    once()  # the first use loads modules
    taken = memory_of(once)
    assert 0.4 * max(needed) < taken < max(needed)


def test_a_level_is_refused_before_it_is_made():
    rows = a_class_for_each_row(40)
    words = r"room for 1 nodes with counts of 40 classes, 1.92e-06 GB, got \S+ GB\. Stop earlier"
    with memory_left(1900.0, little=0), pytest.raises(MemoryError, match=words):
        grow(rows)


def test_the_compiled_engine_grows_level_by_level_where_subtrees_could_need_too_much():
    """A subtree could have two nodes for each row; this one has two leaves."""
    rows = Dataset.from_columns({"x": np.arange(60.0) * 7 % 60, "y": np.arange(60) * 7 % 60 // 30}, target="y")
    tree = grow(rows, engine="plain")
    with memory_left(5000.0, little=0):
        assert grow(rows, engine="compiled") == tree


def test_little_memory_is_taken_without_a_look():
    with memory_left(0.0):
        require_memory(2**28 - 1, "a level", "Stop earlier.")
        with pytest.raises(MemoryError):
            require_memory(2**28, "a level", "Stop earlier.")


def test_what_is_available_is_the_least_that_is_known(monkeypatch):
    assert 0 < available_memory() <= inf
    monkeypatch.setattr(machine, "_left_on_machine", lambda: 7.0)
    monkeypatch.setattr(machine, "_left_below_limit", lambda: 5.0)
    assert available_memory() == 5


@pytest.mark.parametrize(
    ("limits", "least", "most"), [((2**60, 2**60), 1, 2**60), ((1, 2**60), 0, 0), ((1, 1), 0, 0), ((-1, -1), inf, inf)]
)
def test_a_limit_on_addresses_counts_and_of_two_the_soft_one(limits, least, most, monkeypatch):
    resource = pytest.importorskip("resource")
    assert resource.RLIM_INFINITY == -1
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    assert least <= machine._left_below_limit() <= most
    assert available_memory() <= most


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
