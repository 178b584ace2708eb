"""A search by several threads finds what one thread finds: they only make counts before they are needed."""

from concurrent.futures import Future, ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftree import Dataset, one_value, optimal
from ftree.exact import children as children_module
from ftree.exact import errors
from ftree.exact.children import ChildrenAhead, gains_by_threads
from ftree.exact.items import items_of
from ftree.exact.problem import problem_of
from ftree.exact.row_set import all_rows
from ftree.exact.search import Bounds, Search
from ftree.missing import as_branch


def table(seed, n=120):
    random = np.random.default_rng(seed)
    columns = {f"w{number}": random.choice(list("ab"), n) for number in range(9)}
    labels = np.where(random.random(n) < 0.2, random.choice(["p", "q"], n), np.where(columns["w0"] == columns["w1"], "p", "q"))
    return Dataset.from_columns({**columns, "class": labels}, target="class", kinds="nominal")


@given(st.integers(0, 99), st.sampled_from([4, 5]), st.sampled_from([0.0, 0.02]), st.sampled_from([None, 20]))
@settings(max_examples=10)
def test_the_optimum_is_the_same_for_any_number_of_threads(seed, deepest, penalty, states):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(children_module, "_LEAST_WORK", 0)
        options = {"max_depth": deepest, "leaf_penalty": penalty, "states": states}
        found = [optimal(table(seed), n_jobs=n_jobs, **options) for n_jobs in (1, 2, 4, None)]
    assert found == found[:1] * 4


class Threads:
    """Threads that do what a test tells them to do."""

    n = 2

    def __init__(self, *, at_once):
        self.at_once, self.futures = at_once, []

    def begin(self, work):
        future = Future()
        self.futures.append(future)
        if self.at_once:
            future.set_running_or_notify_cancel()
            future.set_result(work())
        return future


def root():
    options = {"leaf_penalty": 0, "feature_costs": None, "min_leaf": 0, "most": 99, "missing": as_branch()}
    return all_rows(items_of(problem_of(table(1), (one_value(),), objective=errors(), **options)))


def ahead_of(rows, threads, needed=lambda *_: True):
    rows.triples()
    return ChildrenAhead(rows, threads, 2, needed)


@pytest.mark.parametrize("at_once", [True, False])
def test_children_are_those_of_their_splits_whoever_counts_them(at_once):
    ahead = ahead_of(root(), Threads(at_once=at_once))
    for number in range(5):
        parts = ahead.take(number, range(number + 1, 5), 9.0)
        alone = root().part(number)
        assert np.array_equal(parts[0].mask, alone.mask)
        assert np.array_equal(parts[0].two_by_item(), alone.two_by_item())
    assert not ahead.begun
    assert len(ahead.threads.futures) == 3, "the first split begins nothing"


def test_nothing_is_begun_while_bounds_do_without_first_children():
    ahead = ahead_of(root(), Threads(at_once=True))
    for number in range(4):
        ahead.take(number, range(number + 1, 5), 9.0)
    assert not ahead.threads.futures


def test_what_bounds_exclude_is_not_counted_and_what_is_passed_over_is_released():
    for needed in (True, False):
        for at_once in (True, False):
            rows = root()
            ahead = ahead_of(rows, Threads(at_once=at_once), lambda *_, needed=needed: needed)
            ahead.take(0, [1, 2], 9.0)[0].two_by_item()
            ahead.take(1, [2, 3], 9.0)[0].two_by_item()
            ahead.take(3, [4, 5], 9.0)
            begun = [each.parts[0] for each in ahead.begun]
            assert [part.own_two is not None for part in begun] == [needed] * 2
            ahead.close()
            assert not ahead.begun
            assert all(part.own_triples is None for part in begun)
            assert all(future.done() for future in ahead.threads.futures)


def test_counts_that_a_thread_makes_are_waited_for():
    with ThreadPoolExecutor(1) as pool:
        threads = Threads(at_once=False)
        threads.begin = pool.submit
        ahead = ahead_of(root(), threads, lambda *_: sleep(0.05) or True)
        ahead.take(0, [1, 2, 3], 9.0)[0].two_by_item()
        ahead.take(1, [2, 3], 9.0)[0].two_by_item()
        while not ahead.begun[0].counted.running():
            sleep(0.001)
        assert ahead.take(2, [3], 9.0)[0].own_two is not None
        ahead.close()


def test_first_children_are_needed_unless_they_are_known_or_bounds_exclude_them():
    rows = root()
    search, part = Search(rows.items), rows.part(0)
    none, n = np.zeros((rows.items.n, 2)), len(rows.items.splits)
    known = Bounds(none, none, np.zeros(n))
    assert search._needs_first(rows, 3, known, 0, [part], 9.0)
    assert not search._needs_first(rows, 3, known, 0, [part], 0.0)
    assert not search._needs_first(rows, 3, Bounds(none, none, np.full(n, 99.0 + len(rows.mask) * 64)), 0, [part], 9.0)
    search.known.put(part, 3, (1.0, None))
    assert not search._needs_first(rows, 3, known, 0, [part], 9.0)


def test_small_tables_and_those_of_three_classes_have_no_use_for_threads():
    assert not gains_by_threads(root().items)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_numbers_of_threads_are_whole_and_positive(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a whole number of threads from 1, got"):
        optimal(table(1), n_jobs=n_jobs)
