"""Whole subtrees without objects: what is done in a level besides the search and the moving of entries.

The entries of a group of small nodes are gathered into arrays of their own, which fit into a processor's cache, and stay there
until every node below is a leaf. Where rows are counted and no value is missing, `grow_counted` does it in one call, since a call
from Python takes as long as a small node; else `engines.compiled_subtrees` calls these kernels level by level.
"""

import numpy as np

from ftree._lib.arrays import TIE
from ftree._lib.jit import kernel, section, unwrapped
from ftree.growth.kernels.choose_and_describe import choose_by_gain_ratio, choose_by_score, describe_cuts, describe_runs
from ftree.growth.kernels.partition import move_coded, move_sorted, renumber, route, sizes_of
from ftree.growth.kernels.records import (
    BACKED,
    COUNTED,
    DEEPEST,
    END,
    FEATURE,
    FIRST_CHILD,
    FIRST_CODE,
    GAIN,
    GUARD,
    KIND,
    LEAST_ERRORS,
    LEAST_GAIN,
    LEAST_LEAF,
    LEAST_ROWS,
    LOWER,
    MULTIWAY,
    N_OF_CUT,
    NONE,
    OWN,
    PARENT,
    PLACE,
    PURE,
    ROW_LOWER,
    ROW_UPPER,
    SCORE,
    START,
    EntryArrays,
    FeatureScores,
    FoundSplits,
    LeadingRows,
    Moves,
)
from ftree.growth.kernels.run_splits import loss_of
from ftree.growth.kernels.score_features import score_by_values, score_counted

# From this many cells on, a part is left for an idle thread; with more idle threads, from fewer cells on.
WORTH_IT = 2**14
# What is noted of a node, by row: the kind of its split, the feature, values on both sides of a threshold as codes or rows of the
# table, its first child among all nodes, and the number of values it lists.
N_NOTED = 6
_KIND, _FEATURE, _LOWER, _UPPER, _FIRST, _WIDTH = range(N_NOTED)


@kernel
def grow_counted(begin, totals, depth, columns, entries, limits, measure, run_sizes, idle):
    """Grow the subtrees of some nodes, these first, from entries that are all counted, while splits send all to a child.

    Returns a depth; class counts of all nodes, what is noted of them, the values that they list; where the nodes of that depth
    begin that are left open, their counts, and the codes and rows of their entries, keys being moved in place. There are no nodes
    if a choice is too close to call, or if a row has no answer.
    `run_sizes` are None if all features are sorted and thresholds are found in one pass, so that nothing else is compiled.
    """
    counts, noted = np.empty((2 * len(totals), totals.shape[1])), np.empty((N_NOTED, 2 * len(totals)), np.int64)
    listed = np.empty(64, np.int64)
    # A literal has its own type, for which numba would compile every callee once more.
    first, n_nodes, n_listed, spare = np.int64(0), np.int64(0), np.int64(0), len(entries.keys) - 1
    features, n_layers = columns.features, 1 if np.isnan(measure.slack) else 2
    parents, above = np.zeros(len(totals), np.int64), np.zeros((n_layers, features.shape[1], 1))
    while len(totals):
        n_level = len(totals)
        counts, noted = _with_level(counts, noted, n_nodes, totals)
        which, nodes, held = open_nodes(begin, totals, parents, limits, depth)
        n_open, below, nothing = len(which), n_nodes + n_level, (begin[:0], totals[:0], entries.codes, entries.rows)
        if n_open == 0:
            return depth, counts[:below], noted[:, :below], listed[:n_listed], *nothing
        found, splits, score = _found(columns, entries, nodes, held, above, measure, run_sizes)
        moving, of_level, some, kind, child_at, totals_below, parents = settle(
            which, n_level, below, held, found, score, features, limits, depth, measure
        )
        if moving < 0:
            return depth, counts[:0], noted[:, :0], listed[:0], *nothing
        child, number = np.empty(entries.rows.shape[1], np.int32), np.empty(entries.rows.shape[1], np.int32)
        sizes = np.zeros(len(totals_below), np.int64)
        if moving:
            routes = LeadingRows(kind, splits[FEATURE], splits[LOWER], splits[FIRST_CODE], found.listed[0])
            route(first, n_open, routes, columns, entries, nodes, child)
            if sizes_of(first, n_open, kind, child_at, nodes, child, sizes):
                return depth, counts[:0], noted[:, :0], listed[:0], *nothing
        for j in range(n_level):
            for row in range(N_NOTED):
                noted[row, n_nodes + j] = of_level[row, j]
        listed = _with_more(listed, n_listed, some)
        n_listed, n_nodes, depth, above, totals = n_listed + len(some), below, depth + 1, score, totals_below
        if moving == 0:
            continue
        begin, most = np.zeros(len(totals) + 1, np.int64), np.int64(0)
        for v in range(len(totals)):
            begin[v + 1], most = begin[v] + sizes[v], max(most, sizes[v])
        entries, spare = _moved(columns, entries, nodes, kind, child_at, child, number, begin, spare, run_sizes)
        if idle[0] and idle[0] * (begin[-1] - most) * features.shape[1] >= WORTH_IT:
            break
    rest = begin, totals, entries.codes, entries.rows
    return depth, counts[:n_nodes], noted[:, :n_nodes], listed[:n_listed], *rest


@section
def _found(columns, entries, nodes, held, above, measure, run_sizes):
    """The splits of open nodes, their table, and the scores (1 or 2, F, m) of all features; `above` has those one level up."""
    features, first, n_open, n_features = columns.features, np.int64(0), len(held), columns.features.shape[1]
    score, cut = np.full((len(above), n_features, n_open), -np.inf), np.zeros((N_OF_CUT, n_features, n_open), np.int32)
    scores = FeatureScores(score, cut)
    score_counted(columns.cuts, columns, entries.keys, nodes, held, measure, scores)
    if run_sizes is not None:
        for f in columns.coded:
            for o in range(n_open):
                score[SCORE, f, o] = 0.0 if above[SCORE, f, nodes[PARENT, o]] != -np.inf or not measure.plain else -np.inf
        given = columns, entries, nodes, held, measure, run_sizes, scores
        score_by_values(columns.runs, columns.coded, first, n_open, *given)
    if run_sizes is None or np.isnan(measure.slack):
        splits, doubt, rivals = choose_by_score(scores, features, held, measure)
    else:
        splits, doubt, rivals = choose_by_gain_ratio(scores, features, columns.options, measure.slack)
    values = np.zeros((2, splits[FIRST_CODE, n_open]), np.int64)
    children = np.zeros((splits[FIRST_CHILD, n_open], held.shape[1]))
    describe_cuts(first, n_open, columns, entries, nodes, held, cut, splits, children)
    if run_sizes is not None:
        describe_runs(first, n_open, columns, entries, nodes, run_sizes, cut, splits, values, children)
    return FoundSplits(splits, values, children, doubt, rivals), splits, score


@section
def _moved(columns, entries, nodes, kind, child_at, child, number, begin, spare, run_sizes):
    """The entries of the next level, whose nodes begin at `begin`, keys being moved in place; and the spare row of keys."""
    first, none, keys = np.int64(0), np.empty(0), entries.keys
    moves = Moves(kind, child_at, child, number, begin, np.empty((0, 3), np.int64), none)
    rows, codes = np.empty((2, begin[-1]), np.int32), entries.codes
    renumber(first, nodes.shape[1], kind, child_at, nodes, child, begin, entries.rows, number, rows)
    for in_order in (columns.cuts, columns.runs):
        spare = move_sorted(first, len(in_order), in_order, columns, keys, keys, spare, nodes, moves)
    if run_sizes is not None and len(columns.coded):
        codes = np.empty((begin[-1], codes.shape[1]), np.uint8)
        move_coded(first, nodes.shape[1], entries.codes.view(np.uint64), codes.view(np.uint64), kind, nodes, number)
    return EntryArrays(keys, codes, rows, none, none, none), spare


@section
def _with_level(counts, noted, n, totals):
    """The same arrays with a level of leaves behind the first n nodes, twice as long if they are too short."""
    end = n + len(totals)
    if end > len(counts):
        more, noted_more = np.empty((2 * end, counts.shape[1])), np.empty((N_NOTED, 2 * end), np.int64)
        for j in range(n):
            for c in range(counts.shape[1]):
                more[j, c] = counts[j, c]
            for row in range(N_NOTED):
                noted_more[row, j] = noted[row, j]
        counts, noted = more, noted_more
    for j in range(n, end):
        for c in range(counts.shape[1]):
            counts[j, c] = totals[j - n, c]
        for row in range(N_NOTED):
            noted[row, j] = -1 if row == _FEATURE else 0
    return counts, noted


@section
def _with_more(listed, n, some):
    """The n values listed so far, and some more."""
    if n + len(some) > len(listed):
        more = np.empty(2 * (n + len(some)), np.int64)
        for at in range(n):
            more[at] = listed[at]
        listed = more
    for at in range(len(some)):
        listed[n + at] = some[at]
    return listed


@kernel
def gather_keys(numbers, begin, nodes, keys, shift, in_order, features, own_keys, own_features):
    """Copy the sorted columns of some nodes to rows of a block of their own, whose keys have the numbers that entries get."""
    for s in range(len(in_order)):
        own_features[PLACE, in_order[s]] = -1 - s
        lane = -1 - features[PLACE, in_order[s]]
        for k in range(len(numbers)):
            ahead = nodes[START, numbers[k]] - begin[k]
            for i in range(begin[k], begin[k + 1]):
                own_keys[s, i] = keys[lane, i + ahead] - (ahead << shift)


@kernel
def open_nodes(begin, totals, parents, limits, depth):
    """The nodes of a level that no such stopping rule closes: their numbers, the table of them, and their class counts."""
    which, n = np.empty(len(totals), np.int64), 0
    for j in range(len(totals)):
        which[n] = j
        n += not is_closed(totals, j, limits, depth)
    nodes, counts = np.empty((4, n), np.int64), np.empty((n, totals.shape[1]))
    for o in range(n):
        j = which[o]
        nodes[START, o], nodes[END, o], nodes[COUNTED, o], nodes[PARENT, o] = begin[j], begin[j + 1], 1, parents[j]
        for c in range(totals.shape[1]):
            counts[o, c] = totals[j, c]
    return which[:n], nodes, counts


@unwrapped
def is_closed(totals, j, limits, depth):
    """Whether a stopping rule that depends on the node alone closes it."""
    n, most = 0.0, 0.0
    for c in range(totals.shape[1]):
        n += totals[j, c]
        most = max(most, totals[j, c])
    few = n < limits[LEAST_ROWS] or n - most < limits[LEAST_ERRORS]
    return (limits[PURE] > 0 and most >= n) or depth >= limits[DEEPEST] or few


@kernel
def settle(which, n_level, first_below, totals, found, score, features, limits, depth, measure):
    """Note the splits of the open nodes that get one, and count the children that they have in the next level.

    Returns how many nodes have entries that must move, -1 if a choice is too close to call; what is noted of all nodes of the
    level, with the values that they list; then the kind of each open node's split, none where nothing moves, its first child in
    the next level, and the class counts and the parents of the nodes there.

    Where all children are leaves and no value is missing, entries need not move; a split that gets surrogates moves them even so.
    """
    splits, listed, children, doubt, _ = found
    n_open, n_classes, known = len(which), totals.shape[1], np.empty(totals.shape[1])
    noted, child_at, n_listed, moving = np.zeros((N_NOTED, n_level), np.int64), np.zeros(n_open + 1, np.int64), 0, 0
    kind, values = np.zeros(n_open, np.int64), np.empty(listed.shape[1], np.int64)
    noted[_FEATURE] = -1
    for o in range(n_open):
        f, node, unsure, closed = splits[FEATURE, o], which[o], doubt[o], True
        child_at[o + 1] = child_at[o]
        if f >= 0 and not unsure:
            closed, unsure = _refused(totals, o, score[SCORE, f, o], splits, children, known, measure, limits)
        if unsure:
            moving = -1
            break
        if closed:
            continue
        kind[o] = noted[_KIND, node] = splits[KIND, o]
        noted[_FEATURE, node], noted[_LOWER, node], noted[_UPPER, node] = f, splits[ROW_LOWER, o], splits[ROW_UPPER, o]
        noted[_FIRST, node], noted[_WIDTH, node] = first_below + child_at[o], splits[FIRST_CODE, o + 1] - splits[FIRST_CODE, o]
        child_at[o + 1] += splits[FIRST_CHILD, o + 1] - splits[FIRST_CHILD, o]
        for at in range(splits[FIRST_CODE, o], splits[FIRST_CODE, o + 1]):
            values[n_listed] = listed[1, at]
            n_listed += 1
    below, parents = np.zeros((child_at[-1], n_classes)), np.empty(child_at[-1], np.int64)
    for o in range(n_open if moving >= 0 else 0):
        first, rest, leaves = splits[FIRST_CHILD, o], 0.0, True
        for c in range(n_classes):
            rest += totals[o, c]
        for child in range(child_at[o], child_at[o + 1]):
            parents[child] = o
            leaves &= is_closed(children, first + child - child_at[o], limits, depth + 1)
            for c in range(n_classes):
                below[child, c] = children[first + child - child_at[o], c]
                rest -= below[child, c]
        alone = kind[o] == MULTIWAY or features[BACKED, splits[FEATURE, o]] == 0
        if leaves and rest == 0 and alone:
            kind[o] = NONE
        moving += kind[o] != NONE
    return moving, noted, values[:n_listed], kind, child_at, below, parents


@section
def _refused(totals, o, gain, splits, children, known, measure, limits):
    """Whether a stopping rule that depends on the best split closes its node, and whether that is too close to call."""
    factors, by_gain = measure.factors, measure.plain and measure.score == GAIN and measure.impurity != OWN
    if by_gain and abs(gain - limits[LEAST_GAIN]) > TIE and limits[LEAST_LEAF] == -np.inf:
        return gain < limits[LEAST_GAIN], False  # usually the search knows the gain
    n, left, smallest, scale = 0.0, 0.0, np.inf, 1.0
    for c in range(totals.shape[1]):
        n += totals[o, c] * (factors[c] if len(factors) else 1.0)
        known[c] = 0.0
    for child in range(splits[FIRST_CHILD, o], splits[FIRST_CHILD, o + 1]):
        size = 0.0
        for c in range(totals.shape[1]):
            known[c] += children[child, c]
            size += children[child, c]
        loss, _, large = loss_of(children[child], measure)
        left, scale = left + loss, max(scale, large)
        smallest = min(smallest, size)
    whole, _, large = loss_of(known, measure)
    gain, scale = (whole - left) / (n if n > 0 else 1.0), max(scale, large)
    return smallest < limits[LEAST_LEAF] or gain < limits[LEAST_GAIN], abs(gain - limits[LEAST_GAIN]) < GUARD * scale
