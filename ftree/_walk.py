"""Rows down a flat tree, compiled: all rows of a block one step at a time, so that their waits for memory overlap."""

import numpy as np

from ftree._jit import compiled


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
