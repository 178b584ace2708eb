"""Sharing work over threads: each takes the next few items when it is done with its last, so that none waits for long.

Threads, and not numba's own parallel loops: those end the process when two threads grow at once or after a fork,
and divide the work in advance, so that one slow core holds up all.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from attrs import define, field

# Below so many steps, a second thread costs more than it saves.
_WORTH_IT = 100_000


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
        if self.pool is None:
            self.pool = ThreadPoolExecutor(self.n - 1)
        edges = pairwise(sorted({*range(0, n_items, max(1, n_items // (self.n * 16))), n_items}))
        helpers = [self.pool.submit(_take, work, edges, worker) for worker in range(1, self.n)]
        try:
            _take(work, edges, 0)
        finally:
            for _ in edges:  # after an interruption, so that the helpers find nothing more to do
                pass
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
    finally:
        if threads.pool is not None:
            threads.pool.shutdown()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
