"""A tree with its thresholds at given values."""

from collections.abc import Sequence

from attrs import evolve

from ftree._lib.arrays import Floats
from ftree._lib.recursion import fold_over
from ftree.tree.nodes import Branch, Leaf, Node, Tree, children, with_children
from ftree.tree.splits.optional import at_observed as with_observed


def at_values(tree: Tree, values: Sequence[Floats | None]) -> Tree:
    """The tree with each threshold moved down to the largest of a feature's sorted values that is not above it.

    Features with None keep their thresholds.

    >>> import numpy as np
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
