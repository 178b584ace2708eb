"""Reduced training sets for nearest neighbours: without misclassified rows, or without redundant ones."""

import numpy as np

from ftree._lib.fields import require_whole_number
from ftree._lib.ties import first_largest
from ftree.data.dataset import Dataset
from ftree.data.points import Points, Scaling, training_points, unscaled
from ftree.neighbors.knn import knn
from ftree.neighbors.metric import Metric, check_metric, distances, euclidean
from ftree.neighbors.votes import tally, uniform


def edited(dataset: Dataset, k: int = 3, *, metric: Metric = euclidean, scale: Scaling = unscaled) -> Dataset:
    """The rows that their k nearest other rows classify correctly; removing the others separates overlapping classes.

    Raises a ValueError for k below 1 or not below the number of rows, and as `knn` does.

    Source: Wilson 1972.

    >>> len(edited(Dataset.from_rows([[0], [1], [2], [3], [10], [11], [12], [13]], list("aabaabbb")), k=3))
    6
    """
    counted, _ = training_points(dataset)
    require_whole_number("k", k, 1, most=len(counted) - 1, of="other rows")
    _, near = knn(counted, k=k + 1, metric=metric, scale=scale).nearest(counted)
    others = _without_itself(near)
    return counted.take(first_largest(tally(counted, others, uniform(others))) == counted.labels)


def condensed(dataset: Dataset, *, metric: Metric = euclidean, scale: Scaling = unscaled) -> Dataset:
    """A part of the rows, in their order, whose nearest neighbours classify every row correctly.

    It starts with the first row and adds misclassified rows until none is left (except equal points with different
    labels). The result depends on the order of rows.

    Raises as `knn` does.

    Source: Hart 1968.

    >>> condensed(Dataset.from_rows([[0], [1], [2], [10], [11], [12]], list("aaabbb"))).columns[0].tolist()
    [0.0, 10.0]
    """
    counted, points = training_points(dataset)
    check_metric(metric, points)
    points, labels = scale(points)(points), counted.labels
    kept, last = np.arange(len(counted)) == 0, 0
    nearest, owner = distances(metric, points, points[0]), np.zeros(len(counted), dtype=np.intp)
    while len(wrong := np.flatnonzero((labels[owner] != labels) & ~kept)):
        # Take the next one in the order of rows, and start again after the last row.
        last = int(wrong[np.searchsorted(wrong, last) % len(wrong)])
        kept[last] = True
        found = distances(metric, points, points[last])
        closer = (found < nearest) | ((found == nearest) & (last < owner))
        nearest, owner = np.where(closer, found, nearest), np.where(closer, last, owner)
    return counted.take(kept)


def _without_itself(near: Points) -> Points:
    """The nearest rows of each row, (n, k + 1), without the row itself, or without the last if it is not among them."""
    itself = near == np.arange(len(near))[:, None]
    itself[:, -1] |= ~itself.any(axis=1)
    others: Points = near[~itself].reshape(len(near), -1)
    return others
