"""Cells, in which a level first counts all rows of its open nodes: their layout, and the counts of a part.

The last argument of a function that counts is a part. It can be pickled, and its results are added up.
"""

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import Array, offsets, require_room_for_counts
from ftree._lib.arrays import class_counts_of_cells as counted
from ftree.scan.parts import Part
from ftree.scan.routes import Entries, Routes, rows_at_nodes, whole_rows


@frozen(eq=False)
class CellLayout:
    """The cells in which a node's rows are counted: those of each feature, from `first` (F + 1,) on, stand one after another.

    A cell has 2 ** `shift` (F,) codes, and the last cell of a feature is for missing values. `n_codes` (F,) and
    `numeric` (F,) are those of the source.

    Of two features, the first has the codes 0 to 4, in cells of two, and the second the codes 0 to 2:

    >>> layout = CellLayout.of(np.array([5, 3]), np.array([0, -1]), most=3)
    >>> layout.cells(np.arange(6), 0).tolist(), layout.cells(np.arange(4), 1).tolist()
    ([0, 0, 1, 1, 2, 3], [4, 5, 6, 7])
    >>> [each.tolist() for each in layout.codes_of(np.array([1, 2, 3, 6]))]
    [[0, 0, 0, 1], [2, 4, 5, 2], [3, 4, 5, 2]]
    """

    n_codes: Array
    numeric: Array
    shift: Array
    first: Array

    @staticmethod
    def of(n_codes: Array, numeric: Array, most: int) -> "CellLayout":
        """Cells for a source, at most `most` for a numeric feature in addition to that of missing values."""
        needed = np.ceil(np.log2(np.maximum(n_codes, 1) / most)).astype(np.int64)
        shift = np.where(numeric >= 0, np.maximum(needed, 0), 0)
        sizes = ((np.maximum(n_codes, 1) - 1) >> shift) + 2
        return CellLayout(n_codes, numeric, shift, offsets(sizes))

    @property
    def width(self) -> int:
        """Number of cells of a node."""
        return int(self.first[-1])

    @property
    def span(self) -> int:
        """Number of codes of the largest cell."""
        return 1 << int(self.shift.max(initial=0))

    def cells(self, codes: Array, feature: Array | int) -> Array:
        """The cell of each code of a feature, or of its own feature."""
        cells: Array = np.where(
            codes == self.n_codes[feature], self.first[feature + 1] - 1, self.first[feature] + (codes >> self.shift[feature])
        )
        return cells

    def places(self, codes: Array, feature: Array | int) -> Array:
        """The place of each code within its cell."""
        places: Array = codes & ((1 << self.shift[feature]) - 1)
        return places

    def codes_of(self, cell: Array) -> tuple[Array, Array, Array]:
        """The feature of each cell, its first code and its last one."""
        feature = np.searchsorted(self.first, cell, side="right") - 1
        code, missing = (cell - self.first[feature]) << self.shift[feature], self.n_codes[feature]
        code = np.where(cell == self.first[feature + 1] - 1, missing, code)
        last = np.minimum(code + (1 << self.shift[feature]), missing) - 1
        return feature, code, np.maximum(code, last)


def totals_of(routes: Routes, n_classes: int, part: Part) -> Array:
    """Class counts of the open nodes, (m, K)."""
    node, divided = rows_at_nodes(routes, part)
    counts = _totals(whole_rows(node), part, (routes.n_open, n_classes))
    return counts + _totals(divided, part, counts.shape) if len(divided.row) else counts


def _totals(entries: Entries, part: Part, shape: tuple[int, ...]) -> Array:
    return count_cells(entries.node, part.labels[entries.row], entries.weights(part), *shape)


def cell_counts(routes: Routes, layout: CellLayout, n_classes: int, part: Part) -> Array:
    """Class counts of the cells of the open nodes, (m, width, K)."""
    node, divided = rows_at_nodes(routes, part)
    counts = np.zeros((routes.n_open, layout.width, n_classes), dtype=np.int64)
    if native.is_here():
        weights = np.zeros(0, np.int64) if part.weights is None else np.ascontiguousarray(part.weights, np.int64)
        rows = *part.code_bytes(), np.ascontiguousarray(part.labels, np.int32), weights, node
        native.call("count_cells", *rows, *native.aligned(layout.n_codes, layout.shift, layout.first), counts)
    else:
        counts = _with_entries(counts, layout, part, whole_rows(node))
    return _with_entries(counts, layout, part, divided)


def _with_entries(counts: Array, layout: CellLayout, part: Part, entries: Entries) -> Array:
    """The counts (m, width, K) and those of entries, which are counted in the cells of one feature after another."""
    if not len(entries.row) or not len(part.codes):
        return counts
    (m, width, n_classes), weights, labels, added = counts.shape, entries.weights(part), part.labels[entries.row], []
    require_room_for_counts(m * width, n_classes, copies=3.0)  # those of each feature, of all features, and the sum
    for feature, codes in enumerate(part.codes[:, entries.row].astype(np.int64)):
        first, last = layout.first[feature : feature + 2].tolist()
        cells = entries.node * (last - first) + layout.cells(codes, feature) - first
        added.append(count_cells(cells, labels, weights, m * (last - first), n_classes).reshape(m, last - first, n_classes))
    total: Array = counts + np.concatenate(added, axis=1)
    return total


def count_cells(cells: Array, labels: Array, weights: Array | None, n_cells: int, n_classes: int) -> Array:
    """Class counts of cells, (n_cells, K): whole numbers, unless an entry is a fraction."""
    counts = counted(cells, labels, weights, n_cells, n_classes)
    return counts if weights is not None and weights.dtype.kind == "f" else counts.astype(np.int64)
