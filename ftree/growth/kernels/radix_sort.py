"""Sorting by digits (radix sort): a few passes over whole numbers, several times faster than comparing them."""

import numpy as np

from ftree._lib.jit import kernel

# The digits of a number, highest ones first, that passes look at; numbers that are equal in these are compared. The most moves by
# comparison for each number: where these do not suffice, numbers are too close together for this sort.
_DIGITS, _BITS, _MOVES = 3, 11, 8


@kernel
def sort_by_digits(numbers, spare):
    """Sort whole numbers of 64 bits in place, with room for as many; False if too many are alike, which leaves them unsorted."""
    n, count, mask = len(numbers), np.empty(1 << _BITS, np.int64), np.uint64((1 << _BITS) - 1)
    least = most = numbers[0]
    for i in range(n):
        least, most = min(least, numbers[i]), max(most, numbers[i])
    shift, given, sorted_ = np.uint64(0), numbers, spare
    while (most - least) >> shift >> np.uint64(_DIGITS * _BITS):
        shift += np.uint64(1)
    for _ in range(_DIGITS):
        for d in range(len(count)):
            count[d] = 0
        for i in range(n):
            count[((given[i] - least) >> shift) & mask] += 1
        first = np.int64(0)
        for d in range(len(count)):
            count[d], first = first, first + count[d]
        for i in range(n):
            d = ((given[i] - least) >> shift) & mask
            sorted_[count[d]] = given[i]
            count[d] += 1
        given, sorted_, shift = sorted_, given, shift + np.uint64(_BITS)
    moves = 0
    for i in range(n):
        number, j = given[i], i
        while j > 0 and numbers[j - 1] > number and moves <= _MOVES * n:
            numbers[j] = numbers[j - 1]
            j, moves = j - 1, moves + 1
        numbers[j] = number
    return moves <= _MOVES * n
