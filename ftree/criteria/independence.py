"""Tests of independence between split and class: Pearson's statistic, degrees of freedom, p-values."""

from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Array, Floats

# Smaller p-values underflow, so their logarithms are computed by a continued fraction.
_TINY = 1e-280
# Number of terms of the continued fraction.
_TERMS = 10


def pearson_terms(observed: Array, shares: Array) -> Array:
    """The terms (O - E)^2 / E of Pearson's statistic, 0 where E is 0; shape (..., V, K) kept.

    `observed` are the children's counts, `shares` the class distribution of their parent, (..., 1, K) or (..., V, K).

    >>> pearson_terms(np.array([[4, 0], [0, 4]]), np.array([0.5, 0.5])).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    expected = observed.sum(axis=-1, keepdims=True) * shares
    terms: Array = np.divide((observed - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    return terms


def degrees_of_freedom(n_children: Any, n_classes: Any) -> Any:
    """Degrees of freedom of a table from the numbers of children and of classes that have cases.

    >>> int(degrees_of_freedom(3, 2)), int(degrees_of_freedom(0, 2))
    (2, 0)
    """
    return np.maximum(n_children - 1, 0) * np.maximum(n_classes - 1, 0)


def p_value(statistic: Any, dof: Any) -> Any:
    """Probability that chi-squared is at least as large as the statistic; 1 without a degree of freedom.

    >>> round(float(p_value(3.841459, 1)), 6)
    0.05
    """
    from scipy.special import chdtrc  # noqa: PLC0415  # loaded when a test is computed, not by `import ftree`

    return np.where(np.asarray(dof) > 0, chdtrc(dof, statistic), 1.0)


def minus_log10_p(statistic: npt.ArrayLike, dof: npt.ArrayLike) -> Floats:
    """-log10 of the p-value of chi-squared statistics; 0 without a degree of freedom.

    >>> round(float(minus_log10_p(3.841459, 1)), 6)
    1.30103
    """
    p, positive_dof = np.asarray(p_value(statistic, dof)), np.maximum(dof, 1)
    tiny = p < _TINY
    log_p = np.log(np.where(tiny, 1.0, p))
    if tiny.any():
        log_p = np.where(tiny, _log_far_tail(positive_dof / 2, np.where(tiny, statistic, positive_dof) / 2), log_p)
    digits: Floats = np.abs(log_p / log(10))
    return digits


def _log_far_tail(a: Any, x: Any) -> Any:
    """The log of Q(a, x) by Legendre's continued fraction (Abramowitz & Stegun 6.5.31), which needs few terms if x >> a."""
    from scipy.special import gammaln  # noqa: PLC0415  # as above

    fraction = x + 2 * _TERMS + 1 - a
    for n in range(_TERMS, 0, -1):
        fraction = x + 2 * n - 1 - a - n * (n - a) / fraction
    # The fraction may be negative where x is not far from a; the caller does not use it there.
    return a * np.log(x) - x - gammaln(a) - np.log(np.abs(fraction))
