"""The partition of entries by child: the child of an entry, its new number, and every column in the new order.

Entries are numbered by their position, node after node, so that a node's data are contiguous. A stable
partition keeps each feature sorted within each node (SLIQ, Mehta et al. 1996; SPRINT, Shafer et al. 1996).
"""

import numpy as np

from ftree._lib.jit import kernel, section, unwrapped
from ftree.growth.kernels.records import ABSENT, CLASS, END, MULTIWAY, NONE, OBJECT, ORIGIN, PLACE, START, THRESHOLD
from ftree.growth.kernels.sorted_cuts import bits_of

# New numbers that are looked up at a time; the most codes of a feature.
_AHEAD, _CODES = 512, 256


@kernel
def route(first, last, routes, columns, entries, nodes, child):
    """The child of each entry of nodes first to last, numbered within its node; -1 where its value is missing.

    Entries of a node whose split is an object have their children already.
    """
    kind, feature, lower, first_code, listed = routes
    features, shift, keys, codes = columns.features, columns.shift, entries.keys, entries.codes
    (_, _, gone), child_of = bits_of(shift), np.empty(_CODES, np.int32)
    for j in range(first, last):
        if kind[j] == NONE or kind[j] == OBJECT:
            continue
        g, low, start, end = features[PLACE, feature[j]], lower[j], nodes[START, j], nodes[END, j]
        if g >= 0:
            _child_of_codes(kind[j], low, listed, first_code[j], first_code[j + 1], features[ABSENT, feature[j]], child_of)
            for i in range(start, end):
                child[i] = child_of[codes[i, g]]
        elif kind[j] == THRESHOLD:
            lane = -1 - g
            for i in range(start, end):
                key = keys[lane, i]
                child[key >> shift] = -1 if key & gone else i > low
        else:
            members = listed[first_code[j] : first_code[j + 1]]
            _route_listed(keys[-1 - g], kind[j], members, start, end, shift, child)


@section
def _child_of_codes(kind, lower, listed, first, last, absent, child_of):
    """The child of each code, in a table."""
    for code in range(absent):
        child_of[code] = (code > lower) if kind == THRESHOLD else (-1 if kind == MULTIWAY else 1)
    child_of[absent] = -1
    if kind != THRESHOLD:
        for at in range(first, last):
            child_of[listed[at]] = at - first if kind == MULTIWAY else 0


@section
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


@kernel
def sizes_of(first, last, kind, first_child, nodes, child, sizes):
    """Count the entries of each child; returns how many entries have a missing value."""
    lost = 0
    for j in range(first, last):
        if kind[j] == NONE:
            continue
        base, gone, ones, start, end = first_child[j], 0, 0, nodes[START, j], nodes[END, j]
        if first_child[j + 1] - base == 2:  # noqa: PLR2004  # left and right: no addition depends on the previous one
            for i in range(start, end):
                gone += child[i] < 0
                ones += child[i] > 0
            sizes[base] += end - start - gone - ones
            sizes[base + 1] += ones
        else:
            for i in range(start, end):
                gone += child[i] < 0
                if child[i] >= 0:
                    sizes[base + child[i]] += 1
        lost += gone
    return lost


@kernel
def weigh(first, last, kind, first_child, nodes, child, weights, heavy):
    """Add up the weights of the entries of each child whose value is known; children without any count as equal, as in NumPy."""
    for j in range(first, last):
        if kind[j] != NONE:
            known = 0
            for i in range(nodes[START, j], nodes[END, j]):
                if child[i] >= 0:
                    heavy[first_child[j] + child[i]] += weights[i] if len(weights) else 1.0
                    known += 1
            if known == 0:
                for v in range(first_child[j], first_child[j + 1]):
                    heavy[v] = 1.0


@section
def _most_children(first_child):
    """The most children of a node."""
    most = np.int64(2)
    for j in range(len(first_child) - 1):
        most = max(most, first_child[j + 1] - first_child[j])
    return most


@kernel
def renumber(first, last, kind, first_child, nodes, child, position, rows, number, new_rows):
    """New numbers of entries, in order within each child; classes and rows moved along."""
    cursor = np.empty(_most_children(first_child), np.int64)
    for j in range(first, last):
        if kind[j] == NONE:
            continue
        base, arity = first_child[j], first_child[j + 1] - first_child[j]
        if arity == 2:  # noqa: PLR2004  # left and right
            _renumber_in_two(nodes[START, j], nodes[END, j], child, position[base], position[base + 1], rows, number, new_rows)
            continue
        for v in range(arity):
            cursor[v] = position[base + v]
        for i in range(nodes[START, j], nodes[END, j]):
            v = child[i]
            if v >= 0:
                number[i] = cursor[v]
                new_rows[CLASS, cursor[v]], new_rows[ORIGIN, cursor[v]] = rows[CLASS, i], rows[ORIGIN, i]
                cursor[v] += 1


@section
def _renumber_in_two(start, end, child, position, middle, rows, number, new_rows):
    low, high = np.uint64(position), np.uint64(middle)
    for i in range(np.uint64(start), np.uint64(end)):
        v = child[i]
        if v >= 0:
            right = np.uint64(v)
            q = high if right else low
            number[i] = q
            new_rows[CLASS, q], new_rows[ORIGIN, q] = rows[CLASS, i], rows[ORIGIN, i]
            high += right
            low += np.uint64(1) - right


@kernel
def count_classes(first, last, position, rows, weights, totals):
    """Class counts of children first to last, whose entries are in order."""
    for v in range(first, last):
        low, high, ones = position[v], position[v + 1], 0
        if totals.shape[1] == 2 and len(weights) == 0:  # noqa: PLR2004  # no addition depends on the previous one
            for i in range(low, high):
                ones += rows[CLASS, i]
            totals[v, 0], totals[v, 1] = high - low - ones, ones
        else:
            for i in range(low, high):
                totals[v, rows[CLASS, i]] += weights[i] if len(weights) else 1.0


@kernel
def move_sorted(first, last, in_order, columns, keys, new_keys, spare, nodes, moves):
    """Move the sorted features first to last to the new numbers; returns the row of `new_keys` that is now spare.

    Each is written into the spare row, and its own row becomes the next spare one.
    """
    features, shift = columns.features, columns.shift
    kind, first_child, child, number, position, copies, _ = moves
    most = _most_children(first_child)
    ahead, cursor, latest = np.empty(_AHEAD, np.uint64), np.empty(most, np.int64), np.empty(most, np.int64)
    for at in range(first, last):
        here = -1 - features[PLACE, in_order[at]]
        lane, into, copy = keys[here], new_keys[spare], 0
        for j in range(len(kind)):
            if kind[j] == NONE:
                continue
            base, arity, start, end = first_child[j], first_child[j + 1] - first_child[j], nodes[START, j], nodes[END, j]
            while copy < len(copies) and copies[copy, 0] < start:
                copy += 1
            if arity == 2 and (copy == len(copies) or copies[copy, 0] >= end):  # noqa: PLR2004  # left and right
                _move_in_two(lane, into, start, end, position[base], position[base + 1], number, shift, ahead)
                continue
            for v in range(arity):
                cursor[v], latest[v] = position[base + v], -1
            _move_in_many(lane, into, start, end, child, number, copies, shift, cursor, latest)
        features[PLACE, in_order[at]] = -1 - spare
        spare = here
    return spare


@section
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


@section
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


@kernel
def move_coded(first, last, words, new_words, kind, nodes, number):
    """Move the codes of entries in nodes first to last to the new numbers; eight codes are a word, a row has several words."""
    width = words.shape[1]
    for j in range(first, last):
        if kind[j] != NONE:
            for i in range(nodes[START, j], nodes[END, j]):
                q = number[i]
                if q >= 0:
                    for k in range(width):
                        new_words[q, k] = words[i, k]


@kernel
def scatter(kind, first_child, nodes, child, number, fractions, heavy, heaviest, step, copies, shares, sizes):
    """Divide entries with a missing value, to the heaviest child or to all on the grid; returns the number of copies.

    `sizes` has the entries of each child with a known value. A first call, without room for `copies`, counts the copies. The
    arithmetic is that of `ftree.routing.missing_rules.divide_weights`, so that counts agree to the last bit.
    """
    copy = 0
    for j in range(len(kind)):
        if kind[j] == NONE:
            continue
        start, end = nodes[START, j], nodes[END, j]
        base, arity, lost = first_child[j], first_child[j + 1] - first_child[j], end - start
        total, largest = sum_and_first_largest(heavy, base, arity)
        for v in range(arity):
            lost -= sizes[base + v]
        if lost == 0:
            continue
        for i in range(start, end):
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
def number_copies(first_child, nodes, position, copies, rows, new_rows):
    """Give copies their numbers, after the other entries of their child and in their own order."""
    behind, j = np.zeros(len(position) - 1, np.int64), 0
    for copy in range(len(copies)):
        while nodes[END, j] <= copies[copy, 0]:
            j += 1
        behind[first_child[j] + copies[copy, 1]] += 1
    for v in range(len(behind)):
        behind[v] = position[v + 1] - behind[v]
    j = 0
    for copy in range(len(copies)):
        row = copies[copy, 0]
        while nodes[END, j] <= row:
            j += 1
        target = first_child[j] + copies[copy, 1]
        copies[copy, 2] = behind[target]
        new_rows[CLASS, behind[target]], new_rows[ORIGIN, behind[target]] = rows[CLASS, row], rows[ORIGIN, row]
        behind[target] += 1


@kernel
def count_copies(first_child, nodes, copies, shares, rows, times, totals):
    """Add copies to the class counts of the children to which they go."""
    j = 0
    for copy in range(len(copies)):
        row = copies[copy, 0]
        while nodes[END, j] <= row:
            j += 1
        child = first_child[j] + copies[copy, 1]
        totals[child, rows[CLASS, row]] += shares[copy] * (times[row] if len(times) else 1.0)


@kernel
def move_shares(kind, nodes, number, copies, shares, times, fractions, new_times, new_fractions):
    """Move times and fractions of entries to the new numbers; either is empty if all are 1, fractions are ones at first."""
    for j in range(len(kind)):
        if kind[j] != NONE and (len(times) or len(fractions)):
            for i in range(nodes[START, j], nodes[END, j]):
                if number[i] >= 0:
                    if len(times):
                        new_times[number[i]] = times[i]
                    if len(fractions):
                        new_fractions[number[i]] = fractions[i]
    for copy in range(len(copies)):
        if len(times):
            new_times[copies[copy, 2]] = times[copies[copy, 0]]
        new_fractions[copies[copy, 2]] = shares[copy]


# Weights divided among children, by the arithmetic of `ftree.routing.missing_rules.divide_weights`.


@unwrapped
def sum_and_first_largest(sizes, first, n):
    """The sum of n sizes from `first` on, and the index of the first largest of them."""
    total, largest = 0.0, 0
    for v in range(n):
        total += sizes[first + v]
        if sizes[first + v] > sizes[first + largest]:
            largest = v
    return total, largest


@unwrapped
def share_on_grid(weight, proportion, step):
    """A proportion of a weight, rounded down to a multiple of `step`; the first largest child gets the remainder."""
    return np.floor(weight * proportion / step) * step
