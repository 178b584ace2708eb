"""The nodes that a kernel has grown so far, in arrays that are doubled as they fill."""

from typing import Any, NamedTuple

import numpy as np

from ftree._lib.jit import internal, internal_allocating


class GrownNodes(NamedTuple):
    """All nodes so far, with room for more, and the values that their splits list one after another.

    For each its class counts, kind of split, feature, values below and above a threshold, first child, how many values the
    split lists. A value is a code, or a row of the table that has it.
    """

    counts: Any
    kind: Any
    feature: Any
    lower: Any
    upper: Any
    first: Any
    width: Any
    listed: Any


@internal_allocating
def longer(numbers, n):
    """The same numbers with room for n, and more."""
    if n <= len(numbers):
        return numbers
    more = np.zeros(2 * n, np.int64)
    for i in range(len(numbers)):
        more[i] = numbers[i]
    return more


@internal_allocating
def _with_more_rows(counts, n):
    """The same rows with room for n, and more."""
    if n <= len(counts):
        return counts
    more = np.zeros((2 * n, counts.shape[1]))
    for i in range(len(counts)):
        for c in range(counts.shape[1]):
            more[i, c] = counts[i, c]
    return more


@internal_allocating
def nothing_grown(n, n_classes):
    """No nodes, with room for n."""
    return GrownNodes(
        np.zeros((n, n_classes)), np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64),
        np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64),
    )  # fmt: skip


@internal_allocating
def with_level(grown, level, totals):
    """The same nodes, and those of one more level, as leaves."""
    n = level + len(totals)
    more = GrownNodes(
        _with_more_rows(grown.counts, n), longer(grown.kind, n), longer(grown.feature, n), longer(grown.lower, n),
        longer(grown.upper, n), longer(grown.first, n), longer(grown.width, n), grown.listed,
    )  # fmt: skip
    _add_leaves(more.counts, more.feature, level, totals)
    return more


@internal_allocating
def with_listed(grown, n):
    """The same nodes with room for n listed values."""
    counts, kind, feature, lower, upper, first, width, listed = grown
    return GrownNodes(counts, kind, feature, lower, upper, first, width, longer(listed, n))


@internal
def _add_leaves(counts, feature, level, totals):
    for j in range(len(totals)):
        feature[level + j] = -1
        for c in range(totals.shape[1]):
            counts[level + j, c] = totals[j, c]


@internal_allocating
def first_of(grown, n, n_listed):
    """The first n nodes, and the first of the values that they list."""
    counts, kind, feature, lower, upper, first, width, listed = grown
    return counts[:n], kind[:n], feature[:n], lower[:n], upper[:n], first[:n], width[:n], listed[:n_listed]
