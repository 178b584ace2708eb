"""Answers of sources, and what their growth tells of its progress."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import ID3, Dataset, accuracy, confusion, grow, predict, prune, recount
from ftree.scan import accuracy as accuracy_of_source
from ftree.scan import answers, confusion_counts, count_nodes, predict_to, source_of, survey
from ftree.splitters import multiway, threshold
from ftree.stop import max_depth, min_rows
from ftree.testing import datasets
from ftree.tree import level_order

pa = pytest.importorskip("pyarrow")


@given(datasets(max_rows=20, missing=True, weighted=True), st.integers(1, 7), st.data())
def test_counts_errors_and_prunings_are_those_of_the_dataset(dataset, rows, data):
    tree = grow(dataset, ID3)
    other = data.draw(datasets(schema=dataset.schema, max_rows=20, missing=True, weighted=True))
    source = source_of(other, rows_per_part=rows)
    nodes, _ = level_order(recount(tree, other).root)
    assert count_nodes(tree, source) == [node.counts for node in nodes]
    assert np.array_equal(confusion_counts(tree, source), confusion(tree, other).counts)
    assert accuracy_of_source(tree, source) == pytest.approx(accuracy(tree, other))


@given(datasets(max_rows=30, weighted=True), st.integers(1, 7), st.data())
def test_reduced_error_takes_a_source(dataset, rows, data):
    tree = grow(dataset, ID3)
    other = data.draw(datasets(schema=dataset.schema, max_rows=20, weighted=True))
    for options in ({}, {"ties": "keep"}, {"order": "best_first"}, {"labels": "backfit"}):
        pruned = prune.reduced_error(source_of(other, rows_per_part=rows), **options)(tree)
        assert pruned == prune.reduced_error(other, **options)(tree)


@given(datasets(max_rows=30, missing=True, weighted=True), st.integers(1, 7), st.data())
def test_a_tree_of_a_path_is_chosen_on_a_source(dataset, rows, data):
    path = list(prune.cost_complexity_path(grow(dataset, ID3)))
    other = data.draw(datasets(schema=dataset.schema, max_rows=20, missing=True, weighted=True))
    source = source_of(other, rows_per_part=rows)
    of_source, of_dataset = prune.measured(path, source), prune.measured(path, other)
    assert [row.tree for row in of_source] == [row.tree for row in of_dataset]
    assert [row.error for row in of_source] == pytest.approx([row.error for row in of_dataset])
    assert {row.cases for row in of_source} == {row.cases for row in of_dataset}
    for by in (prune.lowest_error, prune.one_standard_error):
        assert prune.select(path, by=by, on=source) == prune.select(path, by=by, on=other)
    assert prune.measured([], source) == ()


def test_labels_go_into_a_file_in_the_order_of_rows(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    numbers = np.random.default_rng(0).normal(size=(50, 2))
    table = pa.table({"x": numbers[:, 0], "y": numbers[:, 1], "class": np.where(numbers[:, 0] > 0, "plus", "minus")})
    source = survey(pa.Table.from_batches(table.to_batches(max_chunksize=7)))
    tree = grow(source, ID3.stopping(max_depth(2)))
    assert predict_to(tmp_path / "labels.parquet", tree, source) == 50
    written = parquet.read_table(tmp_path / "labels.parquet")["predicted"].to_pylist()
    assert written == list(predict(tree, Dataset.from_frame(table)))


def test_another_schema_is_refused():
    tree = grow(Dataset.from_rows([["a"], ["b"]], [0, 1]))
    with pytest.raises(ValueError, match="source must have the schema of the tree"):
        count_nodes(tree, source_of(Dataset.from_rows([["a"], ["c"]], [0, 1])))
    with pytest.raises(TypeError, match="read in batches"):
        predict_to("nowhere.parquet", tree, source_of(Dataset.from_rows([["a"], ["b"]], [0, 1])))


def test_a_part_without_rows_counts_nothing():
    dataset = Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    counts = answers._confusion(grow(dataset), {}, dataset.take([]))
    assert counts.tolist() == [[0, 0], [0, 0]]


RANDOM = np.random.default_rng(0)
NUMBERS = RANDOM.normal(size=(200, 3))
COMPLETE = Dataset.from_rows(NUMBERS, (NUMBERS[:, 0] * NUMBERS[:, 1] + RANDOM.normal(size=200) / 3 > 0.1).tolist())
POLICY = ID3.stopping(min_rows(5))


def test_progress_tells_rows_and_bytes(capsys, monkeypatch):
    grow(source_of(COMPLETE, rows_per_part=70), POLICY)
    assert not capsys.readouterr().err
    grow(source_of(COMPLETE, rows_per_part=70), POLICY, progress=True)
    told = capsys.readouterr().err
    assert "] 200 of 200 rows, 0 MB read" in told
    assert "level 0: 2 open nodes" not in told
    assert "level 1: " in told
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    grow(source_of(COMPLETE), POLICY)
    assert not capsys.readouterr().err  # since it took less than a second
    monkeypatch.setattr("ftree._lib.waiting.perf_counter", iter(range(10**6)).__next__)
    grow(source_of(COMPLETE), POLICY)
    assert "rows, 0 MB read" in capsys.readouterr().err
    grow(COMPLETE, POLICY)
    assert "of the cases done" in capsys.readouterr().err


def test_a_stream_in_bins_tells_its_rows(capsys):
    table = pa.table({"x": NUMBERS[:, 0], "class": NUMBERS[:, 1] > 0})
    grow(survey(table), evolve(POLICY, splits=(multiway(), threshold(bins=9))), progress=True)
    assert "] 200 of 200 rows" in capsys.readouterr().err
