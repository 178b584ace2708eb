"""Numbers of arrangements, computed in whole numbers: as floats, the terms are too large for an exact difference."""

from math import comb


def n_surjections(values: int, groups: int) -> int:
    """Number of ways to give each value a group so that no group is empty, by inclusion and exclusion.

    It is g! S(v, g) with Stirling numbers of the second kind.

    >>> n_surjections(4, 2)
    14
    """
    return sum((-1) ** empty * comb(groups, empty) * (groups - empty) ** values for empty in range(groups))
