"""Weights of training cases: sample weights times class weights, in cases."""

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve
from sklearn.utils.class_weight import compute_class_weight

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset


def sample_weights(weights: Any, n: int) -> npt.NDArray[np.float64] | None:
    """Sample weights of n rows as an array; None stays None. The dataset refuses negative ones.

    Raises a ValueError for another shape, and if all are zero.

    >>> sample_weights([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if weights is None:
        return None
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (n,):
        message = f"sample_weight must be one number for each of the {n} rows, got {short_repr(array)}."
        raise ValueError(message)
    if not array.any():
        message = "sample_weight must be above zero in at least one row, got zero in all rows."
        raise ValueError(message)
    return array


def class_factors(class_weight: Any, dataset: Dataset) -> npt.NDArray[np.float64]:
    """The factors that multiply the weights of each class's rows, (K,).

    `class_weight` is None, "balanced" (all classes have equal weight) or a mapping of labels to weights. If the mean weight
    of rows is below 1, the factors raise it to 1: stopping rules compare numbers of cases, and weights such as AdaBoost's,
    which sum to 1, would leave every node too small.

    Raises a ValueError for any other class weight.

    >>> data = Dataset.from_rows([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
    >>> class_factors("balanced", data).tolist(), class_factors({"no": 5}, data).tolist()
    ([1.5, 0.75], [5.0, 1.0])
    """
    labels, counts = np.array(dataset.schema.classes), np.array(dataset.class_counts(), dtype=np.float64)
    if isinstance(class_weight, str) and class_weight == "balanced":
        factors = counts.sum() / np.count_nonzero(counts) / np.where(counts > 0, counts, np.inf)
    else:
        factors = compute_class_weight(class_weight, classes=labels, y=labels)
    if (factors < 0).any() or not counts @ factors:
        message = f"class_weight must be numbers from 0, above 0 for a class with cases, got {short_repr(class_weight)}."
        raise ValueError(message)
    n_rows = len(dataset) if dataset.weights is None else np.count_nonzero(dataset.weights)
    raised: npt.NDArray[np.float64] = factors * max(1.0, n_rows / (counts @ factors))
    return raised


def times(dataset: Dataset, factors: npt.NDArray[np.float64]) -> Dataset:
    """The dataset with the weights of each class's rows multiplied by a factor."""
    if (factors == 1).all():
        return dataset
    weights = factors[dataset.labels]
    return evolve(dataset, weights=weights if dataset.weights is None else weights * dataset.weights)
