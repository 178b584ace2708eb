"""The calls of the tables of Dask, Spark and Ray to their libraries, with stand-ins; `test_clusters.py` uses two for real."""

import pickle
import sys
from gc import collect
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from attrs import evolve
from skipped_examples import run_example
from toolz import identity

from ftree import ID3, Dataset, Feature, grow
from ftree.scan import dask_table, ray_table, spark_table, survey
from ftree.scan.clusters.dask_table import DaskTable
from ftree.splitters import multiway, threshold
from ftree.stop import max_depth

pa = pytest.importorskip("pyarrow")
COLUMNS = {"x": [1.0, 5.0, 2.0, 4.0, 3.0], "u": list("abaab"), "class": list("noooo")}
SHALLOW = ID3.stopping(max_depth(2))
IN_BINS = evolve(SHALLOW, splits=(multiway(), threshold(bins=3)))


class Pieces(dict):
    """A partition: columns by name."""

    @property
    def columns(self):
        return list(self)

    def __len__(self):
        return len(self["x"])


def dask_frame(sizes, columns=COLUMNS):
    spans = [slice(sum(sizes[:number]), sum(sizes[: number + 1])) for number in range(len(sizes))]
    pieces = [Pieces({name: column[span] for name, column in columns.items()}) for span in spans]
    return SimpleNamespace(columns=list(columns), to_delayed=lambda: pieces)


class SparkFrame:
    """A frame of two partitions of Arrow batches; an empty batch is among them."""

    def __init__(self, *sizes, columns=COLUMNS):
        self.columns, self.sizes, self.table = list(columns), sizes, pa.table(columns)

    def toDF(self, *names):  # Spark's name
        assert names == ("c0", "c1", "c2")[: len(self.columns)]
        return self

    def mapInArrow(self, function, schema):  # Spark's name
        table = self.table.slice(0, sum(self.sizes))
        parts, begin = [], 0
        for size in self.sizes:
            rows = max(len(self.table) // 5, 1)
            batches = [*table.slice(0, 0).to_batches(), *table.slice(begin, size).to_batches(max_chunksize=rows)]
            parts.append(batches)
            begin += size
        return MappedFrame(parts, function, schema)


class MappedFrame:
    """The batches of a function for each partition."""

    def __init__(self, parts, function, schema):
        self.parts, self.schema, self.kept = [list(function(iter(batches))) for batches in parts], schema, None

    def mapInArrow(self, function, schema):  # Spark's name
        assert self.kept
        return MappedFrame(self.parts, function, schema)

    def persist(self):
        assert self.schema == "part binary"
        self.kept = True
        KEPT.append(self)
        return self

    def unpersist(self):
        DROPPED.append(self)

    def toArrow(self):  # Spark's name
        assert self.schema == "answer binary"
        return pa.Table.from_batches([batch for batches in self.parts for batch in batches], pa.schema({"answer": pa.binary()}))


DROPPED, KEPT = [], []


class RayDataset:
    """A dataset in blocks, whose batches are Arrow tables."""

    def __init__(self, *sizes):
        self.sizes = sizes

    def columns(self):
        return list(COLUMNS)

    def map_batches(self, function, *, batch_size, batch_format):
        assert (batch_size, batch_format) == (1_000_000, "pyarrow")
        begins = [sum(self.sizes[:number]) for number in range(len(self.sizes))]
        batches = [pa.table(COLUMNS).slice(begin, size) for begin, size in zip(begins, self.sizes, strict=True)]
        rows = [{"answer": answer} for batch in batches for answer in function(batch)["answer"]]
        return SimpleNamespace(iter_rows=lambda: iter(rows))

    def iter_rows(self):
        raise AssertionError


@pytest.fixture(autouse=True)
def dask(monkeypatch):
    # A delayed function runs at once.
    monkeypatch.setitem(sys.modules, "dask", SimpleNamespace(delayed=identity, compute=lambda *answers: answers))


@pytest.mark.parametrize("sizes", [(5,), (2, 3), (0, 1, 0, 4), (1, 1, 1, 1, 1)])
def test_partitions_grow_the_tree_of_the_table(sizes):
    whole = grow(Dataset.from_columns(COLUMNS), SHALLOW)
    assert grow(survey(dask_table(dask_frame(sizes))), SHALLOW) == whole
    assert grow(survey(spark_table(SparkFrame(*sizes))), SHALLOW) == whole
    assert grow(survey(ray_table(RayDataset(*sizes))), SHALLOW) == whole


@pytest.mark.parametrize("where", [slice(None), slice(None, None, -1)])
def test_a_partition_without_a_value_leaves_categories_their_order(where):
    sizes = pd.Categorical(["M", "S"], ["S", "M", "L"], ordered=True)
    pieces = [Pieces({"x": column, "class": ["no", "yes"]}) for column in (sizes, np.full(2, np.nan))]
    frame = SimpleNamespace(columns=["x", "class"], to_delayed=lambda: pieces[where])
    assert survey(dask_table(frame)).schema.features == (Feature("x", "ordinal", ("S", "M", "L")),)


def test_spark_keeps_encoded_rows_while_the_source_is_in_use():
    source = survey(spark_table(SparkFrame(2, 3)))
    assert grow(source, SHALLOW) == grow(source, SHALLOW)
    DROPPED.clear()
    del source
    collect()
    assert len(DROPPED) == 1


def kept_parts(frame):
    batches = (batch for own in frame.parts for batch in own)
    return [pickle.loads(part.as_py()) for batch in batches for part in batch.column(0)]  # noqa: S301  # our own


@pytest.mark.parametrize("bins", [2, 4096])  # bins of a survey that a requested one divides, and one for each number
def test_spark_keeps_requested_bins_without_numbers(bins):
    source = survey(spark_table(SparkFrame(2, 3)), bins=bins)
    assert grow(source, IN_BINS) == grow(Dataset.from_columns(COLUMNS), IN_BINS)
    binned, _ = source.prepared(IN_BINS)
    kept = kept_parts(binned.parts.table.frame)
    assert [(each.part.codes.dtype.name, each.part.numbers.shape, each.some[0]) for each in kept] == [
        ("uint8", (0, 2), (1, 2)),
        ("uint8", (0, 3), (1, 3)),
    ]
    assert all(len(each.some[1]) == 0 for each in kept)


def use_client(monkeypatch, threads):
    """Let a client of so many threads be active, None for no client; the parts that are kept."""

    def default_client():
        if threads is None:
            raise ValueError
        return SimpleNamespace(nthreads=lambda: {"a": threads - 1, "b": 1})

    kept = []
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(default_client=default_client))
    monkeypatch.setattr(sys.modules["dask"], "persist", lambda *parts: kept.append(parts) or parts, raising=False)
    return kept


@pytest.mark.parametrize("threads", [None, 2])
def test_workers_of_dask_keep_encoded_rows_if_there_are_any(threads, monkeypatch):
    kept = use_client(monkeypatch, threads)
    assert grow(survey(dask_table(dask_frame((2, 0, 3)))), SHALLOW) == grow(Dataset.from_columns(COLUMNS), SHALLOW)
    assert [len(parts) for parts in kept] == ([] if threads is None else [3])
    kept.clear()
    assert grow(survey(dask_table(dask_frame((2, 0, 3)))), IN_BINS) == grow(Dataset.from_columns(COLUMNS), IN_BINS)
    assert [len(parts) for parts in kept] == ([] if threads is None else [3, 3])


@pytest.mark.parametrize(("threads", "cells", "n_kept"), [(2, 900, 7), (3, 900, 10), (2, 90, 10), (2, 30, 20), (20, 900, 20)])
def test_workers_of_dask_join_small_partitions(threads, cells, n_kept, monkeypatch):
    monkeypatch.setattr(sys.modules[DaskTable.__module__], "CELLS", cells)
    kept = use_client(monkeypatch, threads)
    columns = {name: column * 60 for name, column in COLUMNS.items()}
    frame = dask_frame([15] * 20, columns)
    assert grow(survey(dask_table(frame)), SHALLOW) == grow(Dataset.from_columns(columns), SHALLOW)
    assert [len(parts) for parts in kept] == [n_kept]
    assert sum(len(each.part) for (each,) in kept[0]) == 300


EMPTY = [lambda: dask_table(dask_frame([0])), lambda: spark_table(SparkFrame(0)), lambda: ray_table(RayDataset(0))]


@pytest.mark.parametrize("table", EMPTY)
def test_a_table_without_rows_is_refused(table):
    with pytest.raises(ValueError, match="source must have at least one row"):
        survey(table())


def test_the_examples_of_docstrings_run(capsys):
    run_example(dask_table, frame=SimpleNamespace(persist=lambda: dask_frame([2, 3])))
    run_example(spark_table, frame=SimpleNamespace(cache=lambda: SparkFrame(2, 3)))
    run_example(ray_table, dataset=SimpleNamespace(materialize=lambda: RayDataset(2, 3)))
    assert capsys.readouterr().out == ""
