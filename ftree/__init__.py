"""Decision trees as values: grow them by a policy you compose, prune them, read them, and trust them.

The verbs and nouns you need first are here; families live in their rooms: `ftree.stop` (stopping rules), `ftree.prune`
(pruning passes), `ftree.criteria` (impurities and scores), `ftree.splitters`, `ftree.testing` (laws), and the learners
that trees are compared with, `ftree.neighbors` and `ftree.linear`.
"""

from importlib import import_module
from typing import Any

# A name is imported when it is first used, so that `import ftree` costs next to nothing. Type checkers read __init__.pyi.
_ROOMS: dict[str, tuple[str, ...]] = {
    "ftree.algorithms": ("c45", "cart", "chaid", "id3"),
    "ftree.criteria": (
        "compiled_impurity",
        "cost_risk",
        "dkm",
        "entropy",
        "g_significance",
        "gain",
        "gain_ratio",
        "gini",
        "hellinger",
        "importances",
        "kl_divergence",
        "laplace",
        "likelihood_ratio",
        "m_estimate",
        "misclassification",
        "normalised_gain",
        "pearson",
        "significance",
        "split_information",
        "twoing",
    ),
    "ftree.data": ("Dataset",),
    "ftree.exchange": ("from_dict", "to_dict"),
    "ftree.growth": ("grow",),
    "ftree.policy": ("C45", "CART", "CHAID", "ID3", "Policy", "c45_policy"),
    "ftree.routing": ("accuracy", "leaf_of", "mean_cost", "path_of", "predict", "predict_counts", "predict_proba", "recount"),
    "ftree.show": ("dnf", "holds", "latex", "rules", "text"),
    "ftree.splitters": (
        "per_feature",
        "by_gain_ratio",
        "by_score",
        "intervals",
        "merging",
        "multiway",
        "oblique",
        "one_value",
        "random_features",
        "random_threshold",
        "subset",
        "surrogates",
        "c45_min_branch",
        "threshold",
    ),
    "ftree.study": ("confusion", "cross_validate", "learning_curve", "root_feature_counts"),
    "ftree.tree": (
        "WithSurrogates",
        "Branch",
        "Feature",
        "Groups",
        "Intervals",
        "Leaf",
        "Multiway",
        "Node",
        "Oblique",
        "Schema",
        "Split",
        "Subset",
        "Surrogate",
        "Threshold",
        "Tree",
        "class_counts",
        "collapse_at",
        "depth",
        "diff",
        "fold",
        "is_pruning_of",
        "leaves",
        "majority",
        "map_leaves",
        "n_leaves",
        "n_nodes",
        "replace_at",
        "subtree_at",
        "unfold",
        "walk",
    ),
}
_MODULES = (
    "algorithms",
    "criteria",
    "data",
    "exchange",
    "growth",
    "linear",
    "neighbors",
    "policy",
    "prune",
    "routing",
    "show",
    "splitters",
    "stop",
    "study",
    "testing",
    "tree",
)
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [  # noqa: PLE0604  # all of them are strings
    *_HOME,
    "evolve",
    "linear",
    "neighbors",
    "prune",
    "stop",
]


def __getattr__(name: str) -> Any:
    """Import a public name, or a room, when it is first used."""
    if name in _MODULES:
        return import_module(f"ftree.{name}")
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name == "evolve":
        value = import_module("attrs").evolve
    elif name == "__version__":
        value = import_module("importlib.metadata").version("ftrees")
    else:
        message = f"module 'ftree' has no attribute {name!r}"
        raise AttributeError(message)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Public names only."""
    return sorted({*__all__, *_MODULES, "__version__"})
