"""The predictions of a classifier for the rows of a test set, computed when a metric needs them."""

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Floats
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.labelled import as_dataset
from ftree.data.unseen import Unseen
from ftree.routing.predict import predict, predict_proba
from ftree.routing.rule_names import Missing
from ftree.routing.scoring import Classifier, labels_by
from ftree.tree.nodes import Tree, check_tree

Codes = npt.NDArray[np.intp]


@frozen(eq=False, slots=False)  # cached properties need a dictionary
class Predictions:
    """A classifier's predictions for the rows of a test set; metrics are functions of them.

    A classifier is a tree, or a function of a dataset that returns a label for each row; a function may also have
    `predict_proba`, which returns probabilities (n, K), with `schema`, whose classes name their columns.

    Raises a TypeError for anything but a classifier and a dataset, a ValueError for a dataset without a row of positive weight.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["b"], ["b"]], ["no", "yes", "no"])
    >>> answers = Predictions(grow(data), data)
    >>> answers.classes, answers.true.tolist(), answers.predicted.tolist(), answers.probabilities[2].tolist()
    (('no', 'yes'), [0, 1, 0], [0, 0, 0], [0.5, 0.5])
    """

    classifier: Tree | Classifier
    test: Dataset
    missing: Missing | None = field(default=None, kw_only=True)
    unseen: Unseen = field(default="missing", kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check the classifier and the rows."""
        if not callable(self.classifier):
            check_tree(self.classifier)
        require_dataset(self.test)
        if not self.weights.sum():
            message = f"dataset must have a row with a weight above 0, got {len(self.test)} rows without one."
            raise ValueError(message)

    @cached_property
    def labels(self) -> list[Hashable]:
        """The label that the classifier gives each row."""
        if isinstance(self.classifier, Tree):
            return list(predict(self.classifier, self.test, missing=self.missing, unseen=self.unseen).tolist())
        return list(labels_by(self.classifier, self.test))

    @cached_property
    def classes(self) -> tuple[Hashable, ...]:
        """The classifier's classes, then those that only the data have, then labels that are neither."""
        return tuple(dict.fromkeys((*self._known_classes, *self.test.schema.classes, *self.labels)))

    @cached_property
    def true(self) -> Codes:
        """The number of each row's class, in the order of `classes`."""
        return self._numbers(self.test.schema.classes)[self.test.labels]

    @cached_property
    def predicted(self) -> Codes:
        """The class number of each row's predicted label."""
        return self._numbers(self.labels)

    @cached_property
    def weights(self) -> npt.NDArray[Any]:
        """The weights of the rows, 1 if they have none."""
        return np.ones(len(self.test), dtype=np.int64) if self.test.weights is None else self.test.weights

    @cached_property
    def probabilities(self) -> Floats:
        """The probability of each class for each row, (n, K), in the order of `classes`.

        Raises a TypeError for a classifier without probabilities.
        """
        if isinstance(self.classifier, Tree):
            known = predict_proba(self.classifier, self.test, missing=self.missing, unseen=self.unseen)
        else:
            known = self._estimated()
        found = np.zeros((len(self.test), len(self.classes)))
        found[:, : known.shape[1]] = known
        return found

    @property
    def _known_classes(self) -> tuple[Hashable, ...]:
        schema = getattr(self.classifier, "schema", self.test.schema)
        return tuple(schema.classes)

    def _estimated(self) -> Floats:
        estimate = getattr(self.classifier, "predict_proba", None)
        if estimate is None:
            name = type(self.classifier).__name__
            message = f"classifier must have predict_proba for a metric of probabilities, got {name}. Use other metrics."
            raise TypeError(message)
        return np.asarray(estimate(self.test), dtype=np.float64)

    def _numbers(self, labels: Any) -> Codes:
        place = {label: number for number, label in enumerate(self.classes)}
        return np.array([place[label] for label in labels], dtype=np.intp)


def predictions_for(classifier: Tree | Classifier, rows: Any, missing: Missing | None, unseen: Unseen) -> Predictions:
    """The predictions for a dataset; a tree also takes any table that has its columns and its target.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    >>> predictions_for(grow(data), {"class": ["yes"], "x0": ["b"]}, None, "missing").labels
    ['yes']
    """
    dataset = as_dataset(classifier.schema, rows, unseen=unseen) if isinstance(classifier, Tree) else rows
    return Predictions(classifier, dataset, missing=missing, unseen=unseen)
