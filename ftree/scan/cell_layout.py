"""Cells, which a level counts first: for each open node and feature, groups of neighbouring codes."""

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, offsets


@frozen(eq=False)
class CellLayout:
    """The positions of each feature's cells in a node's row of counts: from `first` (F + 1,) on.

    A cell has 2 ** `shift` (F,) codes, and the last cell of a feature is for missing values. `n_codes` (F,) and
    `numeric` (F,) are those of the source.
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

    def cells(self, codes: Array, feature: int) -> Array:
        """The cell of each code of a feature."""
        cells: Array = np.where(
            codes == self.n_codes[feature], self.first[feature + 1] - 1, self.first[feature] + (codes >> self.shift[feature])
        )
        return cells
