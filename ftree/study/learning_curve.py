"""Three studies of one learner: scores by the number of training rows, features at the root, permutation importances."""

from collections import Counter
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

from attrs import evolve

from ftree._lib.arrays import Array
from ftree._lib.fields import require_whole_number
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.labelled import as_dataset
from ftree.policy import ID3
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.study.cross_validation import Metrics, Trial, do_all, run_fold
from ftree.study.learners import Learner, learning_function
from ftree.study.metrics import LOWER_IS_BETTER, Metric, metric_value, named_metrics
from ftree.study.predictions import Predictions
from ftree.tree.describe import tested_expression
from ftree.tree.nodes import Branch, Tree, check_tree, preorder


def learning_curve(
    dataset: Dataset,
    learner: Learner = ID3,
    *,
    sizes: Sequence[int],
    repeats: int = 10,
    seed: int = 0,
    metrics: Metrics = "accuracy",
    missing: MissingRule | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> tuple[Trial, ...]:
    """A trial for each training size: scores on the other rows after training on random rows.

    For each size, `repeats` training sets are drawn uniformly without replacement. Other arguments are those of
    `cross_validate`; `plot_learning_curve` draws the result with bands.

    Raises a ValueError for a size that leaves no row for training or for testing, and the errors of `cross_validate`.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> [trial.size for trial in learning_curve(data, sizes=[4, 8], repeats=3)]
    [4, 8]
    """
    require_dataset(dataset)
    learn, named = learning_function(learner), named_metrics(metrics)
    require_whole_number("repeats", repeats, 1)
    listed = _checked_sizes(sizes, len(dataset))
    random = generator_of(seed)
    orders = [(size, random.permutation(len(dataset))) for size in listed for _ in range(repeats)]
    tasks = [(learn, dataset, (order[:size], order[size:]), named, missing) for size, order in orders]
    results = do_all(run_fold, tasks, n_jobs=n_jobs, progress=progress)
    return tuple(Trial(tuple(named), tuple(results[at : at + repeats])) for at in range(0, len(results), repeats))


def _checked_sizes(sizes: Any, n: int) -> list[int]:
    if not isinstance(sizes, Iterable):
        raise TypeError(f"sizes must be a sequence of training sizes, such as [50, 100], got {short_repr(sizes)}.")
    listed = list(sizes)
    for size in listed:
        if not (isinstance(size, Integral) and 0 < int(size) < n):
            raise ValueError(f"sizes must be from 1 to {n - 1}, so that rows remain for testing, got {short_repr(size)}.")
    return listed


def root_feature_counts(
    dataset: Dataset, learner: Learner = ID3, *, size: int, repeats: int = 100, seed: int = 0
) -> dict[str | None, int]:
    """How often each feature is at the root of trees grown from random subsets; None counts trees that are leaves.

    Raises a ValueError for a size that is not between 1 and the number of rows.

    >>> data = Dataset.from_rows([["a", "x"], ["b", "x"]] * 10, [0, 1] * 10, features=["good", "bad"])
    >>> root_feature_counts(data, size=15, repeats=20)
    {'good': 20}
    """
    require_dataset(dataset)
    learn = learning_function(learner)
    require_whole_number("repeats", repeats, 1)
    if not (isinstance(size, Integral) and 0 < size <= len(dataset)):
        raise ValueError(f"size must be from 1 to {len(dataset)}, the number of rows, got {short_repr(size)}.")
    random = generator_of(seed)
    trees = (learn(dataset.take(random.permutation(len(dataset))[:size])) for _ in range(repeats))
    roots = (tested_expression(tree.schema, tree.root.split) if isinstance(tree.root, Branch) else None for tree in trees)
    return dict(Counter(roots).most_common())


def permutation_importances(
    tree: Tree | Classifier,
    dataset: Dataset,
    *,
    metric: str | Metric = "accuracy",
    repeats: int = 10,
    seed: int = 0,
    missing: MissingRule | None = None,
) -> dict[str, tuple[float, ...]]:
    """For each feature, the decrease in a metric after the feature's column is shuffled, once for each of `repeats`.

    `plot_importances` draws the means. A feature that is correlated with another one may have little importance, since the
    other one can replace it. Measure on rows that were not used for training: on training rows, features that only helped to
    learn noise seem important. Any function from a dataset to labels can be given instead of a tree; a tree also takes a table
    that includes its target, such as a data frame.

    Raises a ValueError for an unknown metric, for `repeats` below 1, and for a dataset without a row of positive weight.

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
    require_dataset(dataset)
    require_whole_number("repeats", repeats, 1)
    ((name, scored),) = named_metrics([metric]).items()
    random = generator_of(seed)

    sign = -1.0 if name in LOWER_IS_BETTER else 1.0

    def score(rows: Dataset) -> float:
        return sign * metric_value(name, scored, Predictions(tree, rows, missing=missing))

    orders = [random.permutation(len(dataset)) for _ in range(repeats)]
    whole, used = score(dataset), _used(tree)
    return {
        feature.name: tuple(whole - score(_shuffled(dataset, number, order)) for order in orders)
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


def _shuffled(dataset: Dataset, number: int, order: Array) -> Dataset:
    columns = dataset.columns
    return evolve(dataset, columns=(*columns[:number], columns[number][order], *columns[number + 1 :]))
