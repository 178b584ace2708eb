"""Counts of items, pairs and triples are those of rows, whichever way they come; other threads only make them earlier."""

from concurrent.futures import Future, ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest
from attrs import evolve
from drawn_problems import by_numpy, problem_for, row_sets, rows_with_items
from hypothesis import given, settings
from hypothesis import strategies as st

from ftree import Dataset, native, optimal
from ftree.exact import Limits
from ftree.exact.listed.children_ahead import ChildrenAhead, gains_by_threads
from ftree.exact.listed.items import items_of
from ftree.exact.listed.row_set import RowSet, all_rows
from ftree.splitters import one_value


def expected_counts(rows):
    """Rows with two items, by class, the second not before the first."""
    items, (has, segments) = rows.items, rows_with_items(rows)
    counts = np.zeros((items.problem.n_classes, items.n, items.n))
    for segment in range(len(items.of_class)):
        own = has[segments == segment].astype(float)
        counts[items.of_class[segment]] += items.weight[segment] * (own.T @ own)
    return np.triu(counts)


def expected_triples(rows):
    """Rows with three items, by the last, the class, and the two before it."""
    items, (has, segments) = rows.items, rows_with_items(rows)
    counts = np.zeros((items.n, items.problem.n_classes, items.n, items.n))
    for segment in range(len(items.of_class)):
        own = has[segments == segment].astype(float)
        counts[:, items.of_class[segment]] += items.weight[segment] * np.einsum("ra,ri,rj->aij", own, own, own)
    return before_the_last(counts)


def before_the_last(triples):
    """Counts by the last of three items, without the others."""
    items = np.arange(len(triples))
    i, j = items[None, :, None], items[None, None, :]
    return (triples[..., : len(items)] * ((i < j) & (j < items[:, None, None]))[:, None]).astype(float)


@given(row_sets())
def test_counts_of_items_pairs_and_triples_are_those_of_rows(rows):
    if rows.items.n:
        expected, plain = expected_counts(rows), by_numpy(rows)
        for each in (rows, plain):
            assert np.array_equal(each.counts(), np.diagonal(expected, axis1=1, axis2=2))
            assert np.array_equal(each.pairs(), expected)
        assert np.array_equal(plain.always_wrong[0], rows.always_wrong[0])
        assert plain.always_wrong[1] == rows.always_wrong[1]
        assert np.array_equal(before_the_last(rows.triples()), expected_triples(rows))
        assert not rows.triples()[..., rows.items.n :].any()


@given(row_sets())
@settings(max_examples=20)  # the plain twin looks at every tree
def test_counts_of_triples_are_those_of_the_rows_themselves_where_they_come_by_subtraction(rows):
    items = rows.items
    if items.n_binary:
        rows.triples()
        part = rows.part(0)
        counted = RowSet(items, rows.mask & ~part.mask, rows.total - part.total).triples()
        assert np.allclose(before_the_last(rows.others(part).triples()), before_the_last(counted))
        for item in range(items.n):
            assert np.array_equal(rows.part(item).pairs(), RowSet(items, rows.part(item).mask, rows.total).pairs())


@given(row_sets(), st.data())
def test_counts_are_the_same_in_whatever_order_they_are_asked_for(rows, data):
    items = rows.items
    if items.n_binary:
        part = rows.part(0)
        others = rows.others(part)
        asks = [each for own in (rows, part, others) for each in (own.pairs, own.triples, own.release)]
        for ask in data.draw(st.lists(st.sampled_from(asks), max_size=9)):
            ask()
        for own in (part, others):
            alone = RowSet(items, own.mask, own.total)
            assert np.array_equal(own.pairs(), alone.pairs())
            assert np.allclose(before_the_last(own.triples()), before_the_last(alone.triples()))


def test_counts_of_very_many_items_are_made_in_several_calls():
    random = np.random.default_rng(0)
    columns = {f"b{number}": random.choice(list("ab"), 700) for number in range(240)}
    table = Dataset.from_columns({**columns, "class": random.choice(list("pq"), 700)}, target="class", kinds="nominal")
    rows = all_rows(items_of(problem_for(table, (one_value(),))))
    has, _ = rows_with_items(rows)
    rows.triples()
    for item in (0, 1, 120, 239):
        among = has[has[:, item]].astype(int)
        assert np.array_equal(rows.part(item).pairs().sum(axis=0), np.triu(among.T @ among))


def table(seed, n=120, features=9):
    random = np.random.default_rng(seed)
    columns = {f"w{number}": random.choice(list("ab"), n) for number in range(features)}
    labels = np.where(random.random(n) < 0.2, random.choice(["p", "q"], n), np.where(columns["w0"] == columns["w1"], "p", "q"))
    return Dataset.from_columns({**columns, "class": labels}, target="class", kinds="nominal")


@pytest.mark.skipif(not native.is_here(), reason="threads share the work of the native library")
@given(st.integers(0, 99), st.sampled_from([0.0, 0.02]), st.sampled_from([None, 20]))
@settings(max_examples=3)  # the plain twin looks at every tree
def test_the_optimum_is_the_same_for_any_number_of_threads(seed, penalty, states):
    large = table(seed, n=1200, features=72)
    assert gains_by_threads(items_of(problem_for(large)))
    limits = [Limits(states=states, n_jobs=n_jobs) for n_jobs in (1, 2, 4, None)]
    found = [optimal(large, max_depth=4, leaf_penalty=penalty, limits=each) for each in limits]
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
    return all_rows(items_of(problem_for(table(1), (one_value(),))))


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


def test_what_bounds_exclude_is_not_counted_and_what_is_passed_over_is_released():
    for needed in (True, False):
        for at_once in (True, False):
            rows = root()
            ahead = ahead_of(rows, Threads(at_once=at_once), lambda *_, needed=needed: needed)
            ahead.take(0, [1, 2], 9.0)[0].two_by_item()
            ahead.take(1, [2, 3], 9.0)[0].two_by_item()
            ahead.take(3, [4, 5], 9.0)
            begun = [each.parts[0] for each in ahead.begun]
            assert ["two" in part.made for part in begun] == [needed] * 2
            ahead.close()
            assert not ahead.begun
            assert all("triples" not in part.made for part in begun)
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
        assert "two" in ahead.take(2, [3], 9.0)[0].made
        ahead.close()


def test_small_tables_and_those_that_numpy_searches_have_no_use_for_threads():
    assert not gains_by_threads(root().items)
    assert not gains_by_threads(evolve(items_of(problem_for(table(0, n=1200, features=72))), is_native=False))
