"""Hierarchical shrinkage: leaves predict by all nodes on the way to them (Agarwal et al. 2022)."""

import numpy as np

from ftree._lib.fields import is_finite
from ftree._lib.messages import short_repr
from ftree.tree.build import new_tree
from ftree.tree.nodes import Branch, Leaf, Node, Tree, check_tree, level_order


def shrunken(tree: Tree, weight: float) -> Tree:
    """The tree with class counts of leaves that are drawn towards those of the nodes above them.

    The probabilities of a node are those of its parent, and the difference to its own ones divided by 1 + weight / cases of the
    parent. A leaf keeps the number of its cases; counts of branches are sums. So all that predicts by counts, exports included,
    predicts by the shrunken ones. A weight of 0 changes no probability; a large one makes all leaves alike.

    Raises a TypeError for anything but a tree, a ValueError for a weight that is negative or no number.

    Source: Agarwal, Tan, Ronen, Singh & Yu 2022.

    >>> from ftree import Schema, Threshold, Feature
    >>> root = Branch((4, 4), Threshold(0, 0.5), [Leaf((4, 0)), Leaf((0, 4))])
    >>> shrunken(Tree(Schema((Feature("x", "numeric"),), "y", ("no", "yes")), root), 8).root.children
    (Leaf(counts=(3.0, 1.0)), Leaf(counts=(1.0, 3.0)))
    """
    check_tree(tree)
    if not (is_finite(weight) and weight >= 0):
        message = f"weight must be a finite number of at least 0, got {short_repr(weight)}."
        raise ValueError(message)
    nodes, below = level_order(tree.root)
    counts = np.array([node.counts for node in nodes], dtype=np.float64)
    cases = counts.sum(axis=1)
    shares = counts / np.maximum(cases, 1e-300)[:, None]
    shrunk = shares.copy()
    for number, children in enumerate(below):
        here = slice(children.start, children.stop)
        difference = (shares[here] - shares[number]) / (1.0 + weight / cases[number] if cases[number] else np.inf)
        shrunk[here] = shrunk[number] + np.where(cases[here, None] > 0, difference, 0.0)
    made: list[Node] = [Leaf(tuple(own.tolist())) for own in shrunk * cases[:, None]]
    for number in reversed(range(len(nodes))):
        node, parts = nodes[number], [made[child] for child in below[number]]
        if isinstance(node, Branch):
            total = np.sum([part.counts for part in parts], axis=0)
            made[number] = Branch(tuple(total.tolist()), node.split, parts)
    return new_tree(tree.schema, made[0], missing=tree.missing)
