"""Comparisons: the same folds for all learners, a table as a value, and the tests computed from it."""

import sys
from itertools import permutations
from types import SimpleNamespace

import pytest
from hypothesis import given, settings

from ftree import CART, ID3, Dataset, cross_validate, evolve, prune, stop
from ftree.study import Comparison, FoldResult, Trial, compare, corrected_t_test, holdout, wilcoxon
from ftree.testing import datasets

STUMP = evolve(ID3, stop=stop.max_depth(1))
LEARNERS = {"ID3": ID3, "CART": CART, "stump": STUMP}
XOR = Dataset.from_rows([[a, b] for a in "xy" for b in "xy"] * 6, ["no", "yes", "yes", "no"] * 6)
EASY = Dataset.from_rows([["a", "x"], ["b", "x"], ["b", "y"]] * 6, ["no", "yes", "yes"] * 6)


def made(scores, *, metric="accuracy"):
    """A comparison of given scores, by learner, then data set, then fold."""
    trials = [[Trial([metric], [FoldResult(8, 2, [score], 0.5) for score in folds]) for folds in row] for row in scores.values()]
    n = len(next(iter(scores.values())))
    return Comparison(tuple(scores), [f"t{number}" for number in range(n)], trials)


@settings(max_examples=2)  # each example takes many trees or a slow peer
@given(datasets(min_rows=6))
def test_a_permutation_of_the_learners_permutes_the_table(dataset):
    found = [compare({name: LEARNERS[name] for name in names}, dataset, folds=3) for names in permutations(LEARNERS)]
    for comparison in found:
        assert comparison.learners in list(permutations(LEARNERS))
        assert all(comparison[name, "dataset 1"] == found[0][name, "dataset 1"] for name in LEARNERS)
        assert comparison.means() == found[0].means()


def test_a_cell_is_what_cross_validation_answers():
    comparison = compare(LEARNERS, {"xor": XOR, "easy": EASY}, folds=4, seed=3, metrics=("kappa", "leaves"))
    for name, learner in LEARNERS.items():
        assert comparison[name, "xor"] == cross_validate(XOR, learner, folds=4, seed=3, metrics=("kappa", "leaves"))
    assert comparison.means("leaves")["stump"][1] == 2
    assert comparison.means()["ID3"][1] == 1


def test_learners_may_be_passes_and_folds_differ_in_number_between_tables():
    learners = {"pass": prune.trim(stop.max_depth(0)), "both": (CART, prune.collapse())}
    comparison = compare(learners, [XOR, EASY], folds=lambda dataset: holdout(0.5, repeats=len(dataset) // 6)(dataset))
    assert comparison.datasets == ("dataset 1", "dataset 2")
    assert [len(trial.folds) for trial in comparison.trials[0]] == [4, 3]


def test_rows_and_columns_have_a_line_for_each_learner_table_and_fold():
    comparison = compare({"ID3": ID3, "CART": CART}, {"xor": XOR, "easy": EASY}, folds=3, metrics=("accuracy", "leaves"))
    rows, columns = comparison.rows(), comparison.columns()
    assert len(rows) == 2 * 2 * 3
    assert list(columns) == ["learner", "dataset", "fold", "n_train", "n_test", "accuracy", "leaves", "seconds"]
    assert rows[4] == {name: column[4] for name, column in columns.items()}
    assert (rows[4]["learner"], rows[4]["dataset"], rows[4]["fold"], rows[4]["n_train"]) == ("ID3", "easy", 1, 12)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_is_made_of_the_columns_by_either_library(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, SimpleNamespace(DataFrame=dict))
    comparison = made({"one": [[0.5, 0.6]]})
    assert comparison.to_frame(library) == comparison.columns()


def test_one_table_shows_learners_by_metrics_and_several_show_tables_by_learners():
    one = made({"good": [[0.5, 1.0]], "poor": [[0.25, 0.25]]})
    assert repr(one).splitlines() == [
        "t0, 2 folds: mean and its standard error",
        "      accuracy     +-  seconds",
        "good     0.750  0.250    0.500",
        "poor     0.250  0.000    0.500",
    ]
    several = made({"good": [[12.0, 16.0], [3.0, 3.0]], "poor": [[25.0, 25.0], [5.0, 6.0]]}, metric="leaves")
    assert repr(several).splitlines()[:4] == ["mean leaves", "    good  poor", "t0  14.0  25.0", "t1   3.0   5.5"]
    assert "mean seconds" in repr(several)


def test_tests_of_a_comparison_are_those_of_its_scores():
    scores = {"one": [[0.9, 0.8], [0.7, 0.7], [0.6, 0.9]], "other": [[0.5, 0.6], [0.7, 0.6], [0.5, 0.4]]}
    comparison = made(scores)
    assert comparison.corrected_t_test("one", "other") == corrected_t_test(comparison["one", "t0"], comparison["other", "t0"])
    assert comparison.corrected_t_test("one", "other", dataset="t2").difference == pytest.approx(0.3)
    assert comparison.wilcoxon("one", "other") == wilcoxon(comparison.means()["one"], comparison.means()["other"])
    assert comparison.friedman().mean_ranks == (1, 2)


def test_fewer_leaves_are_better():
    comparison = made({"small": [[3, 4], [5, 5], [2, 3]], "large": [[9, 9], [7, 8], [6, 6]]}, metric="leaves")
    assert comparison.friedman().mean_ranks == (1, 2)
    assert comparison.wilcoxon("small", "large").first == 6
    assert comparison.friedman("seconds").mean_ranks == (1.5, 1.5)


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: compare({}, XOR), ValueError, "learners must be at least one learner, got none"),
        (lambda: compare([ID3], XOR), TypeError, "learners must be a dict .* got .Policy"),
        (lambda: compare({"ID3": "ID3"}, XOR), TypeError, "learner must be a Policy such as ID3, .* got 'ID3'"),
        (lambda: compare(LEARNERS, []), ValueError, "datasets must be at least one Dataset, got none"),
        (lambda: compare(LEARNERS, 3), TypeError, "datasets must be a Dataset, a list of them, or a dict .* got 3"),
        (lambda: compare(LEARNERS, "xor"), TypeError, "datasets must be a Dataset, a list of them, or a dict .* got 'xor'"),
        (lambda: compare(LEARNERS, [[[1, 2]]]), TypeError, "dataset must be a Dataset, got a list"),
        (lambda: compare(LEARNERS, XOR, folds=25), ValueError, "from 2 to 24, the number of rows, got 25"),
        (lambda: compare(LEARNERS, XOR, metrics="good"), ValueError, "metrics must be among"),
        (lambda: compare(LEARNERS, XOR, folds=2)["C4.5", "dataset 1"], KeyError, "learner must be among 'ID3', 'CART', 'stump'"),
        (lambda: compare(LEARNERS, XOR, folds=2)["ID3", "votes"], KeyError, "dataset must be among 'dataset 1', got 'votes'"),
        (lambda: made({"one": [[0.5]]}).friedman(), ValueError, "at least 2 data sets"),
    ],
)
def test_what_cannot_be_compared_is_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()


def test_a_frame_of_a_library_that_is_absent_or_unknown_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="polars must be installed"):
        made({"one": [[0.5, 0.6]]}).to_frame("polars")
    with pytest.raises(ValueError, match="library must be 'pandas' or 'polars', got 'os'"):
        made({"one": [[0.5, 0.6]]}).to_frame("os")
