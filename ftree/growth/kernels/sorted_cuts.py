"""The best cut of one sorted run in one pass, by entropy, Gini or a user's impurity. The innermost loops of growth.

A key packs, from the highest bits down, the entry's number; whether its value differs from that of the previous key (fresh);
whether it is missing (gone); the class. The value itself is in the table, in the row of the entry; `shift` is the number of bits
below the entry's number. So a pass reads one array from left to right and nothing else. Entropy comes from a table of n log2 n
in whole numbers of 2^-s bits: sums of them are exact in any order, so a candidate costs two additions however many classes
there are, and rounding errors do not accumulate.

Each kernel returns the gain, the position of the first key after the cut (the first of all if no two values differ), and
whether the choice was too close to call.
"""

import numpy as np

from ftree._lib.arrays import TIE
from ftree._lib.jit import kernel, section, unwrapped
from ftree.criteria.impurity import ROUNDING
from ftree.criteria.impurity_kernels import impurity_of
from ftree.growth.kernels.records import FLAGS, GUARD

_ONE = np.uint64(1)
# A literal has its own type, for which numba would compile once more.
NO = np.bool_(0)
# The bits of a small key.
_BITS = 31


@kernel
def bits_of(shift):
    """Masks of a key's class, of the flag that its value differs from that before (fresh), and of a missing value (gone)."""
    gone = 1 << (shift - FLAGS)
    return gone - 1, 2 * gone, gone


def most_entries(dtype: np.dtype[np.signedinteger], shift: int) -> int:
    """The number of entries that keys of a type can number."""
    return 1 << (_BITS if dtype == np.int32 else 2 * _BITS) >> shift


def key_type(n: int, shift: int) -> np.dtype[np.signedinteger]:
    """The smaller type whose keys can number n entries."""
    small = np.dtype(np.int32)
    return small if n <= most_entries(small, shift) else np.dtype(np.int64)


@unwrapped
def cuts_of_two(keys, first, begin, end, ones, mask, fresh, place, count):
    """List the cuts from `begin` to `end`, and the number of rows of the second class before each.

    Returns the number of cuts and of such rows. A position without a cut is written too and then overwritten, which avoids a
    branch that the processor would mispredict.
    """
    m, key = np.uint64(0), keys[first + begin - _ONE]
    for i in range(begin, end):  # rows before the cut
        ones += np.uint64(key & mask)
        key = keys[first + i]
        place[m], count[m] = i, ones
        m += np.uint64((key & fresh) != 0)
    return m, ones


@unwrapped
def raised(score, at, best, pick, chosen, again, tie, guard):
    """After a cut with a better score: the first cut that may be chosen, and whether an earlier one may tie with the best."""
    if best < score - tie - guard:
        return at, score, False
    return pick, chosen, again or chosen < score - tie + guard


@section
def entropy_cut(keys, low, high, shift, left, total, table, step, unit, place, count):
    """Entropy: the sum of n log2 n over classes, minus that over sides, is largest at the best cut.

    `step` has the differences of the table, `left`, `place` and `count` are scratch space. Indices are unsigned, so that no
    access checks for a negative index, which took half of the time. No view is made of the run, since counting references to it
    would take longer than a small run does, and threads would wait for each other.
    """
    n, inner = high - low, np.int64(0)
    for c in range(len(total)):
        inner += table[total[c]]
    whole = inner - table[n]
    tie, guard = np.int64(TIE * n * unit), np.int64(GUARD * n * unit) + 2 * min(n, len(total) + 2)
    if len(total) == 2:  # noqa: PLR2004  # counting one class is enough, and no addition depends on the previous one
        best, pick, chosen, again = _entropy_of_two(keys, low, n, shift, total, table, tie, guard, place, count)
    else:
        best, pick, chosen, again = _entropy_of_many(keys, low, n, shift, left, total, inner, table, step, tie, guard)
    doubt = False
    if again:
        pick, chosen, doubt = _entropy_again(keys, low, n, shift, left, total, table, best - tie, guard)
    return (chosen - whole) / (n * unit), low + pick, doubt


@unwrapped
def _entropy_of_two(keys, low, n, shift, total, table, tie, guard, place, count):
    mask, fresh, _ = bits_of(shift)
    best, pick, chosen, again = np.int64(-(2**62)), np.uint64(0), np.int64(-(2**62)), NO
    first, size, ones, room = np.uint64(low), np.uint64(n), np.uint64(0), np.uint64(len(place))
    all_zeros, all_ones = np.uint64(total[0]), np.uint64(total[1])
    key, at = keys[first], size
    for i in range(_ONE, size):  # rows before the cut
        ones += np.uint64(key & mask)
        key = keys[first + i]
        if not key & fresh:  # from here on the processor cannot predict which keys are cuts
            at = i + _ONE
            break
        score = _entropy_score(i, ones, size, all_zeros, all_ones, table)
        if score > best:
            pick, chosen, again = raised(score, i, best, pick, chosen, again, tie, guard)
            best = score
    while at < size:  # a range with a step starts with a division, which takes as long as a small node
        m, ones = cuts_of_two(keys, first, at, min(size, at + room), ones, mask, fresh, place, count)
        at += room
        for b in range(m):
            score = _entropy_score(np.uint64(place[b]), np.uint64(count[b]), size, all_zeros, all_ones, table)
            if score > best:
                pick, chosen, again = raised(score, np.uint64(place[b]), best, pick, chosen, again, tie, guard)
                best = score
    return best, np.int64(pick), chosen, again


@unwrapped
def _entropy_score(i, ones, size, all_zeros, all_ones, table):
    """The score of a cut after i rows, of which `ones` are of the second class."""
    zeros = i - ones
    return table[zeros] + table[ones] + table[all_zeros - zeros] + table[all_ones - ones] - table[i] - table[size - i]


@unwrapped
def _entropy_of_many(keys, low, n, shift, left, total, inner, table, step, tie, guard):
    """`inner` is the sum of n log2 n over classes and sides, before any row is on the left."""
    mask, fresh, _ = bits_of(shift)
    for c in range(len(total)):
        left[c] = 0
    best, pick, chosen, again = np.int64(-(2**62)), np.uint64(0), np.int64(-(2**62)), NO
    first, size = np.uint64(low), np.uint64(n)
    key = keys[first]
    for i in range(_ONE, size):  # rows before the cut
        c = np.uint64(key & mask)
        lefts = np.uint64(left[c])
        left[c] = np.int64(lefts + _ONE)
        inner += step[lefts] - step[np.uint64(total[c]) - lefts - _ONE]
        following = keys[first + i]
        if following & fresh:
            score = inner - table[i] - table[size - i]
            if score > best:
                pick, chosen, again = raised(score, i, best, pick, chosen, again, tie, guard)
                best = score
        key = following
    return best, np.int64(pick), chosen, again


@unwrapped
def _entropy_again(keys, low, n, shift, left, total, table, enough, guard):
    """The first cut whose score ties with the best; used if an earlier cut than the current one may tie."""
    mask, fresh, _ = bits_of(shift)
    inner = np.int64(0)
    for c in range(len(total)):
        left[c] = 0
        inner += table[total[c]]
    for i in range(1, n):
        c = keys[low + i - 1] & mask
        right = total[c] - left[c]
        inner += table[left[c] + 1] - table[left[c]] + table[right - 1] - table[right]
        left[c] += 1
        if keys[low + i] & fresh:
            score = inner - table[i] - table[n - i]
            if score > enough - guard:
                return i, score, score < enough + guard
    return 0, enough, True


@section
def gini_cut(keys, low, high, shift, left, total, place, count):
    """Gini: the sum of squared counts of each side over its size is largest at the best cut.

    Scores are compared as fractions, numerator against best times denominator, so that few divisions are needed.
    """
    n, squares = high - low, np.int64(0)
    for c in range(len(total)):
        squares += total[c] * total[c]
    tie, guard = TIE * n, GUARD * n
    if len(total) == 2:  # noqa: PLR2004  # as above
        best, pick, chosen, again = _gini_of_two(keys, low, n, shift, total, tie, guard, place, count)
    else:
        best, pick, chosen, again = _gini_of_many(keys, low, n, shift, left, total, squares, tie, guard)
    doubt = False
    if again:
        pick, chosen, doubt = _gini_again(keys, low, n, shift, left, total, best - tie, guard)
    return (chosen - squares / n) / n, low + pick, doubt


@unwrapped
def _gini_of_two(keys, low, n, shift, total, tie, guard, place, count):
    mask, fresh, _ = bits_of(shift)
    best, pick, chosen, again = -1.0, np.uint64(0), -np.inf, NO
    first, size, ones, room = np.uint64(low), np.uint64(n), np.uint64(0), np.uint64(len(place))
    key, at, all_zeros, all_ones = keys[first], size, total[0], total[1]
    for i in range(_ONE, size):  # rows before the cut
        ones += np.uint64(key & mask)
        key = keys[first + i]
        if not key & fresh:
            at = i + _ONE
            break
        lefts, rights, n_left, n_right = _squares_of_two(i, ones, n, all_zeros, all_ones)
        if lefts * n_right + rights * n_left > best * (n_left * n_right):
            score = lefts / n_left + rights / n_right
            if score > best:
                pick, chosen, again = raised(score, i, best, pick, chosen, again, tie, guard)
                best = score
    while at < size:  # as above
        m, ones = cuts_of_two(keys, first, at, min(size, at + room), ones, mask, fresh, place, count)
        at += room
        for b in range(m):
            i = np.uint64(place[b])
            lefts, rights, n_left, n_right = _squares_of_two(i, np.uint64(count[b]), n, all_zeros, all_ones)
            if lefts * n_right + rights * n_left > best * (n_left * n_right):
                score = lefts / n_left + rights / n_right
                if score > best:
                    pick, chosen, again = raised(score, i, best, pick, chosen, again, tie, guard)
                    best = score
    return best, np.int64(pick), chosen, again


@unwrapped
def _squares_of_two(i, ones, n, all_zeros, all_ones):
    """The sums of squared counts and the rows on both sides of a cut after i rows, of which `ones` are of the second class."""
    one, zero, n_left = np.int64(ones), np.int64(i) - np.int64(ones), np.float64(i)
    right_zero, right_one = all_zeros - zero, all_ones - one
    return zero * zero + one * one, right_zero * right_zero + right_one * right_one, n_left, n - n_left


@unwrapped
def _gini_of_many(keys, low, n, shift, left, total, rights, tie, guard):
    """`rights` is the sum of squared counts on the right, before any row is on the left."""
    (mask, fresh, _), lefts = bits_of(shift), np.int64(0)
    for c in range(len(total)):
        left[c] = 0
    best, pick, chosen, again = -1.0, np.uint64(0), -np.inf, NO
    first = np.uint64(low)
    key = keys[first]
    for i in range(_ONE, np.uint64(n)):  # rows before the cut
        c = np.uint64(key & mask)
        seen = left[c]
        left[c] = seen + 1
        lefts += 2 * seen + 1
        rights -= 2 * (total[c] - seen) - 1
        following = keys[first + i]
        if following & fresh:
            n_left = np.float64(i)
            n_right = n - n_left
            if lefts * n_right + rights * n_left > best * (n_left * n_right):
                score = lefts / n_left + rights / n_right
                if score > best:
                    pick, chosen, again = raised(score, i, best, pick, chosen, again, tie, guard)
                    best = score
        key = following
    return best, np.int64(pick), chosen, again


@unwrapped
def _gini_again(keys, low, n, shift, left, total, enough, guard):
    mask, fresh, _ = bits_of(shift)
    lefts, rights = np.int64(0), np.int64(0)
    for c in range(len(total)):
        left[c] = 0
        rights += total[c] * total[c]
    for i in range(1, n):
        c = keys[low + i - 1] & mask
        lefts += 2 * left[c] + 1
        rights -= 2 * (total[c] - left[c]) - 1
        left[c] += 1
        if keys[low + i] & fresh:
            score = lefts / i + rights / (n - i)
            if score > enough - guard:
                return i, score, score < enough + guard
    return 0, enough, True


@unwrapped
def own_cut(keys, low, high, shift, weights, left, right, total, own):
    """By a user's impurity, for rows with or without weights: gains computed as by `ftree.criteria.gain`, to the last bit.

    Therefore ties are never too close to call. A gain that is not finite is returned as NaN and is too close to call: the NumPy
    engine raises the error.
    """
    gain, pick, again = _own_pass(keys, low, high, shift, weights, left, right, total, own, np.inf)
    if again:
        gain, pick, _ = _own_pass(keys, low, high, shift, weights, left, right, total, own, gain - TIE)
    return gain, pick, np.isnan(gain)


@unwrapped
def _own_pass(keys, low, high, shift, weights, left, right, total, own, enough):
    """The first cut that gains enough; otherwise the best, unless an earlier one may be within a tie of it."""
    (mask, fresh, _), n, n_left = bits_of(shift), 0.0, 0.0
    for c in range(len(total)):
        left[c], right[c] = 0.0, total[c]
        n += total[c]
    whole = impurity_of(own, total)
    best, pick, chosen, again = -np.inf, low, -np.inf, False
    key = keys[low]
    for i in range(np.uint64(low) + _ONE, np.uint64(high)):  # rows before the cut
        c = np.uint64(key & mask)
        weight = weights[np.uint64(key >> shift)] if len(weights) else 1.0
        left[c] += weight
        right[c] -= weight
        n_left += weight
        following = keys[i]
        if following & fresh:
            gain = whole - (n_left / n * impurity_of(own, left) + (n - n_left) / n * impurity_of(own, right))
            if not np.isfinite(gain):
                return np.nan, np.int64(i), False
            gain = 0.0 if -ROUNDING < gain < 0 else gain
            if gain >= enough:
                return gain, np.int64(i), False
            if gain > best:
                pick, chosen, again = raised(gain, np.int64(i), best, pick, chosen, again, TIE, 0.0)
                best = gain
        key = following
    return (best if again else chosen), pick, again
