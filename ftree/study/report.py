"""A report of a classifier on a dataset, as Weka prints it after J48."""

from collections.abc import Iterator
from math import isnan, nan
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.faces import Face, Grid
from ftree.data.dataset import Dataset
from ftree.data.labelled import Unseen
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.study import metrics
from ftree.study.confusion_matrix import Confusion, confusion_of
from ftree.study.predictions import Predictions, predictions_for
from ftree.study.score_summaries import short_number
from ftree.tree.nodes import Tree


@frozen
class Report(Face):
    """How well a classifier predicts a dataset: the confusion matrix and the measures computed from it; prints as a table.

    `brier`, `log_loss` and `auc` are NaN if the classifier gives no probabilities, `leaves` and `depth` if it is not a tree. For
    a target without classes, `r_squared` and `deviance` are known in their place, of numbers and events also `rmse` and `mae`, of
    survival times `concordance` and `integrated_brier`; the confusion then has no classes.

    >>> from ftree import datasets, grow
    >>> found = report(grow(datasets.weather()), datasets.weather())
    >>> found.leaves, found.confusion.accuracy
    (5.0, 1.0)
    """

    confusion: Confusion
    leaves: float = field(kw_only=True)
    depth: float = field(kw_only=True)
    # NaN equals NaN.
    brier: float = field(default=nan, kw_only=True, eq=repr)
    log_loss: float = field(default=nan, kw_only=True, eq=repr)
    auc: float = field(default=nan, kw_only=True, eq=repr)
    r_squared: float = field(default=nan, kw_only=True, eq=repr)
    deviance: float = field(default=nan, kw_only=True, eq=repr)
    rmse: float = field(default=nan, kw_only=True, eq=repr)
    mae: float = field(default=nan, kw_only=True, eq=repr)
    concordance: float = field(default=nan, kw_only=True, eq=repr)
    integrated_brier: float = field(default=nan, kw_only=True, eq=repr)

    @property
    def accuracy(self) -> float:
        """The share of the rows that are labelled correctly."""
        return self.confusion.accuracy

    @property
    def kappa(self) -> float:
        """The share of the possible agreement beyond chance that is reached (Cohen 1960)."""
        return self.confusion.kappa

    def _parts(self) -> Iterator[str | Grid]:
        """Three tables: overall, by class, the confusion matrix; the first only for a target of numbers."""
        overall = _overall(self)
        by_class = [_by_class(self.confusion, number) for number in range(len(self.confusion.classes))]
        yield Grid(overall[0], overall[1:], left=1)
        if not by_class:
            return
        yield ""
        yield Grid(("class", "precision", "recall", "F", "rows"), [*by_class, _average(self.confusion)], left=1)
        yield ""
        yield from self.confusion._parts()  # noqa: SLF001  # the same room


def report(tree: Tree | Classifier, dataset: Dataset, *, missing: MissingRule | None = None, unseen: Unseen = "rule") -> Report:
    r"""A report of a tree, or of any other classifier, on a dataset: accuracy, kappa, precision and recall by class, confusion.

    Rows are weighted. The means in the last line of classes are weighted by the classes' rows, as Weka's are.

    Raises a TypeError for anything but a classifier and a dataset, a ValueError for a dataset without a row of positive weight.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["a"], ["b"]], ["no", "no", "yes", "yes"])
    >>> report(grow(data), data)
    correct   3 of 4  75.0%
    kappa      0.500
    Brier      0.333
    log loss   0.477
    AUC        0.750
    leaves         2
    depth          1
    <BLANKLINE>
    class  precision  recall      F  rows
    no         0.667   1.000  0.800     2
    yes        1.000   0.500  0.667     2
    mean       0.833   0.750  0.733     4
    <BLANKLINE>
    true \ predicted
         no  yes
     no   2    0
    yes   1    1
    """
    answers = predictions_for(tree, dataset, missing, unseen)
    of_classes = answers.test.schema.has_classes
    estimates = ("brier", "log_loss", "auc") if of_classes else ("r_squared", "deviance", *_errors(answers))
    known = not of_classes or isinstance(tree, Tree) or getattr(tree, "predict_proba", None) is not None
    values: dict[str, Any] = {name: metrics.METRICS[name](answers) if known else float("nan") for name in estimates}
    found = confusion_of(answers) if of_classes else Confusion((), ())
    return Report(found, leaves=metrics.leaves(answers), depth=metrics.depth(answers), **values)


def _errors(answers: Predictions) -> tuple[str, ...]:
    """The names of the metrics, beside those of losses, that fit the answers of a target without classes."""
    if answers.test.schema.response.kind == "survival times":
        return "concordance", "integrated_brier"
    return ("rmse", "mae") if metrics.are_numbers(answers) else ()


# The fields of a report, and their names in its first table.
_NAMES = {"kappa": "kappa", "brier": "Brier", "log_loss": "log loss", "auc": "AUC", "r_squared": "R squared"}
_NAMES |= {"deviance": "deviance", "rmse": "RMSE", "mae": "MAE"}
_NAMES |= {"concordance": "concordance", "integrated_brier": "integrated Brier"}


def _overall(found: Report) -> list[tuple[str, str, str]]:
    """Names, numbers and the share of correct rows; lines without a known number are omitted."""
    counts = found.confusion.counts
    values = {name: getattr(found, field) for field, name in _NAMES.items() if counts or field != "kappa"}
    lines = [(name, short_number(value), "") for name, value in values.items() if not isnan(value)]
    sizes = {"leaves": found.leaves, "depth": found.depth}
    lines += [(name, f"{value:g}", "") for name, value in sizes.items() if not isnan(value)]
    if not counts:
        return lines
    right, rows = sum(row[number] for number, row in enumerate(counts)), sum(map(sum, counts))
    return [("correct", f"{right:g} of {rows:g}", f"{found.accuracy:.1%}"), *lines]


def _by_class(table: Confusion, number: int) -> tuple[str, ...]:
    shares = [short_number(values[number]) for values in (table.precision, table.recall, table.f)]
    return str(table.classes[number]), *shares, f"{sum(table.counts[number]):g}"


def _average(table: Confusion) -> tuple[str, ...]:
    """The means over classes, weighted by their rows; a share of no rows counts as 0."""
    rows = [sum(row) for row in table.counts]
    means = (np.average(np.nan_to_num(values), weights=rows) for values in (table.precision, table.recall, table.f))
    return "mean", *map(short_number, map(float, means)), f"{sum(rows):g}"
