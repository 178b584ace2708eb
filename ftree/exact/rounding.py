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
