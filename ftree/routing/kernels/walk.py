"""Compiled kernels that send rows down a flat tree.

All rows of a block go down one level at a time, so that their waits for memory overlap.
"""

import numpy as np

from ftree._lib.jit import compiled, leaf, within

# The rules for rows without an answer, numbered in the order of `ftree.routing.Missing`.
ALL_ROUTES, WEIGHTED, HEAVIEST, STOP = range(4)
# Kinds of questions, numbered as in `ftree.routing.split_tables`.
ABOVE, CODE, BETWEEN, SUM = range(4)
# Columns of `rest`, which has a row for each question.
KIND, PLACE, START, WIDTH, REVERSED, SURROGATE, DEFAULT_CHILD = range(7)


# Check for finished rows every 4 levels. Leaves link to themselves, so finished rows stay where they are.
_STEPS = 4
_LOW = np.int64(0xFFFFFFFF)


@compiled
def walk(cells, ways, leaf):
    """Write the leaf of each row into `leaf`, -1 for a row without an answer at some split; missing cells are NaN.

    `ways` are `Flat.walk_arrays`. The last row of `cells` is all NaN; leaves and nodes whose question is neither ABOVE nor
    CODE link to it, so that the quick steps leave their rows where they are.
    """
    link, at, rest, table, _, _, numbers_only = ways
    row, node = np.empty(len(leaf), dtype=np.uint32), np.zeros(len(leaf), dtype=np.uint32)
    apart = np.empty(len(leaf), dtype=np.uint32)
    for r in range(len(leaf)):
        row[r] = r
        leaf[r] = 0
    simple = numbers_only and _all_known(cells, len(leaf))
    # Unsigned indices need no check for negative ones.
    active = np.uint64(0 if _ends(link, np.uint64(0)) else len(leaf))
    while active:
        for _ in range(_STEPS - 1):
            for i in range(active):
                r, here = np.uint64(row[i]), np.uint64(node[i])
                node[i] = _step_by_number(cells, link, at, r, here) if simple else _step(cells, link, at, rest, table, r, here)
        still, n_apart = np.uint64(0), 0
        for i in range(active):
            r, here = np.uint64(row[i]), np.uint64(node[i])
            following = _step_by_number(cells, link, at, r, here) if simple else _step(cells, link, at, rest, table, r, here)
            row[still], node[still], leaf[r] = r, following, following
            ends = _ends(link, following)
            if following == here and not ends:
                apart[n_apart] = r
                n_apart += 1
            else:
                still += np.uint64(not ends)
        for i in range(n_apart):  # questions that the quick steps do not answer
            r = apart[i]
            child = _child(cells, r, leaf[r], ways)
            if child < 0:
                leaf[r] = -1
                continue
            leaf[r] = (link[leaf[r]] & _LOW) + child
            row[still], node[still] = r, leaf[r]
            still += np.uint64(not _ends(link, np.uint64(leaf[r])))
        active = still


@leaf
def _all_known(cells, n):
    """Whether the first n rows have no missing cell."""
    known = True
    for f in range(cells.shape[0] - 1):
        for r in range(n):
            known &= cells[f, r] == cells[f, r]
    return known


@within
def _ends(link, node):
    """Whether a node is a leaf: leaves link to themselves."""
    return np.uint64(link[node] & _LOW) == node


@within
def _step_by_number(cells, link, at, r, here):
    """The child that a known number leads to; a leaf leads to itself, since its feature is NaN and not above anything."""
    way = link[here]
    return np.uint64((way & _LOW) + np.int64(cells[np.uint64(way >> 33), r] > at[here]))


@within
def _step(cells, link, at, rest, table, r, here):
    """The child that a number or a code leads to; the node itself where the quick step has no answer."""
    way = link[here]
    x = cells[np.uint64(way >> 33), r]
    known = x == x  # noqa: PLR0124  # NaN is not
    following = np.uint64((way & _LOW) + np.int64(x > at[here]))
    if (way >> 32) & 1 and known:
        child = np.int64(table[rest[here, START] + min(np.int64(x), rest[here, WIDTH] - 1)])
        following = np.uint64((way & _LOW) + child) if child >= 0 else here
    return following if known else here


@leaf
def _child(cells, r, here, ways):
    """The child that a row goes to, by the node's question, its surrogates or its default child; -1 without an answer."""
    _, at, rest, table, numbers, terms, _ = ways
    node = np.int64(here)
    while True:
        kind, first, last, child = rest[node, KIND], rest[node, START], rest[node, START] + rest[node, WIDTH], np.int64(-1)
        if kind == SUM:
            child = _above(cells, r, numbers, terms, first, last, at[node])
        else:
            x = cells[rest[node, PLACE], r]
            if not np.isnan(x):
                if kind == ABOVE:
                    child = np.int64(x > at[node])
                elif kind == CODE:
                    child = np.int64(table[min(first + np.int64(x), last - 1)])
                else:
                    child = _between(x, numbers, first, last)
        if child >= 0:
            return 1 - child if rest[node, REVERSED] else child
        if rest[node, SURROGATE] < 0:
            return rest[node, DEFAULT_CHILD]
        node = rest[node, SURROGATE]


@leaf
def _above(cells, r, numbers, terms, first, last, at):
    """Whether a weighted sum is above a threshold, -1 with a missing term; summed from left to right as in `weighted_sum`."""
    total = 0.0
    for term in range(first, last):
        x = cells[terms[term], r]
        if np.isnan(x):
            return np.int64(-1)
        total += numbers[term] * x
    return np.int64(total > at)


@leaf
def _between(x, numbers, first, last):
    """How many of the rising numbers from `first` to `last` are less than x, by binary search."""
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low - first


@compiled
def gather(cells, ways, first, arity, sizes, counts, answer, how, step, gathered):
    """Add the class counts that answer each row, which may reach several leaves, to `gathered` (n, K), all zeros at first.

    `counts` has the class counts of each node, or their shares with the rule WEIGHTED; `answer` has the node that answers for
    each node. Nodes are visited in preorder, so that sums round as in numpy.
    """
    n_classes, link = counts.shape[1], ways[0]
    node, weight = np.empty(64, np.int64), np.empty(64)
    spare = np.empty(n_classes)
    for r in range(gathered.shape[0]):
        found = False
        for c in range(n_classes):
            spare[c] = 0.0
        top, node[0], weight[0] = 1, 0, 1.0
        while top:
            top -= 1
            here, part, child = node[top], weight[top], -1
            if not _ends(link, np.uint64(here)):
                child = _child(cells, r, here, ways)
            if child >= 0:
                node[top] = first[here] + child
                top += 1
            elif _ends(link, np.uint64(here)) or how == STOP:
                if how == WEIGHTED:
                    for c in range(n_classes):
                        gathered[r, c] += part * counts[answer[here], c]
                elif answer[here] == here:
                    for c in range(n_classes):
                        gathered[r, c] += counts[here, c]
                else:
                    for c in range(n_classes):
                        spare[c] = max(spare[c], counts[answer[here], c])
            else:
                if top + arity[here] > len(node):
                    node, weight = _doubled(node, top + arity[here]), _doubled(weight, top + arity[here])
                top = _divide(part, first[here], arity[here], sizes, how, step, node, weight, top)
        for c in range(n_classes):
            found |= gathered[r, c] != 0
        if not found:
            for c in range(n_classes):
                gathered[r, c] = spare[c]


@leaf
def _divide(part, first, arity, sizes, how, step, node, weight, top):
    """Push the children that a row without an answer goes to, the first child on top; the answer is the new stack height.

    The arithmetic is that of `ftree._lib.arrays.share_out`.
    """
    total, largest, given = 0.0, 0, 0.0
    for v in range(arity):
        total += sizes[first + v]
        if sizes[first + v] > sizes[first + largest]:
            largest = v
    if how == WEIGHTED:
        for v in range(arity):
            share = sizes[first + v] / total if total > 0 else 1.0 / arity
            given += np.floor(part * share / step) * step
    for back in range(arity):
        v, mine = arity - 1 - back, part
        if how == WEIGHTED:
            share = sizes[first + v] / total if total > 0 else 1.0 / arity
            mine = np.floor(part * share / step) * step
            if v == largest:
                mine += part - given
        if (how != HEAVIEST or v == largest) and mine > 0:
            node[top], weight[top] = first + v, mine
            top += 1
    return top


@compiled
def _doubled(numbers, n):
    longer = np.empty(2 * n, numbers.dtype)
    for i in range(len(numbers)):
        longer[i] = numbers[i]
    return longer
