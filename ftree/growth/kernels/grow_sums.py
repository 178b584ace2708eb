"""Trees of numbers by variance: the best cuts of sorted columns, and whole subtrees, depth first.

A node has a range of each sorted column (lane); a split parts the ranges of all, and rows keep their numbers. A key packs the
row and whether its value differs from that before (fresh). Sums are whole numbers, exact in any order; a node's count from the
whole number below its mean. Products tell of most cuts that they are worse than the best one; others get the score of the NumPy
engine, to the last bit, so that no choice is in doubt.

Below a node of few rows nothing is parted: rows are marked, and each node copies its keys of the lanes that it looks at. It looks
at no more when a cut is as good as the best one in the order of the numbers themselves, the last lane.
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
# What is kept of an open node: its ranges are its own, or shared with other nodes below one of a few rows.
_NODE, _LOW, _HIGH, _DEPTH, _OWN = range(5)
# Rows that are few, and as many that cuts are compared side by side, this many at a time.
_FEW, _MANY, _SIDE_BY_SIDE = 16, 96, 64
# Bound on the rounding error of a score, for numbers up to 1 from the mean of their node.
_ROUNDING = 64 * 2.0**-52


@kernel
def grow_sums(nodes, totals, depth, lanes, rows, limits, side, search, x):
    """Grow the subtrees of some nodes, these first: the sums of all nodes, and what is noted of them, from `lanes` (F + 1, n).

    The last lane has the rows in order of their numbers. `side` (n,) gets the side of rows in nodes with a cut. `limits` are
    those of `grow_subtrees`. A node looks at the features that the `search` draws, all in order where it draws none, and cuts
    them where this is best or, by their values `x` (F, n), where it draws; the third result has the drawn cuts, NaN for others.
    """
    size, n_nodes, last, height, base = np.int64(0), len(totals), len(lanes) - 1, np.int64(0), np.int64(0)
    for j in range(n_nodes):
        size += nodes[END, j] - nodes[START, j]
    sums, noted, cut = np.empty((2 * size, totals.shape[1])), np.empty((5, 2 * size), np.int64), np.empty(2 * size)
    spare, opened, paths = np.empty(size, np.int32), np.empty((5, size), np.int64), np.empty(size, np.uint64)
    draws, score, at, drawn = search.n < last or len(x) > 0, np.empty(last), np.empty(last, np.int64), np.empty(last)
    room = np.empty(last, np.uint64), np.arange(last), score, at, drawn, np.empty((2, _SIDE_BY_SIDE), np.int64)
    few = np.empty((last + 1, _FEW), np.int32)
    for j in range(n_nodes):
        for c in range(totals.shape[1]):
            sums[j, c] = totals[j, c]
        noted[LANE, j], paths[height] = -1, _NO_KEY
        height = _opened(opened, height, j, nodes[START, j], nodes[END, j], depth, True, sums, limits)
    while height:
        height -= 1
        node, low, high, depth = opened[_NODE, height], opened[_LOW, height], opened[_HIGH, height], opened[_DEPTH, height]
        own, here, keys, start, end = opened[_OWN, height], paths[height], lanes, low, high
        if not own:
            keys, start, end = few, 0, _members(lanes, last, low, high, side, node - base, few)
        if limits[PURE] > 0 and _is_constant(keys, last, start, end):
            continue
        f = _best_lane(lanes, side, (own, low, high, node - base), keys, start, end, sums[node], rows, search, x, here, room)
        if f < 0 or score[f] < limits[LEAST_GAIN]:
            continue
        first, middle, before = n_nodes, at[f], height
        _add_up(keys, f, start, middle, end, rows, sums, node, first)
        if min(sums[first, 0], sums[first + 1, 0]) < limits[LEAST_LEAF]:
            continue
        base = first if own else base
        for i in range(start, end):
            side[keys[f, i] >> FLAGS] = first - base + (i >= middle)
        noted[LANE, node], noted[MIDDLE, node], noted[FIRST, node], cut[node] = f, middle, first, drawn[f]
        noted[BELOW, node], noted[ABOVE, node] = keys[f, middle - 1] >> FLAGS, keys[f, middle] >> FLAGS
        noted[LANE, first] = noted[LANE, first + 1] = -1
        n_nodes += 2
        apart = own and high - low > _FEW
        for right in range(2):
            paths[height] = mixed(here ^ mixed(np.uint64(right))) if draws else _NO_KEY
            n = end - middle if right else middle - start
            if n > 1:
                ends = ((middle, high) if right else (low, middle)) if apart else (low, high)
                height = _opened(opened, height, first + right, *ends, depth + 1, apart, sums, limits)
        for g in range(len(lanes) if apart and height > before else 0):
            if g != f:
                _part(lanes, g, low, high, side, spare)
    return sums[:n_nodes].copy(), noted[:, :n_nodes].copy(), cut[:n_nodes].copy()


@unwrapped
def _opened(opened, height, node, low, high, depth, own, sums, limits):
    """The number of open nodes, with this one unless a stopping rule that depends on the node alone closes it."""
    if sums[node, 0] < limits[LEAST_ROWS] or depth >= limits[DEEPEST]:
        return height
    opened[_NODE, height], opened[_LOW, height], opened[_HIGH, height], opened[_DEPTH, height] = node, low, high, depth
    opened[_OWN, height] = own
    return height + 1


@inlined
def _members(lanes, f, low, high, side, mark, few):
    """Copy the keys of rows with a mark; their number. A key is fresh if it was, or if a key since the last one was."""
    n, fresh = np.uint64(0), np.int64(_FRESH)
    for i in range(np.uint64(low), np.uint64(high)):
        key = np.int64(lanes[f, i])
        fresh |= key & _FRESH
        few[f, n] = (key & ~np.int64(_FRESH)) | fresh
        member = side[np.uint64(key >> FLAGS)] == mark
        n += np.uint64(member)
        fresh = np.int64(0) if member else fresh
    return np.int64(n)


@section
def _best_lane(lanes, side, shared, keys, start, end, sums, rows, search, x, here, room):
    """The first lane whose best cut ties with the best of all, -1 without any; `room` gets score, position and drawn cut."""
    (draws, listed, score, at, drawn, cuts), last, (own, low, high, mark) = room, len(keys) - 1, shared
    added, least, ways, ends = rows.added, rows.least, search.ways, (keys[last, start] >> FLAGS, keys[last, end - 1] >> FLAGS)
    best, cases, total, n_found, n_listed, n_taken = -np.inf, sums[0], np.int64(0), np.int64(0), 0, 0
    every, bound = search.n == last, np.inf
    for c in range(1, 1 + len(sums) // 3):
        total += np.int64(sums[c])
    centre = np.int64(np.floor(total / cases))
    total -= centre * np.int64(cases)
    far = max(centre - added[0, ends[0]] // _times(added, ends[0]), added[0, ends[1]] // _times(added, ends[1]) - centre) + 1.0
    guard = _ROUNDING * far * far * rows.scale
    measure = rows.scale, rows.variance, guard, centre
    for g in range(last):
        score[g], drawn[g] = -np.inf, np.nan
    for g in range(-1 if every and end - start <= _FEW else 0, last):
        if g < 0:  # first the numbers themselves: no feature cuts better
            bound, _ = _best_cut(keys, last, start, end, cases, total, added, -np.inf, 0.0, 0.0, measure, cuts)
            continue
        if not every:
            g, n_listed, n_taken = next_feature(search, here, draws, listed, n_listed, n_taken)  # noqa: PLW2901
            if g < 0 or n_found == search.n:
                break
        if not own:
            _members(lanes, g, low, high, side, mark, keys)
        if not every and _is_constant(keys, g, start, end):
            continue
        if ways[g] == DRAWN:
            share = drawn_share(search, g, here)
            score[g], at[g], drawn[g] = _drawn_cut(keys, g, start, end, cases, total, rows, centre, x, share)
        else:
            floor = best - 2 * TIE * abs(best)
            score[g], at[g] = _best_cut(keys, g, start, end, cases, total, added, floor, least[g], TIE, measure, cuts)
        tied = score[g] - TIE * score[g]
        if score[g] >= bound - TIE * bound + guard and best < tied:  # it ties with whatever follows, and nothing before with it
            return g
        best, n_found = max(best, score[g]), n_found + 1
    for g in range(last if best > -np.inf else 0):
        if score[g] >= best - TIE * best:
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
def _drawn_cut(lanes, f, low, high, cases, total, rows, centre, x, share):
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
        times = _times(rows.added, row)
        left += rows.added[0, row] - centre * times
        n_left += times
    return _score(np.float64(n_left), left, cases, total, total / cases, rows.scale), first, cut


@inlined
def _times(added, row):
    """How often a row counts."""
    return added[1, row] if len(added) > 1 else np.int64(1)


@inlined
def _best_cut(keys, f, low, high, cases, total, added, floor, least, tie, measure, room):
    """The first cut whose score ties with the best, if it is above `floor`: its score, else -inf, and the first key above it."""
    (scale, variance, guard, centre), mean, enough, pick, chosen = measure, total / cases, np.inf, np.int64(low), -np.inf
    first, n_before, before = np.uint64(low), np.int64(0), np.int64(0)
    if high - low >= _MANY and floor > -np.inf:
        bound = (floor - guard) * variance
        first, n_before, before = _skipped(keys, f, first, np.uint64(high), cases, mean, added, centre, bound, room)
    while True:  # once more if an earlier cut may tie with the best
        n_left, left, key = n_before, before, keys[f, first]
        best, chosen, again, bound = floor, -np.inf, False, (floor - guard) * variance
        for i in range(first + _ONE, np.uint64(high)):  # unsigned, so that no access checks for a negative index
            row = np.uint64(key >> FLAGS)
            times = _times(added, row)
            left += added[0, row] - centre * times
            n_left += times
            key = keys[f, i]
            on_left, on_right = np.float64(n_left), cases - n_left
            distance = left - mean * on_left
            if (distance * distance <= bound * (on_left * on_right)) | (key & _FRESH == 0) or min(on_left, on_right) < least:
                continue
            score = _score(on_left, left, cases, total, mean, scale)
            if score >= enough:
                return score, np.int64(i)
            if score > best:
                pick, chosen, again = raised(score, np.int64(i), best, pick, chosen, again, tie * score, 0.0)
                best, bound = score, (score - guard) * variance
        if not again:
            return chosen, pick
        floor = enough = best - tie * best


@unwrapped
def _skipped(keys, f, first, high, cases, mean, added, centre, bound, room):
    """A key with the cases and their sum before it, such that no cut before is better than a bound.

    Cuts are compared by products, some at a time, which the processor does side by side.
    """
    end, size, n_before, before = high - _ONE, np.uint64(room.shape[1]), np.int64(0), np.int64(0)
    while first < end:
        n, n_left, left, better = min(size, end - first), n_before, before, np.int64(0)
        for k in range(n):
            row = np.uint64(keys[f, first + k] >> FLAGS)
            times = _times(added, row)
            left += added[0, row] - centre * times
            n_left += times
            room[0, k], room[1, k] = left, n_left
        for k in range(n):
            distance, on_left = room[0, k] - mean * room[1, k], np.float64(room[1, k])
            better += distance * distance > bound * (on_left * (cases - on_left))
        if better:
            break
        first, n_before, before = first + n, n_left, left
    return first, n_before, before


@inlined
def _score(on_left, left, cases, total, mean, scale):
    """What both sides of a cut take off, added up as in `ftree.criteria.impurity_of_sums`."""
    on_right = cases - on_left
    to_left, to_right = left / on_left - mean, (total - left) / on_right - mean
    return (on_left * (to_left * to_left) * scale + on_right * (to_right * to_right) * scale) / cases


@unwrapped
def _add_up(keys, f, low, middle, high, rows, sums, node, first):
    """Add up the rows on the side of a cut with fewer; the other side has the rest."""
    few = first if middle - low <= high - middle else first + 1
    begin, end, others = (low, middle, first + 1) if few == first else (middle, high, first)
    for c in range(sums.shape[1]):
        sums[few, c] = 0.0
    for i in range(begin, end):
        row = keys[f, i] >> FLAGS
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
    to, behind, begin, end = np.uint64(low), np.uint64(0), np.uint64(low), np.uint64(high)
    every, fresh = np.int32(_FRESH), np.int64(_BOTH)  # a bit for the next key of each side
    for i in range(begin, end):
        every &= lanes[f, i]
    if every:  # so they stay, in half of the time
        for i in range(begin, end):
            key = lanes[f, i]
            right = np.uint64(side[np.uint64(key >> FLAGS)])
            lanes[f, to] = spare[behind] = key
            behind += right
            to += _ONE - right
    for i in range(end if every else begin, end):
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
