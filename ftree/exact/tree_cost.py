"""What a tree costs by an objective, with a penalty for leaves and prices of features."""

from collections.abc import Mapping
from math import fsum
from typing import Any

import numpy as np

from ftree.exact.objectives import ERRORS, Objective, objective_for
from ftree.tree.nodes import Branch, Leaf, Tree, check_tree, preorder


def tree_cost(
    tree: Tree,
    *,
    objective: Objective = ERRORS,
    leaf_penalty: float = 0.0,
    feature_costs: Mapping[str, float] | None = None,
) -> float:
    """The sum of the costs of all leaves, of the penalties of those with a case, and of the features that branches test.

    `leaf_penalty` and `feature_costs` are shares of the tree's cases, as in `optimal`.

    >>> from ftree import Schema
    >>> tree_cost(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))), leaf_penalty=0.25)
    2.0
    """
    check_tree(tree)
    made, cases = objective_for(objective, np.array(tree.root.counts)), sum(tree.root.counts)
    leaves = [node.counts for node in preorder(tree) if isinstance(node, Leaf) and any(node.counts)]
    prices = feature_costs or {}
    tested = [number for node in preorder(tree) if isinstance(node, Branch) for number in node.split.features]
    own: list[Any] = [prices.get(tree.schema.features[number].name, 0.0) for number in tested]
    penalties = leaf_penalty * cases * len(leaves)
    return fsum([*np.atleast_1d(made(np.array(leaves, dtype=np.float64))).tolist(), penalties, *(cases * price for price in own)])
