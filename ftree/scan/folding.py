"""Tables in parts: what a table must have, which is a fold; and how results of parts are merged, one by one or by threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from typing import Any, Protocol, TypeVar, runtime_checkable

from ftree._lib.machine import n_workers, thread_pool

# Cells of a batch: about 30 MB of numbers.
CELLS = 4_000_000
Answer = TypeVar("Answer")
# A raw part: columns by name, of any library.
RawPart = Mapping[str, Any]


class Foldable(Protocol):
    """A table in parts, wherever they are; `in_this_process = True` declares that `fold` reads them in this process."""

    def fold(self, function: Callable[[Any], Answer], merge: Callable[[Answer, Answer], Answer], /) -> Answer:
        """The results of a function for all parts, merged; both can be pickled. A ValueError for a table without a row."""
        ...


class RawTable(Foldable, Protocol):
    """A table in raw parts."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        ...


@runtime_checkable
class KeepsParts(Foldable, Protocol):
    """A table whose machines can encode its parts once, and keep them."""

    def kept(self, encode: Callable[[Any], Any], n_rows: int, /) -> Foldable | None:
        """The table of encoded parts, None if they cannot be kept; `n_rows` is the number of rows in all."""
        ...


# An amount of work that makes all threads take a share.
_STEPS = 10**9


def fold_answers(answers: Iterable[Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
    """Results merged one after another. Raises a ValueError if there are none, as for a table without rows.

    >>> fold_answers([1, 2, 3], lambda one, other: one + other)
    6
    """
    each = iter(answers)
    for first in each:
        return reduce(merge, each, first)
    raise ValueError("source must have at least one row, got none.")


def fold_in_threads(
    n: int, function: Callable[[int], Answer], merge: Callable[[Answer, Answer], Answer], n_jobs: int | None = None
) -> Answer:
    """The results for the numbers below n, merged by several threads.

    >>> fold_in_threads(4, lambda number: number, lambda one, other: one + other)
    6
    """
    n_threads = min(n, n_workers(n_jobs))
    if n_threads <= 1:
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


Item = TypeVar("Item")


def groups_up_to(items: Iterable[Item], size: Callable[[Item], float], most: float) -> Iterator[list[Item]]:
    """Neighbouring items whose sizes add up to at most `most`; a larger item is alone.

    >>> list(groups_up_to(["a", "bcd", "e"], len, 3))
    [['a'], ['bcd'], ['e']]
    """
    group: list[Item] = []
    total = 0.0
    for item in items:
        if group and total + size(item) > most:
            yield group
            group, total = [], 0.0
        group.append(item)
        total += size(item)
    if group:
        yield group
