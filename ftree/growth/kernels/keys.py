"""A key packs row number, new-value flag, missing flag and class into one integer.

From the highest bits down: the entry's number; whether its value differs from that of the previous key (fresh); whether it is
missing (gone); the class. The value itself is in the table, in the row of the entry. `shift` is the number of bits
below the entry's number.
"""

import numpy as np

from ftree._lib.jit import alloc_free

# Bits between class and number, and the bits of a small key.
FLAGS = 2
_BITS = 31


@alloc_free
def bits_of(shift):
    """Masks of the class, of the new-value flag (fresh) and of the missing flag (gone)."""
    gone = 1 << (shift - FLAGS)
    return gone - 1, 2 * gone, gone


def most_entries(dtype: np.dtype[np.signedinteger], shift: int) -> int:
    """The number of entries that keys of a type can number."""
    return 1 << (_BITS if dtype == np.int32 else 2 * _BITS) >> shift


def key_type(n: int, shift: int) -> np.dtype[np.signedinteger]:
    """The smaller type whose keys can number n entries."""
    small = np.dtype(np.int32)
    return small if n <= most_entries(small, shift) else np.dtype(np.int64)
