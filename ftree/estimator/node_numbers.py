"""Nodes by number, in scikit-learn's order: the root is 0, and a branch is followed by its first child's subtree."""

from collections.abc import Container, Iterator

import numpy as np
from scipy.sparse import csr_matrix

from ftree._lib.arrays import Array
from ftree.tree.measure import n_nodes
from ftree.tree.nodes import Branch, Leaf, Tree, preorder


def numbers_of_leaves(tree: Tree) -> Array:
    """The number of each leaf, from left to right.

    >>> from ftree import Feature, Schema, Threshold
    >>> twig = Branch((1, 2), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 2))))
    >>> numbers_of_leaves(Tree(Schema([Feature("x", "numeric")], "class", (0, 1)), twig)).tolist()
    [1, 2]
    """
    return np.array([number for number, node in enumerate(preorder(tree)) if isinstance(node, Leaf)])


def paths_to_leaves(tree: Tree, leaves: Array) -> csr_matrix:
    """The nodes on the paths to leaves, given by number, as a sparse matrix (n, nodes) of ones.

    >>> from ftree import Feature, Schema, Threshold
    >>> twig = Branch((1, 2), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 2))))
    >>> tree = Tree(Schema([Feature("x", "numeric")], "class", (0, 1)), twig)
    >>> paths_to_leaves(tree, np.array([1, 2])).toarray().tolist(), paths_to_leaves(tree, np.array([2])).toarray().tolist()
    ([[1, 1, 0], [1, 0, 1]], [[1, 0, 1]])
    """
    distinct, which = np.unique(leaves, return_inverse=True)
    paths = list(_paths(tree, set(distinct.tolist())))
    ends = np.cumsum([0, *map(len, paths)])
    nodes = np.concatenate(paths)
    of_each_leaf = csr_matrix((np.ones(len(nodes), np.int64), nodes, ends), shape=(len(paths), n_nodes(tree)))
    return of_each_leaf[which]


def _paths(tree: Tree, wanted: Container[int]) -> Iterator[list[int]]:
    """The numbers of the nodes on the path to each wanted leaf, from left to right."""
    above: list[list[int]] = []  # numbers of branches, each with the number of its children still to be visited
    for number, node in enumerate(preorder(tree)):
        while above and not above[-1][1]:
            above.pop()
        if above:
            above[-1][1] -= 1
        if isinstance(node, Branch):
            above.append([number, len(node.children)])
        elif number in wanted:
            yield [*(branch for branch, _ in above), number]
