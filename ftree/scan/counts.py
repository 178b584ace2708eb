"""The counts of a part: functions from a part to sums, which can be pickled and whose results can be merged.

These functions count all rows of the open nodes, as `CellCounts` does first in a level; `wanted` counts some of them again.
"""

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree._lib.arrays import count as counted
from ftree.scan.arrivals import arrivals
from ftree.scan.cell_layout import CellLayout
from ftree.scan.folds import fold_answers
from ftree.scan.parts import Part
from ftree.scan.routes import Entries, Routes


@frozen(eq=False)
class Totals:
    """Class counts of the open nodes, (m, K)."""

    routes: Routes
    numeric: Array
    n_classes: int

    def __call__(self, part: Part) -> Array:
        """The counts of a part."""
        here = arrivals(self.routes, part, self.numeric)
        entries = here.entries
        counts = count(entries.node, part.labels[entries.row], weights_of(entries, part), self.routes.n_open, self.n_classes)
        if here.node is not None:
            from ftree.scan.kernels.count_part import count_totals  # noqa: PLC0415  # loads numba

            count_totals(part.labels, whole_weights_of(part), here.node, counts)
        return counts


@frozen(eq=False)
class CellCounts:
    """Class counts of the cells of the open nodes, (m, width, K)."""

    routes: Routes
    layout: CellLayout
    n_classes: int

    def __call__(self, part: Part) -> Array:
        """The counts of a part."""
        here = arrivals(self.routes, part, self.layout.numeric)
        counts = self._of_entries(part, here.entries)
        if here.node is not None:
            from ftree.scan.kernels.count_part import count_cells  # noqa: PLC0415  # loads numba

            layout, weights = self.layout, whole_weights_of(part)
            count_cells(part.codes, part.labels, weights, here.node, layout.n_codes, layout.shift, layout.first, counts)
        return counts

    def _of_entries(self, part: Part, entries: Entries) -> Array:
        weights, labels, m = weights_of(entries, part), part.labels[entries.row], self.routes.n_open
        if not labels.size or not part.codes.size:
            return np.zeros((m, self.layout.width, self.n_classes), dtype=np.int64)
        begin, width = entries.node * self.layout.width, m * self.layout.width
        codes = part.codes[:, entries.row].astype(np.int64)
        cells = (begin + self.layout.cells(own, feature) for feature, own in enumerate(codes))
        counts = fold_answers((count(own, labels, weights, width, self.n_classes) for own in cells), np.add)
        return counts.reshape(m, self.layout.width, self.n_classes)


def whole_weights_of(part: Part) -> Array:
    """The weights of the rows as kernels take them: an empty array if all are 1."""
    return np.zeros(0, dtype=np.int64) if part.weights is None else part.weights


def weights_of(entries: Entries, part: Part) -> Array | None:
    """The weight of each entry: the weight of its row times its fraction; None if all are 1."""
    if part.weights is None:
        return entries.fraction
    weights: Array = part.weights[entries.row]
    return weights if entries.fraction is None else weights * entries.fraction


def count(cells: Array, labels: Array, weights: Array | None, n_cells: int, n_classes: int) -> Array:
    """Class counts of cells, (n_cells, K): whole numbers, unless an entry is a fraction."""
    counts = counted(cells, labels, weights, n_cells, n_classes)
    return counts if weights is not None and weights.dtype.kind == "f" else counts.astype(np.int64)
