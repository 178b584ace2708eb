"""The best cut of weighted rows: sums of weights cannot be looked up in a table as whole numbers can, and logarithms are slow.

A search by entropy first estimates with logarithms that are accurate to a few parts in a hundred million. These rule out nearly
all cuts of a feature. Exact logarithms decide between those that are left.
"""

import math

import numpy as np

from ftree._lib.arrays import TIE
from ftree._lib.jit import section, unwrapped
from ftree.growth.kernels.records import ENTROPY, GUARD
from ftree.growth.kernels.sorted_cuts import NO, bits_of, raised

# Logarithms between 1 and 2 at 2048 places, and the slopes between them: accurate to 4.3e-8, six times as fast.
_PLACES = 11
_KNOTS = np.log2(1 + np.arange(2**_PLACES + 1) / 2**_PLACES)
_LOGS, _SLOPES = _KNOTS[:-1].copy(), np.diff(_KNOTS) * 2.0 ** (_PLACES - 52)
# Bound on the error of an estimated score for each row: it has four sums, each over all rows. The bound leaves a margin larger
# than the guard of exact scores.
OFF = 4 * 5e-8
# Cuts are estimated in blocks of this size; in smaller ones if the weights of many classes would not fit a cache.
_AT_ONCE, _NUMBERS = 512, 2**16


@unwrapped
def about(x):
    """An estimate of x log2 x, 0 for 0."""
    bits = np.float64(x).view(np.uint64)
    place = (bits >> np.uint64(52 - _PLACES)) & np.uint64(2**_PLACES - 1)
    rest = np.float64(np.int64(bits & np.uint64(2 ** (52 - _PLACES) - 1)))
    return x * (np.float64(np.int64(bits >> np.uint64(52)) - 1023) + _LOGS[place] + _SLOPES[place] * rest)


@unwrapped
def exactly(x):
    """X log2 x, with 0 log 0 = 0."""
    return x * math.log2(x) if x > 0 else 0.0


@unwrapped
def _score_of(lefts, b, total, n, impurity):
    """The score of a cut: for entropy the sum of n log2 n over classes less that over sides."""
    k = len(total)
    ours, others, n_left = 0.0, 0.0, lefts[k, b]
    for c in range(k):
        x = lefts[c, b]
        if impurity == ENTROPY:
            ours += exactly(x)
            others += exactly(total[c] - x)
        else:
            ours += x * x
            others += (total[c] - x) * (total[c] - x)
    if impurity == ENTROPY:
        return ours + others - exactly(n_left) - exactly(n - n_left)
    return ours / n_left + others / (n - n_left)


@section
def at_once(n_classes):
    """The number of cuts that are estimated at a time."""
    return max(1, min(_AT_ONCE, _NUMBERS // (n_classes + 1)))


@unwrapped
def weighted_cut(keys, low, high, shift, weights, left, lefts, rough, place, total, impurity):
    """The best cut of weighted rows, as in `scan`; `total` has the classes' weights.

    Weights are on a grid, so sums of them are exact. Cuts are taken in blocks: the weights left of each are listed in
    `lefts`, class by class and then of all classes together.
    """
    k, n = len(total), 0.0
    for c in range(k):
        left[c] = 0.0
        n += total[c]
    tie, guard, off = TIE * n, GUARD * n, OFF * n
    best, pick, chosen, again, at = -np.inf, np.uint64(low), -np.inf, NO, low + 1
    while at < high:
        at, m = _next_cuts(keys, at, high, shift, weights, left, lefts, place)
        _estimate(lefts, m, total, n, impurity, rough)
        enough = best - off
        for b in range(m):
            enough = max(enough, rough[b] - 2 * off - tie - guard)
        for b in range(m):
            if rough[b] > enough:
                score = _score_of(lefts, b, total, n, impurity)
                if score > best:
                    pick, chosen, again = raised(score, np.uint64(place[b]), best, pick, chosen, again, tie, guard)
                    best = score
    doubt, pick = False, np.int64(pick)
    if again:
        pick, chosen, doubt = _weighted_again(keys, low, high, shift, weights, lefts, total, n, impurity, best - tie, guard)
    whole = 0.0
    for c in range(k):
        whole += exactly(total[c]) if impurity == ENTROPY else total[c] * total[c]
    whole = whole - exactly(n) if impurity == ENTROPY else whole / n
    return (chosen - whole) / n, pick, doubt


@section
def _next_cuts(keys, at, high, shift, weights, left, lefts, place):
    """List the weights left of the next cuts, as many as fit; returns the place to continue from and the number of cuts."""
    (mask, fresh, _), k, m, n_left = bits_of(shift), len(left), 0, 0.0
    if k == 2:  # noqa: PLR2004  # as in `scan`
        stop = min(high, at + len(place))
        return stop, _next_cuts_of_two(keys, at, stop, shift, weights, left, lefts, place)
    key = keys[at - 1]
    for c in range(k):
        n_left += left[c]
    while at < high and m < len(place):
        weight = weights[np.uint64(key >> shift)]
        n_left += weight
        left[np.uint64(key & mask)] += weight
        key = keys[np.uint64(at)]
        if key & fresh:
            place[m] = at
            for c in range(k):
                lefts[c, m] = left[c]
            lefts[k, m] = n_left
            m += 1
        at += 1
    return at, m


@section
def _next_cuts_of_two(keys, at, stop, shift, weights, left, lefts, place):
    """The same for two classes, up to a place; their number.

    A place without a cut is written too and then overwritten, which avoids a branch that the processor would mispredict.
    """
    (mask, fresh, _), m = bits_of(shift), np.uint64(0)
    ones, n_left, key = left[1], left[0] + left[1], keys[at - 1]
    for i in range(np.uint64(at), np.uint64(stop)):
        weight = weights[np.uint64(key >> shift)]
        n_left += weight
        ones += weight if key & mask else 0.0
        key = keys[i]
        place[m], lefts[1, m], lefts[2, m] = i, ones, n_left
        m += np.uint64((key & fresh) > 0)
    for b in range(m):
        lefts[0, b] = lefts[2, b] - lefts[1, b]
    left[0], left[1] = n_left - ones, ones
    return np.int64(m)


@section
def _estimate(lefts, m, total, n, impurity, rough):
    """Estimate the score of each of some cuts."""
    k = len(total)
    for b in range(np.uint64(m)):
        rough[b] = -about(lefts[k, b]) - about(n - lefts[k, b]) if impurity == ENTROPY else 0.0
    for c in range(k):
        everything = total[c]
        for b in range(np.uint64(m)):
            x = lefts[c, b]
            y = everything - x
            rough[b] += about(x) + about(y) if impurity == ENTROPY else x * x / lefts[k, b] + y * y / (n - lefts[k, b])


@section
def _weighted_again(keys, low, high, shift, weights, lefts, total, n, impurity, enough, guard):
    (mask, fresh, _), k, only = bits_of(shift), len(total), np.int64(0)
    for c in range(k + 1):
        lefts[c, only] = 0.0
    for i in range(low + 1, high):
        weight = weights[keys[i - 1] >> shift]
        lefts[keys[i - 1] & mask, only] += weight
        lefts[k, only] += weight
        if keys[i] & fresh:
            score = _score_of(lefts, only, total, n, impurity)
            if score > enough - guard:
                return i, score, score < enough + guard
    return low, enough, True
