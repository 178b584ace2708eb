"""The values present in a node with their class counts, one row each (a run), and the best split of such a run.

Runs come from counting small codes or from reading sorted keys. They serve every measure; for thresholds by gain in any
impurity but misclassification `scan` is faster. Each search returns a score (-inf for none), the number of rows on the left,
and whether the choice was too close to call.
"""

import math

import numpy as np

from ftree._lib.jit import alloc_free, inlined_section
from ftree._lib.kernels.callback import call_user_function
from ftree._lib.ties import TIE
from ftree.criteria.impurity import ROUNDING
from ftree.growth.criterion_codes import ENTROPY, GAIN, GINI, GUARD
from ftree.growth.kernels.keys import bits_of
from ftree.growth.kernels.scan import is_user_function


@alloc_free
def tallied(codes, classes, weights, low, high, wanted, n_wanted, begin, n_classes, tally):
    """Count the first `n_wanted` of the wanted coded features of some entries: weights by feature, code and class.

    It goes row by row, so that no addition waits for the one before. `begin` has where the cells of each feature begin, and
    after these the number of all cells.
    """
    k = np.uint64(n_classes)
    for cell in range(begin[n_wanted]):
        tally[cell] = 0
    for i in range(np.uint64(low), np.uint64(high)):  # unsigned, as in `scan`
        c = np.uint64(classes[i])
        for a in range(np.uint64(n_wanted)):
            cell = np.uint64(begin[a]) + np.uint64(codes[i, np.uint64(wanted[a])]) * k + c
            if len(weights):
                tally[cell] += weights[i]
            else:
                tally[cell] += 1


@alloc_free
def tallied_alone(g, j, base, entries, nodes, n_classes, coded_buffers):
    """Count one coded feature of a node, by its column among the codes."""
    only, begin, _, cells = coded_buffers
    only[0], begin[1] = g, base[g + 1] - base[g]
    # Typed as in other calls, so that nothing is compiled twice.
    one, low, high = np.int64(1), nodes.start[j], nodes.end[j]
    tallied(entries.codes, entries.classes, entries.weights, low, high, only, one, begin, n_classes, cells)


@alloc_free
def present_run(tally, at, absent, n_classes, values, counts):
    """The codes of one feature that are present, with their counts; how many. `absent` is the code of a missing value."""
    present = 0
    for code in range(absent):
        filled = False
        for c in range(n_classes):
            counts[present, c] = tally[at + c]
            filled |= tally[at + c] > 0
        values[present] = code
        present += filled
        at += n_classes
    return present


@alloc_free
def sorted_run(keys, weights, low, high, shift, values, counts):
    """Walk sorted keys; how many values are present. They go by the place of their first key."""
    mask, fresh, gone = bits_of(shift)
    present = 0
    for i in range(low, high):
        key = keys[i]
        if key & gone:
            break
        if key & fresh:
            values[present] = i
            for c in range(counts.shape[1]):
                counts[present, c] = 0.0
            present += 1
        counts[present - 1, key & mask] += weights[key >> shift] if len(weights) else 1.0
    return present


@alloc_free
def _part(x, table):
    """X log2 x, from the table where rows are counted and not weighed."""
    if x <= 0:
        return 0.0
    return table[np.uint64(x)] if len(table) else x * math.log2(x)


@alloc_free
def loss_of(counts, impurity, table):
    """One of the library's impurities of class counts times their sum, and the sum."""
    n, inner = 0.0, 0.0
    for c in range(len(counts)):
        n += counts[c]
        if impurity == ENTROPY:
            inner += _part(counts[c], table)
        elif impurity == GINI:
            inner += counts[c] * counts[c]
        else:
            inner = max(inner, counts[c])
    if impurity == ENTROPY:
        return _part(n, table) - inner, n
    if impurity == GINI:
        return (n - inner / n if n > 0 else 0.0), n
    return n - inner, n


@alloc_free
def any_loss_of(counts, impurity, table):
    """The same for a user's impurity as well; and the scale of the rounding error of such losses per case."""
    if not is_user_function(impurity):
        loss, n = loss_of(counts, impurity, table)
        return loss, n, 1.0
    own, n = call_user_function(impurity, counts), 0.0
    for c in range(len(counts)):
        n += counts[c]
    return own * n, n, max(abs(own), 1.0)


@alloc_free
def in_numpys_order(terms, n):
    """The sum of n terms in NumPy's order, exact to the last bit, since the NumPy engine adds up children so; NaN beyond 128.

    NumPy halves longer sums recursively; few nodes have so many children.
    """
    rest, total = n - n % 8, 0.0
    if n > 128:  # noqa: PLR2004  # numpy's block
        return np.nan
    for quarter in range(0, min(rest, 8), 4):
        one, two = _every_eighth(terms, quarter, rest), _every_eighth(terms, quarter + 1, rest)
        total += (one + two) + (_every_eighth(terms, quarter + 2, rest) + _every_eighth(terms, quarter + 3, rest))
    for i in range(rest, n):
        total += terms[i]
    return total


@alloc_free
def _every_eighth(terms, first, last):
    total = 0.0
    for i in range(first, last, 8):
        total += terms[i]
    return total


@alloc_free
def _scored(gain, information, score):
    """A gain, or a gain per bit of split information."""
    gain = 0.0 if -ROUNDING < gain < 0 else gain
    if score == GAIN:
        return gain
    return gain / information if information > 0 else 0.0


@alloc_free
def multiway_score(counts, present, impurity, score, table, whole, losses, sizes):
    """The score of a split into all values present, and whether it was too close to call.

    Here and below, a score by a user's impurity that is not finite is returned as NaN and is too close to call: the NumPy
    engine raises the error.
    """
    for c in range(len(whole)):
        whole[c] = 0.0
    if is_user_function(impurity):
        return _own_multiway_score(counts, present, impurity, score, table, whole, losses, sizes)
    left, parts = 0.0, 0.0
    for row in range(present):
        loss, n = loss_of(counts[row], impurity, table)
        left += loss
        if score != GAIN:
            parts += _part(n, table)
        for c in range(len(whole)):
            whole[c] += counts[row, c]
    loss, n = loss_of(whole, impurity, table)
    return _scored((loss - left) / n, (_part(n, table) - parts) / n if score != GAIN else 0.0, score), False


@inlined_section
def _own_multiway_score(counts, present, impurity, score, table, whole, losses, sizes):
    """By a user's impurity, with the children averaged as `ftree.criteria.gain` does it, to the last bit."""
    n, parts = 0.0, 0.0
    for row in range(present):
        losses[row], sizes[row] = call_user_function(impurity, counts[row]), 0.0
        for c in range(len(whole)):
            whole[c] += counts[row, c]
            sizes[row] += counts[row, c]
        n += sizes[row]
        parts += _part(sizes[row], table)
    for row in range(present):
        losses[row] *= sizes[row] / n
    gain = call_user_function(impurity, whole) - in_numpys_order(losses, present)
    found = _scored(gain, (_part(n, table) - parts) / n, score)
    return (found, False) if np.isfinite(found) else (np.nan, True)


@alloc_free
def best_cut(counts, order, present, impurity, score, table, left, right, scores):
    """The best cut of rows in an order: its score, the number of rows before it, whether it was too close to call."""
    for c in range(counts.shape[1]):
        left[c] = right[c] = 0.0
    for row in range(present):
        for c in range(counts.shape[1]):
            right[c] += counts[row, c]
    if is_user_function(impurity):
        best, n = _own_scores_of_cuts(counts, order, present, impurity, score, table, left, right, scores)
        if np.isnan(best):
            return best, 1, True
    else:
        best, n = _scores_of_cuts(counts, order, present, impurity, score, table, left, right, scores)
    guard = guard_of(n, impurity, score, best)
    for cut in range(present - 1):
        if scores[cut] >= best - TIE - guard:
            return scores[cut], cut + 1, scores[cut] < best - TIE + guard
    return -np.inf, 0, False


@inlined_section
def _scores_of_cuts(counts, order, present, impurity, score, table, left, right, scores):
    """The score of each cut, given the counts of all rows as those on its right; the best of them, and all cases."""
    n_classes = counts.shape[1]
    whole, n = loss_of(right, impurity, table)
    best = -np.inf
    for cut in range(present - 1):
        row = order[cut]
        for c in range(n_classes):
            left[c] += counts[row, c]
            right[c] -= counts[row, c]
        lefts, n_left = loss_of(left, impurity, table)
        rights, n_right = loss_of(right, impurity, table)
        information = 0.0
        if score != GAIN:
            information = (_part(n, table) - _part(n_left, table) - _part(n_right, table)) / n
        scores[cut] = _scored((whole - lefts - rights) / n, information, score)
        best = max(best, scores[cut])
    return best, n


@inlined_section
def _own_scores_of_cuts(counts, order, present, impurity, score, table, left, right, scores):
    """The same by a user's impurity, rounded as `ftree.criteria.gain` rounds; NaN where one is no finite number."""
    n_classes, whole, n, n_left, best = counts.shape[1], call_user_function(impurity, right), 0.0, 0.0, -np.inf
    for c in range(n_classes):
        n += right[c]
    for cut in range(present - 1):
        row = order[cut]
        for c in range(n_classes):
            left[c] += counts[row, c]
            right[c] -= counts[row, c]
            n_left += counts[row, c]
        n_right, information = n - n_left, 0.0
        if score != GAIN:
            information = (_part(n, table) - _part(n_left, table) - _part(n_right, table)) / n
        gain = whole - (n_left / n * call_user_function(impurity, left) + n_right / n * call_user_function(impurity, right))
        scores[cut] = _scored(gain, information, score)
        if not np.isfinite(scores[cut]):
            return np.nan, n
        best = max(best, scores[cut])
    return best, n


@alloc_free
def guard_of(n, impurity, score, best):
    """Bound on the rounding error of scores: a ratio divides by as little as the split information of one row in n.

    Gains in a user's impurity are exact to the last bit; the error of its ratios is in proportion to the best.
    """
    if is_user_function(impurity) and score == GAIN:
        return 0.0
    guard = GUARD if score == GAIN else min(GUARD + 1e-14 * n / math.log2(n + 1.0), TIE / 2)
    return guard * abs(best) if is_user_function(impurity) else guard


@alloc_free
def best_subset(counts, present, impurity, score, table, left, right, scores, order, share):
    """The best division in two, values in the order of a class's share; the order is left in `order`."""
    n_classes = counts.shape[1]
    n_orders = 1 if n_classes <= 2 else n_classes  # noqa: PLR2004  # two classes mirror each other
    best, n, cut, doubt = -np.inf, 0.0, 0, False
    for label in range(n_orders):
        _by_share(counts, present, label, order, share, scores)
        found, cut, unsure = best_cut(counts, order, present, impurity, score, table, left, right, scores)
        if np.isnan(found):
            return np.nan, 1, True
        best = max(best, found)
        doubt |= unsure
    if n_orders == 1:
        return best, cut, doubt
    for row in range(present):
        for c in range(n_classes):
            n += counts[row, c]
    guard = guard_of(n, impurity, score, best)
    for label in range(n_orders):
        _by_share(counts, present, label, order, share, scores)
        found, cut, _ = best_cut(counts, order, present, impurity, score, table, left, right, scores)
        if found >= best - TIE - guard:
            return best, cut, doubt or found < best - TIE + guard
    return best, 0, True


@alloc_free
def _by_share(counts, present, label, order, share, spare):
    for row in range(present):
        n = 0.0
        for c in range(counts.shape[1]):
            n += counts[row, c]
        share[row] = counts[row, label] / n
    in_value_order(order, present)
    merge_sort(order, present, share, spare)


@alloc_free
def merge_sort(order, n, share, spare):
    """Sort an order by shares, equal ones kept as they stand: runs of 1, 2, 4 and so on merged in turn, by way of `spare`."""
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, k = low, middle
            for at in range(low, high):
                if k >= high or (i < middle and share[order[i]] <= share[order[k]]):
                    spare[at], i = order[i], i + 1
                else:
                    spare[at], k = order[k], k + 1
        for at in range(n):
            order[at] = np.int64(spare[at])
        width *= 2


@alloc_free
def in_value_order(order, present):
    """The order of thresholds."""
    for row in range(present):
        order[row] = row
