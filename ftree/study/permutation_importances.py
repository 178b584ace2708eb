"""What a metric loses if a feature's column is shuffled."""

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array
from ftree._lib.fields import require_count
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.labelled import as_dataset
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.study.metrics import Metric, is_loss, metric_value, named_metrics
from ftree.study.predictions import Predictions, require_rules_of_tree
from ftree.tree.nodes import Branch, Tree, check_tree, preorder


def permutation_importances(
    tree: Tree | Classifier,
    dataset: Dataset,
    *,
    metric: str | Metric | None = None,
    repeats: int = 10,
    seed: int = 0,
    missing: MissingRule | None = None,
) -> dict[str, tuple[float, ...]]:
    """For each feature, what a metric gets worse after the feature's column is shuffled, once for each of `repeats`.

    It is the decrease, or, of a metric of which lower is better, the increase; `metrics.loss` marks losses of your own.

    Of weights that are counts, the values of all cases are shuffled.

    `plot_importances` draws the means. A feature that is correlated with another one may have little importance, since the
    other one can replace it. Measure on rows that were not used for training: on training rows, features that only helped to
    learn noise seem important. Any function from a dataset to labels can be given instead of a tree; a tree also takes a table
    that includes its target, such as a data frame.

    Raises a ValueError for an unknown metric, for `repeats` below 1, for a dataset without a row of positive weight, and for a
    rule `missing` with a function.

    Source: Breiman 2001, section 10; Fisher, Rudin & Dominici 2019.

    >>> from ftree import datasets, grow
    >>> days = datasets.weather()
    >>> found = permutation_importances(grow(days), days, repeats=3)
    >>> {name: round(sum(values) / 3, 3) for name, values in found.items()}["temperature"]
    0.0
    """
    if isinstance(tree, Tree) or not callable(tree):
        check_tree(tree)
        dataset = as_dataset(tree.schema, dataset)
    require_rules_of_tree(tree, missing)
    require_dataset(dataset)
    require_count("repeats", repeats, 1)
    ((name, scored),) = named_metrics(None if metric is None else [metric], dataset.schema).items()
    random = generator_of(seed)
    sign = -1.0 if is_loss(scored) else 1.0

    def score(rows: Dataset) -> float:
        return sign * metric_value(name, scored, Predictions(tree, rows, missing=missing))

    cases = dataset.cases()
    pairs = [(cases, cases[random.permutation(len(cases))]) for _ in range(repeats)]
    whole, used = score(dataset), _used(tree)
    return {
        feature.name: tuple(whole - score(_shuffled(dataset, number, *pair)) for pair in pairs)
        if used is None or feature.name in used
        else (0.0,) * repeats
        for number, feature in enumerate(dataset.schema.features)
    }


def _used(tree: Tree | Classifier) -> set[str] | None:
    """The names of the features that a tree's splits use; None for a function, which may use any feature."""
    if not isinstance(tree, Tree):
        return None
    features = tree.schema.features
    return {features[number].name for node in preorder(tree) if isinstance(node, Branch) for number in node.split.features}


def _shuffled(dataset: Dataset, number: int, rows: Array, donors: Array) -> Dataset:
    """The rows of all cases with a feature's values of other rows; equal cases are counted."""
    both, times = np.unique(rows * len(dataset) + donors, return_counts=True)
    rows, donors = np.divmod(both, len(dataset))
    taken = dataset.take(rows)
    columns = (*taken.columns[:number], dataset.columns[number][donors], *taken.columns[number + 1 :])
    return evolve(taken, columns=columns, weights=times if dataset.weights_are == "counts" else taken.weights)
