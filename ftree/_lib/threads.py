"""Sharing work over threads: each takes the next few items when it is done with its last, so that none waits for long.

Threads, and not numba's own parallel loops: those end the process when two threads grow at once or after a fork,
and divide the work in advance, so that one slow core holds up all.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from threading import Condition
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from attrs import define, field

Task = TypeVar("Task")

# Below so many steps, a second thread costs more than it saves.
_WORTH_IT = 100_000


@define(eq=False)
class Queue(Generic[Task]):
    """Tasks for threads to take, and those that come of them; `idle` tells kernels how many threads wait for one."""

    tasks: deque[Task]
    idle: npt.NDArray[np.int64] = field(factory=lambda: np.zeros(1, np.int64), init=False)
    busy: int = field(default=0, init=False)
    stopped: bool = field(default=False, init=False)
    changed: Condition = field(factory=Condition, init=False)

    def serve(self, work: Callable[[Task], Iterable[Task]]) -> None:
        """Do one task after another, until there is none and none can come."""
        while taken := self._taken():
            try:
                more = work(*taken)
            except BaseException:
                self.stop()
                raise
            self._done(more)

    def stop(self) -> None:
        """Leave what is left, whoever may still be counted as busy: an interruption may come between any two steps."""
        with self.changed:
            self.stopped = True
            self.changed.notify_all()

    def _taken(self) -> tuple[Task, ...]:
        """One task, or none."""
        with self.changed:
            while not self.tasks and self.busy and not self.stopped:
                self.idle += 1
                self.changed.wait()
                self.idle -= 1
            if self.stopped or not self.tasks:
                return ()
            self.busy += 1
            return (self.tasks.popleft(),)

    def _done(self, more: Iterable[Task]) -> None:
        with self.changed:
            self.busy -= 1
            self.tasks.extend(more)
            self.changed.notify_all()


@define(eq=False)
class Crew:
    """Some threads, and this one; work is shared where there is enough of it, and threads are started for the first such."""

    n: int
    pool: ThreadPoolExecutor | None = field(default=None, init=False)

    def share(self, work: Callable[[int, int, int], Any], n_items: int, steps: int) -> None:
        """Call `work(first, last, worker)` until every item has had its turn, in this thread when it is little work."""
        if self.n == 1 or steps < _WORTH_IT or n_items < 2:  # noqa: PLR2004  # two to share
            work(0, n_items, 0)
            return
        edges = pairwise(sorted({*range(0, n_items, max(1, n_items // (self.n * 16))), n_items}))
        self._together(lambda worker: _take(work, edges, worker), lambda: deque(edges, maxlen=0))

    def drain(self, tasks: Iterable[Task], work: Callable[[Task, npt.NDArray[np.int64]], Iterable[Task]], steps: int) -> None:
        """Call `work(task, idle)` for all tasks and those that it answers; where `idle` is not 0, another thread wants some."""
        queue = Queue(deque(tasks))
        alone = len(queue.tasks) < 2  # noqa: PLR2004  # a single task is begun by one thread before others get parts of it
        if self.n == 1 or steps < _WORTH_IT * (1 + alone):
            queue.serve(lambda task: work(task, queue.idle))
            return
        self._together(lambda _: queue.serve(lambda task: work(task, queue.idle)), queue.stop)

    def _together(self, work: Callable[[int], None], stop: Callable[[], Any]) -> None:
        """Call `work(worker)` in all threads; after an interruption `stop`, so that the others find nothing more to do."""
        if self.pool is None:
            self.pool = ThreadPoolExecutor(self.n - 1)
        helpers = []
        try:
            helpers += [self.pool.submit(work, worker) for worker in range(1, self.n)]
            work(0)
        finally:
            stop()
            for helper in helpers:
                helper.result()


def _take(work: Callable[[int, int, int], Any], edges: "Iterator[tuple[int, int]]", worker: int) -> None:
    for first, last in edges:  # one iterator for all: Python's lock makes each step whole
        work(first, last, worker)


@contextmanager
def crew(n_jobs: int | None) -> Iterator[Crew]:
    """A crew of so many threads, of as many as there are processors by default, which go home at the end."""
    threads = Crew(n_jobs or processors())
    try:
        yield threads
    except SystemError as error:
        # What Python makes of an interruption that a kernel returns into.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise error.__cause__ from None
        raise
    finally:
        if threads.pool is not None:
            threads.pool.shutdown()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
