"""Rows as words of items, and items as words of rows: blocks of 64 x 64 bits are transposed.

`rows` (64 W, V) holds 64 items a word, for each of the rows of `bits` (W, M). So rows are selected by copying V words each.
"""

import numpy as np

from ftree._lib.jit import alloc_free, inlined, inlined_section
from ftree.exact.kernels.words import ones_in

_ONE, _ZERO = np.uint64(1), np.uint64(0)
# The distances at which bits are exchanged, and the lower one of each two groups of so many bits.
_SHIFTS = tuple(map(np.uint64, (32, 16, 8, 4, 2, 1)))
_MASKS = tuple(np.uint64((2**64 - 1) // (2 ** int(shift) + 1)) for shift in _SHIFTS)


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


@inlined_section
def transpose(block, other):
    """Transpose a block of 64 words in place; `other` is another one, whose content is lost."""
    for step in range(0, len(_SHIFTS), 2):
        _exchange(block, other, _SHIFTS[step], _MASKS[step])
        _exchange(other, block, _SHIFTS[step + 1], _MASKS[step + 1])


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


@alloc_free
def narrow(rows, starts, mask, n, begin, selected, blocks, bits):
    """The rows in a mask (W,) without gaps in `selected` (64 W, V), their first n items as `bits` (W, n), and their segments.

    `begin` (S + 1,) gets where segments start, and 0 before; `blocks` (2, 64) are overwritten.
    """
    select_rows(rows, starts, mask, selected, begin)
    bits_of_rows(selected, begin[-1], n, blocks[0], blocks[1], bits)
