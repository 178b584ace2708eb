"""Dividing training data into a set to grow on and a pruning set, at random, and stratified by class.

The division depends on the cases and the random numbers only, not on the order of rows; a row of weight k is divided
as k rows are. So the laws of growth also hold for pruning with held-back data.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve

from ftree.data.dataset import Dataset

# Whole weights are divided case by case up to this many cases; more would take too much memory.
_MOST_CASES = 10_000_000


def divide(dataset: Dataset, fraction: float, rng: Any) -> tuple[Dataset, Dataset]:
    """A training set, and a pruning set with `fraction` of the cases of each class, rounded.

    `rng` is a random number generator of NumPy. A row whose weight is not a whole number belongs to one set as a whole.

    Raises a ValueError if the pruning set has no case.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 4, [0, 1] * 4)
    >>> [part.class_counts() for part in divide(data, 0.25, np.random.RandomState(0))]
    [(3, 3), (1, 1)]
    """
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    copies = _copies(weights)
    # In sorted order, equal rows are neighbours, so the result does not depend on the order of the given rows.
    order = np.lexsort((*dataset.columns, dataset.labels))
    held = np.bincount(_chosen(dataset.labels, np.repeat(order, copies[order]), fraction, rng), minlength=len(dataset))
    if not held.any():
        rows = f"{len(dataset)} sample{'' if len(dataset) == 1 else 's'}"
        message = f"holdout must hold back at least one case to prune with, got {fraction} of {rows}. Use a larger share."
        raise ValueError(message)
    of_one = weights / np.maximum(copies, 1)
    return _weighted(dataset, (copies - held) * of_one), _weighted(dataset, held * of_one)


def _copies(weights: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """The number of cases for which each row counts in the division: its weight if all weights are whole, otherwise 1."""
    whole = (weights == np.floor(weights)).all() and weights.sum() <= _MOST_CASES
    return (weights if whole else weights > 0).astype(np.intp)


def _chosen(labels: npt.NDArray[Any], cases: npt.NDArray[np.intp], fraction: float, rng: Any) -> npt.NDArray[np.intp]:
    """Random cases, `fraction` of each class."""
    shuffled = cases[rng.permutation(len(cases))]
    groups = [shuffled[labels[shuffled] == label] for label in np.unique(labels[cases])]
    return np.concatenate([group[: round(fraction * len(group))] for group in groups])


def _weighted(dataset: Dataset, weights: npt.NDArray[Any]) -> Dataset:
    return evolve(dataset, weights=weights).take(weights > 0)
