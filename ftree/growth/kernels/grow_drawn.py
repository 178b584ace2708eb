"""A whole tree in one call, where nodes look at a few drawn features, or at drawn cuts: the trees of forests.

Keeping every feature in order pays only where every feature is searched. So nothing is kept in order here: the entries of a node
are a range of rows, and each feature that the node looks at is sorted there by its ranks, or cut at random without sorting.
Random numbers are those of `ftree._lib.random_numbers`, and the tree is that of the NumPy engine.
"""

from functools import partial

import numpy as np

from ftree._lib.arrays import TIE
from ftree._lib.jit import inlined, kernel, section, unwrapped
from ftree._lib.random_numbers import hashed
from ftree.growth.kernels.grow_subtrees import is_closed
from ftree.growth.kernels.records import BEST, GUARD, LEAST_GAIN, LEAST_LEAF
from ftree.growth.kernels.run_splits import library_loss

# Up to so many keys are sorted by insertion; a pass over more looks at some bits, as many as there are keys, within limits.
_FEW, _LEAST_BITS, _MOST_BITS = 32, 5, 11
_ONE, _HALF, _LOW = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
# Up to so many classes are counted one after another.
_FEW_CLASSES = 4
# The nodes of so few entries get copies of their rows, which stay in a processor's cache.
_NEAR = 1024
# What is noted of an open node, and of a cut that was found.
NODE, LOW, HIGH, DEPTH, IS_NEAR = range(5)
LOSS, CUT, SMALLEST = range(3)
# The bits of a hash beyond those of a float's fraction, and the step between such fractions.
_SPARE_BITS, _STEP = np.uint64(11), 2.0**-53

mixed = inlined(hashed)


@kernel
def grow_drawn(x, ranks, labels, weights, search, limits):
    """Grow the tree of the rows with a weight above 0: class counts, feature (-1: leaf), threshold, first child of each node.

    Nodes are in level order. `x` and `ranks` are (F, n), `ranks` only where cuts are not drawn. No node is returned if a
    choice is too close to call.
    """
    n_features, n_classes, n_taken, n_nodes = len(x), search.n_classes, 0, np.int64(1)
    for r in range(len(weights)):
        n_taken += weights[r] > 0
    entries = row, label, weight = np.empty(n_taken, np.uint32), np.empty(n_taken, np.int32), np.empty(n_taken)
    counts, first = np.empty((2 * n_taken, n_classes)), np.zeros(2 * n_taken, np.int32)
    feature, at = np.full(2 * n_taken, -1, np.int32), np.zeros(2 * n_taken)
    _enter(labels, weights, row, label, weight, counts[0])
    near_x, near_ranks = np.empty((n_features, min(n_taken, _NEAR))), np.empty((n_features, min(n_taken, _NEAR)), np.uint32)
    drawing, finding, room = _room_for(n_taken, n_features, n_classes)
    found, found_at, left = finding
    nodes, key = np.empty((n_taken + 2, 5), np.int64), np.empty(n_taken + 2, np.uint64)
    nodes[0, NODE], nodes[0, LOW], nodes[0, HIGH], nodes[0, DEPTH], nodes[0, IS_NEAR], key[0] = 0, 0, n_taken, 0, 0, 0
    first_node = np.int64(0)  # a literal has its own type, for which numba would compile `is_closed` once more
    height = np.int64(0 if is_closed(counts, first_node, limits, first_node) else 1)
    while height:
        height -= 1
        node, low, high, here = nodes[height, NODE], nodes[height, LOW], nodes[height, HIGH], key[height]
        depth, is_near, total = nodes[height, DEPTH], nodes[height, IS_NEAR], counts[node]
        if not is_near and high - low <= _NEAR and n_taken > 2 * _NEAR:
            _copy_near(x, ranks, search.ways, row[low:high], near_x, near_ranks)
            is_near = 1
        values, places = (near_x, near_ranks) if is_near else (x, ranks)
        loss, n = _loss_of(total, search)
        n_found, unsure = _look(values, places, entries, low, high, here, total, n, search, drawing, finding, room)
        best, too_close = _first_of_least(found, found_at, n_found, n)
        gain = (loss - found[LOSS, best]) / n
        if unsure or too_close or (best >= 0 and abs(gain - limits[LEAST_GAIN]) < GUARD):
            n_nodes = 0
            break
        if best < 0 or gain < limits[LEAST_GAIN] or found[SMALLEST, best] < limits[LEAST_LEAF]:
            continue
        feature[node], at[node], first[node] = found_at[best], found[CUT, best], n_nodes
        for c in range(n_classes):
            counts[n_nodes, c], counts[n_nodes + 1, c] = left[best, c], total[c] - left[best, c]
        leaves = is_closed(counts, n_nodes, limits, depth + 1), is_closed(counts, n_nodes + 1, limits, depth + 1)
        if not (leaves[0] and leaves[1]):
            middle = _parted(values[feature[node]], at[node], row, label, weight, low, high, room[0], room[4][0])
            for side in range(2):
                if not leaves[side]:
                    nodes[height, NODE], nodes[height, DEPTH], nodes[height, IS_NEAR] = n_nodes + side, depth + 1, is_near
                    nodes[height, LOW], nodes[height, HIGH] = (middle, high) if side else (low, middle)
                    key[height] = mixed(here ^ mixed(np.uint64(side)))
                    height += 1
        n_nodes += 2
    return in_level_order(counts, feature, at, first, n_nodes)


@section
def _room_for(n, n_features, n_classes):
    """Room for draws, for what is found of features, and for a search among n entries."""
    drawing = np.empty(n_features, np.uint64), np.arange(n_features)
    finding = np.empty((3, n_features)), np.empty(n_features, np.int64), np.empty((n_features, n_classes))
    keys, spare, digits = np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(1 << _MOST_BITS, np.int64)
    return drawing, finding, (keys, spare, digits, np.empty(n_classes), np.empty((2, n)))


@section
def _look(values, places, entries, low, high, here, total, n, search, drawing, finding, room):
    """Look at features of a node until `search.n` have a cut: the number of these, and whether one is too close to call."""
    (row, label, weight), (draws, listed), (found, found_at, left) = entries, drawing, finding
    keys, spare, digits, right, losses = room
    n_found, unsure, n_listed, n_taken = np.int64(0), False, len(listed) if search.n == len(listed) else 0, 0
    while n_found < search.n and not unsure:
        f, n_listed, n_taken = next_feature(search, here, draws, listed, n_listed, n_taken)
        if f < 0:
            break
        if search.ways[f] == BEST:
            in_order = _sorted_keys(places[f], row, low, high, keys, spare, digits)
            if len(in_order) == 0:
                continue
            less, j, unsure, smallest = _best_cut(in_order, label, weight, low, total, n, f, search, left[n_found], right, losses)
            lower, upper = values[f, row[low + _place(in_order[j])]], values[f, row[low + _place(in_order[j + 1])]]
            cut = lower / 2 + upper / 2
            cut = cut if lower <= cut < upper else lower
        else:
            cut = drawn_share(search, f, here)
            less, cut, smallest = _drawn_cut(values[f], entries, low, high, cut, total, search, left[n_found], right, losses[0])
            if np.isnan(less):
                continue
        found_at[n_found], found[LOSS, n_found], found[CUT, n_found], found[SMALLEST, n_found] = f, less, cut, smallest
        n_found += 1
    return n_found, unsure


@section
def _enter(labels, weights, row, label, weight, total):
    """List the rows with a weight above 0, and count their classes."""
    i = 0
    for c in range(len(total)):
        total[c] = 0.0
    for r in range(len(weights)):
        if weights[r] > 0:
            row[i], label[i], weight[i] = r, labels[r], weights[r]
            total[labels[r]] += weights[r]
            i += 1


@section
def _copy_near(x, ranks, ways, row, near_x, near_ranks):
    """Copy some rows of the table to where they are near each other, and number them anew."""
    for f in range(len(x)):
        for i in range(len(row)):
            near_x[f, i] = x[f, row[i]]
        if ways[f] == BEST:
            for i in range(len(row)):
                near_ranks[f, i] = ranks[f, row[i]]
    for i in range(len(row)):
        row[i] = i


@inlined
def _loss_of(total, search):
    """The impurity of class counts times their sum, and the sum."""
    return library_loss(total, search.table[:0], search.impurity, search.table)


@section
def next_feature(search, here, draws, listed, n_listed, n_taken):
    """The next feature that a node looks at, -1 after the last; how many features are listed, and how many of them were taken.

    At first, none are listed if a node looks at some that are drawn, else all.
    """
    if n_taken == n_listed and search.n < len(listed):
        n_listed, n_taken = _draw(search, here, draws[n_listed - 1] + _ONE if n_listed else np.uint64(0), draws, listed), 0
    return (listed[n_taken], n_listed, n_taken + 1) if n_taken < n_listed else (-1, n_listed, n_taken)


@section
def _draw(search, here, above, draws, listed):
    """List the `search.n` features with the smallest draws from `above` on, or all of these if there are fewer; their number."""
    start, n = mixed(search.stream ^ here), 0
    for f in range(len(search.hashes)):
        drawn = mixed(start ^ search.hashes[f]) >> _SPARE_BITS
        if drawn < above or (n == search.n and drawn >= draws[n - 1]):
            continue
        n = min(n + 1, search.n)
        j = n - 1
        while j > 0 and draws[j - 1] > drawn:
            draws[j], listed[j] = draws[j - 1], listed[j - 1]
            j -= 1
        draws[j], listed[j] = drawn, f
    return n


@inlined
def drawn_share(search, f, here):
    """The share of a feature's range in a node that is below its drawn cut."""
    return (mixed(mixed(search.cut_streams[f] ^ here) ^ search.hashes[f]) >> _SPARE_BITS) * _STEP


@section
def _first_of_least(found, found_at, n_found, n):
    """The lowest feature whose loss is as good as the least, -1 if there is none; and whether that is too close to call."""
    least, best, unsure = np.inf, -1, False
    for j in range(n_found):
        least = min(least, found[LOSS, j])
    for j in range(n_found if least < np.inf else 0):
        unsure |= abs(found[LOSS, j] - least - TIE * n) < GUARD * n
        if found[LOSS, j] <= least + TIE * n and (best < 0 or found_at[j] < found_at[best]):
            best = j
    return best, unsure


# The best cut of a feature


@unwrapped
def _sorted_keys(lane, row, low, high, keys, spare, digits):
    """The entries of a node by rank, as keys of rank and place; none if all have one rank."""
    n, least, most = high - low, lane[row[low]], lane[row[low]]
    for i in range(n):
        rank = lane[row[low + i]]
        keys[i] = (np.uint64(rank) << _HALF) | np.uint64(i)
        least, most = min(least, rank), max(most, rank)
    if least == most:
        return keys[:0]
    if n <= _FEW:
        for i in range(1, n):
            moved, j = keys[i], i
            while j > 0 and keys[j - 1] > moved:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = moved
        return keys[:n]
    bits, width, base = (
        _length(np.int64(most) - np.int64(least)),
        min(max(_length(n), _LEAST_BITS), _MOST_BITS),
        np.uint64(least) << _HALF,
    )
    passes = -(-bits // width)
    width = -(-bits // passes)
    mask = np.uint64((1 << width) - 1)
    for number in range(passes):
        shift = np.uint64(32 + number * width)
        for d in range(1 << width):
            digits[d] = 0
        for i in range(n):
            digits[((keys[i] - base) >> shift) & mask] += 1
        upto = 0
        for d in range(1 << width):
            digits[d], upto = upto, upto + digits[d]
        for i in range(n):
            d = ((keys[i] - base) >> shift) & mask
            spare[digits[d]] = keys[i]
            digits[d] += 1
        keys, spare = spare, keys
    return keys[:n]


@inlined
def _place(key):
    """The place of a key's entry in its node."""
    return np.int64(key & _LOW)


@inlined
def _length(number):
    """The number of bits of a whole number above 0."""
    bits = 0
    while number > 0:
        number, bits = number >> 1, bits + 1
    return bits


@section
def _best_cut(keys, label, weight, low, total, n, f, search, left, right, room):
    """The least loss of a cut, inf without any; the last key before it, whether it is too close to call, the smaller size."""
    losses, places, n_cuts, least = room[0], room[1], 0, np.inf
    squares, inner, inner_right, n_left = search.squares, 0.0, 0.0, 0.0
    for c in range(len(total)):
        left[c] = 0.0
        inner_right += total[c] * total[c]
    for j in range(len(keys) - 1):
        i = low + _place(keys[j])
        c, w = label[i], weight[i]
        inner_right -= w * (2.0 * (total[c] - left[c]) - w)
        inner += w * (2.0 * left[c] + w)
        left[c] += w
        n_left += w
        if keys[j] >> _HALF == keys[j + 1] >> _HALF or min(n_left, n - n_left) < search.least[f]:
            continue
        if squares:
            loss = n - (inner / n_left + inner_right / (n - n_left))
        else:
            for k in range(len(total)):
                right[k] = total[k] - left[k]
            loss = _loss_of(left, search)[0] + _loss_of(right, search)[0]
        losses[n_cuts], places[n_cuts] = loss, j
        least = min(least, loss)
        n_cuts += 1
    best, unsure = _first_near_least(losses, np.int64(n_cuts), n)
    if best < 0:
        return np.inf, 0, unsure, 0.0
    j, n_left = np.int64(places[best]), 0.0
    for k in range(len(total)):
        left[k] = 0.0
    for k in range(j + 1):
        i = low + _place(keys[k])
        left[label[i]] += weight[i]
        n_left += weight[i]
    return losses[best], j, unsure, min(n_left, n - n_left)


@unwrapped
def _first_near_least(losses, n_losses, n):
    """The first loss that is as good as the least of n cases, -1 if there is none; and whether that is too close to call."""
    least = np.inf
    for j in range(n_losses):
        least = min(least, losses[j])
    if least == np.inf:
        return -1, False
    tie, guard = least + TIE * n, GUARD * n
    for j in range(n_losses):
        if losses[j] <= tie + guard:
            return j, losses[j] > tie - guard
    return -1, False


# Cuts drawn at random, and the entries' move to the children


@section
def _drawn_cut(lane, entries, low, high, share, total, search, left, right, room):
    """The loss of a cut between the least and the largest value, NaN if they are equal; the cut, and the smaller size."""
    row, label, weight = entries
    least, most = lane[row[low]], lane[row[low]]
    for i in range(low, high):
        value = lane[row[i]]
        room[i - low] = value
        if value < least:  # noqa: PLR1730  # `min` would also look for NaN
            least = value
        if value > most:  # noqa: PLR1730  # as above
            most = value
    if least == most:
        return np.nan, 0.0, 0.0
    cut = drawn_between(least, most, share)
    for c in range(len(total)):
        left[c] = _sum_up_to(cut, c, room, label, weight, np.uint64(low), high - low) if len(total) <= _FEW_CLASSES else 0.0
    for i in range(low, high if len(total) > _FEW_CLASSES else low):
        left[label[i]] += weight[i] if room[i - low] <= cut else 0.0
    for c in range(len(total)):
        right[c] = total[c] - left[c]
    (loss, n_left), (loss_right, n_right) = _loss_of(left, search), _loss_of(right, search)
    return loss + loss_right, cut, min(n_left, n_right)


@inlined
def drawn_between(least, most, share):
    """The cut at a share of a range, below its end."""
    return min(max(least * (1 - share) + most * share, least), np.nextafter(most, least))


@partial(inlined, fastmath={"reassoc"})
def _sum_up_to(cut, c, values, label, weight, low, n):
    """The weight of a class up to a cut; sums are exact in any order, so the processor may add up several at a time."""
    total = 0.0
    for i in range(n):
        at = low + np.uint64(i)
        total += weight[at] if (values[i] <= cut) & (label[at] == c) else 0.0
    return total


@unwrapped
def _parted(lane, cut, row, label, weight, low, high, keys, weights):
    """Move the entries above a cut behind the others, each side in order; the number of the first of them."""
    middle, behind = low, 0
    for i in range(low, high):
        r, c, w = row[i], label[i], weight[i]
        row[middle], label[middle], weight[middle] = r, c, w
        keys[behind], weights[behind] = (np.uint64(c) << _HALF) | np.uint64(r), w
        above = lane[r] > cut
        behind += above
        middle += not above
    for i in range(behind):
        key = keys[i]
        row[middle + i], label[middle + i], weight[middle + i] = np.uint32(key & _LOW), np.int32(key >> _HALF), weights[i]
    return middle


@kernel
def in_level_order(counts, feature, at, first, n):
    """The nodes level by level."""
    order, ends = np.zeros(n, np.int32), 1
    own_counts, own_feature, own_at = np.empty((n, counts.shape[1])), np.empty(n, np.int32), np.empty(n)
    own_first = np.zeros(n, np.int32)
    for j in range(n):
        node = order[j]
        for c in range(counts.shape[1]):
            own_counts[j, c] = counts[node, c]
        own_feature[j], own_at[j] = feature[node], at[node] if feature[node] >= 0 else 0.0
        if feature[node] >= 0:
            own_first[j], order[ends], order[ends + 1] = ends, first[node], first[node] + 1
            ends += 2
    return own_counts, own_feature, own_at, own_first
