"""How well a tree predicts a dataset: accuracy and mean cost."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

import numpy as np

from ftree._lib.arrays import Floats, first_largest
from ftree._lib.messages import short_repr
from ftree.criteria.costs import costs_for
from ftree.data.cases import weights_of_rows
from ftree.data.changes import codes_of_labels
from ftree.data.dataset import Dataset, FoldsDatasets, require_dataset, require_weight
from ftree.data.labelled import Unseen, as_dataset
from ftree.routing.missing_rules import MissingRule, rule_for
from ftree.routing.predict import Leaves, cheapest_class, label_numbers, predict_counts
from ftree.routing.reach import reach
from ftree.tree.nodes import Tree, check_tree
from ftree.tree.schema import require_classes

# A function of a dataset that returns a label for each row.
Classifier: TypeAlias = Callable[[Dataset], Sequence[Any]]


def accuracy(
    tree: Tree | Classifier,
    dataset: Dataset | FoldsDatasets,
    *,
    missing: MissingRule | None = None,
    unseen: Unseen = "rule",
    leaves: Leaves | None = None,
) -> float:
    """The share of the dataset's rows, by weight, that the tree labels correctly; rows of classes it does not have are errors.

    A tree also takes a table that includes its target, such as a data frame, matched by column name. Instead of a tree, any
    classifier can be given: a function of a dataset that returns a label for each row, such as `ftree.neighbors.knn(...)`.
    A source of `ftree.scan` is counted part by part. `missing` is a rule as for `predict`; None is the tree's own. `unseen` is
    as for `predict`. A classifier that is a function handles both itself.

    Raises a ValueError for a dataset without a row of positive weight, and for a classifier that does not return a label
    for each row.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], [0, 1, 1, 1])
    >>> accuracy(grow(data), data)
    0.75
    """
    count = partial(right_and_all, tree, missing, unseen, leaves)
    right, everything, n = dataset.fold_datasets(count, np.add) if isinstance(dataset, FoldsDatasets) else count(dataset)
    require_weight(everything, int(n))
    return float(right / everything)


_WITHOUT_CLASSES = "Use study.metrics.r_squared(study.Predictions(tree, dataset)), or of numbers rmse or mae."


def right_and_all(
    tree: Tree | Classifier, missing: MissingRule | None, unseen: Unseen, leaves: Leaves | None, dataset: Dataset
) -> Floats:
    """The weight of the rows that are labelled correctly, that of all rows, and the number of these.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], [0, 1, 1, 1])
    >>> right_and_all(grow(data), None, "rule", None, data).tolist()
    [3.0, 4.0, 4.0]
    """
    if callable(tree):
        require_dataset(dataset)
        require_classes(dataset.schema, "accuracy", "a dataset", _WITHOUT_CLASSES)
        pairs = zip(labels_by(tree, dataset), dataset.target_column, strict=True)
        right = np.array([label == dataset.schema.classes[code] for label, code in pairs], dtype=bool)
    else:
        check_tree(tree)
        require_classes(tree.schema, "accuracy", remedy=_WITHOUT_CLASSES)
        dataset = as_dataset(tree.schema, dataset, unseen=unseen)
        codes = codes_of_labels(tree.schema.classes, dataset.schema.classes)
        if leaves is None:
            labels = label_numbers(reach(tree, dataset, unseen), rule_for(tree, missing))
        else:
            labels = first_largest(predict_counts(tree, dataset, missing=missing, unseen=unseen, leaves=leaves))
        right = codes[labels] == dataset.target_column
    weights = weights_of_rows(dataset)
    return np.array([weights[right].sum(), weights.sum(), len(weights)])


def mean_cost(
    tree: Tree,
    dataset: Dataset,
    *,
    costs: Iterable[Iterable[float]],
    missing: MissingRule | None = None,
    unseen: Unseen = "rule",
    decide: bool = True,
) -> float:
    """The mean cost of the tree's predictions for the dataset's rows, by weight, for a cost matrix (K, K), rows by true class.

    The tree predicts the label of least expected cost, or, with `decide=False`, the majority class.

    Raises a ValueError for a dataset without a row of positive weight, for costs of another number of classes, and for
    a row of a class that the tree does not have.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["a"], ["b"]], [0, 1, 1, 1])
    >>> costs = [[0, 5], [1, 0]]
    >>> mean_cost(grow(data), data, costs=costs), mean_cost(grow(data), data, costs=costs, decide=False)
    (0.5, 1.25)
    """
    cost, weights = costs_of_answers(tree, dataset, costs=costs, missing=missing, unseen=unseen, decide=decide)
    require_weight(weights.sum(), len(weights))
    return float((weights * cost).sum() / weights.sum())


def costs_of_answers(
    tree: Tree,
    dataset: Dataset,
    *,
    costs: Iterable[Iterable[float]] | None,
    priors: Iterable[float] | None = None,
    missing: MissingRule | None = None,
    unseen: Unseen = "rule",
    decide: bool = True,
) -> tuple[Floats, Floats]:
    """The cost of the tree's prediction for each row, (n,), and the rows' weights, (n,); without `costs` an error costs 1.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["a"], ["b"]], [0, 1, 1, 1])
    >>> costs_of_answers(grow(data), data, costs=[[0, 5], [1, 0]])[0].tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    check_tree(tree, of_classes="costs_of_answers")
    given = as_dataset(tree.schema, dataset, unseen=unseen)
    rows = given.recoded(tree.schema)
    matrix = costs_for(costs, len(tree.schema.classes))
    counts = predict_counts(tree, given, missing=missing, unseen=unseen)
    predicted = cheapest_class(tree, counts, priors, matrix) if decide else first_largest(counts)
    return np.array(matrix)[rows.target_column, predicted], weights_of_rows(rows)


def labels_by(classifier: Classifier, dataset: Dataset) -> Sequence[Any]:
    """The labels that a classifier returns. Raises a ValueError for anything but a label for each row."""
    labels: Any = classifier(dataset)
    # A text has a length, but no labels.
    if isinstance(labels, (str, bytes)) or not hasattr(labels, "__len__") or len(labels) != len(dataset):
        wanted = f"a tree, or a function of a dataset that returns a list of {len(dataset)} labels, one for each row"
        raise ValueError(f"tree must be {wanted}, got a function that returned {short_repr(labels)}.")
    return cast("Sequence[Any]", labels)
