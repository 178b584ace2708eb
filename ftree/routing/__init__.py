"""Rows down a finished tree: prediction, paths, counts and recounting."""

from ftree.routing.predict import (
    Classifier,
    Leaves,
    Route,
    accuracy,
    costs_of_answers,
    leaf_of,
    mean_cost,
    path_of,
    predict,
    predict_counts,
    predict_proba,
)
from ftree.routing.recount import ROUNDING, at_observed, recount
from ftree.routing.route import Missing

__all__ = [
    "ROUNDING",
    "Classifier",
    "Leaves",
    "Missing",
    "Route",
    "accuracy",
    "at_observed",
    "costs_of_answers",
    "leaf_of",
    "mean_cost",
    "path_of",
    "predict",
    "predict_counts",
    "predict_proba",
    "recount",
]
__dir__ = __all__.copy  # dir() shows public names only
