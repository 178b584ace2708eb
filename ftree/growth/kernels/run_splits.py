"""The values present in a node with their class counts, one row each (a run), and the best split of such a run.

Runs come from counting small codes or from reading sorted keys. They serve every measure; for thresholds by gain in any
impurity but misclassification `sorted_cuts` is faster. Each search returns a score (-inf for none), the number of rows on the
left, and whether the choice was too close to call.
"""

import math

import numpy as np

from ftree._lib.arrays import TIE
from ftree._lib.jit import inlined, kernel, section, unwrapped
from ftree.criteria.impurity import ROUNDING
from ftree.criteria.impurity_kernels import impurity_of
from ftree.growth.kernels.records import (
    CLASS,
    ENTROPY,
    GAIN,
    GINI,
    GUARD,
    LEAST,
    MOST,
    MULTIWAY,
    OWN,
    SHARE,
    THRESHOLD,
    CriterionTables,
    Run,
)
from ftree.growth.kernels.sorted_cuts import bits_of
from ftree.splitters.runs import SLACK


@unwrapped
def room_for_run(n, n_ways, n_classes):
    """Room for a run of up to n values, and for the scores of `n_ways` divisions."""
    return Run(
        values=np.empty(n, np.int64), counts=np.empty((n, n_classes)), sizes=np.empty(n), order=np.empty(n, np.int64),
        share=np.empty(n), scores=np.empty(n_ways), left=np.empty(n_classes), right=np.empty(n_classes),
    )  # fmt: skip


@section
def without_table(measure):
    """The measure for weighted rows, whose logarithms are taken one by one."""
    impurity, score, plain, slack, factors, whole, steps, unit, table, own = measure
    return CriterionTables(impurity, score, plain, slack, factors, whole, steps, unit, table[:0], own)


@inlined
def tallied(codes, rows, weights, low, high, wanted, n_wanted, begin, ranks, n_classes, tally):
    """Count the first `n_wanted` of the wanted coded features of some entries: weights by feature, code and class.

    It counts row by row, so that no addition waits for the previous one. `begin` has the first cell of each feature, and
    then the number of all cells. `ranks` has the number of each class among the `n_classes` counted ones.
    """
    k = np.uint64(n_classes)
    for cell in range(begin[n_wanted]):
        tally[cell] = 0
    for i in range(np.uint64(low), np.uint64(high)):  # unsigned, as in `scan`
        c = np.uint64(ranks[np.uint64(rows[CLASS, i])])
        for a in range(np.uint64(n_wanted)):
            cell = np.uint64(begin[a]) + np.uint64(codes[i, np.uint64(wanted[a])]) * k + c
            if len(weights):
                tally[cell] += weights[i]
            else:
                tally[cell] += 1


@unwrapped
def tallied_alone(g, absent, codes, rows, weights, low, high, n_classes, tally):
    """Count one coded feature of some entries, by its column among the codes, from cell 0 on."""
    for cell in range((absent + 1) * n_classes):
        tally[cell] = 0
    for i in range(low, high):
        tally[np.int64(codes[i, g]) * n_classes + rows[CLASS, i]] += weights[i] if len(weights) else 1.0


@inlined
def number_classes(totals, j, present_only, ranks):
    """Number the classes, or only those with cases in a node, in their order; their number."""
    k = np.int64(0)
    for c in range(totals.shape[1]):
        ranks[c] = k
        k += totals[j, c] > 0 or not present_only
    return k


@unwrapped
def present_run(tally, at, absent, n_classes, run):
    """The codes of one feature that are present, with their counts; their number. `absent` is the code of a missing value."""
    values, counts, present = run.values, run.counts, 0
    for code in range(absent):
        filled = False
        for c in range(n_classes):
            counts[present, c] = tally[at + c]
            filled |= tally[at + c] > 0
        values[present] = code
        present += filled
        at += n_classes
    return present


@unwrapped
def sorted_run(keys, weights, low, high, shift, run):
    """Walk sorted keys; returns the number of values present, which are named by the place of their first key."""
    mask, fresh, gone = bits_of(shift)
    values, counts, present = run.values, run.counts, 0
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


@inlined
def n_log_n(x, table):
    """X log2 x, from the table if rows are counted without weights."""
    if x <= 0:
        return 0.0
    return table[np.uint64(x)] if len(table) else x * math.log2(x)


@inlined
def library_loss(counts, factors, impurity, table):
    """One of the library's impurities of class counts, times the classes' factors, times their sum; and the sum."""
    n, inner = 0.0, 0.0
    for c in range(len(counts)):
        count = counts[c] * factors[c] if len(factors) else counts[c]
        n += count
        if impurity == ENTROPY:
            inner += n_log_n(count, table)
        elif impurity == GINI:
            inner += count * count
        else:
            inner = max(inner, count)
    if impurity == ENTROPY:
        return n_log_n(n, table) - inner, n
    if impurity == GINI:
        return (n - inner / n if n > 0 else 0.0), n
    return n - inner, n


@unwrapped
def loss_of(counts, measure):
    """The same for a user's impurity as well; and the scale of the rounding error of such losses per case."""
    if measure.impurity != OWN:
        loss, n = library_loss(counts, measure.factors, measure.impurity, measure.table)
        return loss, n, 1.0
    found, n = impurity_of(measure.own, counts), 0.0
    for c in range(len(counts)):
        n += counts[c]
    return found * n, n, max(abs(found), 1.0)


@kernel
def in_numpys_order(terms, n):
    """The sum of n terms in NumPy's order, equal to the last bit to the NumPy engine's sum over children; NaN beyond 128.

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


@unwrapped
def _every_eighth(terms, first, last):
    total = 0.0
    for i in range(first, last, 8):
        total += terms[i]
    return total


@inlined
def _scored(gain, information, score):
    """A gain, or a gain per bit of split information."""
    gain = 0.0 if -ROUNDING < gain < 0 else gain
    if score == GAIN:
        return gain
    return gain / information if information > 0 else 0.0


@inlined
def cases_of_rows(run, present):
    """The cases of each row, and of all of them."""
    counts, sizes, cases = run.counts, run.sizes, 0.0
    for row in range(present):
        sizes[row] = 0.0
        for c in range(counts.shape[1]):
            sizes[row] += counts[row, c]
        cases += sizes[row]
    return cases


@inlined
def least_case(options, f, cases, n_classes):
    """The least cases of a child of one feature, given the known ones; less a slack for the rounding of fractions."""
    return max(min(options[f, SHARE] * cases / n_classes, options[f, MOST]), options[f, LEAST]) - SLACK


@unwrapped
def best_of_run(way, run, present, least, exact, measure):
    """The best split of a run by its kind: score, values on one side, whether too close to call, number of cuts, and the order.

    The values on one side come first in `order`. That of a subset is numbered by the division, where all divisions are tried, or
    by the class by whose share values stand. Here and below, a score by a user's impurity that is not finite is returned as NaN
    and is too close to call: the NumPy engine raises the error.
    """
    if way == MULTIWAY:
        found, unsure = multiway_score(run, present, least, measure)
        return found, present, unsure, 1, 0
    n_classes = run.counts.shape[1]
    if is_divided_in_every_way(way, present, exact, n_classes):
        found, division, unsure = _best_way(run, present, least, measure)
        return found, first_side(division, present, run.order), unsure, 1, division
    n_orders = 1 if way == THRESHOLD or n_classes <= 2 else n_classes  # noqa: PLR2004  # two classes mirror each other
    best, guard, doubt = -np.inf, 0.0, False
    for turn in range(2):  # first the best score of all orders, then the first order that has it
        for label in range(n_orders):
            order_rows(way, label, run, present)
            found, cut, unsure, n_cuts = best_cut(run, present, least, measure)
            if n_orders == 1 or np.isnan(found):
                return found, cut, unsure, n_cuts, label
            if turn == 0:
                best = max(best, found)
                doubt |= unsure
            elif found >= best - TIE - guard:
                return best, cut, doubt or found < best - TIE + guard, n_cuts, label
        if best == -np.inf:
            return best, 0, doubt, 0, 0
        cases = 0.0
        for row in range(present):
            cases += run.sizes[row]
        guard = guard_of(cases, measure, best)
    return best, 0, True, 0, 0


@section
def is_divided_in_every_way(way, present, exact, n_classes):
    """Whether a split tries every division of values: few values of more than two classes; two classes mirror each other."""
    return way != THRESHOLD and n_classes > 2 and present <= exact  # noqa: PLR2004  # as above


@section
def multiway_score(run, present, least, measure):
    """The score of a split into all values present, two of which have the least cases, and whether it was too close to call.

    Here and below, a score by a user's impurity that is not finite is returned as NaN and is too close to call: the NumPy
    engine raises the error.
    """
    counts, sizes, whole, score, table, large = run.counts, run.sizes, run.left, measure.score, measure.table, 0
    for row in range(present):
        large += sizes[row] >= least
    if large < 2:  # noqa: PLR2004  # two children
        return -np.inf, False
    for c in range(len(whole)):
        whole[c] = 0.0
    if measure.impurity == OWN:
        return _own_multiway_score(run, present, score, table, measure.own)
    left, parts = 0.0, 0.0
    for row in range(present):
        loss, n = library_loss(counts[row], measure.factors, measure.impurity, table)
        left += loss
        if score != GAIN:
            parts += n_log_n(n, table)
        for c in range(len(whole)):
            whole[c] += counts[row, c]
    loss, n = library_loss(whole, measure.factors, measure.impurity, table)
    n = n if n > 0 else 1.0  # a node may have only classes whose prior is 0
    return _scored((loss - left) / n, (n_log_n(n, table) - parts) / n if score != GAIN else 0.0, score), False


@unwrapped
def _own_multiway_score(run, present, score, table, own):
    """By a user's impurity, with the children averaged as `ftree.criteria.gain` does it, to the last bit."""
    counts, sizes, losses, whole, n, parts = run.counts, run.sizes, run.scores, run.left, 0.0, 0.0
    for row in range(present):
        losses[row] = impurity_of(own, counts[row])
        for c in range(len(whole)):
            whole[c] += counts[row, c]
        n += sizes[row]
        parts += n_log_n(sizes[row], table)
    for row in range(present):
        losses[row] *= sizes[row] / n
    gain = impurity_of(own, whole) - in_numpys_order(losses, present)
    found = _scored(gain, (n_log_n(n, table) - parts) / n, score)
    return (found, False) if np.isfinite(found) else (np.nan, True)


@unwrapped
def best_cut(run, present, least, measure):
    """The best cut of rows in an order with the least cases on both sides.

    Returns its score, the number of rows before it, whether it was too close to call, and the number of such cuts.
    """
    counts, sizes, left, right, cases = run.counts, run.sizes, run.left, run.right, 0.0
    for c in range(counts.shape[1]):
        left[c] = right[c] = 0.0
    for row in range(present):
        cases += sizes[row]
        for c in range(counts.shape[1]):
            right[c] += counts[row, c]
    if measure.impurity == OWN:
        best, n_cuts = _own_scores_of_cuts(run, present, least, cases, measure.score, measure.table, measure.own)
        if np.isnan(best):
            return best, 1, True, n_cuts
    else:
        best, n_cuts = _scores_of_cuts(run, present, least, cases, measure)
    scores, guard = run.scores, guard_of(cases, measure, best)
    for cut in range(present - 1 if n_cuts else 0):
        if scores[cut] >= best - TIE - guard:
            return scores[cut], cut + 1, scores[cut] < best - TIE + guard, n_cuts
    return -np.inf, 0, False, n_cuts


@section
def _scores_of_cuts(run, present, least, cases, measure):
    """The score of each cut, given the counts of all rows as those on its right; the best of them, and their number.

    Cuts with fewer than the least cases on a side have the score -inf and do not count.
    """
    counts, sizes, order, scores, left, right = run.counts, run.sizes, run.order, run.scores, run.left, run.right
    factors, impurity, score, table, n_classes = measure.factors, measure.impurity, measure.score, measure.table, counts.shape[1]
    whole, n = library_loss(right, factors, impurity, table)
    n = n if n > 0 else 1.0  # as above
    best, n_cuts, below = -np.inf, 0, 0.0
    for cut in range(present - 1):
        row = order[cut]
        below += sizes[row]
        for c in range(n_classes):
            left[c] += counts[row, c]
            right[c] -= counts[row, c]
        scores[cut] = -np.inf
        if min(below, cases - below) < least:
            continue
        n_cuts += 1
        lefts, n_left = library_loss(left, factors, impurity, table)
        rights, n_right = library_loss(right, factors, impurity, table)
        information = 0.0
        if score != GAIN:
            information = (n_log_n(n, table) - n_log_n(n_left, table) - n_log_n(n_right, table)) / n
        scores[cut] = _scored((whole - lefts - rights) / n, information, score)
        best = max(best, scores[cut])
    return best, n_cuts


@unwrapped
def _own_scores_of_cuts(run, present, least, cases, score, table, own):
    """The same by a user's impurity, rounded as `ftree.criteria.gain` rounds; NaN if one is not finite."""
    counts, sizes, order, scores, left, right = run.counts, run.sizes, run.order, run.scores, run.left, run.right
    n_classes, whole, n_left, best, n_cuts = counts.shape[1], impurity_of(own, right), 0.0, -np.inf, 0
    for cut in range(present - 1):
        row = order[cut]
        n_left += sizes[row]
        for c in range(n_classes):
            left[c] += counts[row, c]
            right[c] -= counts[row, c]
        n_right, information = cases - n_left, 0.0
        scores[cut] = -np.inf
        if min(n_left, n_right) < least:
            continue
        n_cuts += 1
        if score != GAIN:
            information = (n_log_n(cases, table) - n_log_n(n_left, table) - n_log_n(n_right, table)) / cases
        gain = whole - (n_left / cases * impurity_of(own, left) + n_right / cases * impurity_of(own, right))
        scores[cut] = _scored(gain, information, score)
        if not np.isfinite(scores[cut]):
            return np.nan, n_cuts
        best = max(best, scores[cut])
    return best, n_cuts


@inlined
def guard_of(n, measure, best):
    """Bound on the rounding error of scores: a ratio divides by as little as the split information of one row in n.

    Gains in a user's impurity are exact to the last bit; the error of its ratios is in proportion to the best.
    """
    by_gain, is_own = measure.score == GAIN, measure.impurity == OWN
    if is_own and by_gain:
        return 0.0
    guard = GUARD if by_gain else min(GUARD + 1e-14 * n / math.log2(n + 1.0), TIE / 2)
    return guard * abs(best) if is_own else guard


@section
def _is_first_side(way, row, present):
    """Whether a division has a row on the side of the first one. Divisions are numbered as `itertools.product((1, 0))` does."""
    return row == 0 or not (way >> (present - 1 - row)) & 1


@section
def _best_way(run, present, least, measure):
    """The best of all divisions of the rows in two, the first of equals: its score, number, whether it was too close to call."""
    counts, sizes, scores, one, other = run.counts, run.sizes, run.scores, run.left, run.right
    best, cases, ways = -np.inf, 0.0, 1 << (present - 1)
    for row in range(present):
        cases += sizes[row]
    for way in range(1, ways):
        below = 0.0
        for c in range(counts.shape[1]):
            one[c] = other[c] = 0.0
        for row in range(present):
            first = _is_first_side(way, row, present)
            below += sizes[row] if first else 0.0
            for c in range(counts.shape[1]):
                one[c] += counts[row, c] if first else 0.0
                other[c] += 0.0 if first else counts[row, c]
        scores[way] = -np.inf
        if min(below, cases - below) >= least:
            scores[way] = two_sides_score(one, other, measure)
            if np.isnan(scores[way]):
                return np.nan, 1, True
            best = max(best, scores[way])
    guard = guard_of(cases, measure, best)
    for way in range(1, ways if best > -np.inf else 1):
        if scores[way] >= best - TIE - guard:
            return best, way, scores[way] < best - TIE + guard
    return -np.inf, 0, False


@section
def two_sides_score(one, other, measure):
    """The score of two children, given their class counts; NaN if it is not finite."""
    (lefts, n_left, _), (rights, n_right, _) = loss_of(one, measure), loss_of(other, measure)
    n, information, table, by_own = n_left + n_right, 0.0, measure.table, measure.impurity == OWN
    n = n if n > 0 else 1.0  # as above
    if by_own:  # rounded as above
        left = n_left / n * impurity_of(measure.own, one) + n_right / n * impurity_of(measure.own, other)
    else:
        left = (lefts + rights) / n
    for c in range(len(one)):
        one[c] += other[c]
    whole = loss_of(one, measure)[0] / n if not by_own else impurity_of(measure.own, one)
    if measure.score != GAIN:
        information = (n_log_n(n, table) - n_log_n(n_left, table) - n_log_n(n_right, table)) / n
    found = _scored(whole - left, information, measure.score)
    return found if np.isfinite(found) else np.nan


@section
def first_side(way, present, order):
    """Order the rows of a division: those on the side of the first row, then the others; the number of the former."""
    n, at = 0, 0
    for row in range(present):
        n += _is_first_side(way, row, present)
    rest = n
    for row in range(present):
        if _is_first_side(way, row, present):
            order[at], at = row, at + 1
        else:
            order[rest], rest = row, rest + 1
    return n


@section
def order_rows(way, label, run, present):
    """Order the rows for cuts: by value for a threshold, else by the share of a class."""
    counts, sizes, order, share = run.counts, run.sizes, run.order, run.share
    in_value_order(order, present)
    if way != THRESHOLD:
        for row in range(present):
            share[row] = counts[row, label] / sizes[row]
        merge_sort(order, present, share, run.scores)


@unwrapped
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


@inlined
def in_value_order(order, present):
    """The order of thresholds."""
    for row in range(present):
        order[row] = row
