"""Rows as bits: counts of rows that have two or three items, by class.

An item is a set of rows, such as those that a candidate split sends to one child. `bits` (W, M) holds 64 rows a word, for M
items side by side, so that a loop over items is a loop over neighbours. Rows are sorted into segments of one class and weight,
from word `starts[s]` to `starts[s + 1]`; the rest of a segment's last word is 0.
"""

import numpy as np

from ftree._lib.jit import inlined, kernel

_ONES, _TWOS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES, _S1, _S2, _S4, _S56 = np.uint64(0x0101010101010101), np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_LAST, _ZERO = np.uint64(63), np.uint64(0)
# Words that are compared at once.
_BLOCK = 64


@inlined
def ones_in(word):
    """The number of ones in 64 bits; the compiler recognises the pattern and emits one instruction."""
    word = word - ((word >> _S1) & _ONES)
    word = (word & _TWOS) + ((word >> _S2) & _TWOS)
    word = (word + (word >> _S4)) & _FOURS
    return (word * _BYTES) >> _S56


@kernel
def rows_as_bits(items, starts, first):
    """Bits (W, M) of items (M, n), whose rows are sorted by segment; `first` (S + 1,) is the first row of each segment."""
    bits = np.zeros((starts[-1], items.shape[0]), np.uint64)
    for s in range(len(starts) - 1):
        for row in range(first[s], first[s + 1]):
            word, shift = starts[s] + (row - first[s]) // 64, np.uint64((row - first[s]) % 64)
            for i in range(items.shape[0]):
                bits[word, i] |= np.uint64(items[i, row]) << shift
    return bits


@kernel
def narrowed(bits, starts, mask):
    """The bits of the rows in a mask (W,), without gaps, and where their segments start."""
    begin = np.zeros(len(starts), np.int64)
    for s in range(len(starts) - 1):
        rows = _ZERO
        for word in range(starts[s], starts[s + 1]):
            rows += ones_in(mask[word])
        begin[s + 1] = begin[s] + (np.int64(rows) + 63) // 64
    narrow = np.zeros((begin[-1], bits.shape[1]), np.uint64)
    for s in range(len(starts) - 1):
        row = 0
        for word in range(starts[s], starts[s + 1]):
            left = mask[word]
            shift = _ZERO
            while left != _ZERO:
                if left & _S1:
                    place, to = begin[s] + row // 64, np.uint64(row % 64)
                    for i in range(bits.shape[1]):
                        narrow[place, i] |= ((bits[word, i] >> shift) & _S1) << to
                    row += 1
                left >>= _S1
                shift += _S1
    return narrow, begin


@inlined
def add_common(bits, starts, both, first, of_class, weight, found, counts):
    """Add to `counts` (K, M) the rows in `both` (W,) that have each of the first M items, from `first` on."""
    # Slices, since an index that could be negative would keep loops from being vectorised.
    n = counts.shape[1]
    own = found[first:n]
    for s in range(len(starts) - 1):
        for i in range(len(own)):
            own[i] = _ZERO
        some = False
        for word in range(starts[s], starts[s + 1]):
            mask = both[word]
            if mask != _ZERO:
                some = True
                items = bits[word, first:n]
                for i in range(len(own)):
                    own[i] += ones_in(mask & items[i])
        if some:
            sums, times = counts[of_class[s], first:n], weight[s]
            for i in range(len(own)):
                sums[i] += times * np.int64(own[i])


@kernel
def item_counts(bits, starts, of_class, weight, both, counts):
    """Add to `counts` (K, M) the rows in `both` (W,) that have each of the first M items."""
    add_common(bits, starts, both, 0, of_class, weight, np.zeros(counts.shape[1], np.uint64), counts)


@kernel
def pair_counts(bits, starts, of_class, weight, pairs):
    """Counts (K, M, M) of the rows that have two items, the second not before the first."""
    n = pairs.shape[1]
    found, both = np.zeros(n, np.uint64), np.zeros(bits.shape[0], np.uint64)
    for i in range(n):
        for word in range(bits.shape[0]):
            both[word] = bits[word, i]
        add_common(bits, starts, both, i, of_class, weight, found, pairs[:, i, :])


@kernel
def triple_counts(bits, starts, of_class, weight, pairs, triples):
    """Counts (M, K, M, M) of the rows that have three items: for each item the pairs, the second not before the first."""
    n_classes, n = pairs.shape[:2]
    found, both = np.zeros(n, np.uint64), np.zeros(bits.shape[0], np.uint64)
    block = np.zeros((n_classes, n, n), pairs.dtype)
    for a in range(n):
        for i in range(a + 1, n):
            some = False
            for k in range(n_classes):
                some |= pairs[k, a, i] > 0
            block[:, i, i + 1 :] = 0
            if some:
                for word in range(bits.shape[0]):
                    both[word] = bits[word, a] & bits[word, i]
                add_common(bits, starts, both, i + 1, of_class, weight, found, block[:, i, :])
        _store(triples, block, pairs, a)


@inlined
def _store(triples, block, pairs, a):
    """Store the counts (K, M, M) with item a and two later ones for each of the three, in the order of addresses."""
    n = block.shape[1]
    for k in range(len(block)):
        for i in range(a + 1, n):
            for j in range(i + 1, n):
                triples[a, k, i, j] = triples[i, k, a, j] = block[k, i, j]
        for j in range(a + 2, n):
            for i in range(a + 1, j):
                triples[j, k, a, i] = block[k, i, j]
        for i in range(n):
            joint = pairs[k, min(a, i), max(a, i)]
            triples[a, k, i, i] = joint
            triples[a, k, min(a, i), max(a, i)] = joint


@kernel
def most_of_others(masks, totals, least, weight, starts, class_weights, mask, total, best):
    """The highest lower bound above `best` on the cost of the rows in a mask (W,), and the row set that it comes from, or -1.

    On another row set, in `masks` (N, W), a tree costs at most the weight of the rows outside the mask more than on the mask.
    `least` (N,) are lower bounds on the costs of the other row sets, and `totals` (N, K) are their class counts.
    """
    chosen = -1
    for each in range(len(least)):
        more = 0.0
        for k in range(len(total)):
            more += class_weights[k] * max(totals[each, k] - total[k], 0)
        if least[each] - more <= best:
            continue
        own, lost = masks[each], 0.0
        for s in range(len(weight)):
            for first in range(starts[s], starts[s + 1], _BLOCK):
                found = _ZERO
                for word in range(first, min(first + _BLOCK, starts[s + 1])):
                    found += ones_in(own[word] & ~mask[word])
                lost += weight[s] * np.int64(found)
                if least[each] - lost <= best:
                    break
            if least[each] - lost <= best:
                break
        if least[each] - lost > best:
            best, chosen = least[each] - lost, each
    return best, chosen
