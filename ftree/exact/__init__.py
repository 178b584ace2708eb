"""Optimal trees: objectives, candidate splits, the search with its bounds, look-ahead."""

from ftree.exact.candidates import quantiles
from ftree.exact.objectives import Objective, bayes, class_bits, class_errors, costs, errors, tree_cost
from ftree.exact.optimal import Limits, Optimum, best_trees, look_ahead, optimal

__all__ = [
    "Limits",
    "Objective",
    "Optimum",
    "bayes",
    "best_trees",
    "class_bits",
    "class_errors",
    "costs",
    "errors",
    "look_ahead",
    "optimal",
    "quantiles",
    "tree_cost",
]
__dir__ = __all__.copy  # dir() shows public names only
