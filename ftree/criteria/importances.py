"""Importances: how much of the impurity each feature takes off."""

from collections import defaultdict

import numpy as np
from toolz import concat

from ftree.criteria.impurity import Impurity, entropy
from ftree.criteria.scores import gain as gain_of
from ftree.tree.nodes import Branch, Tree, check_tree, preorder
from ftree.tree.splits import Split, WithSurrogates, features_of, primary


def importances(tree: Tree, *, impurity: Impurity = entropy, surrogates: bool = False) -> dict[str, float]:
    """How much of the impurity that the tree takes off is due to each feature; shares that sum to 1.

    A sum of features shares what it takes off equally among them, since its weights depend on units. With `surrogates`, a
    surrogate has a part as well: what its split takes off, times its adjusted agreement.
    All are 0 for a tree that takes off none. A feature that splits no node has 0.

    Source: Breiman et al. 1984, section 5.3.4; with surrogates, Therneau & Atkinson's rpart.

    >>> from ftree import Leaf, Schema
    >>> importances(Tree(Schema((), "ride", ("no", "yes")), Leaf((1, 2))))
    {}
    """
    check_tree(tree)
    alike: defaultdict[int, list[Branch]] = defaultdict(list)
    for node in preorder(tree):
        if isinstance(node, Branch):
            alike[len(node.children)].append(node)
    taken = np.zeros(len(tree.schema.features))
    for branches in alike.values():  # those with as many children in one call
        gains = gain_of([[child.counts for child in branch.children] for branch in branches], impurity)
        sizes = [sum(branch.counts) for branch in branches]
        parts = [_parts(branch.split, surrogates=surrogates) for branch in branches]
        features, due = zip(*concat(parts), strict=True)
        np.add.at(taken, list(features), np.repeat(sizes * gains, list(map(len, parts))) * due)
    shares = taken / (taken.sum() or 1.0)
    return {feature.name: float(share) for feature, share in zip(tree.schema.features, shares, strict=True)}


def _parts(split: Split, *, surrogates: bool) -> list[tuple[int, float]]:
    """The features that a split's gain is due to, and which part of it."""
    asked = features_of(primary(split))
    own = [(feature, 1.0 / len(asked)) for feature in asked]
    backed = split.surrogates if surrogates and isinstance(split, WithSurrogates) else ()
    return own + [(surrogate.split.feature, surrogate.adjusted) for surrogate in backed]
