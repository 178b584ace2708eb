"""Attribute-value-class counts of the open nodes, which an engine passes to the search."""

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, run_starts


@frozen(eq=False)
class Avc:
    """Attribute-value-class counts of the open nodes: one row for each value that is present in a node.

    Rows are sorted by node, then feature, then value; a missing value is NaN and comes last. The counts of a table are
    the sums of the counts of its parts. Source: Gehrke et al. 1998, RainForest.

    >>> from ftree.datasets import xor
    >>> from ftree.growth import EngineSetup, plain
    >>> counted = plain(xor(), EngineSetup()).count()
    >>> counted.feature.tolist(), counted.value.tolist(), counted.counts.tolist()
    ([0, 0, 1, 1], [0.0, 1.0, 0.0, 1.0], [[1, 1], [1, 1], [1, 1], [1, 1]])
    """

    node: Array
    feature: Array
    value: Array
    counts: Array


@frozen(eq=False)
class Joint:
    """Class counts of value vectors of several numeric features: one row for each vector that is present in an open node.

    Rows are sorted by node, then by the values in the features' order; a missing value is NaN and comes last.

    >>> from ftree import Dataset
    >>> from ftree.growth import EngineSetup, plain
    >>> table = Dataset.from_rows([[1, 2], [1, 2], [3, 4]], ["a", "b", "b"])
    >>> found = plain(table, EngineSetup()).joint([0, 1])
    >>> found.vector.tolist(), found.counts.tolist()
    ([[1.0, 2.0], [3.0, 4.0]], [[1, 1], [0, 1]])
    """

    node: Array
    vector: Array
    counts: Array


def merge(one: Avc, other: Avc) -> Avc:
    """The counts of a table, given the counts of two parts of its rows; nodes and features have the same numbers in both.

    >>> part = Avc(np.array([0]), np.array([0]), np.array([2.5]), np.array([[1, 0]]))
    >>> whole = merge(part, part)
    >>> whole.value.tolist(), whole.counts.tolist()
    ([2.5], [[2, 0]])
    """
    pairs = ((one.node, other.node), (one.feature, other.feature), (one.value, other.value), (one.counts, other.counts))
    node, feature, value, counts = map(np.concatenate, pairs)
    missing = np.isnan(value)
    known = np.where(missing, 0.0, value)
    order = np.lexsort((known, missing, feature, node))
    starts = run_starts(node[order], feature[order], missing[order], known[order])
    first = order[starts]
    return Avc(node[first], feature[first], value[first], np.add.reduceat(counts[order], starts))
