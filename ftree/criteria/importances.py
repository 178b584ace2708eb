"""The part of each feature in the impurity decrease of a tree's splits."""

from typing import Literal

import numpy as np
from toolz import concat, groupby

from ftree._lib.fields import name_of, require_boolean
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import Impurity
from ftree.criteria.impurity_of_sums import impurity_for
from ftree.criteria.scores import gain
from ftree.tree.nodes import Branch, Tree, check_tree, preorder
from ftree.tree.response_protocol import Response
from ftree.tree.splits.split import Split, primary, stand_ins


def importances(
    tree: Tree, *, by: Literal["gain", "splits"] = "gain", impurity: Impurity | None = None, surrogates: bool = False
) -> dict[str, float]:
    """Each feature's share of the tree's decrease in `impurity`, or, by "splits", of its splits; the shares sum to 1.

    The impurity is entropy, whatever grew the tree: `impurity=gini` gives scikit-learn's numbers of a Gini tree. In a regression
    tree, the decrease is that of squared errors, in one of another response that of its losses. It is that of all cases of a
    node; rpart's is that of the cases whose value is known.

    Features of a weighted sum share its decrease equally, since weights depend on units. With `surrogates`, a surrogate's feature
    gets the decrease of the split times its adjusted agreement. A feature that splits no node has 0, and all have 0 in a tree
    without any decrease. `permutation_importances` in `ftree.study` measures what each feature contributes to accuracy.

    Raises a ValueError for another `by`, and for an impurity that plays no part: one of class counts for a tree without classes,
    one of sums for a tree of classes, and any with `by="splits"`.

    Source: Breiman et al. 1984, section 5.3.4; with surrogates, Therneau & Atkinson's rpart.

    >>> from ftree import datasets, grow
    >>> tree = grow(datasets.weather())
    >>> {name: round(share, 3) for name, share in importances(tree).items()}
    {'outlook': 0.262, 'temperature': 0.0, 'humidity': 0.369, 'windy': 0.369}
    >>> importances(tree, by="splits")["outlook"] == 1 / 3
    True
    """
    check_tree(tree)
    if not (isinstance(by, str) and by in ("gain", "splits")):
        raise ValueError(f"by must be 'gain' or 'splits', got {short_repr(by)}.")
    require_boolean("surrogates", surrogates)
    if by == "splits" and impurity is not None:
        raise ValueError(f"impurity must be left out with by='splits', which counts splits, got {name_of(impurity)}.")
    measure = impurity_for(tree.schema, impurity)
    inner = [node for node in preorder(tree) if isinstance(node, Branch)]
    by_n_children: dict[int, list[Branch]] = groupby(lambda branch: len(branch.children), inner)
    due = np.zeros(len(tree.schema.features))
    for branches in by_n_children.values():  # one call for all branches with this number of children
        worth = np.ones(len(branches))
        if by == "gain" and not tree.schema.has_classes:
            worth = np.array([_risk_decrease(branch, tree.schema.response) for branch in branches])
        elif by == "gain":  # times its cases
            counts = np.array([[child.counts for child in branch.children] for branch in branches], dtype=np.float64)
            gains = gain(counts, measure)
            worth = np.array([sum(branch.counts) for branch in branches]) * gains
        parts = [_parts(branch.split, surrogates=surrogates) for branch in branches]
        features, part = zip(*concat(parts), strict=True)
        np.add.at(due, list(features), np.repeat(worth, list(map(len, parts))) * part)
    shares = due / (due.sum() or 1.0)
    return {feature.name: float(share) for feature, share in zip(tree.schema.features, shares, strict=True)}


def _risk_decrease(branch: Branch, response: Response) -> float:
    """The decrease of a node's risk by a split."""
    return response.risk(branch.counts) - sum(response.risk(child.counts) for child in branch.children)


def _parts(split: Split, *, surrogates: bool) -> list[tuple[int, float]]:
    """The features of a split, each with its part of the split's importance."""
    used = primary(split).features
    own = [(feature, 1.0 / len(used)) for feature in used]
    counted = stand_ins(split) if surrogates else ()
    return own + [(surrogate.split.feature, surrogate.adjusted) for surrogate in counted]
