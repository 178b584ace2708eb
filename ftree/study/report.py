"""A report of a classifier on a dataset: the numbers that Weka prints after J48."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from attrs import field, frozen

from ftree._lib.text_table import aligned
from ftree.data.dataset import Dataset
from ftree.data.unseen import Unseen
from ftree.routing.rule_names import Missing
from ftree.routing.scoring import Classifier
from ftree.study import metrics
from ftree.study.confusion_matrix import Confusion, confusion_of
from ftree.study.predictions import predictions_for
from ftree.study.spread import short_number
from ftree.tree.nodes import Tree


@frozen(repr=False)
class Report:
    """How well a classifier predicts a dataset: the confusion matrix and the measures computed from it; prints as a table.

    `brier`, `log_loss` and `auc` are NaN if the classifier gives no probabilities, `leaves` and `depth` if it is not a tree.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> found = report(grow(weather()), weather())
    >>> found.leaves, found.confusion.accuracy
    (5.0, 1.0)
    """

    confusion: Confusion
    leaves: float = field(kw_only=True)
    depth: float = field(kw_only=True)
    brier: float = field(kw_only=True)
    log_loss: float = field(kw_only=True)
    auc: float = field(kw_only=True)

    @property
    def accuracy(self) -> float:
        """The share of the rows that are labelled correctly."""
        return self.confusion.accuracy

    @property
    def kappa(self) -> float:
        """The share of the possible agreement beyond chance that is reached (Cohen 1960)."""
        return self.confusion.kappa

    def __repr__(self) -> str:
        """Three tables: overall, by class, the confusion matrix."""
        by_class = [_by_class(self.confusion, number) for number in range(len(self.confusion.classes))]
        detailed = aligned([("class", "precision", "recall", "F", "rows"), *by_class, _average(self.confusion)], left=1)
        return f"{aligned(_overall(self), left=1)}\n\n{detailed}\n\n{self.confusion}"


def report(tree: Tree | Classifier, dataset: Dataset, *, missing: Missing | None = None, unseen: Unseen = "missing") -> Report:
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
    estimates = ("brier", "log_loss", "auc")
    known = isinstance(tree, Tree) or getattr(tree, "predict_proba", None) is not None
    values: dict[str, Any] = {name: metrics.METRICS[name](answers) if known else float("nan") for name in estimates}
    return Report(confusion_of(answers), leaves=metrics.leaves(answers), depth=metrics.depth(answers), **values)


def _overall(found: Report) -> list[tuple[str, str, str]]:
    """Names, numbers and the share of correct rows; lines without a known number are omitted."""
    counts = found.confusion.counts
    right, rows = sum(row[number] for number, row in enumerate(counts)), sum(map(sum, counts))
    numbers = {"Brier": found.brier, "log loss": found.log_loss, "AUC": found.auc}
    sizes = {"leaves": found.leaves, "depth": found.depth}
    lines = [(name, short_number(value), "") for name, value in {"kappa": found.kappa, **numbers}.items() if not isnan(value)]
    lines += [(name, f"{value:g}", "") for name, value in sizes.items() if not isnan(value)]
    return [("correct", f"{right:g} of {rows:g}", f"{found.accuracy:.1%}"), *lines]


def _by_class(table: Confusion, number: int) -> tuple[str, ...]:
    shares = [short_number(values[number]) for values in (table.precision, table.recall, table.f)]
    return str(table.classes[number]), *shares, f"{sum(table.counts[number]):g}"


def _average(table: Confusion) -> tuple[str, ...]:
    """The means over classes, weighted by their rows."""
    rows = [sum(row) for row in table.counts]
    return "mean", *(short_number(_mean(values, rows)) for values in (table.precision, table.recall, table.f)), f"{sum(rows):g}"


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean; a share of no rows counts as 0, and is ignored if the class has no rows."""
    return sum((0.0 if isnan(value) else value) * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
