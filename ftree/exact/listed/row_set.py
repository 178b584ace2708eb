"""The rows that reach a node, with the counts of items, pairs and triples of items among them; and their children."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from attrs import field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, offsets
from ftree.exact.listed.items import MOST, PAD, Items, bits_as_numbers

# A call of the library looks at most at this many words of rows, since an interruption waits for it: some hundredths of a second.
_MOST_WORDS = 2e7
_TWO = 2
# Words whose rows NumPy counts at once.
_BLOCK = 256


@frozen(eq=False)
class RowSet:
    """Rows of a problem as a mask (W,), and their class counts `total` (K,).

    Rows other than the table's are a side of an item in a larger set, the `whole`. Either they have the `item`; or they are those
    `outside` of this other side. So pairs and triples of items can be counted in less time than row by row:

    | rows | counts of pairs | counts of triples |
    |---|---|---|
    | with an item | those of triples with it in the whole, if these are there | by row |
    | outside of another side | of the whole, less those of the side | of the whole, if these are there, less those of the side |

    Counts are `made` when they are asked for, and kept. Which are there decides how others are made, and how fast, but not what
    they are, so they may be asked for in any order. Triples take much memory, so `released` takes it back from children when a
    node has done with them.

    `is_table`: these are all rows; words of `mask` are those of the table.
    """

    items: Items
    mask: Array
    total: Array
    whole: "RowSet | None" = None
    item: int = -1
    outside: "RowSet | None" = None
    is_table: bool = False
    made: dict[str, Array] = field(factory=dict, init=False)

    @property
    def path(self) -> tuple[int, ...]:
        """The items that these rows have, and with ~ those that they do not have."""
        return () if self.whole is None else (*self.whole.path, self.item if self.outside is None else ~self.item)

    @cached_property
    def rows(self) -> tuple[Array, Array, Array]:
        """The bits of these rows without gaps, where segments begin, and the rows as words of items."""
        items = self.items
        if self.is_table:
            return items.bits, items.starts, items.rows
        starts = np.empty_like(items.starts)
        bits, rows = np.empty_like(items.bits), np.empty_like(items.rows)  # their memory is used as far as there are rows
        n_words = items.library["select_rows"](self.mask, starts, bits, rows)
        return bits[:n_words], starts, rows[: 64 * n_words]

    def segments(self) -> tuple[Array, Array]:
        """The bits of these rows without gaps, or without words of none, and where segments begin."""
        items = self.items
        if self.is_table or items.is_native:
            return (items.bits, items.starts) if self.is_table else self.rows[:2]
        some = self.mask != 0
        return items.bits[some] & self.mask[some, None], offsets(some)[items.starts]

    def _once(self, name: str, make: Callable[[], Array]) -> Array:
        """Counts that are made at most once."""
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    @property
    def _whole_with_triples(self) -> "RowSet | None":
        """The whole if its triples are counted, which makes other counts faster."""
        return self.whole if self.whole is not None and "triples" in self.whole.made else None

    def pairs(self) -> Array:
        """Counts (K, M, M) of pairs of items."""
        return self._once("pairs", self._pairs)

    def _pairs(self) -> Array:
        if self.outside is not None and self.whole is not None:
            less: Array = self.whole.pairs() - self.outside.pairs()
            return less
        items, whole = self.items, self._whole_with_triples
        counts = np.zeros((items.problem.n_classes, items.n, items.n), items.dtype)
        if whole is not None:
            items.library["pairs_with"](whole.triples(), whole.pairs(), self.item, counts)
            return counts
        segments = self.segments()
        for ends in _ranges(items.n, len(segments[0]) * items.n / _TWO):
            add_pairs(items, segments, segments[0], ends, counts)
        return counts

    def triples(self) -> Array:
        """Counts (M, K, M, M + 16) of triples of items, by the last one."""
        return self._once("triples", self._triples)

    def _triples(self) -> Array:
        items, counts, whole = self.items, self.items.buffer(), self._whole_with_triples
        if self.outside is not None and whole is not None:
            items.library["subtract"](whole.triples(), self.outside.triples(), counts)
            return counts
        bits, starts, rows = self.rows
        room = np.empty(len(bits), np.uint64), np.empty_like(starts), np.empty_like(bits)
        for first, end in _ranges(items.n, len(bits) * items.n**2 / _TWO):
            items.library["triples"](bits, starts, rows, first, end, *room, counts)
        return counts

    def two_by_item(self) -> Floats:
        """For two classes, the least costs (M, 2) of depth two of the rows with each item, and without it."""
        return self._once("two", self._two)

    def _two(self) -> Floats:
        n, penalty = self.items.n, self.items.problem.penalty
        two, *room = np.empty((n, 2)), *(np.empty((*shape, MOST + PAD), np.int32) for shape in ((n, 6), (4,)))
        native.call("quarters", self.triples(), self.pairs(), self.total, penalty, *room, two)
        return two

    def release(self) -> None:
        """Release the memory for counts of triples."""
        if "triples" in self.made:
            self.items.buffers.append(self.made.pop("triples"))

    def counts(self) -> Array:
        """Class counts of items, (K, M)."""
        if "pairs" in self.made:
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
        return item_counts(self.items, self.segments(), mask, n)

    def part(self, item: int) -> "RowSet":
        """The rows that have an item."""
        return RowSet(self.items, self.mask & self.items.bits[:, item], self.pairs()[:, item, item].copy(), self, item)

    def others(self, part: "RowSet") -> "RowSet":
        """The rows that are not in a part."""
        return RowSet(self.items, self.mask & ~part.mask, self.total - part.total, self, part.item, part)


def _ranges(n: int, words: float) -> Iterator[tuple[int, int]]:
    """Ranges of n items with work of limited length, if each looks at so many words."""
    step = max(1, int(_MOST_WORDS / (words + 1)))
    return ((first, min(first + step, n)) for first in range(0, n, step))


def item_counts(items: Items, segments: tuple[Array, Array], mask: Array, n: int) -> Array:
    """Counts (K, n) of the rows in a mask (W,) that have each of the first items: pairs whose first item is the mask."""
    counts = np.zeros((items.problem.n_classes, 1, n), items.dtype)
    add_pairs(items, segments, mask[:, None], (0, 1), counts)
    return counts[:, 0]


def add_pairs(items: Items, segments: tuple[Array, Array], others: Array, ends: tuple[int, int], pairs: Array) -> None:
    """Add to `pairs` (K, M, M) the rows with two items: one of `others` (W, M) between two ends, and one not before it."""
    if items.is_native:
        items.library["pairs"](*segments, others, *ends, pairs)
    else:
        plain_pairs(items, segments, others, ends, pairs)


def plain_pairs(items: Items, segments: tuple[Array, Array], others: Array, ends: tuple[int, int], pairs: Array) -> None:
    """`add_pairs` by products of matrices, whose sums are exact in any order."""
    (bits, starts), (first, end) = segments, ends
    label, weight = (np.repeat(each, np.diff(starts)) for each in (items.of_class, items.weight.astype(np.float64)))
    for of_label, counts in enumerate(pairs):
        chosen = np.flatnonzero(label == of_label)
        for words in (chosen[begin : begin + _BLOCK] for begin in range(0, len(chosen), _BLOCK)):
            own = bits_as_numbers(others[words, first:end]) * np.repeat(weight[words], 64)[:, None]
            counts[first:end] += np.triu(own.T @ bits_as_numbers(bits[words, : pairs.shape[2]]), first).astype(pairs.dtype)


def all_rows(items: Items) -> RowSet:
    """All rows of a problem."""
    mask = np.ascontiguousarray(items.bits[:, items.n + 1])
    total = item_counts(items, (items.bits, items.starts), mask, items.n + _TWO)
    return RowSet(items, mask, total[:, -1].copy(), is_table=True)


def rows_of_children(rows: RowSet, number: int) -> list[RowSet]:
    """The rows of each child of a candidate split: for two children, first those with the item, which are fewer in the table."""
    parts = [rows.part(item) for item in rows.items.items_of_split(number)]
    return [*parts, rows.others(parts[0])] if number < rows.items.n_binary else parts


@contextmanager
def released(parts: list[RowSet]) -> Iterator[list[RowSet]]:
    """The children of a split; their memory for counts of triples is released at the end."""
    try:
        yield parts
    finally:
        for part in parts:
            part.release()
