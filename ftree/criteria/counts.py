"""Attribute-value-class counts of the open nodes, which an engine passes to the search."""

from attrs import frozen

from ftree._lib.arrays import Array


@frozen(eq=False)
class Avc:
    """Attribute-value-class counts of the open nodes: one row for each value that is present in a node.

    Rows are sorted by node, then feature, then value; a missing value is NaN and comes last. The counts of a table are
    the sums of the counts of its parts. Source: Gehrke et al. 1998, RainForest.
    """

    node: Array
    feature: Array
    value: Array
    counts: Array


@frozen(eq=False)
class Joint:
    """Class counts of the vectors of several numeric features: one row for each vector that is present in an open node.

    Rows are sorted by node, then by the values in the features' order; a missing value is NaN and comes last.
    """

    node: Array
    vector: Array
    counts: Array
