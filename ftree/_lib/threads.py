"""Work shared among threads: each thread takes the next items when it has finished its last ones.

The threads are Python's, since numba's parallel loops abort the process when two threads grow trees at once, or after
a fork. Numba also divides the work in advance, so that all threads wait for the slowest core.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from threading import Condition
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from attrs import define, field

Task = TypeVar("Task")
Result = TypeVar("Result")

# With fewer steps of work than this, a second thread costs more than it saves.
_MIN_STEPS = 100_000
# An interruption waits until the current ranges are finished, so none has many more steps than this: a few tenths of a second.
_MOST_STEPS = 50_000_000


@define(eq=False)
class TaskQueue(Generic[Task]):
    """Tasks for threads to take; a task can add further tasks. `idle` holds the number of threads that wait for one."""

    tasks: deque[Task]
    idle: npt.NDArray[np.int64] = field(factory=lambda: np.zeros(1, np.int64), init=False)
    busy: int = field(default=0, init=False)
    stopped: bool = field(default=False, init=False)
    changed: Condition = field(factory=Condition, init=False)

    def run(self, work: Callable[[Task], Iterable[Task]]) -> None:
        """Do one task after another until none is left and no busy thread can add one."""
        while taken := self._take():
            try:
                more = work(*taken)
            except BaseException:
                self.stop()
                raise
            self._finish(more)

    def stop(self) -> None:
        """Drop the remaining tasks, and wake all threads.

        `busy` may then be too large, since an interruption can fall between any two steps; no thread waits for it to fall.
        """
        with self.changed:
            self.stopped = True
            self.changed.notify_all()

    def _take(self) -> tuple[Task, ...]:
        """A tuple of one task, or an empty one when all is done."""
        with self.changed:
            while not self.tasks and self.busy and not self.stopped:
                self.idle += 1
                self.changed.wait()
                self.idle -= 1
            if self.stopped or not self.tasks:
                return ()
            self.busy += 1
            return (self.tasks.popleft(),)

    def _finish(self, more: Iterable[Task]) -> None:
        with self.changed:
            self.busy -= 1
            self.tasks.extend(more)
            self.changed.notify_all()


@define(eq=False)
class ThreadPool:
    """`n` threads, the calling one included; the others start with the first work that is large enough to share."""

    n: int
    pool: ThreadPoolExecutor | None = field(default=None, init=False)

    def share(self, work: Callable[[int, int, int], Any], n_items: int, steps: int) -> None:
        """Call `work(first, last, worker)` for ranges of items; `steps` is the amount of work, `worker` a thread's number.

        A small amount of work runs in this thread; a large amount is divided into ranges, and can be interrupted between them.
        """
        alone = self.n == 1 or steps < _MIN_STEPS or n_items < 2  # noqa: PLR2004  # sharing needs two items
        n_ranges = max(1 if alone else self.n * 16, -(-steps // _MOST_STEPS))
        edges = pairwise(sorted({*range(0, n_items, max(1, n_items // n_ranges)), n_items}))
        if alone:
            _run_ranges(work, edges, 0)
            return
        self._run_in_all(lambda worker: _run_ranges(work, edges, worker), lambda: deque(edges, maxlen=0))

    def run_tasks(self, tasks: Iterable[Task], work: Callable[[Task, npt.NDArray[np.int64]], Iterable[Task]], steps: int) -> None:
        """Call `work(task, idle)` for all tasks and for the tasks that it returns.

        `idle` holds the number of waiting threads: while it is not 0, a task should return parts of itself.
        """
        queue = TaskQueue(deque(tasks))
        alone = len(queue.tasks) < 2  # noqa: PLR2004  # a single task is begun by one thread before others get parts of it
        if self.n == 1 or steps < _MIN_STEPS * (1 + alone):
            queue.run(lambda task: work(task, queue.idle))
            return
        self._run_in_all(lambda _: queue.run(lambda task: work(task, queue.idle)), queue.stop)

    def begin(self, work: Callable[[], Result]) -> "Future[Result]":
        """Begin work in another thread. There must be one: `n` is at least two."""
        if self.pool is None:
            self.pool = ThreadPoolExecutor(self.n - 1)
        return self.pool.submit(work)

    def _run_in_all(self, work: Callable[[int], None], stop: Callable[[], Any]) -> None:
        """Call `work(worker)` in all threads; `stop` drops the remaining work, also after an interruption."""
        helpers = []
        try:
            helpers += [self.begin(partial(work, worker)) for worker in range(1, self.n)]
            work(0)
        finally:
            stop()
            for helper in helpers:
                helper.result()


def _run_ranges(work: Callable[[int, int, int], Any], edges: "Iterator[tuple[int, int]]", worker: int) -> None:
    for first, last in edges:  # threads share the iterator: its next step is atomic under Python's lock
        work(first, last, worker)


@contextmanager
def thread_pool(n_jobs: int | None) -> Iterator[ThreadPool]:
    """A pool of `n_jobs` threads, by default one for each processor; they end with the block."""
    threads = ThreadPool(n_jobs or n_processors())
    try:
        yield threads
    except SystemError as error:
        # Python raises this error when a kernel returns after an interruption, and again for each enclosing call.
        cause: BaseException | None = error
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise cause from None
        raise
    finally:
        if threads.pool is not None:
            threads.pool.shutdown()


def n_processors() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
