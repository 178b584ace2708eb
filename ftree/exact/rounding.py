"""The one rule of rounding: numbers become multiples of a power of two, so that sums are exact in any order.

A double has 53 bits. Weights whose sum takes 50 of them, and costs on a grid as fine, add up without another rounding, whatever
the order. So equal trees have equal costs, differences of counts are counts, and C and NumPy agree.
"""

from math import ceil, fsum, log2

import numpy as np

from ftree._lib.arrays import Floats

# Bits of a sum at most: a double is exact, and so is the sum of a few of them.
BITS = 50
# Sums of whole numbers are exact up to this one.
_EXACT = 2.0**53
# Prices are limited to this many times the cost of the whole table, so that no sum is infinite.
_MOST = 2.0**40
# Rounding may change a number by this part of it, or of an equal share of what a single leaf costs.
_LITTLE = 2.0**-23


def whole_units(values: Floats, bits: int) -> tuple[Floats, float]:
    """Numbers from 0 as whole numbers of a unit, so that their sum has so many bits; and the unit, a power of two.

    Whole numbers stay as they are, with the unit 1. No number above 0 becomes 0.

    >>> whole_units(np.array([0.5, 0.25, 1e-9]), 8), whole_units(np.array([3.0, 1.0]), 1)
    ((array([128.,  64.,   1.]), 0.00390625), (array([3., 1.]), 1.0))
    """
    if (values == np.rint(values)).all() and values.sum() <= _EXACT:
        return values, 1.0
    return of_bits(values, bits)


def of_bits(values: Floats, bits: int) -> tuple[Floats, float]:
    """`whole_units`, for whole numbers too."""
    unit = 2.0 ** (ceil(log2(fsum(values))) - bits)
    return np.maximum(np.rint(values / unit), values > 0), unit


def rounded(values: Floats, bits: int) -> Floats:
    """Numbers from 0 as multiples of a power of two, so that their sum has so many bits.

    >>> rounded(np.array([0.5, 0.3]), 3)
    array([0.5  , 0.25])
    """
    whole, unit = whole_units(values, bits)
    return whole * unit


def rounded_factors(factors: Floats, values: Floats) -> Floats:
    """Factors from 0 as multiples of a power of two, so that sums of values times factors have about `BITS` bits.

    >>> rounded_factors(np.array([1.0, 0.3]), np.array([2.0**47, 1.0]))
    array([1.  , 0.25])
    """
    bits = BITS + 1 - bits_of_sum(values)  # one more, since rounding may have raised the sum
    unit = 2.0 ** (ceil(log2(factors.max() or 1.0)) - bits)
    return np.maximum(np.rint(factors / unit), factors > 0) * unit


def bits_of_sum(values: Floats) -> int:
    """The bits of a sum of numbers above 0, in units of the largest power of two of which all are multiples.

    >>> bits_of_sum(np.array([0.5, 3.0]))
    3
    """
    parts, exponents = np.frexp(values)
    whole = (parts * _EXACT).astype(np.int64)
    units = exponents + np.frexp((whole & -whole) / _EXACT)[1] - 1  # the lowest bit of each number
    return ceil(log2(fsum(values))) - int(units.min())


def rounds_little(nearly: Floats, exact: Floats, leaf: float) -> bool:
    """Whether rounding what errors in rows cost lets a proof hold to half a millionth of what a single leaf costs.

    Let d = 2^-23 and L the cost of a single leaf. No row's cost changes by more than d times the greater of itself and L / n, so
    that of a tree T changes by at most d (T + L). If T has the least rounded cost, and another tree costs less, S < T, then
    T - S <= d (T + S + 2 L), and S < L: less than 2^-21 L, but for terms of d^2.

    >>> rounds_little(np.array([1.0, 2.0]), np.array([1.0, 2.1]), 1.0), rounds_little(np.zeros(1), np.array([1e-9]), 1.0)
    (False, True)
    """
    return bool((np.abs(nearly - exact) <= _LITTLE * np.maximum(exact, leaf / len(exact))).all())


def least_sum(least: float, weights: Floats, as_rounded: Floats) -> float:
    """The least sum of rounded weights of a leaf that may have at least so many cases; 0 if every leaf may.

    It is lower by what rounding may take from the sum of some rows. Multiples of a power of two are not rounded, and decide
    exactly.

    >>> least_sum(1.5, np.array([0.5, 1.0]), np.array([0.5, 1.0])), least_sum(0.25, np.array([0.5, 0.25]), np.array([0.5, 0.125]))
    (1.5, 0.0)
    """
    return max(least - 2 * float(np.abs(as_rounded - weights).sum()), 0.0)


def charges_on_grid(worst: float, leaf_penalty: float, prices: Floats, total: float) -> tuple[float, Floats, float]:
    """The penalty of a leaf and the prices of splits (C,), given as shares of a total, as multiples of a step; and the step.

    >>> charges_on_grid(10.0, 0.25, np.array([0.5]), 40.0)[:2]
    (10.0, array([20.]))
    """
    scale = abs(worst) or leaf_penalty * total or 1.0
    step = 2.0 ** (ceil(log2(scale)) + 2 - BITS)
    penalty, charged = (
        np.round(np.minimum(each, _MOST * scale) / step) * step for each in (leaf_penalty * total, total * prices)
    )
    return float(penalty), charged, step
