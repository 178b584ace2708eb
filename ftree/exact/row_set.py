"""The rows that reach a node, with the counts of items, pairs and triples of items among them; and their children.

Other threads count children before the search needs them.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from functools import cached_property, partial
from itertools import islice
from typing import Any

import numpy as np
from attrs import define, field, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.machine import ThreadPool
from ftree.exact.items import Items
from ftree.exact.kernels.bits import narrowed, pair_counts, pairs_with, subtract_triples, triple_counts
from ftree.exact.kernels.two_classes import by_quarters

# A call of a kernel looks at most at this many words of rows, since an interruption waits for it: some hundredths of a second.
_MOST_WORDS = 2e7
_TWO = 2
# With less work for a row set than this, in triples of items and words of rows, another thread costs more than it saves.
_LEAST_WORK = 1e6
# With more, counts are not made ahead: an interruption waits until they are finished, some hundredths of a second.
_MOST_WORK = 5e8


@define(eq=False)
class RowSet:
    """Rows of a problem as a mask (W,), with counts that are made on demand.

    The counts of a part are those of `whole` that have an item; the counts of the other part are those of `whole` minus these.
    The `path` names the items that the rows have, and with ~ those that they do not have. Words of `mask` are those of the
    table; `is_table` says that these are all rows.
    """

    items: Items
    mask: Array
    total: Array
    whole: "RowSet | None" = None
    item: int = -1
    rest: "RowSet | None" = None
    path: tuple[int, ...] = ()
    is_table: bool = False
    own_pairs: Array | None = None
    own_triples: Array | None = None
    own_two: Floats | None = None
    was_needed: bool = False

    @cached_property
    def rows(self) -> tuple[Array, Array, Array]:
        """The bits of these rows without gaps, where segments begin, and the rows as words of items."""
        items = self.items
        if self.is_table:
            return items.bits, items.starts, items.rows
        made: tuple[Array, Array, Array] = narrowed(items.rows, items.starts, self.mask, items.bits.shape[1])
        return made

    def segments(self) -> tuple[Array, Array]:
        """The bits of these rows without gaps, and where segments begin."""
        return (self.items.bits, self.items.starts) if self.is_table else self.rows[:2]

    def pairs(self) -> Array:
        """Counts (K, M, M) of pairs of items."""
        if self.own_pairs is None:
            self.own_pairs = self._pairs()
        return self.own_pairs

    def _pairs(self) -> Array:
        if self.rest is not None and self.whole is not None:
            less: Array = self.whole.pairs() - self.rest.pairs()
            return less
        items = self.items
        counts = np.zeros((items.problem.n_classes, items.n, items.n), items.dtype)
        if self.whole is not None and self.whole.own_triples is not None:
            pairs_with(self.whole.own_triples, self.whole.pairs(), self.item, counts)
            return counts
        bits, starts = self.segments()
        for first, end in _ranges(items.n, len(bits) * items.n / _TWO):
            pair_counts(bits, starts, items.of_class, items.weight, bits, first, end, counts)
        return counts

    def triples(self) -> Array:
        """Counts (M, K, M, M + 16) of triples of items, by the last one."""
        if self.own_triples is None:
            counts = self.items.buffer()
            if self.rest is not None and self.whole is not None and self.whole.own_triples is not None:
                subtract_triples(self.whole.own_triples, self.rest.triples(), counts)
            else:
                self._count_triples(counts)
            self.own_triples = counts
        return self.own_triples

    def _count_triples(self, counts: Array) -> None:
        items, (bits, starts, rows) = self.items, self.rows
        for first, end in _ranges(items.n, len(bits) * items.n**2 / _TWO):
            triple_counts(bits, starts, rows, items.of_class, items.weight, first, end, counts)

    def two_by_item(self) -> Floats:
        """For two classes, the least costs (M, 2) of depth two of the rows with each item, and without it."""
        self.was_needed = True
        return self.count_two()

    def count_two(self) -> Floats:
        """`two_by_item`, for later: a thread may call it before the search needs it."""
        if self.own_two is None:
            two: Floats = by_quarters(self.triples(), self.pairs(), self.total, self.items.problem.penalty)
            self.own_two = two
        return self.own_two

    def release(self) -> None:
        """Release the memory for counts of triples."""
        if self.own_triples is not None:
            self.items.buffers.append(self.own_triples)
            self.own_triples = None

    def counts(self) -> Array:
        """Class counts of items, (K, M)."""
        if self.own_pairs is not None:
            return np.ascontiguousarray(np.diagonal(self.pairs(), axis1=1, axis2=2))
        bits, _ = self.segments()
        return self._common(np.ascontiguousarray(bits[:, -1]), self.items.n)

    @cached_property
    def always_wrong(self) -> tuple[Floats, float]:
        """The cost of rows that every tree gets wrong: among those with each item, (M,), and in all."""
        bits, _ = self.segments()
        cost = self.items.cost_weights @ self._common(np.ascontiguousarray(bits[:, -2]), self.items.n + 2)
        return cost[: self.items.n], float(cost[-1])

    def _common(self, mask: Array, n: int) -> Array:
        """Counts (K, n) of the rows in a mask that have each of the first items."""
        return item_counts(*self.segments(), self.items, mask, n)

    def part(self, item: int) -> "RowSet":
        """The rows that have an item."""
        mask = self.mask & self.items.bits[:, item]
        return RowSet(self.items, mask, self.pairs()[:, item, item].copy(), self, item, path=(*self.path, item))

    def others(self, part: "RowSet") -> "RowSet":
        """The rows that are not in a part."""
        path = (*self.path, ~part.item)
        return RowSet(self.items, self.mask & ~part.mask, self.total - part.total, self, part.item, part, path)


def _ranges(n: int, words: float) -> Iterator[tuple[int, int]]:
    """Ranges of n items with work of limited length, if each looks at so many words."""
    step = max(1, int(_MOST_WORDS / (words + 1)))
    return ((first, min(first + step, n)) for first in range(0, n, step))


def item_counts(bits: Array, starts: Array, items: Items, mask: Array, n: int) -> Array:
    """Counts (K, n) of the rows in a mask (W,) that have each of the first items: pairs whose first item is the mask."""
    counts = np.zeros((items.problem.n_classes, 1, n), items.dtype)
    pair_counts(bits, starts, items.of_class, items.weight, mask[:, None], 0, 1, counts)
    return counts[:, 0]


def all_rows(items: Items) -> RowSet:
    """All rows of a problem."""
    mask = np.ascontiguousarray(items.bits[:, items.n + 1])
    total = item_counts(items.bits, items.starts, items, mask, items.n + _TWO)
    return RowSet(items, mask, total[:, -1].copy(), is_table=True)


def rows_of_children(rows: RowSet, number: int) -> list[RowSet]:
    """The rows of each child of a candidate split: for two children, first those with the item, which are fewer in the table."""
    parts = [rows.part(item) for item in rows.items.items_of(number)]
    return [*parts, rows.others(parts[0])] if number < rows.items.n_binary else parts


def gains_by_threads(items: Items) -> bool:
    """Whether the search for trees of depth three takes long enough for each row set, and not too long."""
    work = float(items.n) ** 3 * (1 + len(items.bits)) / 6
    return items.simple and items.counts_triples and _LEAST_WORK <= work <= _MOST_WORK


@define(eq=False)
class ChildrenAhead:
    """The children of one node's splits; threads make the counts of the first child of the next `n` splits.

    `is_needed` says of a split, its children and an upper bound whether its first child will be needed, as far as is known; it
    may be wrong. Counts do not depend on when they are made, so the search is the same for any number of threads.
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
        if self.last is not None and self.last.was_needed:
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
            parts[0].count_two()

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
