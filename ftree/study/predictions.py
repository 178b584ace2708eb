"""The predictions of a classifier for a test set, computed when a metric needs them, and the confusion of its classes.

A classifier may also predict numbers, for a test set whose target has numbers.
"""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.messages import short_repr
from ftree.data.changes import require_common_class
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.labelled import Unseen, as_dataset
from ftree.routing.missing_rules import MissingRule, rule_for
from ftree.routing.predict import label_numbers, predict, predict_proba
from ftree.routing.reach import reach
from ftree.routing.scoring import Classifier, labels_by
from ftree.tree.nodes import Tree, check_tree

_Codes = npt.NDArray[np.intp]


@frozen(eq=False, slots=False)  # cached properties need a dictionary
class Predictions:
    """A classifier's predictions for the rows of a test set; metrics are functions of them.

    A classifier is a tree, or a function of a dataset that returns a label for each row; a function may also have
    `predict_proba`, which returns probabilities (n, K), with `schema`, whose classes name their columns. For a target of numbers,
    `true` and `predicted` are numbers, and there are no classes; of events, `true` is their number, and `predicted` the rate;
    of other responses, `predicted` are the answers.

    Raises a TypeError for anything but a classifier and a dataset, a ValueError for a dataset without a row of positive weight,
    and for a regression tree with a dataset of classes or the reverse.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["b"], ["b"]], ["no", "yes", "no"])
    >>> answers = Predictions(grow(data), data)
    >>> answers.classes, answers.true.tolist(), answers.predicted.tolist(), answers.probabilities[2].tolist()
    (('no', 'yes'), [0, 1, 0], [0, 0, 0], [0.5, 0.5])
    """

    classifier: Tree | Classifier
    test: Dataset
    missing: MissingRule | None = field(default=None, kw_only=True)
    unseen: Unseen = field(default="rule", kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check the classifier and the rows."""
        if not callable(self.classifier):
            check_tree(self.classifier)
        require_dataset(self.test)
        if isinstance(self.classifier, Tree) and (kind := self.classifier.schema.response.kind) != self._kind:
            raise ValueError(f"dataset must be one of {kind}, as the tree is, got one of {self._kind}.")
        if not self.weights.sum():
            raise ValueError(f"dataset must have a row with a weight above 0, got {len(self.test)} rows without one.")

    def require(self, metric: str, *, classes: bool) -> None:
        """Raise a ValueError if predictions of classes are given to a metric of numbers, or the reverse."""
        (CLASSES if classes else NO_CLASSES).require(metric, self)

    @property
    def _kind(self) -> str:
        return self.test.schema.response.kind

    @cached_property
    def labels(self) -> list[Any]:
        """The label, or the number, that the classifier gives each row."""
        if isinstance(self.classifier, Tree):
            return list(predict(self.classifier, self.test, missing=self.missing, unseen=self.unseen).tolist())
        return list(labels_by(self.classifier, self.test))

    @cached_property
    def classes(self) -> tuple[Hashable, ...]:
        """The classifier's classes, then those that only the data have, then labels that are neither.

        Raises a ValueError for a target of numbers, and for data none of whose labels is a class of the classifier.
        """
        self.require("A metric of classes", classes=True)
        known: Any = getattr(self.classifier, "schema", self.test.schema)
        require_common_class(known.classes, self.test.schema.classes)
        others = () if isinstance(self.classifier, Tree) else self.labels
        return tuple(dict.fromkeys((*known.classes, *self.test.schema.classes, *others)))

    @cached_property
    def true(self) -> npt.NDArray[Any]:
        """The number of each row's class, in the order of `classes`; of a target of numbers, each row's number."""
        column, schema = self.test.target_column, self.test.schema
        return self._coded(schema.classes)[column] if schema.has_classes else column

    @cached_property
    def predicted(self) -> npt.NDArray[Any]:
        """The class number of each row's predicted label; of a target of numbers, the predicted number.

        Raises a ValueError for a function that does not return a number for each row of a target of numbers.
        """
        if self.test.schema.has_classes and isinstance(self.classifier, Tree):  # whose classes come first
            return label_numbers(reach(self.classifier, self.test, self.unseen), rule_for(self.classifier, self.missing))
        if self.test.schema.has_classes:
            return self._coded(self.labels)
        if self.test.schema.response.options.labels:
            return np.array(self.labels)
        try:
            k = np.shape(self.labels[0])  # of answers that are several numbers
            return np.array(self.labels, dtype=np.float64).reshape(len(self.test), *k)
        except (TypeError, ValueError):
            wanted = "a number for each row, as the target has"
            raise ValueError(f"The classifier must return {wanted}, got {short_repr(self.labels)}.") from None

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
            PROBABILITIES.require("A metric of probabilities", self)
            classifier: Any = self.classifier
            known = np.asarray(classifier.predict_proba(self.test), dtype=np.float64)
        found = np.zeros((len(self.test), len(self.classes)))
        found[:, : known.shape[1]] = known
        return found

    def _coded(self, labels: Any) -> _Codes:
        place = {label: number for number, label in enumerate(self.classes)}
        return np.array([place[label] for label in labels], dtype=np.intp)


@frozen
class Need:
    """What a metric needs of predictions, and the message for others, in which their `{kind}` and `{classifier}` stand."""

    holds: Callable[[Predictions], bool]
    message: str
    error: type[Exception] = ValueError

    def require(self, metric: str, predictions: Predictions) -> None:
        """Raise the error, with the name of a metric, for predictions that lack it."""
        if not self.holds(predictions):
            kind, classifier = predictions.test.schema.response.kind, type(predictions.classifier).__name__
            raise self.error(self.message.format(metric=metric, kind=kind, classifier=classifier))


def _are_numbers(predictions: Predictions) -> bool:
    """Whether they say what a row's number is: those of numbers and of events, and of responses of the target alone."""
    further, response = predictions.test.further_targets, predictions.test.schema.response
    return predictions.predicted.ndim == 1 and (not further or response.kind == "events" or bool(response.row_features))


_NOT = "{{metric}} must be given predictions of {}, got those of {{kind}}. Use {}."
CLASSES = Need(lambda one: one.test.schema.has_classes, _NOT.format("classes", "r_squared, deviance, rmse or mae"))
NO_CLASSES = Need(lambda one: not one.test.schema.has_classes, _NOT.format("numbers or events", "accuracy"))
NUMBERS = Need(_are_numbers, _NOT.format("one number", "deviance or r_squared"))
SURVIVAL = Need(lambda one: one.test.schema.response.kind == "survival times", _NOT.format("survival times", "other metrics"))
PROBABILITIES = Need(
    lambda one: isinstance(one.classifier, Tree) or getattr(one.classifier, "predict_proba", None) is not None,
    "classifier must have predict_proba for a metric of probabilities, got {classifier}. Use other metrics.",
    TypeError,
)


def predictions_for(classifier: Tree | Classifier, rows: Any, missing: MissingRule | None, unseen: Unseen) -> Predictions:
    """The predictions for a dataset; a tree also takes any table that has its columns and its target.

    Raises a ValueError for options that only a tree has.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    >>> predictions_for(grow(data), {"class": ["yes"], "x0": ["b"]}, None, "missing").labels
    ['yes']
    """
    require_rules_of_tree(classifier, missing, unseen)
    dataset = as_dataset(classifier.schema, rows, unseen=unseen) if isinstance(classifier, Tree) else rows
    return Predictions(classifier, dataset, missing=missing, unseen=unseen)


def require_rules_of_tree(classifier: Any, missing: MissingRule | None, unseen: Unseen = "rule") -> None:
    """Raise a ValueError for rules about missing and unseen values if the classifier is a function, which has its own.

    >>> require_rules_of_tree(len, "heaviest")
    Traceback (most recent call last):
    ValueError: missing must be left out for a classifier that is no tree, since it has its own rules, got 'heaviest'.
    """
    if isinstance(classifier, Tree):
        return
    for name, given, usual in (("missing", missing, None), ("unseen", unseen, "rule")):
        if given != usual:
            wanted = "left out for a classifier that is no tree, since it has its own rules"
            raise ValueError(f"{name} must be {wanted}, got {short_repr(given)}.")
