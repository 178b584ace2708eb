"""Rows as bits: counts of rows that have one, two or three items, by class; and the rows of a mask without gaps.

An item is a set of rows, such as those that a candidate split sends to one child. `bits` (W, M) holds 64 rows a word, for M
items side by side, so that a loop over items is a loop over neighbours. Rows are sorted into segments of one class and weight,
from word `starts[s]` to `starts[s + 1]`; the rest of a segment's last word is 0. `rows` (64 W, V) are the same bits by row, 64
items a word, so that a row is selected by copying V words.

Counts of pairs (K, M, M) are by class and by two items, the second not before the first. Counts of triples (M, K, M, M + 16)
are by the last item, the class, and the two items before it; places that are not before the last item are 0, so that a loop may
read some of them and needs no rest.
"""

import numpy as np

from ftree._lib.jit import inlined, kernel, section, unwrapped

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# Rows with an item are selected before they are counted, if they take at most one in this many words.
_FEW = 3
# Words that are compared at once.
_BLOCK = 64
# The distances at which bits are exchanged, and the lower one of each two groups of so many bits.
_SHIFTS = tuple(map(np.uint64, (32, 16, 8, 4, 2, 1)))
_MASKS = tuple(np.uint64((2**64 - 1) // (2 ** int(shift) + 1)) for shift in _SHIFTS)
_ONES, _TWOS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES, _S1, _S2, _S4, _S56 = np.uint64(0x0101010101010101), np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@inlined
def _ones_in(word):
    """The number of ones in 64 bits; the compiler recognises the pattern and emits one instruction."""
    word = word - ((word >> _S1) & _ONES)
    word = (word & _TWOS) + ((word >> _S2) & _TWOS)
    word = (word + (word >> _S4)) & _FOURS
    return (word * _BYTES) >> _S56


@kernel
def pair_counts(bits, starts, of_class, weight, others, first, end, pairs):
    """Add to `pairs` (K, M, M) the rows with two items: one of `others` (W, M) from `first` to `end`, and one not before it."""
    n = pairs.shape[2]
    found = np.empty(n, np.uint64)
    for i in range(first, end):
        # Slices, since an index that could be negative would keep loops from being vectorised.
        own = found[i:n]
        for s in range(len(starts) - 1):
            for j in range(len(own)):
                own[j] = _ZERO
            some = False
            for word in range(starts[s], starts[s + 1]):
                mask = others[word, i]
                if mask != _ZERO:
                    some = True
                    items = bits[word, i:n]
                    for j in range(len(own)):
                        own[j] += _ones_in(mask & items[j])
            if some:
                sums, times = pairs[of_class[s], i, i:n], weight[s]
                for j in range(len(own)):
                    sums[j] += times * np.int64(own[j])


@kernel
def triple_counts(bits, starts, rows, of_class, weight, first, end, triples):
    """Count the rows with each item from `first` to `end` and two earlier ones."""
    both = np.empty(len(bits), np.uint64)
    for a in range(first, end):
        for word in range(len(bits)):
            both[word] = bits[word, a]
        given, segments = bits, starts
        begin = _starts_without_gaps(both, starts)
        if begin[-1] * _FEW <= len(bits):
            given, segments = _bits_of_rows(_selected_rows(rows, starts, both, begin), a + 1), begin
        _pairs_before(given, segments, of_class, weight, a, both, triples[a])


@section
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


@section
def _add_four(bits, both, word, end, first, last, times, counts):
    """Add the rows of four words: so counts are read and written less often."""
    second, third, fourth = min(word + 1, end - 1), min(word + 2, end - 1), min(word + 3, end - 1)
    m1 = both[word]
    m2 = both[second] if word + 1 < end else _ZERO
    m3 = both[third] if word + 2 < end else _ZERO
    m4 = both[fourth] if word + 3 < end else _ZERO
    if m1 | m2 | m3 | m4 != _ZERO:
        # Slices, since an index that could be negative would keep the loop from being vectorised.
        b1, b2, b3, b4 = bits[word, first:last], bits[second, first:last], bits[third, first:last], bits[fourth, first:last]
        sums = counts[first:last]
        for j in range(len(sums)):
            found = _ones_in(m1 & b1[j]) + _ones_in(m2 & b2[j]) + _ones_in(m3 & b3[j]) + _ones_in(m4 & b4[j])
            sums[j] += times * np.int64(found)


@kernel
def subtract_triples(whole, part, rest):
    """The counts of the rows outside a part."""
    for a in range(len(whole)):
        for k in range(whole.shape[1]):
            for i in range(a - 1):
                given, less, to = whole[a, k, i, i + 1 : a], part[a, k, i, i + 1 : a], rest[a, k, i, i + 1 : a]
                for j in range(len(to)):
                    to[j] = given[j] - less[j]


@kernel
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


@unwrapped
def subtract_pairs(pairs, total, item, own, rest, others):
    """The counts (K, M, M) of pairs among the rows without an item, and their class counts, by those `own` of rows with it."""
    for k in range(len(pairs)):
        others[k] = total[k] - pairs[k, item, item]
        for i in range(pairs.shape[1]):
            # Slices, since an index that could be negative would keep the loop from being vectorised.
            given, less, to = pairs[k, i, i:], own[k, i, i:], rest[k, i, i:]
            for j in range(len(given)):
                to[j] = given[j] - less[j]


@kernel
def narrowed(rows, starts, mask, n):
    """The first n items as bits of the rows in a mask (W,), without gaps, where their segments start, and the rows themselves."""
    begin = _starts_without_gaps(mask, starts)
    selected = _selected_rows(rows, starts, mask, begin)
    return _bits_of_rows(selected, n), begin, selected


@unwrapped
def _starts_without_gaps(mask, starts):
    """Where the segments (S + 1,) of the rows in a mask start without gaps."""
    begin = np.zeros_like(starts)
    for s in range(len(starts) - 1):
        rows = _ZERO
        for word in range(starts[s], starts[s + 1]):
            rows += _ones_in(mask[word])
        begin[s + 1] = begin[s] + (np.int64(rows) + 63) // 64
    return begin


@unwrapped
def _selected_rows(rows, starts, mask, begin):
    """The rows in a mask (W,) without gaps, with 0 after a segment's last row."""
    selected = np.empty((64 * begin[-1], rows.shape[1]), np.uint64)
    for s in range(len(starts) - 1):
        to = 64 * begin[s]
        for word in range(starts[s], starts[s + 1]):
            left = mask[word]
            while left != _ZERO:
                others = left & (left - _ONE)
                row = 64 * word + np.int64(_ones_in((left ^ others) - _ONE))
                for v in range(rows.shape[1]):
                    selected[to, v] = rows[row, v]
                to, left = to + 1, others
        for row in range(to, 64 * begin[s + 1]):
            for v in range(rows.shape[1]):
                selected[row, v] = _ZERO
    return selected


@unwrapped
def _bits_of_rows(rows, n):
    """The first n items of rows as bits (W, n): blocks of 64 rows and 64 items are transposed."""
    bits, block, other = np.empty((len(rows) // 64, n), np.uint64), np.empty(64, np.uint64), np.empty(64, np.uint64)
    for word in range(len(bits)):
        for first in range(0, n, 64):
            for row in range(64):
                block[row] = rows[64 * word + row, first // 64]
            for step in range(0, len(_SHIFTS), 2):
                _exchange(block, other, _SHIFTS[step], _MASKS[step])
                _exchange(other, block, _SHIFTS[step + 1], _MASKS[step + 1])
            items = bits[word, first:n]
            for i in range(min(64, len(items))):
                items[i] = block[i]
    return bits


@section
def _exchange(block, other, shift, mask):
    """Exchange the highest bit of the number of a word with one bit of a place in it; the former becomes the lowest bit.

    After six such steps, bits of numbers are in order again. All steps read and write the same places, so they are vectorised.
    """
    low, high = block[:32], block[32:64]
    for word in range(32):
        x, y = low[word], high[word]
        other[2 * word] = (x & mask) | ((y & mask) << shift)
        other[2 * word + 1] = ((x >> shift) & mask) | (y & ~mask)


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
                    found += _ones_in(own[word] & ~mask[word])
                lost += weight[s] * np.int64(found)
                if least[each] - lost <= best:
                    break
            if least[each] - lost <= best:
                break
        if least[each] - lost > best:
            best, chosen = least[each] - lost, each
    return best, chosen
