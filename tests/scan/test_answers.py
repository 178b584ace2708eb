"""Answers of sources, and what their growth tells of its progress."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree import ID3, Dataset, Schema, accuracy, confusion, grow, misclassification, predict, prune, recount
from ftree.criteria import cost_risk
from ftree.scan import accuracy as accuracy_of_source
from ftree.scan import confusion_counts, count_nodes, predict_to, source_of, survey
from ftree.splitters import multiway, threshold
from ftree.stop import max_depth, min_rows
from ftree.testing import datasets
from ftree.tree import level_order, numbers

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


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ny"), st.integers(0, 2)), min_size=1), st.integers(1, 7))
def test_a_part_of_a_table_may_have_no_weight(rows, size):
    table = pa.table({"x": [x for x, _, _ in rows], "class": [label for _, label, _ in rows], "n": [n for *_, n in rows]})
    assume(any(n for *_, n in rows))
    source = survey(pa.Table.from_batches(table.to_batches(max_chunksize=size)), "class", weights="n")
    whole = Dataset.from_frame(table.to_pandas(), target="class", weights="n")
    tree = grow(Dataset.from_rows([["a"], ["b"]], ["n", "y"], features=["x"]))
    for risk in (misclassification, cost_risk((1, 1), costs=[[0, 3], [1, 0]])):
        path = list(prune.cost_complexity_path(tree, risk=risk))
        losses = [[row.error for row in prune.measured(path, on, risk=risk)] for on in (source, whole)]
        assert losses[0] == pytest.approx(losses[1])
    assert accuracy(tree, source) == pytest.approx(accuracy(tree, whole))


def test_labels_go_into_a_file_in_the_order_of_rows(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    numbers = np.random.default_rng(0).normal(size=(50, 2))
    table = pa.table({"x": numbers[:, 0], "y": numbers[:, 1], "class": np.where(numbers[:, 0] > 0, "plus", "minus")})
    source = survey(pa.Table.from_batches(table.to_batches(max_chunksize=7)))
    tree = grow(source, ID3.stopping(max_depth(2)))
    assert predict_to(tmp_path / "labels.parquet", tree, source) == 50
    written = parquet.read_table(tmp_path / "labels.parquet")["predicted"].to_pylist()
    assert written == list(predict(tree, Dataset.from_frame(table)))


@st.composite
def other_tables(draw, schema):
    """A table with the features of a schema, but with other values and classes, or a target of numbers."""

    def others(known):
        return draw(st.lists(st.sampled_from([*known, "new", "more"]), min_size=1, unique=True))

    features = [each if each.kind == "numeric" else evolve(each, values=others(each.values)) for each in schema.features]
    classes = draw(st.permutations(schema.classes) | st.builds(lambda: others(schema.classes)))
    own = Schema(features, schema.target, classes)
    own = evolve(own, classes=(), response=numbers()) if draw(st.integers(0, 9)) == 0 else own
    return draw(datasets(schema=own, max_rows=20, missing=True, weighted=True))


def outcome(answer):
    """An answer, or the type of the error in place of one."""
    try:
        return answer()
    except (KeyError, ValueError) as error:
        return type(error)


@given(datasets(max_rows=20, missing=True), st.sampled_from(["ignore", "as_value", "heaviest"]), st.integers(1, 7), st.data())
def test_a_source_of_another_schema_has_the_answers_of_its_dataset(dataset, missing, rows, data):
    tree = grow(dataset, evolve(ID3, missing=missing))
    other = data.draw(other_tables(dataset.schema))
    source = source_of(other, rows_per_part=rows)
    assert outcome(lambda: confusion_counts(tree, source).tolist()) == outcome(
        lambda: [list(row) for row in confusion(tree, other).counts]
    )
    pruned = [outcome(lambda rows=rows: prune.reduced_error(rows)(tree)) for rows in (source, other)]
    assert pruned[0] == pruned[1]


@pytest.mark.parametrize("function", [confusion_counts, count_nodes])
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["no", "yes"], r"Labels must be classes of the schema \(0, 1\), got 'no'"),
        ([0.5, 1.5], "must be given a classification source, got a regression source"),
    ],
)
def test_a_source_without_a_class_of_the_tree_is_refused(function, labels, message):
    tree = grow(Dataset.from_rows([["a"], ["b"]], [0, 1]))
    with pytest.raises(ValueError, match=message):
        function(tree, source_of(Dataset.from_rows([["a"], ["b"]], labels)))


def test_labels_are_written_of_a_table_in_batches_only():
    tree = grow(Dataset.from_rows([["a"], ["b"]], [0, 1]))
    with pytest.raises(TypeError, match="read in batches"):
        predict_to("nowhere.parquet", tree, source_of(Dataset.from_rows([["a"], ["b"]], [0, 1])))


def test_a_part_without_rows_counts_nothing():
    table = pa.table({"x": ["a", "b", "b"], "w": [1, 2, 0], "class": ["no", "yes", "no"]})
    source = survey(pa.Table.from_batches(table.to_batches(max_chunksize=1)), weights="w")
    assert confusion_counts(grow(source), source).tolist() == [[1, 0], [0, 2]]


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
