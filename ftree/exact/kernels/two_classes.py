"""The least cost of a tree of depth two by counts of pairs of items, for errors of two classes in short integers.

It is `depth_two` of `shallow`, for splits with two children that cost nothing, and leaves of any size.
"""

from functools import partial

from ftree._lib.jit import inlined, kernel

# No cost is NaN, and the sign of 0 does not matter; so several numbers can be compared at once.
_quick = partial(kernel, fastmath={"nnan", "nsz"}, _nrt=False)


@_quick
def depth_two(pairs, total, terms, room):
    """The least cost of a tree of depth two, and the number of its first split, or -1 for a leaf, see `shallow.depth_two`."""
    penalty, (low, high, counts, _) = terms[4], room
    for k in range(2):
        for i in range(len(low)):
            counts[k, i] = pairs[k, i, i]
    _sides_of_items(pairs, counts, total, low, high)
    best, chosen = _leaf(total[0], total[1], penalty), -1
    for i in range(len(low)):
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


@inlined
def _sides_of_items(pairs, counts, total, low, high):
    """The least errors of both sides of each item, each divided by another item.

    All numbers have the type of the counts, since wider ones would keep the loop from being vectorised.
    """
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
            only_i, none = (
                min(short(a0 - x0), short(a1 - x1)),
                min(short(b0 - y0), short(b1 - y1)),
            )
            least_low = min(least_low, short(both + only_i))
            least_high = min(least_high, short(only_j + none))
            low_after[j] = min(short(low_after[j]), short(both + only_j))
            high_after[j] = min(short(high_after[j]), short(only_i + none))
        low[i], high[i] = least_low, least_high
