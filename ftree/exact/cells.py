"""Columns as cells, for tables whose items are intervals of values, such as thresholds: histograms count their pairs.

A joint histogram of two columns takes a step for each row; bits take one for each pair of thresholds and 64 rows.
"""

from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, offsets
from ftree.exact.intervals import IntervalColumn, flipped_of
from ftree.exact.packing import places_of_rows

# The number of items after which a search looks at the time, and the distance of those that are examined first.
_BATCH, _STRIDE = 64, 8


@frozen(eq=False)
class Cells:
    """Rows by their cells, and items as intervals of cells; `table` and `layout` are those of the kernels.

    `flipped` (M,) says whether an item is child 0 of its split. `batches` are all
    items, those of one batch in one column; first some of each column, between which others are bounded.
    """

    table: tuple[Array, Array, Array]
    layout: tuple[Array, ...]
    flipped: Array
    batches: tuple[Array, ...]

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self.layout[0][-1])

    def rows(self, mask: Array) -> Array:
        """The numbers of the rows in a mask (W,)."""
        return np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))

    def histogram(self, pairs: Array) -> tuple[Array, Array, Array]:
        """A joint histogram of zeros, with the type of the counts of pairs, and room for its sums."""
        n, dtype = self.n_cells, pairs.dtype
        return np.zeros((len(pairs), n, n), dtype), np.empty((n, n), dtype), np.empty(n, dtype)

    def scratch(self, pairs: Array, total: Array, rows: Array) -> tuple[Array, ...]:
        """Arrays for `divided_in_two`."""
        own, of_rows = (np.zeros_like(pairs), np.zeros_like(pairs)), (np.empty_like(rows), np.empty(self.n_cells + 2, np.int64))
        return *self.histogram(pairs), *own, np.empty_like(total), np.empty_like(total), *of_rows, np.empty(2, np.int64)


def cells_of(
    columns: tuple[IntervalColumn, ...], order: Array, begins: Array, starts: Array, labels: Array, weights: Array
) -> Cells:
    """The cells of a table whose rows are bits, in an `order` of segments, which have `labels` and `weights`."""
    sizes = [1 + int(column.cell.max()) + 1 for column in columns]
    first = offsets(sizes)
    item_column = np.repeat(np.arange(len(columns)), [len(column.low) for column in columns])
    low, high = (np.concatenate(each) for each in ([c.low for c in columns], [c.high for c in columns]))
    ladder = np.cumsum(np.append(True, _starts(item_column, low, high))) - 1
    at = np.searchsorted(ladder, np.arange(ladder[-1] + 2))
    layout = first, item_column, low + first[item_column], high + first[item_column], np.stack([at[:-1], at[1:]], axis=1), ladder
    segments = order, begins, starts, labels, weights
    return Cells(_table(columns, first, *segments), layout, flipped_of(columns), _batches(item_column))


def _starts(column: Array, low: Array, high: Array) -> Array:
    """Whether each item but the first starts a ladder."""
    answer: Array = (np.diff(column) != 0) | (np.diff(low) != 0) | (np.diff(high) != 1)
    return answer


def _table(
    columns: tuple[IntervalColumn, ...], first: Array, order: Array, begins: Array, starts: Array, *of_segment: Array
) -> Any:
    """The cells, classes and weights of rows; each segment of rows begins with a word of its own."""
    places = places_of_rows(starts, begins)
    cells = np.zeros((64 * starts[-1], len(columns)), np.int32)
    for number, column in enumerate(columns):
        cells[places, number] = column.cell[order] + first[number] + 1
    return cells, *(np.repeat(each, 64 * np.diff(starts)) for each in of_segment)


def _batches(column: Array) -> tuple[Array, ...]:
    """All items, a part of each column first, in parts of one column."""
    of_column = [np.flatnonzero(column == each) for each in range(int(column[-1]) + 1)]
    early = [items[_STRIDE // 2 :: _STRIDE].copy() for items in of_column]
    late = [np.setdiff1d(items, some) for items, some in zip(of_column, early, strict=True)]
    return tuple(items[start : start + _BATCH] for items in (*early, *late) for start in range(0, len(items), _BATCH))
