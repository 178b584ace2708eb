"""The search over features and nodes: a score for every feature in every node, then each node's choice, then its children.

Kernels loop over whole levels, since a call from Python costs as much as a small node; that is why they are long. A value
is known by its code, or by the place of its first key in a node.
"""

import math

import numpy as np

from ftree._lib.jit import alloc_free, inlined_section
from ftree._lib.ties import TIE
from ftree.growth.criterion_codes import EMPTY, ENTROPY, EXACT, GUARD, MANY, MDL
from ftree.growth.kernels.buffers import is_fast
from ftree.growth.kernels.keys import bits_of
from ftree.growth.kernels.scan import NO, entropy_cut, gini_cut, is_user_function, own_cut
from ftree.growth.kernels.scan_counts import from_cells, gain_of_cells, multiway_gains, weighted_gains
from ftree.growth.kernels.scan_weighted import OFF, estimated_cut, exactly, weighted_cut
from ftree.growth.kernels.value_counts import (
    best_cut,
    best_subset,
    cases_of_rows,
    guard_of,
    in_value_order,
    least_case,
    multiway_score,
    n_log_n,
    present_run,
    sorted_run,
    tallied,
    tallied_alone,
)
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD


@alloc_free
def find_counted(weights, nodes, table, counted):
    """In which nodes rows are counted, all weights being 1."""
    start, end = nodes.start, nodes.end
    for j in range(len(start)):
        weighted = len(weights) > 0 and len(table) == 0
        if len(weights) and len(table):
            for i in range(start[j], end[j]):
                weighted |= weights[i] != 1
        counted[j] = not weighted


@inlined_section
def table_for(measure, weights):
    """The table of n log2 n while rows are counted; weights take logarithms one by one."""
    return measure.table[:0] if len(weights) else measure.table


# Sorted features -----------------------------------------------------------------------------------------------------


@alloc_free
def score_sorted(first, last, features, measure, entries, nodes, counted, buffers, scores):
    """Score the sorted features first to last of `features.in_order` in every node.

    Scores come as -inf and stay so where a feature cannot split. Entropies of weighted rows are estimated.
    """
    way, in_order, place, keys, weights = features.way, features.in_order, entries.place, entries.keys, entries.weights
    fast, table, shift = is_fast(measure, weights), table_for(measure, weights), features.shift
    for number in range(first, last):
        f = in_order[number]
        lane = keys[-1 - place[f]]
        if way[f] == THRESHOLD and fast:
            for j in range(len(counted)):
                _score_cut(f, j, lane, weights, counted[j], shift, measure, nodes, buffers.cuts, scores)
        elif way[f] != NONE:
            _score_sorted_runs(f, lane, weights, features, measure, table, nodes, buffers.run, scores)


@inlined_section
def _score_cut(f, j, lane, weights, counted, shift, measure, nodes, buffers, scores):
    """Score the best cut of one sorted run, or estimate it where rows are weighted."""
    left, right, each, others, shares, lefts, rough, at, count = buffers
    impurity, low = measure.impurity, nodes.start[j]
    high, known = _known(j, lane, low, nodes.end[j], weights, nodes.totals, shift, shares)
    if high - low < 2:  # noqa: PLR2004  # a pair
        return
    for c in range(len(shares)):
        right[c] = np.int64(shares[c])
    if is_user_function(impurity):
        gain, cut, unsure = own_cut(lane, low, high, shift, weights, each, others, shares, impurity)
    elif not counted and impurity == ENTROPY:
        gain, cut, alone = estimated_cut(lane, low, high, shift, weights, each, lefts, rough, at, shares)
        if cut > low:
            scores.score[f, j], scores.cut[f, j] = gain * known, cut if alone else -cut
        return
    elif not counted:
        gain, cut, unsure = weighted_cut(lane, low, high, shift, weights, each, lefts, rough, at, shares, impurity)
    elif impurity == ENTROPY:
        gain, cut, unsure = entropy_cut(
            lane, low, high, shift, left, right, measure.whole, measure.steps, measure.unit, at, count
        )
    else:
        gain, cut, unsure = gini_cut(lane, low, high, shift, left, right, at, count)
    if cut > low:
        scores.score[f, j], scores.cut[f, j], scores.unsure[f, j] = gain * known, cut, unsure


@alloc_free
def _known(j, lane, low, high, weights, totals, shift, shares):
    """Where the missing values of a sorted run begin, which stand last, and the share of cases with a known value."""
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


@inlined_section
def _score_sorted_runs(f, lane, weights, features, measure, table, nodes, run, scores):
    """Score one sorted feature in every node by its run of values."""
    start, end, totals, shift = nodes.start, nodes.end, nodes.totals, features.shift
    values, counts = run.values, run.counts
    for j in range(len(start)):
        present = sorted_run(lane, weights, start[j], end[j], shift, values, counts)
        _score_run(f, j, present, features, measure, totals, table, run, scores)


# Coded features ------------------------------------------------------------------------------------------------------


@alloc_free
def score_coded(first, last, first_node, last_node, features, measure, entries, nodes, counted, above, buffers, scores):
    """Score coded features first to last in some nodes: scores times known share, and how many codes the split lists.

    Gains in entropy are estimated where rows are weighted.
    """
    coded, way, absent, (numbers, begin, whole, parts) = features.coded, features.way, features.absent, buffers.coded
    start, end, totals, weights, table = nodes.start, nodes.end, nodes.totals, entries.weights, measure.table
    impurity, n_classes, run = measure.impurity, nodes.totals.shape[1], buffers.run
    none, nothing, codes, classes = weights[:0], table[:0], entries.codes, entries.classes
    for j in range(first_node, last_node):
        n_live = _divisible(above, j, features, first, last, numbers, begin)
        gains = from_cells(np.int8(MULTIWAY), counted[j], measure)
        if counted[j]:
            tallied(codes, classes, none, start[j], end[j], numbers, n_live, begin, n_classes, whole)
            if gains:
                multiway_gains(j, n_live, buffers.coded, features, totals, impurity, table, scores)
        else:
            tallied(codes, classes, weights, start[j], end[j], numbers, n_live, begin, n_classes, parts)
            if gains:
                weighted_gains(j, n_live, buffers.coded, features, totals, impurity, run.left, run.right, scores)
        for a in range(n_live):
            f, at = coded[numbers[a]], begin[a]
            if way[f] == NONE or from_cells(way[f], counted[j], measure):
                continue
            if counted[j]:
                present = present_run(whole, at, absent[f], n_classes, run.values, run.counts)
            else:
                present = present_run(parts, at, absent[f], n_classes, run.values, run.counts)
            _score_run(f, j, present, features, measure, totals, table if counted[j] else nothing, run, scores)


@inlined_section
def _divisible(above, j, features, first, last, numbers, begin):
    """List the features that may have several values, as no score above means that they had not; how many they are."""
    coded, base, parent, n = features.coded, features.base, above.parent[j], np.int64(0)
    for g in range(first, last):
        numbers[n], begin[n + 1] = g, begin[n] + base[g + 1] - base[g]
        n += above.score[coded[g], parent] != -np.inf
    return n


@alloc_free
def _score_run(f, j, present, features, measure, totals, table, run, scores):
    """Score a feature in a node by its run: the score times known share, what describes the cut, whether it is unsure."""
    way, options, scores.score[f, j], scores.cut[f, j] = features.way[f], features.options, -np.inf, 0
    if present < 2:  # noqa: PLR2004  # nothing to divide
        return
    found, cut, unsure, n_cuts, cases = _best_of_run(f, present, features, measure, table, run)
    if options[f, MDL] and n_cuts:
        found -= math.log2(n_cuts) / cases
        near = 2 * TIE if unsure else GUARD  # what rounding may move to the other side is for the NumPy engine
        unsure |= abs(found - TIE) < near
        found = found if found > TIE - near else -np.inf
    if found == -np.inf:
        return
    share = _known_share(run.counts, present, measure.factors, totals, j)
    scores.score[f, j], scores.unsure[f, j] = found * share, scores.unsure[f, j] or unsure
    scores.cut[f, j] = _n_listed(way, cut, present, options[f, EMPTY], run)
    if len(scores.information):
        scores.information[f, j] = _split_information(way, cut, present, cases, share, table, run)


@alloc_free
def _best_of_run(f, present, features, measure, table, run):
    """The best split of a run: the score, the rows of `run.order` on one side, whether it was too close to call.

    Then the number of cuts, and the cases of the run.
    """
    way, factors, impurity, score = features.way[f], measure.factors, measure.impurity, measure.score
    counts, n_cuts = run.counts, 1
    cases = cases_of_rows(counts, present, run.sizes)
    least = least_case(features.options, f, cases, counts.shape[1])
    if way == MULTIWAY:
        found, unsure = multiway_score(run, present, least, factors, impurity, score, table)
        return found, present, unsure, n_cuts, cases
    if way == THRESHOLD:
        in_value_order(run.order, present)
        found, cut, unsure, n_cuts = best_cut(run, present, least, factors, impurity, score, table)
        return found, cut, unsure, n_cuts, cases
    found, cut, unsure = best_subset(run, present, least, features.options[f, EXACT], factors, impurity, score, table)
    return found, cut, unsure, n_cuts, cases


@inlined_section
def _n_listed(way, cut, present, declared, run):
    """How many values the split lists."""
    if way == MULTIWAY:
        return max(present, np.int64(declared))
    if way == THRESHOLD:
        return 0
    return cut if _low_side_first(run.values, run.order, cut, present) else present - cut


@inlined_section
def _split_information(way, cut, present, cases, share, table, run):
    """The split information of a run's best split; cases with a missing value are one more child."""
    inner, below = 0.0, 0.0
    for row in range(present):
        if way == MULTIWAY:
            inner += n_log_n(run.sizes[row], table)
        elif row < cut:
            below += run.sizes[run.order[row]]
    if way != MULTIWAY:
        inner = n_log_n(below, table) + n_log_n(cases - below, table)
    known = (n_log_n(cases, table) - inner) / cases
    return share * known - exactly(share) - exactly(1.0 - share)


@inlined_section
def _known_share(counts, present, factors, totals, j):
    known, n = 0.0, 0.0
    for c in range(totals.shape[1]):
        factor = factors[c] if len(factors) else 1.0
        n += totals[j, c] * factor
        for row in range(present):
            known += counts[row, c] * factor
    return known / n if n > 0 else 0.0  # classes whose prior is 0 may be all that a node has


@alloc_free
def _low_side_first(values, order, cut, present):
    """Whether the rows before a cut have the lowest value of all."""
    low, high = values[order[0]], values[order[cut]]
    for row in range(cut):
        low = min(low, values[order[row]])
    for row in range(cut, present):
        high = min(high, values[order[row]])
    return low < high


# Estimates -----------------------------------------------------------------------------------------------------------


@alloc_free
def score_closely(first, last, features, measure, entries, nodes, counted, buffers, scores):
    """Score exactly, in nodes first to last, each estimate that may be the best there, unless only one may be.

    All other estimates are surely less than the best and are not chosen. Cuts are negative where another may be as good.
    """
    for j in range(first, last):
        enough = _enough(scores.score, j)
        if not counted[j] and not _is_decided(j, enough, features.way, entries.place, scores):
            _score_node_closely(j, enough, features, measure, entries, nodes, buffers, scores)


@inlined_section
def _score_node_closely(j, enough, features, measure, entries, nodes, buffers, scores):
    """Score exactly what reaches `enough` in a node."""
    way, shift, place, keys, weights, totals = (
        features.way,
        features.shift,
        entries.place,
        entries.keys,
        entries.weights,
        nodes.totals,
    )
    impurity, n_classes, none, roughly = measure.impurity, totals.shape[1], np.int64(0), NO
    cuts, run, cells = buffers.cuts, buffers.run, buffers.coded.parts
    for f in range(len(way)):
        if scores.score[f, j] < enough or scores.score[f, j] == -np.inf or way[f] > MULTIWAY:
            continue
        if place[f] >= 0:
            tallied_alone(place[f], j, features.base, entries, nodes, n_classes, buffers.coded)
            if way[f] == MULTIWAY:
                scores.score[f, j], scores.cut[f, j] = gain_of_cells(
                    cells, none, features.absent[f], totals, j, impurity, roughly
                )
            else:
                present = present_run(cells, none, features.absent[f], n_classes, run.values, run.counts)
                _score_run(f, j, present, features, measure, totals, measure.table[:0], run, scores)
        elif way[f] == THRESHOLD:
            lane = keys[-1 - place[f]]
            high, known = _known(j, lane, nodes.start[j], nodes.end[j], weights, totals, shift, cuts.shares)
            gain, scores.cut[f, j], scores.unsure[f, j] = weighted_cut(
                lane, nodes.start[j], high, shift, weights, cuts.each, cuts.lefts, cuts.rough, cuts.at,
                cuts.shares, impurity,
            )  # fmt: skip
            scores.score[f, j] = gain * known


@inlined_section
def _enough(score, j):
    """Lowest estimated score of a node that could still be the best."""
    best = -np.inf
    for f in range(len(score)):
        best = max(best, score[f, j])
    return best - 2 * (OFF + TIE)


@inlined_section
def _is_decided(j, enough, way, place, scores):
    """Whether only one feature can be best in a node, and its cut is known exactly."""
    near, known = 0, True
    for f in range(len(way)):
        if scores.score[f, j] > -np.inf and scores.score[f, j] >= enough:
            near += 1
            known = way[f] == MULTIWAY if place[f] >= 0 else scores.cut[f, j] > 0
    return near < 2 and known  # noqa: PLR2004  # a rival


# Choices -------------------------------------------------------------------------------------------------------------


@alloc_free
def choose(scores, totals, features, measure, chosen, doubt, rivals):
    """Each node's first feature within a tie of its best, -1 when none splits it; which nodes are too close to call.

    `rivals` marks the features that might be chosen there: where a feature's own cut is unsure, its score may be a tie higher,
    and NaN marks a score whose error the NumPy engine raises.
    """
    if np.isnan(measure.slack):
        _choose_by_score(scores, totals, measure, chosen, doubt, rivals)
    else:
        _choose_by_gain_ratio(scores, features.options, measure.slack, chosen, doubt, rivals)


@inlined_section
def _choose_by_score(scores, totals, measure, chosen, doubt, rivals):
    found, impurity = scores.score, measure.impurity
    n_features, n_nodes = found.shape
    for j in range(n_nodes):
        best = -np.inf
        chosen[j] = -1
        for f in range(n_features):
            best = max(best, found[f, j])  # ignores NaN
        if is_user_function(impurity):
            for f in range(n_features):
                if np.isnan(found[f, j]):
                    rivals[f, j] = doubt[j] = True
        if best == -np.inf:
            continue
        n = 0.0
        for c in range(totals.shape[1]):
            n += totals[j, c]
        guard = guard_of(n, impurity, measure.score, best) + (0.0 if is_user_function(impurity) else 2.0 / measure.unit)
        for f in range(n_features):
            if found[f, j] >= best - 3 * (TIE + guard):
                rivals[f, j] = True
                doubt[j] |= scores.unsure[f, j]
            if chosen[j] < 0 and found[f, j] >= best - TIE - guard:
                chosen[j] = f
                doubt[j] |= found[f, j] < best - TIE + guard


@inlined_section
def _choose_by_gain_ratio(scores, options, slack, chosen, doubt, rivals):
    """As `ftree.splitters.by_gain_ratio` does; a node in doubt needs all features, since all are in the mean."""
    found, information = scores.score, scores.information
    n_features, n_nodes = found.shape
    for j in range(n_nodes):
        n, total, best, unsure = 0, 0.0, -np.inf, False
        for f in range(n_features):
            unsure |= scores.unsure[f, j] or np.isnan(found[f, j])
            if found[f, j] > -np.inf and not options[f, MANY]:
                n, total = n + 1, total + found[f, j]
        least = total / n - slack if n else np.inf
        for f in range(n_features):
            ratio, guard = _ratio(found[f, j], information[f, j], least)
            best = max(best, ratio)
            unsure |= abs(found[f, j] - least) < GUARD or abs(ratio - TIE) < guard
        chosen[j] = -1
        for f in range(n_features):
            ratio, guard = _ratio(found[f, j], information[f, j], least)
            if chosen[j] < 0 and ratio > TIE and ratio >= best - TIE - guard:
                chosen[j] = f
                unsure |= ratio < best - TIE + guard
        doubt[j] = unsure
        for f in range(n_features):
            rivals[f, j] |= unsure


@inlined_section
def _ratio(gain, information, least):
    """A gain per bit of split information, -inf where the gain is not the least one; and a bound on its rounding error."""
    if gain == -np.inf or gain < least:
        return -np.inf, 0.0
    if information <= 0:
        return 0.0, 0.0
    return gain / information, min(GUARD * (1 + gain / information) / information, TIE / 2)


@alloc_free
def describe(first, last, features, measure, entries, nodes, cut, buffers, splits):
    """Fill in the splits of nodes first to last: values on both sides of a threshold, values listed, children's counts.

    `lower` is the position of the last key that goes left. `cut` is that of the scores.
    """
    place, way, keys, weights = entries.place, features.way, entries.keys, entries.weights
    fast, table = is_fast(measure, weights), table_for(measure, weights)
    for j in range(first, last):
        f = splits.feature[j]
        if f < 0:
            _copy_counts(nodes.totals, j, splits)
        elif way[f] == THRESHOLD and place[f] < 0 and fast:
            _describe_cut(j, cut[f, j], keys[-1 - place[f]], weights, nodes, features.shift, splits)
        else:
            _describe_run(j, f, features, measure, table, entries, nodes, buffers, splits)


@inlined_section
def _copy_counts(totals, j, splits):
    """A node without a split is its own only child."""
    for c in range(totals.shape[1]):
        splits.children[splits.first_child[j], c] = totals[j, c]


@inlined_section
def _describe_cut(j, cut, lane, weights, nodes, shift, splits):
    """Describe a threshold of a sorted feature: class counts of the keys before the cut, and of the known ones after it."""
    (mask, _, _), children, child = bits_of(shift), splits.children, splits.first_child[j]
    splits.lower[j], splits.upper[j] = cut - 1, cut
    _known(j, lane, nodes.start[j], nodes.end[j], weights, nodes.totals, shift, children[child + 1])
    for i in range(nodes.start[j], cut):
        children[child, lane[i] & mask] += weights[lane[i] >> shift] if len(weights) else 1.0
    for c in range(children.shape[1]):
        children[child + 1, c] -= children[child, c]


@inlined_section
def _describe_run(j, f, features, measure, table, entries, nodes, buffers, splits):
    """Describe the split of one node by the values present there."""
    present, low_first = _values_present(f, j, features, entries, nodes, buffers), True
    values, counts, order, share = buffers.run.values, buffers.run.counts, buffers.run.order, buffers.run.share
    children, child, code = splits.children, splits.first_child[j], splits.first_code[j]
    if features.way[f] == MULTIWAY:
        _list_all(present, values, counts, np.int64(features.options[f, EMPTY]), splits.listed, code, children, child)
        return
    _, cut, _, _, _ = _best_of_run(f, present, features, measure, table, buffers.run)
    if features.way[f] == THRESHOLD:
        splits.lower[j], splits.upper[j] = values[order[cut - 1]] if entries.place[f] >= 0 else values[cut] - 1, values[cut]
    else:
        low_first = _low_side_first(values, order, cut, present)
        _list_members(values, order, 0 if low_first else cut, cut if low_first else present, present, share, splits.listed, code)
    for row in range(present):
        side = 0 if (row < cut) == low_first else 1
        for c in range(counts.shape[1]):
            children[child + side, c] += counts[order[row], c]


@inlined_section
def _list_all(present, values, counts, declared, listed, code, children, child):
    """List the values of a multiway split, those present or all declared ones, with their counts."""
    for value in range(declared):
        listed[code + value] = value
    for row in range(present):
        at = values[row] if declared else row
        listed[code + at] = values[row]
        for c in range(counts.shape[1]):
            children[child + at, c] = counts[row, c]


@inlined_section
def _values_present(f, j, features, entries, nodes, buffers):
    """The values of one feature that are present in a node, with their counts; how many."""
    run, place, n_classes, none = buffers.run, entries.place[f], nodes.totals.shape[1], np.int64(0)
    if place < 0:
        lane = entries.keys[-1 - place]
        return sorted_run(lane, entries.weights, nodes.start[j], nodes.end[j], features.shift, run.values, run.counts)
    tallied_alone(place, j, features.base, entries, nodes, n_classes, buffers.coded)
    return present_run(buffers.coded.parts, none, features.absent[f], n_classes, run.values, run.counts)


@inlined_section
def _list_members(values, order, first, last, present, marks, listed, at):
    """List the values of rows first to last of an order, rising: values rise with their row. `marks` is scratch."""
    for row in range(present):
        marks[row] = 0.0
    for k in range(first, last):
        marks[order[k]] = 1.0
    for row in range(present):
        if marks[row]:
            listed[at] = values[row]
            at += 1


@alloc_free
def stands_for(feature, at, place, keys, origin, shift):
    """The number that finds a value in the table: a feature's code itself, or the row whose key stands at a place."""
    return at if place[feature] >= 0 else np.int64(origin[keys[-1 - place[feature], at] >> shift])
