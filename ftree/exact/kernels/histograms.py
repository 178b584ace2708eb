"""Counts of rows that have two items, from joint histograms of columns, for items that are intervals of a column's cells.

Cells of all columns are numbered one after another; the `first` (C + 1,) of each column stays empty, so that a running sum starts
there with 0. `cells` (n, C + 1) are the cells of each row in each column, and its class; `weights` (n,) are those of rows. `hist`
(K, D, D) counts rows by class and by their cells in two columns, of which the second is not before the first.

`intervals` (M, 5) have a row for each item: its column, the cell before its first one, its last one, and the first item and the
end of its ladder. A ladder is a sequence of items of a column that begin with the same cell, each of which has one cell more
than the one before. `state` (M, 5) is what is known of the split by each item: the costs of its sides, exact or bounds; a lower
bound on its cost; the weight of the rows with the item, or -1 where bounds between neighbours do not hold; and 1 if the costs
are exact.
"""

import numpy as np

from ftree._lib.jit import kernel, section, unwrapped
from ftree.exact.kernels.bits import subtract_pairs
from ftree.exact.kernels.depth_two import by_pairs
from ftree.exact.kernels.two_classes import of_two_classes

# Places in `intervals`, and in `state`.
COLUMN, LOW, HIGH, LADDER, LADDER_END = range(5)
INSIDE, OUTSIDE, BOUND, MASS, EXACT = range(5)
# How many times rows are counted; a literal has its own type, for which numba would compile once more.
ADD, TAKE = np.int64(1), np.int64(-1)


@kernel
def pairs_of_rows(cells, weights, first, intervals, rows, pairs):
    """Counts (K, M, M) of rows that have two items, the second not before the first, in `pairs`."""
    hist = np.zeros((len(pairs), first[-1], first[-1]), pairs.dtype)
    _count(hist, cells, weights, rows, ADD)
    _pairs(hist, first, intervals, pairs)


@kernel
def divided_in_two(cells, weights, first, intervals, rows, pairs, items, best, state, prices, terms, costs):
    """The least cost of splits by some `items` of one column into trees of depth two, and the item; -1 if none is below `best`.

    `rows` are those of the node, `pairs` their counts of pairs; `state` is brought up to date. `prices`, `terms` and `costs` are
    those of `depth_two`; `costs` has no dimension for two classes in short integers.
    """
    n_classes, n_cells, chosen = len(pairs), first[-1], -1
    begin, end = first[intervals[items[0], COLUMN]], first[intervals[items[0], COLUMN] + 1]
    ordered, starts = _by_cell(cells, rows, intervals[items[0], COLUMN], begin, end)
    hist, window = np.zeros((n_classes, n_cells, n_cells), pairs.dtype), np.zeros(2, np.int64)
    own, rest, wide = np.empty_like(pairs), np.empty_like(pairs), np.full(1, len(intervals))
    total, inside, outside = np.zeros(n_classes, pairs.dtype), np.empty(n_classes, pairs.dtype), np.empty(n_classes, pairs.dtype)
    for row in rows:
        total[cells[row, -1]] += weights[row]
    for item in items:
        if state[item, BOUND] < best and state[item, MASS] >= 0:
            state[item, INSIDE], state[item, OUTSIDE] = _between(state, intervals, item)
            state[item, BOUND] = max(state[item, BOUND], state[item, INSIDE] + state[item, OUTSIDE] + prices[item])
        if state[item, BOUND] >= best:
            continue
        low, high = starts[intervals[item, LOW] + 1 - begin], starts[intervals[item, HIGH] + 1 - begin]
        _move(hist, cells, weights, ordered, window, low, high)
        _pairs(hist, first, intervals, own)
        subtract_pairs(pairs, total, item, own, rest, outside)
        for k in range(n_classes):
            inside[k] = total[k] - outside[k]
        if costs.ndim == 0:  # numba leaves out the branch that does not fit the dimensions
            low_cost, high_cost = of_two_classes(own, inside, terms[0])[0], of_two_classes(rest, outside, terms[0])[0]
        else:
            low_cost = by_pairs(own, inside, wide, prices, terms, costs)[0]
            high_cost = by_pairs(rest, outside, wide, prices, terms, costs)[0]
        state[item, INSIDE], state[item, OUTSIDE] = low_cost, high_cost
        state[item, EXACT] = 1
        state[item, BOUND] = state[item, INSIDE] + state[item, OUTSIDE] + prices[item]
        if state[item, BOUND] < best:
            best, chosen = state[item, BOUND], item
    return best, chosen


@section
def _by_cell(cells, rows, column, begin, end):
    """The rows in the order of their cells in a column, and where each of the cells from `begin` to `end` starts.

    Starts are more by two, so that each entry can say first where the cell before ends.
    """
    ordered, starts = np.empty_like(rows), np.zeros(end - begin + 2, np.int64)
    for row in rows:
        starts[cells[row, column] - begin + 2] += 1
    for cell in range(2, end - begin + 2):
        starts[cell] += starts[cell - 1]
    for row in rows:
        place = cells[row, column] - begin + 1
        ordered[starts[place]] = row
        starts[place] += 1
    return ordered, starts


@section
def _between(state, intervals, item):
    """Lower bounds on the costs of depth two with an item and without it, by the nearest items of its ladder that are exact.

    More rows never cost less, and cost at most their weight more.
    """
    inside = outside = 0.0
    for before in range(item - 1, intervals[item, LADDER] - 1, -1):
        if state[before, EXACT]:
            inside, outside = state[before, INSIDE], state[before, OUTSIDE] - (state[item, MASS] - state[before, MASS])
            break
    for after in range(item + 1, intervals[item, LADDER_END]):
        if state[after, EXACT]:
            inside = max(inside, state[after, INSIDE] - (state[after, MASS] - state[item, MASS]))
            outside = max(outside, state[after, OUTSIDE])
            break
    return inside, outside


@section
def _move(hist, cells, weights, ordered, window, begin, end):
    """Count the rows from `begin` to `end`, given the counts of those in the `window`, which moves."""
    if begin >= window[1] or end <= window[0]:
        hist[:] = 0
        window[:] = begin
    _count(hist, cells, weights, ordered[window[0] : begin], TAKE)
    _count(hist, cells, weights, ordered[begin : window[0]], ADD)
    _count(hist, cells, weights, ordered[window[1] : end], ADD)
    _count(hist, cells, weights, ordered[end : window[1]], TAKE)
    window[0], window[1] = begin, end


@unwrapped
def _count(hist, cells, weights, rows, times):
    """Count rows `times` times."""
    n_columns = cells.shape[1] - 1
    for row in rows:
        of_class, weight = hist[cells[row, n_columns]], times * weights[row]
        for a in range(n_columns):
            line = of_class[cells[row, a]]
            for b in range(a, n_columns):
                line[cells[row, b]] += weight


@unwrapped
def _pairs(hist, first, intervals, pairs):
    """Counts (K, M, M) of rows that have two items, the second not before the first."""
    end = first[-1]
    sums, line = np.empty((end, end), hist.dtype), np.empty(end, hist.dtype)
    for k in range(len(pairs)):
        for c in range(len(first) - 1):
            sums[first[c], first[c] :] = 0
            for cell in range(first[c] + 1, first[c + 1]):
                now, before, own = sums[cell, first[c] : end], sums[cell - 1, first[c] : end], hist[k, cell, first[c] : end]
                for place in range(len(now)):
                    now[place] = before[place] + own[place]
        for i in range(len(intervals)):
            upper, lower = sums[intervals[i, HIGH]], sums[intervals[i, LOW]]
            for c in range(intervals[i, COLUMN], len(first) - 1):
                total = line.dtype.type(0)
                for cell in range(first[c], first[c + 1]):
                    total += upper[cell] - lower[cell]
                    line[cell] = total
            begin = i
            while begin < len(intervals):
                stop = intervals[begin, LADDER_END]
                base, high = line[intervals[begin, LOW]], intervals[begin, HIGH]
                given, to = line[high : high + stop - begin], pairs[k, i, begin:stop]
                for place in range(len(to)):
                    to[place] = given[place] - base
                begin = stop
