"""Decision trees as values: grow them by a policy you compose, prune them, read them, and trust them.

The verbs and nouns you need first are here; families live in their modules: `ftree.stop` (stopping rules),
`ftree.prune` (pruning passes), `ftree.impurity`, `ftree.families` and `ftree.oblique` (split families), `ftree.testing`
(laws), and the learners that trees are compared with, `ftree.neighbors` and `ftree.linear`.
"""

from ftree import linear, neighbors, prune, stop
from ftree.algorithms import c45, cart, chaid, id3
from ftree.convert import from_dict, to_dict
from ftree.costs import cost_risk
from ftree.dataset import Dataset
from ftree.edit import collapse_at, diff, is_pruning_of, map_leaves, recount, replace_at, subtree_at
from ftree.evaluate import confusion, cross_validate, learning_curve, split_frequencies
from ftree.families import (
    by_feature,
    by_gain_ratio,
    by_score,
    intervals,
    merging,
    multiway,
    one_value,
    random_features,
    random_threshold,
    subset,
    tenth_of_a_class,
    threshold,
)
from ftree.fold import fold, leaves, unfold, walk
from ftree.grow import grow
from ftree.impurity import (
    compiled_impurity,
    dkm,
    entropy,
    g_significance,
    gain,
    gain_ratio,
    gini,
    hellinger,
    kl_divergence,
    laplace,
    likelihood_ratio,
    m_estimate,
    misclassification,
    normalised_gain,
    pearson,
    significance,
    split_information,
    twoing,
)
from ftree.measure import class_counts, depth, importances, n_leaves, n_nodes
from ftree.oblique import oblique
from ftree.policy import C45, CART, CHAID, ID3, Policy, c45_policy
from ftree.predict import accuracy, leaf_of, mean_cost, path_of, predict, predict_counts, predict_proba
from ftree.render.text import text
from ftree.rules import dnf, holds, latex, rules
from ftree.schema import Feature, Schema
from ftree.split import Backed, Groups, Intervals, Multiway, Oblique, Split, Subset, Surrogate, Threshold
from ftree.surrogates import surrogates
from ftree.tree import Branch, Leaf, Node, Tree, majority

__all__ = [
    "C45",
    "CART",
    "CHAID",
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
    "by_feature",
    "by_gain_ratio",
    "by_score",
    "c45",
    "c45_policy",
    "cart",
    "chaid",
    "class_counts",
    "collapse_at",
    "compiled_impurity",
    "confusion",
    "cost_risk",
    "cross_validate",
    "depth",
    "diff",
    "dkm",
    "dnf",
    "entropy",
    "fold",
    "from_dict",
    "g_significance",
    "gain",
    "gain_ratio",
    "gini",
    "grow",
    "hellinger",
    "holds",
    "id3",
    "importances",
    "intervals",
    "is_pruning_of",
    "kl_divergence",
    "laplace",
    "latex",
    "leaf_of",
    "learning_curve",
    "leaves",
    "likelihood_ratio",
    "linear",
    "m_estimate",
    "majority",
    "map_leaves",
    "mean_cost",
    "merging",
    "misclassification",
    "multiway",
    "n_leaves",
    "n_nodes",
    "neighbors",
    "normalised_gain",
    "oblique",
    "one_value",
    "path_of",
    "pearson",
    "predict",
    "predict_counts",
    "predict_proba",
    "prune",
    "random_features",
    "random_threshold",
    "recount",
    "replace_at",
    "rules",
    "significance",
    "split_frequencies",
    "split_information",
    "stop",
    "subset",
    "subtree_at",
    "surrogates",
    "tenth_of_a_class",
    "text",
    "threshold",
    "to_dict",
    "twoing",
    "unfold",
    "walk",
]
