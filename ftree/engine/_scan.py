"""The best cut of one sorted run in one pass: counted rows, entropy or Gini. The innermost loops of growth.

A key holds a value's rank and, in its low bits, the class, so that a pass reads one array from left to right and
nothing else. Entropy comes from a table of n log2 n in whole numbers of 2^-s bits: sums of them are exact in
whatever order, so a candidate costs two additions however many classes there are, and no rounding piles up.

Each answers the gain, the row after which to cut (-1 for nowhere), and whether the choice was too close to call.
"""

import math

import numpy as np

from ftree._jit import compiled

TIE = 1e-9
# Scores of either engine are known better than this; where a comparison with a tie comes as near, the plain one decides.
GUARD = 1e-12


def whole_table(total: int) -> tuple[np.ndarray, float]:
    """n log2 n for n from 0 to `total`, in whole numbers of 1/unit bits, and the unit, as large as sums allow."""
    n = np.arange(total + 2, dtype=np.float64)
    exact = n * np.log2(np.maximum(n, 1))
    unit = 2.0 ** (62 - math.ceil(math.log2(max(exact[-1], 2.0))))
    # The product is exact in extended precision only; in double it is known to 53 bits, which is as good here.
    return np.round(exact * unit).astype(np.int64), unit


@compiled
def entropy_cut(keys, low, high, shift, left, right, table, unit):
    """Entropy: the sum of n log2 n over classes, less that over sides, is largest at the best cut."""
    mask = (1 << shift) - 1
    n = high - low
    whole = -table[n]
    inner = 0
    for c in range(len(right)):
        left[c] = 0
        inner += table[right[c]]
    whole += inner
    tie, guard = np.int64(TIE * n * unit), np.int64(GUARD * n * unit) + 2 * min(n, len(right) + 2)
    best, pick, chosen, again = np.int64(-(2**62)), -1, np.int64(-(2**62)), False
    key = keys[low]
    for i in range(low, high - 1):
        c = key & mask
        lefts, rights = left[c], right[c]
        inner += table[lefts + 1] - table[lefts] + table[rights - 1] - table[rights]
        left[c], right[c] = lefts + 1, rights - 1
        following = keys[i + 1]
        if (following ^ key) > mask:
            score = inner - table[i + 1 - low] - table[high - i - 1]
            if score > best:
                if best < score - tie - guard:
                    pick, chosen, again = i + 1, score, False
                elif chosen < score - tie + guard:
                    again = True
                best = score
        key = following
    doubt = False
    if again:
        pick, chosen, doubt = _entropy_again(keys, low, high, shift, left, right, table, best - tie, guard)
    return (chosen - whole) / (n * unit), pick, doubt


@compiled
def _entropy_again(keys, low, high, shift, left, right, table, enough, guard):
    """The first cut that scores enough, when a later one came before it."""
    mask = (1 << shift) - 1
    inner = 0
    for c in range(len(right)):
        right[c] += left[c]
        left[c] = 0
        inner += table[right[c]]
    for i in range(low, high - 1):
        c = keys[i] & mask
        inner += table[left[c] + 1] - table[left[c]] + table[right[c] - 1] - table[right[c]]
        left[c] += 1
        right[c] -= 1
        if (keys[i + 1] ^ keys[i]) > mask:
            score = inner - table[i + 1 - low] - table[high - i - 1]
            if score > enough - guard:
                return i + 1, score, score < enough + guard
    return -1, enough, True


@compiled
def gini_cut(keys, low, high, shift, left, right):
    """Gini: the sum of squared counts of each side over its size is largest at the best cut."""
    mask = (1 << shift) - 1
    n = high - low
    lefts, rights = 0, 0
    for c in range(len(right)):
        left[c] = 0
        rights += right[c] * right[c]
    whole = rights / n
    tie, guard = TIE * n, GUARD * n
    best, pick, chosen, again = -np.inf, -1, -np.inf, False
    key = keys[low]
    for i in range(low, high - 1):
        c = key & mask
        lefts += 2 * left[c] + 1
        rights -= 2 * right[c] - 1
        left[c] += 1
        right[c] -= 1
        following = keys[i + 1]
        if (following ^ key) > mask:
            score = lefts / (i + 1 - low) + rights / (high - i - 1)
            if score > best:
                if best < score - tie - guard:
                    pick, chosen, again = i + 1, score, False
                elif chosen < score - tie + guard:
                    again = True
                best = score
        key = following
    doubt = False
    if again:
        pick, chosen, doubt = _gini_again(keys, low, high, shift, left, right, best - tie, guard)
    return (chosen - whole) / n, pick, doubt


@compiled
def _gini_again(keys, low, high, shift, left, right, enough, guard):
    mask = (1 << shift) - 1
    lefts, rights = 0, 0
    for c in range(len(right)):
        right[c] += left[c]
        left[c] = 0
        rights += right[c] * right[c]
    for i in range(low, high - 1):
        c = keys[i] & mask
        lefts += 2 * left[c] + 1
        rights -= 2 * right[c] - 1
        left[c] += 1
        right[c] -= 1
        if (keys[i + 1] ^ keys[i]) > mask:
            score = lefts / (i + 1 - low) + rights / (high - i - 1)
            if score > enough - guard:
                return i + 1, score, score < enough + guard
    return -1, enough, True
