"""Surrogates of the splits of a level: for each split in two of some features, those of other features that agree most.

The plain twin is `ftree.splitters.surrogates`. Counts are sums of whole weights, or of multiples of a power of two, so they are
exact in any order, and both find the same surrogates. Rows whose value of the split is missing are given their child here.
"""

from typing import Any, NamedTuple

import numpy as np

from ftree._lib.jit import alloc_free, inlined_section, kernel
from ftree._lib.kernels.bits import bit_of, lowest, without_lowest
from ftree.growth.kernels.keys import bits_of
from ftree.growth.split_arrays import SUBSET, THRESHOLD

# As in the plain twin: the least number of cases that a surrogate must send each way, and the least adjusted agreement.
_LEAST = 2
# A surrogate that agrees on more rows than the larger child has sends less than twice the smaller child's cases one way.
_ALONE = _LEAST / 2
_SAME = 1e-10


class SurrogateTables(NamedTuple):
    """The table as the search for surrogates needs it; F features, n rows.

    `backed` (F,) marks the features whose splits get surrogates, and is empty if none does; `nominal` (F,) those without an
    order. `values` has those of each coded feature from `at[feature]` on, by code; `numbers` (sorted features, n) those of a
    sorted one in the row `at[feature]`.
    """

    backed: Any
    nominal: Any
    at: Any
    values: Any
    numbers: Any


class FoundSurrogates(NamedTuple):
    """The surrogates of `size[0]` splits so far: then the arrays of `SurrogateArrays`, with room for N splits.

    If `size[0]` is above N, some found no room.
    """

    size: Any
    default_child: Any
    feature: Any
    reverse: Any
    threshold: Any
    low: Any
    high: Any
    agreement: Any
    adjusted: Any


class Backing(NamedTuple):
    """The surrogate arguments of a kernel that grows subtrees: two of those of `find_surrogates`."""

    tables: Any
    found: Any


@kernel
def find_surrogates(kind, child_at, feature, nodes, features, entries, child, totals, tables, found):
    """Find the surrogates of all splits of a level that get some, and give their rows without an answer a child.

    `child` (n,) has the children by the split itself; the class counts of rows that get one here are added to those of the
    children, `totals`. A split that finds no room leaves its rows as they are.
    """
    tally = np.zeros((_most_codes(features, entries.place) + 1, 2))
    for o in range(len(kind)):
        if (kind[o] == THRESHOLD or kind[o] == SUBSET) and tables.backed[feature[o]]:
            row = found.size[0]
            found.size[0] += 1
            if row < len(found.default_child):
                low, high = nodes.start[o], nodes.end[o]
                left, right, missing = _known_sides(low, high, child, entries.weights)
                _find(row, feature[o], low, high, left, right, features, entries, child, tables, found, tally)
                if missing:
                    _fill(row, low, high, child_at[o], entries, features, child, totals, tables, found)


@alloc_free
def _most_codes(features, place):
    """The most codes of a coded feature."""
    most = 0
    for f in range(len(place)):
        most = max(most, features.absent[f] if place[f] >= 0 else 0)
    return most


@alloc_free
def _known_sides(low, high, child, weights):
    """The weights of the rows that go to each child, and the number that go to none."""
    left, right, missing = 0.0, 0.0, 0
    for i in range(low, high):
        weight = weights[i] if len(weights) else 1.0
        if child[i] == 0:
            left += weight
        elif child[i] == 1:
            right += weight
        else:
            missing += 1
    return left, right, missing


@alloc_free
def _find(row, own, low, high, left, right, features, entries, child, tables, found, tally):
    """The surrogates of one split, of all features but its own."""
    found.default_child[row] = right > left
    for s in range(found.feature.shape[1]):
        found.feature[row, s] = -1
    if min(left, right) <= _ALONE or not found.feature.shape[1]:
        return
    for f in range(len(tables.nominal)):
        if f == own:
            continue
        place, zero, one, at, is_reversed = entries.place[f], np.uint64(0), np.uint64(0), 0.0, False
        if place < 0:
            agreed, is_reversed, at = _cut_of_keys(
                entries.keys[-1 - place], low, high, left, right, features.shift, entries, child, tables.numbers[tables.at[f]]
            )
        else:
            codes = _tally(entries.codes, place, low, high, entries.weights, child, tally)
            absent = features.absent[f]
            known_left, known_right = left - tally[absent, 0], right - tally[absent, 1]
            tally[absent, 0] = tally[absent, 1] = 0.0
            if tables.nominal[f]:
                agreed, zero, one = _sides_of_codes(codes, known_left, known_right, tally)
            else:
                agreed, is_reversed, at = _cut_of_codes(codes, known_left, known_right, tally, tables.values, tables.at[f])
        if agreed > max(left, right):
            _insert(row, f, agreed, left + right, max(left, right), is_reversed, at, zero, one, found)


@inlined_section
def _tally(codes, place, low, high, weights, child, tally):
    """Add the weights by code of the rows that go to each child; a reader of a cell of `tally` resets it to 0.

    Returns the codes of these rows as a set; most nodes have few of a feature's codes. A code in it may have no rows: that of a
    missing value may be 64, which stands for 0.
    """
    g, seen = np.uint64(place), np.uint64(0)
    for i in range(np.uint64(low), np.uint64(high)):  # unsigned, as in `scan`
        side = child[i]
        if side >= 0:
            code = np.uint64(codes[i, g])
            seen |= bit_of(code)
            tally[code, np.uint64(side)] += weights[i] if len(weights) else 1.0
    return seen


@inlined_section
def _sides_of_codes(codes, left, right, tally):
    """The weight of the rows that agree where each code goes with most of its rows, and the codes of each side as bits.

    -1 if a side has too few rows.
    """
    low, high, agreed, weights_low, weights_high = np.uint64(0), np.uint64(0), 0.0, 0.0, 0.0
    while codes:
        code = lowest(codes)
        codes = without_lowest(codes)
        one, two = tally[code, 0], tally[code, 1]
        tally[code, 0] = tally[code, 1] = 0.0
        if one + two == 0:
            continue
        if two > one or (two == one and right > left):
            high, agreed, weights_high = high | bit_of(code), agreed + two, weights_high + one + two
        else:
            low, agreed, weights_low = low | bit_of(code), agreed + one, weights_low + one + two
    return agreed if min(weights_low, weights_high) >= _LEAST else -1.0, low, high


@inlined_section
def _cut_of_codes(codes, left, right, tally, values, at):
    """The weight of the rows that agree with the best cut, whether it is reversed, and its threshold; -1 if there is none."""
    below_left, below_right, best, is_reversed, first, second, before = 0.0, 0.0, -1.0, False, 0, 0, -1
    while codes:
        code = np.int64(lowest(codes))
        codes = without_lowest(codes)
        one, two = tally[code, 0], tally[code, 1]
        tally[code, 0] = tally[code, 1] = 0.0
        if one + two == 0:
            continue
        if before >= 0:
            agreed, turned = _agreement(below_left, below_right, left, right)
            if agreed > best:
                best, is_reversed, first, second = agreed, turned, before, code
        below_left, below_right, before = below_left + one, below_right + two, code
    return best, is_reversed, _midpoint(values[at + first], values[at + second]) if best >= 0 else 0.0


@alloc_free
def _cut_of_keys(lane, low, high, left, right, shift, entries, child, numbers):
    """The same for a sorted feature: `lane` has its keys."""
    _, fresh, gone = bits_of(shift)
    weights, origin = entries.weights, entries.origin
    below_left, below_right, best, is_reversed = 0.0, 0.0, -1.0, False
    before, first, second, changed = -1, 0, 0, False
    while high > low and lane[high - 1] & gone:
        high -= 1
        i = lane[high] >> shift
        weight = weights[i] if len(weights) else 1.0
        left, right = left - (weight if child[i] == 0 else 0.0), right - (weight if child[i] == 1 else 0.0)
    for at in range(low, high):
        key = lane[at]
        changed |= (key & fresh) != 0
        i = key >> shift
        if child[i] < 0:
            continue
        if changed and before >= 0:
            agreed, turned = _agreement(below_left, below_right, left, right)
            if agreed > best:
                best, is_reversed, first, second = agreed, turned, before, i
        weight = weights[i] if len(weights) else 1.0
        if child[i] == 0:
            below_left += weight
        else:
            below_right += weight
        before, changed = i, False
    return best, is_reversed, _midpoint(numbers[origin[first]], numbers[origin[second]]) if best >= 0 else 0.0


@alloc_free
def _agreement(below_left, below_right, left, right):
    """The weight of the rows that agree with a cut in the better direction, -1 for a side too small; whether it is reversed."""
    forward, backward = below_left + (right - below_right), below_right + (left - below_left)
    enough = min(below_left + below_right, left + right - below_left - below_right) >= _LEAST
    return max(forward, backward) if enough else -1.0, backward > forward


@alloc_free
def _midpoint(lower, upper):
    """As `ftree._lib.arrays.midpoint`."""
    middle = lower / 2 + upper / 2
    return middle if lower <= middle < upper else lower


@alloc_free
def _insert(row, feature, agreed, total, largest, is_reversed, at, zero, one, found):
    """Insert a surrogate by its agreement, behind equal ones, if it agrees with more rows than the larger child does."""
    agreement, majority = agreed / total, largest / total
    adjusted = (agreement - majority) / (1 - majority) if majority < 1 else 0.0
    place = found.feature.shape[1]
    while place > 0 and (found.feature[row, place - 1] < 0 or found.agreement[row, place - 1] < agreement):
        place -= 1
    if adjusted <= _SAME or place == found.feature.shape[1]:
        return
    for s in range(found.feature.shape[1] - 1, place, -1):
        found.feature[row, s], found.reverse[row, s] = found.feature[row, s - 1], found.reverse[row, s - 1]
        found.threshold[row, s] = found.threshold[row, s - 1]
        found.low[row, s], found.high[row, s] = found.low[row, s - 1], found.high[row, s - 1]
        found.agreement[row, s], found.adjusted[row, s] = found.agreement[row, s - 1], found.adjusted[row, s - 1]
    found.feature[row, place], found.reverse[row, place], found.threshold[row, place] = feature, is_reversed, at
    found.low[row, place], found.high[row, place] = zero, one
    found.agreement[row, place], found.adjusted[row, place] = agreement, adjusted


@alloc_free
def _fill(row, low, high, first_child, entries, features, child, totals, tables, found):
    """Send rows without an answer to the child of the first surrogate that has one, or else to the larger child."""
    for i in range(low, high):
        if child[i] < 0:
            side = _side_of(row, i, entries, features, tables, found)
            child[i] = side
            totals[first_child + side, entries.classes[i]] += entries.weights[i] if len(entries.weights) else 1.0


@alloc_free
def _side_of(row, i, entries, features, tables, found):
    """The child of one row by the surrogates of a split."""
    for s in range(found.feature.shape[1]):
        f = found.feature[row, s]
        if f < 0:
            break
        place = entries.place[f]
        code = np.int64(entries.codes[i, place]) if place >= 0 else np.int64(0)
        if place >= 0 and code == features.absent[f]:
            continue
        if tables.nominal[f]:
            bit = np.uint64(1) << np.uint64(code)
            if (found.low[row, s] | found.high[row, s]) & bit:
                return np.int64((found.high[row, s] & bit) != 0)
            continue
        value = tables.values[tables.at[f] + code] if place >= 0 else tables.numbers[tables.at[f], entries.origin[i]]
        if not np.isnan(value):
            return np.int64((value > found.threshold[row, s]) != found.reverse[row, s])
    return np.int64(found.default_child[row])
