"""Cross-validation: every row is tested once, by any number of jobs, with any metric."""

import sys
from functools import partial
from statistics import fmean, stdev

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config

from ftree import CART, ID3, Dataset, accuracy, confusion, cross_validate, grow, learning_curve
from ftree.study import FoldResult, Trial, compare, random_forest, root_feature_counts
from ftree.testing import datasets

EASY = Dataset.from_rows([["a", 0.0], ["b", 1.0]] * 20, ["no", "yes"] * 20, features=["good", "bad"])


def trial_of(*accuracies):
    return Trial(["accuracy"], [FoldResult(10, 5, [score]) for score in accuracies])


def test_a_trial_has_its_mean_and_standard_error():
    trial = trial_of(0.5, 0.7, 0.9)
    assert trial.mean == pytest.approx(fmean(trial.accuracies))
    assert trial.standard_error == pytest.approx(stdev(trial.accuracies) / 3**0.5)
    assert np.isnan(trial_of(0.5).standard_error)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: learning_curve(EASY, sizes=[0]),
        lambda: learning_curve(EASY, sizes=[40]),
        lambda: learning_curve(EASY, sizes=["a"]),
        lambda: learning_curve(EASY, sizes=[1.5]),
        lambda: root_feature_counts(EASY, size="a"),
        lambda: EASY.split("a", seed=1),
        lambda: root_feature_counts(EASY, size=0),
        lambda: root_feature_counts(EASY, size=41),
        lambda: confusion(grow(EASY), EASY.take([])),
        lambda: accuracy(grow(EASY), EASY.take([])),
        lambda: accuracy(grow(EASY), evolve(EASY, weights=[0] * 40)),
    ],
)
def test_what_cannot_be_estimated_is_refused(ask):
    with pytest.raises(ValueError, match=r"must be .*, got |must have |needs"):
        ask()


EASY_ROWS = Dataset.from_rows([["a", 0.0], ["b", 1.0], ["a", 1.0]] * 6, ["no", "yes", "yes"] * 6)


@settings(max_examples=10)  # each example takes many trees or a slow peer
@given(datasets(min_rows=6, missing=True), st.integers(0, 3))
def test_two_workers_give_the_results_of_one(dataset, seed):
    ask = partial(compare, {"ID3": ID3, "forest": partial(random_forest, n_trees=2, seed=seed)}, dataset, folds=3, seed=seed)
    alone = ask(metrics=("accuracy", "auc", "leaves"))
    with parallel_config(backend="threading"):
        assert ask(metrics=("accuracy", "auc", "leaves"), n_jobs=2) == alone


@pytest.mark.slow
def test_two_processes_give_the_results_of_one():
    alone, shared = (cross_validate(EASY_ROWS, CART, folds=3, n_jobs=n) for n in (1, 2))
    assert alone == shared
    alone, shared = (learning_curve(EASY_ROWS, sizes=[3, 6], repeats=2, n_jobs=n) for n in (1, 2))
    assert alone == shared


def test_without_joblib_one_job_works_and_more_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert cross_validate(EASY_ROWS, folds=2, n_jobs=1).accuracies
    with pytest.raises(ImportError, match=r"pip install 'ftrees\[study\]'"):
        cross_validate(EASY_ROWS, folds=2, n_jobs=2)


def test_a_bar_tells_how_many_folds_are_done(capsys):
    cross_validate(EASY_ROWS, folds=2, progress=True)
    assert [bar.strip()[-6:] for bar in capsys.readouterr().err.split("\r")] == ["", "0 of 2", "1 of 2", "2 of 2"]


@pytest.mark.parametrize("n_jobs", [0, 1.5, -1.0, "two", True])
def test_a_number_of_jobs_that_is_none_is_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a whole number from 1, or -1 for all processors, got"):
        cross_validate(EASY_ROWS, folds=2, n_jobs=n_jobs)


@pytest.mark.parametrize("n_jobs", [None, -1, -2, -99, 2, np.int64(1)])
def test_a_number_of_jobs_is_from_1_or_counts_back_from_that_of_all_processors(n_jobs):
    with parallel_config(backend="threading"):
        assert cross_validate(EASY_ROWS, folds=2, n_jobs=n_jobs) == cross_validate(EASY_ROWS, folds=2)


def test_a_trial_prints_the_mean_and_its_error_for_each_metric():
    assert str(trial_of(0.5, 0.75)).splitlines() == ["2 folds    mean     +-", "accuracy  0.625  0.125", "seconds   0.000  0.000"]
    assert "accuracy  1.000  0.000" in str(trial_of(1.0, 1.0))
