"""Tails of two distributions, so that the core needs no library of distributions: chi-squared, and a squared Bessel bridge.

A tail of chi-squared with whole degrees of freedom is a finite sum, or one minus a series of positive terms, whichever has the
smaller terms (Abramowitz & Stegun 26.4.4 to 26.4.6).

The largest value of a squared Bessel bridge in an interval, divided by its variance, is the limit of the supLM statistic. In the
time ln(t / (1 - t)), half the square v of such a process in k dimensions has the generator v f'' + (k/2 - v) f', whose
eigenfunctions are Kummer's functions M(-a, k/2, v). The process stays below u with the probability of a sum of exponentials,
whose rates are the numbers a with M(-a, k/2, u) = 0. In long intervals the first of them decides. Sources: DeLong 1981,
Communications in Statistics A10; Estrella 2003, Econometric Theory 19; for the statistic Andrews 1993.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import erfc, exp, fsum, inf, isinf, lgamma, log, log1p, sqrt, tau

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


# The largest value of a squared Bessel bridge

# Rarer events have their asymptotic probability, with a relative error of some thousandths.
_RARE = log(1e-9)
# The precision of series, of a rate, and of a probability.
_SERIES, _STEP, _NEAR = 2.0**-53, 1e-12, 1e-3
# Rates are at least this far apart, nearly; so many are found, and none whose series has lost its digits.
_APART, _MOST, _LOST = 0.99, 12, 150.0
# A half of the statistic that is smaller, as a share of the span or at all, is exceeded; shorter spans are a point.
_CERTAIN, _SURE, _POINT = 0.01, 1e-3, 1e-3


def log_tail(dof: int, x: float, span: float) -> float:
    """The logarithm of the probability that the bridge's statistic exceeds x in an interval of this length in ln(t / (1 - t)).

    >>> round(exp(log_tail(1, 8.85, 2 * log(0.85 / 0.15))), 4)  # Andrews 1993: 0.05
    0.0503
    """
    half, u = dof / 2, x / 2
    if u <= max(span * _CERTAIN, _SURE):
        return 0.0
    density = half * log(u) - u - lgamma(half)
    rare = density + log(max(span * (1 - half / u) + 2 / u, 2 / u))
    if u > half and rare < _RARE:
        return rare
    if span < _POINT:
        return log(float(upper_tail(dof, x)))
    inside, shares, stays = 1 - float(upper_tail(dof, x)), list[float](), list[float]()
    terms = _terms(half, u, density)
    while True:
        rate, share = next(terms)
        shares.append(share)
        stays.append(share * exp(-rate * span))
        rest = (inside - fsum(shares)) * exp(-(rate + _APART) * span)  # as if it all left with the next rate
        if rest <= _NEAR * (1 - fsum(stays)) or rate * u > _LOST or len(shares) == _MOST:
            break
    leaves = 1 - fsum([*stays, rest])
    return log(leaves) if leaves > 0 else rare


def _terms(half: float, u: float, density: float) -> Iterator[tuple[float, float]]:
    """The rates in order, and the share of the stationary process that leaves with each.

    By Newton's method for the function without its zeros so far, which is convex up to its next zero.
    """
    rates = list[float]()
    while True:
        rate, step, slope, by_rate = (rates[-1] + _APART / 100 if rates else 0.0), inf, 0.0, 0.0
        while step > _STEP * rate:
            value, slope, by_rate = _kummer(rate, half, u)
            step = -1 / (by_rate / value + sum(1 / (known - rate) for known in rates)) if value else 0.0
            rate += step
        rates.append(rate)
        yield rate, exp(density) * slope / (rate * rate * by_rate)


def _kummer(rate: float, half: float, u: float) -> tuple[float, float, float]:
    """M(-rate, half, u), and its derivatives with respect to u and to the rate."""
    term, by_rate, n = 1.0, 0.0, 0
    value, slope, all_by_rate = 1.0, 0.0, 0.0
    while n <= rate or abs(by_rate) > _SERIES * abs(all_by_rate) or n * abs(term) > _SERIES * abs(slope):
        factor = u / ((half + n) * (n + 1))
        by_rate, term = (by_rate * (n - rate) - term) * factor, term * (n - rate) * factor
        n += 1
        value, slope, all_by_rate = value + term, slope + n * term, all_by_rate + by_rate
    return value, slope / u, all_by_rate
