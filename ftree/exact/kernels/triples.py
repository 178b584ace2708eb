"""Counts of rows that have three items: `triples` (M, K, M, M + 16) by the last item, the class, and the two items before it.

Places that are not before the last item are 0, so that a loop may read some of them and needs no rest.
"""

import numpy as np

from ftree._lib.jit import alloc_free, inlined, inlined_section
from ftree.exact.kernels.transpose import bits_of_rows, select_rows
from ftree.exact.kernels.words import ones_in

_ZERO = np.uint64(0)
# Rows with an item are selected before they are counted, if they take at most one in this many words.
_FEW = 3


@alloc_free
def triple_counts(bits, starts, rows, of_class, weight, first, end, room, triples):
    """Count the rows with each item from `first` to `end` and two earlier ones; `room` are arrays that are overwritten."""
    narrow, begin, selected, both, blocks = room
    for a in range(first, end):
        for word in range(len(bits)):
            both[word] = bits[word, a]
        given, segments = bits, starts
        if _words_with(both, starts) * _FEW <= len(bits):
            select_rows(rows, starts, both, selected, begin)
            bits_of_rows(selected, begin[-1], a + 1, blocks[0], blocks[1], narrow)
            given, segments = narrow, begin
        _pairs_before(given, segments, of_class, weight, a, both, triples[a])


@inlined_section
def _words_with(mask, starts):
    """The number of words that the rows in a mask take without gaps."""
    words = 0
    for s in range(len(starts) - 1):
        rows = _ZERO
        for word in range(starts[s], starts[s + 1]):
            rows += ones_in(mask[word])
        words += (np.int64(rows) + 63) // 64
    return words


@inlined_section
def _pairs_before(bits, starts, of_class, weight, a, both, counts):
    """The counts (K, M, M + 16) of rows with item a and two earlier ones."""
    for i in range(a - 1):
        for k in range(len(counts)):
            own = counts[k, i, i + 1 : a]
            for j in range(len(own)):
                own[j] = 0
        for word in range(starts[-1]):
            both[word] = bits[word, a] & bits[word, i]
        for s in range(len(starts) - 1):
            for word in range(starts[s], starts[s + 1], 4):
                _add_four(bits, both, word, starts[s + 1], i + 1, a, weight[s], counts[of_class[s], i])


@inlined
def _add_four(bits, both, word, end, first, last, times, counts):
    """Add the rows of four words: so counts are read and written less often."""
    second, third, fourth = min(word + 1, end - 1), min(word + 2, end - 1), min(word + 3, end - 1)
    m1 = both[word]
    m2 = both[second] if word + 1 < end else _ZERO
    m3 = both[third] if word + 2 < end else _ZERO
    m4 = both[fourth] if word + 3 < end else _ZERO
    if m1 | m2 | m3 | m4 == _ZERO:
        return
    # Slices, since an index that could be negative would keep the loop from being vectorised.
    b1, b2, b3, b4 = bits[word, first:last], bits[second, first:last], bits[third, first:last], bits[fourth, first:last]
    sums = counts[first:last]
    for j in range(len(sums)):
        found = ones_in(m1 & b1[j]) + ones_in(m2 & b2[j]) + ones_in(m3 & b3[j]) + ones_in(m4 & b4[j])
        sums[j] += times * np.int64(found)


@alloc_free
def subtract_triples(whole, part, rest):
    """The counts of the rows outside a part."""
    for a in range(len(whole)):
        for k in range(whole.shape[1]):
            for i in range(a - 1):
                given, less, to = whole[a, k, i, i + 1 : a], part[a, k, i, i + 1 : a], rest[a, k, i, i + 1 : a]
                for j in range(len(to)):
                    to[j] = given[j] - less[j]


@alloc_free
def pairs_with(triples, pairs, item, own):
    """The counts (K, M, M) of pairs of items among the rows with an item, by the counts of pairs and triples of all rows."""
    n = pairs.shape[1]
    for k in range(len(pairs)):
        for i in range(n):
            own[k, i, i] = pairs[k, min(i, item), max(i, item)]
        for i in range(item):
            to, given = own[k, i, i + 1 : item], triples[item, k, i, i + 1 : item]
            for j in range(len(to)):
                to[j] = given[j]
            own[k, i, item] = pairs[k, i, item]
            for j in range(item + 1, n):
                own[k, i, j] = triples[j, k, i, item]
        for j in range(item + 1, n):
            own[k, item, j] = pairs[k, item, j]
            for i in range(item + 1, j):
                own[k, i, j] = triples[j, k, item, i]
