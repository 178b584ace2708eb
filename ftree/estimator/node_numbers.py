"""Nodes by number, in scikit-learn's order: the root is 0, and behind a branch come all nodes below its first child."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix

from ftree._lib.arrays import Array
from ftree.routing.flat import Flat, flat
from ftree.routing.route import WeightedRows, by_child, child_sizes
from ftree.tree.nodes import Leaf, Node, Tree
from ftree.tree.splits.protocol import UNKNOWN, Columns


def leaf_number_of_each(tree: Tree, columns: Columns, n: int) -> Array:
    """The number of the leaf that each row reaches, (n,); a row without an answer goes to the child with the most cases.

    >>> from ftree import Branch, Feature, Schema, Threshold
    >>> twig = Branch((1, 2), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 2))))
    >>> tree = Tree(Schema([Feature("x", "numeric")], "class", (0, 1)), twig)
    >>> leaf_number_of_each(tree, (np.array([0.0, 1.0, np.nan]),), 3).tolist()
    [1, 2, 2]
    """
    nodes = flat(tree.root)
    leaf = nodes.leaf_numbers(columns, n)
    unanswered = np.flatnonzero(leaf == UNKNOWN)
    if len(unanswered):
        _follow_heaviest(tree.root, nodes, columns, unanswered, leaf)
    return depth_first(_parents(nodes))[leaf]


def paths_to_leaves(tree: Tree, leaves: Array) -> csr_matrix:
    """The nodes on the way to leaves, given by number, as a sparse matrix (n, nodes) of ones.

    >>> from ftree import Branch, Feature, Schema, Threshold
    >>> twig = Branch((1, 2), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 2))))
    >>> tree = Tree(Schema([Feature("x", "numeric")], "class", (0, 1)), twig)
    >>> paths_to_leaves(tree, np.array([1, 2, 2])).toarray().tolist()
    [[1, 1, 0], [1, 0, 1], [1, 0, 1]]
    """
    parents = _parents(flat(tree.root))
    number = depth_first(parents).tolist()
    above = {number[node]: number[parent] for node, parent in enumerate(parents) if node}
    distinct, which = np.unique(leaves, return_inverse=True)
    paths = [_path(leaf, above) for leaf in distinct.tolist()]
    ends = np.cumsum([0, *map(len, paths)])
    indices = np.array([node for path in paths for node in path], dtype=np.intp)
    of_each_leaf = csr_matrix((np.ones(len(indices), np.int64), indices, ends), shape=(len(paths), len(parents)))
    return of_each_leaf[which]


def depth_first(parents: Sequence[int]) -> Array:
    """The number in depth-first order of each node; the nodes are given level by level, with the place of their parent.

    >>> depth_first([-1, 0, 0, 1, 1]).tolist()
    [0, 1, 4, 2, 3]
    """
    size = [1] * len(parents)
    for node in range(len(parents) - 1, 0, -1):
        size[parents[node]] += size[node]
    number, following = [0] * len(parents), [1] * len(parents)
    for node in range(1, len(parents)):
        number[node] = following[parents[node]]
        following[node] = number[node] + 1
        following[parents[node]] += size[node]
    return np.array(number)


def _parents(nodes: Flat) -> list[int]:
    """The parent of each node, level by level; -1 for the root."""
    listed: list[int] = np.repeat(np.arange(len(nodes.arity)), nodes.arity).tolist()
    return [-1, *listed]


def _path(leaf: int, above: dict[int, int]) -> list[int]:
    """The numbers of a leaf and all nodes above it, in rising order."""
    path = [leaf]
    while path[-1]:
        path.append(above[path[-1]])
    return path[::-1]


def _follow_heaviest(root: Node, nodes: Flat, columns: Columns, rows: Array, leaf: Array) -> None:
    """Write the leaf of each of the rows; those without an answer at a split follow its child with the most cases."""
    stack: list[tuple[Node, int, WeightedRows]] = [(root, 0, (rows, rows))]
    while stack:
        node, place, here = stack.pop()
        if isinstance(node, Leaf):
            leaf[here[0]] = place
            continue
        *known, (unanswered, _) = by_child(node.split, columns, here)
        heaviest = int(child_sizes(node).argmax())
        for number, (child, (arrived, _)) in enumerate(zip(node.children, known, strict=True)):
            all_ = np.concatenate([arrived, unanswered]) if number == heaviest else arrived
            if len(all_):
                stack.append((child, int(nodes.first_child[place]) + number, (all_, all_)))
