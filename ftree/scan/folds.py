"""Results of parts, merged: one after another, or by several threads."""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeVar

from ftree._lib.threads import n_processors, thread_pool

Answer = TypeVar("Answer")
# An amount of work that makes all threads take a share.
_STEPS = 10**9


def fold_answers(answers: Iterable[Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
    """Results merged one after another.

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
    """The results for the numbers below n, merged by several threads.

    >>> fold_in_threads(4, lambda number: number, lambda one, other: one + other)
    6
    """
    n_threads = min(n, n_jobs or n_processors())
    if n_threads == 1:
        return fold_answers(map(function, range(n)), merge)
    totals: deque[Answer] = deque()

    def work(number: int, _: Any) -> tuple[int, ...]:
        answers = [function(number)]
        with suppress(IndexError):  # the first result, or other threads hold all totals
            answers.append(totals.pop())
        totals.append(fold_answers(answers, merge))
        return ()

    with thread_pool(n_threads) as threads:
        threads.run_tasks(range(n), work, _STEPS)
    return fold_answers(totals, merge)
