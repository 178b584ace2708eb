"""How split types find children: codes in tables, and sums of columns."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import missing_cells
from ftree.tree.splits.protocol import UNKNOWN, Integers


def weighted_sum(weights: Iterable[float], values: Iterable[Any]) -> Any:
    """The sum of values, or of columns, times their weights, summed from left to right.

    Every part of the library adds up in this order: another order rounds differently, and could send a case at the threshold
    to the other child.

    >>> weighted_sum((1.0, -0.5), (3.0, 2.0))
    2.0
    """
    # A sum too large for a float becomes infinite or NaN; NaN is not above any threshold.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        # Not `sum`: from Python 3.12 on it compensates for rounding in sums of numbers, but not in sums of columns.
        return reduce(add, (weight * value for weight, value in zip(weights, values, strict=True)))


def child_of_code(codes: Sequence[int], children: Sequence[int], column: npt.NDArray[Any]) -> Integers:
    """The child of each row's code; -1 where the code is missing or not listed.

    >>> child_of_code((0, 2), (0, 1), np.array([0, 1, 2, -1, 7])).tolist()
    [0, -1, 1, -1, -1]
    """
    return _looked_up(codes, children, UNKNOWN, _as_codes(column))


def child_by_membership(members: Sequence[int], column: npt.NDArray[Any]) -> Integers:
    """Child 0 for the codes that are members, 1 for other known ones; -1 where the value is missing.

    >>> child_by_membership((0, 2), np.array([0, 1, 2, -1, 7])).tolist()
    [0, 1, 0, -1, 1]
    """
    codes = _as_codes(column)
    return np.where(codes == UNKNOWN, UNKNOWN, _looked_up(members, (0,) * len(members), 1, codes))


def _as_codes(column: npt.NDArray[Any]) -> Integers:
    return np.where(missing_cells(column), np.intp(UNKNOWN), column).astype(np.intp)


def _looked_up(codes: Sequence[int], children: Sequence[int], other_child: int, column: Integers) -> Integers:
    """The child of each code, from a table; its last cell is for missing values and for codes above the largest listed one."""
    beyond = max(codes) + 1
    table = np.full(beyond + 1, other_child, dtype=np.intp)
    table[list(codes)] = children
    return table[np.where((column < 0) | (column > beyond), beyond, column)]
