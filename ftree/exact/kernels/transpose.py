"""Rows as words of items, and items as words of rows: blocks of 64 x 64 bits are transposed.

`rows` (64 W, V) holds 64 items a word, for each of the rows of `bits` (W, M). So rows are selected by copying V words each.
"""

import numpy as np

from ftree._lib.jit import inlined, kernel
from ftree.exact.kernels.words import ones_in

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_D32, _D16, _D8, _D4, _D2, _D1 = map(np.uint64, (32, 16, 8, 4, 2, 1))
_M32, _M16, _M8 = np.uint64(0x00000000FFFFFFFF), np.uint64(0x0000FFFF0000FFFF), np.uint64(0x00FF00FF00FF00FF)
_M4, _M2, _M1 = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x3333333333333333), np.uint64(0x5555555555555555)


@inlined
def _exchange(block, other, shift, mask):
    """Exchange the highest bit of the number of a word with one bit of a place in it; the former becomes the lowest bit.

    After six such steps, bits of numbers are in order again. All steps read and write the same places, so they are vectorised.
    """
    low, high = block[:32], block[32:64]
    for word in range(32):
        x, y = low[word], high[word]
        other[2 * word] = (x & mask) | ((y & mask) << shift)
        other[2 * word + 1] = ((x >> shift) & mask) | (y & ~mask)


@inlined
def transpose(block, other):
    """Transpose a block of 64 words in place; `other` is another one, whose content is lost."""
    _exchange(block, other, _D32, _M32)
    _exchange(other, block, _D16, _M16)
    _exchange(block, other, _D8, _M8)
    _exchange(other, block, _D4, _M4)
    _exchange(block, other, _D2, _M2)
    _exchange(other, block, _D1, _M1)


@inlined
def bits_of_rows(rows, n_words, n, block, other, bits):
    """The first n items of rows as bits, for the first words; `block` and `other` (64,) are room for the kernel."""
    for word in range(n_words):
        for first in range(0, n, 64):
            for row in range(64):
                block[row] = rows[64 * word + row, first // 64]
            transpose(block, other)
            items = bits[word, first:n]
            for i in range(min(64, len(items))):
                items[i] = block[i]


@inlined
def select_rows(rows, starts, mask, selected, begin):
    """Copy the rows in a mask (W,) without gaps, with 0 after a segment's last row; `begin` gets where segments start."""
    for s in range(len(starts) - 1):
        to = 64 * begin[s]
        for word in range(starts[s], starts[s + 1]):
            left = mask[word]
            while left != _ZERO:
                others = left & (left - _ONE)
                row = 64 * word + np.int64(ones_in((left ^ others) - _ONE))
                for v in range(rows.shape[1]):
                    selected[to, v] = rows[row, v]
                to, left = to + 1, others
        begin[s + 1] = (to + 63) // 64
        for row in range(to, 64 * begin[s + 1]):
            for v in range(rows.shape[1]):
                selected[row, v] = _ZERO


@kernel
def narrowed(rows, starts, mask, n):
    """The bits (W, n) of the rows in a mask without gaps, where their segments start, and the rows themselves."""
    n_words, begin = 0, np.zeros(len(starts), np.int64)
    for s in range(len(starts) - 1):
        chosen = _ZERO
        for word in range(starts[s], starts[s + 1]):
            chosen += ones_in(mask[word])
        n_words += (np.int64(chosen) + 63) // 64
    selected = np.empty((64 * n_words, rows.shape[1]), np.uint64)
    select_rows(rows, starts, mask, selected, begin)
    bits = np.empty((n_words, n), np.uint64)
    bits_of_rows(selected, n_words, n, np.empty(64, np.uint64), np.empty(64, np.uint64), bits)
    return bits, begin, selected
