"""Rows routed down a flat tree by compiled code: a block of rows goes down level by level, so that memory accesses overlap."""

import numpy as np

from ftree._lib.jit import alloc_free, inlined, kernel
from ftree._lib.kernels.shares import share_on_grid

# The kinds of tests of a node, as `ftree.routing.split_tables` numbers them.
ABOVE, CODE, BETWEEN, SUM = range(4)
# The columns of `rest`.
KIND, PLACE, START, WIDTH, REVERSED, SURROGATE, DEFAULT_CHILD = range(7)


# Check for finished rows every 4 levels. Leaves link to themselves, so finished rows stay where they are.
_STEPS = 4
_LOW = np.int64(0xFFFFFFFF)


@kernel
def walk(cells, ways, leaf):
    """The node where each row ends, -1 for a row whose value is missing at some split; cells are floats, missing ones NaN.

    `ways` are `Flat.walk_arrays`. The last row of cells is entirely missing: leaves link to it, and so do nodes that test
    more than one threshold or code.
    """
    link, at, rest, table, _, _ = ways
    row, node = np.empty(len(leaf), dtype=np.uint32), np.zeros(len(leaf), dtype=np.uint32)
    apart = np.empty(len(leaf), dtype=np.uint32)
    for r in range(len(leaf)):
        row[r] = r
        leaf[r] = 0
    # Unsigned, so that no access checks for a negative index.
    active = np.uint64(0 if _ends(link, np.uint64(0)) else len(leaf))
    while active:
        for _ in range(_STEPS - 1):
            for i in range(active):
                node[i] = _step(cells, link, at, rest, table, np.uint64(row[i]), np.uint64(node[i]))
        still, n_apart = np.uint64(0), 0
        for i in range(active):
            r, here = np.uint64(row[i]), np.uint64(node[i])
            following = _step(cells, link, at, rest, table, r, here)
            row[still], node[still], leaf[r] = r, following, following
            ends = _ends(link, following)
            if following == here and not ends:
                apart[n_apart] = r
                n_apart += 1
            else:
                still += np.uint64(not ends)
        for i in range(n_apart):  # in a loop of its own, since each of these rows takes longer
            r = apart[i]
            child = child_of_row(cells, r, leaf[r], ways)
            if child < 0:
                leaf[r] = -1
                continue
            leaf[r] = (link[leaf[r]] & _LOW) + child
            row[still], node[still] = r, leaf[r]
            still += np.uint64(not _ends(link, np.uint64(leaf[r])))
        active = still


@inlined
def _ends(link, node):
    """Whether a node is a leaf, which links to itself."""
    return np.uint64(link[node] & _LOW) == node


@inlined
def _step(cells, link, at, rest, table, r, here):
    """The child to which a number or a code leads; the node itself if the value is missing or has no child."""
    way = link[here]
    x = cells[np.uint64(way >> 33), r]
    known = x == x  # noqa: PLR0124  # NaN is not equal to itself
    following = np.uint64((way & _LOW) + np.int64(x > at[here]))
    if (way >> 32) & 1 and known:
        child = np.int64(table[rest[here, START] + min(np.int64(x), rest[here, WIDTH] - 1)])
        following = np.uint64((way & _LOW) + child) if child >= 0 else here
    return following if known else here


@alloc_free
def child_of_row(cells, r, here, ways):
    """The child of a row, by the node's split or by a surrogate; -1 if all their values are missing."""
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
            return 1 - child if rest[node, REVERSED] else child
        if rest[node, SURROGATE] < 0:
            return rest[node, DEFAULT_CHILD]
        node = rest[node, SURROGATE]


@alloc_free
def _above(cells, r, numbers, terms, first, last, at):
    """Whether a weighted sum lies above a threshold; added up from left to right, as by `ftree.tree.splits.weighted_sum`."""
    total = 0.0
    for term in range(first, last):
        x = cells[terms[term], r]
        if np.isnan(x):
            return np.int64(-1)
        total += numbers[term] * x
    return np.int64(total > at)


@alloc_free
def _between(x, numbers, first, last):
    """The number of sorted numbers that are less than x."""
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low - first


@kernel
def gather(cells, ways, first, arity, share, rest, counts, answer, as_distributions, step, gathered):
    """Add up in `gathered` (n, K), zeros at first, the class counts of the nodes where each row ends; there may be several.

    `share` and `rest` are `Flat.routes`. `counts` are those of each node, or proportions with `as_distributions`. `answer`
    is the node whose counts are used for each node: itself, or its nearest ancestor with cases. Nodes are visited in
    preorder, so that sums round as in numpy.
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
            here, part = node[top], weight[top]
            stays = part
            if not _ends(link, np.uint64(here)):
                child = child_of_row(cells, r, here, ways)
                if child >= 0:
                    node[top] = first[here] + child
                    top += 1
                    continue
                if top + arity[here] > len(node):
                    node, weight = _doubled(node, top + arity[here]), _doubled(weight, top + arity[here])
                top, stays = _divide(part, first[here], arity[here], share, rest[here], step, node, weight, top)
            if stays <= 0:
                continue
            if as_distributions or answer[here] == here:
                for c in range(n_classes):
                    gathered[r, c] += stays * counts[answer[here], c]
            else:
                for c in range(n_classes):
                    spare[c] = max(spare[c], stays * counts[answer[here], c])
        for c in range(n_classes):
            found |= gathered[r, c] != 0
        if not found:
            for c in range(n_classes):
                gathered[r, c] = spare[c]


@alloc_free
def _divide(part, first, arity, share, rest, step, node, weight, top):
    """Push the children of a row with a missing value onto the stack, the first child last; its new height, and the remainder."""
    given = 0.0
    for v in range(arity):
        given += _part(part, share[first + v], step)
    for back in range(arity):
        v = arity - 1 - back
        mine = _part(part, share[first + v], step)
        if v == rest:
            mine += part - given
        if mine > 0:
            node[top], weight[top] = first + v, mine
            top += 1
    return top, 0.0 if rest >= 0 else part - given


@inlined
def _part(weight, share, step):
    """A share of a weight on the grid; a share of 1 is the unchanged weight."""
    return weight if share == 1.0 else share_on_grid(weight, share, step)


@kernel
def _doubled(numbers, n):
    longer = np.empty(2 * n, numbers.dtype)
    for i in range(len(numbers)):
        longer[i] = numbers[i]
    return longer
