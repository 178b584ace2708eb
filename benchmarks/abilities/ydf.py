"""What ydf's CART, forests and boosting can do."""

import inspect
from importlib import import_module
from typing import Any

import numpy as np

from abilities import Points, refuses


def points() -> Points:
    """Each point with a function that tries it."""
    ydf = import_module("ydf")
    arguments, told = inspect.signature(ydf.CartLearner).parameters, ydf.CartLearner.__doc__
    ydf.verbose(0)

    def grown() -> Any:
        data = {"x": np.repeat(["a", "b", "c"], 40), "y": np.repeat([0, 1, 2], 40)}
        return ydf.CartLearner(label="y", validation_ratio=0.0, min_examples=1).train(data)

    def constrained() -> Any:
        rising = [ydf.Feature("x", monotonic=ydf.Monotonic.INCREASING)]
        return ydf.CartLearner(label="y", features=rising).train({"x": np.arange(40.0), "y": np.repeat([0, 1], 20)})

    return {
        "regression": lambda: ydf.Task.REGRESSION,
        "survival analysis": lambda: ydf.Task.SURVIVAL_ANALYSIS,
        "gradient boosting": lambda: ydf.GradientBoostedTreesLearner,
        "random forests": lambda: ydf.RandomForestLearner,
        "nominal features": lambda: grown().evaluate({"x": ["a", "b"], "y": [0, 1]}).accuracy == 1,
        "multiway splits: no": lambda: {"pos_child", "neg_child"} <= set(vars(grown().get_tree(0).root)),
        "missing values: three imputations": lambda: all(
            f"`{n}IMPUTATION`" in told for n in ("GLOBAL_", "LOCAL_", "RANDOM_LOCAL_")
        ),
        "oblique splits": lambda: "SPARSE_OBLIQUE" in told,
        "class weights, no cost matrix": lambda: (
            "class_weights" in arguments and not {"priors", "costs", "loss"} & set(arguments)
        ),
        "monotonic constraints: not for CART": lambda: refuses(constrained),
        "pruning: by a validation set": lambda: "for pruning the tree" in " ".join(told.split()),
        "pruning of a tree that is there: by editing nodes": lambda: hasattr(grown(), "set_tree"),
        "parts of your own: losses for boosting": lambda: ydf.RegressionLoss,
        "tables that outgrow memory: boosting, distributed": lambda: (
            [n for n in dir(ydf) if n.startswith("Distributed")] == ["DistributedGradientBoostedTreesLearner"]
        ),
        "exports: C++, Java, TensorFlow, JAX": lambda: all(
            hasattr(grown(), f"to_{form}") for form in ("cpp", "standalone_java", "tensorflow_saved_model", "jax_function")
        ),
        "drawings: HTML": lambda: "<script" in str(grown().plot_tree().html()),
    }
