"""The balance scale: the side to which it tips, for every combination of weights and distances."""

from itertools import product

import numpy as np

from ftree.data.dataset import Dataset

_FEATURES = ("left-weight", "left-distance", "right-weight", "right-distance")


def balance_scale() -> Dataset:
    """All 625 combinations of two weights and distances from 1 to 5; L or R, the side with the greater product, or B (balanced).

    Source: Siegler (1976), "Three aspects of cognitive development"; Hume (1994), "Balance Scale", UCI.

    >>> balance_scale()  # doctest: +NORMALIZE_WHITESPACE
    Dataset of 625 rows: left-weight numeric, left-distance numeric, right-weight numeric, right-distance numeric
    -> class: B 49, L 288, R 288
    """
    rows = np.array(list(product(range(1, 6), repeat=4)))
    left, right = rows[:, :2].prod(axis=1), rows[:, 2:].prod(axis=1)
    labels = np.array(["R", "B", "L"])[np.sign(left - right) + 1]
    return Dataset.from_rows(rows, labels.tolist(), features=_FEATURES)
