"""Rules on the rows of a dataset: which rows fit, statistics of each rule, and the list of all."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import missing_cells
from ftree._lib.faces import Face, Lines, in_lines
from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined, short_repr
from ftree.data.dataset import Dataset, recoded_columns, require_dataset
from ftree.data.rows import columns_of, labels_in_kind
from ftree.show.rules_and_formulas import Dnf, Rule, terms
from ftree.tree.conditions import (
    AllOf,
    AnyOf,
    Between,
    Condition,
    FirstKnown,
    Missing,
    NoneOf,
    OneOf,
    Opaque,
    SumBetween,
)
from ftree.tree.schema import Schema, position
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.shared import weighted_sum

Mask = npt.NDArray[np.bool_]


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
        found |= rows_of_mask(AllOf(term), dataset)
    return found


def rows_of_mask(condition: Condition, dataset: Dataset) -> Mask:
    """The rows for which a condition with names instead of numbers holds, as a mask (n,).

    >>> from ftree import datasets
    >>> int(rows_of_mask(OneOf("outlook", ("sunny",)), datasets.weather()).sum())
    5
    """
    every = np.ones(len(dataset), dtype=bool)
    stated: Any = getattr(condition, "condition", condition)  # without its text
    match stated:
        case AllOf(parts):
            return np.asarray(np.logical_and.reduce([every, *(rows_of_mask(each, dataset) for each in parts)]))
        case AnyOf(parts):
            return np.asarray(np.logical_or.reduce([~every, *(rows_of_mask(each, dataset) for each in parts)]))
        case FirstKnown(pairs, default):
            return _first_known(pairs, dataset, default=default)
        case SumBetween():
            return _sum_between(stated, dataset)
        case Opaque():
            answers = child_of(stated.split, *recoded_columns(dataset, stated.features))
            return np.asarray(answers == stated.child)
    return _of_one_feature(stated, dataset)


def _of_one_feature(condition: Between | OneOf | NoneOf | Missing, dataset: Dataset) -> Mask:
    number = position(dataset.schema, str(condition.feature))
    feature, column = dataset.schema.features[number], dataset.columns[number]
    missing = missing_cells(column)
    match condition:
        case Missing():
            return missing
        case Between(_, above, at_most):
            return np.asarray((column > above) & (column <= at_most))
    listed: Any = condition.values
    here = np.isin(column, [code for code, value in enumerate(feature.values) if value in listed])
    return here | (missing & (None in listed)) if isinstance(condition, OneOf) else ~missing & ~here


def _sum_between(condition: SumBetween, dataset: Dataset) -> Mask:
    columns = [dataset.columns[position(dataset.schema, str(name))] for name in condition.features]
    known = ~np.logical_or.reduce([missing_cells(column) for column in columns])
    with np.errstate(over="ignore", invalid="ignore"):  # a sum that overflows is not above any number, as in `fits`
        total = weighted_sum(condition.weights, columns)
    above = np.ones(len(total), dtype=bool) if condition.above == -np.inf else total > condition.above
    return np.asarray(known & above & ~(total > condition.at_most))


def _first_known(pairs: Sequence[tuple[Condition, Condition]], dataset: Dataset, *, default: bool) -> Mask:
    found = np.full(len(dataset), default)
    for holding, opposite in reversed(pairs):
        found = rows_of_mask(holding, dataset) | (found & ~rows_of_mask(opposite, dataset))
    return found


@frozen(repr=False)
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
    return Lines(_statistics(rule, dataset) for rule in rules)


def _statistics(rule: Rule, dataset: Dataset) -> RuleStatistics:
    here = covers(rule, dataset)
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    classes = dataset.schema.classes
    right = dataset.target_column == (classes.index(rule.label) if rule.label in classes else -1)
    total, covered, both, labelled = (float(weights[mask].sum()) for mask in (here | True, here, here & right, right))
    confidence = both / covered if covered else float("nan")
    lift = confidence * total / labelled if labelled else float("nan")
    shares = (covered / total, both / total) if total else (float("nan"), float("nan"))
    return RuleStatistics(rule, *shares, confidence, lift)


@frozen(repr=False)
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
