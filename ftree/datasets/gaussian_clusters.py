"""Gaussian clusters: points that are normally distributed around the mean of their class."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ftree._lib.fields import require_whole_number
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset
from ftree.tree.schema import Feature, Schema

_TWO = ((-1.25, 0.0), (1.25, 0.0))


def gaussian_clusters(
    n: int, *, means: Sequence[Sequence[float]] = _TWO, deviations: float | Sequence[float] = 1.0, seed: int = 0
) -> Dataset:
    """Points in n rows, in clusters of equal size, with the dimensions of the means; the target is the cluster's number.

    `means` has one point for each cluster, `deviations` one standard deviation for all clusters or one for each. Rows are in
    the order of the clusters.

    Raises a ValueError for n below 1, for means that are not a table of finite numbers, and for deviations that are
    negative or whose number is not that of the means.

    >>> gaussian_clusters(100)
    Dataset of 100 rows: x0 numeric, x1 numeric -> cluster: 0 50, 1 50
    >>> gaussian_clusters(9, means=[[0], [5], [10]], deviations=[1, 1, 2])
    Dataset of 9 rows: x0 numeric -> cluster: 0 3, 1 3, 2 3
    """
    require_whole_number("n", n, 1, of="rows")
    middles = _checked_means(means)
    scales = _checked_deviations(deviations, len(middles))
    labels = np.sort(np.arange(n) % len(middles))
    noise = generator_of(seed).standard_normal((middles.shape[1], n))
    features = [Feature(f"x{number}", "numeric") for number in range(len(noise))]
    cells = middles.T[:, labels] + noise * scales[labels]
    return Dataset(Schema(features, "cluster", range(len(middles))), cells, labels)


def _checked_means(means: Sequence[Sequence[float]]) -> npt.NDArray[np.float64]:
    try:
        middles = np.asarray(means, dtype=np.float64)
    except (TypeError, ValueError):
        middles = np.array(np.nan)
    if middles.ndim != 2 or not middles.size or not np.isfinite(middles).all():  # noqa: PLR2004  # points by dimensions
        message = f"means must be points of equally many finite numbers, one for each cluster, got {short_repr(means)}."
        raise ValueError(message)
    return middles


def _checked_deviations(deviations: float | Sequence[float], n_clusters: int) -> npt.NDArray[np.float64]:
    try:
        scales = np.broadcast_to(np.asarray(deviations, dtype=np.float64), n_clusters)
    except (TypeError, ValueError):
        scales = np.array(np.nan)
    if not ((scales >= 0) & np.isfinite(scales)).all():
        wanted = f"a finite number of at least 0, or one for each of the {n_clusters} means"
        message = f"deviations must be {wanted}, got {short_repr(deviations)}."
        raise ValueError(message)
    return scales
