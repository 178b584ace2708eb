"""Rows that a tree cannot tell apart, such as rows without any known value: one of them is routed for all."""

from collections.abc import Sequence

import numpy as np

from ftree._lib.arrays import Array, distinct

# From this many steps of rows through nodes on, it pays to check whether rows are equal.
MANY_STEPS = 1 << 22
# Rows that are compared first: if most of them differ, so do the others.
_SAMPLE = 256


def alike(columns: Sequence[Array]) -> tuple[Array, Array] | None:
    """One row for each group of equal rows, and for each row the number of its group; None if most rows differ.

    `columns` are one or more of equal length; missing values count as equal.

    >>> rows, which = alike([np.array([1.0, np.nan, np.nan, 1.0])])
    >>> rows.tolist(), which.tolist()
    ([3, 2], [0, 1, 1, 0])
    >>> alike([np.array([1.0, 2.0, 3.0, 3.0])])
    """
    n = len(columns[0])
    some = [column[:: max(1, n // _SAMPLE)] for column in columns]
    return _grouped(columns) if 2 * len(_grouped(some)[0]) <= len(some[0]) else None


def _grouped(columns: Sequence[Array]) -> tuple[Array, Array]:
    key = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        values, code = np.unique(column, return_inverse=True)
        key = np.unique(key * len(values) + code, return_inverse=True)[1]
    return distinct(key)
