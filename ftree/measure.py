"""Questions about a tree that are folds of two lines."""

from collections import defaultdict
from collections.abc import Hashable

import numpy as np
from toolz import concat

from ftree.fold import fold
from ftree.impurity import Impurity, entropy
from ftree.impurity import gain as gain_of
from ftree.split import Backed, Split, features_of, primary
from ftree.tree import Branch, Node, Tree, check_tree, preorder


def n_nodes(tree: Tree | Node) -> int:
    """Number of nodes, leaves and branches.

    >>> from ftree.tree import Leaf
    >>> n_nodes(Leaf((1, 2)))
    1
    """
    return fold(tree, lambda _: 1, lambda _, below: 1 + sum(below))


def n_leaves(tree: Tree | Node) -> int:
    """Number of leaves.

    >>> from ftree.tree import Leaf
    >>> n_leaves(Leaf((1, 2)))
    1
    """
    return fold(tree, lambda _: 1, lambda _, below: sum(below))


def depth(tree: Tree | Node) -> int:
    """Number of questions on the longest path; 0 for a leaf.

    >>> from ftree.tree import Leaf
    >>> depth(Leaf((1, 2)))
    0
    """
    return fold(tree, lambda _: 0, lambda _, below: 1 + max(below))


def class_counts(tree: Tree) -> dict[Hashable, float]:
    """Cases of each class that the tree was grown on.

    >>> from ftree.schema import Schema
    >>> from ftree.tree import Leaf
    >>> class_counts(Tree(Schema((), "ride", ("no", "yes")), Leaf((1, 2))))
    {'no': 1, 'yes': 2}
    """
    check_tree(tree)
    return dict(zip(tree.schema.classes, tree.root.counts, strict=True))


def importances(tree: Tree, *, impurity: Impurity = entropy, surrogates: bool = False) -> dict[str, float]:
    """How much of the impurity that the tree takes off is due to each feature; shares that sum to 1.

    A sum of features shares what it takes off equally among them, since its weights depend on units. With `surrogates`, a
    surrogate has a part as well: what its split takes off, times its adjusted agreement.
    All are 0 for a tree that takes off none. A feature that splits no node has 0.

    Source: Breiman et al. 1984, section 5.3.4; with surrogates, Therneau & Atkinson's rpart.

    >>> from ftree.schema import Schema
    >>> from ftree.tree import Leaf
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
    backed = split.surrogates if surrogates and isinstance(split, Backed) else ()
    return own + [(surrogate.split.feature, surrogate.adjusted) for surrogate in backed]
