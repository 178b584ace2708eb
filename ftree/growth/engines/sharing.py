"""How cases go down whose split has no answer for them: in parts that add up exactly, in any order.

For engines of any make, so that all of them grow the same trees.
"""

import numpy as np

from ftree._lib.arrays import Array, grid, share_out
from ftree.data.dataset import Dataset
from ftree.growth.engines.protocol import MissingRows


def unit_of(dataset: Dataset) -> float:
    """The unit of a dataset: parts of its cases are multiples of this power of two, so that their sums are exact.

    >>> unit_of(Dataset.from_rows([["a"], ["b"]], [0, 1])) == 2.0**-49
    True
    """
    total = len(dataset) if dataset.weights is None else sum(dataset.class_counts())
    return grid(float(total), len(dataset.columns))


def parts_of(weights: Array, sizes: Array, missing: MissingRows, unit: float) -> Array:
    """What each child gets of cases without an answer, (n, V), given the weights (n,) of these and the children's sizes (V,).

    A size is the weight of the cases with an answer; sizes that are all 0 count as equal.

    >>> parts_of(np.array([1.0, 0.5]), np.array([1.0, 3.0]), "ignore", 0.125).tolist()
    [[0.25, 0.75], [0.125, 0.375]]
    >>> parts_of(np.array([1.0]), np.array([1.0, 3.0]), "heaviest", 0.125).tolist()
    [[0.0, 1.0]]
    """
    if missing == "heaviest":
        return np.outer(weights, np.arange(len(sizes)) == sizes.argmax())
    return share_out(weights, sizes, unit)
