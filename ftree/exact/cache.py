"""Answers for row sets that a search has examined, each kept with a way to its rows instead of the rows themselves."""

from typing import Any

import numpy as np
from attrs import define, field

from ftree._lib.arrays import Array
from ftree.exact.items import Items
from ftree.exact.row_set import RowSet

# The number of answers kept; beyond it, the oldest is dropped. Each takes some 500 bytes.
_MOST = 100_000


@define(eq=False)
class Cache:
    """Answers by the hash of a row set and a depth. A hash is not trusted: the rows that led to the answer are made again."""

    items: Items
    answers: dict[tuple[int, int], tuple[tuple[int, ...], Any]] = field(factory=dict)

    def get(self, rows: RowSet, depth: int) -> Any:
        """The answer for the same rows and depth, which may have been reached by other splits; None if there is none."""
        path, answer = self.answers.get((hash(rows.mask.tobytes()), depth), (None, None))
        return answer if path is not None and np.array_equal(mask_of(self.items, path), rows.mask) else None

    def put(self, rows: RowSet, depth: int, answer: Any) -> None:
        """Keep an answer."""
        if len(self.answers) >= _MOST:
            del self.answers[next(iter(self.answers))]
        self.answers[hash(rows.mask.tobytes()), depth] = rows.path, answer


def mask_of(items: Items, path: tuple[int, ...]) -> Array:
    """The rows (W,) with each item of a path, and without each item whose number is negated bit by bit."""
    mask = items.bits[:, items.n + 1]
    for item in path:
        mask = mask & (items.bits[:, item] if item >= 0 else ~items.bits[:, ~item])
    return mask
