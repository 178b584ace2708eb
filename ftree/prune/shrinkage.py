"""Hierarchical shrinkage: each node's class shares are drawn towards those of its parent."""

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import is_finite
from ftree._lib.messages import short_repr
from ftree.tree.edit import tree_with_counts
from ftree.tree.nodes import Tree, check_tree, level_order


def shrunk(tree: Tree, strength: float) -> Tree:
    """The tree with new counts of unchanged weight, distributed as hierarchical shrinkage estimates them.

    A child's estimate is its parent's estimate plus the difference of their class shares, divided by 1 + strength / weight
    of the parent. An estimate is thus a mean of the shares along the path. With strength 0 it is the tree itself; with a large
    strength, all nodes have the root's shares. A node without cases has its parent's estimate. `recount` restores counts.
    In a regression tree, means are estimated as shares of classes are. For events, the sums per case (events and exposure) are
    shrunk; their ratio is the rate.

    Raises a ValueError for a strength that is not a finite number from 0.

    Source: Agarwal, Tan, Ronen, Singh & Yu 2022, equation 2.

    >>> from ftree import Dataset, evolve, grow, predict_proba
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"], ["rainy"]], ["play", "stay", "stay", "stay"]))
    >>> predict_proba(shrunk(tree, 4), ["sunny"]).tolist()
    [0.625, 0.375]
    """
    check_tree(tree)
    if not (is_finite(strength) and strength >= 0):
        raise ValueError(f"strength must be a finite number from 0, got {short_repr(strength)}.")
    if strength == 0:
        return tree
    nodes, below = level_order(tree.root)
    counts = np.array([node.counts for node in nodes], dtype=np.float64)
    weight = tree.schema.response.weight(counts)
    estimates = weight[:, None] * _estimates(counts, weight, np.array(list(map(len, below))), strength)
    return tree_with_counts(tree, list(map(tuple, estimates.tolist())))


def _estimates(counts: Floats, weight: Floats, arity: Array, strength: float) -> Floats:
    """The probabilities of each node (m, K), computed from counts level by level."""
    shares = counts / np.where(weight > 0, weight, 1)[:, None]
    answer, start, end = shares.copy(), 0, 1
    while end < len(counts):
        parent = np.repeat(np.arange(start, end), arity[start:end])
        start, end = end, end + len(parent)
        known = weight[start:end] > 0  # then the parent has cases as well
        own, above = np.arange(start, end)[known], parent[known]
        answer[start:end] = answer[parent]
        answer[own] += (shares[own] - shares[above]) / (1 + float(strength) / weight[above])[:, None]
    return np.maximum(answer, 0)  # rounding may make it negative
