"""Counting arrangements in whole numbers: as floats, the terms would be too large, and their difference wrong."""

from math import comb


def n_surjections(values: int, groups: int) -> int:
    """Number of ways to give each value a group so that no group stays empty: g! S(v, g), S being Stirling's second kind.

    By inclusion and exclusion.

    >>> n_surjections(4, 2)
    14
    """
    return sum((-1) ** empty * comb(groups, empty) * (groups - empty) ** values for empty in range(groups))
