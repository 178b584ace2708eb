"""The leaf that each row reaches, by its number from left to right."""

from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree.data.in_kind import numbers_in_kind
from ftree.data.unseen import Unseen, check_unseen
from ftree.routing.flat import flat
from ftree.routing.reached import Reached, reach
from ftree.routing.rule_names import Missing, as_prediction_rule
from ftree.routing.shares import SIZES, one_route
from ftree.tree.nodes import Tree, check_tree
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import UNKNOWN, Columns


def apply(tree: Tree, rows: Any, *, missing: Missing = "heaviest", unseen: Unseen = "missing") -> Any:
    """The number of the leaf that each row reaches, in the order of `leaves(tree)`; rows and answers as for `predict`.

    At a split without an answer a row goes to the child with the most cases (`heaviest`), or where another rule says that
    follows one route; a row that stops before a leaf (`stop_here`) has the number -1.

    Raises a ValueError for a rule that follows several routes and for rows of another length, a KeyError for a column that
    the rows do not have.

    The path of each leaf, by its number:

    >>> from ftree import Dataset, Leaf, grow, walk
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> apply(tree, [["sunny"], ["rainy"], [None]])
    [1, 0, 0]
    >>> [path for path, node in walk(tree) if isinstance(node, Leaf)]
    [(0,), (1,)]
    """
    check_tree(tree)
    rule = as_prediction_rule(missing)
    one_route(rule, SIZES)
    check_unseen(tree.schema, rows, unseen)
    reached = reach(tree, rows)
    numbers = leaf_ranks(reached, rule)
    return int(numbers[0]) if reached.single else numbers_in_kind(rows, "leaf", numbers)


def leaf_ranks(rows: Reached, rule: PredictionRule) -> Array:
    """The number of the leaf that each row reaches by a rule that follows one route, from left to right; else -1."""
    leaf, unanswered = rows.leaf, rows.unanswered()
    if len(unanswered):
        leaf = leaf.copy()
        leaf[unanswered] = _one_way_down(rows.tree, rows.columns_at(unanswered), len(unanswered), rule)
    # The last rank is that of no leaf.
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
