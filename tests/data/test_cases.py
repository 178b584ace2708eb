"""Weights are counts of cases, which parts divide as copies of the rows would be divided, or importances, which stay whole."""

import copy
import pickle

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset
from ftree.testing import datasets

KINDS = st.sampled_from(["counts", "importances"])


@st.composite
def tables_of_counts(draw, **options):
    """Datasets of which a row stands for no case, one case or several."""
    table = draw(datasets(missing=True, response=draw(st.sampled_from(["classes", "numbers", "events"])), **options))
    return table.with_weights(draw(st.lists(st.integers(0, 5), min_size=len(table), max_size=len(table))))


def as_copies(table):
    """A row for each case."""
    return evolve(table, weights=None).take(table.cases())


@given(tables_of_counts(), st.floats(0, 1), st.integers(0, 9))
def test_a_split_divides_the_cases_of_counts_as_copies(table, fraction, seed):
    wanted = as_copies(table).split(fraction, seed=seed)
    assert tuple(map(as_copies, table.split(fraction, seed=seed))) == wanted


@given(tables_of_counts(), st.integers(2, 5), st.integers(0, 9))
def test_folds_divide_the_cases_of_counts_as_copies(table, n, seed):
    if n > len(table.cases()):
        with pytest.raises(ValueError, match=f"the number of cases, got {n}"):
            table.folds(n, seed=seed)
    else:
        found = [tuple(map(as_copies, pair)) for pair in table.folds(n, seed=seed)]
        assert found == list(as_copies(table).folds(n, seed=seed))


@given(datasets(min_rows=3, weighted=True), st.integers(0, 9))
def test_importances_stay_with_their_row(table, seed):
    table = table.with_weights(table.weights, weights_are="importances")
    assert np.array_equal(table.cases(), np.arange(len(table)))
    for parts in (table.split(0.5, seed=seed), *table.folds(3, seed=seed)):
        assert sum(map(len, parts)) == len(table)
        assert {part.weights_are for part in parts} == {"importances"}


@given(datasets(weighted=True), KINDS)
def test_a_table_keeps_the_kind_of_its_weights(table, kind):
    table = table.with_weights(table.weights, weights_are=kind)
    made = (
        *(table.take([0]), table.head(0), table.shuffle(seed=0), table.missing_as_value(), table.concatenate(table)),
        *(copy.copy(table), pickle.loads(pickle.dumps(table)), evolve(table, origins=())),  # noqa: S301  # our own bytes
        *(table.where(label=table.schema.classes), table.complete(), table.recoded(table.schema)),
    )
    assert {each.weights_are for each in (table, *made)} == {kind}
    assert (table == table.with_weights(table.weights)) == (kind == "counts")
    assert table.concatenate(table.with_weights(None)).weights_are == kind
    for other in ("counts", "importances"):
        both = table.concatenate(table.with_weights(table.weights, weights_are=other))
        assert both.weights_are == ("counts" if kind == other == "counts" else "importances")
    numbers = [table.to_pandas()["weights"], table.to_polars()["weights"], table.to_arrow()["weights"]]
    assert {each.to_numpy().dtype for each in numbers} == {table.weights.dtype}
    again = Dataset.from_frame(table.to_arrow(), "label", weights="weights", weights_are=table.weights_are)
    assert (again.weights_are, again.weights.tolist()) == (kind, table.weights.tolist())


MAKERS = {
    "rows": lambda weights, **kind: Dataset.from_rows([["a"], ["b"]], [0, 1], weights=weights, **kind),
    "pairs": lambda weights, **kind: Dataset.from_pairs([(["a"], 0), (["b"], 1)], weights=weights, **kind),
    "columns": lambda weights, **kind: Dataset.from_columns(
        {"x": ["a", "b"], "class": [0, 1], "w": weights}, weights="w", **kind
    ),
    "frame": lambda weights, **kind: Dataset.from_frame({"x": ["a", "b"], "class": [0, 1], "w": weights}, 1, weights="w", **kind),
    "file": lambda weights, **kind: Dataset.read_csv(b"x,class\na,0\nb,1\n", weights=weights, **kind),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_weights_are_counts_if_all_are_whole_unless_they_are_said_to_be_importances(make):
    found = [make(weights).weights_are for weights in ([700, 35], [700.0, 35.0], [700, 0.5], [0.25, 0.75])]
    assert found == ["counts", "counts", "importances", "importances"]
    assert make([700, 35], weights_are="importances").weights_are == "importances"
    assert make([700.0, 35.0], weights_are="counts").weights.dtype == np.int64
    with pytest.raises(ValueError, match=r"weights must be whole numbers if they are counts, got 0\.5\. Say weights_are="):
        make([700, 0.5], weights_are="counts")
    with pytest.raises(ValueError, match="weights_are must be 'counts', 'importances' or None, got 'cases'"):
        make([1, 2], weights_are="cases")


def test_the_summary_says_what_weights_are():
    table = Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[1400, 35])
    lines = [str(each.summary()).splitlines()[0] for each in (table, table.with_weights([0.5, 2]), table.with_weights(None))]
    assert lines == ["2 rows, weights are counts: 1,435 cases", "2 rows, weights are importances", "2 rows"]
    assert table.with_weights(None).weights_are is None


def test_counts_of_millions_make_no_rows_and_counts_beyond_memory_say_what_to_do():
    table = Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[2_000_000, 1_000_000])
    assert [(len(part), part.n_cases) for part in table.split(0.25, seed=0)] == [(2, 750_000), (2, 2_250_000)]
    with pytest.raises(MemoryError, match=r"draws from 4,000,000,000,000,000 cases, .* Say weights_are='importances'"):
        table.with_weights([2 * 10**15, 2 * 10**15]).split(0.5, seed=0)
