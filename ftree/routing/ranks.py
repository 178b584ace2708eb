"""The leaves that rows reach by a rule that follows one route, as their numbers from left to right."""

import numpy as np

from ftree._lib.arrays import Array
from ftree.routing.flat import flat
from ftree.routing.reached import Reached
from ftree.routing.shares import one_route
from ftree.tree.nodes import Tree
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import UNKNOWN, Columns


def leaf_ranks(rows: Reached, rule: PredictionRule) -> Array:
    """The number of the leaf, from left to right, that each row reaches by a rule that follows one route; else -1."""
    leaf, unanswered = rows.leaf, rows.unanswered()
    if len(unanswered):
        leaf = leaf.copy()
        leaf[unanswered] = _one_way_down(rows.tree, rows.columns_at(unanswered), len(unanswered), rule)
    # The last rank is for rows that reach no leaf.
    ranks: Array = np.append(flat(rows.tree.root).leaf_ranks, UNKNOWN)[leaf]
    return ranks


def _one_way_down(tree: Tree, columns: Columns, n: int, rule: PredictionRule) -> Array:
    """The node number of the leaf that each row reaches by a rule that follows one route; -1 for a row that stops before."""
    nodes = flat(tree.root)
    reached = np.full(n, UNKNOWN)
    stack = [(0, np.arange(n))]
    while stack:
        node, here = stack.pop()
        split = nodes.questions.splits[node]
        if split is None:
            reached[here] = node
            continue
        child = child_of(split, *(columns[feature][here] for feature in split.features))
        if (child == UNKNOWN).any():
            below = slice(nodes.first_child[node], nodes.first_child[node] + nodes.arity[node])
            followed = one_route(rule, nodes.sizes[below])
            child = np.where(child == UNKNOWN, UNKNOWN if followed is None else followed, child)
        known = [(int(nodes.first_child[node]) + each, here[child == each]) for each in np.unique(child).tolist() if each >= 0]
        stack += known
    return reached
