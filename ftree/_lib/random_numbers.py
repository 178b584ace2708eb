"""Random numbers: a generator of a seed, and draws that depend only on a seed and a node, whatever the engine.

A node's key is made from the path to it, so that draws at a node do not depend on other nodes.
"""

from zlib import crc32

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.fields import require_whole_number


def generator_of(seed: int) -> np.random.Generator:
    """A generator of random numbers. The bit generator is always PCG64, since NumPy may change its default.

    Raises a ValueError for a seed that is not a whole number from 0. NumPy would accept a list, and crash with a deep one.

    >>> generator_of(0).integers(0, 10, 3).tolist()
    [8, 6, 5]
    """
    require_whole_number("seed", seed, 0)
    return np.random.Generator(np.random.PCG64(seed))


def uniform_draws(part: object, seed: int, key: Array, feature: Array, place: tuple[int, ...] = ()) -> Array:
    """A random number for each node and feature, at least 0 and below 1, from the stream of a part at its place in a policy.

    So all parts of a policy draw independently of each other by one seed.

    >>> uniform_draws("a text", 1, np.zeros(2, dtype=np.uint64), np.array([0, 1])).round(3).tolist()
    [0.778, 0.872]
    """
    drawn = hashed(hashed(stream_of(part, seed, place) ^ key) ^ hashed(feature.astype(np.uint64)))
    return (drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53


def stream_of(part: object, seed: int, place: tuple[int, ...] = ()) -> Array:
    """The number (1,) from which the draws of a part start: that of its type, its seed and its place.

    A place has the part's number among the splitters of the policy, then that among the parts of this splitter, and so on.

    Raises a ValueError for a seed that is not a whole number from 0.
    """
    require_whole_number("seed", seed, 0)
    stream = crc32(" ".join([type(part).__name__, *map(str, place)]).encode())
    return hashed(hashed(np.array([int(seed) % 2**64], dtype=np.uint64)) ^ np.uint64(stream))


def child_keys(keys: Array, numbers: Array) -> Array:
    """Keys of children, from the keys of their parents and the child numbers."""
    return hashed(keys ^ hashed(numbers.astype(np.uint64)))


# The mixing constants of SplitMix64 (Steele, Lea & Flood 2014).
_STEP, _FIRST, _SECOND = (np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def hashed(number: Array) -> Array:
    """Hash 64-bit numbers, as SplitMix64 does.

    >>> int(hashed(np.array([0], dtype=np.uint64))[0]) == 0xE220A8397B1DCDAF
    True
    """
    z = number + _STEP
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))
