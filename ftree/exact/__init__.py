"""Optimal trees: objectives, candidate splits, the search with its bounds, look-ahead."""

from ftree.exact.best_trees import best_trees
from ftree.exact.look_ahead import look_ahead
from ftree.exact.objectives import Objective, bayes, class_errors, costs, entropy, errors
from ftree.exact.optimal import optimal
from ftree.exact.optimum import Optimum
from ftree.exact.quantiles import quantiles
from ftree.exact.tree_cost import tree_cost

__all__ = [
    "Objective",
    "Optimum",
    "bayes",
    "best_trees",
    "class_errors",
    "costs",
    "entropy",
    "errors",
    "look_ahead",
    "optimal",
    "quantiles",
    "tree_cost",
]
__dir__ = __all__.copy  # dir() shows public names only
