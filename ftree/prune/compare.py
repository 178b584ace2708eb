"""Comparing scores so that no decision depends on rounding errors."""

from math import isclose


def same(one: float, other: float) -> bool:
    """Whether two scores are equal but for rounding.

    >>> same(0.1 + 0.2, 0.3), same(0.3, 0.3000001)
    (True, False)
    """
    return isclose(one, other, rel_tol=1e-10, abs_tol=1e-12)


def at_most(one: float, other: float) -> bool:
    """Whether a score is smaller than another, or equal but for rounding.

    >>> at_most(0.1 + 0.2, 0.3), at_most(0.3000001, 0.3)
    (True, False)
    """
    return one <= other or same(one, other)
