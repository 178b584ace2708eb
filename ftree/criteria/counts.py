"""Attribute-value-class counts of the open nodes: what an engine hands to the search."""

from attrs import frozen

from ftree._lib.arrays import Array


@frozen(eq=False)
class Avc:
    """Attribute-value-class counts of the open nodes: one row for each value present, no row for absent ones.

    Rows are sorted by node, then feature, then value; a missing value is NaN and comes last. Counts of parts of
    the rows merge by adding up (Gehrke et al. 1998, RainForest).
    """

    node: Array
    feature: Array
    value: Array
    counts: Array


@frozen(eq=False)
class Joint:
    """Vectors of several numeric features with class counts, in the open nodes: one row for each vector present.

    Rows are sorted by node, then by the values in the features' order; a missing value is NaN and comes last. As with
    `Avc`, counts of parts of the rows merge by adding up.
    """

    node: Array
    vector: Array
    counts: Array
