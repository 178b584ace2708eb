"""Growing small nodes to the end in one go: level by level as the engine does it, but with no step back into Python.

The entries of some nodes are gathered into arrays of their own, which fit into a processor's cache, and stay there
until every node below is a leaf. Threads take such groups of nodes in turn.
"""

from typing import Any, NamedTuple

import numpy as np

from ftree._lib.jit import compiled, leaf, section
from ftree._lib.kernels.callback import asked as answered
from ftree.growth.kernels.best_splits import choose, describe, find_counted, score_closely, score_coded, score_sorted, stands_for
from ftree.growth.kernels.node_arrays import Grown, first_of, longer, nothing_grown, with_level
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
from ftree.growth.kernels.scan import ENTROPY, GUARD, MISCLASSIFICATION
from ftree.growth.kernels.scan_weighted import OFF
from ftree.growth.kernels.value_counts import GAIN, any_loss_of
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD

# From so many cells on, a part is left for another thread that has nothing to do; from fewer, if more threads have.
_WORTH_IT = 2**14


class Asked(NamedTuple):
    """What is looked for, as the engine's kernels take it."""

    way: Any
    absent: Any
    in_order: Any
    coded: Any
    base: Any
    impurity: Any
    score: Any
    shift: Any
    fast: Any
    whole: Any
    steps: Any
    unit: Any
    table: Any


class Rules(NamedTuple):
    """When a node is a leaf; `Closing` in numbers."""

    pure: Any
    depth: Any
    rows: Any
    leaf: Any
    gain: Any


class Entries(NamedTuple):
    """The entries of the nodes of a level, node after node in every column, and where each node's begin.

    Columns are moved into `new_keys`, whose row `spare` is free; `origin` has the row of the table that each entry is.
    """

    begin: Any
    keys: Any
    new_keys: Any
    spare: Any
    place: Any
    codes: Any
    classes: Any
    origin: Any
    times: Any
    fractions: Any


class Open(NamedTuple):
    """The nodes of a level that may be split: their number in the level, the open node above, where entries are, class counts."""

    which: Any
    parent: Any
    start: Any
    end: Any
    totals: Any


class Splits(NamedTuple):
    """The best splits of open nodes: scores of all features, those chosen, values, counts of children, which are in doubt."""

    scores: Any
    chosen: Any
    reached: Any
    doubt: Any
    lower: Any
    upper: Any
    first_code: Any
    listed: Any
    first_child: Any
    children: Any


@compiled
def _gathered(nodes, start, end, keys, codes, classes, origin, times, fractions, place, in_order, shift):
    """The entries of some nodes, numbered anew; sorted columns become rows of a block of their own, with one row to spare."""
    begin, own_place = np.zeros(len(nodes) + 1, np.int64), np.empty(len(place), np.int64)
    for k in range(len(nodes)):
        begin[k + 1] = begin[k] + end[nodes[k]] - start[nodes[k]]
    for f in range(len(place)):
        own_place[f] = place[f]
    n, spare = begin[-1], len(in_order)
    own_keys = np.empty((spare + 1, n), keys.dtype)
    for s in range(spare):
        own_place[in_order[s]] = -1 - s
        lane = -1 - place[in_order[s]]
        for k in range(len(nodes)):
            ahead = start[nodes[k]] - begin[k]
            for i in range(begin[k], begin[k + 1]):
                own_keys[s, i] = keys[lane, i + ahead] - (ahead << shift)
    low, high = start[nodes[0]], end[nodes[-1]]
    if high - low == n:  # side by side, so that nothing need be copied that is not changed
        own_codes, own_classes, own_origin = codes[low:high], classes[low:high], origin[low:high]
        own_times, own_fractions = times[low:high], fractions[low:high]
    else:
        own_codes, own_classes = np.empty((n, codes.shape[1]), codes.dtype), np.empty(n, classes.dtype)
        own_origin = np.empty(n, origin.dtype)
        own_times, own_fractions = np.empty(n if len(times) else 0), np.empty(n if len(fractions) else 0)
        for k in range(len(nodes)):
            ahead = start[nodes[k]] - begin[k]
            for i in range(begin[k], begin[k + 1]):
                own_classes[i], own_origin[i] = classes[i + ahead], origin[i + ahead]
                for g in range(codes.shape[1]):
                    own_codes[i, g] = codes[i + ahead, g]
                if len(times):
                    own_times[i] = times[i + ahead]
                if len(fractions):
                    own_fractions[i] = fractions[i + ahead]
    return Entries(begin, own_keys, own_keys, spare, own_place, own_codes, own_classes, own_origin, own_times, own_fractions)


@compiled
def _product(times, fractions):
    if len(times) == 0 or len(fractions) == 0:
        return times if len(times) else fractions
    product = np.empty(len(times))
    for i in range(len(times)):
        product[i] = times[i] * fractions[i]
    return product


@compiled
def _parents(child_at):
    """Which open node each child is below."""
    parents = np.empty(child_at[-1], np.int64)
    for o in range(len(child_at) - 1):
        for child in range(child_at[o], child_at[o + 1]):
            parents[child] = o
    return parents


@compiled
def _rows_of(numbers, rows):
    """Some rows of a table."""
    some = np.empty((len(rows), numbers.shape[1]))
    for k in range(len(rows)):
        for c in range(numbers.shape[1]):
            some[k, c] = numbers[rows[k], c]
    return some


@leaf
def _is_closed(totals, j, pure, deepest, least_rows, depth):
    """Whether a rule that looks at the node alone closes it."""
    n, most = 0.0, 0.0
    for c in range(totals.shape[1]):
        n += totals[j, c]
        most = max(most, totals[j, c])
    return (pure and most >= n) or depth >= deepest or n < least_rows


@leaf
def _any_undefined(totals, impurity):
    """Whether a user's impurity answers NaN for a node, of which the plain engine knows what to say."""
    undefined = False
    for j in range(len(totals)):
        undefined |= np.isnan(answered(impurity, totals[j]))
    return undefined


@compiled
def _opened(begin, totals, parents, rules, depth):
    """The nodes of a level that no such rule closes."""
    which, n = np.empty(len(totals), np.int64), 0
    pure, deepest, least_rows, _, _ = rules
    for j in range(len(totals)):
        if not _is_closed(totals, j, pure, deepest, least_rows, depth):
            which[n] = j
            n += 1
    parent, start, end = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for o in range(n):
        parent[o], start[o], end[o] = parents[which[o]], begin[which[o]], begin[which[o] + 1]
    return Open(which[:n], parent, start, end, _rows_of(totals, which[:n]))


@section
def _searched(asked, entries, weights, opened, above):
    """The best split of each open node, by the kernels that search whole levels; `above` has the scores of the level before."""
    # Typed as in the engine's own calls, so that no kernel is compiled twice.
    n_features, n_open, none = len(asked.way), len(opened.which), np.int64(0)
    scores, cuts = np.empty((n_features, n_open)), np.zeros((n_features, n_open), np.int32)
    for f in range(n_features):
        for o in range(n_open):
            scores[f, o] = -np.inf
    unsure, rivals = np.zeros((n_features, n_open), np.bool_), np.zeros((n_features, n_open), np.bool_)
    doubt, chosen, counted = np.zeros(n_open, np.bool_), np.empty(n_open, np.int64), np.empty(n_open, np.bool_)
    table = asked.table
    find_counted(weights, opened.start, opened.end, table, counted)
    fast = asked.fast and (len(weights) > 0 or len(asked.table) > 0)
    score_sorted(
        none, len(asked.in_order), asked.in_order, asked.way, entries.place, asked.absent, entries.keys, weights,
        counted, opened.start, opened.end, opened.totals, asked.shift, asked.impurity, asked.score, fast, asked.whole,
        asked.steps, asked.unit, table, scores, cuts, unsure,
    )  # fmt: skip
    if len(asked.coded):
        score_coded(
            none, len(asked.coded), none, n_open, asked.coded, asked.base, asked.way, asked.absent, entries.codes,
            entries.classes, weights, counted, opened.start, opened.end, opened.totals, above, opened.parent, asked.impurity,
            asked.score, table, scores, cuts, unsure,
        )  # fmt: skip
    if len(weights) and fast and asked.impurity == ENTROPY:
        score_closely(
            none, n_open, asked.way, entries.place, asked.base, asked.absent, entries.keys, entries.codes, entries.classes,
            weights, counted, opened.start, opened.end, opened.totals, asked.shift, asked.impurity, asked.score, table,
            scores, cuts, unsure,
        )  # fmt: skip
    choose(scores, opened.totals, asked.impurity, asked.score, asked.unit, unsure, chosen, doubt, rivals)
    return _described(asked, entries, weights, opened, table[:0] if len(weights) else table, fast, scores, cuts, chosen, doubt)


@section
def _described(asked, entries, weights, opened, table, fast, scores, cuts, chosen, doubt):
    """What the chosen splits are, with their children's counts."""
    n_open, none, way = len(chosen), np.int64(0), asked.way
    reached = np.empty(n_open)
    first_code, first_child = np.zeros(n_open + 1, np.int64), np.zeros(n_open + 1, np.int64)
    for o in range(n_open):
        f = chosen[o]
        reached[o] = scores[f, o] if f >= 0 else -np.inf
        width = cuts[f, o] if f >= 0 and way[f] != THRESHOLD else 0
        first_code[o + 1] = first_code[o] + width
        first_child[o + 1] = first_child[o] + (1 if f < 0 else (width if way[f] == MULTIWAY else 2))
    lower, upper, listed = np.zeros(n_open, np.int64), np.zeros(n_open, np.int64), np.zeros(first_code[-1], np.int64)
    children = np.zeros((first_child[-1], opened.totals.shape[1]))
    describe(
        none, n_open, chosen, way, entries.place, asked.base, asked.absent, entries.keys, entries.codes,
        entries.classes, weights, opened.start, opened.end, opened.totals, asked.shift, asked.impurity, asked.score, fast,
        table, cuts, first_code, first_child, lower, upper, listed, children,
    )  # fmt: skip
    return Splits(scores, chosen, reached, doubt, lower, upper, first_code, listed, first_child, children)


@leaf
def _refused(totals, o, gain, children, first, last, known, impurity, score, table, least_leaf, least_gain):
    """Whether a rule that looks at the best split closes its node, and whether that is too close to call."""
    far = abs(gain - least_gain) > 2 * OFF  # also of what is an estimate
    if far and score == GAIN and least_leaf == -np.inf and impurity <= MISCLASSIFICATION:
        return gain < least_gain, False  # usually: the search knows all of it
    n, left, smallest, scale = 0.0, 0.0, np.inf, 1.0
    for c in range(totals.shape[1]):
        n += totals[o, c]
        known[c] = 0.0
    for child in range(first, last):
        loss, size, large = any_loss_of(children[child], impurity, table)
        left, scale = left + loss, max(scale, large)
        smallest = min(smallest, size)
        for c in range(totals.shape[1]):
            known[c] += children[child, c]
    whole, _, large = any_loss_of(known, impurity, table)
    gain, scale = (whole - left) / n, max(scale, large)
    return smallest < least_leaf or gain < least_gain, abs(gain - least_gain) < GUARD * scale


@section
def _with_splits(grown, level, n_level, n_listed, entries, opened, splits, asked, table, rules):
    """The same nodes with their splits; then the kind and the first child of each open one; then whether all are sure."""
    # Parts of tuples are named first: each time that one is taken out of its tuple, references to it are counted.
    which, _, _, _, totals = opened
    _, chosen, reached, doubt, lower, upper, first_code, codes, first_child, children = splits
    counts, kinds, features, lowers, uppers, firsts, widths, _ = grown
    way, impurity, score, known = asked.way, asked.impurity, asked.score, np.empty(totals.shape[1])
    place, keys, origin, shift = entries.place, entries.keys, entries.origin, asked.shift
    kind, child_at = np.zeros(len(which), np.int8), np.zeros(len(which) + 1, np.int64)
    listed = longer(grown.listed, n_listed + len(codes))
    for o in range(len(which)):
        f, node, first, last, unsure, closed = chosen[o], level + which[o], first_child[o], first_child[o + 1], doubt[o], True
        child_at[o + 1] = child_at[o]
        if f >= 0 and not unsure:
            closed, unsure = _refused(
                totals, o, reached[o], children, first, last, known, impurity, score, table, rules.leaf, rules.gain
            )
        if unsure:
            return grown, kind, child_at, n_listed, False
        if closed:
            continue
        kind[o] = kinds[node] = way[f]
        features[node] = f
        if way[f] == THRESHOLD:
            lowers[node] = stands_for(f, lower[o], place, keys, origin, shift)
            uppers[node] = stands_for(f, upper[o], place, keys, origin, shift)
        firsts[node], widths[node] = level + n_level + child_at[o], first_code[o + 1] - first_code[o]
        child_at[o + 1] += last - first
        for at in range(first_code[o], first_code[o + 1]):
            listed[n_listed] = stands_for(f, codes[at], place, keys, origin, shift)
            n_listed += 1
    return Grown(counts, kinds, features, lowers, uppers, firsts, widths, listed), kind, child_at, n_listed, True


@leaf
def _settle(kind, child_at, opened, splits, rules, depth, totals):
    """Count children that are all leaves, and all entries theirs: these need not move, so that the kind is none; how many do."""
    n_classes, whole, children, first_child = totals.shape[1], opened.totals, splits.children, splits.first_child
    pure, deepest, least_rows, _, _ = rules
    moving = 0
    for o in range(len(kind)):
        if kind[o] == NONE:
            continue
        moving += 1
        first, last, leaves, rest = first_child[o], first_child[o + 1], True, 0.0
        for c in range(n_classes):
            rest += whole[o, c]
        for child in range(first, last):
            leaves &= _is_closed(children, child, pure, deepest, least_rows, depth)
            for c in range(n_classes):
                rest -= children[child, c]
        if leaves and rest == 0:
            kind[o] = NONE
            moving -= 1
            for child in range(first, last):
                for c in range(n_classes):
                    totals[child_at[o] + child - first, c] = children[child, c]
    return moving


@leaf
def _count_known(kind, child_at, splits, totals, heavy):
    """Class counts of the children of nodes that move, and their sums, entries without an answer left out."""
    children, first_child = splits.children, splits.first_child
    for o in range(len(kind)):
        if kind[o] != NONE:
            for v in range(first_child[o + 1] - first_child[o]):
                for c in range(totals.shape[1]):
                    totals[child_at[o] + v, c] = children[first_child[o] + v, c]
                    heavy[child_at[o] + v] += children[first_child[o] + v, c]


@section
def _moved(kind, child_at, opened, splits, asked, entries, heaviest, step, most_entries, totals):
    """The entries in the order of the children, whose class counts are added, and whether they are not too many."""
    none, n_open, n_children = np.int64(0), len(kind), child_at[-1]
    _, keys, new_keys, spare, place, codes, classes, origin, times, fractions = entries
    child, number = np.empty(len(classes), np.int32), np.empty(len(classes), np.int32)
    sizes, heavy, asks, chosen = np.zeros(n_children, np.int64), np.zeros(n_children), np.empty(n_open, np.int32), splits.chosen
    for o in range(n_open):
        asks[o] = chosen[o]
    route(
        none, n_open, kind, asks, splits.lower, splits.first_code, splits.listed, place, asked.absent, keys, codes,
        opened.start, opened.end, asked.shift, child,
    )  # fmt: skip
    copies, shares = np.empty((0, 3), np.int64), np.empty(0)
    _count_known(kind, child_at, splits, totals, heavy)
    if sizes_of(none, n_open, kind, child_at, opened.start, opened.end, child, sizes):
        given = kind, child_at, opened.start, opened.end, child, fractions, heavy, heaviest, step, number
        room = scatter(*given, copies, shares, sizes)
        copies, shares = np.empty((room, 3), np.int64), np.empty(room)
        scatter(*given, copies, shares, sizes)
    position = np.zeros(n_children + 1, np.int64)
    for v in range(n_children):
        position[v + 1] = position[v] + sizes[v]
    n = position[-1]
    if n >= most_entries:
        return entries, False
    new_classes, new_origin = np.empty(n, classes.dtype), np.empty(n, origin.dtype)
    renumber(
        none, n_open, kind, child_at, opened.start, opened.end, child, position, classes, origin, number, new_classes, new_origin
    )  # fmt: skip
    number_copies(child_at, opened.end, position, copies, classes, origin, new_classes, new_origin)
    count_copies(child_at, opened.end, copies, shares, times, classes, totals)
    new_times = np.empty(n if len(times) else 0)
    new_fractions = np.ones(n if len(fractions) or len(copies) else 0)
    move_shares(kind, opened.start, opened.end, number, copies, shares, times, fractions, new_times, new_fractions)
    if n > new_keys.shape[1]:
        new_keys = np.empty((len(keys), n), keys.dtype)
    spare = move_sorted(
        none, len(asked.in_order), asked.in_order, place, keys, new_keys, asked.shift, spare, kind, child_at, opened.start,
        opened.end, child, position, number, copies,
    )  # fmt: skip
    if len(asked.coded):
        new_codes = np.empty((n, codes.shape[1]), codes.dtype)
        move_coded(none, n_open, codes.view(np.uint64), new_codes.view(np.uint64), kind, opened.start, opened.end, number)
        for copy in range(len(copies)):
            for g in range(codes.shape[1]):
                new_codes[copies[copy, 2], g] = codes[copies[copy, 0], g]
        codes = new_codes
    moved = Entries(position, new_keys, new_keys, spare, place, codes, new_classes, new_origin, new_times, new_fractions)
    return moved, True


@leaf
def _beside_the_largest(begin):
    """Entries of all nodes but the largest, which is what can be left to another thread."""
    largest = 0
    for j in range(len(begin) - 1):
        largest = max(largest, begin[j + 1] - begin[j])
    return begin[-1] - largest


@compiled
def _left(entries, totals, depth):
    """What another call of `finish` is to be asked, to go on."""
    begin, keys, _, _, place, codes, classes, origin, times, fractions = entries
    return depth, totals, begin, keys, codes, classes, origin, times, fractions, place


@compiled
def finish(
    nodes, depth, pure, deepest, least_rows, least_leaf, least_gain, start, end, exact, keys, codes, classes, origin, times,
    fractions, place, in_order, coded, base, way, absent, impurity, score, shift, heaviest, step, fast, whole_table, steps,
    unit, table, most_entries, idle,
):  # fmt: skip
    """All nodes below some, these first, level by level; none at all where a choice is too close to call or entries too many.

    Answers for each node its class counts, kind of split, feature, values below and above a threshold, first child, and
    how many values its split lists; then all of these. Values are codes, or rows of the table that have them. Then come
    the nodes that are left for another thread, which follow those in number: their depth, class counts and entries.
    """
    asked = Asked(way, absent, in_order, coded, base, impurity, score, shift, fast, whole_table, steps, unit, table)
    rules = Rules(pure, deepest, least_rows, least_leaf, least_gain)
    entries = _gathered(nodes, start, end, keys, codes, classes, origin, times, fractions, place, in_order, shift)
    none = np.int64(0)  # and no literal 0, for which numba would compile everything once more
    totals, level, n_listed = _rows_of(exact, nodes), none, none
    above, parents = np.zeros((len(way), 1)), np.zeros(len(nodes), np.int64)
    grown = nothing_grown(2 * len(nodes) + 64, exact.shape[1])
    while len(totals):
        grown = with_level(grown, level, totals)
        if impurity > MISCLASSIFICATION and _any_undefined(totals, impurity):
            return first_of(grown, none, none), _left(entries, totals[:0], depth)
        opened = _opened(entries.begin, totals, parents, rules, depth)
        if not len(opened.which):
            level, totals = level + len(totals), totals[:0]
            break
        weights = _product(entries.times, entries.fractions)
        table_now = table[:0] if len(weights) else table
        splits = _searched(asked, entries, weights, opened, above)
        grown, kind, child_at, n_listed, sure = _with_splits(
            grown, level, len(totals), n_listed, entries, opened, splits, asked, table_now, rules
        )
        if not sure:
            return first_of(grown, none, none), _left(entries, totals[:0], depth)
        above, parents = splits.scores, _parents(child_at)
        level, depth, totals = level + len(totals), depth + 1, np.zeros((child_at[-1], exact.shape[1]))
        if _settle(kind, child_at, opened, splits, rules, depth, totals):
            entries, fit = _moved(kind, child_at, opened, splits, asked, entries, heaviest, step, most_entries, totals)
            if not fit:
                return first_of(grown, none, none), _left(entries, totals[:0], depth)
            if idle[0] * _beside_the_largest(entries.begin) * len(way) >= _WORTH_IT:
                break
    return first_of(grown, level, n_listed), _left(entries, totals, depth)
