"""Votes of neighbours, weighted by their distance."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ftree.data.dataset import Dataset
from ftree.data.points import Points

Weights: TypeAlias = Callable[[Points], Points]


def uniform(distances: Points) -> Points:
    """Give every neighbour one vote.

    >>> uniform(np.array([[0.0, 2.0]])).tolist()
    [[1.0, 1.0]]
    """
    return np.ones(distances.shape)


def by_distance(distances: Points) -> Points:
    """Give each neighbour 1 / distance votes; if some are at distance 0, only those vote (Dudani 1976).

    >>> by_distance(np.array([[1.0, 2.0], [0.0, 2.0]])).tolist()
    [[1.0, 0.5], [1.0, 0.0]]
    """
    nearest = distances.min(axis=-1, keepdims=True)
    # Votes are divided by the nearest one's, since 1 / distance overflows for very small distances.
    votes: Points = np.divide(nearest, distances, out=(distances == 0).astype(float), where=nearest > 0)
    return votes


def tally(dataset: Dataset, rows: Points, votes: Points) -> Points:
    """The votes (m, K) for each class of rows (m, k) of a dataset, times the rows' weights.

    >>> tally(Dataset.from_rows([[0], [1]], ["a", "b"]), np.array([[0, 1]]), np.array([[1.0, 0.5]])).tolist()
    [[1.0, 0.5]]
    """
    counted = votes if dataset.weights is None else votes * dataset.weights[rows]
    codes, classes = dataset.labels[rows], range(len(dataset.schema.classes))
    return np.stack([np.where(codes == code, counted, 0).sum(axis=1) for code in classes], axis=1)


def checked_votes(weights: Weights, distances: Points) -> Points:
    """The votes that `weights` returns for distances, checked: one finite vote each."""
    votes = np.asarray(weights(distances), dtype=np.float64)
    if votes.shape != distances.shape or not np.isfinite(votes).all():
        got = "votes that are not finite" if votes.shape == distances.shape else f"shape {votes.shape}"
        message = f"The result of weights must be one finite vote for each distance, shape {distances.shape}, got {got}."
        raise ValueError(message)
    return votes
