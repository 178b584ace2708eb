"""The confusion matrix of a classifier: weights of rows by true and predicted class."""

from collections.abc import Hashable, Iterable, Iterator
from math import nan
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.faces import Face, Grid
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.data.labelled import Unseen
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.study.predictions import Predictions, predictions_for
from ftree.tree.nodes import Tree


def as_rows(table: Iterable[Iterable[Any]]) -> tuple[tuple[Any, ...], ...]:
    """A converter: a table as a tuple of tuples."""
    return tuple(tuple(row) for row in table)


@frozen
class Confusion(Face):
    """A confusion matrix: weights of rows by true class (rows) and predicted class (columns), in the order of `classes`.

    Precision of a class is the share of its predictions that are right, recall the share of its rows that are predicted,
    and F their harmonic mean, F1. A share of no rows is NaN; F is 0 for a class of which no row is predicted.

    Raises a ValueError for counts that are not a row and a column for each class.

    >>> Confusion(("no", "yes"), ((4, 1), (2, 7))).accuracy
    0.7857142857142857
    """

    classes: tuple[Hashable, ...]
    counts: tuple[tuple[float, ...], ...] = field(converter=as_rows)

    def __attrs_post_init__(self) -> None:
        """Check that each class has a row and a column."""
        k = len(self.classes)
        if [len(row) for row in self.counts] != [k] * k:
            raise ValueError(f"counts must be {k} rows of {k} numbers, as there are classes, got {short_repr(self.counts)}.")

    @property
    def accuracy(self) -> float:
        """Share of the weights that is on the diagonal; NaN without rows, as in a report on numbers."""
        whole = sum(map(sum, self.counts))
        return sum(row[number] for number, row in enumerate(self.counts)) / whole if whole else nan

    @property
    def kappa(self) -> float:
        """Cohen's kappa: the share of the possible agreement beyond chance that is reached; 1 if chance alone agrees fully.

        It is NaN without rows. Source: Cohen 1960; Weka's J48 prints it.
        """
        if not self._array().any():
            return nan
        shares = self._array() / self._array().sum()
        by_chance = float(shares.sum(axis=0) @ shares.sum(axis=1))
        return (float(np.trace(shares)) - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0

    @property
    def precision(self) -> tuple[float, ...]:
        """For each class, the share of its predictions that are right."""
        return _ratios(np.diag(self._array()), self._array().sum(axis=0))

    @property
    def recall(self) -> tuple[float, ...]:
        """For each class, the share of its rows that are predicted."""
        return _ratios(np.diag(self._array()), self._array().sum(axis=1))

    @property
    def f(self) -> tuple[float, ...]:
        """For each class, the harmonic mean of precision and recall, F1 (van Rijsbergen 1979)."""
        return _ratios(2 * np.diag(self._array()), self._array().sum(axis=0) + self._array().sum(axis=1))

    @property
    def balanced_accuracy(self) -> float:
        """Mean recall of the classes that have rows; NaN without rows."""
        return float(np.nanmean(self.recall)) if self._array().any() else nan

    def _parts(self) -> Iterator[str | Grid]:
        """A table with a column for each predicted class."""
        body = [[str(label), *(f"{count:g}" for count in row)] for label, row in zip(self.classes, self.counts, strict=True)]
        yield "true \\ predicted"
        yield Grid(["", *map(str, self.classes)], body, left=0)

    def _array(self) -> Floats:
        return np.array(self.counts).reshape(len(self.classes), len(self.classes))


def _ratios(parts: Floats, wholes: Floats) -> tuple[float, ...]:
    return tuple(part / whole if whole else nan for part, whole in zip(parts.tolist(), wholes.tolist(), strict=True))


def confusion(
    tree: Tree | Classifier, dataset: Dataset, *, missing: MissingRule | None = None, unseen: Unseen = "rule"
) -> Confusion:
    r"""The confusion matrix of a tree on a dataset, by weight: the tree's classes, then those that only the data have.

    Any classifier can be given instead of a tree, as for `accuracy`. A tree also takes any table that includes its target.

    Raises a ValueError for a dataset without a row of positive weight.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"]], ["no", "yes", "yes"])
    >>> print(confusion(grow(data), data))
    true \ predicted
         no  yes
     no   1    0
    yes   1    1
    """
    return confusion_of(predictions_for(tree, dataset, missing, unseen))


def confusion_of(predictions: Predictions) -> Confusion:
    """The confusion matrix of predictions."""
    table = np.zeros((len(predictions.classes), len(predictions.classes)), dtype=predictions.weights.dtype)
    np.add.at(table, (predictions.true, predictions.predicted), predictions.weights)
    return Confusion(predictions.classes, table.tolist())
