"""The probability from which the second of two classes is predicted, chosen by a ratio of costs or by a rate."""

from collections.abc import Hashable, Iterator
from math import nan
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.faces import Face, Grid
from ftree._lib.fields import as_tuple, is_finite
from ftree._lib.messages import joined, short_repr
from ftree.data.labelled import Unseen
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.study.predictions import Predictions, predictions_for
from ftree.study.score_summaries import short_number
from ftree.tree.nodes import Tree

# Probabilities that differ by less are one, as they differ by rounding.
_DIGITS = 9
# Rows of the table on each side of the chosen one.
_AROUND = 5


@frozen
class ThresholdRow:
    """A threshold for the second class, and the cases of a class that it finds, misses, and flags by mistake.

    >>> row = ThresholdRow(0.25, found=8, missed=2, mistaken=32, cases=1000)
    >>> row.recall, row.precision, row.flagged, row.cost(10)
    (0.8, 0.2, 0.04, 0.052)
    """

    threshold: float
    found: float
    missed: float
    mistaken: float
    cases: float

    @property
    def recall(self) -> float:
        """The share of the cases of the class that is found."""
        return self.found / (self.found + self.missed)

    @property
    def precision(self) -> float:
        """The share of the flagged cases that is of the class; NaN if none is flagged."""
        return self.found / (self.found + self.mistaken) if self.flagged else nan

    @property
    def flagged(self) -> float:
        """The share of all cases for which the class is predicted."""
        return (self.found + self.mistaken) / self.cases

    def cost(self, ratio: float) -> float:
        """The mean cost of a case, if a case flagged by mistake costs 1, and a missed one `ratio`, a number from 0."""
        if not (is_finite(ratio) and ratio >= 0):
            raise ValueError(f"ratio must be a number from 0, got {short_repr(ratio)}.")
        return (ratio * self.missed + self.mistaken) / self.cases


@frozen
class Thresholds(Face):
    """The thresholds between the probabilities of a classifier, and the number of the chosen one; prints those around it.

    `of` is the class that is looked for; `predict` takes `threshold`.

    >>> Thresholds("ill", [ThresholdRow(0.25, 8, 2, 32, 1000), ThresholdRow(0.75, 1, 9, 0, 1000)], 0)
    threshold  recall  precision  flagged of ill
         0.25   0.800      0.200           0.040  chosen
         0.75   0.100      1.000           0.001
    """

    of: Hashable
    rows: tuple[ThresholdRow, ...] = field(converter=as_tuple)
    chosen: int
    cost_ratio: float | None = None

    @property
    def row(self) -> ThresholdRow:
        """The chosen row."""
        return self.rows[self.chosen]

    @property
    def threshold(self) -> float:
        """The chosen threshold, for `predict`, `TreeClassifier` and `to_sql`."""
        return self.row.threshold

    def _parts(self) -> Iterator[Grid]:
        ratio = self.cost_ratio
        near = range(max(self.chosen - _AROUND, 0), min(self.chosen + _AROUND + 1, len(self.rows)))
        lines = []
        for number in near:
            row = self.rows[number]
            rates = [row.recall, row.precision, row.flagged, *(() if ratio is None else [row.cost(ratio)])]
            lines.append([f"{row.threshold:.4g}", *map(short_number, rates), "chosen" if number == self.chosen else ""])
        costs = () if ratio is None else ["mean cost"]
        yield Grid(("threshold", "recall", "precision", f"flagged of {self.of}", *costs, ""), lines, left=0)


def threshold(
    tree: Tree | Classifier,
    dataset: Any,
    *,
    cost_ratio: float | None = None,
    recall: float | None = None,
    flagged: float | None = None,
    of: Hashable = None,
    missing: MissingRule | None = None,
    unseen: Unseen = "rule",
) -> Thresholds:
    """The probability from which the second of two classes is predicted, chosen on rows that the tree has not seen.

    Give one of three: with a `cost_ratio`, the mean cost is least where a missed case of the class costs so many times as much as
    one flagged by mistake; with a `recall`, at least this share of the class is found; with `flagged`, at most this share of
    all cases is flagged. Of equally good thresholds, the one that flags fewest cases is chosen; with `flagged`, most. `of` is the
    class that is looked for, by default the second one; thresholds are for the second class in any case, midway between the
    probabilities that occur. Any classifier with probabilities can be given in place of a tree, such as a forest.

    Raises a ValueError for another number of classes, for none or several of the three, for rates that no threshold has, for a
    class that is none, and for a dataset without a case of it.

    Source: Elkan 2001.

    >>> from ftree import Dataset, grow, predict
    >>> data = Dataset.from_rows([["a"]] * 8 + [["b"]] * 4, ["no"] * 8 + ["yes", "no", "no", "no"])
    >>> found = threshold(grow(data), data, cost_ratio=5)
    >>> found
    threshold  recall  precision  flagged of yes  mean cost
            0   1.000      0.083           1.000      0.917
        0.125   1.000      0.250           0.333      0.250  chosen
        0.625   0.000          -           0.000      0.417
    >>> predict(grow(data), ["b"], threshold=found.threshold)
    'yes'
    """
    answers = predictions_for(tree, dataset, missing, unseen)
    if len(answers.classes) != 2:  # noqa: PLR2004  # a threshold divides two
        raise ValueError(f"dataset must be of two classes for a threshold, got {joined(map(repr, answers.classes))}.")
    looked_for = answers.classes[1] if of is None else of
    if looked_for not in answers.classes:
        raise ValueError(f"of must be one of the classes {joined(map(repr, answers.classes))}, got {short_repr(of)}.")
    rows = _rows(answers, answers.classes.index(looked_for))
    if not rows[0].found + rows[0].missed:
        raise ValueError(f"dataset must have a case of the class {short_repr(looked_for)}, got none.")
    return Thresholds(looked_for, rows, _choice(rows, cost_ratio, recall, flagged), cost_ratio)


def _rows(answers: Predictions, number: int) -> list[ThresholdRow]:
    """The row of each threshold, for the class with this number."""
    known, place = np.unique(answers.probabilities[:, 1].round(_DIGITS), return_inverse=True)
    cuts = [0.0, *((known[1:] + known[:-1]) / 2).tolist(), *([(known[-1] + 1) / 2] if known[-1] < 1 else [])]
    own = answers.true == number

    def flagged(weights: Array) -> Array:
        """The weights of the rows for which the class is predicted, for each cut."""
        below = np.append(0, np.bincount(place.ravel(), weights, len(known)).cumsum())[: len(cuts)]
        return below if number == 0 else weights.sum() - below

    found, mistaken = flagged(answers.weights * own), flagged(answers.weights * ~own)
    all_own, cases = float((answers.weights * own).sum()), float(answers.weights.sum())
    listed = zip(cuts, found.tolist(), mistaken.tolist(), strict=True)
    return [ThresholdRow(cut, right, all_own - right, wrong, cases) for cut, right, wrong in listed]


def _choice(rows: list[ThresholdRow], cost_ratio: Any, recall: Any, flagged: Any) -> int:
    """The number of the row that is chosen."""
    given = {"cost_ratio": cost_ratio, "recall": recall, "flagged": flagged}
    named = [(name, value) for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise ValueError(f"cost_ratio, recall or flagged must be given, one of them, got {len(named)} of them.")
    ((name, value),) = named
    if not (is_finite(value) and value > 0 and (name == "cost_ratio" or value <= 1)):
        wanted = "a number above 0" if name == "cost_ratio" else "a share above 0 and at most 1"
        raise ValueError(f"{name} must be {wanted}, got {short_repr(value)}.")
    if name == "cost_ratio":
        return min(range(len(rows)), key=lambda n: (round(rows[n].cost(value), 12), rows[n].flagged))
    kept = [
        n for n, row in enumerate(rows) if (row.recall >= value - 1e-12 if name == "recall" else row.flagged <= value + 1e-12)
    ]
    if not kept:
        least, most = min(row.flagged for row in rows), max(row.recall for row in rows)
        wanted = f"at most {most:.4g}" if name == "recall" else f"at least {least:.4g}"
        raise ValueError(f"{name} must be {wanted} for these rows, some of which the tree is sure of, got {short_repr(value)}.")
    return min(kept, key=lambda n: rows[n].flagged if name == "recall" else -rows[n].flagged)
