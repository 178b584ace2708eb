"""The rows that reach a node, with the counts of items, pairs and triples of items among them."""

from collections.abc import Iterator

import numpy as np
from attrs import define

from ftree._lib.arrays import Array, Floats
from ftree.exact.items import Items
from ftree.exact.kernels.bits import pair_counts
from ftree.exact.kernels.histograms import pairs_of_rows
from ftree.exact.kernels.quarters import STRIDE, two_by_quarters
from ftree.exact.kernels.triples import pairs_with, subtract_triples, triple_counts
from ftree.exact.packing import narrowed

# A call of a kernel looks at most at this many words of rows, since an interruption waits for it: some hundredths of a second.
_MOST_WORDS = 2e7
_TWO = 2


@define(eq=False)
class RowSet:
    """Rows of a problem as a mask (W,), with counts that are made on demand.

    The counts of a part are those of `whole` that have an item; the counts of the other part are those of `whole` minus these.
    The `path` names the items that the rows have, and with ~ those that they do not have. Words of `mask` are those of the
    table; `narrow` are the bits of the same rows without gaps, the starts of their segments, and the rows as words of items;
    with `is_table`, all rows, they are those of the table.
    """

    items: Items
    mask: Array
    total: Array
    whole: "RowSet | None" = None
    item: int = -1
    rest: "RowSet | None" = None
    path: tuple[int, ...] = ()
    narrow: tuple[Array, Array, Array] | None = None
    is_table: bool = False
    own_pairs: Array | None = None
    own_triples: Array | None = None
    own_two: Floats | None = None
    own_wrong: tuple[Floats, float] | None = None
    was_needed: bool = False

    def rows(self) -> tuple[Array, Array, Array]:
        """The bits of these rows without gaps, where segments begin, and the rows."""
        if self.is_table:
            return self.items.bits, self.items.starts, self.items.rows
        if self.narrow is None:
            self.narrow = narrowed(self.items.rows, self.items.starts, self.mask, self.items.bits.shape[1])
        return self.narrow

    def segments(self) -> tuple[Array, Array]:
        """The bits of these rows without gaps, and where segments begin."""
        if self.is_table:
            return self.items.bits, self.items.starts
        bits, starts, _ = self.rows()
        return bits, starts

    def pairs(self) -> Array:
        """Counts (K, M, M) of pairs of items."""
        if self.own_pairs is None:
            self.own_pairs = self._pairs()
        return self.own_pairs

    def _pairs(self) -> Array:
        if self.rest is not None and self.whole is not None:
            less: Array = self.whole.pairs() - self.rest.pairs()
            return less
        items, counts = self.items, self._zeros(self.items.n, self.items.n)
        if self.whole is not None and self.whole.own_triples is not None:
            pairs_with(self.whole.own_triples, self.whole.pairs(), self.item, counts)
            return counts
        if items.cells is not None:
            cells = items.cells
            pairs_of_rows(cells.table, cells.layout, cells.rows(self.mask), counts, *cells.histogram(counts))
            return counts
        bits, starts = self.segments()
        room = np.empty(items.n, np.uint64), np.empty(len(bits), np.uint64)
        for first, end in _ranges(items.n, len(bits) * items.n / _TWO):
            pair_counts(bits, starts, items.of_class, items.weight, bits, first, end, room, counts)
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
        items, (bits, starts, rows) = self.items, self.rows()
        room = np.empty_like(bits), np.zeros_like(starts), np.empty_like(rows), np.empty(len(bits), np.uint64)
        blocks = np.empty((_TWO, 64), np.uint64)
        for first, end in _ranges(items.n, len(bits) * items.n**2 / _TWO):
            triple_counts(bits, starts, rows, items.of_class, items.weight, first, end, (*room, blocks), counts)

    def two_by_item(self) -> Floats:
        """For two classes, the least costs (M, 2) of depth two of the rows with each item, and without it."""
        self.was_needed = True
        return self.count_two()

    def count_two(self) -> Floats:
        """`two_by_item`, for later: a thread may call it before the search needs it."""
        if self.own_two is None:
            n, two = self.items.n, np.empty((self.items.n, _TWO))
            room = tuple(np.empty(shape, self.items.dtype) for shape in ((n, 4 * STRIDE), (n, 2 * STRIDE), 4 * STRIDE))
            two_by_quarters(self.triples(), self.pairs(), self.total, self.items.problem.penalty, two, room)
            self.own_two = two
        return self.own_two

    def release(self) -> None:
        """Release the memory for counts of triples."""
        if self.own_triples is not None:
            self.items.buffers.append(self.own_triples)
            self.own_triples = None

    def counts(self) -> Array:
        """Class counts of items, (K, M)."""
        if self.own_pairs is not None or self.items.cells is not None:
            return np.ascontiguousarray(np.diagonal(self.pairs(), axis1=1, axis2=2))
        bits, _ = self.segments()
        return self._common(np.ascontiguousarray(bits[:, -1]), self.items.n)

    def always_wrong(self) -> tuple[Floats, float]:
        """The cost of rows that every tree gets wrong: among those with each item, (M,), and in all."""
        if self.own_wrong is None:  # asked for once by the node, and once for each of its splits
            bits, _ = self.segments()
            cost = self.items.cost_weights @ self._common(np.ascontiguousarray(bits[:, -2]), self.items.n + 2)
            self.own_wrong = cost[: self.items.n], float(cost[-1])
        return self.own_wrong

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

    def _zeros(self, *shape: int) -> Array:
        return np.zeros((self.items.problem.n_classes, *shape), self.items.dtype)


def _ranges(n: int, words: float) -> Iterator[tuple[int, int]]:
    """Ranges of n items with work of limited length, if each looks at so many words."""
    step = max(1, int(_MOST_WORDS / (words + 1)))
    return ((first, min(first + step, n)) for first in range(0, n, step))


def item_counts(bits: Array, starts: Array, items: Items, mask: Array, n: int) -> Array:
    """Counts (K, n) of the rows in a mask (W,) that have each of the first items: pairs whose first item is the mask."""
    counts, room = np.zeros((items.problem.n_classes, n), items.dtype), (np.empty(n, np.uint64), np.empty_like(mask))
    pair_counts(bits, starts, items.of_class, items.weight, mask[:, None], 0, 1, room, counts[:, None])
    return counts


def all_rows(items: Items) -> RowSet:
    """All rows of a problem."""
    mask = np.ascontiguousarray(items.bits[:, items.n + 1])
    total = item_counts(items.bits, items.starts, items, mask, items.n + _TWO)
    return RowSet(items, mask, total[:, -1].copy(), is_table=True)
