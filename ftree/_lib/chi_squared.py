"""The chi-squared distribution with whole degrees of freedom: its upper tail, and the number that leaves a given tail.

A tail is a finite sum, or one minus a series of positive terms, whichever has the smaller terms (Abramowitz & Stegun 26.4.4 to
26.4.6). So that the core needs no library of distributions.
"""

from functools import lru_cache
from math import erfc, exp, inf, isinf, lgamma, log, log1p, sqrt, tau

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Floats

# A term that is so much smaller than its sum changes nothing.
_SMALL = 2.0**-54
# From this half number of degrees of freedom on, two terms of Stirling's series are exact.
_MANY = 200.0


def upper_tail(dof: npt.ArrayLike, x: npt.ArrayLike) -> Floats:
    """The probability that chi-squared exceeds x, for each of two arrays that broadcast; 1 without a degree of freedom.

    >>> upper_tail([1, 2, 0], [3.841459, 0.0, 5.0]).round(6).tolist()
    [0.05, 1.0, 1.0]
    """
    degrees, numbers = np.broadcast_arrays(dof, np.asarray(x, np.float64))
    half, tails = numbers / 2, np.ones(numbers.shape)
    for n in (1, 2):  # most of many: one term each
        some = (degrees == n) & ~(half <= 0)
        tails[some] = list(map(erfc, np.sqrt(half[some]).tolist()) if n == 1 else map(exp, (-half[some]).tolist()))
    others = degrees > 2  # noqa: PLR2004  # as above
    tails[others] = list(map(_tail, degrees[others].tolist(), numbers[others].tolist()))
    return tails


def log_gamma(x: npt.ArrayLike) -> Floats:
    """The logarithm of the gamma function of each number."""
    numbers = np.asarray(x, np.float64)
    return np.array(list(map(lgamma, numbers.ravel().tolist())), np.float64).reshape(numbers.shape)


def critical(dof: npt.ArrayLike, alpha: float) -> Floats:
    """For each number of degrees of freedom the x that chi-squared exceeds with the probability alpha; 0 without one.

    >>> critical([1, 2, 0], 0.05).round(6).tolist()
    [3.841459, 5.991465, 0.0]
    """
    degrees = np.asarray(dof)
    found: Floats = np.array([_critical(each, alpha) for each in degrees.ravel().tolist()], np.float64).reshape(degrees.shape)
    return found


def _tail(dof: int, x: float) -> float:
    if dof <= 0 or x / 2 <= 0:
        return 1.0
    if isinf(x) or x != x:  # noqa: PLR0124  # NaN is not equal to itself
        return 0.0 if isinf(x) else x
    if dof <= 2:  # noqa: PLR2004  # one term
        return erfc(sqrt(x / 2)) if dof == 1 else exp(-x / 2)
    a, half = dof / 2, x / 2
    log_term = _log_term(a, half)
    if half < a + 1:
        return max(0.0, 1.0 - exp(log_term) * _rising(a, half))
    rest = erfc(sqrt(half)) if dof % 2 else 0.0
    return exp(log_term - log(half)) * _falling(a, half) + rest


def _log_term(a: float, half: float) -> float:
    """The log of h^a e^-h / gamma(a); for large numbers that are near each other by Stirling's series."""
    if a < _MANY or half < a / 2:
        return a * log(half) - half - lgamma(a)
    more = (half - a) / a
    return a * (log1p(more) - more) + log(a / tau) / 2 - 1 / (12 * a) + 1 / (360 * a**3)


def _rising(a: float, half: float) -> float:
    """1/a + h/(a (a + 1)) + ..., until terms are negligible."""
    term = total = 1 / a
    while term > _SMALL * total:
        a += 1
        term *= half / a
        total += term
    return total


def _falling(a: float, half: float) -> float:
    """1 + (a - 1)/h + (a - 1)(a - 2)/h^2 + ..., down to 1 or 3/2, or until terms are negligible."""
    term = total = 1.0
    while a > 1.5 and term > _SMALL * total:  # noqa: PLR2004  # the last factor is 1 or 1/2
        a -= 1
        term *= a / half
        total += term
    return total


@lru_cache(maxsize=1024)
def _critical(dof: int, alpha: float) -> float:
    if dof <= 0 or not 0 < alpha < 1:
        return inf if dof > 0 and alpha <= 0 else 0.0
    low, high = 0.0, float(max(dof, 1))
    while _tail(dof, high) > alpha:
        low, high = high, 2 * high
    while low < (middle := low / 2 + high / 2) < high:
        low, high = (middle, high) if _tail(dof, middle) > alpha else (low, middle)
    return high
