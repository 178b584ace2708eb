"""Items as intervals of cells, for columns of many thresholds, whose pairs histograms count; and rows as bits for all items.

A joint histogram of two columns takes a step for each row; bits take one for each pair of thresholds and 64 rows. Rows are
sorted into segments; each begins with a word of its own, and the rest of its last word is 0.
"""

from collections.abc import Iterable

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, offsets
from ftree.exact.problem import Problem

# The number of items after which a search looks at the time, and the distance of those that are examined first.
_BATCH, _STRIDE = 64, 8
_TWO = 2
# Columns with fewer items on average are counted as bits.
_MANY = 12
# Half of the bits that are still to be transposed, and a word with the lower one of each two such halves.
_HALVES = tuple((width, np.uint64((2**64 - 1) // (2**width + 1))) for width in (32, 16, 8, 4, 2, 1))


@frozen(eq=False)
class Cells:
    """Rows by their cells, and items as intervals of cells, as `kernels.histograms` takes them.

    `batches` are all items, those of one batch in one column; first some of each column, between which others are bounded.
    """

    cells: Array
    weights: Array
    first: Array
    intervals: Array
    batches: tuple[Array, ...]

    @property
    def table(self) -> tuple[Array, ...]:
        """The first arguments of kernels."""
        return self.cells, self.weights, self.first, self.intervals

    def rows(self, mask: Array) -> Array:
        """The numbers of the rows in a mask (W,)."""
        return np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))


def cells_from_columns(
    columns: "tuple[IntervalColumn, ...]", order: Array, begins: Array, starts: Array, labels: Array, weights: Array
) -> Cells:
    """The cells of a table whose rows are bits, in an `order` of segments, which have `labels` and `weights`."""
    first = offsets([1 + int(column.cell.max()) + 1 for column in columns])
    number = np.repeat(np.arange(len(columns)), [len(column.low) for column in columns])
    low, high = (np.concatenate(each) for each in ([c.low for c in columns], [c.high for c in columns]))
    ladder = np.cumsum(np.append(True, (np.diff(number) != 0) | (np.diff(low) != 0) | (np.diff(high) != 1))) - 1
    at = np.searchsorted(ladder, np.arange(ladder[-1] + 2))
    intervals = np.column_stack([number, low + first[number], high + first[number], at[ladder], at[ladder + 1]])
    n_rows = 64 * np.diff(starts)
    cells, places = np.zeros((64 * starts[-1], len(columns) + 1), np.int32), places_of_rows(starts, begins)
    for each, column in enumerate(columns):
        cells[places, each] = column.cell[order] + first[each] + 1
    cells[:, -1] = np.repeat(labels, n_rows)
    return Cells(cells, np.repeat(weights, n_rows), first, intervals, _batches(number))


def _batches(column: Array) -> tuple[Array, ...]:
    """All items, a part of each column first, in parts of one column."""
    of_column = [np.flatnonzero(column == each) for each in range(int(column[-1]) + 1)]
    early = [items[_STRIDE // 2 :: _STRIDE].copy() for items in of_column]
    late = [np.setdiff1d(items, some) for items, some in zip(of_column, early, strict=True)]
    return tuple(items[start : start + _BATCH] for items in (*early, *late) for start in range(0, len(items), _BATCH))


@frozen(eq=False)
class IntervalColumn:
    """A column whose items are cells `low` to `high` (m,), the end not included; `cell` (n,) is the cell of each row.

    `flipped` (m,) says whether an item is child 0 of its split.
    """

    cell: Array
    low: Array
    high: Array
    flipped: Array


def intervals_of(problem: Problem) -> tuple[IntervalColumn, ...] | None:
    """The columns of a problem whose items are all intervals; None where some are not, or where columns have few items."""
    if any(split.n_children != _TWO for split in problem.splits):
        return None
    feature = problem.column
    columns = np.unique(feature)
    if not len(columns) or len(feature) < _MANY * len(columns) or (np.diff(feature) < 0).any():
        return None
    found = [_column(problem, each, np.flatnonzero(feature == each)) for each in columns.tolist()]
    known = tuple(column for column in found if column is not None)
    return known if len(known) == len(found) else None


def _column(problem: Problem, feature: int, numbers: Array) -> IntervalColumn | None:
    """A column's cells and items, if each item or its complement is an interval; values that no split divides share a cell."""
    child = np.array([problem.child[number] for number in numbers.tolist()]) == 1
    new = np.append(True, (child[:, 1:] != child[:, :-1]).any(axis=0))
    cell_of = np.cumsum(new) - 1
    child = child[:, new]
    flipped = _is_interval(~child)
    if not (flipped | _is_interval(child)).all():
        return None
    item = child ^ flipped[:, None]
    low = item.argmax(axis=1)
    return IntervalColumn(cell_of[problem.place[feature]], low, low + item.sum(axis=1), flipped)


def _is_interval(item: Array) -> Array:
    """Whether the cells of each item (m, cells) follow one another."""
    begins = np.diff(item.astype(np.int8), axis=1, prepend=0) == 1
    answer: Array = begins.sum(axis=1) == 1
    return answer


def places_of_rows(starts: Array, first: Array) -> Array:
    """The bit of each row (n,), given the first word of each segment, `starts` (S + 1,), and its `first` row (S + 1,)."""
    answer: Array = np.arange(first[-1]) + np.repeat(64 * starts[:-1] - first[:-1], np.diff(first))
    return answer


def bits_of_items(items: Iterable[Array], is_row: Array) -> Array:
    """Bits (W, M) of items, each (64 W,) says which bits have it; those that stand for no row, by `is_row` (64 W,), are 0."""
    kept = _packed(is_row)
    return np.ascontiguousarray(np.array([_packed(item) & kept for item in items]).T)


def rows_of_bits(bits: Array) -> Array:
    """The rows (64 W, V) of bits (W, M), 64 items a word: blocks of 64 x 64 bits are transposed, half by half."""
    n_words, n = bits.shape
    n_blocks = -(-n // 64)
    blocks = np.zeros((n_words, 64 * n_blocks), np.uint64)
    blocks[:, :n] = bits
    for width, low in _HALVES:
        first, second = np.moveaxis(blocks.reshape(n_words, 32 * n_blocks // width, 2, width), 2, 0)
        exchanged = ((first >> np.uint64(width)) ^ second) & low
        second ^= exchanged
        first ^= exchanged << np.uint64(width)
    return np.ascontiguousarray(blocks.reshape(n_words, n_blocks, 64).transpose(0, 2, 1)).reshape(64 * n_words, n_blocks)


def _packed(flags: Array) -> Array:
    return np.packbits(flags, bitorder="little").view(np.uint64)
