"""What scikit-learn's trees can do."""

import inspect
from importlib import import_module

import numpy as np

from abilities import Points, refuses

WORDS, LABELS = np.array([["a"], ["b"], ["c"]] * 2), [0, 1, 2] * 2


def points() -> Points:
    """Each point with a function that tries it."""
    ensemble, tree = import_module("sklearn.ensemble"), import_module("sklearn.tree")
    kind, public = tree.DecisionTreeClassifier, [name for name in dir(tree.DecisionTreeClassifier) if name[0] != "_"]
    arguments = inspect.signature(kind).parameters
    codes = np.array([[0], [1], [2]] * 4)  # the labels, twice
    boosted = ensemble.HistGradientBoostingClassifier(categorical_features=[0], min_samples_leaf=1)
    return {
        "regression": lambda: tree.DecisionTreeRegressor().fit([[1], [2]], [0.5, 1.5]),
        "survival analysis: no": lambda: not [name for name in dir(tree) if "urviv" in name],
        "gradient boosting": lambda: ensemble.GradientBoostingClassifier().fit([[1], [2]], [0, 1]),
        "random forests": lambda: ensemble.RandomForestClassifier(2).fit([[1], [2]], [0, 1]),
        "nominal features: histogram boosting only": lambda: (
            refuses(lambda: kind().fit(WORDS, LABELS)) and boosted.fit(codes, LABELS * 2)
        ),
        "multiway splits: no": lambda: hasattr(kind().fit([[1], [2]], [0, 1]).tree_, "children_right"),
        "missing values: to the better side": lambda: kind().fit([[1], [np.nan]], [0, 1]).predict([[np.nan]])[0] == 1,
        "oblique splits: no": lambda: kind().fit([[1, 2], [2, 1]], [0, 1]).tree_.feature.ndim == 1,
        "class weights, no cost matrix": lambda: "class_weight" in arguments and not {"priors", "costs", "cost"} & set(arguments),
        "monotonic constraints": lambda: "monotonic_cst" in arguments,
        "pruning: cost-complexity, while fitting": lambda: [n for n in public if "prun" in n] == ["cost_complexity_pruning_path"],
        "parts of your own: no functions of Python": lambda: refuses(lambda: kind(criterion=np.var).fit([[1], [2]], [0, 1])),
        "tables that outgrow memory: no": lambda: "partial_fit" not in public,
        "exports: text, DOT": lambda: {"export_text", "export_graphviz"} <= set(dir(tree)),
        "drawings: plots": lambda: hasattr(tree, "plot_tree"),
    }
