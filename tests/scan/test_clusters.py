"""Tables on the workers of Dask and Spark grow the tree of the dataset; if CI is set, both must be installed."""

import os
import sys
from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module

import numpy as np
import pytest
from attrs import evolve
from skipped_examples import run_example

from ftree import ID3, Dataset, grow
from ftree.scan import dask_table, spark_table, survey
from ftree.splitters import multiway, threshold
from ftree.stop import max_depth, min_rows

pytestmark = [pytest.mark.consumer, pytest.mark.filterwarnings("ignore")]
SHALLOW = ID3.stopping(min_rows(30) | max_depth(3))
IN_BINS = evolve(SHALLOW, splits=(multiway(), threshold(bins=20)))
DASK = "dask[dataframe,distributed]"


def needed(name, remedy):
    """A module that must be installed in CI; elsewhere the test skips without it."""
    if not os.environ.get("CI"):
        pytest.importorskip(name, reason=f"{name} is not installed. Run: pip install {remedy}")
    return import_module(name)


def frame():
    """A frame of pandas: numbers with gaps, whole numbers, texts."""
    random = np.random.default_rng(1)
    x = random.normal(size=800)
    x[::17] = np.nan
    label = np.where(np.nan_to_num(x) + random.normal(size=800) > 0, "yes", "no")
    columns = {"x": x, "k": random.integers(0, 9, 800), "u": random.choice(list("abc"), 800), "class": label}
    return needed("pandas", "pandas").DataFrame(columns)


def in_partitions(rows, n):
    return dask_table(needed("dask.dataframe", DASK).from_pandas(rows, npartitions=n))


def test_workers_of_dask():
    distributed = needed("distributed", DASK)
    rows = frame()
    with (
        distributed.LocalCluster(2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        cluster.get_client(),
    ):
        for policy in (SHALLOW, IN_BINS):
            assert grow(survey(in_partitions(rows, 5)), policy) == grow(Dataset.from_frame(rows), policy)
        run_example(dask_table, frame=import_module("dask.dataframe").from_pandas(rows, npartitions=2))


def test_a_worker_of_dask_that_is_killed_changes_nothing():
    distributed = needed("distributed", DASK)
    rows, killed = frame(), []
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster, cluster.get_client():

        def kill_one(_):
            if not killed:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], 9)

        grown = grow(survey(in_partitions(rows, 5)), SHALLOW, trace=kill_one)
    assert killed
    assert grown == grow(Dataset.from_frame(rows), SHALLOW)


def test_workers_of_spark(monkeypatch):
    sql = needed("pyspark.sql", "pyspark, and Java 17")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    rows = frame()
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        table = session.createDataFrame(rows).repartition(3).cache()
        source, whole = survey(spark_table(table)), Dataset.from_frame(rows)
        assert grow(source, SHALLOW) == grow(whole, SHALLOW)
        assert grow(source, IN_BINS) == grow(whole, IN_BINS)
        assert_names_and_types_of_spark_are_read(session)
        run_example(spark_table, frame=table)
    finally:
        session.stop()


def assert_names_and_types_of_spark_are_read(session):
    """A name with a dot, a space and quotes; decimals, days, nulls; partitions without rows."""
    days = [datetime(2026, 1, 1 + day, tzinfo=UTC) for day in range(4)]
    rows = [(None if i == 3 else Decimal(i), days[i % 4], "ab"[i % 2] if i % 5 else None, "yn"[i > 6]) for i in range(12)]
    names = ("a.b `c`", "d e", 'f"g', "class")
    frame = session.createDataFrame(rows, '`a.b ``c``` decimal(9, 2), `d e` timestamp, `f"g` string, class string')
    tree = grow(survey(spark_table(frame.repartition(16))), SHALLOW)
    table = import_module("pyarrow").table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    assert tree == grow(Dataset.from_frame(table), SHALLOW)


def test_an_empty_frame_is_refused():
    with pytest.raises(ValueError, match="source must have at least one row"):
        survey(in_partitions(frame().iloc[:0], 1))
