"""Rows routed down a flat tree by compiled code: a block of rows to their leaves, or to the counts of several leaves.

A block of rows is an array of floats, NaN where missing: (used features + 1, n), whose last line is entirely missing, with
`Flat.walk_arrays`, or all features (F, n) with `Flat.walk_arrays_of_table`. Parts of rows are divided by the arithmetic of
`ftree.routing.missing_rules.divide_weights`, so that all ways down agree to the last bit.
"""

import numpy as np

from ftree._lib.jit import kernel, section, unwrapped

# The kinds of questions, as `ftree.tree.splits.split` numbers them.
ABOVE, CODE, BETWEEN, SUM = range(4)
# The columns of `rest`.
KIND, PLACE, START, WIDTH, REVERSED, SURROGATE, DEFAULT_CHILD = range(7)

# This many rows of about a dozen features stay in the fastest cache.
_TOGETHER = 256
# Check for finished rows every 4 levels. Leaves link to themselves, so finished rows stay where they are.
_STEPS = 4
_LOW = np.int64(0xFFFFFFFF)


@kernel
def descend_block(cells, ways, leaf):
    """The node where each row ends, -1 for a row whose value is missing at some split.

    Rows go down together, level by level, so that memory accesses overlap. Nodes that test more than one threshold or code link
    to the missing line of cells.
    """
    link, at, rest, table, _, _ = ways
    row, node = np.empty(_TOGETHER, dtype=np.uint32), np.empty(_TOGETHER, dtype=np.uint32)
    apart = np.empty(_TOGETHER, dtype=np.uint32)
    for begin in range(0, len(leaf), _TOGETHER):
        n = min(_TOGETHER, len(leaf) - begin)
        for i in range(n):
            row[i], node[i], leaf[begin + i] = begin + i, 0, 0
        # Unsigned, so that no access checks for a negative index.
        active = np.uint64(0 if link[0] & _LOW == 0 else n)
        while active:
            # The step is written twice, since a call would count references to each array.
            for _ in range(_STEPS - 1):
                for i in range(active):
                    here = np.uint64(node[i])
                    way = link[here]
                    x = cells[np.uint64(way >> 33), np.uint64(row[i])]
                    following = np.uint64((way & _LOW) + np.int64(x > at[here]))
                    if (way >> 32) & 1 and x == x:  # noqa: PLR0124  # NaN is not equal to itself
                        child = np.int64(table[rest[here, START] + min(np.int64(x), rest[here, WIDTH] - 1)])
                        following = np.uint64((way & _LOW) + child) if child >= 0 else here
                    following = following if x == x else here  # noqa: PLR0124  # as above
                    node[i] = following
            still, n_apart = np.uint64(0), 0
            for i in range(active):
                r, here = np.uint64(row[i]), np.uint64(node[i])
                way = link[here]
                x = cells[np.uint64(way >> 33), r]
                following = np.uint64((way & _LOW) + np.int64(x > at[here]))
                if (way >> 32) & 1 and x == x:  # noqa: PLR0124  # NaN is not equal to itself
                    child = np.int64(table[rest[here, START] + min(np.int64(x), rest[here, WIDTH] - 1)])
                    following = np.uint64((way & _LOW) + child) if child >= 0 else here
                following = following if x == x else here  # noqa: PLR0124  # as above
                row[still], node[still], leaf[r] = r, following, following
                ends = np.uint64(link[following] & _LOW) == following
                if following == here and not ends:
                    apart[n_apart] = r
                    n_apart += 1
                else:
                    still += np.uint64(not ends)
            for i in range(n_apart):  # in a loop of its own, since each of these rows takes longer
                r = np.int64(apart[i])  # the type of other callers
                child = child_of_row(cells, r, leaf[r], ways)
                if child < 0:
                    leaf[r] = -1
                    continue
                leaf[r] = (link[leaf[r]] & _LOW) + child
                row[still], node[still] = r, leaf[r]
                still += np.uint64(link[leaf[r]] & _LOW != leaf[r])
            active = still


@kernel
def add_answers(counts, labels, leaf, weight, by_label, added):
    """Add to `added` (n, K) the votes for the labels of the nodes where rows end, or the shares of classes there."""
    for r in range(len(leaf)):
        here, n = leaf[r], 0.0
        if by_label:
            added[r, labels[here]] += weight
            continue
        for c in range(counts.shape[1]):
            n += counts[here, c]
        for c in range(counts.shape[1]):
            added[r, c] += weight * (counts[here, c] / n)


@unwrapped
def child_of_row(cells, r, here, ways):
    """The child of a row, by the node's split or by a surrogate, else the default child.

    It is -1 without one, and for a code that a node without surrogates does not know.
    """
    _, at, rest, table, numbers, terms = ways
    node, known = np.int64(here), False
    while True:
        kind, first, last, child = rest[node, KIND], rest[node, START], rest[node, START] + rest[node, WIDTH], np.int64(-1)
        if kind == SUM:
            child = _above(cells, r, numbers, terms, first, last, at[node])
        else:
            x = cells[rest[node, PLACE], r]
            known = not np.isnan(x)
            if known:
                if kind == ABOVE:
                    child = np.int64(x > at[node])
                elif kind == CODE:
                    child = np.int64(table[min(first + np.int64(x), last - 1)])
                else:
                    child = _between(x, numbers, first, last)
        if child >= 0:
            return 1 - child if rest[node, REVERSED] else child
        if rest[node, SURROGATE] < 0:
            return np.int64(-1) if known and node == np.int64(here) else rest[node, DEFAULT_CHILD]
        node = rest[node, SURROGATE]


@section
def _above(cells, r, numbers, terms, first, last, at):
    """Whether a weighted sum lies above a threshold; added up from left to right, as by `ftree.tree.splits.weighted_sum`."""
    total = 0.0
    for term in range(first, last):
        x = cells[terms[term], r]
        if np.isnan(x):
            return np.int64(-1)
        total += numbers[term] * x
    return np.int64(total > at)


@section
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
def add_up_block(cells, ways, first, arity, share, rest, counts, answer, as_distributions, step, added):
    """Add up in `added` (n, K), zeros at first, the class counts of the nodes where each row ends; there may be several.

    `share` and `rest` are `Flat.shares`. `counts` are those of each node, or proportions with `as_distributions`. `answer`
    is `Flat.answer`. Nodes are visited in preorder, so that sums round as in NumPy.
    """
    n_classes, link, at = counts.shape[1], ways[0], ways[1]
    node, weight = np.empty(64, np.int64), np.empty(64)
    spare = np.empty(n_classes)
    for r in range(added.shape[0]):
        found = False
        for c in range(n_classes):
            spare[c] = 0.0
        top, node[0], weight[0] = 1, 0, 1.0
        while top:
            top -= 1
            here, part, child = node[top], weight[top], np.int64(0)
            stays = part
            while link[here] & _LOW != here:
                way = link[here]
                x = cells[np.uint64(way >> 33), np.uint64(r)]
                if np.isnan(x) or (way >> 32) & 1:  # other questions than known thresholds take a call
                    child = child_of_row(cells, r, here, ways)
                    if child < 0:
                        break
                else:
                    child = np.int64(x > at[here])
                here = np.int64(way & _LOW) + child
            if child < 0:
                if top + arity[here] > len(node):
                    node, weight = _doubled(node, top + arity[here]), _doubled(weight, top + arity[here])
                top, stays = _divide(part, first[here], arity[here], share, rest[here], step, node, weight, top)
            if stays <= 0:
                continue
            if as_distributions or answer[here] == here:
                for c in range(n_classes):
                    added[r, c] += stays * counts[answer[here], c]
            else:
                for c in range(n_classes):
                    spare[c] = max(spare[c], stays * counts[answer[here], c])
        for c in range(n_classes):
            found |= added[r, c] != 0
        if not found:
            for c in range(n_classes):
                added[r, c] = spare[c]


@section
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


@section
def _part(weight, share, step):
    """A share of a weight on the grid; a share of 1 is the unchanged weight."""
    return weight if share == 1.0 else share_on_grid(weight, share, step)


@unwrapped
def _doubled(numbers, n):
    longer = np.empty(2 * n, numbers.dtype)
    for i in range(len(numbers)):
        longer[i] = numbers[i]
    return longer


# Weights divided among children, also in growth and in subtree raising.


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
