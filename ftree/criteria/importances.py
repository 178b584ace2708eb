"""Importances of features in a tree: by the decrease in impurity, or by the number of splits."""

from collections import defaultdict
from typing import Literal

import numpy as np
from toolz import concat

from ftree._lib.arrays import Floats
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import Impurity, entropy
from ftree.criteria.scores import gain as gain_of
from ftree.tree.nodes import Branch, Tree, check_tree, preorder
from ftree.tree.splits.optional import primary, stand_ins
from ftree.tree.splits.protocol import Split


def importances(
    tree: Tree, *, by: Literal["gain", "splits"] = "gain", impurity: Impurity = entropy, surrogates: bool = False
) -> dict[str, float]:
    """Each feature's share of the tree's decrease in impurity, or, by "splits", of its splits; the shares sum to 1.

    The features of a weighted sum share its decrease equally, since weights depend on units. With `surrogates`, a
    surrogate's feature gets the decrease of the split times the surrogate's adjusted agreement.
    A feature that splits no node has 0, and all have 0 in a tree without any decrease. `permutation_importances` in
    `ftree.study` measures what each feature contributes to accuracy.

    Raises a ValueError for another `by`.

    Source: Breiman et al. 1984, section 5.3.4; with surrogates, Therneau & Atkinson's rpart.

    >>> from ftree import datasets, grow
    >>> tree = grow(datasets.weather())
    >>> {name: round(share, 3) for name, share in importances(tree).items()}
    {'outlook': 0.262, 'temperature': 0.0, 'humidity': 0.369, 'windy': 0.369}
    >>> importances(tree, by="splits")["outlook"] == 1 / 3
    True
    """
    check_tree(tree)
    if by not in ("gain", "splits"):
        message = f"by must be 'gain' or 'splits', got {short_repr(by)}."
        raise ValueError(message)
    by_n_children: defaultdict[int, list[Branch]] = defaultdict(list)
    for node in preorder(tree):
        if isinstance(node, Branch):
            by_n_children[len(node.children)].append(node)
    due = np.zeros(len(tree.schema.features))
    for branches in by_n_children.values():  # one call for all branches with this number of children
        worth = _decreases(branches, impurity) if by == "gain" else np.ones(len(branches))
        parts = [_parts(branch.split, surrogates=surrogates) for branch in branches]
        features, part = zip(*concat(parts), strict=True)
        np.add.at(due, list(features), np.repeat(worth, list(map(len, parts))) * part)
    shares = due / (due.sum() or 1.0)
    return {feature.name: float(share) for feature, share in zip(tree.schema.features, shares, strict=True)}


def _decreases(branches: list[Branch], impurity: Impurity) -> Floats:
    """The decrease in impurity of each branch, times its cases."""
    gains = gain_of([[child.counts for child in branch.children] for branch in branches], impurity)
    return np.array([sum(branch.counts) for branch in branches]) * gains


def _parts(split: Split, *, surrogates: bool) -> list[tuple[int, float]]:
    """The features of a split, each with its part of the split's importance."""
    used = primary(split).features
    own = [(feature, 1.0 / len(used)) for feature in used]
    counted = stand_ins(split) if surrogates else ()
    return own + [(surrogate.split.feature, surrogate.adjusted) for surrogate in counted]
