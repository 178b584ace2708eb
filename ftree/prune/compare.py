"""Comparisons of scores that do not depend on rounding errors."""

from math import isclose

import numpy as np

from ftree._lib.arrays import Array, Floats

# Scores are equal if they differ by at most this share of the larger one, or, near 0, by at most this amount.
_RELATIVE, _ABSOLUTE = 1e-10, 1e-12


def same(one: float, other: float) -> bool:
    """Whether two scores are equal except for rounding.

    >>> same(0.1 + 0.2, 0.3), same(0.3, 0.3000001)
    (True, False)
    """
    return isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def at_most(one: float, other: float) -> bool:
    """Whether a score is smaller than another, or equal except for rounding.

    >>> at_most(0.1 + 0.2, 0.3), at_most(0.3000001, 0.3)
    (True, False)
    """
    return one <= other or same(one, other)


def at_most_each(ones: Floats, others: Floats) -> Array:
    """`at_most` for each pair of two arrays (n,).

    >>> at_most_each(np.array([0.1 + 0.2, 0.3000001]), np.array([0.3, 0.3])).tolist()
    [True, False]
    """
    near = np.maximum(_RELATIVE * np.maximum(abs(ones), abs(others)), _ABSOLUTE)
    answer: Array = ones - others <= near
    return answer
