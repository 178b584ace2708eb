"""The machine: threads that share a queue of work, free memory, and files that are written completely or not at all.

The threads are Python's, which a fork or a growth in another thread does not disturb. They take work in small parts, so that none
waits for the slowest core.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import pairwise
from math import ceil, inf
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Condition
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from attrs import define, field

from ftree._lib.fields import require_n_jobs

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
            with self.changed:
                self.busy -= 1
                self.tasks.extend(more)
                self.changed.notify_all()

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
        if alone and n_items > 0 and steps <= _MOST_STEPS:
            work(0, n_items, 0)
            return
        # Threads that end at different times are worth more ranges, but each range costs a wait for Python's lock.
        n_ranges = max(1 if alone else min(self.n * 8, max(self.n, steps // max(_MIN_STEPS, 1))), -(-steps // _MOST_STEPS))
        ranges = deque(pairwise(sorted({*range(0, n_items, max(1, n_items // n_ranges)), n_items})))
        if alone:
            _run_ranges(work, ranges, 0)
            return
        self._run_in_all(lambda worker: _run_ranges(work, ranges, worker), ranges.clear)

    def run_tasks(self, tasks: Iterable[Task], work: Callable[[Task, npt.NDArray[np.int64]], Iterable[Task]], steps: int) -> None:
        """Call `work(task, idle)` for all tasks and for the tasks that it returns, in several threads at once.

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


def _run_ranges(work: Callable[[int, int, int], Any], ranges: "deque[tuple[int, int]]", worker: int) -> None:
    while True:
        try:
            first, last = ranges.popleft()  # from one of several threads at a time
        except IndexError:
            return
        work(first, last, worker)


@contextmanager
def thread_pool(n_jobs: int | None) -> Iterator[ThreadPool]:
    """A pool of `n_workers(n_jobs)` threads; they end with the block."""
    threads = ThreadPool(n_workers(n_jobs))
    try:
        yield threads
    finally:
        if threads.pool is not None:
            threads.pool.shutdown()


def n_workers(n_jobs: int | None) -> int:
    """The number of threads or processes for `n_jobs`, the one rule of the library.

    None and -1 are one for each processor, -2 one fewer, and so on. More than eight for each would only wait. Raises the
    ValueError of `require_n_jobs`.

    >>> n_workers(1), n_workers(None) == n_workers(-1) == n_processors(), n_workers(10**12) == 8 * n_processors()
    (1, True, True)
    """
    require_n_jobs(n_jobs)
    n = n_processors()
    asked = -1 if n_jobs is None else int(n_jobs)
    return min(asked, 8 * n) if asked > 0 else max(n + 1 + asked, 1)


def n_processors() -> int:
    """Number of processors that this process may use, and that a container's limit leaves."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ceil(min(usable, processors_left(_LIMIT)))


# Where Linux tells a container how much time it has: microseconds of processors, and in how many of the clock.
_LIMIT = Path("/sys/fs/cgroup/cpu.max")


@cache
def processors_left(limit: Path) -> float:
    """Processors that the limit in such a file leaves; infinite without a file, and where it says "max".

    It is read once in a process: a limit that changes later, as in a container that is resized, counts after a restart.

    >>> processors_left(Path("no such file"))
    inf
    """
    with suppress(OSError, ValueError):
        time, of = map(int, limit.read_text(encoding="ascii").split())
        return time / of
    return inf


# Less memory than this needs no check, since a check takes as long as growing a small level.
_LITTLE = 2**28


def require_memory(needed: float, purpose: str, remedy: str) -> None:
    """Raise a MemoryError, if too few bytes are available, that says how many are needed for what, and what to do.

    >>> require_memory(1000, "the counts of 2 classes", "Use fewer classes.")
    >>> require_memory(1e30, "the counts of 2 classes", "Use fewer classes.")
    Traceback (most recent call last):
    MemoryError: Memory must have room for the counts of 2 classes, 1e+21 GB, got ... GB. Use fewer classes.
    """
    if not has_room(needed):
        left = available_memory()
        raise MemoryError(f"Memory must have room for {purpose}, {needed / 1e9:.3g} GB, got {left / 1e9:.3g} GB. {remedy}")


def has_room(needed: float) -> bool:
    """Whether `needed` bytes are available.

    >>> has_room(1000), has_room(1e30)
    (True, False)
    """
    return needed < _LITTLE or needed <= available_memory()


def available_memory() -> float:
    """Bytes that this process may still allocate: what the machine or the process's limit leaves; infinite if both are unknown.

    >>> available_memory() > 0
    True
    """
    return min(_left_on_machine(), _left_below_limit())


def _left_on_machine() -> float:
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024.0 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1])
    return inf


def _left_below_limit() -> float:
    """Bytes left below the limit on the address space (ulimit -v)."""
    with suppress(AttributeError, ImportError, OSError, ValueError):  # Windows has no module `resource`, macOS no such file
        import resource  # noqa: PLC0415  # as above

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
        return inf if limit == resource.RLIM_INFINITY else max(float(limit - taken), 0.0)
    return inf


@contextmanager
def complete_or_nothing(path: Path) -> Iterator[Path]:
    """A place for a file or a new folder, which gets the name `path` when the block ends; after an error the old file stays.

    The place has a name of its own beside `path`, so several writers of one path do not disturb each other: the last one wins.
    What a link names is replaced, and not the link. A device or a folder at the path is not replaced: the block gets the path.

    Raises a FileNotFoundError for a path in a folder that does not exist.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with complete_or_nothing(Path(folder) / "tree.json") as unfinished:
    ...         _ = unfinished.write_text("{}")
    ...     [file.name for file in Path(folder).iterdir()]
    ['tree.json']
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        yield path
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(f"path must be in a folder that exists, got {str(path)!r}.")
    # A folder, since a temporary file of its own would have other permissions than a new file.
    with TemporaryDirectory(prefix=".unfinished-", dir=path.parent, ignore_cleanup_errors=True) as folder:
        unfinished = Path(folder) / path.name
        yield unfinished
        unfinished.replace(path)
