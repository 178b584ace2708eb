"""Random numbers that depend only on a seed and a node: same seed, same tree, whatever the engine.

A node's key is made from the path to it, so that draws at a node do not depend on other nodes.
"""

import numpy as np

from ftree._lib.arrays import Array

# The mixing constants of SplitMix64 (Steele, Lea & Flood 2014).
_STEP, _FIRST, _SECOND = (np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def mixed(number: Array) -> Array:
    """Hash 64-bit numbers, as SplitMix64 does.

    >>> int(mixed(np.array([0], dtype=np.uint64))[0]) == 0xE220A8397B1DCDAF
    True
    """
    z = number + _STEP
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


def child_keys(keys: Array, numbers: Array) -> Array:
    """Keys of children, from the keys of their parents and the child numbers."""
    return mixed(keys ^ mixed(numbers.astype(np.uint64)))


def uniform(seed: int, key: Array, feature: Array) -> Array:
    """A random number for each node and feature, at least 0 and below 1.

    >>> uniform(1, np.zeros(2, dtype=np.uint64), np.array([0, 1])).round(3).tolist()
    [0.403, 0.396]
    """
    start = mixed(np.array([seed % 2**64], dtype=np.uint64))
    drawn = mixed(mixed(start ^ key) ^ mixed(feature.astype(np.uint64)))
    return (drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53
