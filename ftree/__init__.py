"""Decision trees as values: grow them by a policy you compose, prune them, read them, and trust them.

The verbs and nouns you need first are here; families live in their modules: `ftree.stop` (stopping rules),
`ftree.prune` (pruning passes), `ftree.impurity`, `ftree.families` and `ftree.oblique` (split families), `ftree.testing`
(laws), and the learners that trees are compared with, `ftree.neighbors` and `ftree.linear`.
"""

from ftree import linear, neighbors, prune, stop
from ftree.convert import from_dict, to_dict
from ftree.dataset import Dataset
from ftree.edit import collapse_at, diff, is_pruning_of, map_leaves, recount, replace_at, subtree_at
from ftree.evaluate import confusion, cross_validate, learning_curve, split_frequencies
from ftree.families import multiway, subset, threshold
from ftree.fold import fold, leaves, unfold, walk
from ftree.grow import grow
from ftree.impurity import (
    entropy,
    gain,
    gain_ratio,
    gini,
    kl_divergence,
    laplace,
    m_estimate,
    misclassification,
    split_information,
)
from ftree.measure import class_counts, depth, importances, n_leaves, n_nodes
from ftree.oblique import oblique
from ftree.policy import CART, ID3, Policy
from ftree.predict import accuracy, leaf_of, path_of, predict, predict_counts, predict_proba
from ftree.render.text import text
from ftree.rules import dnf, holds, latex, rules
from ftree.schema import Feature, Schema
from ftree.split import Backed, Groups, Intervals, Multiway, Oblique, Split, Subset, Surrogate, Threshold
from ftree.tree import Branch, Leaf, Node, Tree, majority

__all__ = [
    "CART",
    "ID3",
    "Backed",
    "Branch",
    "Dataset",
    "Feature",
    "Groups",
    "Intervals",
    "Leaf",
    "Multiway",
    "Node",
    "Oblique",
    "Policy",
    "Schema",
    "Split",
    "Subset",
    "Surrogate",
    "Threshold",
    "Tree",
    "accuracy",
    "class_counts",
    "collapse_at",
    "confusion",
    "cross_validate",
    "depth",
    "diff",
    "dnf",
    "entropy",
    "fold",
    "from_dict",
    "gain",
    "gain_ratio",
    "gini",
    "grow",
    "holds",
    "importances",
    "is_pruning_of",
    "kl_divergence",
    "laplace",
    "latex",
    "leaf_of",
    "learning_curve",
    "leaves",
    "linear",
    "m_estimate",
    "majority",
    "map_leaves",
    "misclassification",
    "multiway",
    "n_leaves",
    "n_nodes",
    "neighbors",
    "oblique",
    "path_of",
    "predict",
    "predict_counts",
    "predict_proba",
    "prune",
    "recount",
    "replace_at",
    "rules",
    "split_frequencies",
    "split_information",
    "stop",
    "subset",
    "subtree_at",
    "text",
    "threshold",
    "to_dict",
    "unfold",
    "walk",
]
