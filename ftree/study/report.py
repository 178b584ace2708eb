"""A report of a classifier on a dataset, as Weka prints it after J48."""

from collections.abc import Iterator
from math import isnan, nan
from typing import Any

import numpy as np
from attrs import field, fields, frozen

from ftree._lib.faces import Face, Grid
from ftree.data.dataset import Dataset
from ftree.data.labelled import Unseen
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.study import metrics
from ftree.study.confusion_matrix import Confusion, confusion_of
from ftree.study.predictions import predictions_for
from ftree.study.score_summaries import short_number
from ftree.tree.nodes import Tree


@frozen
class Report(Face):
    """How well a classifier predicts a dataset: the confusion matrix and the measures computed from it; prints as a table.

    A metric that does not fit the classifier and the target is NaN: `brier`, `log_loss` and `auc` need probabilities of classes,
    `leaves` and `depth` a tree; the others are of a target without classes, whose confusion has none.

    >>> from ftree import datasets, grow
    >>> found = report(grow(datasets.weather()), datasets.weather())
    >>> found.leaves, found.confusion.accuracy
    (5.0, 1.0)
    """

    confusion: Confusion
    leaves: float = field(kw_only=True)
    depth: float = field(kw_only=True)
    # Metrics of `study.metrics` with their names in print; `report` computes each that fits. NaN equals NaN.
    brier: float = field(default=nan, kw_only=True, eq=repr, metadata={"name": "Brier"})
    log_loss: float = field(default=nan, kw_only=True, eq=repr, metadata={"name": "log loss"})
    auc: float = field(default=nan, kw_only=True, eq=repr, metadata={"name": "AUC"})
    r_squared: float = field(default=nan, kw_only=True, eq=repr, metadata={"name": "R squared"})
    deviance: float = field(default=nan, kw_only=True, eq=repr, metadata={"name": "deviance"})
    rmse: float = field(default=nan, kw_only=True, eq=repr, metadata={"name": "RMSE"})
    mae: float = field(default=nan, kw_only=True, eq=repr, metadata={"name": "MAE"})
    concordance: float = field(default=nan, kw_only=True, eq=repr, metadata={"name": "concordance"})
    integrated_brier: float = field(default=nan, kw_only=True, eq=repr, metadata={"name": "integrated Brier"})

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
    named = ((name, metrics.METRICS[name]) for name in _NAMES)
    values: dict[str, Any] = {name: metric(answers) for name, metric in named if metrics.fits(metric, answers)}
    found = confusion_of(answers) if answers.test.schema.has_classes else Confusion((), ())
    return Report(found, leaves=metrics.leaves(answers), depth=metrics.depth(answers), **values)


_NAMES: dict[str, str] = {each.name: each.metadata["name"] for each in fields(Report) if each.metadata}


def _overall(found: Report) -> list[tuple[str, str, str]]:
    """Names, numbers and the share of correct rows; lines without a known number are omitted."""
    counts = found.confusion.counts
    values = {"kappa": found.kappa if counts else nan} | {name: getattr(found, field) for field, name in _NAMES.items()}
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
