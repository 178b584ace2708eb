"""Decision trees as values: grow them by a policy that you compose, prune them, and read them.

The functions and types that beginners need are here. The others are in packages: `ftree.stop` (stopping rules), `ftree.prune`
(pruning passes), `ftree.missing` (missing values), `ftree.criteria` (impurities and scores), `ftree.splitters`,
`ftree.responses` (what trees answer besides classes and numbers), `ftree.datasets` (ready tables), `ftree.testing` (laws),
and the baselines `ftree.neighbors` and `ftree.linear`.
"""

from importlib import import_module
from typing import Any

# A name is imported when it is first used, so that `import ftree` takes almost no time. Type checkers read __init__.pyi.
_NAMES = {
    "algorithms": "c45 cart chaid id3",
    "criteria": "entropy gain gain_ratio gini misclassification",
    "data": "Dataset",
    "exact": "look_ahead optimal",
    "exchange": "from_dict to_dict",
    "explain": "explain_row importances scores shap_values",
    "growth": "grow",
    "lesson": "builder",
    "policy": "C45 c45_policy CART cart_policy CHAID ID3 Policy",
    "saving": "from_json load save to_json",
    "routing": "accuracy apply leaf_of mean_cost path_of predict predict_counts predict_proba recount",
    "show": "compare_trees dnf draw latex page plot_importances plot_tree rules same_answers simplify text",
    "study": "confusion cross_validate learning_curve plot_boundary",
    "tree": "Branch collapse_at depth Feature fold is_pruning_of Leaf leaves majority n_leaves n_nodes Node Schema "
    "Split Tree unfold",
}
_MODULES = (
    "algorithms criteria data datasets estimator exact exchange explain growth lesson linear missing native neighbors points "
    "policy prune responses routing saving scan show splitters stop study testing tree"
)
_HOME = {"evolve": "attrs"} | {name: f"ftree.{room}" for room, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOME, "datasets", "linear", "missing", "neighbors", "prune", "stop"]  # noqa: PLE0604  # all of them are strings  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Import a public name, or a package, when it is first used."""
    if name in _MODULES.split():
        return import_module(f"ftree.{name}")
    if name == "__version__":
        return import_module("importlib.metadata").version("ftrees")
    if name not in _HOME:
        raise AttributeError(f"module 'ftree' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    """Public names only."""
    return list({*__all__, *_MODULES.split(), "__version__"})
