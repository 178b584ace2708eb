"""Answers of sources, and growth that goes on after an interruption."""

import datetime as dt

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import ID3, Dataset, accuracy, confusion, grow, predict, prune, recount
from ftree.growth import growing
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
GAPS = evolve(COMPLETE, columns=[np.where(RANDOM.random(200) < 0.1, np.nan, column) for column in COMPLETE.columns])
POLICY = ID3.stopping(min_rows(5))


class Interrupted:
    """Parts that allow a limited number of scans, and count them."""

    def __init__(self, parts, looks):
        self.parts, self.looks, self.taken = parts, looks, 0

    def fold(self, function, merge):
        if self.taken == self.looks:
            raise KeyboardInterrupt
        self.taken += 1
        return self.parts.fold(function, merge)


def interrupted(dataset, looks, **options):
    source = source_of(dataset, rows_per_part=70, **options)
    return evolve(source, parts=Interrupted(source.parts, looks))


def looks_of_growth(source, **options):
    watched = evolve(source, parts=Interrupted(source.parts, -1))
    return grow(watched, POLICY, **options), watched.parts.taken


@pytest.mark.parametrize("dataset", [COMPLETE, GAPS], ids=["complete", "gaps"])
@pytest.mark.parametrize("looks", [1, 4, 7, 12])
def test_growth_goes_on_from_its_last_level(dataset, looks, tmp_path):
    path, tree = tmp_path / "growth.json", grow(dataset, POLICY)
    with pytest.raises(KeyboardInterrupt):
        grow(interrupted(dataset, looks, bins=9), POLICY, resume=path)
    resumed, taken = looks_of_growth(source_of(dataset, bins=9), resume=str(path))
    assert resumed == tree
    assert not list(tmp_path.iterdir())
    at_once = looks_of_growth(source_of(dataset, bins=9))[1]
    # An interrupted level is scanned again; with missing values, the finished levels are counted once more.
    assert taken <= at_once
    if dataset is COMPLETE:
        assert taken <= at_once - looks + 3


@pytest.mark.parametrize("policy", [POLICY, evolve(POLICY, splits=(multiway(), threshold(bins=9))), ID3.stopping(max_depth(0))])
def test_growth_that_is_finished_is_taken_up_and_removed(policy, tmp_path, monkeypatch):
    path, source = tmp_path / "growth.json", source_of(COMPLETE, bins=9)
    with monkeypatch.context() as patch:
        patch.setattr("ftree.scan.source.CheckpointFile.remove", lambda _: None)
        tree = grow(source, policy, resume=path)
    assert path.exists()
    assert grow(source, policy, resume=path) == tree == grow(COMPLETE, policy)
    assert not path.exists()


def test_nodes_that_were_finished_in_memory_are_kept(tmp_path):
    path, memory = tmp_path / "growth.json", 60 * 40 * 4
    at_once = looks_of_growth(evolve(source_of(COMPLETE), memory=memory))[1]
    taken = []
    for looks in (5, at_once - 2, at_once - 1):
        with pytest.raises(KeyboardInterrupt):
            grow(evolve(interrupted(COMPLETE, looks), memory=memory), POLICY, resume=path)
        tree, more = looks_of_growth(evolve(source_of(COMPLETE), memory=memory), resume=copied(path))
        assert tree == grow(COMPLETE, POLICY)
        taken.append(more)
        path.unlink()
    assert taken[0] < at_once
    # A group of nodes is saved when the next one has been grown.
    assert max(taken[1:]) <= 3


def copied(path):
    other = path.with_name("copy.json")
    other.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return other


def kept(folder):
    path = folder / "growth.json"
    with pytest.raises(KeyboardInterrupt):
        grow(interrupted(COMPLETE, 6, bins=9), POLICY, resume=path)
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-9], "a file that is not JSON"),
        (lambda _: "[]", "got another in"),
        (lambda text: text.replace('"version": 1', '"version": 2'), "got another in"),
        (lambda text: text.replace("min_rows(5)", "min_rows(6)"), "one of another policy"),
        (lambda text: text.replace('"table": [200', '"table": [201'), "one of another table"),
        (lambda text: text.replace("x1", "y1"), "a damaged one"),
        (lambda text: text.replace('"levels": ', '"levels": 9'), "a damaged one"),
        (lambda text: text.replace('"tree": ', '"wood": '), "a damaged one"),
    ],
)
def test_another_file_is_refused(change, message, tmp_path):
    path = kept(tmp_path)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(ValueError, match=f"resume must be a checkpoint of this growth, .*{message}"):
        grow(source_of(COMPLETE), POLICY, resume=path)
    assert path.exists()


@pytest.mark.parametrize("path", [".", "nowhere/growth.json"])
def test_a_path_that_cannot_be_written_is_refused_before_the_first_look(path, tmp_path):
    with pytest.raises(ValueError, match="resume must be a file in a writable folder, got "):
        grow(source_of(COMPLETE), POLICY, resume=tmp_path / path)


def test_classes_may_be_dates(tmp_path):
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
    source = survey(pa.table({"x": ["a", "b"], "class": pa.array(days)}))
    assert grow(source, resume=tmp_path / "growth.json") == grow(source)


def test_a_checkpoint_is_whole_or_not_there(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ftree.scan.source.Path.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        grow(source_of(COMPLETE), POLICY, resume=tmp_path / "growth.json")
    assert not list(tmp_path.iterdir())
    with pytest.raises(TypeError, match="resume must be"):
        grow(source_of(COMPLETE), POLICY, resume=3)


def test_progress_tells_rows_and_bytes(capsys, monkeypatch):
    grow(source_of(COMPLETE, rows_per_part=70), POLICY)
    assert not capsys.readouterr().err
    grow(source_of(COMPLETE, rows_per_part=70), POLICY, progress=True)
    told = capsys.readouterr().err
    assert "] 200 of 200 rows, 0 MB read" in told
    assert "level 0: 2 open nodes" not in told
    assert "level 1: " in told
    monkeypatch.setattr(growing, "is_watched", lambda: True)
    grow(source_of(COMPLETE), POLICY)
    assert not capsys.readouterr().err  # since it took less than a second
    monkeypatch.setattr("ftree._lib.waiting.perf_counter", iter(range(10**6)).__next__)
    grow(source_of(COMPLETE), POLICY)
    assert "rows, 0 MB read" in capsys.readouterr().err
    grow(COMPLETE, POLICY)
    assert not capsys.readouterr().err


def test_a_stream_in_bins_tells_its_rows(capsys):
    table = pa.table({"x": NUMBERS[:, 0], "class": NUMBERS[:, 1] > 0})
    grow(survey(table), evolve(POLICY, splits=(multiway(), threshold(bins=9))), progress=True)
    assert "] 200 of 200 rows" in capsys.readouterr().err
