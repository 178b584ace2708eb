"""Threads count a node's children before the search needs them. Counts do not depend on when they are made: neither do trees."""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from functools import partial
from itertools import islice
from typing import Any

from attrs import define, field, frozen

from ftree._lib.machine import ThreadPool
from ftree.exact.listed.items import Items
from ftree.exact.listed.row_set import RowSet, rows_of_children

# Splits whose children are counted before they are needed, for each thread: one is too few, since nodes differ in size.
_AHEAD = 3
# With less work for a row set than this, in triples of items and words of rows, another thread costs more than it saves.
_LEAST_WORK = 1e6
# With more, counts are not made ahead: an interruption waits until they are finished, some hundredths of a second.
_MOST_WORK = 5e8


def n_ahead(items: Items, threads: ThreadPool) -> int:
    """The number of splits whose children are counted ahead; 0 if one thread does as well."""
    return _AHEAD * (threads.n - 1) if gains_by_threads(items) else 0


def gains_by_threads(items: Items) -> bool:
    """Whether the library takes long enough for the trees of depth three of each row set, and not too long."""
    work = float(items.n) ** 3 * (1 + len(items.bits)) / 6
    return items.is_native and items.simple and items.counts_triples and _LEAST_WORK <= work <= _MOST_WORK


@define(eq=False)
class ChildrenAhead:
    """The children of one node's splits; threads make the counts of the first child of the next `n` splits.

    `is_needed` says of a split, its children and an upper bound whether its first child will be needed, as far as is known; it
    may be wrong.
    """

    rows: RowSet
    threads: ThreadPool
    n: int
    is_needed: Callable[[int, list[RowSet], float], bool]
    begun: "deque[_Begun]" = field(factory=deque)
    last: RowSet | None = None

    def take(self, number: int, coming: Iterable[int], upper: float) -> list[RowSet]:
        """The children of a split; the counts for those that are coming, in this order, are begun."""
        while self.begun and self.begun[0].number != number:
            self._drop()
        own = self.begun[0] if self.begun else None
        # Neighbouring splits have similar children.
        if self.last is not None and "two" in self.last.made:
            self._begin(coming, upper)
        if own is not None:
            self._wait_for(own)
            self.begun.popleft()
        parts = rows_of_children(self.rows, number) if own is None else own.parts
        self.last = parts[0]
        return parts

    def _begin(self, coming: Iterable[int], upper: float) -> None:
        for each in islice(coming, self.n):
            if all(each != begun.number for begun in self.begun):
                parts = rows_of_children(self.rows, each)
                count = partial(self._count, each, parts, upper)
                self.begun.append(_Begun(each, parts, count, self.threads.begin(count)))

    def _count(self, number: int, parts: list[RowSet], upper: float) -> None:
        if self.is_needed(number, parts, upper):
            parts[0].two_by_item()

    def _wait_for(self, own: "_Begun") -> None:
        """Wait for counts; meanwhile this thread makes those that no thread has begun, the last ones first."""
        for begun in reversed(self.begun):
            if own.counted.done():
                return
            if not begun.counted.done() and begun.counted.cancel() and begun is not own:
                begun.count()
        if not own.counted.cancelled():
            wait([own.counted])

    def _drop(self) -> None:
        """Release counts that are not needed, when no thread makes them any longer."""
        begun = self.begun[0]
        if not begun.counted.cancel():
            wait([begun.counted])
        begun.parts[0].release()
        self.begun.popleft()

    def close(self) -> None:
        """Wait for counts that have begun, since they read those of the node, and release them."""
        while self.begun:
            self._drop()


@frozen(eq=False)
class _Begun:
    """A split's children, what counts the first one, and what waits for it."""

    number: int
    parts: list[RowSet]
    count: Callable[[], None]
    counted: "Future[Any]"
