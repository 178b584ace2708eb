"""Hierarchical shrinkage: the class probabilities of each node are moved towards those of its ancestors.

A leaf with few cases is unreliable. So its estimate is averaged with its ancestors', the more so the fewer cases they have.
"""

from collections.abc import Sequence

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import is_finite
from ftree._lib.messages import short_repr
from ftree.tree.build import new_branches, new_leaves, new_tree, set_children
from ftree.tree.nodes import Branch, Counts, Node, Tree, check_tree, level_order


def shrunk(tree: Tree, strength: float) -> Tree:
    """The tree with new class counts of unchanged weight, distributed as hierarchical shrinkage estimates them.

    A child's estimate is its parent's estimate plus the difference of their class shares, divided by 1 + strength / weight
    of the parent. An estimate is thus a mean of the shares along the path. With strength 0 it is the tree itself; with a large
    strength, all nodes have the root's shares. A node without cases has its parent's estimate. `recount` restores counts.

    Raises a ValueError for a strength that is not a finite number from 0.

    Source: Agarwal, Tan, Ronen, Singh & Yu 2022, equation 2.

    >>> from ftree import Dataset, evolve, grow, predict_proba
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"], ["rainy"]], ["play", "stay", "stay", "stay"]))
    >>> predict_proba(shrunk(tree, 4), ["sunny"]).tolist()
    [0.625, 0.375]
    """
    check_tree(tree)
    if not (is_finite(strength) and strength >= 0):
        message = f"strength must be a finite number from 0, got {short_repr(strength)}."
        raise ValueError(message)
    if strength == 0:
        return tree
    nodes, below = level_order(tree.root)
    counts = np.array([node.counts for node in nodes], dtype=np.float64)
    estimates = counts.sum(axis=1, keepdims=True) * _estimates(counts, np.array(list(map(len, below))), strength)
    root = _with_counts(nodes, below, list(map(tuple, estimates.tolist())))
    return new_tree(tree.schema, root, missing=tree.missing)


def _estimates(counts: Floats, arity: Array, strength: float) -> Floats:
    """The probabilities of each node (m, K), computed from counts level by level."""
    weight = counts.sum(axis=1)
    shares = counts / np.where(weight > 0, weight, 1)[:, None]
    answer, start, end = shares.copy(), 0, 1
    while end < len(counts):
        parent = np.repeat(np.arange(start, end), arity[start:end])
        start, end = end, end + len(parent)
        known = weight[start:end] > 0  # then the parent has cases as well
        own, above = np.arange(start, end)[known], parent[known]
        answer[start:end] = answer[parent]
        answer[own] += (shares[own] - shares[above]) / (1 + strength / weight[above])[:, None]
    return np.maximum(answer, 0)  # rounding may make it negative


def _with_counts(nodes: Sequence[Node], below: Sequence[range], counts: list[Counts]) -> Node:
    """The first of all nodes, rebuilt with the given counts for each node."""
    old = [(place, node.split) for place, node in enumerate(nodes) if isinstance(node, Branch)]
    branches = new_branches([counts[place] for place, _ in old], [split for _, split in old])
    new: list[Node] = list(new_leaves(counts))
    for (place, _), branch in zip(old, branches, strict=True):
        new[place] = branch
    set_children(branches, [tuple(new[child] for child in below[place]) for place, _ in old])
    return new[0]
