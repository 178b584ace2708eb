"""The search over features and nodes: a score for every feature in every node, then each node's choice, then its children.

Kernels loop over whole levels, since a call from Python costs as much as a small node; that is why they are long. A value
is known by its code, or by the place of its first key in a node.
"""

import math

import numpy as np

from ftree._lib.jit import alloc_free, inlined_section, internal
from ftree._lib.ties import TIE
from ftree.growth.criterion_codes import EMPTY, EXACT, GUARD, MANY, MDL
from ftree.growth.kernels.buffers import RunBuffers, is_fast
from ftree.growth.kernels.keys import bits_of
from ftree.growth.kernels.scan import NO, entropy_cut, gini_cut, is_user_function, own_cut
from ftree.growth.kernels.scan_counts import (
    from_cells,
    gain_of_cells,
    gains_of_cuts,
    is_cut_of_codes,
    multiway_gains,
    weighted_gains,
)
from ftree.growth.kernels.scan_weighted import OFF, estimated_cut, exactly, weighted_cut
from ftree.growth.kernels.steps import SCORE_RUN, call, call_for_best
from ftree.growth.kernels.value_counts import (
    best_cut,
    best_subset,
    cases_of_rows,
    guard_of,
    in_value_order,
    least_case,
    multiway_score,
    n_log_n,
    number_classes,
    present_run,
    sorted_run,
    tallied,
    tallied_alone,
)
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD

# A node with fewer known rows is not cut.
_PAIR = 2
# Kinds of nodes.
_COUNTED, _WEIGHTED = 1, 2


@alloc_free
def find_counted(weights, nodes, table, counted):
    """The nodes in which rows are counted, since all weights are 1."""
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


# Kernels that score or describe have the same arguments, since others call them by address: the first and the last of their
# features, of which they take at most as many as there are, and of the nodes. Scores come as -inf and stay so if a feature
# cannot split. Those that describe fill in the splits.


@internal
def score_entropy(first, last, first_node, last_node, search, buffers, scores, splits):
    """Score by entropy, in one pass, the thresholds of sorted features first to last of `features.in_order` in counted nodes."""
    _score_cuts(first, last, first_node, last_node, search, buffers, scores, _COUNTED, _cut_by_entropy)


@internal
def score_gini(first, last, first_node, last_node, search, buffers, scores, splits):
    """The same by Gini."""
    _score_cuts(first, last, first_node, last_node, search, buffers, scores, _COUNTED, _cut_by_gini)


@internal
def score_estimated(first, last, first_node, last_node, search, buffers, scores, splits):
    """The same in nodes of weighted rows, by estimated entropy."""
    _score_cuts(first, last, first_node, last_node, search, buffers, scores, _WEIGHTED, _cut_by_estimates)


@internal
def score_weighted(first, last, first_node, last_node, search, buffers, scores, splits):
    """The same by Gini."""
    _score_cuts(first, last, first_node, last_node, search, buffers, scores, _WEIGHTED, _cut_by_weights)


@internal
def score_own(first, last, first_node, last_node, search, buffers, scores, splits):
    """The same by a user's impurity, in all nodes."""
    _score_cuts(first, last, first_node, last_node, search, buffers, scores, _COUNTED | _WEIGHTED, _cut_by_own)


@inlined_section
def _score_cuts(first, last, first_node, last_node, search, buffers, scores, wanted, find):
    """Score the thresholds of sorted features by what finds the best cut among the known keys of a node."""
    features, entries, shares = search.features, search.entries, buffers.cuts.shares
    for number in range(first, min(last, len(features.in_order))):
        f = features.in_order[number]
        if not _is_cut(f, features, search.measure, entries):
            continue
        lane = entries.keys[-1 - entries.place[f]]
        for j in range(first_node, last_node):
            if wanted & (_COUNTED if search.counted[j] else _WEIGHTED):
                low, high, known = _keys_known(j, lane, features.shift, entries.weights, search.nodes, buffers.cuts.right, shares)
                if high - low >= _PAIR:
                    gain, cut, unsure = find(lane, low, high, search, buffers.cuts)
                    _note_cut(f, j, low, gain * known, cut, unsure, scores)


@inlined_section
def _cut_by_entropy(lane, low, high, search, cuts):
    measure, shift = search.measure, search.features.shift
    return entropy_cut(
        lane, low, high, shift, cuts.left, cuts.right, measure.whole, measure.steps, measure.unit, cuts.at, cuts.count
    )


@inlined_section
def _cut_by_gini(lane, low, high, search, cuts):
    return gini_cut(lane, low, high, search.features.shift, cuts.left, cuts.right, cuts.at, cuts.count)


@inlined_section
def _cut_by_estimates(lane, low, high, search, cuts):
    """The cut is negative if another may be as good."""
    weights, shift, each, shares = search.entries.weights, search.features.shift, cuts.each, cuts.shares
    gain, cut, alone = estimated_cut(lane, low, high, shift, weights, each, cuts.lefts, cuts.rough, cuts.at, shares)
    return gain, cut if alone or cut == low else -cut, NO


@inlined_section
def _cut_by_weights(lane, low, high, search, cuts):
    weights, shift, each, shares = search.entries.weights, search.features.shift, cuts.each, cuts.shares
    impurity = search.measure.impurity
    return weighted_cut(lane, low, high, shift, weights, each, cuts.lefts, cuts.rough, cuts.at, shares, impurity)


@inlined_section
def _cut_by_own(lane, low, high, search, cuts):
    weights, shift, impurity = search.entries.weights, search.features.shift, search.measure.impurity
    return own_cut(lane, low, high, shift, weights, cuts.each, cuts.others, cuts.shares, impurity)


@inlined_section
def _keys_known(j, lane, shift, weights, nodes, rows, shares):
    """The first and last place of a node's known keys, and the share of known cases; their class counts, twice."""
    low = nodes.start[j]
    high, known = _known(j, lane, low, nodes.end[j], weights, nodes.totals, shift, shares)
    for c in range(len(shares)):
        rows[c] = np.int64(shares[c])
    return low, high, known


@inlined_section
def _note_cut(f, j, low, score, cut, unsure, scores):
    """Note the score of a cut; one before the first key is none."""
    if cut != low:
        scores.score[f, j], scores.cut[f, j], scores.unsure[f, j] = score, cut, unsure


@internal
def score_sorted_runs(first, last, first_node, last_node, search, buffers, scores, splits):
    """Score by the values present the other sorted features first to last."""
    features, measure, entries, nodes, _, _, _ = search
    way, in_order, start, end, totals = features.way, features.in_order, nodes.start, nodes.end, nodes.totals
    weights, values, counts = entries.weights, buffers.run.values, buffers.run.counts
    fast, table = is_fast(measure, weights), table_for(measure, weights)
    for number in range(first, min(last, len(in_order))):
        f = in_order[number]
        lane = entries.keys[-1 - entries.place[f]]
        if way[f] == NONE or (way[f] == THRESHOLD and fast):
            continue
        for j in range(first_node, last_node):
            present = sorted_run(lane, weights, start[j], end[j], features.shift, values, counts)
            given = f, j, present, features, measure, totals, table, buffers.run, scores, search.by_values
            call(search.by_values, SCORE_RUN, given)


@internal
def _known(j, lane, low, high, weights, totals, shift, shares):
    """The first place of the missing values of a sorted run, which are last, and the share of cases with a known value."""
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


# Coded features ------------------------------------------------------------------------------------------------------


@internal
def score_coded(first, last, first_node, last_node, search, buffers, scores, splits):
    """Score coded features first to last in some nodes: scores times known share, and how many codes the split lists.

    Gains in entropy are estimated where rows are weighted. Thresholds are scored by the classes present in a node.
    """
    features, measure, entries, nodes, counted, above, _ = search
    coded, way, absent, (numbers, begin, ranks, whole, parts) = features.coded, features.way, features.absent, buffers.coded
    start, end, totals, weights, table = nodes.start, nodes.end, nodes.totals, entries.weights, measure.table
    impurity, only_cuts, none, nothing = measure.impurity, _all_are_cut(features, measure), weights[:0], table[:0]
    codes, classes = entries.codes, entries.classes
    for j in range(first_node, last_node):
        k = number_classes(totals, j, only_cuts and counted[j], ranks)
        run = _run_of(buffers.run, k)
        n_live = _divisible(above, j, features, first, min(last, len(coded)), numbers, begin, k)
        gains = from_cells(np.int8(MULTIWAY), counted[j], measure)
        cuts = from_cells(np.int8(THRESHOLD), counted[j], measure)
        if counted[j]:
            tallied(codes, classes, none, start[j], end[j], numbers, n_live, begin, ranks, k, whole)
            if gains:
                multiway_gains(j, n_live, buffers.coded, features, totals, impurity, table, scores)
            if cuts:
                gains_of_cuts(j, n_live, search, buffers, k, scores)
        else:
            tallied(codes, classes, weights, start[j], end[j], numbers, n_live, begin, ranks, k, parts)
            if gains:
                weighted_gains(j, n_live, buffers.coded, features, totals, impurity, run.left, run.right, scores)
        for a in range(n_live):
            f, at = coded[numbers[a]], begin[a]
            by_cells = is_cut_of_codes(way[f], absent[f]) if counted[j] else way[f] == THRESHOLD
            if way[f] == NONE or (gains and way[f] == MULTIWAY) or (cuts and by_cells):
                continue
            if counted[j]:
                present = present_run(whole, at, absent[f], k, run.values, run.counts)
            else:
                present = present_run(parts, at, absent[f], k, run.values, run.counts)
            taken = table if counted[j] else nothing
            given = f, j, present, features, measure, totals, taken, run, scores, search.by_values
            call(search.by_values, SCORE_RUN, given)


@inlined_section
def _all_are_cut(features, measure):
    """Whether all coded features get thresholds, by an impurity of the library: then classes without cases change no score."""
    only_cuts = not is_user_function(measure.impurity) and len(measure.factors) == 0
    for f in features.coded:
        only_cuts &= features.way[f] == THRESHOLD
    return only_cuts


@inlined_section
def _run_of(run, k):
    """The buffers of a run with room for counts of k classes instead of all."""
    values, counts, sizes, order, share, scores, left, right = run
    n = len(values)
    return RunBuffers(
        values, counts.reshape(counts.size)[: n * k].reshape((n, k)), sizes, order, share, scores, left[:k], right[:k]
    )


@inlined_section
def _divisible(above, j, features, first, last, numbers, begin, k):
    """List the features that may have several values, since a missing score above means one value; their number."""
    coded, absent, parent, n = features.coded, features.absent, above.parent[j], np.int64(0)
    for g in range(first, last):
        numbers[n], begin[n + 1] = g, begin[n] + (absent[coded[g]] + 1) * k
        n += above.score[coded[g], parent] != -np.inf
    return n


@internal
def score_run(f, j, present, features, measure, totals, table, run, scores, by_values):
    """Score a feature in a node by its run: the score times the known share, the cut, whether it is in doubt."""
    way, options, scores.score[f, j], scores.cut[f, j] = features.way[f], features.options, -np.inf, 0
    if present < 2:  # noqa: PLR2004  # nothing to divide
        return
    found, cut, unsure, n_cuts, cases = _best_of_run(f, present, features, measure, table, run, totals.shape[1], by_values)
    if options[f, MDL] and n_cuts:
        found -= math.log2(n_cuts) / cases
        near = 2 * TIE if unsure else GUARD  # the NumPy engine decides what rounding may move to the other side
        unsure |= abs(found - TIE) < near
        found = found if found > TIE - near else -np.inf
    if found == -np.inf:
        return
    share = _known_share(run.counts, present, measure.factors, totals, j)
    scores.score[f, j], scores.unsure[f, j] = found * share, scores.unsure[f, j] or unsure
    scores.cut[f, j] = _n_listed(way, cut, present, options[f, EMPTY], run)
    if len(scores.information):
        scores.information[f, j] = _split_information(way, cut, present, cases, share, table, run)


@inlined_section
def _best_of_run(f, present, features, measure, table, run, n_classes, by_values):
    """The best split of a run, by the kernel for the feature's kind of split; then the cases of the run."""
    cases = cases_of_rows(run.counts, present, run.sizes)
    least, exact = least_case(features.options, f, cases, n_classes), features.options[f, EXACT]
    given = run, present, least, exact, measure.factors, measure.impurity, measure.score, table
    found, cut, unsure, n_cuts = call_for_best(by_values, features.way[f], given)
    return found, cut, unsure, n_cuts, cases


# The best split of a run by each kind of splits, with the same arguments: the score, the rows of `run.order` on one side, whether
# it was too close to call, and the number of cuts.


@internal
def best_multiway(run, present, least, exact, factors, impurity, score, table):
    """Into all values present."""
    found, unsure = multiway_score(run, present, least, factors, impurity, score, table)
    return found, present, unsure, 1


@internal
def best_threshold(run, present, least, exact, factors, impurity, score, table):
    """In the order of values."""
    in_value_order(run.order, present)
    return best_cut(run, present, least, factors, impurity, score, table)


@internal
def best_division(run, present, least, exact, factors, impurity, score, table):
    """In two sets of values."""
    found, cut, unsure = best_subset(run, present, least, exact, factors, impurity, score, table)
    return found, cut, unsure, 1


@inlined_section
def _n_listed(way, cut, present, declared, run):
    """The number of values that the split lists."""
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
        n += totals[j, c] * (factors[c] if len(factors) else 1.0)
    for c in range(counts.shape[1]):
        factor = factors[c] if len(factors) else 1.0
        for row in range(present):
            known += counts[row, c] * factor
    return known / n if n > 0 else 0.0  # a node may have only classes whose prior is 0


@internal
def _low_side_first(values, order, cut, present):
    """Whether the rows before a cut have the lowest value of all."""
    low, high = values[order[0]], values[order[cut]]
    for row in range(cut):
        low = min(low, values[order[row]])
    for row in range(cut, present):
        high = min(high, values[order[row]])
    return low < high


# Estimates -----------------------------------------------------------------------------------------------------------


@internal
def score_closely(first, last, first_node, last_node, search, buffers, scores, splits):
    """Score exactly, in some nodes, each estimate that may be the best there, unless only one may be; of all features.

    All other estimates are surely less than the best and are not chosen. Cuts are negative where another may be as good.
    """
    features, measure, entries, _, counted, _, _ = search
    if len(entries.weights) == 0 or not measure.fast:
        return
    for j in range(first_node, last_node):
        enough = _enough(scores.score, j)
        if not counted[j] and not _is_decided(j, enough, features.way, entries.place, scores):
            _score_node_closely(j, enough, search, buffers, scores)


@inlined_section
def _score_node_closely(j, enough, search, buffers, scores):
    """Score exactly the estimates that reach `enough` in a node."""
    features, measure, entries, nodes, _, _, _ = search
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
                nothing = measure.table[:0]
                given = f, j, present, features, measure, totals, nothing, run, scores, search.by_values
                call(search.by_values, SCORE_RUN, given)
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
    """The lowest estimated score of a node that could still be the best."""
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


# Both have the same arguments. `rivals` marks the features that might be chosen in a node: where a feature's own cut is unsure,
# its score may be a tie higher, and NaN marks a score whose error the NumPy engine raises.


@alloc_free
def choose_by_score(scores, totals, features, measure, chosen, doubt, rivals):
    """Each node's first feature within a tie of its best, -1 when none splits it; which nodes are too close to call."""
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


@alloc_free
def choose_by_gain_ratio(scores, totals, features, measure, chosen, doubt, rivals):
    """As `ftree.splitters.by_gain_ratio` does; a node in doubt needs all features, since all are in the mean."""
    found, information, options, slack = scores.score, scores.information, features.options, measure.slack
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


@internal
def describe_cuts(first, last, first_node, last_node, search, buffers, scores, splits):
    """Fill in the splits of some nodes: values on both sides of a threshold, values listed, children's counts.

    These are the splits that `_score_cuts` has scored, and the nodes without one. `lower` is the position of the last key that
    goes left.
    """
    features, measure, entries, nodes, _, _, _ = search
    place, weights = entries.place, entries.weights
    for j in range(first_node, last_node):
        f = splits.feature[j]
        if f < 0:
            _copy_counts(nodes.totals, j, splits)
        elif _is_cut(f, features, measure, entries):
            _describe_cut(j, scores.cut[f, j], entries.keys[-1 - place[f]], weights, nodes, features.shift, splits)


@internal
def describe_runs(first, last, first_node, last_node, search, buffers, scores, splits):
    """Fill in the other splits of some nodes."""
    features, measure, entries, _, _, _, _ = search
    table = table_for(measure, entries.weights)
    for j in range(first_node, last_node):
        f = splits.feature[j]
        if f >= 0 and not _is_cut(f, features, measure, entries):
            _describe_run(j, f, search, table, buffers, splits)


@inlined_section
def _is_cut(f, features, measure, entries):
    """Whether the splits of a feature are cuts of sorted keys that are found in one pass."""
    return features.way[f] == THRESHOLD and entries.place[f] < 0 and is_fast(measure, entries.weights)


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
def _describe_run(j, f, search, table, buffers, splits):
    """Describe the split of one node by the values present there."""
    features, measure, entries, nodes, _, _, by_values = search
    present, low_first = _values_present(f, j, features, entries, nodes, buffers), True
    values, counts, order, share = buffers.run.values, buffers.run.counts, buffers.run.order, buffers.run.share
    children, child, code = splits.children, splits.first_child[j], splits.first_code[j]
    if features.way[f] == MULTIWAY:
        _list_all(present, values, counts, np.int64(features.options[f, EMPTY]), splits.listed, code, children, child)
        return
    _, cut, _, _, _ = _best_of_run(f, present, features, measure, table, buffers.run, children.shape[1], by_values)
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


@internal
def stands_for(feature, at, place, keys, origin, shift):
    """The number that finds a value in the table: a feature's code itself, or the row whose key stands at a place."""
    return at if place[feature] >= 0 else np.int64(origin[keys[-1 - place[feature], at] >> shift])
