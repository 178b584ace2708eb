"""Rules made from a tree and simplified, as C4.5rules does (Quinlan 1993, chapter 5)."""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from ftree._lib.fields import is_finite
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.prune.rule_conditions import Cases, Rate, cases_of, pessimistic_rate, shortened
from ftree.prune.rule_sets import chosen_rules, condition_bits
from ftree.show.coverage import Mask, all_of
from ftree.show.formulas import Rule
from ftree.show.rule_list import RuleList
from ftree.show.rules import rules as rules_of
from ftree.tree.nodes import Tree, majority


def simplify(rules: Tree | Iterable[Rule], dataset: Dataset, *, confidence: float = 0.25) -> RuleList:
    """An ordered list of short rules with a default label, from the rules of a tree and the dataset on which it was grown.

    1. A rule loses conditions as long as its pessimistic error rate, the upper limit at this `confidence`, does not increase.
    2. Rules that are then equal to another, cover no row, or have no conditions are dropped.
    3. In each class, rules are dropped as long as that shortens the description: conditions of the rules, and exceptions.
    4. The class whose rules wrongly cover the fewest remaining rows comes first; within a class, the rule with the lowest
       pessimistic rate. The default label is the most frequent one among the rows that no rule covers.

    It differs from C4.5rules in three steps: subsets are searched by one rule at a time, not by simulated annealing; each
    condition costs the same bits, whatever its feature's frequency; and rules that the whole list does not need are kept.

    Raises a TypeError for anything that is not a tree or rules; a ValueError for a confidence outside (0, 0.5], and for a rule
    whose label the dataset does not have.

    >>> from ftree import datasets, grow
    >>> days = datasets.weather()
    >>> print(simplify(grow(days), days))
    if outlook = sunny and humidity = high then no
    if outlook = rainy and windy = True then no
    if outlook = overcast then yes
    if humidity = normal then yes
    if outlook = rainy and windy = False then yes
    else yes
    """
    require_dataset(dataset)
    if not (is_finite(confidence) and 0 < confidence <= 0.5):  # noqa: PLR2004  # above one half, the limit would add no errors
        message = f"confidence must be above 0 and at most 0.5, got {short_repr(confidence)}."
        raise ValueError(message)
    given = _checked(rules_of(rules) if isinstance(rules, Tree) else rules, dataset)
    cases, rate = cases_of(dataset), pessimistic_rate(confidence)
    short = dict.fromkeys(shortened(rule, cases, rate) for rule in given)
    useful = [rule for rule in short if rule.conditions and any(rule.counts)]
    bits = condition_bits(useful)
    sets = [
        chosen_rules([rule for rule in useful if rule.label == label], cases, number, bits)
        for number, label in enumerate(dataset.schema.classes)
    ]
    return _in_order(sets, cases, rate)


def _in_order(sets: Sequence[Sequence[Rule]], cases: Cases, rate: Rate) -> RuleList:
    """The rules of all classes, the class with the fewest wrongly covered cases first, and the default label."""
    left, ordered = np.ones(len(cases.labels), dtype=bool), []
    covered = {number: _covered(rules, cases) for number, rules in enumerate(sets) if rules}
    while covered:
        wrong = {number: cases.weights[left & rows & (cases.labels != number)].sum() for number, rows in covered.items()}
        first = min(wrong, key=lambda number: (wrong[number], number))
        ordered += sorted(sets[first], key=partial(_rate_of, rate, first))
        left &= ~covered.pop(first)
    counts = cases.counts(left) if cases.weights[left].sum() else cases.counts(left | True)
    schema = cases.dataset.schema
    return RuleList(schema, ordered, schema.classes[majority(counts.tolist())])


def _rate_of(rate: Rate, label: int, rule: Rule) -> float:
    return rate(np.array(rule.counts, dtype=np.float64), label)


def _covered(rules: Sequence[Rule], cases: Cases) -> Mask:
    """The rows that any of the rules covers."""
    return ~all_of([~cases.covered(rule) for rule in rules], len(cases.labels))


def _checked(rules: Iterable[Rule], dataset: Dataset) -> list[Rule]:
    listed: list[Rule] = list(rules) if isinstance(rules, Iterable) else [rules]
    for rule in listed:
        if not isinstance(rule, Rule):
            message = f"rules must be a Tree or rules, such as rules(tree), got {type_of(rule)}."
            raise TypeError(message)
        if rule.label not in dataset.schema.classes:
            known = joined(map(short_repr, dataset.schema.classes))
            message = f"rules must have labels of the dataset, {known}, got {short_repr(rule.label)}."
            raise ValueError(message)
    return listed
