"""Jobs: any number of workers gives the same results, and a bar is shown only if a person watches."""

import io
import sys
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config

from ftree import CART, ID3, Dataset, cross_validate, learning_curve
from ftree.study import compare, jobs, random_forest
from ftree.study.jobs import do_all
from ftree.testing import datasets

EASY = Dataset.from_rows([["a", 0.0], ["b", 1.0], ["a", 1.0]] * 6, ["no", "yes", "yes"] * 6)


class Terminal(io.StringIO):
    """A stream that a person watches."""

    def isatty(self):
        return True


@settings(max_examples=10)
@given(datasets(min_rows=6, missing=True), st.integers(0, 3))
def test_two_workers_give_the_results_of_one(dataset, seed):
    ask = partial(compare, {"ID3": ID3, "forest": partial(random_forest, n_trees=2, seed=seed)}, dataset, folds=3, seed=seed)
    alone = ask(metrics=("accuracy", "auc", "leaves"))
    with parallel_config(backend="threading"):
        assert ask(metrics=("accuracy", "auc", "leaves"), n_jobs=2) == alone


@pytest.mark.slow
def test_two_processes_give_the_results_of_one():
    alone, shared = (cross_validate(EASY, CART, folds=3, n_jobs=n) for n in (1, 2))
    assert alone == shared
    alone, shared = (learning_curve(EASY, sizes=[3, 6], repeats=2, n_jobs=n) for n in (1, 2))
    assert alone == shared


def test_a_pipe_gets_no_bar_and_a_terminal_one_that_fills_unless_it_is_done_at_once(monkeypatch):
    pipe, terminal, quick = io.StringIO(), Terminal(), Terminal()
    for stream, patience in ((pipe, 0), (terminal, 0), (quick, 60)):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(jobs, "_PATIENCE", patience)
        assert do_all(divmod, [(7, 2), (9, 4)]) == [(3, 1), (2, 1)]
    assert pipe.getvalue() == quick.getvalue() == ""
    assert terminal.getvalue() == f"\r[{'#' * 15}{'.' * 15}] 1 of 2\r[{'#' * 30}] 2 of 2\n"


def test_progress_says_whether_there_is_a_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    cross_validate(EASY, folds=2, progress=False)
    assert sys.stderr.getvalue() == ""
    cross_validate(EASY, folds=2, progress=True)
    assert "2 of 2" in sys.stderr.getvalue()
    with pytest.raises(TypeError, match="progress must be True or False, got 'bar'"):
        cross_validate(EASY, folds=2, progress="bar")


def test_without_joblib_one_job_works_and_more_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert cross_validate(EASY, folds=2, n_jobs=1).accuracies
    with pytest.raises(ImportError, match=r"pip install 'ftrees\[study\]'"):
        cross_validate(EASY, folds=2, n_jobs=2)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_a_number_of_jobs_that_is_none_is_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a whole number from 1, or -1 for all cores, got"):
        cross_validate(EASY, folds=2, n_jobs=n_jobs)


def test_every_study_says_how_far_it_is(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    learning_curve(EASY, sizes=[6], repeats=2, progress=True)
    assert "2 of 2" in sys.stderr.getvalue()
    compare({"ID3": ID3}, EASY, folds=3, progress=True)
    assert "3 of 3" in sys.stderr.getvalue()


def test_a_bar_comes_after_a_second_where_a_person_looks_and_at_once_where_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    times = iter([0.0, 0.6, 0.99, 1.01])  # the begin, and the end of each task
    monkeypatch.setattr(jobs, "perf_counter", lambda: next(times))
    do_all(divmod, [(7, 2), (9, 4), (8, 3)])
    assert sys.stderr.getvalue() == f"\r[{'#' * 30}] 3 of 3\n"
    times = iter([0.0, 0.0, 0.1, 0.2])
    do_all(divmod, [(7, 2), (9, 4), (8, 3)], progress=True)
    assert sys.stderr.getvalue().count("of 3") == 4


def test_one_job_works_in_this_process_and_needs_no_joblib(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert do_all(lambda one: one + 1, [(1,), (2,)]) == [2, 3]
    with pytest.raises(ImportError, match="joblib must be installed"):
        do_all(divmod, [(7, 2)], n_jobs=2)
