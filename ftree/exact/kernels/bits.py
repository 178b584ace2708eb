"""Rows as bits: counts of rows that have one or two items, by class.

An item is a set of rows, such as those that a candidate split sends to one child. `bits` (W, M) holds 64 rows a word, for M
items side by side, so that a loop over items is a loop over neighbours. Rows are sorted into segments of one class and weight,
from word `starts[s]` to `starts[s + 1]`; the rest of a segment's last word is 0.
"""

import numpy as np

from ftree._lib.jit import alloc_free, inlined
from ftree.exact.kernels.words import ones_in

_ZERO = np.uint64(0)
# Words that are compared at once.
_BLOCK = 64


@alloc_free
def pair_counts(bits, starts, of_class, weight, others, first, end, room, pairs):
    """Add to `pairs` (K, M, M) the rows that have two items: one of `others` (W, M) from `first` to `end`, and one not before it.

    `room` are arrays (M,) and (W,) that are overwritten.
    """
    found, both = room
    for i in range(first, end):
        for word in range(len(both)):
            both[word] = others[word, i]
        _add_common(bits, starts, both, i, of_class, weight, found, pairs[:, i, :])


@inlined
def _add_common(bits, starts, both, first, of_class, weight, found, counts):
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


@alloc_free
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
