"""What Orange's trees can do."""

import inspect
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from abilities import Points

ARGUMENTS = {
    *("args", "kwargs", "preprocessors", "binarize"),
    *("max_depth", "min_samples_leaf", "min_samples_split", "sufficient_majority"),
}
VALUES = ("a", "b", "c")


def points() -> Points:
    """Each point with a function that tries it."""
    data, learners = import_module("Orange.data"), import_module("Orange.classification")
    column = data.DiscreteVariable("x", values=VALUES)
    domain = data.Domain([column], data.DiscreteVariable("y", values=("no", "yes")))
    kind, arguments = learners.TreeLearner, inspect.signature(learners.TreeLearner).parameters

    def grown(x: list[float], y: list[int], **options: Any) -> Any:
        return kind(**options)(data.Table.from_numpy(domain, np.array([x]).T, np.array(y, dtype=float)))

    def noise() -> Any:
        return grown([0, 1] * 10, [0, 0, 0, 1] + [0] * 16, sufficient_majority=1)

    def kept(tree: Any) -> list[int]:
        return [len(child.subset) for child in tree.root.children if child]

    return {
        "regression": lambda: import_module("Orange.regression").TreeLearner,
        "survival analysis: by an add-on": lambda: not find_spec("Orange.survival"),
        "gradient boosting: by scikit-learn and XGBoost": lambda: {"GBClassifier", "XGBClassifier"} <= set(dir(learners)),
        "random forests": lambda: learners.SimpleRandomForestLearner,
        "nominal features, multiway splits": lambda: (
            len(grown([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 0, 0]).root.children) == len(VALUES)
        ),
        "missing values: left out below a split": lambda: kept(grown([0, 0, 1, 1, np.nan], [0, 0, 1, 1, 1])) == [2, 2],
        "oblique splits, class weights, costs: no": lambda: set(arguments) <= ARGUMENTS,
        "pruning: none": lambda: noise().leaf_count() > 1 and not [name for name in dir(noise()) if "prun" in name],
        "parts of your own: by overriding private methods": lambda: "_select_attr" in dir(kind),
        "drawings: its own viewer": lambda: find_spec("Orange.widgets.visualize.owtreeviewer"),
    }
