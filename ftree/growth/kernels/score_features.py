"""The search over features and nodes: the score of every feature's best split in every node.

Kernels loop over whole levels, since a call from Python costs as much as a small node. A value is known by its code, or by the
place of its first key in a node. Scores and cuts are the layers that `records` numbers.
"""

import math

import numpy as np

from ftree._lib.arrays import TIE
from ftree._lib.jit import inlined, kernel, section, unwrapped
from ftree.growth.kernels.cell_splits import (
    codes_of_rows,
    from_cells,
    gain_of_cells,
    gini_cut_of_cells,
    is_cut_of_codes,
    multiway_gain_of_cells,
)
from ftree.growth.kernels.records import (
    ABSENT,
    COUNTED,
    CUT,
    EMPTY,
    END,
    ENTROPY,
    EXACT,
    GUARD,
    INFORMATION,
    MDL,
    MISCLASSIFICATION,
    MULTIWAY,
    NONE,
    ORDER,
    PLACE,
    SCORE,
    START,
    SUBSET,
    THRESHOLD,
    UNSURE,
    WAY,
    Run,
)
from ftree.growth.kernels.run_splits import (
    best_of_run,
    cases_of_rows,
    least_case,
    n_log_n,
    number_classes,
    present_run,
    room_for_run,
    sorted_run,
    tallied,
    without_table,
)
from ftree.growth.kernels.sorted_cuts import bits_of, entropy_cut, gini_cut, own_cut
from ftree.growth.kernels.weighted_cuts import at_once, exactly, weighted_cut

# A node with fewer known rows is not cut.
_PAIR = 2
# Cuts that a pass lists at a time.
_AT_ONCE = 512


@kernel
def find_counted(weights, n_table, nodes):
    """Mark the nodes in which rows are counted, since all weights are 1, if there is a table for counts."""
    for j in range(nodes.shape[1]):
        counted = n_table > 0 or len(weights) == 0
        if len(weights) and counted:
            for i in range(nodes[START, j], nodes[END, j]):
                counted &= weights[i] == 1
        nodes[COUNTED, j] = counted


# Thresholds of sorted features, found in one pass. `wanted` has the features.


@kernel
def score_counted(wanted, columns, keys, nodes, totals, measure, scores):
    """Score the thresholds of sorted features, by entropy or Gini, in the nodes whose rows are counted."""
    features, shift, k, none = columns.features, columns.shift, totals.shape[1], np.empty(0)
    whole, steps, unit = measure.whole, measure.steps, measure.unit
    shares, left, right = np.empty(k), np.empty(k, np.int64), np.empty(k, np.int64)
    at, count = np.empty(_AT_ONCE, np.int64), np.empty(_AT_ONCE, np.int64)
    for f in wanted:
        lane = keys[-1 - features[PLACE, f]]
        for j in range(nodes.shape[1]):
            if nodes[COUNTED, j]:
                low = nodes[START, j]
                high, known = known_keys(j, lane, nodes, none, totals, shift, shares, right)
                if high - low >= _PAIR:
                    if measure.impurity == ENTROPY:
                        found = entropy_cut(lane, low, high, shift, left, right, whole, steps, unit, at, count)
                    else:
                        found = gini_cut(lane, low, high, shift, left, right, at, count)
                    _note_cut(f, j, low, found[0] * known, found[1], found[2], scores)


@kernel
def score_by_weights(wanted, columns, entries, nodes, totals, impurity, scores):
    """The same in nodes of weighted rows, by entropy or by Gini."""
    features, shift, weights, k = columns.features, columns.shift, entries.weights, totals.shape[1]
    m = at_once(k)
    shares, left, right, lefts = np.empty(k), np.empty(k), np.empty(k, np.int64), np.empty((k + 1, m))
    rough, at = np.empty(m), np.empty(m, np.int64)
    for f in wanted:
        lane = entries.keys[-1 - features[PLACE, f]]
        for j in range(nodes.shape[1]):
            if nodes[COUNTED, j]:
                continue
            low = nodes[START, j]
            high, known = known_keys(j, lane, nodes, weights, totals, shift, shares, right)
            if high - low >= _PAIR:
                gain, where, unsure = weighted_cut(lane, low, high, shift, weights, left, lefts, rough, at, shares, impurity)
                _note_cut(f, j, low, gain * known, where, unsure, scores)


@kernel
def score_by_own(wanted, columns, entries, nodes, totals, scores, own):
    """The same by a user's impurity, in all nodes."""
    features, shift, weights, k = columns.features, columns.shift, entries.weights, totals.shape[1]
    shares, left, right, whole = np.empty(k), np.empty(k), np.empty(k), np.empty(k, np.int64)
    for f in wanted:
        lane = entries.keys[-1 - features[PLACE, f]]
        for j in range(nodes.shape[1]):
            high, known = known_keys(j, lane, nodes, weights, totals, shift, shares, whole)
            if high - nodes[START, j] >= _PAIR:
                found = own_cut(lane, nodes[START, j], high, shift, weights, left, right, shares, own)
                _note_cut(f, j, nodes[START, j], found[0] * known, found[1], found[2], scores)


@unwrapped
def known_keys(j, lane, nodes, weights, totals, shift, shares, whole):
    """The end of a node's known keys, since missing ones are last, and their share of its cases.

    Their class counts are written to `shares` and, as whole numbers, to `whole`.
    """
    (mask, _, gone), n, known = bits_of(shift), 0.0, 0.0
    low, high = nodes[START, j], nodes[END, j]
    for c in range(len(shares)):
        shares[c] = totals[j, c]
        n += totals[j, c]
    while high > low and lane[high - 1] & gone:
        high -= 1
        shares[lane[high] & mask] -= weights[lane[high] >> shift] if len(weights) else 1.0
    for c in range(len(shares)):
        known += shares[c]
        whole[c] = np.int64(shares[c])
    return high, known / n


@inlined
def _note_cut(f, j, low, gain, where, unsure, scores):
    """Note the score of a cut; one before the first key is none."""
    if where != low:
        scores.score[SCORE, f, j], scores.cut[CUT, f, j], scores.cut[UNSURE, f, j] = gain, where, unsure


# Splits by the values present.


@kernel
def score_by_values(in_order, coded, first, last, columns, entries, nodes, totals, measure, run_sizes, scores):
    """Score features by the values present in nodes first to last; `run_sizes` are the most values and ways to divide them.

    Coded features are scored where their score is not -inf, which says that they have one value; their thresholds are scored by
    the classes present in a node.
    """
    features, shift, weights, by_weights = columns.features, columns.shift, entries.weights, without_table(measure)
    run = room_for_run(run_sizes[0], run_sizes[1], totals.shape[1])
    for f in in_order:
        lane = entries.keys[-1 - features[PLACE, f]]
        for j in range(first, last):
            present = sorted_run(lane, weights, nodes[START, j], nodes[END, j], shift, run)
            given = by_weights if len(weights) else measure
            score_run(f, j, features[WAY, f], present, columns.options, run, totals, given, scores)
    if len(coded):
        _score_coded(coded, first, last, columns, entries, nodes, totals, measure, by_weights, run, scores)


@section
def _score_coded(wanted, first, last, columns, entries, nodes, totals, measure, by_weights, room, scores):
    """Score coded features."""
    features, codes, rows, weights = columns.features, entries.codes, entries.rows, entries.weights
    score, cut = scores
    impurity, table, factors = measure.impurity, measure.table, measure.factors
    n_classes, nothing = totals.shape[1], table[:0]
    every, shares = np.empty(len(room.values) * n_classes), np.empty(n_classes)
    ranks, ahead, behind = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    places, live, begin = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64), np.zeros(len(wanted) + 1, np.int64)
    cells, only_cuts = 0, impurity <= MISCLASSIFICATION and len(factors) == 0
    for f in wanted:
        cells += (features[ABSENT, f] + 1) * n_classes
        only_cuts &= features[WAY, f] == THRESHOLD
    whole, parts = np.empty(cells if len(table) or not len(weights) else 0, np.int64), np.empty(cells if len(weights) else 0)
    for j in range(first, last):
        low, high, counted = nodes[START, j], nodes[END, j], nodes[COUNTED, j] != 0
        k = number_classes(totals, j, only_cuts and counted, ranks)
        run = _of_classes(room, every, k)
        n_live = _listed_live(wanted, features, j, k, score, live, places, begin)
        if counted:
            tallied(codes, rows, nothing, low, high, places, n_live, begin, ranks, k, whole)
            if only_cuts and k < n_classes:
                _shares_of_present(totals, j, shares)
            else:
                for c in range(n_classes):
                    shares[c] = totals[j, c]
        else:
            tallied(codes, rows, weights, low, high, places, n_live, begin, ranks, k, parts)
        for a in range(n_live):
            f, at = live[a], begin[a]
            way, absent = features[WAY, f], features[ABSENT, f]
            by_cells = from_cells(way, counted, impurity, measure.plain and measure.score == 0, len(table))
            if way == NONE:
                continue
            if by_cells and way == MULTIWAY:
                if counted:
                    gain, present = multiway_gain_of_cells(j, at, absent, whole, totals, impurity, table)
                else:
                    gain, present = gain_of_cells(parts, at, absent, totals, j, impurity)
                score[SCORE, f, j], cut[CUT, f, j] = gain, present
            elif by_cells and counted and is_cut_of_codes(way, absent):
                there = codes_of_rows(codes, places[a], low, high, absent)
                found = gini_cut_of_cells(whole, at, at + absent * k, there, k, shares, ahead, behind, room.scores)
                score[SCORE, f, j], cut[CUT, f, j] = found[0] * (found[3] / _sum(shares, k)), found[1]
                cut[UNSURE, f, j] = found[2]
            else:
                present = present_run(whole, at, absent, k, run) if counted else present_run(parts, at, absent, k, run)
                given = measure if counted else by_weights
                score_run(f, j, way, present, columns.options, run, totals, given, scores)


@section
def _listed_live(wanted, features, j, k, score, live, places, begin):
    """List the features to score in a node of k classes, whose score is not -inf, and where their cells begin; their number."""
    n = np.int64(0)
    for f in wanted:
        if score[SCORE, f, j] > -np.inf:
            score[SCORE, f, j], live[n], places[n] = -np.inf, f, features[PLACE, f]
            begin[n + 1] = begin[n] + (features[ABSENT, f] + 1) * k
            n += 1
    return n


@section
def _of_classes(room, every, k):
    """The room for a run of nodes with k classes; `every` is for the counts."""
    counts = every[: len(room.values) * k].reshape((len(room.values), k))
    return Run(room.values, counts, room.sizes, room.order, room.share, room.scores, room.left[:k], room.right[:k])


@section
def _shares_of_present(totals, j, shares):
    """The counts of the classes that are present in a node."""
    rank = 0
    for c in range(totals.shape[1]):
        if totals[j, c] > 0:
            shares[rank], rank = totals[j, c], rank + 1


@section
def _sum(shares, k):
    """The sum of the first k counts."""
    n = 0.0
    for c in range(k):
        n += shares[c]
    return n


@section
def score_run(f, j, way, present, options, run, totals, measure, scores):
    """Score a feature in a node by its run: the score times the known share, the cut, whether it is in doubt."""
    score, cut, counts = scores.score, scores.cut, run.counts
    score[SCORE, f, j], cut[CUT, f, j] = -np.inf, 0
    if present < 2:  # noqa: PLR2004  # nothing to divide
        return
    cases = cases_of_rows(run, present)
    least = least_case(options, f, cases, totals.shape[1])
    found, at, unsure, n_cuts, order = best_of_run(way, run, present, least, options[f, EXACT], measure)
    if options[f, MDL] and n_cuts:
        found -= math.log2(n_cuts) / cases
        near = 2 * TIE if unsure else GUARD  # the NumPy engine decides what rounding may move to the other side
        unsure |= abs(found - TIE) < near
        found = found if found > TIE - near else -np.inf
    if found == -np.inf:
        return
    known = _known_share(counts, present, measure.factors, totals, j)
    score[SCORE, f, j], cut[UNSURE, f, j] = found * known, cut[UNSURE, f, j] or unsure
    cut[CUT, f, j], cut[ORDER, f, j] = max(at, np.int64(options[f, EMPTY])) if way == MULTIWAY else at, order
    if way == SUBSET and not _has_lowest(run.order, at):
        cut[CUT, f, j], cut[ORDER, f, j] = present - at, ~order
    if len(score) > INFORMATION:
        score[INFORMATION, f, j] = _split_information(way, at, present, cases, known, measure.table, run.sizes, run.order)


@inlined
def _has_lowest(order, at):
    """Whether the first rows of an order have the lowest value of all: that of row 0, since values rise with their row."""
    found = False
    for row in range(at):
        found |= order[row] == 0
    return found


@unwrapped
def _split_information(way, at, present, cases, share, table, sizes, order):
    """The split information of a run's best split; cases with a missing value are one more child."""
    inner, below = 0.0, 0.0
    for row in range(present):
        if way == MULTIWAY:
            inner += n_log_n(sizes[row], table)
        elif row < at:
            below += sizes[order[row]]
    if way != MULTIWAY:
        inner = n_log_n(below, table) + n_log_n(cases - below, table)
    known = (n_log_n(cases, table) - inner) / cases
    return share * known - exactly(share) - exactly(1.0 - share)


@inlined
def _known_share(counts, present, factors, totals, j):
    known, n = 0.0, 0.0
    for c in range(totals.shape[1]):
        n += totals[j, c] * (factors[c] if len(factors) else 1.0)
    for c in range(counts.shape[1]):
        factor = factors[c] if len(factors) else 1.0
        for row in range(present):
            known += counts[row, c] * factor
    return known / n if n > 0 else 0.0  # a node may have only classes whose prior is 0
