"""Surrogates of the splits of a level: for each split in two of some features, those of other features that agree most.

The plain twin is `ftree.splitters.surrogates`. Counts are sums of whole weights, or of multiples of a power of two, so they are
exact in any order, and both find the same surrogates. Rows whose value of the split is missing are given their child here.
"""

import numpy as np

from ftree._lib.jit import kernel, section, unwrapped
from ftree.growth.kernels.cell_splits import bit_of, lowest, without_lowest
from ftree.growth.kernels.records import ABSENT, CLASS, END, NOMINAL, ORIGIN, PLACE, START, VALUES_AT
from ftree.growth.kernels.sorted_cuts import bits_of

# As in the plain twin: the least adjusted agreement.
_SAME = 1e-10
# What is found of a surrogate, as `records.FoundSurrogates` has it.
_FEATURE, _REVERSE = range(2)
_LOW, _HIGH = range(2)
_AT, _AGREEMENT, _ADJUSTED = range(3)


@kernel
def find_surrogates(first, last, least, wanted, nodes, columns, entries, child, totals, values, found):
    """Find the surrogates of the splits from `first` to `last` of a level, and give their rows without an answer a child.

    They fill `found`, in which no split has any; each sends `least` cases both ways. `wanted` (N, 3) has the node, the feature
    and the first child of each split, `child` (n,) the children by the splits themselves; the class counts of rows that get one
    here are added to those of the children, `totals`. `values` has those of each feature, by code or by row of the table.
    """
    features, rows, weights = columns.features, entries.rows, entries.weights
    tally, at_most = np.zeros((_most_codes(features) + 1, 2)), found.which.shape[2]
    for s in range(first, last):
        low, high = nodes[START, wanted[s, 0]], nodes[END, wanted[s, 0]]
        left, right, missing = _known_sides(low, high, child, weights)
        found.default_child[s] = right > left
        # One that agrees on more rows than the larger child has sends less than twice the smaller child's cases one way.
        if min(left, right) > least / 2 and at_most:
            _find(s, least, wanted[s, 1], low, high, left, right, columns, entries, child, values, tally, found)
        for i in range(low, high if missing else low):
            if child[i] < 0:
                child[i] = _side_of(s, i, features, entries.codes, rows, values, found)
                totals[wanted[s, 2] + child[i], rows[CLASS, i]] += weights[i] if len(weights) else 1.0


@section
def _most_codes(features):
    """The most codes of a coded feature."""
    most = 0
    for f in range(features.shape[1]):
        most = max(most, features[ABSENT, f] if features[PLACE, f] >= 0 else 0)
    return most


@section
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


@section
def _find(s, least, own, low, high, left, right, columns, entries, child, values, tally, found):
    """The surrogates of one split, of all features but its own."""
    features, shift = columns.features, columns.shift
    keys, codes, rows, weights = entries.keys, entries.codes, entries.rows, entries.weights
    for f in range(features.shape[1]):
        if f == own:
            continue
        place, zero, one, at, is_reversed = features[PLACE, f], np.uint64(0), np.uint64(0), 0.0, False
        if place < 0:
            agreed, is_reversed, at = _cut_of_keys(
                keys[-1 - place], low, high, left, right, least, shift, rows, weights, child, values, features[VALUES_AT, f]
            )
        else:
            seen = _tally(codes, place, low, high, weights, child, tally)
            absent = features[ABSENT, f]
            known_left, known_right = left - tally[absent, 0], right - tally[absent, 1]
            tally[absent, 0] = tally[absent, 1] = 0.0
            if features[NOMINAL, f]:
                agreed, zero, one = _sides_of_codes(seen, known_left, known_right, least, tally)
            else:
                given = tally, values, features[VALUES_AT, f]
                agreed, is_reversed, at = _cut_of_codes(seen, known_left, known_right, least, *given)
        if agreed > max(left, right):
            _insert(s, f, agreed, left + right, max(left, right), is_reversed, at, zero, one, found)


@section
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


@section
def _sides_of_codes(codes, left, right, least, tally):
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
    return agreed if min(weights_low, weights_high) >= least else -1.0, low, high


@unwrapped
def _cut_of_codes(codes, left, right, least, tally, values, at):
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
            agreed, turned = _agreement(below_left, below_right, left, right, least)
            if agreed > best:
                best, is_reversed, first, second = agreed, turned, before, code
        below_left, below_right, before = below_left + one, below_right + two, code
    return best, is_reversed, _midpoint(values[at + first], values[at + second]) if best >= 0 else 0.0


@unwrapped
def _cut_of_keys(lane, low, high, left, right, least, shift, rows, weights, child, values, start):
    """The same for a sorted feature: `lane` has its keys."""
    _, fresh, gone = bits_of(shift)
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
            agreed, turned = _agreement(below_left, below_right, left, right, least)
            if agreed > best:
                best, is_reversed, first, second = agreed, turned, before, i
        weight = weights[i] if len(weights) else 1.0
        if child[i] == 0:
            below_left += weight
        else:
            below_right += weight
        before, changed = i, False
    if best < 0:
        return best, is_reversed, 0.0
    return best, is_reversed, _midpoint(values[start + rows[ORIGIN, first]], values[start + rows[ORIGIN, second]])


@unwrapped
def _agreement(below_left, below_right, left, right, least):
    """The weight of the rows that agree with a cut in the better direction, -1 for a side too small; whether it is reversed."""
    forward, backward = below_left + (right - below_right), below_right + (left - below_left)
    enough = min(below_left + below_right, left + right - below_left - below_right) >= least
    return max(forward, backward) if enough else -1.0, backward > forward


@unwrapped
def _midpoint(lower, upper):
    """As `ftree._lib.arrays.midpoint`."""
    middle = lower / 2 + upper / 2
    return middle if lower <= middle < upper else lower


@section
def _insert(s, feature, agreed, total, largest, is_reversed, at, zero, one, found):
    """Insert a surrogate by its agreement, behind equal ones, if it agrees with more rows than the larger child does."""
    _, which, sides, figures = found
    agreement, majority = agreed / total, largest / total
    adjusted = (agreement - majority) / (1 - majority) if majority < 1 else 0.0
    last = which.shape[2]
    place = last
    while place > 0 and (which[_FEATURE, s, place - 1] < 0 or figures[_AGREEMENT, s, place - 1] < agreement):
        place -= 1
    if adjusted <= _SAME or place == last:
        return
    for behind in range(last - 1, place, -1):
        for layer in range(2):
            which[layer, s, behind], sides[layer, s, behind] = which[layer, s, behind - 1], sides[layer, s, behind - 1]
        for layer in range(3):
            figures[layer, s, behind] = figures[layer, s, behind - 1]
    which[_FEATURE, s, place], which[_REVERSE, s, place] = feature, is_reversed
    sides[_LOW, s, place], sides[_HIGH, s, place] = zero, one
    figures[_AT, s, place], figures[_AGREEMENT, s, place], figures[_ADJUSTED, s, place] = at, agreement, adjusted


@section
def _side_of(s, i, features, codes, rows, values, found):
    """The child of one row by the surrogates of a split; the larger one if none has an answer."""
    default_child, which, sides, figures = found
    for place in range(which.shape[2]):
        f = which[_FEATURE, s, place]
        if f < 0:
            break
        column = features[PLACE, f]
        code = np.int64(codes[i, column]) if column >= 0 else np.int64(rows[ORIGIN, i])
        if column >= 0 and code == features[ABSENT, f]:
            continue
        if features[NOMINAL, f]:
            bit = np.uint64(1) << np.uint64(code)
            if (sides[_LOW, s, place] | sides[_HIGH, s, place]) & bit:
                return np.int64((sides[_HIGH, s, place] & bit) != 0)
            continue
        value = values[features[VALUES_AT, f] + code]
        if not np.isnan(value):
            return np.int64((value > figures[_AT, s, place]) != (which[_REVERSE, s, place] != 0))
    return np.int64(default_child[s])
