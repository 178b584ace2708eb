"""The cases to which a split gives no answer: how growth divides them among the children, and the unit of their parts."""

from typing import Literal, TypeAlias

from ftree._lib.arrays import Array, exact_unit
from ftree.data.dataset import Dataset
from ftree.routing.missing_rules import divide_weights, heaviest, weighted, whole_shares
from ftree.tree.nodes import PredictionRule
from ftree.tree.schema import response_of_sums

# The destination of cases without an answer: in fractions all children, whole the heaviest one, or by another rule.
MissingRows: TypeAlias = Literal["ignore", "heaviest"] | PredictionRule


def unit_of(dataset: Dataset) -> float:
    """The unit of a dataset: parts of its cases are multiples of this power of two, so that their sums are exact.

    >>> unit_of(Dataset.from_rows([["a"], ["b"]], [0, 1])) == 2.0**-49
    True
    """
    schema, total = dataset.schema, float(dataset.n_cases)
    return exact_unit(total, len(dataset.columns)) if schema.has_classes else response_of_sums(schema).part


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
