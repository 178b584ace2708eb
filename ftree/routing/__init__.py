"""Rows down a finished tree: prediction, paths, counts and recounting.

`ftree.tree.splits.child_of` defines the child to which a row goes, and `missing_rules.divide_weights` the share that each
child gets of a row without an answer, by a prediction rule: one of the library's or a function of sizes. Other ways route
many rows at once, or one row fast: the plain descent (`descent.descend`, on the arrays of `flat`), the compiled descent over
blocks of rows (`descent_kernels`), the loop for one known row in `predict`, and the partition of growth. One property in
`tests/routing/test_one_way_down.py` holds them equal to the definition, row by row.
"""

from ftree.routing.counting import at_observed, recount
from ftree.routing.missing_rules import MissingRule, all_routes, heaviest, stop_here, weighted
from ftree.routing.paths import Change, ExplainedNode, Explanation, OtherAnswer, Route, apply, explain_row, leaf_of, path_of
from ftree.routing.predict import Leaves, predict, predict_counts, predict_proba
from ftree.routing.scoring import Classifier, accuracy, costs_of_answers, mean_cost
from ftree.routing.shap import ShapValues, shap_values

__all__ = [
    "Change",
    "Classifier",
    "ExplainedNode",
    "Explanation",
    "Leaves",
    "MissingRule",
    "OtherAnswer",
    "Route",
    "ShapValues",
    "accuracy",
    "all_routes",
    "apply",
    "at_observed",
    "costs_of_answers",
    "explain_row",
    "heaviest",
    "leaf_of",
    "mean_cost",
    "path_of",
    "predict",
    "predict_counts",
    "predict_proba",
    "recount",
    "shap_values",
    "stop_here",
    "weighted",
]
__dir__ = __all__.copy  # dir() shows public names only
