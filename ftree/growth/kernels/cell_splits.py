"""Splits scored directly from the cells of a count: weights by code and class, one code after another."""

import numpy as np

from ftree._lib.arrays import TIE
from ftree._lib.jit import inlined, section, unwrapped
from ftree.criteria.impurity import ROUNDING
from ftree.growth.kernels.records import ENTROPY, GINI, GUARD, MISCLASSIFICATION, MULTIWAY, THRESHOLD
from ftree.growth.kernels.weighted_cuts import exactly

_ONE, _LAST = np.uint64(1), np.uint64(63)
# The bits of a set: a feature with more codes has none.
BITS = 64


@section
def from_cells(way, counted, impurity, plain_gain, n_table):
    """Whether splits of a kind are scored from the cells directly; `plain_gain` says that gains decide, without any options.

    A user's impurity is not measured from cells.
    """
    if not plain_gain or impurity > MISCLASSIFICATION:
        return False
    if counted:
        return (way == MULTIWAY and n_table > 0) or (way == THRESHOLD and impurity == GINI)
    return impurity < MISCLASSIFICATION and way == MULTIWAY


@unwrapped
def multiway_gain_of_cells(j, at, absent, tally, totals, impurity, table):
    """The gain of a split of one node into all values present, from counts of rows, and their number; -inf for fewer than two."""
    k, at = totals.shape[1], np.uint64(at)
    missing = at + np.uint64(absent * k)
    if impurity == ENTROPY and k == 2:  # noqa: PLR2004  # the two cells of a code side by side
        left, present, rows = _entropy_left_of_two(at, missing, tally, table)
    else:
        left, present, rows = _impurity_left(at, missing, k, tally, impurity, table)
    whole, n = _impurity_of_known(j, missing, rows, tally, totals, impurity, table)
    # Per row of the node, known or not: the share of the known is in it.
    return ((whole - left) / n if present > 1 else -np.inf), present


@section
def _entropy_left_of_two(at, missing, tally, table):
    """The entropy of the children of a feature times their rows, for two classes; the numbers of children and of rows."""
    left, present, rows = 0.0, 0, np.int64(0)
    for cell in range(at, missing, np.uint64(2)):
        one, two = tally[cell], tally[cell + np.uint64(1)]
        left += table[np.uint64(one + two)] - table[np.uint64(one)] - table[np.uint64(two)]
        present += one + two > 0
        rows += one + two
    return left, present, rows


@section
def _impurity_left(at, missing, k, tally, impurity, table):
    """The same by any impurity of the library and for any number of classes."""
    left, present, rows, row = 0.0, 0, np.int64(0), at
    while row < missing:  # as in `scan`, no range with a step
        n, inner = np.int64(0), 0.0
        for cell in range(row, row + np.uint64(k)):
            count = tally[cell]
            n += count
            if impurity == ENTROPY:
                inner += table[np.uint64(count)]
            elif impurity == GINI:
                inner += np.float64(count) * count
            else:
                inner = max(inner, np.float64(count))
        if n > 0:
            present += 1
            rows += n
            left += table[np.uint64(n)] - inner if impurity == ENTROPY else n - (inner / n if impurity == GINI else inner)
        row += np.uint64(k)
    return left, present, rows


@section
def _impurity_of_known(j, missing, rows, tally, totals, impurity, table):
    """The impurity of the rows with a known value times their number, and the number of all rows."""
    inner, n = 0.0, 0.0
    for c in range(np.uint64(totals.shape[1])):
        count = totals[j, c] - tally[missing + c]
        n += totals[j, c]
        if impurity == ENTROPY:
            inner += table[np.uint64(count)]
        elif impurity == GINI:
            inner += count * count
        else:
            inner = max(inner, count)
    if impurity == ENTROPY:
        return table[np.uint64(rows)] - inner, n
    return rows - (inner / max(rows, 1) if impurity == GINI else inner), n


@section
def is_cut_of_codes(way, absent):
    """Whether a kind of splits has thresholds, of so few codes that they are a set of bits."""
    return way == THRESHOLD and absent <= BITS


@inlined
def codes_of_rows(codes, g, low, high, absent):
    """The known codes of a feature that rows have, as a set; all if there are many rows. A code in it may have no rows."""
    present, column, every = np.uint64(0), np.uint64(g), ~np.uint64(0) >> np.uint64((64 - absent) & 63)
    if high - low > 4 * absent:
        return every
    for i in range(np.uint64(low), np.uint64(high)):  # unsigned, as in `scan`
        present |= bit_of(codes[i, column])
    return present & every


@inlined
def gini_cut_of_cells(tally, at, missing, present, k, whole, left, right, found):
    """The gain in Gini of the first best cut, the codes present before it, whether it was too close to call, the known rows.

    The gain is -inf for fewer than two codes. The cells of a feature begin at `at`, those of missing values at `missing`.
    """
    rows, squares = np.int64(0), np.int64(0)
    for c in range(k):
        left[c], right[c] = 0, np.int64(whole[c]) - tally[missing + c]
        rows, squares = rows + right[c], squares + right[c] * right[c]
    n, lefts, rights, below, n_cuts, best = np.float64(rows), np.int64(0), squares, np.int64(0), 0, -np.inf
    total = n - squares / n
    while present and below < rows:
        row = at + np.int64(lowest(present)) * k
        present, above = without_lowest(present), below
        for c in range(k):
            x = tally[row + c]
            lefts, rights, below = lefts + (2 * left[c] + x) * x, rights - (2 * right[c] - x) * x, below + x
            left[c], right[c] = left[c] + x, right[c] - x
        if above < below < rows:
            n_left, n_right = np.float64(below), np.float64(rows - below)
            gain = (total - (n_left - lefts / n_left) - (n_right - rights / n_right)) / n
            found[n_cuts] = 0.0 if -ROUNDING < gain < 0 else gain
            best, n_cuts = max(best, found[n_cuts]), n_cuts + 1
    for cut in range(n_cuts):
        if found[cut] >= best - TIE - GUARD:
            return found[cut], cut + 1, found[cut] < best - TIE + GUARD, n
    return -np.inf, 0, False, 1.0  # the score is multiplied by known rows, of which there may be none


@unwrapped
def gain_of_cells(tally, at, absent, totals, j, impurity):
    """The gain of a split into all values present, per weight of the node, and their number; -inf for fewer than two."""
    k = totals.shape[1]
    left, present, known, everything, missing, row = 0.0, 0, 0.0, 0.0, at + absent * k, at
    while row < missing:
        n, inner, most = 0.0, 0.0, 0.0
        for cell in range(row, row + k):
            n += tally[cell]
            most = max(most, tally[cell])
        present += n > 0
        known += n
        if n > most:  # few values have cases of several classes
            for cell in range(row, row + k):
                x = tally[cell]
                inner += x * x if impurity == GINI else exactly(x)
            left += n - inner / n if impurity == GINI else exactly(n) - inner
        row += k
    if present < 2:  # noqa: PLR2004  # nothing to divide
        return -np.inf, present
    inner = 0.0
    for c in range(k):
        x = totals[j, c] - tally[missing + c]
        everything += totals[j, c]
        inner += x * x if impurity == GINI else exactly(x)
    whole = known - inner / known if impurity == GINI else exactly(known) - inner
    return (whole - left) / everything, present


# Sets of up to 64 small integers as the bits of one integer, whose members are visited one by one.


@inlined
def bit_of(member):
    """The set of one member, taken modulo 64."""
    return _ONE << (np.uint64(member) & _LAST)


@inlined
def without_lowest(members):
    """The set without its lowest member; the empty set stays empty."""
    return members & (members - _ONE)


@inlined
def lowest(members):
    """The lowest member of a set that is not empty."""
    return (np.float64(members & (~members + _ONE)).view(np.uint64) >> np.uint64(52)) - np.uint64(1023)  # its exponent
