"""The search over features and nodes: a score for every feature in every node, then each node's choice, then its figures.

Kernels loop over whole levels, since a call from Python costs as much as a small node; that is why they are long.
`way` says how a feature splits (nothing, threshold, multiway, subset: the kinds of `ftree.growth.split_arrays`), `place` its
column in the block of codes, or, from -1 downwards, its row in the block of sorted keys. A value is known by its code, or by the
place of its first key in a node.
"""

from typing import Any, NamedTuple

import numpy as np

from ftree._lib.jit import compiled, leaf, section, within
from ftree.growth.kernels.keys import bits_of
from ftree.growth.kernels.scan import ENTROPY, MISCLASSIFICATION, TIE, entropy_cut, gini_cut, own_cut
from ftree.growth.kernels.scan_counts import from_cells, gain_of_cells, multiway_gains, weighted_gains
from ftree.growth.kernels.scan_weighted import OFF, at_once, estimated_cut, weighted_cut
from ftree.growth.kernels.value_counts import (
    best_cut,
    best_subset,
    guard_of,
    in_value_order,
    multiway_score,
    present_run,
    sorted_run,
    tallied,
    tallied_alone,
)
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD


class Room(NamedTuple):
    """What a search of sorted runs writes down: counts and weights of classes, and the next cuts with their estimates."""

    left: Any
    right: Any
    each: Any
    others: Any
    shares: Any
    lefts: Any
    rough: Any
    at: Any
    count: Any


@compiled
def _room(n_classes):
    n = at_once(n_classes)
    return Room(
        np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64), np.empty(n_classes), np.empty(n_classes),
        np.empty(n_classes), np.empty((n_classes + 1, n)), np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64),
    )  # fmt: skip


@leaf
def find_counted(weights, start, end, table, counted):
    """In which nodes rows are counted, all weights being 1."""
    for j in range(len(start)):
        weighted = len(weights) > 0 and len(table) == 0
        if len(weights) and len(table):
            for i in range(start[j], end[j]):
                weighted |= weights[i] != 1
        counted[j] = not weighted


@compiled
def score_sorted(
    first, last, order, way, place, absent, keys, weights, counted, start, end, totals, shift,
    impurity, score, fast, whole_table, steps, unit, table, scores, cuts, doubt,
):  # fmt: skip
    """Score sorted features first to last of an order in every node: scores times known share, and what describes the cut.

    Scores come as -inf and stay so where a feature cannot split. Entropies of weighted rows are estimated.
    """
    room, roughly, by_hand = _room(totals.shape[1]), impurity == ENTROPY, table[:0] if len(weights) else table
    for number in range(first, last):
        f = order[number]
        if way[f] == NONE:
            continue
        lane = keys[-1 - place[f]]
        if way[f] == THRESHOLD and fast:
            for j in range(len(start)):
                _score_cut(
                    f, j, lane, start[j], end[j], weights, counted[j], totals, shift, impurity, roughly, whole_table, steps,
                    unit, room, scores, cuts, doubt,
                )  # fmt: skip
        else:
            _score_sorted_runs(f, way, absent, lane, weights, start, end, totals, shift,
                               impurity, score, by_hand, scores, cuts, doubt)  # fmt: skip


@within
def _score_cut(
    f, j, lane, low, high, weights, counted, totals, shift, impurity, roughly, whole_table, steps, unit, room, scores, cuts, doubt
):  # fmt: skip
    """Score the best cut of one sorted run, or estimate it where rows are weighted."""
    left, right, each, others, shares, lefts, rough, at, count = room
    high, known = _known(j, lane, low, high, weights, totals, shift, shares)
    if high - low < 2:  # noqa: PLR2004  # a pair
        return
    for c in range(len(shares)):
        right[c] = np.int64(shares[c])
    if impurity > MISCLASSIFICATION:
        gain, cut, unsure = own_cut(lane, low, high, shift, weights, each, others, shares, impurity)
    elif not counted and roughly:
        gain, cut, alone = estimated_cut(lane, low, high, shift, weights, each, lefts, rough, at, shares)
        if cut > low:
            scores[f, j], cuts[f, j] = gain * known, cut if alone else -cut
        return
    elif not counted:
        gain, cut, unsure = weighted_cut(lane, low, high, shift, weights, each, lefts, rough, at, shares, impurity)
    elif impurity == ENTROPY:
        gain, cut, unsure = entropy_cut(lane, low, high, shift, left, right, whole_table, steps, unit, at, count)
    else:
        gain, cut, unsure = gini_cut(lane, low, high, shift, left, right, at, count)
    if cut > low:
        scores[f, j], cuts[f, j], doubt[f, j] = gain * known, cut, unsure


@leaf
def _known(j, lane, low, high, weights, totals, shift, shares):
    """Where the missing values of a sorted run begin, which stand last, and the share of the others, weighed by class."""
    (mask, _, gone), n, known = bits_of(shift), 0.0, 0.0
    for c in range(len(shares)):
        shares[c] = totals[j, c]
        n += totals[j, c]
    while high > low and lane[high - 1] & gone:
        high -= 1
        shares[lane[high] & mask] -= weights[lane[high] >> shift] if len(weights) else 1.0
    for c in range(len(shares)):
        known += shares[c]
    return high, known / n


@section
def _score_sorted_runs(f, way, absent, keys, weights, start, end, totals, shift, impurity, score, table, scores, cuts, doubt):
    """Score one sorted feature in every node by its run of values."""
    size, n_classes = _most_values(absent[f], start, end), totals.shape[1]
    values, counts = np.empty(size, np.int64), np.empty((size, n_classes))
    order, share, each, pair = np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty((2, n_classes))
    for j in range(len(start)):
        present = sorted_run(keys, weights, start[j], end[j], shift, values, counts)
        _score_run(
            f, j, way[f], values, counts, present, totals, impurity, score, table, pair[0], pair[1], each, order, share,
            scores, cuts, doubt,
        )  # fmt: skip


@compiled
def score_coded(
    first, last, first_node, last_node, coded, base, way, absent, codes, classes, weights, counted, start, end, totals,
    above, parent, impurity, score, table, scores, cuts, doubt,
):  # fmt: skip
    """Score coded features first to last in nodes: scores times known share, and how many codes the split lists.

    Gains in entropy are estimated where rows are weighted. `above` has the scores of the level before, `parent` the node there
    that each one is below.
    """
    n_classes, size = totals.shape[1], 1
    for g in range(first, last):
        size = max(size, absent[coded[g]] + 1)
    whole, parts = np.empty(base[last] - base[first], np.int64), np.empty(base[last] - base[first])
    values, counts = np.empty(size, np.int64), np.empty((size, n_classes))
    order, share, each, pair = np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty((2, n_classes))
    none, nothing = weights[:0], table[:0]
    live, begin = np.empty(last - first, np.int64), np.zeros(last - first + 1, np.int64)
    for j in range(first_node, last_node):
        n_live = _divisible(above, parent[j], coded, first, last, base, live, begin)
        gains = from_cells(np.int8(MULTIWAY), counted[j], impurity, score, table)
        if counted[j]:
            tallied(codes, classes, none, start[j], end[j], live, n_live, begin, n_classes, whole)
            if gains:
                multiway_gains(j, live, n_live, begin, coded, way, absent, whole, totals, impurity, table, scores, cuts)
        else:
            tallied(codes, classes, weights, start[j], end[j], live, n_live, begin, n_classes, parts)
            if gains:
                weighted_gains(
                    j, live, n_live, begin, coded, way, absent, parts, totals, impurity, pair[0], pair[1], scores, cuts
                )
        for a in range(n_live):
            g = live[a]
            f, at = coded[g], begin[a]
            if way[f] == NONE or from_cells(way[f], counted[j], impurity, score, table):
                continue
            if counted[j]:
                present = present_run(whole, at, absent[f], n_classes, values, counts)
            else:
                present = present_run(parts, at, absent[f], n_classes, values, counts)
            _score_run(
                f, j, way[f], values, counts, present, totals, impurity, score, table if counted[j] else nothing, pair[0],
                pair[1], each, order, share, scores, cuts, doubt,
            )  # fmt: skip


@leaf
def _divisible(above, parent, coded, first, last, base, live, begin):
    """List the features that may have several values, as no score above means that they had not; how many they are."""
    n = 0
    for g in range(first, last):
        live[n], begin[n + 1] = g, begin[n] + base[g + 1] - base[g]
        n += above[coded[g], parent] != -np.inf
    return n


@compiled
def score_closely(
    first, last, way, place, base, absent, keys, codes, classes, weights, counted, start, end, totals, shift,
    impurity, score, table, scores, cuts, doubt,
):  # fmt: skip
    """Score exactly, in nodes first to last, what was estimated and may be best there, unless it is alone in that.

    Any other that stays an estimate is surely less than the best, and as surely not chosen. Cuts are negative where another
    may be as good.
    """
    n_classes, most, size = totals.shape[1], 0, 1
    for f in range(len(way)):
        if place[f] >= 0:
            most, size = max(most, base[place[f] + 1] - base[place[f]]), max(size, absent[f] + 1)
    room = _room(n_classes)
    left, right, shares, lefts, rough, at = room.each, room.others, room.shares, room.lefts, room.rough, room.at
    tally, nothing = np.empty(most), table[:0]
    values, counts = np.empty(size, np.int64), np.empty((size, n_classes))
    order, share, each = np.empty(size, np.int64), np.empty(size), np.empty(size)
    none, roughly, only, begin = np.int64(0), False, np.zeros(1, np.int64), np.zeros(2, np.int64)
    for j in range(first, last):
        enough = _enough(scores, j)
        if counted[j] or _is_decided(j, enough, way, place, scores, cuts):
            continue
        for f in range(len(way)):
            g = place[f]
            if scores[f, j] < enough or scores[f, j] == -np.inf or way[f] > MULTIWAY:
                continue
            if g < 0 and way[f] == THRESHOLD:
                high, known = _known(j, keys[-1 - g], start[j], end[j], weights, totals, shift, shares)
                gain, cuts[f, j], doubt[f, j] = weighted_cut(
                    keys[-1 - g], start[j], high, shift, weights, left, lefts, rough, at, shares, impurity
                )
                scores[f, j] = gain * known
            elif g >= 0:
                tallied_alone(codes, classes, weights, start[j], end[j], g, base, n_classes, only, begin, tally)
                if way[f] == MULTIWAY:
                    scores[f, j], cuts[f, j] = gain_of_cells(tally, none, absent[f], totals, j, impurity, roughly)
                else:
                    present = present_run(tally, none, absent[f], n_classes, values, counts)
                    _score_run(
                        f, j, way[f], values, counts, present, totals, impurity, score, nothing, left, right, each, order,
                        share, scores, cuts, doubt,
                    )  # fmt: skip


@leaf
def _enough(scores, j):
    """What may be best in a node when some scores are estimates."""
    best = -np.inf
    for f in range(len(scores)):
        best = max(best, scores[f, j])
    return best - 2 * (OFF + TIE)


@leaf
def _is_decided(j, enough, way, place, scores, cuts):
    """Whether one feature alone may be best in a node, and it is known how it splits."""
    near, known = 0, True
    for f in range(len(way)):
        if scores[f, j] > -np.inf and scores[f, j] >= enough:
            near += 1
            known = way[f] == MULTIWAY if place[f] >= 0 else cuts[f, j] > 0
    return near < 2 and known  # noqa: PLR2004  # a rival


@leaf
def _score_run(
    f, j, way, values, counts, present, totals, impurity, score, table, left, right, each, order, share, scores, cuts, doubt
):
    """Score a feature in a node by its run: the score times known share, what describes the cut, whether it is unsure."""
    found, cuts[f, j], unsure = _run_score(way, values, counts, present, impurity, score, table, left, right, each, order, share)
    # No score is no score, though no value may be known: -inf times 0 is not a number.
    scores[f, j] = found * _known_share(counts, present, totals, j) if found > -np.inf else found
    if unsure:
        doubt[f, j] = True


@section
def _run_score(way, values, counts, present, impurity, score, table, left, right, each, order, share):
    """The score of a run, how many codes its split lists, and whether that was too close to call."""
    if present < 2:  # noqa: PLR2004  # nothing to divide
        return -np.inf, 0, False
    if way == MULTIWAY:
        found, unsure = multiway_score(counts, present, impurity, score, table, left, each, share)
        return found, present, unsure
    if way == THRESHOLD:
        in_value_order(order, present)
        found, _, unsure = best_cut(counts, order, present, impurity, score, table, left, right, each)
        return found, 0, unsure
    found, cut, unsure = best_subset(counts, present, impurity, score, table, left, right, each, order, share)
    return found, (cut if _low_side_first(values, order, cut, present) else present - cut), unsure


@leaf
def _known_share(counts, present, totals, j):
    known, n = 0.0, 0.0
    for c in range(totals.shape[1]):
        n += totals[j, c]
        for row in range(present):
            known += counts[row, c]
    return known / n


@leaf
def _most_values(absent, start, end):
    """The most values that a node can have of a sorted feature, and one for missing ones."""
    most = 0
    for j in range(len(start)):
        most = max(most, end[j] - start[j])
    return min(most, absent) + 1


@leaf
def _run(f, only, begin, place, base, absent, keys, codes, classes, weights, low, high, shift, tally, values, counts):
    """The values of one feature that are present in a node, with their counts."""
    if place[f] < 0:
        return sorted_run(keys[-1 - place[f]], weights, low, high, shift, values, counts)
    n_classes, g, none = counts.shape[1], place[f], np.int64(0)
    tallied_alone(codes, classes, weights, low, high, g, base, n_classes, only, begin, tally)
    return present_run(tally, none, absent[f], n_classes, values, counts)


@leaf
def choose(scores, totals, impurity, score, unit, unsure, chosen, doubt, rivals):
    """Each node's first feature within a tie of its best, -1 when none splits it; which nodes are too close to call.

    `rivals` marks the features that might be chosen there: where a feature's own cut is unsure, its score may be a tie higher,
    and NaN stands for what the plain engine is to say.
    """
    n_features, n_nodes = scores.shape
    for j in range(n_nodes):
        best = -np.inf
        chosen[j] = -1
        for f in range(n_features):
            best = max(best, scores[f, j])  # which passes over NaN
        if impurity > MISCLASSIFICATION:
            for f in range(n_features):
                if np.isnan(scores[f, j]):
                    rivals[f, j] = doubt[j] = True
        if best == -np.inf:
            continue
        n = 0.0
        for c in range(totals.shape[1]):
            n += totals[j, c]
        guard = guard_of(n, impurity, score, best) + (2.0 / unit if impurity <= MISCLASSIFICATION else 0.0)
        for f in range(n_features):
            if scores[f, j] >= best - 3 * (TIE + guard):
                rivals[f, j] = True
                doubt[j] |= unsure[f, j]
            if chosen[j] < 0 and scores[f, j] >= best - TIE - guard:
                chosen[j] = f
                doubt[j] |= scores[f, j] < best - TIE + guard


@leaf
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
    first, last, chosen, way, place, base, absent, keys, codes, classes, weights, start, end, totals, shift,
    impurity, score, fast, table, cuts, first_code, first_child, lower, upper, listed, children,
):  # fmt: skip
    """The chosen splits: values below and above a threshold, values listed, and the class counts of all children.

    Below a threshold it is the last key of a value that is told, so that keys go left up to that place.
    """
    n_classes, most = totals.shape[1], 0
    left, right = np.empty(n_classes), np.empty(n_classes)
    for g in range(len(base) - 1):
        most = max(most, base[g + 1] - base[g])
    tally = np.empty(most)
    values, counts, order = np.empty(1, np.int64), np.empty((1, n_classes)), np.empty(1, np.int64)
    share, each, only, begin = np.empty(1), np.empty(1), np.zeros(1, np.int64), np.zeros(2, np.int64)
    for j in range(first, last):
        f, child, code = chosen[j], first_child[j], first_code[j]
        if f < 0:
            for c in range(n_classes):
                children[child, c] = totals[j, c]
            continue
        if way[f] == THRESHOLD and place[f] < 0 and fast:
            lower[j], upper[j] = cuts[f, j] - 1, cuts[f, j]
            _two_sides(j, keys[-1 - place[f]], weights, start[j], upper[j], end[j], totals, shift, children, child)
            continue
        size = absent[f] + 1 if place[f] >= 0 else min(absent[f], end[j] - start[j]) + 1
        if size > len(values):
            values, counts, order = np.empty(size, np.int64), np.empty((size, n_classes)), np.empty(size, np.int64)
            share, each = np.empty(size), np.empty(size)
        present = _run(
            f, only, begin, place, base, absent, keys, codes, classes, weights, start[j], end[j], shift, tally, values, counts
        )
        if way[f] == MULTIWAY:
            for row in range(present):
                listed[code + row] = values[row]
                for c in range(n_classes):
                    children[child + row, c] = counts[row, c]
            continue
        if way[f] == THRESHOLD:
            in_value_order(order, present)
            _, cut, _ = best_cut(counts, order, present, impurity, score, table, left, right, each)
            lower[j], upper[j] = values[cut - 1] if place[f] >= 0 else values[cut] - 1, values[cut]
            low_first = True
        else:
            _, cut, _ = best_subset(counts, present, impurity, score, table, left, right, each, order, share)
            low_first = _low_side_first(values, order, cut, present)
            _list_members(values, order, 0 if low_first else cut, cut if low_first else present, present, listed, code)
        for row in range(present):
            side = 0 if (row < cut) == low_first else 1
            for c in range(n_classes):
                children[child + side, c] += counts[order[row], c]


@compiled
def _list_members(values, order, first, last, present, listed, at):
    """List the values of rows first to last of an order, rising: values rise with their row."""
    chosen = np.zeros(present, np.bool_)
    for k in range(first, last):
        chosen[order[k]] = True
    for row in range(present):
        if chosen[row]:
            listed[at] = values[row]
            at += 1


@within
def _two_sides(j, keys, weights, low, cut, high, totals, shift, children, child):
    """Class counts left of a cut, and what is left of those with a value."""
    mask, _, _ = bits_of(shift)
    _known(j, keys, low, high, weights, totals, shift, children[child + 1])
    for i in range(low, cut):
        children[child, keys[i] & mask] += weights[keys[i] >> shift] if len(weights) else 1.0
    for c in range(totals.shape[1]):
        children[child + 1, c] -= children[child, c]


@leaf
def stands_for(feature, at, place, keys, origin, shift):
    """What finds a value in a table: a feature's code itself, or the row whose key stands at a place."""
    return at if place[feature] >= 0 else np.int64(origin[keys[-1 - place[feature], at] >> shift])
