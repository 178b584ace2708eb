"""Each node's choice among the scored features, and the split it gets: values on both sides or listed, and its children."""

import numpy as np

from ftree._lib.arrays import TIE
from ftree._lib.jit import kernel, section, unwrapped
from ftree.growth.kernels.records import (
    ABSENT,
    CUT,
    EMPTY,
    END,
    EXACT,
    FEATURE,
    FIRST_CHILD,
    FIRST_CODE,
    GUARD,
    INFORMATION,
    KIND,
    LOWER,
    MANY,
    MULTIWAY,
    N_OF_SPLIT,
    NONE,
    ORDER,
    ORIGIN,
    PLACE,
    ROW_LOWER,
    ROW_UPPER,
    SCORE,
    START,
    THRESHOLD,
    UNSURE,
    UPPER,
    WAY,
)
from ftree.growth.kernels.run_splits import (
    cases_of_rows,
    first_side,
    guard_of,
    is_divided_in_every_way,
    order_rows,
    present_run,
    room_for_run,
    sorted_run,
    tallied_alone,
)
from ftree.growth.kernels.score_features import known_keys
from ftree.growth.kernels.sorted_cuts import bits_of

# Both choices return a table of splits, without values, which nodes are in doubt, and the features that might be chosen in a
# node: where a feature's own cut is unsure, its score may be a tie higher, and NaN marks a score whose error the NumPy engine
# raises.


@kernel
def choose_by_score(scores, features, totals, measure):
    """Each node's first feature within a tie of its best, none if none splits it; which nodes are too close to call."""
    score, cut = scores
    _, n_features, n_nodes = score.shape
    splits, doubt = np.zeros((N_OF_SPLIT, n_nodes + 1), np.int64), np.zeros(n_nodes, np.bool_)
    rivals = np.zeros((n_features, n_nodes), np.bool_)
    for j in range(n_nodes):
        best = -np.inf
        splits[FEATURE, j] = -1
        for f in range(n_features):
            best = max(best, score[SCORE, f, j])  # ignores NaN
            if np.isnan(score[SCORE, f, j]):
                rivals[f, j] = doubt[j] = True
        if best == -np.inf:
            continue
        n = 0.0
        for c in range(totals.shape[1]):
            n += totals[j, c]
        guard = guard_of(n, measure, best) + 2.0 / measure.unit
        for f in range(n_features):
            if score[SCORE, f, j] >= best - 3 * (TIE + guard):
                rivals[f, j] = True
                doubt[j] |= cut[UNSURE, f, j] != 0
            if splits[FEATURE, j] < 0 and score[SCORE, f, j] >= best - TIE - guard:
                splits[FEATURE, j] = f
                doubt[j] |= score[SCORE, f, j] < best - TIE + guard
    _lay_out(cut, features, splits)
    return splits, doubt, rivals


@kernel
def choose_by_gain_ratio(scores, features, options, slack):
    """As `ftree.splitters.by_gain_ratio` does; a node in doubt needs all features, since all are in the mean."""
    score, cut = scores
    _, n_features, n_nodes = score.shape
    splits, doubt = np.zeros((N_OF_SPLIT, n_nodes + 1), np.int64), np.zeros(n_nodes, np.bool_)
    rivals = np.zeros((n_features, n_nodes), np.bool_)
    for j in range(n_nodes):
        n, total, best, unsure = 0, 0.0, -np.inf, False
        for f in range(n_features):
            unsure |= cut[UNSURE, f, j] != 0 or np.isnan(score[SCORE, f, j])
            if score[SCORE, f, j] > -np.inf and not options[f, MANY]:
                n, total = n + 1, total + score[SCORE, f, j]
        least = total / n - slack if n else np.inf
        for f in range(n_features):
            ratio, guard = _ratio(score[SCORE, f, j], score[INFORMATION, f, j], least)
            best = max(best, ratio)
            unsure |= abs(score[SCORE, f, j] - least) < GUARD or abs(ratio - TIE) < guard
        splits[FEATURE, j] = -1
        for f in range(n_features):
            ratio, guard = _ratio(score[SCORE, f, j], score[INFORMATION, f, j], least)
            if splits[FEATURE, j] < 0 and ratio > TIE and ratio >= best - TIE - guard:
                splits[FEATURE, j] = f
                unsure |= ratio < best - TIE + guard
        doubt[j] = unsure
        for f in range(n_features):
            rivals[f, j] |= unsure
    _lay_out(cut, features, splits)
    return splits, doubt, rivals


@section
def _ratio(gain, information, least):
    """A gain per bit of split information, -inf where the gain is not the least one; and a bound on its rounding error."""
    if gain == -np.inf or gain < least:
        return -np.inf, 0.0
    if information <= 0:
        return 0.0, 0.0
    return gain / information, min(GUARD * (1 + gain / information) / information, TIE / 2)


@unwrapped
def _lay_out(cut, features, splits):
    """The kind of each node's split, and where the values that it lists and its children begin among all."""
    for j in range(splits.shape[1] - 1):
        f, width = splits[FEATURE, j], 0
        splits[KIND, j] = features[WAY, f] if f >= 0 else NONE
        if f >= 0 and features[WAY, f] != THRESHOLD:
            width = cut[CUT, f, j]
        splits[FIRST_CODE, j + 1] = splits[FIRST_CODE, j] + width
        splits[FIRST_CHILD, j + 1] = splits[FIRST_CHILD, j] + (1 if f < 0 else (width if features[WAY, f] == MULTIWAY else 2))


@kernel
def describe_cuts(first, last, columns, entries, nodes, totals, cut, splits, children):
    """Fill in the thresholds of sorted features in nodes first to last, found in one pass, and the children's class counts.

    A node without a split is its own only child. The last value on the left is the position of the last key that goes left.
    """
    features, keys, rows, weights, shift = columns.features, entries.keys, entries.rows, entries.weights, columns.shift
    mask, _, _ = bits_of(shift)
    shares, whole = np.empty(totals.shape[1]), np.empty(totals.shape[1], np.int64)
    for j in range(first, last):
        f, child = splits[FEATURE, j], splits[FIRST_CHILD, j]
        if f < 0:
            for c in range(totals.shape[1]):
                children[child, c] = totals[j, c]
        elif len(columns.cuts) and features[WAY, f] == THRESHOLD and features[PLACE, f] < 0:
            lane, at = keys[-1 - features[PLACE, f]], cut[CUT, f, j]
            splits[LOWER, j], splits[UPPER, j] = at - 1, at
            splits[ROW_LOWER, j], splits[ROW_UPPER, j] = rows[ORIGIN, lane[at - 1] >> shift], rows[ORIGIN, lane[at] >> shift]
            known_keys(j, lane, nodes, weights, totals, shift, shares, whole)
            for i in range(nodes[START, j], at):
                children[child, lane[i] & mask] += weights[lane[i] >> shift] if len(weights) else 1.0
            for c in range(totals.shape[1]):
                children[child + 1, c] = shares[c] - children[child, c]


@kernel
def describe_runs(first, last, columns, entries, nodes, run_sizes, cut, splits, listed, children):
    """Fill in the other splits of nodes first to last, from the number of values on a side and their order in `cut`."""
    features, options, shift, keys, weights = columns.features, columns.options, columns.shift, entries.keys, entries.weights
    k, none = children.shape[1], np.int64(0)
    run, cells = room_for_run(run_sizes[0], run_sizes[1], k), np.empty(run_sizes[0] * k)
    values, counts, order = run.values, run.counts, run.order
    for j in range(first, last):
        f = splits[FEATURE, j]
        way, place = features[WAY, f], features[PLACE, f]
        if f < 0 or (len(columns.cuts) and place < 0 and way == THRESHOLD):
            continue
        if place < 0:
            present = sorted_run(keys[-1 - place], weights, nodes[START, j], nodes[END, j], shift, run)
        else:
            absent = features[ABSENT, f]
            tallied_alone(place, absent, entries.codes, entries.rows, weights, nodes[START, j], nodes[END, j], k, cells)
            present = present_run(cells, none, absent, k, run)
        if way == MULTIWAY:
            _list_all(j, present, values, counts, np.int64(options[f, EMPTY]), splits, listed, children)
        else:
            cases_of_rows(run, present)
            at, number, low_first = np.int64(cut[CUT, f, j]), np.int64(cut[ORDER, f, j]), cut[ORDER, f, j] >= 0
            if is_divided_in_every_way(way, present, options[f, EXACT], k):
                first_side(number, present, order)
            else:
                order_rows(way, number if low_first else ~number, run, present)
                at = at if low_first else present - at
            if way == THRESHOLD:
                splits[LOWER, j] = values[at - 1] if place >= 0 else values[at] - 1
                splits[UPPER, j] = values[at]
            else:
                code = splits[FIRST_CODE, j]
                begin, end = (0, at) if low_first else (at, present)
                _list_members(values, order, begin, end, present, run.share, listed, code)
            for row in range(present):
                side = splits[FIRST_CHILD, j] + (0 if (row < at) == low_first else 1)
                for c in range(k):
                    children[side, c] += counts[order[row], c]
        _find_rows(j, f, features, keys, entries.rows, shift, splits, listed)


@section
def _list_all(j, present, values, counts, declared, splits, listed, children):
    """List the values of a multiway split, those present or all declared ones, with their counts."""
    code, child = splits[FIRST_CODE, j], splits[FIRST_CHILD, j]
    for value in range(declared):
        listed[0, code + value] = value
    for row in range(present):
        at = values[row] if declared else row
        listed[0, code + at] = values[row]
        for c in range(counts.shape[1]):
            children[child + at, c] = counts[row, c]


@section
def _list_members(values, order, first, last, present, marks, listed, at):
    """List the values of rows first to last of an order, rising: values rise with their row. `marks` is scratch."""
    for row in range(present):
        marks[row] = 0.0
    for k in range(first, last):
        marks[order[k]] = 1.0
    for row in range(present):
        if marks[row]:
            listed[0, at] = values[row]
            at += 1


@section
def _find_rows(j, f, features, keys, rows, shift, splits, listed):
    """The numbers that find a split's values in the table: codes themselves, or the rows whose keys stand at their places."""
    place, is_cut = features[PLACE, f], splits[KIND, j] == THRESHOLD
    if place >= 0:
        splits[ROW_LOWER, j], splits[ROW_UPPER, j] = splits[LOWER, j], splits[UPPER, j]
    elif is_cut:
        splits[ROW_LOWER, j] = rows[ORIGIN, keys[-1 - place, splits[LOWER, j]] >> shift]
        splits[ROW_UPPER, j] = rows[ORIGIN, keys[-1 - place, splits[UPPER, j]] >> shift]
    for at in range(splits[FIRST_CODE, j], splits[FIRST_CODE, j + 1]):
        listed[1, at] = listed[0, at] if place >= 0 else rows[ORIGIN, keys[-1 - place, listed[0, at]] >> shift]
