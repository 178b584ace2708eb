"""Estimates of a leaf's errors on new cases: C4.5's upper confidence limit and the m-estimate."""

from math import sqrt

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Floats
from ftree.tree.nodes import Counts

# C4.5's table of confidence and normal deviate; it interpolates linearly between rows.
TABLE = ((0.0, 4.0), (0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84), (0.4, 0.25), (1.0, 0.0))


def deviate(confidence: float, z: str) -> float:
    """The normal deviate that is exceeded with a probability of `confidence`.

    >>> round(deviate(0.25, "normal"), 6), round(deviate(0.25, "table"), 6)
    (0.67449, 0.6925)
    """
    if z == "normal":
        from statistics import NormalDist  # noqa: PLC0415  # slow to import, so it is imported on first use

        below = 1 - confidence
        return NormalDist().inv_cdf(below) if below < 1 else -NormalDist().inv_cdf(confidence)
    at = next(number for number, (known, _) in enumerate(TABLE) if known >= confidence)
    (low, upper), (high, lower) = TABLE[at - 1], TABLE[at]
    return upper + (lower - upper) * (confidence - low) / (high - low)


def expected_errors(counts: Counts, confidence: float, z: float) -> float:
    """The upper confidence limit of a leaf's errors.

    >>> round(expected_errors((15, 1), 0.25, deviate(0.25, "normal")), 6)
    2.475715
    """
    n = sum(counts)
    return n - max(counts) + added_errors(n, n - max(counts), confidence, z)


def added_errors(n: float, e: float, confidence: float, z: float) -> float:
    """The upper confidence limit of e errors in n cases, minus e: a binomial limit by the normal approximation."""
    if not n:
        return 0.0
    if e < 1:
        none: float = n * (1 - confidence ** (1 / n))
        return none + e * (added_errors(n, 1, confidence, z) - none) if e else none
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    upper = f + z * z / (2 * n) + z * sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return n * upper / (1 + z * z / n) - e


def expected_error(counts: npt.ArrayLike, m: float, prior: npt.ArrayLike) -> Floats:
    """The m-estimate of the error rate: m cases with the prior's shares are added to the counts; (..., K) to (...).

    >>> round(float(expected_error((15, 1), 2, (0.6, 0.4))), 6)
    0.1
    """
    smoothed = np.asarray(counts) + m * np.asarray(prior)
    total = smoothed.sum(axis=-1)
    error: Floats = np.divide(total - smoothed.max(axis=-1), total, out=np.zeros_like(total), where=total > 0)
    return error
