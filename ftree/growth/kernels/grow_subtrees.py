"""Whole subtrees grown in one call: level by level as the engine does it, but without returning to Python in between.

The entries of a group of nodes are gathered into arrays of their own, which fit into a processor's cache, and stay there until
every node below is a leaf. Threads take such groups in turn.
"""

from typing import Any, NamedTuple

import numpy as np

from ftree._lib.jit import alloc_free, inlined, inlined_section, kernel
from ftree._lib.kernels.callback import call_user_function
from ftree.growth.criterion_codes import ENTROPY, GAIN, GUARD
from ftree.growth.kernels.best_splits import (
    choose,
    describe,
    find_counted,
    score_closely,
    score_coded,
    score_sorted,
    stands_for,
    table_for,
)
from ftree.growth.kernels.buffers import is_fast, most_values, search_buffers
from ftree.growth.kernels.node_arrays import GrownNodes, first_of, longer, nothing_grown, with_level
from ftree.growth.kernels.partition import (
    count_copies,
    move_coded,
    move_shares,
    move_sorted,
    number_copies,
    renumber,
    route,
    scatter,
    sizes_of,
)
from ftree.growth.kernels.records import Above, Entries, Moves, Nodes, Scores, Splits
from ftree.growth.kernels.scan import is_user_function
from ftree.growth.kernels.scan_weighted import OFF
from ftree.growth.kernels.surrogates import call_surrogates
from ftree.growth.kernels.value_counts import any_loss_of
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD

# From so many cells on, a part is left for an idle thread; with more idle threads, from fewer cells on.
_WORTH_IT = 2**14


class Limits(NamedTuple):
    """When a node is a leaf: `StopLimits` as kernels take them."""

    pure: Any
    deepest: Any
    least_rows: Any
    least_leaf: Any
    least_gain: Any


class Open(NamedTuple):
    """The nodes of a level that may be split: their number in the level, the level before, their entries and class counts."""

    which: Any
    above: Any
    nodes: Any


class Best(NamedTuple):
    """The best splits of open nodes, the score of each, which are in doubt; and the scores of all features in each, (F, m)."""

    splits: Any
    reached: Any
    doubt: Any
    scores: Any


@kernel
def _gathered(numbers, nodes, entries, features):
    """The entries of some nodes, numbered anew, and where each node's begin.

    Sorted columns become rows of a block of their own, with one row to spare.
    """
    start, end, in_order, shift = nodes.start, nodes.end, features.in_order, features.shift
    place, keys, codes, classes, origin, times, fractions, _ = entries
    begin, own_place = np.zeros(len(numbers) + 1, np.int64), np.empty(len(place), np.int64)
    for k in range(len(numbers)):
        begin[k + 1] = begin[k] + end[numbers[k]] - start[numbers[k]]
    for f in range(len(place)):
        own_place[f] = place[f]
    n = begin[-1]
    own_keys = np.empty((len(in_order) + 1, n), keys.dtype)
    for s in range(len(in_order)):
        own_place[in_order[s]] = -1 - s
        lane = -1 - place[in_order[s]]
        for k in range(len(numbers)):
            ahead = start[numbers[k]] - begin[k]
            for i in range(begin[k], begin[k + 1]):
                own_keys[s, i] = keys[lane, i + ahead] - (ahead << shift)
    low, high = start[numbers[0]], end[numbers[-1]]
    if high - low == n:  # side by side, so that nothing need be copied that is not changed
        own_codes, own_classes, own_origin = codes[low:high], classes[low:high], origin[low:high]
        own_times, own_fractions = times[low:high], fractions[low:high]
    else:
        own_codes, own_classes = np.empty((n, codes.shape[1]), codes.dtype), np.empty(n, classes.dtype)
        own_origin = np.empty(n, origin.dtype)
        own_times, own_fractions = np.empty(n if len(times) else 0), np.empty(n if len(fractions) else 0)
        for k in range(len(numbers)):
            ahead = start[numbers[k]] - begin[k]
            for i in range(begin[k], begin[k + 1]):
                own_classes[i], own_origin[i] = classes[i + ahead], origin[i + ahead]
                for g in range(codes.shape[1]):
                    own_codes[i, g] = codes[i + ahead, g]
                if len(times):
                    own_times[i] = times[i + ahead]
                if len(fractions):
                    own_fractions[i] = fractions[i + ahead]
    weights = _product(own_times, own_fractions)
    return Entries(own_place, own_keys, own_codes, own_classes, own_origin, own_times, own_fractions, weights), begin


@kernel
def _product(times, fractions):
    if len(times) == 0 or len(fractions) == 0:
        return times if len(times) else fractions
    product = np.empty(len(times))
    for i in range(len(times)):
        product[i] = times[i] * fractions[i]
    return product


@kernel
def _parents(child_at):
    """Which open node each child is below."""
    parents = np.empty(child_at[-1], np.int64)
    for o in range(len(child_at) - 1):
        for child in range(child_at[o], child_at[o + 1]):
            parents[child] = o
    return parents


@kernel
def _rows_of(numbers, rows):
    """Some rows of a table."""
    some = np.empty((len(rows), numbers.shape[1]))
    for k in range(len(rows)):
        for c in range(numbers.shape[1]):
            some[k, c] = numbers[rows[k], c]
    return some


@inlined
def _is_closed(totals, j, limits, depth):
    """Whether a stopping rule that depends on the node alone closes it."""
    n, most = 0.0, 0.0
    for c in range(totals.shape[1]):
        n += totals[j, c]
        most = max(most, totals[j, c])
    return (limits.pure and most >= n) or depth >= limits.deepest or n < limits.least_rows


@alloc_free
def _any_undefined(totals, impurity):
    """Whether a user's impurity is NaN for a node; the NumPy engine raises the error."""
    undefined = False
    for j in range(len(totals)):
        undefined |= np.isnan(call_user_function(impurity, totals[j]))
    return undefined


@kernel
def _opened(begin, totals, above, limits, depth):
    """The nodes of a level that no such stopping rule closes."""
    which, n, parents = np.empty(len(totals), np.int64), 0, above.parent
    for j in range(len(totals)):
        if not _is_closed(totals, j, limits, depth):
            which[n] = j
            n += 1
    parent, start, end = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for o in range(n):
        parent[o], start[o], end[o] = parents[which[o]], begin[which[o]], begin[which[o] + 1]
    return Open(which[:n], Above(above.score, parent), Nodes(start, end, _rows_of(totals, which[:n])))


@inlined_section
def _searched(features, measure, entries, opened, buffers):
    """The best split of each open node, by the kernels that search whole levels."""
    # Typed as in the engine's own calls, so that no kernel is compiled twice.
    nodes, weights = opened.nodes, entries.weights
    n_features, n_open, none = len(features.way), len(opened.which), np.int64(0)
    found, cut = np.empty((n_features, n_open)), np.zeros((n_features, n_open), np.int32)
    for f in range(n_features):
        for o in range(n_open):
            found[f, o] = -np.inf
    unsure, rivals = np.zeros((n_features, n_open), np.bool_), np.zeros((n_features, n_open), np.bool_)
    doubt, chosen, counted = np.zeros(n_open, np.bool_), np.empty(n_open, np.int64), np.empty(n_open, np.bool_)
    scores = Scores(found, cut, unsure, np.empty((0 if np.isnan(measure.slack) else n_features, n_open)))
    find_counted(weights, nodes, measure.table, counted)
    score_sorted(none, len(features.in_order), features, measure, entries, nodes, counted, buffers, scores)
    if len(features.coded):
        n_coded = len(features.coded)
        score_coded(none, n_coded, none, n_open, features, measure, entries, nodes, counted, opened.above, buffers, scores)
    if len(weights) and is_fast(measure, weights) and measure.impurity == ENTROPY:
        score_closely(none, n_open, features, measure, entries, nodes, counted, buffers, scores)
    choose(scores, nodes.totals, features, measure, chosen, doubt, rivals)
    return _described(features, measure, entries, nodes, chosen, doubt, buffers, scores)


@inlined_section
def _described(features, measure, entries, nodes, chosen, doubt, buffers, scores):
    """The chosen splits with their children's class counts."""
    n_open, none, way, found, cut = len(chosen), np.int64(0), features.way, scores.score, scores.cut
    reached = np.empty(n_open)
    first_code, first_child = np.zeros(n_open + 1, np.int64), np.zeros(n_open + 1, np.int64)
    for o in range(n_open):
        f = chosen[o]
        reached[o] = found[f, o] if f >= 0 else -np.inf
        width = cut[f, o] if f >= 0 and way[f] != THRESHOLD else 0
        first_code[o + 1] = first_code[o] + width
        first_child[o + 1] = first_child[o] + (1 if f < 0 else (width if way[f] == MULTIWAY else 2))
    lower, upper, listed = np.zeros(n_open, np.int64), np.zeros(n_open, np.int64), np.zeros(first_code[-1], np.int64)
    children = np.zeros((first_child[-1], nodes.totals.shape[1]))
    splits = Splits(chosen, lower, upper, first_code, listed, first_child, children)
    describe(none, n_open, features, measure, entries, nodes, cut, buffers, splits)
    return Best(splits, reached, doubt, found)


@inlined
def _refused(totals, o, gain, splits, known, measure, table, limits):
    """Whether a stopping rule that depends on the best split closes its node, and whether that is too close to call."""
    impurity, factors, children = measure.impurity, measure.factors, splits.children
    far = abs(gain - limits.least_gain) > 2 * OFF  # also of what is an estimate
    if far and measure.plain and measure.score == GAIN and limits.least_leaf == -np.inf and not is_user_function(impurity):
        return gain < limits.least_gain, False  # usually the search knows the gain
    n, left, smallest, scale = 0.0, 0.0, np.inf, 1.0
    for c in range(totals.shape[1]):
        n += totals[o, c] * (factors[c] if len(factors) else 1.0)
        known[c] = 0.0
    for child in range(splits.first_child[o], splits.first_child[o + 1]):
        size = 0.0
        for c in range(totals.shape[1]):
            known[c] += children[child, c]
            size += children[child, c]
        loss, _, large = any_loss_of(children[child], factors, impurity, table)
        left, scale = left + loss, max(scale, large)
        smallest = min(smallest, size)
    whole, _, large = any_loss_of(known, factors, impurity, table)
    gain, scale = (whole - left) / (n if n > 0 else 1.0), max(scale, large)
    return smallest < limits.least_leaf or gain < limits.least_gain, abs(gain - limits.least_gain) < GUARD * scale


@inlined_section
def _with_splits(grown, level, n_level, n_listed, features, measure, entries, opened, best, limits):
    """The same nodes with their splits; then the kind and the first child of each open one; then whether all are sure."""
    # Parts of tuples are named first: each time that one is taken out of its tuple, references to it are counted.
    which, _, (_, _, totals) = opened
    splits, reached, doubt, _ = best
    chosen, lower, upper, first_code, codes, first_child, _ = splits
    counts, kinds, node_features, lowers, uppers, firsts, widths, _ = grown
    way, known, table = features.way, np.empty(totals.shape[1]), table_for(measure, entries.weights)
    place, keys, origin, shift = entries.place, entries.keys, entries.origin, features.shift
    kind, child_at = np.zeros(len(which), np.int8), np.zeros(len(which) + 1, np.int64)
    listed = longer(grown.listed, n_listed + len(codes))
    for o in range(len(which)):
        f, node, unsure, closed = chosen[o], level + which[o], doubt[o], True
        child_at[o + 1] = child_at[o]
        if f >= 0 and not unsure:
            closed, unsure = _refused(totals, o, reached[o], splits, known, measure, table, limits)
        if unsure:
            return grown, kind, child_at, n_listed, False
        if closed:
            continue
        kind[o] = kinds[node] = way[f]
        node_features[node] = f
        if way[f] == THRESHOLD:
            lowers[node] = stands_for(f, lower[o], place, keys, origin, shift)
            uppers[node] = stands_for(f, upper[o], place, keys, origin, shift)
        firsts[node], widths[node] = level + n_level + child_at[o], first_code[o + 1] - first_code[o]
        child_at[o + 1] += first_child[o + 1] - first_child[o]
        for at in range(first_code[o], first_code[o + 1]):
            listed[n_listed] = stands_for(f, codes[at], place, keys, origin, shift)
            n_listed += 1
    return GrownNodes(counts, kinds, node_features, lowers, uppers, firsts, widths, listed), kind, child_at, n_listed, True


@alloc_free
def _settle(kind, child_at, totals_above, splits, limits, depth, totals, backed):
    """Count the children of nodes whose children are all leaves: their entries need not move; returns how many nodes move.

    A node with missing values moves even so, and one whose split gets surrogates. The kind of a node that does not move becomes
    none.
    """
    n_classes, children, first_child = totals.shape[1], splits.children, splits.first_child
    moving = 0
    for o in range(len(kind)):
        if kind[o] == NONE:
            continue
        moving += 1
        first, last, leaves, rest = first_child[o], first_child[o + 1], True, 0.0
        for c in range(n_classes):
            rest += totals_above[o, c]
        for child in range(first, last):
            leaves &= _is_closed(children, child, limits, depth)
            for c in range(n_classes):
                rest -= children[child, c]
        alone = len(backed) == 0 or kind[o] == MULTIWAY or not backed[splits.feature[o]]
        if leaves and rest == 0 and alone:
            kind[o] = NONE
            moving -= 1
            for child in range(first, last):
                for c in range(n_classes):
                    totals[child_at[o] + child - first, c] = children[child, c]
    return moving


@alloc_free
def _count_known(kind, child_at, splits, totals, heavy):
    """Class counts of the children of nodes that move, and their sums, without the entries whose value is missing."""
    children, first_child = splits.children, splits.first_child
    for o in range(len(kind)):
        if kind[o] != NONE:
            for v in range(first_child[o + 1] - first_child[o]):
                for c in range(totals.shape[1]):
                    totals[child_at[o] + v, c] = children[first_child[o] + v, c]
                    heavy[child_at[o] + v] += children[first_child[o] + v, c]


@inlined_section
def _where_to(kind, child_at, nodes, splits, features, entries, sharing, totals, backing):
    """Where the entries of nodes go, before these have numbers; class counts of the children, but for copies, go to `totals`."""
    none, n_open, n_children, n_entries = np.int64(0), len(kind), child_at[-1], len(entries.classes)
    child, number = np.empty(n_entries, np.int32), np.empty(n_entries, np.int32)
    sizes, heavy, position = np.zeros(n_children, np.int64), np.zeros(n_children), np.zeros(n_children + 1, np.int64)
    route(none, n_open, kind, splits.feature, splits.lower, splits.first_code, splits.listed, features, entries, nodes, child)
    copies, shares = np.empty((0, 3), np.int64), np.empty(0)
    _count_known(kind, child_at, splits, totals, heavy)
    if backing.address:
        given = kind, child_at, splits.feature, nodes, features, entries, child, totals, backing.tables, backing.found
        call_surrogates(backing.address, given)
    if sizes_of(none, n_open, kind, child_at, nodes.start, nodes.end, child, sizes):
        given = nodes, kind, child_at, child, number, entries.fractions, heavy, sharing
        room = scatter(*given, copies, shares, sizes)
        copies, shares = np.empty((room, 3), np.int64), np.empty(room)
        scatter(*given, copies, shares, sizes)
    for v in range(n_children):
        position[v + 1] = position[v] + sizes[v]
    return Moves(kind, child_at, child, number, position, copies, shares)


@inlined_section
def _moved(moves, nodes, features, entries, spare, totals):
    """The entries in the order of the children, the row of keys that is spare now; class counts of copies are added."""
    place, keys, codes, classes, origin, times, fractions, _ = entries
    copies, none, n_open, n = moves.copies, np.int64(0), len(moves.kind), moves.position[-1]
    new_classes, new_origin = np.empty(n, classes.dtype), np.empty(n, origin.dtype)
    renumber(none, n_open, nodes, moves, entries, new_classes, new_origin)
    number_copies(nodes, moves, entries, new_classes, new_origin)
    count_copies(nodes, moves, entries, totals)
    new_times = np.empty(n if len(times) else 0)
    new_fractions = np.ones(n if len(fractions) or len(copies) else 0)
    move_shares(nodes, moves, entries, new_times, new_fractions)
    new_keys = keys if n <= keys.shape[1] else np.empty((len(keys), n), keys.dtype)
    spare = move_sorted(none, len(features.in_order), features, entries, new_keys, spare, nodes, moves)
    if len(features.coded):
        new_codes = np.empty((n, codes.shape[1]), codes.dtype)
        move_coded(
            none, n_open, codes.view(np.uint64), new_codes.view(np.uint64), moves.kind, nodes.start, nodes.end, moves.number
        )
        for copy in range(len(copies)):
            for g in range(codes.shape[1]):
                new_codes[copies[copy, 2], g] = codes[copies[copy, 0], g]
        codes = new_codes
    weights = _product(new_times, new_fractions)
    return Entries(place, new_keys, codes, new_classes, new_origin, new_times, new_fractions, weights), spare


@alloc_free
def _outside_the_largest(begin):
    """The number of entries outside the largest node: they can be left to another thread."""
    largest = 0
    for j in range(len(begin) - 1):
        largest = max(largest, begin[j + 1] - begin[j])
    return begin[-1] - largest


@kernel
def finish(numbers, depth, limits, features, measure, entries, nodes, sharing, most_entries, idle, backing):
    """Grow the subtrees of some nodes, these first, level by level.

    It returns no node where a choice is too close to call or entries are too many.

    Otherwise it returns the arrays of `GrownNodes`, whose values are codes, or rows of the table that have them. Then come the
    depth, the fields of the nodes and entries that are left for another thread; their numbers follow those of the grown nodes.
    They are plain tuples: to make records for Python, numba calls Python code, and crashes where an interruption comes in it.
    """
    none, n_classes, spare = np.int64(0), nodes.totals.shape[1], len(features.in_order)
    # `none` and no literal 0, for which numba would compile everything once more
    entries, begin = _gathered(numbers, nodes, entries, features)
    totals, level, n_listed = _rows_of(nodes.totals, numbers), none, none
    n_values = most_values(features, measure, entries, Nodes(begin[:-1], begin[1:], totals))
    buffers = search_buffers(features, n_values, n_classes)
    above = Above(np.zeros((len(features.way), 1)), np.zeros(len(numbers), np.int64))
    grown, unsure = nothing_grown(2 * len(numbers) + 64, n_classes), False
    while len(totals):
        grown = with_level(grown, level, totals)
        unsure = is_user_function(measure.impurity) and _any_undefined(totals, measure.impurity)
        if unsure:
            break
        opened = _opened(begin, totals, above, limits, depth)
        if not len(opened.which):
            level, totals = level + len(totals), totals[:0]
            break
        best = _searched(features, measure, entries, opened, buffers)
        grown, kind, child_at, n_listed, sure = _with_splits(
            grown, level, len(totals), n_listed, features, measure, entries, opened, best, limits
        )
        unsure = not sure
        if unsure:
            break
        # With options a feature may split below a node that it does not split.
        above = Above(best.scores if measure.plain else np.zeros_like(best.scores), _parents(child_at))
        level, depth, totals = level + len(totals), depth + 1, np.zeros((child_at[-1], n_classes))
        if _settle(kind, child_at, opened.nodes.totals, best.splits, limits, depth, totals, backing.tables.backed):
            moves = _where_to(kind, child_at, opened.nodes, best.splits, features, entries, sharing, totals, backing)
            unsure = moves.position[-1] >= most_entries
            if unsure:
                break
            entries, spare = _moved(moves, opened.nodes, features, entries, spare, totals)
            begin = moves.position
            if idle[0] * _outside_the_largest(begin) * len(features.way) >= _WORTH_IT:
                break
    if unsure:
        level, n_listed, totals = none, none, totals[:0]
    place, keys, codes, classes, origin, times, fractions, weights = entries
    left = place, keys, codes, classes, origin, times, fractions, weights
    return first_of(grown, level, n_listed), depth, (begin[:-1], begin[1:], totals), left
