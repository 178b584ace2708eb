"""Rules on the rows of a dataset: which rows fit, statistics of each rule, and the list of all."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.faces import Face, Lines, in_lines
from ftree._lib.fields import as_tuple, is_iterable
from ftree._lib.messages import joined, short_repr
from ftree.data.cases import weights_of_rows
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.matching import Mask, matching
from ftree.data.rows import columns_of, labels_in_kind
from ftree.show.rules_and_formulas import Dnf, Rule, terms
from ftree.tree.conditions import AllOf
from ftree.tree.schema import Schema


def covers(formula: Dnf | Rule, dataset: Dataset) -> Mask:
    """The rows of a dataset for which a rule's conditions, or a formula, hold, as a mask (n,).

    Raises a TypeError for anything that is not a formula, rule or dataset, a KeyError for a feature that the dataset lacks.

    >>> from ftree import datasets, grow, rules
    >>> days = datasets.weather()
    >>> [int(covers(rule, days).sum()) for rule in rules(grow(days))]
    [4, 3, 2, 3, 2]
    """
    require_dataset(dataset)
    found = np.zeros(len(dataset), dtype=bool)
    for term in terms(formula):
        found |= matching(AllOf(term), dataset)
    return found


@frozen
class RuleStatistics(Face):
    """A rule's statistics over a dataset, by weight.

    `coverage` is the share of rows for which its conditions hold, `support` the share of rows that also have its label,
    `confidence` the share of the covered rows that have the label, and `lift` the confidence divided by the share of the
    label among all rows. A share of no rows is NaN.

    Source: Agrawal, Imielinski & Swami 1993; lift: Brin, Motwani, Ullman & Tsur 1997.

    >>> from ftree import datasets, grow, rules
    >>> found = rule_statistics(rules(grow(datasets.weather())), datasets.weather())[0]
    >>> round(found.coverage, 3), found.confidence
    (0.286, 1.0)
    """

    rule: Rule
    coverage: float
    support: float
    confidence: float
    lift: float

    def _parts(self) -> Iterator[str]:
        """The rule and its numbers in a line."""
        numbers = (f"coverage {self.coverage:.3f}", f"confidence {self.confidence:.3f}", f"lift {self.lift:.2f}")
        yield in_lines([str(self.rule), f"({', '.join(numbers)})"])


def rule_statistics(rules: Iterable[Rule], dataset: Dataset) -> Lines[RuleStatistics]:
    """The statistics of each rule over a dataset.

    Raises the errors of `covers`.

    >>> from ftree import datasets, grow, rules
    >>> days = datasets.weather()
    >>> print(rule_statistics(rules(grow(days)), days)[0])
    if outlook = overcast then yes (coverage 0.286, confidence 1.000, lift 1.56)
    """
    require_dataset(dataset, of_classes="rule_statistics")
    if not is_iterable(rules):
        raise TypeError(f"rules must be a sequence of rules, as rules(tree) makes, got {short_repr(rules)}.")
    return Lines(_statistics(rule, dataset) for rule in rules)


def _statistics(rule: Rule, dataset: Dataset) -> RuleStatistics:
    here = covers(rule, dataset)
    weights = weights_of_rows(dataset)
    classes = dataset.schema.classes
    right = dataset.target_column == (classes.index(rule.label) if rule.label in classes else -1)
    total, covered, both, labelled = (float(weights[mask].sum()) for mask in (here | True, here, here & right, right))
    confidence = both / covered if covered else float("nan")
    lift = confidence * total / labelled if labelled else float("nan")
    shares = (covered / total, both / total) if total else (float("nan"), float("nan"))
    return RuleStatistics(rule, *shares, confidence, lift)


@frozen
class RuleList(Face):
    """Rules in order and a default label: call it with rows for labels, as `predict` gives them, or with one row for a label.

    Raises a ValueError for a label that is not one of the schema's classes.

    >>> from ftree import Feature
    >>> from ftree.tree.conditions import Between
    >>> schema = Schema([Feature("wind", "numeric")], "ride", ("no", "yes"))
    >>> ride = RuleList(schema, [Rule((Between("wind", above=3.0),), "no", (2, 0))], "yes")
    >>> print(ride)
    if wind > 3 then no
    else yes
    >>> ride([[2.0], [5.0]]), ride([7.0])
    (['yes', 'no'], 'no')
    """

    schema: Schema
    rules: tuple[Rule, ...] = field(converter=as_tuple)
    default: Hashable

    def __attrs_post_init__(self) -> None:
        """Check the labels."""
        for label in (*(rule.label for rule in self.rules), self.default):
            if label not in self.schema.classes:
                known = joined(map(short_repr, self.schema.classes))
                raise ValueError(f"rules and default must have labels among {known}, got {short_repr(label)}.")

    def __call__(self, rows: Any) -> Any:
        """The label of one row, or the labels of rows in their form."""
        columns, n, single = columns_of(self.schema, rows)
        table = Dataset(self.schema, columns, np.zeros(n, dtype=np.int8))
        codes = np.full(n, self.schema.classes.index(self.default))
        for rule in reversed(self.rules):
            codes[covers(rule, table)] = self.schema.classes.index(rule.label)
        return self.schema.classes[codes[0]] if single else labels_in_kind(rows, self.schema.target, self.schema.classes, codes)

    def _parts(self) -> Iterator[str]:
        """A line for each rule, and one for the default."""
        yield "\n".join([*map(str, self.rules), f"else {self.default}"])
