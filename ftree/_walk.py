"""Rows down a flat tree, compiled: all rows of a block one step at a time, so that their waits for memory overlap."""

import numpy as np

from ftree._jit import compiled, leaf

# What a row does that has no answer at a split: numbers of `ftree.route.Missing`, in its order.
ALL_ROUTES, WEIGHTED, HEAVIEST, STOP = range(4)
# What a node asks, as `ftree.questions` numbers it.
ABOVE, CODE, BETWEEN, SUM = range(4)
# What `rest` has of each node.
KIND, PLACE, START, WIDTH, TURNED, OTHER, OTHERWISE = range(7)


@compiled
def walk(cells, ways, leaf):
    """The node where each row ends, -1 for a row that has no answer at some split; cells are floats, missing ones NaN.

    `ways` are those of a flat tree. The last row of cells is missing throughout: it is what a node links to that asks for more
    than whether a number lies above another, or for a code.
    """
    link, at, rest, table, _, _ = ways
    row, node = np.empty(len(leaf), dtype=np.uint32), np.zeros(len(leaf), dtype=np.uint32)
    apart = np.empty(len(leaf), dtype=np.uint32)
    for r in range(len(leaf)):
        row[r] = r
        leaf[r] = 0
    active = len(leaf) if link[0] >= 0 else 0
    while active:
        still, n_apart = 0, 0
        for i in range(np.uint64(active)):  # unsigned, so that no access asks whether it counts from the end
            r, here = np.uint64(row[i]), np.uint64(node[i])
            way = link[here]
            f = way >> 32
            x = cells[np.uint64(f >> 1), r]
            if np.isnan(x):
                apart[np.uint64(n_apart)] = r
                n_apart += 1
                continue
            child = np.int64(x > at[here])
            if f & 1:
                child = np.int64(table[rest[here, START] + min(np.int64(x), rest[here, WIDTH] - 1)])
                if child < 0:
                    apart[np.uint64(n_apart)] = r
                    n_apart += 1
                    continue
            following = (way & 0xFFFFFFFF) + child
            row[np.uint64(still)] = r
            node[np.uint64(still)] = following
            leaf[r] = following
            still += link[np.uint64(following)] >= 0
        for i in range(n_apart):  # apart, since it takes longer
            r = apart[i]
            child = _child(cells, r, leaf[r], ways)
            if child < 0:
                leaf[r] = -1
                continue
            leaf[r] = (link[leaf[r]] & 0xFFFFFFFF) + child
            row[still], node[still] = r, leaf[r]
            still += link[leaf[r]] >= 0
        active = still


@leaf
def _child(cells, r, here, ways):
    """The child that a row goes to, by the node's own question or by one that stands in for it; -1 without an answer."""
    _, at, rest, table, numbers, terms = ways
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
            return 1 - child if rest[node, TURNED] else child
        if rest[node, OTHER] < 0:
            return rest[node, OTHERWISE]
        node = rest[node, OTHER]


@leaf
def _above(cells, r, numbers, terms, first, last, at):
    """Whether a weighted sum lies above a number; added up from left to right, as `ftree.split.weighted_sum` does it."""
    total = 0.0
    for term in range(first, last):
        x = cells[terms[term], r]
        if np.isnan(x):
            return np.int64(-1)
        total += numbers[term] * x
    return np.int64(total > at)


@leaf
def _between(x, numbers, first, last):
    """How many of some rising numbers are less than x."""
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
    """Class counts that answer each row, which may take several routes, added up in `gathered` (n, K), which comes as zeros.

    `counts` are those of each node, or their shares where routes are weighted; `answer` is the node that answers for each.
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
            if link[here] >= 0:
                child = _child(cells, r, here, ways)
            if child >= 0:
                node[top] = first[here] + child
                top += 1
            elif link[here] < 0 or how == STOP:
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
    """Put the children that a row without an answer goes to on the stack, the first of them on top; answers its new height.

    The same arithmetic as `ftree._kernels.share_out`.
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
