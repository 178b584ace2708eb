"""Importances of features: their shares of the decrease in impurity."""

from collections import defaultdict

import numpy as np
from toolz import concat

from ftree.criteria.impurity import Impurity, entropy
from ftree.criteria.scores import gain as gain_of
from ftree.tree.nodes import Branch, Tree, check_tree, preorder
from ftree.tree.splits.optional import primary, stand_ins
from ftree.tree.splits.protocol import Split


def importances(tree: Tree, *, impurity: Impurity = entropy, surrogates: bool = False) -> dict[str, float]:
    """Each feature's share of the tree's decrease in impurity; the shares sum to 1.

    The features of a weighted sum share its decrease equally, since weights depend on units. With `surrogates`, a
    surrogate's feature gets the decrease of the split times the surrogate's adjusted agreement.
    A feature that splits no node has 0, and all have 0 in a tree without any decrease.

    Source: Breiman et al. 1984, section 5.3.4; with surrogates, Therneau & Atkinson's rpart.

    >>> from ftree import Leaf, Schema
    >>> importances(Tree(Schema((), "ride", ("no", "yes")), Leaf((1, 2))))
    {}
    """
    check_tree(tree)
    by_n_children: defaultdict[int, list[Branch]] = defaultdict(list)
    for node in preorder(tree):
        if isinstance(node, Branch):
            by_n_children[len(node.children)].append(node)
    decrease = np.zeros(len(tree.schema.features))
    for branches in by_n_children.values():  # one call for all with this number of children
        gains = gain_of([[child.counts for child in branch.children] for branch in branches], impurity)
        sizes = [sum(branch.counts) for branch in branches]
        parts = [_parts(branch.split, surrogates=surrogates) for branch in branches]
        features, due = zip(*concat(parts), strict=True)
        np.add.at(decrease, list(features), np.repeat(sizes * gains, list(map(len, parts))) * due)
    shares = decrease / (decrease.sum() or 1.0)
    return {feature.name: float(share) for feature, share in zip(tree.schema.features, shares, strict=True)}


def _parts(split: Split, *, surrogates: bool) -> list[tuple[int, float]]:
    """The features of a split, each with its part of the split's gain."""
    used = primary(split).features
    own = [(feature, 1.0 / len(used)) for feature in used]
    counted = stand_ins(split) if surrogates else ()
    return own + [(surrogate.split.feature, surrogate.adjusted) for surrogate in counted]
