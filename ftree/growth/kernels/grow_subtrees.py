"""Whole subtrees grown in one call: level by level as the engine does it, but without returning to Python in between.

The entries of a group of nodes are gathered into arrays of their own, which fit into a processor's cache, and stay there until
every node below is a leaf. Threads take such groups in turn.
"""

from typing import Any, NamedTuple

import numpy as np

from ftree._lib.jit import inlined, internal, internal_allocating, kernel
from ftree._lib.kernels.callback import call_user_function
from ftree.growth.criterion_codes import GAIN, GUARD
from ftree.growth.kernels.best_splits import stands_for, table_for
from ftree.growth.kernels.buffers import most_values, search_buffers
from ftree.growth.kernels.node_arrays import first_of, nothing_grown, with_level, with_listed
from ftree.growth.kernels.records import Above, Entries, Moves, Nodes, Scores, Search, Splits
from ftree.growth.kernels.scan import is_user_function
from ftree.growth.kernels.scan_weighted import OFF
from ftree.growth.kernels.steps import (
    CHOOSE,
    COUNT_COPIES,
    COUNT_SIZES,
    FIND_COUNTED,
    FIND_SURROGATES,
    MOVE_CODED,
    MOVE_SHARES,
    MOVE_SORTED,
    NUMBER_COPIES,
    RENUMBER,
    ROUTE,
    SHARE_OUT,
    call,
    call_for_number,
)
from ftree.growth.kernels.value_counts import any_loss_of
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD

# From so many cells on, a part is left for an idle thread; with more idle threads, from fewer cells on.
_WORTH_IT = 2**14

# What allocates arrays is short: what reads and writes them counts no references.


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


class Found(NamedTuple):
    """What the search finds for the n open nodes of a level, with m children.

    The scores of all features, (F, n); each node's choice, its score, whether it is in doubt, and rivals of it (F, n); how many
    values it lists and how many children it has, added up (n + 1,). Then the kind of split that each node gets, and its
    children, added up (n + 1,).
    """

    scores: Any
    chosen: Any
    reached: Any
    doubt: Any
    rivals: Any
    counted: Any
    first_code: Any
    first_child: Any
    kind: Any
    child_at: Any


@internal_allocating
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
    weights = np.empty(n) if len(times) and len(fractions) else (own_times if len(times) else own_fractions)
    _multiply(own_times, own_fractions, weights)
    return Entries(own_place, own_keys, own_codes, own_classes, own_origin, own_times, own_fractions, weights), begin


@internal
def _multiply(times, fractions, weights):
    """Weights of entries, where they have both."""
    if len(times) and len(fractions):
        for i in range(len(weights)):
            weights[i] = times[i] * fractions[i]


@internal_allocating
def _parents(child_at):
    """Which open node each child is below."""
    parents = np.empty(child_at[-1], np.int64)
    for o in range(len(child_at) - 1):
        for child in range(child_at[o], child_at[o + 1]):
            parents[child] = o
    return parents


@internal_allocating
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


@internal
def _any_undefined(totals, impurity):
    """Whether a user's impurity is NaN for a node; the NumPy engine raises the error."""
    undefined = False
    for j in range(len(totals)):
        undefined |= np.isnan(call_user_function(impurity, totals[j]))
    return undefined


@internal_allocating
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


@internal_allocating
def _nothing_found(n_features, n, by_ratio):
    """Room for what the search finds for n nodes."""
    scores = Scores(
        np.empty((n_features, n)), np.zeros((n_features, n), np.int32), np.zeros((n_features, n), np.bool_),
        np.empty((n_features if by_ratio else 0, n)),
    )  # fmt: skip
    rivals, counted, kind = np.zeros((n_features, n), np.bool_), np.ones(n, np.bool_), np.zeros(n, np.int8)
    chosen, reached, doubt = np.empty(n, np.int64), np.empty(n), np.zeros(n, np.bool_)
    first_code, first_child, child_at = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    return Found(scores, chosen, reached, doubt, rivals, counted, first_code, first_child, kind, child_at)


@internal_allocating
def _nothing_described(found, n_classes):
    """Room for the splits that were found."""
    n = len(found.chosen)
    lower, upper, listed = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(found.first_code[-1], np.int64)
    children = np.zeros((found.first_child[-1], n_classes))
    return Splits(found.chosen, lower, upper, found.first_code, listed, found.first_child, children)


@internal
def _search(steps, features, measure, entries, opened, buffers, found):
    """Find the best split of each open node, by the kernels that search whole levels."""
    (scores, chosen, reached, doubt, rivals, counted, first_code, first_child, _, _), way = found, features.way
    search = Search(features, measure, entries, opened.nodes, counted, opened.above, steps.by_values)
    none, n_features, n_open, totals = np.int64(0), len(way), len(chosen), opened.nodes.totals
    for f in range(n_features):
        for o in range(n_open):
            scores.score[f, o] = -np.inf
    if len(entries.weights):
        call(steps.steps, FIND_COUNTED, (entries.weights, opened.nodes, measure.table, counted))
    for number in range(len(steps.scorers)):
        call(steps.scorers, number, (none, n_features, none, n_open, search, buffers, scores))
    call(steps.steps, CHOOSE, (scores, totals, features, measure, chosen, doubt, rivals))
    for o in range(n_open):
        f = chosen[o]
        reached[o] = scores.score[f, o] if f >= 0 else -np.inf
        width = scores.cut[f, o] if f >= 0 and way[f] != THRESHOLD else 0
        first_code[o + 1] = first_code[o] + width
        first_child[o + 1] = first_child[o] + (1 if f < 0 else (width if way[f] == MULTIWAY else 2))


@internal
def _describe(steps, features, measure, entries, opened, buffers, found, splits):
    """Describe the chosen splits with their children's class counts."""
    search = Search(features, measure, entries, opened.nodes, found.counted, opened.above, steps.by_values)
    none, n_open = np.int64(0), len(found.chosen)
    for number in range(len(steps.describers)):
        call(steps.describers, number, (none, n_open, search, found.scores.cut, buffers, splits))


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


@internal
def _note_splits(grown, level, n_level, n_listed, features, measure, entries, opened, found, splits, limits, known):
    """Note the splits of the nodes that get one, their kinds and children; returns how many values are listed, -1 in doubt."""
    which, totals, (chosen, lower, upper, first_code, codes, first_child, _) = opened.which, opened.nodes.totals, splits
    _, kinds, node_features, lowers, uppers, firsts, widths, listed = grown
    way, table, kind, child_at = features.way, table_for(measure, entries.weights), found.kind, found.child_at
    place, keys, origin, shift = entries.place, entries.keys, entries.origin, features.shift
    for o in range(len(which)):
        f, node, unsure, closed = chosen[o], level + which[o], found.doubt[o], True
        child_at[o + 1] = child_at[o]
        if f >= 0 and not unsure:
            closed, unsure = _refused(totals, o, found.reached[o], splits, known, measure, table, limits)
        if unsure:
            return np.int64(-1)
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
    return n_listed


@internal
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


@internal
def _count_known(kind, child_at, splits, totals, heavy):
    """Class counts of the children of nodes that move, and their sums, without the entries whose value is missing."""
    children, first_child = splits.children, splits.first_child
    for o in range(len(kind)):
        if kind[o] != NONE:
            for v in range(first_child[o + 1] - first_child[o]):
                for c in range(totals.shape[1]):
                    totals[child_at[o] + v, c] = children[first_child[o] + v, c]
                    heavy[child_at[o] + v] += children[first_child[o] + v, c]


class Ways(NamedTuple):
    """Where entries go, before these have numbers: each one's child and number (n,), sizes and weights of the children."""

    child: Any
    number: Any
    sizes: Any
    heavy: Any
    position: Any


@internal_allocating
def _no_ways(n_entries, n_children):
    """Room for the ways of so many entries to so many children."""
    child, number, sizes = np.empty(n_entries, np.int32), np.empty(n_entries, np.int32), np.zeros(n_children, np.int64)
    return Ways(child, number, sizes, np.zeros(n_children), np.zeros(n_children + 1, np.int64))


@internal
def _route(steps, kind, child_at, nodes, splits, features, entries, ways, totals, backing):
    """Find the child of each entry; class counts of the children, but for copies, go to `totals`. Returns how many go to none."""
    none, n_open, (_, lower, _, first_code, listed, _, _), child = np.int64(0), len(kind), splits, ways.child
    given = none, n_open, kind, splits.feature, lower, first_code, listed, features, entries, nodes, child
    call(steps.steps, ROUTE, given)
    _count_known(kind, child_at, splits, totals, ways.heavy)
    if len(backing.tables.backed):
        found = kind, child_at, splits.feature, nodes, features, entries, child, totals, backing.tables, backing.found
        call(steps.steps, FIND_SURROGATES, found)
    return call_for_number(steps.steps, COUNT_SIZES, (none, n_open, kind, child_at, nodes.start, nodes.end, child, ways.sizes))


@internal
def _share_out(steps, kind, child_at, nodes, entries, sharing, ways, copies, shares):
    """Share out the entries that go to no child; returns the number of copies."""
    child, number, sizes, heavy, _ = ways
    given = nodes, kind, child_at, child, number, entries.fractions, heavy, sharing, copies, shares, sizes
    return call_for_number(steps.steps, SHARE_OUT, given)


@internal_allocating
def _room_for(entries, n, n_copies, n_coded):
    """Room for n entries, of which some are copies; keys move within theirs as long as they fit."""
    place, keys, codes, classes, origin, times, fractions, _ = entries
    new_times, new_fractions = np.empty(n if len(times) else 0), np.ones(n if len(fractions) or n_copies else 0)
    new_keys = keys if n <= keys.shape[1] else np.empty((len(keys), n), keys.dtype)
    new_codes = np.empty((n, codes.shape[1]), codes.dtype) if n_coded else codes
    both = len(new_times) and len(new_fractions)
    weights = np.empty(n) if both else (new_times if len(new_times) else new_fractions)
    new_classes, new_origin = np.empty(n, classes.dtype), np.empty(n, origin.dtype)
    return Entries(place, new_keys, new_codes, new_classes, new_origin, new_times, new_fractions, weights)


@internal
def _move(steps, moves, nodes, features, entries, moved, spare, totals):
    """Put entries in the order of the children; class counts of copies are added. Returns the row of keys that is spare now."""
    copies, none, n_open, n_sorted = moves.copies, np.int64(0), len(moves.kind), len(features.in_order)
    call(steps.steps, RENUMBER, (none, n_open, nodes, moves, entries, moved.classes, moved.origin))
    if len(copies):
        call(steps.steps, NUMBER_COPIES, (nodes, moves, entries, moved.classes, moved.origin))
        call(steps.steps, COUNT_COPIES, (nodes, moves, entries, totals))
    if len(moved.weights):
        call(steps.steps, MOVE_SHARES, (nodes, moves, entries, moved.times, moved.fractions))
        _multiply(moved.times, moved.fractions, moved.weights)
    if n_sorted:
        spare = call_for_number(steps.steps, MOVE_SORTED, (none, n_sorted, features, entries, moved.keys, spare, nodes, moves))
    if len(features.coded):
        words, new_words = entries.codes.view(np.uint64), moved.codes.view(np.uint64)
        call(steps.steps, MOVE_CODED, (none, n_open, words, new_words, moves.kind, nodes.start, nodes.end, moves.number))
        for copy in range(len(copies)):
            for g in range(words.shape[1]):
                new_words[copies[copy, 2], g] = words[copies[copy, 0], g]
    return spare


@internal
def _outside_the_largest(begin):
    """The number of entries outside the largest node: they can be left to another thread."""
    largest = 0
    for j in range(len(begin) - 1):
        largest = max(largest, begin[j + 1] - begin[j])
    return begin[-1] - largest


@kernel
def finish(numbers, depth, limits, features, measure, entries, nodes, sharing, most_entries, idle, steps, backing):
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
    known, by_ratio = np.empty(n_classes), not np.isnan(measure.slack)
    while len(totals):
        grown = with_level(grown, level, totals)
        unsure = is_user_function(measure.impurity) and _any_undefined(totals, measure.impurity)
        if unsure:
            break
        opened = _opened(begin, totals, above, limits, depth)
        if not len(opened.which):
            level, totals = level + len(totals), totals[:0]
            break
        found = _nothing_found(len(features.way), len(opened.which), by_ratio)
        _search(steps, features, measure, entries, opened, buffers, found)
        splits, kind, child_at = _nothing_described(found, n_classes), found.kind, found.child_at
        _describe(steps, features, measure, entries, opened, buffers, found, splits)
        grown = with_listed(grown, n_listed + len(splits.listed))
        n_listed = _note_splits(
            grown, level, len(totals), n_listed, features, measure, entries, opened, found, splits, limits, known
        )
        unsure = n_listed < 0
        if unsure:
            break
        # With options a feature may split below a node that it does not split.
        above = Above(found.scores.score if measure.plain else np.zeros_like(found.scores.score), _parents(child_at))
        level, depth, totals = level + len(totals), depth + 1, np.zeros((child_at[-1], n_classes))
        if _settle(kind, child_at, opened.nodes.totals, splits, limits, depth, totals, backing.tables.backed):
            ways, copies, shares = _no_ways(len(entries.classes), len(totals)), np.empty((none, 3), np.int64), np.empty(none)
            if _route(steps, kind, child_at, opened.nodes, splits, features, entries, ways, totals, backing):
                room = _share_out(steps, kind, child_at, opened.nodes, entries, sharing, ways, copies, shares)
                copies, shares = np.empty((room, 3), np.int64), np.empty(room)
                _share_out(steps, kind, child_at, opened.nodes, entries, sharing, ways, copies, shares)
            begin = ways.position
            for v in range(len(totals)):
                begin[v + 1] = begin[v] + ways.sizes[v]
            unsure = begin[-1] >= most_entries
            if unsure:
                break
            moves = Moves(kind, child_at, ways.child, ways.number, begin, copies, shares)
            moved = _room_for(entries, begin[-1], len(copies), len(features.coded))
            spare = _move(steps, moves, opened.nodes, features, entries, moved, spare, totals)
            entries = moved
            if idle[0] * _outside_the_largest(begin) * len(features.way) >= _WORTH_IT:
                break
    if unsure:
        level, n_listed, totals = none, none, totals[:0]
    place, keys, codes, classes, origin, times, fractions, weights = entries
    left = place, keys, codes, classes, origin, times, fractions, weights
    return first_of(grown, level, n_listed), depth, (begin[:-1], begin[1:], totals), left
