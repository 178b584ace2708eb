"""How often a rule applies, and how often it is right: coverage, support, confidence, lift."""

from collections.abc import Iterable

import numpy as np
from attrs import frozen

from ftree.data.dataset import Dataset
from ftree.show.coverage import covers
from ftree.show.formulas import Rule


@frozen
class RuleStatistics:
    """A rule's statistics over a dataset, by weight.

    `coverage` is the share of rows for which its conditions hold, `support` the share of rows that also have its label,
    `confidence` the share of the covered rows that have the label, and `lift` the confidence divided by the share of the
    label among all rows. A share of no rows is NaN.

    Source: Agrawal, Imielinski & Swami 1993; lift: Brin, Motwani, Ullman & Tsur 1997.

    >>> from ftree import grow, rules
    >>> from ftree.datasets import weather
    >>> found = rule_statistics(rules(grow(weather())), weather())[0]
    >>> round(found.coverage, 3), found.confidence
    (0.286, 1.0)
    """

    rule: Rule
    coverage: float
    support: float
    confidence: float
    lift: float

    def __str__(self) -> str:
        """The rule and its numbers in a line."""
        numbers = (f"coverage {self.coverage:.3f}", f"confidence {self.confidence:.3f}", f"lift {self.lift:.2f}")
        return f"{self.rule} ({', '.join(numbers)})"


def rule_statistics(rules: Iterable[Rule], dataset: Dataset) -> tuple[RuleStatistics, ...]:
    """The statistics of each rule over a dataset.

    Raises the errors of `covers`.

    >>> from ftree import datasets, grow
    >>> from ftree import rules
    >>> days = datasets.weather()
    >>> print(rule_statistics(rules(grow(days)), days)[0])
    if outlook = overcast then yes (coverage 0.286, confidence 1.000, lift 1.56)
    """
    return tuple(_statistics(rule, dataset) for rule in rules)


def _statistics(rule: Rule, dataset: Dataset) -> RuleStatistics:
    here = covers(rule, dataset)
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    classes = dataset.schema.classes
    right = dataset.labels == (classes.index(rule.label) if rule.label in classes else -1)
    total, covered, both, labelled = (float(weights[mask].sum()) for mask in (here | True, here, here & right, right))
    confidence = both / covered if covered else float("nan")
    lift = confidence * total / labelled if labelled else float("nan")
    shares = (covered / total, both / total) if total else (float("nan"), float("nan"))
    return RuleStatistics(rule, *shares, confidence, lift)
