"""Sorting a column once: keys (a value's rank, the class in the low bits) and rows, in the order of values.

Numbers are sorted with their row packed into the low bits, as whole numbers, several times faster than indirectly;
the few that only their lowest bits tell apart are put in order afterwards.
"""

import numpy as np

from ftree._jit import compiled, leaf


@compiled
def packed(column, bits):
    """Whole numbers in the order of the numbers, but for the lowest bits, which are the row."""
    mask = np.uint64((1 << bits) - 1)
    into = np.empty(len(column), np.uint64)
    numbers = (column + 0.0).view(np.uint64)  # + 0.0 makes -0.0 equal to 0.0
    sign = np.uint64(1) << np.uint64(63)
    for i in range(len(column)):
        u = numbers[i]
        u = ~np.uint64(0) if np.isnan(column[i]) else (~u if u & sign else u | sign)
        into[i] = (u & ~mask) | np.uint64(i)
    return into


@compiled
def unpacked(column, order, bits, rows):
    """Rows in the order of their values, and whether that took few steps."""
    mask = np.uint64((1 << bits) - 1)
    steps = 0
    for i in range(len(order)):
        row = np.int32(order[i] & mask)
        k = i
        while k > 0 and column[row] < column[rows[k - 1]]:
            rows[k] = rows[k - 1]
            k -= 1
            steps += 1
        rows[k] = row
        if steps > 4 * len(order) + 64:
            return False
    return True


@compiled
def ranked(column, rows, classes, shift, keys, values):
    """Keys of sorted rows, the distinct values; answers how many. Missing ones (NaN) have the rank after the last."""
    rank = -1
    for i in range(len(rows)):
        x = column[rows[i]]
        if np.isnan(x):
            for k in range(i, len(rows)):
                keys[k] = ((rank + 1) << shift) | classes[rows[k]]
            break
        if rank < 0 or x != values[rank]:
            rank += 1
            values[rank] = x
        keys[i] = (rank << shift) | classes[rows[i]]
    return rank + 1


@leaf
def put_codes(column, absent, codes, beside):
    """Write a column of codes beside others; missing ones (negative) have the code after the last."""
    for i in range(len(column)):
        codes[i, beside] = absent if column[i] < 0 else column[i]


def sort_column(column: np.ndarray, rows: np.ndarray) -> None:
    """Fill `rows` with the rows in the order of their values, missing ones last."""
    bits = max(len(column).bit_length(), 1)
    keys = packed(column, bits)
    keys.sort()
    if not unpacked(column, keys, bits, rows):
        rows[:] = np.argsort(column)
