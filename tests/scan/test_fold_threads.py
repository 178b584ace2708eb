"""Results of parts are merged by any number of threads, and an error ends all of them."""

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree.scan.folding import fold_in_threads


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
