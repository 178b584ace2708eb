"""Rows down a flat tree, compiled: all rows of a block one step at a time, so that their waits for memory overlap."""

import numpy as np

from ftree._jit import compiled

# What a row does that has no answer at a split: numbers of `ftree.route.Missing`, in its order.
ALL_ROUTES, WEIGHTED, HEAVIEST, STOP = range(4)


@compiled
def walk(cells, link, at, starts, table, leaf):
    """The node where each row ends, -1 for a row that has no answer at some split; cells are floats, missing ones NaN.

    A node's link is -1 at a leaf; else its first child, and above 32 bits twice the feature, plus 1 if it asks for a code.
    """
    row, node = np.empty(len(leaf), dtype=np.uint32), np.zeros(len(leaf), dtype=np.uint32)
    active = 0
    for r in range(len(leaf)):
        row[r] = r
        leaf[r] = 0
    active = len(leaf) if link[0] >= 0 else 0
    while active:
        still = 0
        for i in range(np.uint64(active)):  # unsigned, so that no access asks whether it counts from the end
            r, here = np.uint64(row[i]), np.uint64(node[i])
            way = link[here]
            f = way >> 32
            x = cells[np.uint64(f >> 1), r]
            if np.isnan(x):
                leaf[r] = -1
                continue
            child = np.int64(x > at[here])
            if f & 1:
                start = starts[here]
                child = np.int64(table[start + 1 + min(np.int64(x), table[start] - 1)])
                if child < 0:
                    leaf[r] = -1
                    continue
            following = (way & 0xFFFFFFFF) + child
            row[np.uint64(still)] = r
            node[np.uint64(still)] = following
            leaf[r] = following
            still += link[np.uint64(following)] >= 0
        active = still


@compiled
def gather(cells, link, at, starts, table, first, arity, sizes, counts, answer, how, step, gathered):
    """Class counts that answer each row, which may take several routes, added up in `gathered` (n, K), which comes as zeros.

    `counts` are those of each node, or their shares where routes are weighted; `answer` is the node that answers for each.
    """
    n_classes = counts.shape[1]
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
                child = _child(cells, r, link[here], at[here], starts[here], table)
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


@compiled
def _child(cells, r, way, at, start, table):
    f = way >> 32
    x = cells[f >> 1, r]
    if np.isnan(x):
        return np.int64(-1)
    if f & 1:
        return np.int64(table[start + 1 + min(np.int64(x), table[start] - 1)])
    return np.int64(x > at)


@compiled
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
