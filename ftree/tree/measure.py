"""Sizes of a tree: nodes, leaves, depth, class counts."""

from collections.abc import Hashable

from ftree.tree.fold import fold
from ftree.tree.nodes import Node, Tree, check_tree


def n_nodes(tree: Tree | Node) -> int:
    """Number of nodes, leaves and branches.

    >>> from ftree import Leaf
    >>> n_nodes(Leaf((1, 2)))
    1
    """
    return fold(tree, lambda _: 1, lambda _, below: 1 + sum(below))


def n_leaves(tree: Tree | Node) -> int:
    """Number of leaves.

    >>> from ftree import Leaf
    >>> n_leaves(Leaf((1, 2)))
    1
    """
    return fold(tree, lambda _: 1, lambda _, below: sum(below))


def depth(tree: Tree | Node) -> int:
    """Number of branches on the longest path from the root; 0 for a leaf.

    >>> from ftree import Leaf
    >>> depth(Leaf((1, 2)))
    0
    """
    return fold(tree, lambda _: 0, lambda _, below: 1 + max(below))


def class_counts(tree: Tree) -> dict[Hashable, float]:
    """Cases of each class that the tree was grown on.

    >>> from ftree import Leaf, Schema
    >>> class_counts(Tree(Schema((), "ride", ("no", "yes")), Leaf((1, 2))))
    {'no': 1, 'yes': 2}
    """
    check_tree(tree)
    return dict(zip(tree.schema.classes, tree.root.counts, strict=True))
