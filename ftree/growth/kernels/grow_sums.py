"""Trees of numbers by variance: the best cuts of sorted columns, and whole subtrees, depth first.

A node has a range of each sorted column (lane); a split parts the ranges of all, and rows keep their numbers. A key packs the
row and whether its value differs from that before (fresh). Sums are whole numbers, exact in any order. Products tell of most cuts
that they are worse than the best one; others get the score of the NumPy engine, to the last bit, so that no choice is in doubt.
"""

import numpy as np

from ftree._lib.arrays import TIE
from ftree._lib.jit import inlined, kernel, section, unwrapped
from ftree.growth.kernels.grow_drawn import drawn_between, drawn_share, mixed, next_feature
from ftree.growth.kernels.records import DEEPEST, DRAWN, END, FLAGS, LEAST_GAIN, LEAST_LEAF, LEAST_ROWS, PURE, START
from ftree.growth.kernels.sorted_cuts import raised

_FRESH, _BOTH, _ONE, _NO_KEY = 2, 3, np.uint64(1), np.uint64(0)
# What is noted of a node, by row: the lane of its cut (-1: none), the rows with the values on both sides, the position of the
# first key above it, and the first child.
LANE, BELOW, ABOVE, MIDDLE, FIRST = range(5)
# What is kept of an open node.
_NODE, _LOW, _HIGH, _DEPTH = range(4)


@kernel
def grow_sums(nodes, totals, depth, lanes, rows, limits, side, search, x):
    """Grow the subtrees of some nodes, these first: the sums of all nodes, and what is noted of them, from `lanes` (F, n).

    `side` (n,) gets the side of rows in nodes with a cut. `limits` are those of `grow_subtrees`. A node looks at the features
    that the `search` draws, all in order where it draws none, and cuts them where this is best or, by their values `x` (F, n),
    where it draws; the third result has the drawn cuts, NaN for others.
    """
    size, n_nodes, n_lanes, height, f = np.int64(0), len(totals), len(lanes), np.int64(0), np.int64(0)
    for j in range(n_nodes):
        size += nodes[END, j] - nodes[START, j]
    sums, noted, cut = np.empty((2 * size, totals.shape[1])), np.empty((5, 2 * size), np.int64), np.empty(2 * size)
    spare, opened, keys = np.empty(size, np.int32), np.empty((4, size), np.int64), np.empty(size, np.uint64)
    draws, drawing = search.n < n_lanes or len(x) > 0, (np.empty(n_lanes, np.uint64), np.arange(n_lanes))
    found = np.empty(n_lanes), np.empty(n_lanes, np.int64), np.empty(n_lanes)
    for j in range(n_nodes):
        for c in range(totals.shape[1]):
            sums[j, c] = totals[j, c]
        noted[LANE, j], keys[height] = -1, _NO_KEY
        height = _opened(opened, height, j, nodes[START, j], nodes[END, j], depth, f, sums, lanes, rows, limits)
    while height:
        height -= 1
        node, low, high, depth = opened[_NODE, height], opened[_LOW, height], opened[_HIGH, height], opened[_DEPTH, height]
        here, (score, at, drawn) = keys[height], found
        f = _best_lane(lanes, low, high, sums[node], rows, search, x, here, drawing, found)
        if f < 0 or score[f] < limits[LEAST_GAIN]:
            continue
        first, middle, before = n_nodes, at[f], height
        _divide(lanes, f, low, middle, high, rows, side, sums, node, first)
        if min(sums[first, 0], sums[first + 1, 0]) < limits[LEAST_LEAF]:
            continue
        noted[LANE, node], noted[MIDDLE, node], noted[FIRST, node], cut[node] = f, middle, first, drawn[f]
        noted[BELOW, node], noted[ABOVE, node] = lanes[f, middle - 1] >> FLAGS, lanes[f, middle] >> FLAGS
        noted[LANE, first] = noted[LANE, first + 1] = -1
        n_nodes += 2
        for right in range(2):
            ends = (middle, high) if right else (low, middle)
            keys[height] = mixed(here ^ mixed(np.uint64(right))) if draws else _NO_KEY
            height = _opened(opened, height, first + right, *ends, depth + 1, f, sums, lanes, rows, limits)
        for g in range(n_lanes if height > before else 0):
            if g != f:
                _part(lanes, g, low, high, side, spare)
    return sums[:n_nodes].copy(), noted[:, :n_nodes].copy(), cut[:n_nodes].copy()


@unwrapped
def _opened(opened, height, node, low, high, depth, f, sums, lanes, rows, limits):
    """The number of open nodes, with this one unless a stopping rule that depends on the node alone closes it."""
    if sums[node, 0] < limits[LEAST_ROWS] or depth >= limits[DEEPEST]:
        return height
    if limits[PURE] > 0:
        whole, i = rows.whole[lanes[f, low] >> FLAGS], low + 1
        while i < high and rows.whole[lanes[f, i] >> FLAGS] == whole:
            i += 1
        if i == high:
            return height
    opened[_NODE, height], opened[_LOW, height], opened[_HIGH, height], opened[_DEPTH, height] = node, low, high, depth
    return height + 1


@section
def _best_lane(lanes, low, high, sums, rows, search, x, here, drawing, found):
    """The first lane whose best cut ties with the best of all, -1 without any; `found` gets score, position and drawn cut."""
    (draws, listed), (score, at, drawn), n_lanes = drawing, found, len(lanes)
    best, total, n_found, n_listed, n_taken, every = -np.inf, np.int64(0), np.int64(0), 0, 0, search.n == n_lanes
    for c in range(1, 1 + len(sums) // 3):
        total += np.int64(sums[c])
    for g in range(n_lanes):
        score[g] = -np.inf
    for g in range(n_lanes):
        if not every:
            g, n_listed, n_taken = next_feature(search, here, draws, listed, n_listed, n_taken)  # noqa: PLW2901
            if g < 0 or n_found == search.n:
                break
            if _is_constant(lanes, g, low, high):
                continue
        if search.ways[g] == DRAWN:
            share = drawn_share(search, g, here)
            score[g], at[g], drawn[g] = _drawn_cut(lanes, g, low, high, sums[0], total, rows, x, share)
        else:
            score[g], at[g] = _best_cut(lanes, g, low, high, sums[0], total, rows, best - 2 * TIE)
            drawn[g] = np.nan
        best, n_found = max(best, score[g]), n_found + 1
        if every and best > -np.inf and high - low == 2:  # noqa: PLR2004  # all cuts of two rows are alike
            break
    for g in range(n_lanes if best > -np.inf else 0):
        if score[g] >= best - TIE:
            return g
    return -1


@inlined
def _is_constant(lanes, f, low, high):
    """Whether a feature has one value in a node."""
    i = low + 1
    while i < high and not lanes[f, i] & _FRESH:
        i += 1
    return i == high


@unwrapped
def _drawn_cut(lanes, f, low, high, cases, total, rows, x, share):
    """The score of a drawn cut, -inf if all values are equal; the first key above it, and the cut."""
    first, end, n_left, left = low, high - 1, np.int64(0), np.int64(0)
    least, most = x[f, lanes[f, first] >> FLAGS], x[f, lanes[f, end] >> FLAGS]
    if least == most:
        return -np.inf, low, least
    cut = drawn_between(least, most, share)
    while first < end:
        middle = (first + end) // 2
        first, end = (first, middle) if x[f, lanes[f, middle] >> FLAGS] > cut else (middle + 1, end)
    for i in range(low, first):
        row = lanes[f, i] >> FLAGS
        n_left += rows.times[row] if len(rows.times) else 1
        left += rows.whole[row] * (rows.times[row] if len(rows.times) else 1)
    return _score(np.float64(n_left), left, cases, total, total / cases, rows.scale), first, cut


@inlined
def _best_cut(lanes, f, low, high, cases, total, rows, floor):
    """The first cut whose score ties with the best, if it is above `floor`: its score, else -inf, and the first key above it."""
    score, at, again = _look(lanes, f, low, high, cases, total, rows, floor, np.inf)
    if again:
        score, at, _ = _look(lanes, f, low, high, cases, total, rows, score - TIE, score - TIE)
    return score, at


@inlined
def _look(lanes, f, low, high, cases, total, rows, floor, enough):
    """The first cut that scores enough; otherwise the best above `floor`, unless an earlier one may tie with it."""
    whole, times, scale, guard = rows.whole, rows.times, rows.scale, rows.guard
    mean, least, n_left, left = total / cases, rows.least[f], np.int64(0), np.int64(0)
    best, pick, chosen, again, bound = floor, low, -np.inf, False, (floor - guard) * rows.variance
    key = lanes[f, low]
    for i in range(np.uint64(low) + _ONE, np.uint64(high)):  # unsigned, so that no access checks for a negative index
        row = np.uint64(key >> FLAGS)
        n_left += times[row] if len(times) else 1
        left += whole[row] * times[row] if len(times) else whole[row]
        key = lanes[f, i]
        on_left, on_right = np.float64(n_left), cases - n_left
        distance = left - mean * on_left
        if (distance * distance <= bound * (on_left * on_right)) | (key & _FRESH == 0) or min(on_left, on_right) < least:
            continue
        score = _score(on_left, left, cases, total, mean, scale)
        if score >= enough:
            return score, np.int64(i), False
        if score > best:
            pick, chosen, again = raised(score, np.int64(i), best, pick, chosen, again, TIE, 0.0)
            best, bound = score, (score - guard) * rows.variance
    return (best if again else chosen), pick, again


@inlined
def _score(on_left, left, cases, total, mean, scale):
    """What both sides of a cut take off, added up as in `ftree.criteria.impurity_of_sums`."""
    on_right = cases - on_left
    to_left, to_right = left / on_left - mean, (total - left) / on_right - mean
    return (on_left * (to_left * to_left) * scale + on_right * (to_right * to_right) * scale) / cases


@unwrapped
def _divide(lanes, f, low, middle, high, rows, side, sums, node, first):
    """Mark the rows on both sides of a cut; add up those on the side with fewer, of which the other has the rest."""
    for i in range(low, high):
        side[lanes[f, i] >> FLAGS] = i >= middle
    few = first if middle - low <= high - middle else first + 1
    begin, end, others = (low, middle, first + 1) if few == first else (middle, high, first)
    for c in range(sums.shape[1]):
        sums[few, c] = 0.0
    for i in range(begin, end):
        row = lanes[f, i] >> FLAGS
        for c in range(sums.shape[1]):
            sums[few, c] += rows.channels[row, c]
    for c in range(sums.shape[1]):
        sums[others, c] = sums[node, c] - sums[few, c]


@kernel
def part_lanes(first, last, lanes, nodes, lane, side, spare):
    """Part the ranges of nodes, each with a cut in a lane, in lanes first to last; `spare` is room for the largest."""
    for f in range(first, last):
        for j in range(len(lane)):
            if lane[j] != f:
                _part(lanes, f, nodes[START, j], nodes[END, j], side, spare)


@inlined
def _part(lanes, f, low, high, side, spare):
    """Move the keys on the left first. A key is fresh if it was, or if a key since the last one of the same side was."""
    to, behind, fresh = np.uint64(low), np.uint64(0), np.int64(_BOTH)  # a bit for the next key of each side
    for i in range(np.uint64(low), np.uint64(high)):
        key = np.int64(lanes[f, i])
        right = np.int64(side[np.uint64(key >> FLAGS)])
        fresh |= _BOTH if key & _FRESH else 0
        key = (key & ~np.int64(_FRESH)) | ((fresh >> right & 1) << 1)
        fresh &= 2 >> right
        lanes[f, to] = spare[behind] = key
        behind += np.uint64(right)
        to += _ONE - np.uint64(right)
    for i in range(behind):
        lanes[f, to + i] = spare[i]
