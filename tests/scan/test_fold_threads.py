"""Results of parts are merged by any number of threads, and an error ends all of them."""

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.threads import thread_pool
from ftree.scan import folds
from ftree.scan.folds import fold_in_threads


@given(st.integers(1, 30), st.integers(1, 8))
def test_every_part_is_answered_once(n, n_jobs):
    assert sorted(fold_in_threads(n, lambda number: [number], operator.add, n_jobs)) == list(range(n))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_ends_all_threads(error):
    asked = []

    def answer(number):
        asked.append(number)
        if number == 3:
            raise error
        return 0

    with pytest.raises(error):
        fold_in_threads(10_000, answer, operator.add, 2)
    assert len(asked) < 10_000


@pytest.mark.parametrize(("n", "n_jobs", "pools"), [(5, 1, []), (1, 4, []), (5, 3, [3]), (2, 8, [2])])
def test_threads_are_as_many_as_there_is_work_for_and_one_needs_no_pool(n, n_jobs, pools, monkeypatch):
    made = []
    monkeypatch.setattr(folds, "thread_pool", lambda number: made.append(number) or thread_pool(number))
    assert sorted(fold_in_threads(n, lambda number: [number], operator.add, n_jobs)) == list(range(n))
    assert made == pools


def test_one_thread_takes_the_parts_in_turn():
    assert fold_in_threads(5, lambda number: [number], operator.add, 1) == list(range(5))
