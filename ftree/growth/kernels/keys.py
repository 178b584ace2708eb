"""A key is all that a search needs to know of an entry of a sorted feature, in one whole number.

From the highest bits down: the entry's number; whether its value is another than that of the key before; whether it is
missing; the class. Which value it is can be asked of the table, by the row that the entry is. `shift` is how many bits
stand below the number.
"""

import numpy as np

from ftree._lib.jit import alloc_free

# Bits between class and number, and those that a small key has.
FLAGS = 2
_BITS = 31


@alloc_free
def bits_of(shift):
    """The bits of the class, of a value that is another than the one before (fresh), and of a missing one (gone)."""
    gone = 1 << (shift - FLAGS)
    return gone - 1, 2 * gone, gone


def most_entries(dtype: np.dtype[np.signedinteger], shift: int) -> int:
    """How many entries keys of a type can number."""
    return 1 << (_BITS if dtype == np.int32 else 2 * _BITS) >> shift


def key_type(n: int, shift: int) -> np.dtype[np.signedinteger]:
    """The smaller type whose keys can number n entries."""
    small = np.dtype(np.int32)
    return small if n <= most_entries(small, shift) else np.dtype(np.int64)
