"""Whole subtrees grown in one call: level by level as in the engine, but without returning to Python in between.

The entries of a group of nodes are gathered into arrays of their own, which fit into a processor's cache, and stay there until
every node below is a leaf. Threads take such groups in turn.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from ftree._lib.jit import alloc_free, inlined, inlined_section, internal
from ftree._lib.kernels.by_address import caller
from ftree._lib.kernels.callback import call_user_function
from ftree._lib.kernels.room import BYTE, FLOAT, MARK, SMALL, WHOLE, taken, zeros
from ftree.growth.criterion_codes import GAIN, GUARD
from ftree.growth.kernels.best_splits import stands_for, table_for
from ftree.growth.kernels.node_arrays import FEATURE, FIRST, KIND, LOWER, UPPER, WIDTH, add_leaves
from ftree.growth.kernels.records import Above, Entries, Moves, Nodes, Scores, Search, Splits
from ftree.growth.kernels.scan import is_user_function
from ftree.growth.kernels.scan_weighted import OFF
from ftree.growth.kernels.steps import (
    CHOOSE,
    COUNT_COPIES,
    COUNT_SIZES,
    FIND_COUNTED,
    FIND_SURROGATES,
    FIND_WAYS,
    GATHER,
    MOVE,
    MOVE_CODED,
    MOVE_SHARES,
    MOVE_SORTED,
    NOTE,
    NUMBER_COPIES,
    RENUMBER,
    ROUTE,
    SEARCH,
    SETTLE,
    SHARE_OUT,
    call,
    call_for_number,
)
from ftree.growth.kernels.value_counts import any_loss_of
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD

# From this many cells on, a part is left for an idle thread; with more idle threads, from fewer cells on.
_WORTH_IT = 2**14
# The figures about the entries and nodes that are left.
N_LEFT = 9


class Limits(NamedTuple):
    """The limits at which a node is a leaf, `StopLimits` as kernels take them; and the number of entries with numbers."""

    pure: Any
    deepest: Any
    least_rows: Any
    least_errors: Any
    least_leaf: Any
    least_gain: Any
    most_entries: Any


class Space(NamedTuple):
    """The memory in which groups of subtrees grow, one after another.

    Entries and other lasting arrays are in the room `kept`; levels are in the rooms `even` and `odd` in turn.
    `grown` has the nodes, `known` (K,) is for class counts, `buffers` are those of the search.
    """

    kept: Any
    even: Any
    odd: Any
    grown: Any
    known: Any
    buffers: Any


class Given(NamedTuple):
    """The arguments that all groups of subtrees share, and the space in which one grows."""

    features: Any
    measure: Any
    sharing: Any
    limits: Any
    steps: Any
    backing: Any
    space: Any


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


_WHOLE, _MARKS, _BYTES, _TABLE = np.zeros(1, np.int64), np.zeros(1, np.bool_), np.zeros(1, np.int8), np.zeros((1, 1))
_SMALLS, _COPIES = np.zeros(1, np.int32), np.zeros((1, 3), np.int64)
# Examples of records, for their types.
SPLITS = Splits(_WHOLE, _WHOLE, _WHOLE, _WHOLE, _WHOLE, _WHOLE, _TABLE)
SCORES = Scores(_TABLE, _SMALLS[None], _MARKS[None], _TABLE)
FOUND = Found(SCORES, _WHOLE, _TABLE[0], _MARKS, _MARKS[None], _MARKS, _WHOLE, _WHOLE, _BYTES, _WHOLE)
MOVES = Moves(_BYTES, _WHOLE, _SMALLS, _SMALLS, _WHOLE, _COPIES, _TABLE[0])
OPEN = Open(_WHOLE, Above(_TABLE, _WHOLE), Nodes(_WHOLE, _WHOLE, _TABLE))
# What parts of `finish` return.
_types: Any = types  # numba declares no types
_typeof: Any = typeof
call_for_found, call_for_moves = caller(_typeof((FOUND, SPLITS))), caller(_typeof(MOVES))
call_for_gathered = caller(lambda kinds: _types.Tuple((kinds[2], _typeof(_WHOLE))))
call_for_moved = caller(lambda kinds: _types.Tuple((kinds[3], _types.int64)))


@internal
def gathered(numbers, nodes, entries, features, room):
    """The entries of some nodes, numbered anew, and where each node's begin.

    Sorted columns become rows of a block of their own, with one row to spare.
    """
    place, keys, codes, classes, origin, times, fractions, _ = entries
    begin, own_place = zeros(room, (len(numbers) + 1,), WHOLE), taken(room, (len(place),), WHOLE)
    for k in range(len(numbers)):
        begin[k + 1] = begin[k] + nodes.end[numbers[k]] - nodes.start[numbers[k]]
    own_keys = taken(room, (len(features.in_order) + 1, begin[-1]), keys)
    _gather_keys(numbers, begin, nodes, entries, features, own_place, own_keys)
    n, low, high = begin[-1], nodes.start[numbers[0]], nodes.end[numbers[-1]]
    if high - low == n:  # side by side, so that unchanged parts need not be copied
        own_codes, own_classes, own_origin = codes[low:high], classes[low:high], origin[low:high]
        own_times, own_fractions = times[low:high], fractions[low:high]
    else:
        own_codes, own_classes = taken(room, (n, codes.shape[1]), codes), taken(room, (n,), classes)
        own_origin = taken(room, (n,), SMALL)
        own_times, own_fractions = taken(room, (min(n, len(times)),), FLOAT), taken(room, (min(n, len(fractions)),), FLOAT)
        _gather_rows(numbers, begin, nodes, entries, own_codes, own_classes, own_origin, own_times, own_fractions)
    weights = _weights_of(own_times, own_fractions, room)
    return Entries(own_place, own_keys, own_codes, own_classes, own_origin, own_times, own_fractions, weights), begin


@inlined_section
def _gather_keys(numbers, begin, nodes, entries, features, own_place, own_keys):
    """Copy sorted columns: keys have the numbers that entries get."""
    place, keys, in_order, shift = entries.place, entries.keys, features.in_order, features.shift
    for f in range(len(place)):
        own_place[f] = place[f]
    for s in range(len(in_order)):
        own_place[in_order[s]] = -1 - s
        lane = -1 - place[in_order[s]]
        for k in range(len(numbers)):
            ahead = nodes.start[numbers[k]] - begin[k]
            for i in range(begin[k], begin[k + 1]):
                own_keys[s, i] = keys[lane, i + ahead] - (ahead << shift)


@inlined_section
def _gather_rows(numbers, begin, nodes, entries, own_codes, own_classes, own_origin, own_times, own_fractions):
    """Copy all other columns."""
    _, _, codes, classes, origin, times, fractions, _ = entries
    for k in range(len(numbers)):
        ahead = nodes.start[numbers[k]] - begin[k]
        for i in range(begin[k], begin[k + 1]):
            own_classes[i], own_origin[i] = classes[i + ahead], origin[i + ahead]
            for g in range(codes.shape[1]):
                own_codes[i, g] = codes[i + ahead, g]
            if len(times):
                own_times[i] = times[i + ahead]
            if len(fractions):
                own_fractions[i] = fractions[i + ahead]


@inlined_section
def _weights_of(times, fractions, room):
    """Weights of entries; their own ones if they have both."""
    weights = times if len(times) else fractions
    if len(times) and len(fractions):
        weights = taken(room, (len(times),), FLOAT)
        _multiply(times, fractions, weights)
    return weights


@internal
def _multiply(times, fractions, weights):
    """Weights of entries that have both."""
    if len(times) and len(fractions):
        for i in range(len(weights)):
            weights[i] = times[i] * fractions[i]


@inlined_section
def _parents(child_at, room):
    """The open node above each child."""
    parents = taken(room, (child_at[-1],), WHOLE)
    for o in range(len(child_at) - 1):
        for child in range(child_at[o], child_at[o + 1]):
            parents[child] = o
    return parents


@inlined_section
def _rows_of(numbers, rows, room):
    """Some rows of a table."""
    some = taken(room, (len(rows), numbers.shape[1]), FLOAT)
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
    few = n < limits.least_rows or n - most < limits.least_errors
    return (limits.pure and most >= n) or depth >= limits.deepest or few


@internal
def _any_undefined(totals, impurity):
    """Whether a user's impurity is NaN for a node; the NumPy engine raises the error."""
    undefined = False
    for j in range(len(totals)):
        undefined |= np.isnan(call_user_function(impurity, totals[j]))
    return undefined


@internal
def _opened(begin, totals, above, limits, depth, room):
    """The nodes of a level that no such stopping rule closes."""
    which, n, parents = taken(room, (len(totals),), WHOLE), 0, above.parent
    for j in range(len(totals)):
        if not _is_closed(totals, j, limits, depth):
            which[n] = j
            n += 1
    parent, start, end = taken(room, (n,), WHOLE), taken(room, (n,), WHOLE), taken(room, (n,), WHOLE)
    for o in range(n):
        parent[o], start[o], end[o] = parents[which[o]], begin[which[o]], begin[which[o] + 1]
    return Open(which[:n], Above(above.score, parent), Nodes(start, end, _rows_of(totals, which[:n], room)))


@inlined_section
def _nothing_found(n_features, n, n_ratios, room):
    """Room for what the search finds for n nodes."""
    shape = n_features, n
    scores = Scores(
        taken(room, shape, FLOAT), zeros(room, shape, SMALL), zeros(room, shape, MARK), taken(room, (n_ratios, n), FLOAT)
    )
    rivals, counted, kind = zeros(room, shape, MARK), taken(room, (n,), MARK), zeros(room, (n,), BYTE)
    chosen, reached, doubt = taken(room, (n,), WHOLE), taken(room, (n,), FLOAT), zeros(room, (n,), MARK)
    first_code, first_child, child_at = zeros(room, (n + 1,), WHOLE), zeros(room, (n + 1,), WHOLE), zeros(room, (n + 1,), WHOLE)
    for o in range(n):
        counted[o] = True
        for f in range(n_features):
            scores.score[f, o] = -np.inf
    return Found(scores, chosen, reached, doubt, rivals, counted, first_code, first_child, kind, child_at)


@internal
def searched(given, entries, opened, room):
    """The best split of each open node, by the kernels that search whole levels; and these splits described."""
    features, measure, steps = given.features, given.measure, given.steps
    way, none, n_features, n_open, totals = features.way, np.int64(0), len(features.way), len(opened.which), opened.nodes.totals
    found = _nothing_found(n_features, n_open, none if np.isnan(measure.slack) else n_features, room)
    scores, chosen, reached, doubt, rivals, counted, first_code, first_child, _, _ = found
    search = Search(features, measure, entries, opened.nodes, counted, opened.above, steps.by_values)
    if len(entries.weights):
        call(steps.steps, FIND_COUNTED, (entries.weights, opened.nodes, measure.table, counted))
    no_splits = Splits(chosen, chosen, chosen, chosen, chosen, chosen, totals)
    for number in range(len(steps.scorers)):
        call(steps.scorers, number, (none, n_features, none, n_open, search, given.space.buffers, scores, no_splits))
    call(steps.steps, CHOOSE, (scores, totals, features, measure, chosen, doubt, rivals))
    for o in range(n_open):
        f = chosen[o]
        reached[o] = scores.score[f, o] if f >= 0 else -np.inf
        width = scores.cut[f, o] if f >= 0 and way[f] != THRESHOLD else 0
        first_code[o + 1] = first_code[o] + width
        first_child[o + 1] = first_child[o] + (1 if f < 0 else (width if way[f] == MULTIWAY else 2))
    lower, upper, listed = zeros(room, (n_open,), WHOLE), zeros(room, (n_open,), WHOLE), zeros(room, (first_code[-1],), WHOLE)
    children = zeros(room, (first_child[-1], totals.shape[1]), FLOAT)
    splits = Splits(chosen, lower, upper, first_code, listed, first_child, children)
    for number in range(len(steps.describers)):
        call(steps.describers, number, (none, n_features, none, n_open, search, given.space.buffers, scores, splits))
    return found, splits


@inlined
def _refused(totals, o, gain, splits, known, measure, table, limits):
    """Whether a stopping rule that depends on the best split closes its node, and whether that is too close to call."""
    impurity, factors, children = measure.impurity, measure.factors, splits.children
    far = abs(gain - limits.least_gain) > 2 * OFF  # estimates included
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
def note_splits(given, level, n_level, n_listed, entries, opened, found, splits):
    """Note the splits of the nodes that get one, their kinds and children; returns how many values are listed, -1 in doubt."""
    which, totals, (chosen, lower, upper, first_code, codes, first_child, _) = opened.which, opened.nodes.totals, splits
    features, measure, limits, known, (_, noted, listed) = (
        given.features, given.measure, given.limits, given.space.known, given.space.grown,
    )  # fmt: skip
    way, table, kind, child_at = features.way, table_for(measure, entries.weights), found.kind, found.child_at
    place, keys, origin, shift = entries.place, entries.keys, entries.origin, features.shift
    if n_listed + len(codes) > len(listed):
        raise MemoryError
    for o in range(len(which)):
        f, node, unsure, closed = chosen[o], level + which[o], found.doubt[o], True
        child_at[o + 1] = child_at[o]
        if f >= 0 and not unsure:
            closed, unsure = _refused(totals, o, found.reached[o], splits, known, measure, table, limits)
        if unsure:
            return np.int64(-1)
        if closed:
            continue
        kind[o] = noted[KIND, node] = way[f]
        noted[FEATURE, node] = f
        if way[f] == THRESHOLD:
            noted[LOWER, node] = stands_for(f, lower[o], place, keys, origin, shift)
            noted[UPPER, node] = stands_for(f, upper[o], place, keys, origin, shift)
        noted[FIRST, node], noted[WIDTH, node] = level + n_level + child_at[o], first_code[o + 1] - first_code[o]
        child_at[o + 1] += first_child[o + 1] - first_child[o]
        for at in range(first_code[o], first_code[o + 1]):
            listed[n_listed] = stands_for(f, codes[at], place, keys, origin, shift)
            n_listed += 1
    return n_listed


@internal
def settle(kind, child_at, totals_above, splits, limits, depth, totals, backed):
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


@internal
def routed(given, found, nodes, splits, entries, totals, room):
    """The child of each entry; `totals` gets the class counts of the children, without copies."""
    (kind, child_at), n, n_open, none = (found.kind, found.child_at), len(entries.classes), len(found.kind), np.int64(0)
    child, number, n_children, steps = taken(room, (n,), SMALL), taken(room, (n,), SMALL), len(totals), given.steps.steps
    sizes, heavy = zeros(room, (n_children,), WHOLE), zeros(room, (n_children,), FLOAT)
    position = zeros(room, (n_children + 1,), WHOLE)
    copies, shares = taken(room, (none, np.int64(3)), WHOLE), taken(room, (none,), FLOAT)
    _, lower, _, first_code, listed, _, _ = splits
    call(
        steps, ROUTE, (none, n_open, kind, splits.feature, lower, first_code, listed, given.features, entries, nodes, child, room)
    )
    _count_known(kind, child_at, splits, totals, heavy)
    tables, surrogates = given.backing.tables, given.backing.found
    if len(tables.backed):
        asked = kind, child_at, splits.feature, nodes, given.features, entries, child, totals, tables, surrogates
        call(steps, FIND_SURROGATES, asked)
    if call_for_number(steps, COUNT_SIZES, (none, n_open, kind, child_at, nodes.start, nodes.end, child, sizes)):
        fractions, sharing = entries.fractions, given.sharing
        lost = nodes, kind, child_at, child, number, fractions, heavy, sharing, copies, shares, sizes
        n_copies = call_for_number(steps, SHARE_OUT, lost)
        copies, shares = taken(room, (n_copies, np.int64(3)), WHOLE), taken(room, (n_copies,), FLOAT)
        lost = nodes, kind, child_at, child, number, fractions, heavy, sharing, copies, shares, sizes
        call_for_number(steps, SHARE_OUT, lost)
    for v in range(n_children):
        position[v + 1] = position[v] + sizes[v]
    return Moves(kind, child_at, child, number, position, copies, shares)


@inlined_section
def _room_for(entries, n, n_copies, n_coded, room, kept):
    """Room for n entries, of which some are copies; keys move within theirs as long as they fit."""
    place, keys, codes, classes, _, times, fractions, _ = entries
    new_keys, new_codes = keys, codes
    if n > keys.shape[1]:
        new_keys = taken(kept, (len(keys), n + n // 2), keys)
    if n_coded:
        new_codes = taken(room, (n, codes.shape[1]), codes)
    new_times = taken(room, (n if len(times) else 0,), FLOAT)
    new_fractions = taken(room, (n if len(fractions) or n_copies else 0,), FLOAT)
    for i in range(len(new_fractions)):
        new_fractions[i] = 1.0
    weights = new_times if len(new_times) else new_fractions
    if len(new_times) and len(new_fractions):
        weights = taken(room, (n,), FLOAT)
    new_classes, new_origin = taken(room, (n,), classes), taken(room, (n,), SMALL)
    return Entries(place, new_keys, new_codes, new_classes, new_origin, new_times, new_fractions, weights)


@internal
def moved_entries(given, moves, nodes, entries, spare, totals, room):
    """Entries in the order of the children, and the row of keys that is spare then; class counts of copies are added."""
    features, steps, copies, none, n_open = given.features, given.steps.steps, moves.copies, np.int64(0), len(moves.kind)
    n_sorted = len(features.in_order)
    moved = _room_for(entries, moves.position[-1], len(copies), len(features.coded), room, given.space.kept)
    call(steps, RENUMBER, (none, n_open, nodes, moves, entries, moved.classes, moved.origin, room))
    if len(copies):
        call(steps, NUMBER_COPIES, (nodes, moves, entries, moved.classes, moved.origin, room))
        call(steps, COUNT_COPIES, (nodes, moves, entries, totals))
    if len(moved.weights):
        call(steps, MOVE_SHARES, (nodes, moves, entries, moved.times, moved.fractions))
        _multiply(moved.times, moved.fractions, moved.weights)
    if n_sorted:
        spare = call_for_number(
            steps, MOVE_SORTED, (none, n_sorted, given.features, entries, moved.keys, spare, nodes, moves, room)
        )
    if len(features.coded):
        words, new_words = entries.codes.view(np.uint64), moved.codes.view(np.uint64)
        call(steps, MOVE_CODED, (none, n_open, words, new_words, moves.kind, nodes.start, nodes.end, moves.number))
        for copy in range(len(copies)):
            for g in range(words.shape[1]):
                new_words[copies[copy, 2], g] = words[copies[copy, 0], g]
    return moved, spare


@internal
def _outside_the_largest(begin):
    """The number of entries outside the largest node: they can be left to another thread."""
    largest = 0
    for j in range(len(begin) - 1):
        largest = max(largest, begin[j + 1] - begin[j])
    return begin[-1] - largest


@alloc_free
def finish(numbers, depth, given, entries, nodes, idle, left):
    """Grow the subtrees of some nodes, these first, level by level; returns how many nodes, how many values they list, the depth.

    Returns no node if a choice is too close to call or entries are too many. The nodes are in the given space.

    Last comes how many nodes of the last depth are left for another thread; `left` says where they stand, as `_leave` does. Their
    numbers follow those of the grown nodes. Raises a MemoryError if the space is too small.
    """
    space, features, measure, limits = given.space, given.features, given.measure, given.limits
    none, spare, nothing = np.int64(0), len(features.in_order), zeros(space.kept, (len(features.way), len(numbers)), FLOAT)
    steps, backed = given.steps.steps, given.backing.tables.backed
    entries, begin = call_for_gathered(steps, GATHER, (numbers, nodes, entries, given.features, given.space.kept))
    totals, above = _rows_of(nodes.totals, numbers, space.kept), Above(nothing, zeros(space.kept, (len(numbers),), WHOLE))
    level, n_listed = none, none  # and no literal 0, for which numba would compile everything once more
    while len(totals):
        room = _emptied(space, depth)
        add_leaves(space.grown, level, totals)
        if is_user_function(measure.impurity) and _any_undefined(totals, measure.impurity):
            return none, none, depth, none
        opened = _opened(begin, totals, above, limits, depth, room)
        if not len(opened.which):
            return level + len(totals), n_listed, depth, none
        found, splits = call_for_found(steps, SEARCH, (given, entries, opened, room))
        n_listed = call_for_number(steps, NOTE, (given, level, len(totals), n_listed, entries, opened, found, splits))
        if n_listed < 0:
            return none, none, depth, none
        above = _level_above(found, measure, room)
        level, depth, totals = level + len(totals), depth + 1, zeros(room, (len(above.parent), totals.shape[1]), FLOAT)
        known = found.kind, found.child_at, opened.nodes.totals, splits, given.limits, depth, totals, backed
        if call_for_number(steps, SETTLE, known):
            moves = call_for_moves(steps, FIND_WAYS, (given, found, opened.nodes, splits, entries, totals, room))
            begin = moves.position
            if begin[-1] >= limits.most_entries:
                return none, none, depth, none
            entries, spare = call_for_moved(steps, MOVE, (given, moves, opened.nodes, entries, spare, totals, room))
            if idle[0] * _outside_the_largest(begin) * len(features.way) >= _WORTH_IT:
                _leave(entries, begin, totals, left)
                return level, n_listed, depth, len(totals)
    return level, n_listed, depth, none


@internal
def _emptied(space, depth):
    """The room for a level: its content is older than the level above."""
    room = space.odd if depth & 1 else space.even
    room.free[0] = room.free[2]
    return room


@inlined_section
def _level_above(found, measure, room):
    """The level for the one below. With options a feature may split below a node that it does not split."""
    score = found.scores.score
    if not measure.plain:
        score = zeros(room, score.shape, FLOAT)
    return Above(score, _parents(found.child_at, room))


@inlined_section
def _leave(entries, begin, totals, left):
    """Say of the fields of entries, of where nodes begin and of their class counts at which address each is, and how long."""
    place, keys, codes, classes, origin, times, fractions, _ = entries
    left[0, 0], left[1, 0], left[1, 1], left[2, 0] = place.ctypes.data, keys.ctypes.data, keys.shape[1], codes.ctypes.data
    left[3, 0], left[3, 1], left[4, 0] = classes.ctypes.data, len(classes), origin.ctypes.data
    left[5, 0], left[5, 1] = times.ctypes.data, len(times)
    left[6, 0], left[6, 1] = fractions.ctypes.data, len(fractions)
    left[7, 0], left[8, 0] = begin.ctypes.data, totals.ctypes.data
