"""Work shared among threads: every item once, errors are passed on, and little work stays in one thread."""

from collections import deque
from itertools import pairwise
from threading import Event, Thread, get_ident
from time import sleep

import numpy as np
import pytest

from ftree._lib import machine as module
from ftree._lib.machine import _MIN_STEPS, _MOST_STEPS, ThreadPool, n_processors, n_workers, thread_pool


def shared(n, n_items, steps):
    """The ranges and workers of a call, and the threads that worked."""
    seen, used = [], set()

    def work(first, last, worker):
        seen.append((first, last, worker))
        used.add(get_ident())

    with thread_pool(n) as pool:
        pool.share(work, n_items, steps)
    return sorted(seen), used


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("n_items", [0, 1, 2, 5, 1000])
@pytest.mark.parametrize("steps", [1, _MIN_STEPS, 3 * _MOST_STEPS])
def test_every_item_is_worked_on_once_in_ranges_by_workers_with_a_number_each(n, n_items, steps):
    seen, _ = shared(n, n_items, steps)
    assert all(first < last for first, last, _ in seen)
    assert all(one[1] == other[0] for one, other in pairwise(seen))
    assert [first for first, *_ in seen[:1]] + [last for _, last, _ in seen[-1:]] == ([0, n_items] if n_items else [])
    assert {worker for *_, worker in seen} <= set(range(n))


def test_little_work_and_work_that_cannot_be_shared_is_done_at_once_in_this_thread():
    for n, n_items, steps in [(3, 1000, _MIN_STEPS - 1), (1, 1000, _MIN_STEPS), (3, 1, 10 * _MIN_STEPS)]:
        assert shared(n, n_items, steps) == ([(0, n_items, 0)], {get_ident()})
    assert len(shared(2, 1000, _MIN_STEPS)[0]) == 2, "no more ranges of little work than threads"
    seen, _ = shared(2, 1000, 100 * _MIN_STEPS)
    assert 16 <= len(seen) <= 18, "so many more ranges than threads that none waits long for the last one"


def test_much_work_is_done_in_ranges_between_which_an_interruption_comes_through():
    seen, _ = shared(1, 1000, 3 * _MOST_STEPS + 1)
    assert len(seen) == 4
    assert len(shared(1, 1000, 3 * _MOST_STEPS)[0]) in {3, 4}
    assert len(shared(1, 2, 10 * _MOST_STEPS)[0]) == 2


@pytest.mark.parametrize(("n", "steps"), [(1, 10**9), (3, 1), (3, 10**9)])
def test_tasks_and_those_that_they_add_are_all_done(n, steps):
    done = []

    def work(task, idle):
        assert idle.shape == (1,)
        done.append(task)
        return [task - 1] * (task > 0)

    with thread_pool(n) as pool:
        pool.run_tasks([3, 5], work, steps)
    assert sorted(done) == sorted([*range(4), *range(6)])
    assert (pool.pool is None) == (n == 1 or steps == 1)


def test_a_task_alone_needs_twice_the_work_to_be_shared():
    for steps, several in [(2 * _MIN_STEPS - 1, False), (2 * _MIN_STEPS, True)]:
        pool = ThreadPool(2)
        pool.run_tasks([1], lambda *_: (), steps)
        assert (pool.pool is not None) == several
        if several:
            pool.pool.shutdown()
    pool = ThreadPool(2)
    pool.run_tasks([1, 2], lambda *_: (), _MIN_STEPS - 1)
    assert pool.pool is None


def test_a_thread_that_waits_is_seen_by_the_others_and_gets_what_they_add():
    workers = set()

    def work(task, idle):
        workers.add(get_ident())
        if task:
            while not idle[0]:
                sleep(0.001)
            return [0] * 30
        sleep(0.005)
        return []

    with thread_pool(2) as pool:
        pool.run_tasks([1], work, 10**9)
    assert len(workers) == 2


@pytest.mark.parametrize("n", [1, 2])
def test_an_error_of_a_task_comes_through_and_drops_the_others(n):
    done = []

    def work(task, _):
        if task == 0:
            raise KeyError("task")
        sleep(0.001)
        done.append(task)
        return ()

    with pytest.raises(KeyError, match="task"), thread_pool(n) as pool:
        pool.run_tasks(range(1000), work, 10**9)
    assert len(done) < 999
    with pytest.raises(KeyError, match="range"), thread_pool(n) as pool:
        pool.share(lambda *_: (_ for _ in ()).throw(KeyError("range")), 10, 10**9)


def test_a_pool_has_a_thread_for_each_processor_unless_told_otherwise(monkeypatch):
    with thread_pool(None) as pool:
        assert pool.n == n_processors() >= 1
    with thread_pool(3) as pool:
        assert pool.n == 3
    monkeypatch.delattr(module.os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 7)
    assert n_processors() == 7
    assert [n_workers(each) for each in (None, -1, -2, -7, -8, -99, 1, 9, 10**12)] == [7, 7, 6, 1, 1, 1, 1, 9, 56]
    monkeypatch.setattr(module.os, "cpu_count", lambda: None)
    assert n_processors() == 1


def test_threads_end_with_the_block():
    with thread_pool(2) as pool:
        pool.share(lambda *_: None, 100, 10**9)
        executor = pool.pool
    with pytest.raises(RuntimeError, match="shutdown"):
        executor.submit(np.zeros, 1)


def test_nobody_waits_for_a_thread_that_was_interrupted_before_it_could_say_so():
    queue = module.TaskQueue(deque())
    queue.busy = 1  # counted, and gone
    waiting = Thread(target=queue.run, args=[lambda _: []])
    waiting.start()
    queue.stop()
    waiting.join(10)
    assert not waiting.is_alive()


def test_an_interruption_stops_the_helpers_too():
    interrupted, taken = Event(), []

    def work(first, _, worker):
        if worker == 0:
            interrupted.set()
            raise KeyboardInterrupt
        interrupted.wait(5)
        taken.append(first)

    with pytest.raises(KeyboardInterrupt), thread_pool(2) as threads:
        threads.share(work, 1000, 10**9)
    assert len(taken) <= 2
