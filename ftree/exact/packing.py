"""Rows as bits, 64 a word, for items side by side; and items as bits, for each row. NumPy does it, once for a table.

Rows are sorted into segments; each begins with a word of its own, and the rest of its last word is 0.
"""

from collections.abc import Iterable

import numpy as np

from ftree._lib.arrays import Array
from ftree.exact.kernels.transpose import narrow

# Half of the bits that are still to be transposed, and a word with the lower one of each two such halves.
_HALVES = tuple((width, np.uint64((2**64 - 1) // (2**width + 1))) for width in (32, 16, 8, 4, 2, 1))


def places_of_rows(starts: Array, first: Array) -> Array:
    """The bit of each row (n,), given the first word of each segment, `starts` (S + 1,), and its `first` row (S + 1,)."""
    answer: Array = np.arange(first[-1]) + np.repeat(64 * starts[:-1] - first[:-1], np.diff(first))
    return answer


def bits_of_items(items: Iterable[Array], is_row: Array) -> Array:
    """Bits (W, M) of items, each (64 W,) says which bits have it; those that stand for no row, by `is_row` (64 W,), are 0."""
    kept = _packed(is_row)
    return np.ascontiguousarray(np.array([_packed(item) & kept for item in items]).T)


def rows_of_bits(bits: Array) -> Array:
    """The rows (64 W, V) of bits (W, M), 64 items a word: blocks of 64 x 64 bits are transposed, half by half."""
    n_words, n = bits.shape
    n_blocks = -(-n // 64)
    blocks = np.zeros((n_words, 64 * n_blocks), np.uint64)
    blocks[:, :n] = bits
    for width, low in _HALVES:
        first, second = np.moveaxis(blocks.reshape(n_words, 32 * n_blocks // width, 2, width), 2, 0)
        exchanged = ((first >> np.uint64(width)) ^ second) & low
        second ^= exchanged
        first ^= exchanged << np.uint64(width)
    return np.ascontiguousarray(blocks.reshape(n_words, n_blocks, 64).transpose(0, 2, 1)).reshape(64 * n_words, n_blocks)


def narrowed(rows: Array, starts: Array, mask: Array, n: int) -> tuple[Array, Array, Array]:
    """The bits (W, n) of the rows in a mask without gaps, where their segments start, and the rows themselves."""
    selected, bits, begin = np.empty_like(rows), np.empty((len(mask), n), np.uint64), np.zeros_like(starts)
    narrow(rows, starts, mask, n, begin, selected, np.empty((2, 64), np.uint64), bits)
    n_words = int(begin[-1])
    return bits[:n_words].copy(), begin, selected[: 64 * n_words].copy()


def _packed(flags: Array) -> Array:
    return np.packbits(flags, bitorder="little").view(np.uint64)
