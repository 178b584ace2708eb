"""The largest value of a squared Bessel bridge in an interval, divided by its variance: the limit of the supLM statistic.

In the time ln(t / (1 - t)), half the square v of such a process in k dimensions has the generator v f'' + (k/2 - v) f', whose
eigenfunctions are Kummer's functions M(-a, k/2, v). The process stays below u with the probability of a sum of exponentials,
whose rates are the numbers a with M(-a, k/2, u) = 0. In long intervals the first of them decides.

Sources: DeLong 1981, Communications in Statistics A10; Estrella 2003, Econometric Theory 19; for the statistic Andrews 1993.
"""

from collections.abc import Iterator
from math import exp, fsum, inf, lgamma, log

from ftree._lib.chi_squared import upper_tail

# Rarer events have their asymptotic probability, with a relative error of some thousandths.
_RARE = log(1e-9)
# The precision of series, of a rate, and of a probability.
_SMALL, _STEP, _NEAR = 2.0**-53, 1e-12, 1e-3
# Rates are at least this far apart, nearly; so many are found, and none whose series has lost its digits.
_APART, _MOST, _LOST = 0.99, 12, 150.0
# A half of the statistic that is smaller, as a share of the span or at all, is exceeded; shorter spans are a point.
_CERTAIN, _SURE, _POINT = 0.01, 1e-3, 1e-3


def log_tail(dof: int, x: float, span: float) -> float:
    """The logarithm of the probability that the statistic exceeds x in an interval of this length in ln(t / (1 - t)).

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
    while n <= rate or abs(by_rate) > _SMALL * abs(all_by_rate) or n * abs(term) > _SMALL * abs(slope):
        factor = u / ((half + n) * (n + 1))
        by_rate, term = (by_rate * (n - rate) - term) * factor, term * (n - rate) * factor
        n += 1
        value, slope, all_by_rate = value + term, slope + n * term, all_by_rate + by_rate
    return value, slope / u, all_by_rate
