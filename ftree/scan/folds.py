"""Answers of parts, merged: one after another, or by several threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from threading import Lock
from typing import TypeVar

from ftree._lib.threads import n_processors, thread_pool

Answer = TypeVar("Answer")
# So much work that all threads take a share.
_STEPS = 10**9


def fold_answers(answers: Iterable[Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
    """Answers merged one after another.

    >>> fold_answers([1, 2, 3], lambda one, other: one + other)
    6
    """
    each = iter(answers)
    total = next(each)
    for answer in each:
        total = merge(total, answer)
    return total


def fold_in_threads(
    n: int, function: Callable[[int], Answer], merge: Callable[[Answer, Answer], Answer], n_jobs: int | None = None
) -> Answer:
    """The answers for the numbers below n, merged by several threads, each of which merges those of its own.

    >>> fold_in_threads(4, lambda number: number, lambda one, other: one + other)
    6
    """
    n_threads = min(n, n_jobs or n_processors())
    if n_threads == 1:
        return fold_answers(map(function, range(n)), merge)
    numbers, lock = iter(range(n)), Lock()

    def own() -> Iterator[Answer]:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            yield function(number)

    found: list[Answer] = []

    def work(first: int, last: int, _: int) -> None:
        try:
            for _ in range(first, last):
                with suppress(StopIteration):  # other threads have taken all parts
                    found.append(fold_answers(own(), merge))
        except BaseException:
            # An error or an interruption ends the other threads as well, each after its part.
            with lock:
                deque(numbers, maxlen=0)
            raise

    with thread_pool(n_threads) as threads:
        threads.share(work, n_threads, _STEPS)
    return fold_answers(found, merge)
