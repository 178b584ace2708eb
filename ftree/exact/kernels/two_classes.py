"""Trees of depth two and three for errors of two classes in short integers: splits with two children that cost nothing.

All numbers have the type of the counts, since wider ones would keep the loops from being vectorised. `by_quarters` finds the best
trees of depth two of both sides of each item. A quarter of two items holds the rows on a given side of each. Three items divide
rows into eight parts. The errors of each part are counted once, and each of the twelve sums of two neighbouring parts is a
quarter divided by the third item. A tree of depth two on one side of an item has two quarters of it.

`quarters` (M, 4 * STRIDE) holds the least errors of quarters of items x < y, divided by any item, at [x, side * STRIDE + y].
The side is 3 for rows with both items, 2 with x only, 1 with y only, and 0 with none.
"""

from functools import partial

import numpy as np

from ftree._lib.jit import inlined, kernel, section

# No cost is NaN, and the sign of 0 does not matter; so several numbers can be compared at once.
_quick = partial(kernel, fastmath={"nnan", "nsz"})
# The distance of sides is constant, so that the compiler knows that they do not overlap. There are at most `MOST` items,
# and the places beyond are for loops without a rest.
MOST, PAD = 256, 16
STRIDE = MOST + PAD
_S0, _S1, _S2, _S3 = np.uint64(0), np.uint64(STRIDE), np.uint64(2 * STRIDE), np.uint64(3 * STRIDE)


@_quick
def of_two_classes(pairs, total, penalty):
    """The least cost of a tree of depth two, and the number of its first split, or -1 for a leaf, as `depth_two.by_pairs`."""
    n = pairs.shape[1]
    low, high, counts = np.empty(n, pairs.dtype), np.empty(n, pairs.dtype), np.empty((2, n), pairs.dtype)
    for k in range(2):
        for i in range(n):
            counts[k, i] = pairs[k, i, i]
    _sides_of_items(pairs, counts, total, low, high)
    best, chosen = _leaf(total[0], total[1], penalty), -1
    for i in range(n):
        a0, a1 = counts[0, i], counts[1, i]
        b0, b1 = total[0] - a0, total[1] - a1
        if a0 + a1 > 0 and b0 + b1 > 0:
            one = min(_leaf(a0, a1, penalty), low[i] + 2.0 * penalty)
            cost = one + min(_leaf(b0, b1, penalty), high[i] + 2.0 * penalty)
            if cost < best:
                best, chosen = cost, i
    return best, chosen


@inlined
def _leaf(first, second, penalty):
    """The cost of a leaf: its errors, and a penalty if it has a case."""
    return min(first, second) + (penalty if first + second > 0 else 0.0)


@section
def _sides_of_items(pairs, counts, total, low, high):
    """The least errors of both sides of each item, each divided by another item."""
    n, short = len(low), low.dtype.type
    t0, t1 = short(total[0]), short(total[1])
    n0, n1 = counts[0], counts[1]
    for i in range(n):
        low[i] = high[i] = t0 + t1
    for i in range(n):
        a0, a1 = short(n0[i]), short(n1[i])
        if a0 + a1 == 0 or a0 + a1 == t0 + t1:
            continue
        b0, b1 = short(t0 - a0), short(t1 - a1)
        # Slices, since an index that could be negative would keep the loop from being vectorised.
        with0, with1 = pairs[0, i, i + 1 : n], pairs[1, i, i + 1 : n]
        after0, after1 = n0[i + 1 : n], n1[i + 1 : n]
        low_after, high_after = low[i + 1 : n], high[i + 1 : n]
        least_low, least_high = short(low[i]), short(high[i])
        for j in range(len(with0)):
            x0, x1 = short(with0[j]), short(with1[j])
            y0, y1 = short(after0[j] - x0), short(after1[j] - x1)
            both, only_j = min(x0, x1), min(y0, y1)
            only_i, none = min(short(a0 - x0), short(a1 - x1)), min(short(b0 - y0), short(b1 - y1))
            least_low = min(least_low, short(both + only_i))
            least_high = min(least_high, short(only_j + none))
            low_after[j] = min(short(low_after[j]), short(both + only_j))
            high_after[j] = min(short(high_after[j]), short(only_i + none))
        low[i], high[i] = least_low, least_high


@kernel
def by_quarters(triples, pairs, total, penalty):
    """The least costs of depth two (M, 2) of the rows with each item and of those without it, by counts of pairs and triples."""
    n = pairs.shape[1]
    quarters, before = np.empty((n, 4 * STRIDE), pairs.dtype), np.zeros((n, 2 * STRIDE), pairs.dtype)
    counts = np.zeros(4 * STRIDE, pairs.dtype)
    quarters[:] = total[0] + total[1]
    for a in range(n):
        _divide_by(triples[a], pairs, total, a, quarters, before, counts)
    two = np.empty((n, 2))
    _sides(quarters, pairs, total, penalty, two)
    return two


@section
def _divide_by(triples, pairs, total, a, quarters, before, counts):
    """Divide quarters of earlier items by item a, and its own quarters by earlier items.

    `before` (M, 2 * STRIDE) are counts of pairs of earlier items, and `counts` (4 * STRIDE,) those of earlier items with a, and
    of earlier items; all others are 0, which makes a place beyond the last item harmless.
    """
    for i in range(a):
        counts[i], counts[STRIDE + i] = pairs[0, i, a], pairs[1, i, a]
    own = pairs[0, a, a], pairs[1, a, a]
    for i in range(a - 1):
        end = i + 1 + (a - i - 1 + PAD - 1) // PAD * PAD
        with0, with1 = triples[0, i, i + 1 : end], triples[1, i, i + 1 : end]
        of_i, of_j, quarters_i, quarters_j = counts[i:], counts[i + 1 :], quarters[a, i:], quarters[a, i + 1 :]
        _divide(with0, with1, before[i, i + 1 :], of_i, of_j, quarters_i, quarters_j, quarters[i, i + 1 :], own, total)
    for k in range(2):
        counts[(2 + k) * STRIDE + a] = pairs[k, a, a]
        for i in range(a):
            before[i, k * STRIDE + a] = pairs[k, i, a]
    for i in range(a):
        quarters[i, a], quarters[i, 3 * STRIDE + a] = quarters[a, i], quarters[a, 3 * STRIDE + i]
        quarters[i, STRIDE + a], quarters[i, 2 * STRIDE + a] = quarters[a, 2 * STRIDE + i], quarters[a, STRIDE + i]


@section
def _divide(with0, with1, before, of_i, of_j, quarters_i, quarters_j, quarters_ij, own, total):
    """Divide the quarters of a, i and all j after i by the third item; counts and quarters begin at i, or at the first j."""
    short = with0.dtype.type
    i0, i1, alone0, alone1 = of_i[_S0], of_i[_S1], short(of_i[_S2] - of_i[_S0]), short(of_i[_S3] - of_i[_S1])
    rest0, rest1 = short(own[0] - i0), short(own[1] - i1)
    none0, none1 = short(total[0] - own[0] - alone0), short(total[1] - own[1] - alone1)
    least3, least2, least1, least0 = quarters_i[_S3], quarters_i[_S2], quarters_i[_S1], quarters_i[_S0]
    for j in range(np.uint64(len(with0))):
        x0, x1 = with0[j], with1[j]
        j0, j1 = short(of_j[j] - x0), short(of_j[_S1 + j] - x1)
        y0, y1 = short(before[j] - x0), short(before[_S1 + j] - x1)
        z0, z1 = short(of_j[_S2 + j] - of_j[j] - y0), short(of_j[_S3 + j] - of_j[_S1 + j] - y1)
        aij, ai = min(x0, x1), min(short(i0 - x0), short(i1 - x1))
        aj, a = min(j0, j1), min(short(rest0 - j0), short(rest1 - j1))
        ij, i = min(y0, y1), min(short(alone0 - y0), short(alone1 - y1))
        only_j, none = min(z0, z1), min(short(none0 - z0), short(none1 - z1))
        least3, least2 = min(least3, short(aij + ai)), min(least2, short(aj + a))
        least1, least0 = min(least1, short(ij + i)), min(least0, short(only_j + none))
        quarters_j[_S3 + j] = min(quarters_j[_S3 + j], short(aij + aj))
        quarters_j[_S2 + j] = min(quarters_j[_S2 + j], short(ai + a))
        quarters_j[_S1 + j] = min(quarters_j[_S1 + j], short(ij + only_j))
        quarters_j[j] = min(quarters_j[j], short(i + none))
        quarters_ij[_S3 + j] = min(quarters_ij[_S3 + j], short(aij + ij))
        quarters_ij[_S2 + j] = min(quarters_ij[_S2 + j], short(ai + i))
        quarters_ij[_S1 + j] = min(quarters_ij[_S1 + j], short(aj + only_j))
        quarters_ij[j] = min(quarters_ij[j], short(a + none))
    quarters_i[_S3], quarters_i[_S2], quarters_i[_S1], quarters_i[_S0] = least3, least2, least1, least0


@section
def _sides(quarters, pairs, total, penalty, two):
    """The least costs of depth two of both sides of each item: of a leaf, or of two quarters, each a leaf or divided."""
    n = len(quarters)
    for x in range(n):
        two[x, 0] = _leaf(pairs[0, x, x], pairs[1, x, x], penalty)
        two[x, 1] = _leaf(total[0] - pairs[0, x, x], total[1] - pairs[1, x, x], penalty)
    for x in range(n):
        x0, x1 = pairs[0, x, x], pairs[1, x, x]
        for y in range(x + 1, n):
            y0, y1, b0, b1 = pairs[0, y, y], pairs[1, y, y], pairs[0, x, y], pairs[1, x, y]
            both = min(_leaf(b0, b1, penalty), quarters[x, 3 * STRIDE + y] + 2 * penalty)
            only_x = min(_leaf(x0 - b0, x1 - b1, penalty), quarters[x, 2 * STRIDE + y] + 2 * penalty)
            only_y = min(_leaf(y0 - b0, y1 - b1, penalty), quarters[x, STRIDE + y] + 2 * penalty)
            none = _leaf(total[0] - x0 - y0 + b0, total[1] - x1 - y1 + b1, penalty)
            none = min(none, quarters[x, y] + 2 * penalty)
            two[x, 0], two[x, 1] = min(two[x, 0], both + only_x), min(two[x, 1], only_y + none)
            two[y, 0], two[y, 1] = min(two[y, 0], both + only_y), min(two[y, 1], only_x + none)
