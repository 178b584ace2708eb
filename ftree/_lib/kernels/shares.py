"""Weights divided among children: the compiled twin of `ftree.routing.shares.divide_weights`.

Growth and prediction divide with the same arithmetic, so that they agree to the last bit.
"""

import numpy as np

from ftree._lib.jit import inlined


@inlined
def sum_and_first_largest(sizes, first, n):
    """The sum of n sizes from `first` on, and the index of the first largest of them."""
    total, largest = 0.0, 0
    for v in range(n):
        total += sizes[first + v]
        if sizes[first + v] > sizes[first + largest]:
            largest = v
    return total, largest


@inlined
def share_on_grid(weight, proportion, step):
    """A proportion of a weight, rounded down to a multiple of `step`; the first largest child gets the remainder."""
    return np.floor(weight * proportion / step) * step
