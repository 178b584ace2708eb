"""The search over features and nodes: a score for every feature in every node, then each node's choice, then its figures.

Kernels loop over whole levels, since a call from Python costs as much as a small node; that is why they are long.
`way` says how a feature splits (nothing, threshold, multiway, subset: the kinds of `ftree.cuts`), `place` its row in
the block of codes, or, from -1 downwards, in the blocks of sorted keys.
"""

import numpy as np

from ftree._jit import compiled
from ftree.cuts import MULTIWAY, NONE, SUBSET, THRESHOLD
from ftree.engine._runs import (
    ENTROPY,
    GAIN,
    best_cut,
    best_subset,
    coded_gain,
    counted_run,
    guard_of,
    in_value_order,
    multiway_score,
    sorted_run,
)
from ftree.engine._scan import TIE, entropy_cut, gini_cut


@compiled
def score_features(
    first, last, order, way, place, absent, keys, rows, codes, classes, weights, start, end, totals, shift,
    impurity, score, fast, whole_table, steps, unit, table, scores, cuts, doubt,
):  # fmt: skip
    """Score features first to last of an order in every node: scores times known share, cuts of sorted runs."""
    n_classes = totals.shape[1]
    left, right = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    for number in range(first, last):
        f = order[number]
        if way[f] == NONE:
            scores[f, :] = -np.inf
            continue
        if way[f] == THRESHOLD and place[f] < 0 and fast:
            lane = keys[-1 - place[f]]
            for j in range(len(start)):
                low, high = start[j], end[j]
                for c in range(n_classes):
                    right[c] = np.int64(totals[j, c])
                while high > low and (lane[high - 1] >> shift) == absent[f]:
                    high -= 1
                    right[lane[high] & ((1 << shift) - 1)] -= 1
                scores[f, j] = -np.inf
                if high - low < 2 or (lane[low] >> shift) == (lane[high - 1] >> shift):  # noqa: PLR2004  # a pair
                    continue
                if impurity == ENTROPY:
                    gain, cut, unsure = entropy_cut(lane, low, high, shift, left, right, whole_table, steps, unit)
                else:
                    gain, cut, unsure = gini_cut(lane, low, high, shift, left, right)
                scores[f, j] = gain * ((high - low) / (end[j] - start[j]))
                cuts[f, j] = cut
                if unsure:
                    doubt[j] = True
        else:
            _score_runs(f, way, place, absent, keys, rows, codes, classes, weights, start, end, totals, shift,
                        impurity, score, table, scores, doubt)  # fmt: skip


@compiled
def _score_runs(
    f, way, place, absent, keys, rows, codes, classes, weights, start, end, totals, shift, impurity, score, table, scores, doubt
):
    """Score one feature in every node by its run of values."""
    n_classes = totals.shape[1]
    size = _room(place[f], absent[f], start, end)
    values, counts = np.empty(size, np.int64), np.empty((size, n_classes))
    order, share, each = np.empty(size, np.int64), np.empty(size), np.empty(size)
    left, right = np.empty(n_classes), np.empty(n_classes)
    if way[f] == MULTIWAY and place[f] >= 0 and score == GAIN and len(table):
        lane, tally = codes[place[f]], np.empty(size * n_classes, np.int64)
        for j in range(len(start)):
            gain, _ = coded_gain(lane, classes, start[j], end[j], absent[f], impurity, table, tally, left)
            scores[f, j] = gain / (end[j] - start[j])  # per row of the node, known or not: the known share is in it
        return
    for j in range(len(start)):
        present = _run(f, place, absent, keys, rows, codes, classes, weights, start[j], end[j], shift, values, counts)
        scores[f, j] = -np.inf
        if present < 2:  # noqa: PLR2004  # nothing to divide
            continue
        unsure = False
        if way[f] == MULTIWAY:
            found = multiway_score(counts, present, impurity, score, table, left)
        elif way[f] == THRESHOLD:
            in_value_order(order, present)
            found, _, unsure = best_cut(counts, order, present, impurity, score, table, left, right, each)
        else:
            found, _, unsure = best_subset(counts, present, impurity, score, table, left, right, each, order, share)
        known, n = 0.0, 0.0
        for c in range(n_classes):
            n += totals[j, c]
            for row in range(present):
                known += counts[row, c]
        scores[f, j] = found * (known / n)
        if unsure:
            doubt[j] = True


@compiled
def _room(place, absent, start, end):
    """The most values that a node can have of a feature, and one for missing ones."""
    if place >= 0:
        return absent + 1
    most = 0
    for j in range(len(start)):
        most = max(most, end[j] - start[j])
    return min(most, absent) + 1


@compiled
def _run(f, place, absent, keys, rows, codes, classes, weights, low, high, shift, values, counts):
    if place[f] >= 0:
        return counted_run(codes[place[f]], classes, weights, low, high, absent[f], values, counts)
    lane = -1 - place[f]
    return sorted_run(keys[lane], rows[lane], weights, low, high, shift, absent[f], values, counts)


@compiled
def choose(scores, weight, score, unit, doubt, chosen):
    """Each node's first feature within a tie of its best, -1 when none splits it."""
    n_features, n_nodes = scores.shape
    for j in range(n_nodes):
        best = -np.inf
        for f in range(n_features):
            best = max(best, scores[f, j])
        chosen[j] = -1
        if best == -np.inf:
            continue
        guard = guard_of(weight[j], score) + 2.0 / unit
        for f in range(n_features):
            if scores[f, j] > best - TIE - guard:
                chosen[j] = f
                if scores[f, j] < best - TIE + guard:
                    doubt[j] = True
                break


@compiled
def widths(
    chosen, way, place, absent, keys, rows, codes, classes, weights, start, end, n_classes, shift, impurity, score, table, width
):
    """How many codes each node's split lists: none for a threshold."""
    left, right = np.empty(n_classes), np.empty(n_classes)
    for j in range(len(start)):
        f = chosen[j]
        width[j] = 0
        if f < 0 or way[f] == THRESHOLD:
            continue
        size = _room(place[f], absent[f], start[j : j + 1], end[j : j + 1])
        values, counts = np.empty(size, np.int64), np.empty((size, n_classes))
        present = _run(f, place, absent, keys, rows, codes, classes, weights, start[j], end[j], shift, values, counts)
        width[j] = present
        if way[f] == SUBSET:
            order, share, each = np.empty(size, np.int64), np.empty(size), np.empty(size)
            _, cut, _ = best_subset(counts, present, impurity, score, table, left, right, each, order, share)
            width[j] = cut if _low_side_first(values, order, cut, present) else present - cut


@compiled
def _low_side_first(values, order, cut, present):
    """Whether the rows before a cut have the lowest value of all."""
    low, high = values[order[0]], values[order[cut]]
    for row in range(cut):
        low = min(low, values[order[row]])
    for row in range(cut, present):
        high = min(high, values[order[row]])
    return low < high


@compiled
def describe(
    first, last, chosen, way, place, absent, keys, rows, codes, classes, weights, start, end, totals, shift,
    impurity, score, fast, table, cuts, first_code, first_child, lower, upper, listed, children,
):  # fmt: skip
    """The chosen splits: ranks below and above a threshold, codes, and the class counts of all children."""
    n_classes = totals.shape[1]
    left, right = np.empty(n_classes), np.empty(n_classes)
    for j in range(first, last):
        f, child, code = chosen[j], first_child[j], first_code[j]
        if f < 0:
            children[child] = totals[j]
            continue
        if way[f] == THRESHOLD and place[f] < 0 and fast:
            lane, cut = keys[-1 - place[f]], cuts[f, j]
            _two_sides(lane, start[j], cut, end[j], shift, absent[f], children[child], children[child + 1])
            lower[j], upper[j] = lane[cut - 1] >> shift, lane[cut] >> shift
            continue
        size = _room(place[f], absent[f], start[j : j + 1], end[j : j + 1])
        values, counts = np.empty(size, np.int64), np.empty((size, n_classes))
        present = _run(f, place, absent, keys, rows, codes, classes, weights, start[j], end[j], shift, values, counts)
        if way[f] == MULTIWAY:
            listed[code : code + present] = values[:present]
            children[child : child + present] = counts[:present]
            continue
        order, share, each = np.empty(size, np.int64), np.empty(size), np.empty(size)
        if way[f] == THRESHOLD:
            in_value_order(order, present)
            _, cut, _ = best_cut(counts, order, present, impurity, score, table, left, right, each)
            lower[j], upper[j] = values[cut - 1], values[cut]
            low_first = True
        else:
            _, cut, _ = best_subset(counts, present, impurity, score, table, left, right, each, order, share)
            low_first = _low_side_first(values, order, cut, present)
            members = values[order[:cut]] if low_first else values[order[cut:present]]
            listed[code : code + len(members)] = np.sort(members)
        for row in range(present):
            side = 0 if (row < cut) == low_first else 1
            for c in range(n_classes):
                children[child + side, c] += counts[order[row], c]


@compiled
def _two_sides(lane, low, cut, high, shift, absent, left, right):
    mask = (1 << shift) - 1
    for i in range(low, cut):
        left[lane[i] & mask] += 1.0
    for i in range(cut, high):
        if (lane[i] >> shift) == absent:
            break
        right[lane[i] & mask] += 1.0
