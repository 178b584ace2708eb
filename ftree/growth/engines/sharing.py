"""The division of cases to which a split gives no answer: into parts that add up exactly, in any order.

All engines use it, so that they grow the same trees.
"""

from ftree._lib.arrays import Array, grid
from ftree.data.dataset import Dataset
from ftree.growth.engines.protocol import MissingRows
from ftree.routing.heaviest import heaviest
from ftree.routing.shares import divide_weights, whole_shares
from ftree.routing.weighted import weighted
from ftree.tree.prediction_rule import PredictionRule


def unit_of(dataset: Dataset) -> float:
    """The unit of a dataset: parts of its cases are multiples of this power of two, so that their sums are exact.

    >>> unit_of(Dataset.from_rows([["a"], ["b"]], [0, 1])) == 2.0**-49
    True
    """
    total = len(dataset) if dataset.weights is None else sum(dataset.class_counts())
    return grid(float(total), len(dataset.columns))


def parts_of(weights: Array, sizes: Array, missing: MissingRows, unit: float) -> Array:
    """Each child's part of cases without an answer, (n, V), given the weights (n,) of these and the children's sizes (V,).

    A size is the weight of the cases with an answer; sizes that are all 0 count as equal. `missing` is that of the setup.

    Raises a ValueError for a rule whose shares do not add up to 1.

    >>> import numpy as np
    >>> parts_of(np.array([1.0, 0.5]), np.array([1.0, 3.0]), "ignore", 0.125).tolist()
    [[0.25, 0.75], [0.125, 0.375]]
    >>> parts_of(np.array([1.0]), np.array([1.0, 3.0]), "heaviest", 0.125).tolist()
    [[0.0, 1.0]]
    """
    parts, _ = divide_weights(weights, whole_shares(as_rule(missing), sizes), unit)
    return parts.T


def as_rule(missing: MissingRows) -> PredictionRule:
    """The rule for a name of `EngineSetup.missing`."""
    if isinstance(missing, str):
        return heaviest() if missing == "heaviest" else weighted()
    return missing
