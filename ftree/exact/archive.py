"""Row sets with known lower bounds on the costs of their trees, from which bounds for similar row sets follow.

Source: Demirović et al. 2022 (MurTree), the similarity bound.
"""

import numpy as np
from attrs import define

from ftree._lib.arrays import Array, Floats
from ftree.exact.items import Items
from ftree.exact.kernels.bits import most_of_others
from ftree.exact.row_set import RowSet

# The number of row sets kept for each depth: the last ones, since neighbours in the search are the most similar.
_KEPT = 1024


@define(eq=False)
class Archive:
    """The last row sets (N, W) of one depth, and their class counts (N, K), of which `n` have been added so far.

    `least` (N,) are lower bounds on what trees of them cost, and `by_split` (N, C) are such bounds by first splits.
    """

    masks: Array
    totals: Array
    least: Floats
    by_split: Floats
    n: int = 0

    def add(self, rows: RowSet, least: float, by_split: Floats | float) -> None:
        """Add a row set; beyond the limit, it replaces the oldest one."""
        place = self.n % _KEPT
        self.masks[place], self.totals[place], self.least[place], self.by_split[place] = rows.mask, rows.total, least, by_split
        self.n += 1

    def bound(self, rows: RowSet, known: float) -> tuple[float, Floats | float]:
        """The highest lower bound on the cost of the rows' trees, at least the `known` one, and bounds by first splits."""
        items, n = rows.items, min(self.n, _KEPT)
        others, terms = (self.masks[:n], self.totals[:n], self.least[:n]), (items.row_weights, items.starts, items.cost_weights)
        least, place = most_of_others(*others, *terms, rows.mask, rows.total, known)
        return (float(least), self.by_split[place] - (self.least[place] - least)) if place >= 0 else (known, -np.inf)


def empty_archive(items: Items) -> Archive:
    """An archive of no row sets."""
    totals = np.empty((_KEPT, items.problem.n_classes), items.dtype)
    return Archive(np.empty((_KEPT, len(items.bits)), np.uint64), totals, np.empty(_KEPT), np.empty((_KEPT, len(items.splits))))
