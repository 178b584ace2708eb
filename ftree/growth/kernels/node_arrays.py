"""The nodes that a kernel has grown so far, in arrays with room for more."""

from typing import Any, NamedTuple

from ftree._lib.jit import internal
from ftree.growth.split_arrays import NONE

# The properties of a node, by row of `GrownNodes.noted`.
KIND, FEATURE, LOWER, UPPER, FIRST, WIDTH = range(6)
N_NOTED = 6


class GrownNodes(NamedTuple):
    """All nodes so far and room for more: class counts (n, K), the properties of each (6, n), the values that splits list (m,).

    Properties are the kind of split, feature, values below and above a threshold, first child, number of listed values. A
    value is a code, or a row of the table that has it.
    """

    counts: Any
    noted: Any
    listed: Any


@internal
def add_leaves(grown, level, totals):
    """Add the nodes of one more level, as leaves. Raises a MemoryError if there is no room for them."""
    counts, noted = grown.counts, grown.noted
    if level + len(totals) > len(counts):
        raise MemoryError
    for j in range(len(totals)):
        for row in range(N_NOTED):
            noted[row, level + j] = 0
        noted[KIND, level + j], noted[FEATURE, level + j] = NONE, -1
        for c in range(totals.shape[1]):
            counts[level + j, c] = totals[j, c]
