"""Random numbers from a seed: the same on every platform."""

import numpy as np

from ftree._lib.fields import require_whole_number


def generator_of(seed: int) -> np.random.Generator:
    """A generator of random numbers. The bit generator is always PCG64, since NumPy may change its default.

    Raises a ValueError for a seed that is not a whole number from 0. NumPy would accept a list, and crash with a deep one.

    >>> generator_of(0).integers(0, 10, 3).tolist()
    [8, 6, 5]
    """
    require_whole_number("seed", seed, 0)
    return np.random.Generator(np.random.PCG64(seed))
