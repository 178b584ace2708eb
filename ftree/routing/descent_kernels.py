"""The child of a row whose answer takes more than a threshold, and shares of weights, for the kernels of pruning and growth.

`ways` are thresholds, the other numbers of questions, codes, borders and terms. Parts of rows are divided by the arithmetic of
`ftree.routing.missing_rules.divide_weights`, so that all ways down agree to the last bit.
"""

import numpy as np

from ftree._lib.jit import section, unwrapped

# The kinds of questions, as `ftree.tree.splits.split` numbers them.
ABOVE, CODE, BETWEEN, SUM = range(4)
# The columns of `rest`.
KIND, PLACE, START, WIDTH, REVERSED, SURROGATE, DEFAULT_CHILD = range(7)


@unwrapped
def child_of_row(cells, r, here, ways):
    """The child of a row, by the node's split or by a surrogate, else the default child.

    It is -1 without one, and for a code that a node without surrogates does not know.
    """
    at, rest, table, numbers, terms = ways
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
