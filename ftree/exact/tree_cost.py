"""The cost of a tree by an objective, with a penalty for leaves and prices of features."""

from collections.abc import Mapping
from math import fsum

import numpy as np

from ftree.exact.checks import charges_of, checked_objective, costs_of, require_price
from ftree.exact.objectives import ERRORS, Objective
from ftree.tree.nodes import Branch, Leaf, Tree, check_tree, preorder


def tree_cost(
    tree: Tree,
    *,
    objective: Objective = ERRORS,
    leaf_penalty: float = 0.0,
    feature_costs: Mapping[str, float] | None = None,
) -> float:
    """The sum of the costs of all leaves, of the penalties of leaves with cases, and of the features that branches test.

    `leaf_penalty` and `feature_costs` are shares of the tree's cases, as in `optimal`, whose errors are raised as well.

    >>> from ftree import Schema
    >>> tree_cost(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))), leaf_penalty=0.25)
    2.0
    """
    check_tree(tree)
    cases = sum(tree.root.counts)
    made = checked_objective(objective, np.array(tree.root.counts, dtype=np.float64))
    charges = charges_of(tree.schema, feature_costs, cases)
    require_price("leaf_penalty", leaf_penalty, cases)
    leaves = [node.counts for node in preorder(tree) if isinstance(node, Leaf) and any(node.counts)]
    tested = [number for node in preorder(tree) if isinstance(node, Branch) for number in node.split.features]
    own = costs_of(made, np.array(leaves, dtype=np.float64).reshape(len(leaves), len(tree.schema.classes)))
    return fsum([*own.tolist(), leaf_penalty * cases * len(leaves), *(cases * charges[number] for number in tested)])
