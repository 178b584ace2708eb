"""A tree with its thresholds at given values."""

from collections.abc import Sequence

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Floats
from ftree._lib.recursion import fold_over
from ftree.tree.nodes import Branch, Leaf, Node, Tree, children, with_children
from ftree.tree.splits.optional import at_observed as with_observed
from ftree.tree.splits.protocol import Columns


def values_of_columns(columns: Columns) -> list[Floats | None]:
    """The distinct known values of each column of numbers, sorted; None for other columns.

    >>> import numpy as np
    >>> values_of_columns((np.array([2.0, np.nan, 1.0, 2.0]), np.array([0, 1])))
    [array([1., 2.]), None]
    """
    return [np.unique(column[~np.isnan(column)]) if column.dtype.kind == "f" else None for column in columns]


def at_values(tree: Tree, values: Sequence[Floats | None]) -> Tree:
    """The tree with each threshold moved down to the largest of a feature's sorted values that is not above it.

    Features with None keep their thresholds.

    >>> from ftree import Dataset, grow
    >>> twig = grow(Dataset.from_rows([[1.0], [2.0]], ["low", "high"]))
    >>> at_values(twig, [np.array([1.0, 2.0])]).root.split
    Threshold(feature=0, at=1.0)
    """

    def moved(node: Node, below: tuple[Node, ...]) -> Node:
        if isinstance(node, Leaf):
            return node
        split = with_observed(node.split, values)
        return with_children(node, below) if split is node.split else Branch(node.counts, split, below)

    return evolve(tree, root=fold_over(tree.root, children, moved))
