"""The partition of entries by child: the child of an entry, its new number, and every column in the new order.

Entries are numbered by their position, node after node, so that a node's data are contiguous. A stable
partition keeps each feature sorted within each node (SLIQ, Mehta et al. 1996; SPRINT, Shafer et al. 1996).
"""

import numpy as np

from ftree._lib.jit import alloc_free, inlined, internal, kernel
from ftree._lib.kernels.shares import share_on_grid, sum_and_first_largest
from ftree.growth.kernels.keys import bits_of
from ftree.growth.split_arrays import MULTIWAY, NONE, OBJECT, THRESHOLD

# New numbers that are looked up at a time.
_AHEAD = 512


@kernel
def route(first, last, kind, feature, lower, first_code, listed, features, entries, nodes, child):
    """The child of each entry of nodes first to last, numbered within its node; -1 where its value is missing.

    Entries of a node whose split is an object have their children already.
    """
    start, end, place, keys, codes, absent = nodes.start, nodes.end, entries.place, entries.keys, entries.codes, features.absent
    shift, (_, _, gone) = features.shift, bits_of(features.shift)
    child_of = np.empty(64, np.int32)
    for j in range(first, last):
        if kind[j] == NONE or kind[j] == OBJECT:
            continue
        f = feature[j]
        if place[f] >= 0:
            g = place[f]
            if absent[f] >= len(child_of):
                child_of = np.empty(absent[f] + 1, np.int32)
            _child_of_codes(kind[j], lower[j], listed, first_code[j], first_code[j + 1], absent[f], child_of)
            for i in range(start[j], end[j]):
                child[i] = child_of[codes[i, g]]
        elif kind[j] == THRESHOLD:
            lane, low = keys[-1 - place[f]], lower[j]
            for i in range(start[j], end[j]):
                child[lane[i] >> shift] = -1 if lane[i] & gone else i > low
        else:
            members = listed[first_code[j] : first_code[j + 1]]
            _route_listed(keys[-1 - place[f]], kind[j], members, start[j], end[j], shift, child)


@internal
def _child_of_codes(kind, lower, listed, first, last, absent, child_of):
    """The child of each code, in a table."""
    for code in range(absent):
        child_of[code] = (code > lower) if kind == THRESHOLD else (-1 if kind == MULTIWAY else 1)
    child_of[absent] = -1
    if kind != THRESHOLD:
        for at in range(first, last):
            child_of[listed[at]] = at - first if kind == MULTIWAY else 0


@internal
def _route_listed(lane, kind, members, low, high, shift, child):
    """The child of each entry by a split that lists values: merges sorted keys with the positions where these values begin."""
    _, fresh, gone = bits_of(shift)
    at, known_child = 0, 0
    for i in range(low, high):
        if lane[i] & fresh:
            while at < len(members) and members[at] < i:
                at += 1
            found = at < len(members) and members[at] == i
            known_child = (at if found else -1) if kind == MULTIWAY else not found
        child[lane[i] >> shift] = -1 if lane[i] & gone else known_child


@alloc_free
def sizes_of(first, last, kind, first_child, start, end, child, sizes):
    """Count the entries of each child; returns how many entries have a missing value."""
    lost = 0
    for j in range(first, last):
        if kind[j] == NONE:
            continue
        base, gone, ones = first_child[j], 0, 0
        if first_child[j + 1] - base == 2:  # noqa: PLR2004  # left and right: no addition depends on the previous one
            for i in range(start[j], end[j]):
                gone += child[i] < 0
                ones += child[i] > 0
            sizes[base] += end[j] - start[j] - gone - ones
            sizes[base + 1] += ones
        else:
            for i in range(start[j], end[j]):
                gone += child[i] < 0
                if child[i] >= 0:
                    sizes[base + child[i]] += 1
        lost += gone
    return lost


@alloc_free
def weigh(first, last, kind, first_child, start, end, child, weights, heavy):
    """Add up the weights of the entries of each child whose value is known; children without any count as equal, as in NumPy."""
    for j in range(first, last):
        if kind[j] != NONE:
            known = 0
            for i in range(start[j], end[j]):
                if child[i] >= 0:
                    heavy[first_child[j] + child[i]] += weights[i] if len(weights) else 1.0
                    known += 1
            if known == 0:
                for v in range(first_child[j], first_child[j + 1]):
                    heavy[v] = 1.0


@kernel
def renumber(first, last, nodes, moves, entries, new_classes, new_origin):
    """New numbers of entries, in order within each child; classes and rows moved along."""
    kind, first_child, child, number, position, _, _ = moves
    start, end, classes, origin, cursor = nodes.start, nodes.end, entries.classes, entries.origin, np.empty(2, np.int64)
    for j in range(first, last):
        if kind[j] == NONE:
            continue
        base, arity = first_child[j], first_child[j + 1] - first_child[j]
        if arity == 2:  # noqa: PLR2004  # left and right
            _renumber_in_two(
                start[j], end[j], child, position[base], position[base + 1], classes, origin, number, new_classes, new_origin
            )
            continue
        if arity > len(cursor):
            cursor = np.empty(arity, np.int64)
        for v in range(arity):
            cursor[v] = position[base + v]
        for i in range(start[j], end[j]):
            v = child[i]
            if v >= 0:
                number[i] = cursor[v]
                new_classes[cursor[v]], new_origin[cursor[v]] = classes[i], origin[i]
                cursor[v] += 1


@inlined
def _renumber_in_two(start, end, child, position, middle, classes, origin, number, new_classes, new_origin):
    low, high = np.uint64(position), np.uint64(middle)
    for i in range(np.uint64(start), np.uint64(end)):
        v = child[i]
        if v >= 0:
            right = np.uint64(v)
            q = high if right else low
            number[i] = q
            new_classes[q], new_origin[q] = classes[i], origin[i]
            high += right
            low += np.uint64(1) - right


@alloc_free
def count_classes(first, last, position, classes, weights, totals):
    """Class counts of children first to last, whose entries are in order."""
    for v in range(first, last):
        low, high, ones = position[v], position[v + 1], 0
        if totals.shape[1] == 2 and len(weights) == 0:  # noqa: PLR2004  # no addition depends on the previous one
            for i in range(low, high):
                ones += classes[i]
            totals[v, 0], totals[v, 1] = high - low - ones, ones
        else:
            for i in range(low, high):
                totals[v, classes[i]] += weights[i] if len(weights) else 1.0


@kernel
def move_sorted(first, last, features, entries, new_keys, spare, nodes, moves):
    """Move the sorted features first to last to the new numbers; returns the row of `new_keys` that is now spare.

    Each is written into the spare row, and its own row becomes the next spare one.
    """
    kind, first_child, child, number, position, copies, _ = moves
    order, place, keys, shift, start, end = features.in_order, entries.place, entries.keys, features.shift, nodes.start, nodes.end
    ahead, cursor, latest = np.empty(_AHEAD, np.uint64), np.empty(2, np.int64), np.empty(2, np.int64)
    for at in range(first, last):
        f = order[at]
        here = -1 - place[f]
        lane, into, copy = keys[here], new_keys[spare], 0
        for j in range(len(start)):
            if kind[j] == NONE:
                continue
            base, arity = first_child[j], first_child[j + 1] - first_child[j]
            while copy < len(copies) and copies[copy, 0] < start[j]:
                copy += 1
            if arity == 2 and (copy == len(copies) or copies[copy, 0] >= end[j]):  # noqa: PLR2004  # left and right
                _move_in_two(lane, into, start[j], end[j], position[base], position[base + 1], number, shift, ahead)
                continue
            if arity > len(cursor):
                cursor, latest = np.empty(arity, np.int64), np.empty(arity, np.int64)
            for v in range(arity):
                cursor[v], latest[v] = position[base + v], -1
            _move_in_many(lane, into, start[j], end[j], child, number, copies, shift, cursor, latest)
        place[f] = -1 - spare
        spare = here
    return spare


@inlined
def _move_in_two(lane, into, start, end, position, middle, number, shift, ahead):
    """Keys of a node with two children. A key is fresh if it was, or if a key since the last one of the same child was.

    New numbers are looked up some keys ahead, so that memory accesses overlap; if all keys are fresh, they stay fresh.
    """
    one, places, size = np.uint64(1), np.uint64(shift), np.uint64(len(ahead))
    fresh, below, right = one << places - one, (one << places) - one, np.uint64(0)
    low, high, border = np.uint64(position), np.uint64(middle), np.uint64(middle) << places
    either = fresh + fresh + fresh  # a bit for the next on the left, and the one above it for the right
    begin, last = np.uint64(start), np.uint64(end)  # unsigned, as in `scan`
    while begin < last:
        n, every = min(size, last - begin), fresh
        for i in range(n):
            key = np.uint64(lane[begin + i])
            every &= key
            ahead[i] = (np.uint64(number[key >> places]) << places) | (key & below)
        for i in range(n):
            key = ahead[i]
            right = np.uint64(key >= border)  # no branch, which the processor would mispredict half the time
            if not every:
                either |= (key & fresh) * np.uint64(3)
                key = (key & ~fresh) | ((either >> right) & fresh)
                either &= (fresh + fresh) >> right
            into[high if right else low] = key
            high += right
            low += one - right
        if every:
            either = (fresh + fresh) >> right
        begin += size


@inlined
def _move_in_many(lane, into, start, end, child, number, copies, shift, cursor, latest):
    """Keys of a node with any number of children, and of entries that go to several; `latest` has the last value of each."""
    _, fresh, _ = bits_of(shift)
    value, rest = 0, (1 << shift) - 1 - fresh
    for i in range(start, end):
        key = np.int64(lane[i])
        row, value = key >> shift, value + ((key & fresh) > 0)
        v = child[row]
        if v >= 0:
            into[cursor[v]] = (np.int64(number[row]) << shift) | (key & rest) | (fresh if latest[v] != value else 0)
            latest[v] = value
            cursor[v] += 1
            continue
        for copy in range(-1 - number[row], len(copies)):
            if copies[copy, 0] != row:
                break
            v = copies[copy, 1]
            into[cursor[v]] = (copies[copy, 2] << shift) | (key & rest) | (fresh if latest[v] != value else 0)
            latest[v] = value
            cursor[v] += 1


@alloc_free
def move_coded(first, last, words, new_words, kind, start, end, number):
    """Move the codes of entries in nodes first to last to the new numbers; eight codes are a word, a row has several words."""
    width = words.shape[1]
    for j in range(first, last):
        if kind[j] != NONE:
            for i in range(start[j], end[j]):
                q = number[i]
                if q >= 0:
                    for k in range(width):
                        new_words[q, k] = words[i, k]


@alloc_free
def scatter(nodes, kind, first_child, child, number, fractions, heavy, sharing, copies, shares, sizes):
    """Divide entries with a missing value, to the heaviest child or to all on the grid; returns the number of copies.

    `sizes` has the entries of each child with a known value. A first call, without room for `copies`, counts the copies. The
    arithmetic is that of `ftree.routing.shares.divide_weights`, so that counts agree to the last bit.
    """
    start, end, heaviest, step, copy = nodes.start, nodes.end, sharing.heaviest, sharing.step, 0
    for j in range(len(start)):
        if kind[j] == NONE:
            continue
        base, arity, lost = first_child[j], first_child[j + 1] - first_child[j], end[j] - start[j]
        total, largest = sum_and_first_largest(heavy, base, arity)
        for v in range(arity):
            lost -= sizes[base + v]
        if lost == 0:
            continue
        for i in range(start[j], end[j]):
            if child[i] >= 0:
                continue
            number[i] = -1 - copy
            fraction = fractions[i] if len(fractions) else 1.0
            spread = 0.0
            if not heaviest:
                for v in range(arity):
                    spread += share_on_grid(fraction, heavy[base + v] / total, step)
            for v in range(arity):
                share = 0.0 if heaviest else share_on_grid(fraction, heavy[base + v] / total, step)
                if v == largest:
                    share += fraction - spread
                if share > 0:
                    if copy < len(copies):  # otherwise this is the first call, which counts them
                        copies[copy, 0], copies[copy, 1], shares[copy] = i, v, share
                        sizes[base + v] += 1
                    copy += 1
    return copy


@kernel
def number_copies(nodes, moves, entries, new_classes, new_origin):
    """Give copies their numbers, after the other entries of their child and in their own order."""
    _, first_child, _, _, position, copies, _ = moves
    end, classes, origin = nodes.end, entries.classes, entries.origin
    behind, j = np.zeros(len(position) - 1, np.int64), 0
    for copy in range(len(copies)):
        while end[j] <= copies[copy, 0]:
            j += 1
        behind[first_child[j] + copies[copy, 1]] += 1
    for v in range(len(behind)):
        behind[v] = position[v + 1] - behind[v]
    j = 0
    for copy in range(len(copies)):
        row = copies[copy, 0]
        while end[j] <= row:
            j += 1
        target = first_child[j] + copies[copy, 1]
        copies[copy, 2] = behind[target]
        new_classes[behind[target]], new_origin[behind[target]] = classes[row], origin[row]
        behind[target] += 1


@alloc_free
def count_copies(nodes, moves, entries, totals):
    """Add copies to the class counts of the children to which they go."""
    copies, times, j = moves.copies, entries.times, 0
    for copy in range(len(copies)):
        row = copies[copy, 0]
        while nodes.end[j] <= row:
            j += 1
        child = moves.first_child[j] + copies[copy, 1]
        totals[child, entries.classes[row]] += moves.shares[copy] * (times[row] if len(times) else 1.0)


@alloc_free
def move_shares(nodes, moves, entries, new_times, new_fractions):
    """Move times and fractions of entries to the new numbers; either is empty if all are 1, fractions are ones at first."""
    start, end, times, fractions = nodes.start, nodes.end, entries.times, entries.fractions
    kind, number, copies = moves.kind, moves.number, moves.copies
    for j in range(len(start)):
        if kind[j] != NONE and (len(times) or len(fractions)):
            for i in range(start[j], end[j]):
                if number[i] >= 0:
                    if len(times):
                        new_times[number[i]] = times[i]
                    if len(fractions):
                        new_fractions[number[i]] = fractions[i]
    for copy in range(len(copies)):
        if len(times):
            new_times[copies[copy, 2]] = times[copies[copy, 0]]
        new_fractions[copies[copy, 2]] = moves.shares[copy]
