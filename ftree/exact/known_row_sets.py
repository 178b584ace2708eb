"""What the search keeps of the row sets that it has examined: answers of equal sets, and lower bounds for similar ones.

A cache as in DL8 (Nijssen & Fromont 2010), and the similarity bound of MurTree (Demirović et al. 2022).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import define, field

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree.exact.items import Items, bits_as_numbers
from ftree.exact.row_set import RowSet

# The number of row sets kept for each depth: the last ones, since neighbours in the search are the most similar.
_KEPT = 1024
# The number of answers kept; beyond it, the oldest is dropped. Each takes some 500 bytes.
_MOST = 100_000


@define(eq=False)
class Cache:
    """Answers by the hash of a row set and a depth. A hash is not trusted: the rows that led to the answer are made again."""

    items: Items
    most: int = _MOST
    answers: dict[tuple[int, int], tuple[tuple[int, ...], Any]] = field(factory=dict)

    def get(self, rows: RowSet, depth: int) -> Any:
        """The answer for the same rows and depth, which may have been reached by other splits; None if there is none."""
        path, answer = self.answers.get((hash(rows.mask.tobytes()), depth), (None, None))
        return answer if path is not None and np.array_equal(mask_of_path(self.items, path), rows.mask) else None

    def put(self, rows: RowSet, depth: int, answer: Any) -> None:
        """Keep an answer."""
        if len(self.answers) >= self.most:
            del self.answers[next(iter(self.answers))]
        self.answers[hash(rows.mask.tobytes()), depth] = rows.path, answer


def mask_of_path(items: Items, path: tuple[int, ...]) -> Array:
    """The rows (W,) with each item of a path, and without each item whose number is negated bit by bit."""
    mask = items.bits[:, items.n + 1]
    for item in path:
        mask = mask & (items.bits[:, item] if item >= 0 else ~items.bits[:, ~item])
    return mask


@define(eq=False)
class Archive:
    """The last row sets (N, W) of one depth, and their class counts (N, K), of which `n` have been added so far.

    `least` (N,) are lower bounds on what trees of them cost, and `by_split` (N, C) are such bounds by first splits. The highest
    one comes from `most_of_others` of the native library, or from NumPy.
    """

    masks: Array
    totals: Array
    least: Floats
    by_split: Floats
    most_of_others: Callable[..., int] | None
    n: int = 0

    def add(self, rows: RowSet, least: float, by_split: Floats | float) -> None:
        """Add a row set; beyond the limit, it replaces the oldest one."""
        place = self.n % _KEPT
        self.masks[place], self.totals[place], self.least[place], self.by_split[place] = rows.mask, rows.total, least, by_split
        self.n += 1

    def bound(self, rows: RowSet, known: float) -> tuple[float, Floats | float]:
        """The highest lower bound on the cost of the rows' trees, at least the `known` one, and bounds by first splits."""
        n, best = min(self.n, _KEPT), np.array([known])
        if self.most_of_others is None:
            place = self._most_by_numpy(rows, n, best)
        else:
            place = self.most_of_others(n, rows.mask, rows.total.astype(np.float64), best)
        least = float(best[0])
        return (least, self.by_split[place] - (self.least[place] - least)) if place >= 0 else (known, -np.inf)

    def _most_by_numpy(self, rows: RowSet, n: int, best: Floats) -> int:
        """`most_of_others`: the row set with the highest bound above `best`, which becomes that bound, or -1."""
        items, segment = rows.items, np.diff(rows.items.starts)
        fewer = np.maximum(self.totals[:n] - rows.total, 0) @ items.cost_weights
        places = np.flatnonzero(self.least[:n] - fewer > best)
        outside = bits_as_numbers((self.masks[places] & ~rows.mask).T).reshape(len(rows.mask), 64, len(places)).sum(axis=1)
        bounds = np.append(self.least[places] - np.repeat(items.row_weights, segment) @ outside, -np.inf)
        first = int(bounds.argmax())
        if bounds[first] <= best:
            return -1
        best[0] = bounds[first]
        return int(places[first])


def empty_archive(items: Items) -> Archive:
    """An archive of no row sets."""
    masks, totals = np.empty((_KEPT, len(items.bits)), np.uint64), np.zeros((_KEPT, items.problem.n_classes))
    least, terms = np.empty(_KEPT), (items.row_weights, items.starts, items.cost_weights)
    find = native.prepared("most_of_others", masks, totals, least, *terms) if items.is_native else None
    return Archive(masks, totals, least, np.empty((_KEPT, len(items.splits))), find)
