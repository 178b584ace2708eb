"""Growing small nodes to the end in one go: level by level as the engine does it, but with no step back into Python.

The entries of some nodes are gathered into arrays of their own, which fit into a processor's cache, and stay there
until every node below is a leaf. Threads take such groups of nodes in turn.
"""

import numpy as np

from ftree._jit import compiled
from ftree.cuts import MULTIWAY, THRESHOLD
from ftree.engine._move import (
    move_coded,
    move_shares,
    move_sorted,
    number_copies,
    renumber,
    route,
    scatter,
    sizes_of,
)
from ftree.engine._runs import loss_of
from ftree.engine._scan import GUARD, MISCLASSIFICATION
from ftree.engine._search import choose, describe, score_coded, score_sorted


@compiled
def gathered(nodes, start, end, columns, keys, rows, codes, classes, times, fractions):
    """The entries of some nodes, numbered anew: first entries, and columns of their own with one row to spare."""
    n = 0
    begin = np.empty(len(nodes) + 1, np.int64)
    for k in range(len(nodes)):
        begin[k] = n
        n += end[nodes[k]] - start[nodes[k]]
    begin[len(nodes)] = n
    own_keys, own_rows = np.empty((len(columns) + 1, n), keys.dtype), np.empty((len(columns) + 1, n), rows.dtype)
    own_codes, own_classes = np.empty((n, codes.shape[1]), codes.dtype), np.empty(n, classes.dtype)
    own_times, own_fractions = np.empty(n if len(times) else 0), np.empty(n if len(fractions) else 0)
    for k in range(len(nodes)):
        low, high, shift = begin[k], begin[k + 1], start[nodes[k]] - begin[k]
        for s in range(len(columns)):
            lane = columns[s]
            for i in range(low, high):
                own_keys[s, i], own_rows[s, i] = keys[lane, i + shift], rows[lane, i + shift] - shift
        for i in range(low, high):
            own_classes[i] = classes[i + shift]
            for g in range(codes.shape[1]):
                own_codes[i, g] = codes[i + shift, g]
            if len(times):
                own_times[i] = times[i + shift]
            if len(fractions):
                own_fractions[i] = fractions[i + shift]
    return begin, own_keys, own_rows, own_codes, own_classes, own_times, own_fractions


@compiled
def _longer(numbers, n):
    """The same numbers with room for n, and more."""
    if n <= len(numbers):
        return numbers
    longer = np.zeros(2 * n, np.int64)
    for i in range(len(numbers)):
        longer[i] = numbers[i]
    return longer


@compiled
def _with_more_rows(numbers, n):
    """The same rows with room for n, and more."""
    if n <= len(numbers):
        return numbers
    longer = np.zeros((2 * n, numbers.shape[1]))
    for i in range(len(numbers)):
        for c in range(numbers.shape[1]):
            longer[i, c] = numbers[i, c]
    return longer


@compiled
def _product(times, fractions):
    if len(times) == 0 or len(fractions) == 0:
        return times if len(times) else fractions
    product = np.empty(len(times))
    for i in range(len(times)):
        product[i] = times[i] * fractions[i]
    return product


@compiled
def _closed_before(totals, j, pure, depth, deepest, least_rows):
    """Whether a rule that looks at the node alone closes it."""
    n, most = 0.0, 0.0
    for c in range(totals.shape[1]):
        n += totals[j, c]
        most = max(most, totals[j, c])
    return (pure and most >= n) or depth >= deepest or n < least_rows


@compiled
def _closed_by_split(totals, j, children, first, last, impurity, table, least_leaf, least_gain):
    """Whether a rule that looks at the best split closes the node, and whether that is too close to call."""
    n, known, left, smallest, scale, own = 0.0, np.zeros(totals.shape[1]), 0.0, np.inf, 1.0, impurity > MISCLASSIFICATION
    for child in range(first, last):
        loss, size = loss_of(children[child], impurity, table)
        if own:
            loss, scale = loss * size, max(scale, abs(loss))
        left += loss
        smallest = min(smallest, size)
        for c in range(totals.shape[1]):
            known[c] += children[child, c]
    for c in range(totals.shape[1]):
        n += totals[j, c]
    whole, size = loss_of(known, impurity, table)
    if own:
        whole, scale = whole * size, max(scale, abs(whole))
    gain = (whole - left) / n
    return smallest < least_leaf or gain < least_gain, abs(gain - least_gain) < GUARD * scale


@compiled
def _answer(n, counts, kinds, features, lower, upper, first, widths, listed):
    return counts[:n], kinds[:n], features[:n], lower[:n], upper[:n], first[:n], widths[:n], listed


@compiled
def finish(
    nodes, depth, pure, deepest, least_rows, least_leaf, least_gain, start, end, exact, keys, rows, codes, classes, times,
    fractions, place, in_order, coded, base, way, absent, impurity, score, shift, heaviest, step, fast, whole_table, steps,
    unit, table, most_entries,
):  # fmt: skip
    """All nodes below some, these first, level by level; none at all where a choice is too close to call or entries too many.

    Answers for each node its class counts, kind of split, feature, ranks below and above a threshold, first child, and
    how many codes its split lists; then all codes.
    """
    n_classes, n_features = exact.shape[1], len(way)
    lanes = np.empty(len(in_order), np.int64)
    for s in range(len(in_order)):
        lanes[s] = -1 - place[in_order[s]]
    begin, keys, rows, codes, classes, times, fractions = gathered(
        nodes, start, end, lanes, keys, rows, codes, classes, times, fractions
    )
    own_place = np.empty(len(place), np.int64)
    for f in range(len(place)):
        own_place[f] = place[f]
    place = own_place
    for s in range(len(in_order)):
        place[in_order[s]] = -1 - s
    spare, no_table = len(in_order), table[:0]
    none = np.int64(0)  # typed as the engine's own calls are, so that no kernel is compiled twice
    new_keys, new_rows = keys, rows
    m = len(nodes)
    totals = np.empty((m, n_classes))
    for k in range(m):
        for c in range(n_classes):
            totals[k, c] = exact[nodes[k], c]
    # What is answered, with room to grow.
    cap = 2 * m + 64
    counts, kinds, features = np.zeros((cap, n_classes)), np.zeros(cap, np.int64), np.zeros(cap, np.int64)
    lower_of, upper_of, first_of = np.zeros(cap, np.int64), np.zeros(cap, np.int64), np.zeros(cap, np.int64)
    widths, listed_of, n_listed, level = np.zeros(cap, np.int64), np.zeros(64, np.int64), 0, 0
    while True:
        counts, kinds, features = _with_more_rows(counts, level + m), _longer(kinds, level + m), _longer(features, level + m)
        lower_of, upper_of = _longer(lower_of, level + m), _longer(upper_of, level + m)
        first_of, widths = _longer(first_of, level + m), _longer(widths, level + m)
        which, n_open = np.empty(m, np.int64), none
        for j in range(m):
            features[level + j] = -1
            for c in range(n_classes):
                counts[level + j, c] = totals[j, c]
            if impurity > MISCLASSIFICATION and np.isnan(loss_of(totals[j], impurity, table)[0]):  # the plain engine says so
                return _answer(none, counts, kinds, features, lower_of, upper_of, first_of, widths, listed_of)
            if not _closed_before(totals, j, pure, depth, deepest, least_rows):
                which[n_open] = j
                n_open += 1
        if n_open == 0:
            break
        weights = _product(times, fractions)
        whole_rows = len(weights) == 0
        quick, logs = fast and (not whole_rows or len(table) > 0), table if whole_rows else no_table
        open_start, open_end, open_totals = np.empty(n_open, np.int64), np.empty(n_open, np.int64), np.empty((n_open, n_classes))
        size = np.empty(n_open)
        for o in range(n_open):
            open_start[o], open_end[o], size[o] = begin[which[o]], begin[which[o] + 1], 0.0
            for c in range(n_classes):
                open_totals[o, c] = totals[which[o], c]
                size[o] += totals[which[o], c]
        # The best split of each open node.
        scores, cuts = np.empty((n_features, n_open)), np.zeros((n_features, n_open), np.int32)
        doubt, chosen = np.zeros(n_open, np.bool_), np.empty(n_open, np.int64)
        unsure_cut, rivals = np.zeros((n_features, n_open), np.bool_), np.zeros((n_features, n_open), np.bool_)
        for f in range(n_features):
            for o in range(n_open):
                scores[f, o] = -np.inf
        score_sorted(
            none, len(in_order), in_order, way, place, absent, keys, rows, weights, open_start, open_end, open_totals, shift,
            impurity, score, quick, whole_table, steps, unit, logs, scores, cuts, unsure_cut,
        )  # fmt: skip
        if len(coded):
            score_coded(
                none, len(coded), none, n_open, coded, base, way, absent, codes, classes, weights, open_start, open_end,
                open_totals, impurity, score, logs, scores, cuts, unsure_cut,
            )  # fmt: skip
        choose(scores, size, impurity, score, unit, unsure_cut, chosen, doubt, rivals)
        first_code, first_child = np.zeros(n_open + 1, np.int64), np.zeros(n_open + 1, np.int64)
        for o in range(n_open):
            f = chosen[o]
            width = cuts[f, o] if f >= 0 and way[f] != THRESHOLD else 0
            first_code[o + 1] = first_code[o] + width
            first_child[o + 1] = first_child[o] + (1 if f < 0 else (width if way[f] == MULTIWAY else 2))
        lower, upper, listed = np.zeros(n_open, np.int64), np.zeros(n_open, np.int64), np.zeros(first_code[n_open], np.int64)
        children = np.zeros((first_child[n_open], n_classes))
        describe(
            none, n_open, chosen, way, place, absent, keys, rows, codes, classes, weights, open_start, open_end, open_totals,
            shift, impurity, score, quick, logs, cuts, first_code, first_child, lower, upper, listed, children,
        )  # fmt: skip
        # Which of them are made.
        kind, asked, child_at = np.zeros(n_open, np.int8), np.empty(n_open, np.int32), np.zeros(n_open + 1, np.int64)
        listed_of = _longer(listed_of, n_listed + first_code[n_open])
        for o in range(n_open):
            f, node, unsure = chosen[o], level + which[o], doubt[o]
            asked[o], child_at[o + 1] = f, child_at[o]
            if f >= 0 and not unsure:
                closed, unsure = _closed_by_split(
                    open_totals, o, children, first_child[o], first_child[o + 1], impurity, logs, least_leaf, least_gain
                )
                if not closed:
                    kind[o] = kinds[node] = way[f]
                    features[node], lower_of[node], upper_of[node] = f, lower[o], upper[o]
                    first_of[node] = level + m + child_at[o]
                    child_at[o + 1] += first_child[o + 1] - first_child[o]
                    widths[node] = first_code[o + 1] - first_code[o]
                    for at in range(first_code[o], first_code[o + 1]):
                        listed_of[n_listed] = listed[at]
                        n_listed += 1
            if unsure:
                return _answer(none, counts, kinds, features, lower_of, upper_of, first_of, widths, listed_of)
        n_children = child_at[n_open]
        level, depth = level + m, depth + 1
        if n_children == 0:
            m = 0
            break
        # Their entries to the children.
        child, number = np.empty(len(classes), np.int32), np.empty(len(classes), np.int32)
        sizes, heavy = np.zeros(n_children, np.int64), np.zeros(n_children)
        route(
            none, n_open, kind, asked, lower, first_code, listed, place, absent, keys, rows, codes, open_start, open_end, shift,
            child,
        )  # fmt: skip
        lost = sizes_of(none, n_open, kind, child_at, open_start, open_end, child, weights, sizes, heavy)
        copies, shares = np.empty((0, 3), np.int64), np.empty(0)
        if lost:
            room = scatter(
                kind, child_at, open_start, open_end, child, fractions, heavy, heaviest, step, number, copies, shares, sizes
            )
            copies, shares = np.empty((room, 3), np.int64), np.empty(room)
            scatter(kind, child_at, open_start, open_end, child, fractions, heavy, heaviest, step, number, copies, shares, sizes)
        position = np.zeros(n_children + 1, np.int64)
        for v in range(n_children):
            position[v + 1] = position[v] + sizes[v]
        n = position[n_children]
        if n >= most_entries:
            return _answer(none, counts, kinds, features, lower_of, upper_of, first_of, widths, listed_of)
        new_classes, totals = np.empty(n, classes.dtype), np.zeros((n_children, n_classes))
        renumber(
            none, n_open, kind, child_at, open_start, open_end, child, position, classes, weights, number, new_classes, totals
        )
        number_copies(child_at, open_end, position, copies, shares, times, classes, new_classes, totals)
        new_times = np.empty(n if len(times) else 0)
        new_fractions = np.ones(n if len(fractions) or len(copies) else 0)
        move_shares(kind, open_start, open_end, number, copies, shares, times, fractions, new_times, new_fractions)
        if n > keys.shape[1]:
            new_keys, new_rows = np.empty((len(keys), n), keys.dtype), np.empty((len(rows), n), rows.dtype)
        spare = move_sorted(
            none, len(in_order), in_order, place, keys, rows, new_keys, new_rows, spare, kind, child_at, open_start, open_end,
            child, position, number, copies,
        )  # fmt: skip
        keys, rows = new_keys, new_rows
        if len(coded):
            new_codes = np.empty((n, codes.shape[1]), codes.dtype)
            move_coded(none, n_open, codes.view(np.uint64), new_codes.view(np.uint64), kind, open_start, open_end, number)
            for copy in range(len(copies)):
                for g in range(codes.shape[1]):
                    new_codes[copies[copy, 2], g] = codes[copies[copy, 0], g]
            codes = new_codes
        classes, times, fractions = new_classes, new_times, new_fractions
        begin, m = position, n_children
    return _answer(level + m, counts, kinds, features, lower_of, upper_of, first_of, widths, listed_of[:n_listed])
