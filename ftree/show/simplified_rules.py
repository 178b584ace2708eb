"""Rules made from a tree and simplified, as C4.5rules does (Quinlan 1993, chapter 5)."""

from collections.abc import Callable, Iterable, Sequence
from math import lgamma, log, log2
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import is_finite, is_iterable
from ftree._lib.messages import joined, short_repr, type_of
from ftree.criteria.error_limits import added_errors, deviate
from ftree.data.cases import weights_of_rows
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.matching import Mask, matching
from ftree.show.rules_and_formulas import Rule
from ftree.show.rules_and_formulas import rules as rules_of
from ftree.show.rules_on_data import RuleList
from ftree.tree.conditions import Condition
from ftree.tree.nodes import Tree
from ftree.tree.response import majority, whole_numbers


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
    require_dataset(dataset, of_classes="simplify")
    if not (is_finite(confidence) and 0 < confidence <= 0.5):  # noqa: PLR2004  # above one half, the limit would add no errors
        raise ValueError(f"confidence must be above 0 and at most 0.5, got {short_repr(confidence)}.")
    given = _checked(rules_of(rules) if isinstance(rules, Tree) else rules, dataset)
    cases, rate = cases_of(dataset), pessimistic_rate(confidence)
    short = dict.fromkeys(shortened_rule(rule, cases, rate) for rule in given)
    useful = [rule for rule in short if rule.conditions and any(rule.counts)]
    bits = condition_bits(useful)
    sets = [
        chosen_rules([rule for rule in useful if rule.label == label], cases, number, bits)
        for number, label in enumerate(dataset.schema.classes)
    ]
    return _in_order(sets, cases, rate)


@frozen(eq=False)
class Cases:
    """Cases of a dataset as arrays: labels (n,) and weights (n,); and the rows of each condition, computed once."""

    dataset: Dataset
    labels: Array
    weights: Floats
    masks: dict[Condition, Mask]

    def mask(self, conditions: Sequence[Condition]) -> Mask:
        """For each condition, the rows for which it holds, (k, n)."""
        for each in conditions:
            if each not in self.masks:
                self.masks[each] = matching(each, self.dataset)
        return np.array([self.masks[each] for each in conditions], dtype=bool).reshape(len(conditions), len(self.labels))

    def covered(self, rule: Rule) -> Mask:
        """The rows that a rule covers, (n,)."""
        return np.asarray(self.mask(rule.conditions).all(axis=0))

    def counts(self, rows: Mask) -> Floats:
        """Class counts of some rows, (K,)."""
        n_classes = len(self.dataset.schema.classes)
        counts: Floats = np.bincount(self.labels[rows], self.weights[rows], minlength=n_classes).astype(np.float64)
        return counts


# From class counts (K,) and the number of a rule's class to an error rate.
Rate: TypeAlias = Callable[[Floats, int], float]


def _in_order(sets: Sequence[Sequence[Rule]], cases: Cases, rate: Rate) -> RuleList:
    """The rules of all classes, the class with the fewest wrongly covered cases first, and the default label."""
    left, ordered = np.ones(len(cases.labels), dtype=bool), []
    covered = {number: np.logical_or.reduce(list(map(cases.covered, rules))) for number, rules in enumerate(sets) if rules}
    while covered:
        wrong = {number: cases.weights[left & rows & (cases.labels != number)].sum() for number, rows in covered.items()}
        first = min(wrong, key=lambda number: (wrong[number], number))
        rates = [rate(np.array(rule.counts, dtype=np.float64), first) for rule in sets[first]]
        ordered += [sets[first][number] for number in np.argsort(rates, kind="stable")]
        left &= ~covered.pop(first)
    counts = cases.counts(left) if cases.weights[left].sum() else cases.counts(left | True)
    schema = cases.dataset.schema
    return RuleList(schema, ordered, schema.classes[majority(counts.tolist())])


def _checked(rules: Any, dataset: Dataset) -> list[Rule]:
    listed: list[Rule] = list(rules) if is_iterable(rules) else [rules]
    for rule in listed:
        if not isinstance(rule, Rule):
            raise TypeError(f"rules must be a Tree or rules, such as rules(tree), got {type_of(rule)}.")
        if rule.label not in dataset.schema.classes:
            known = joined(map(short_repr, dataset.schema.classes))
            raise ValueError(f"rules must have labels of the dataset, {known}, got {short_repr(rule.label)}.")
    return listed


# Dropping conditions of a rule while its pessimistic error rate does not increase (Quinlan 1993, section 5.1).


# Rates that differ by at most this are equal except for rounding.
_ROUNDING = 1e-9


def pessimistic_rate(confidence: float) -> Rate:
    """The upper confidence limit of the error rate of a rule; 1 if it covers no case.

    >>> round(pessimistic_rate(0.25)(np.array([15.0, 1.0]), 0), 6)
    0.154732
    """
    z = deviate(confidence, "normal")

    def rate(counts: Floats, label: int) -> float:
        n = float(counts.sum())
        errors = n - float(counts[label])
        return (errors + added_errors(n, errors, confidence, z)) / n if n else 1.0

    return rate


def cases_of(dataset: Dataset) -> Cases:
    """The cases of a dataset."""
    weights = weights_of_rows(dataset).astype(np.float64)
    return Cases(dataset, dataset.target_column.astype(np.intp), weights, {})


def shortened_rule(rule: Rule, cases: Cases, rate: Rate) -> Rule:
    """The rule without the conditions that do not help, with the counts of the cases that it covers.

    The condition whose removal gives the lowest pessimistic rate is dropped first, until every removal would increase the rate.
    """
    label = cases.dataset.schema.classes.index(rule.label)
    kept, masks = list(rule.conditions), cases.mask(rule.conditions)
    while kept:
        now, without = _rates(masks, cases, label, rate)
        if min(without) > now + _ROUNDING:
            break
        drop = next(number for number, each in enumerate(without) if each <= min(without) + _ROUNDING)
        del kept[drop]
        masks = np.delete(masks, drop, axis=0)
    short = evolve(rule, conditions=tuple(kept))
    return evolve(short, counts=tuple(whole_numbers(cases.counts(cases.covered(short)))))


def _rates(masks: Mask, cases: Cases, label: int, rate: Rate) -> tuple[float, list[float]]:
    """The rate of a rule, and its rate without each of its conditions."""
    failed = (~masks).sum(axis=0)
    counts, near = cases.counts(failed == 0), failed == 1
    added = np.zeros((len(masks), len(counts)))
    np.add.at(added, ((~masks[:, near]).argmax(axis=0), cases.labels[near]), cases.weights[near])
    return rate(counts, label), [rate(counts + each, label) for each in added]


# Choosing some of the rules of a class by the length of their description (Quinlan 1993, sections 5.2 and 5.3).


# Quinlan's weight of a theory against its exceptions, since rules are partly redundant.
_THEORY = 0.5


def chosen_rules(rules: Sequence[Rule], cases: Cases, label: int, condition_bits: float) -> list[Rule]:
    """The rules of a class with the shortest description: one at a time is dropped, or added again, while that saves bits."""
    masks = [cases.covered(rule) for rule in rules]
    theory = np.array([condition_bits * len(rule.conditions) for rule in rules])
    kept = np.ones(len(rules), dtype=bool)
    covered = np.sum([np.zeros(len(cases.labels)), *masks], axis=0)
    bits = _bits(covered > 0, cases, label, theory[kept])
    while True:
        tried = []
        for at, mask in enumerate(masks):
            rows = covered + np.where(kept[at], -1, 1) * mask > 0
            tried.append(_bits(rows, cases, label, theory[_flipped(kept, at)]))
        best = int(np.argmin([*tried, bits - _ROUNDING]))
        if best == len(tried):
            return [rule for rule, keep in zip(rules, kept, strict=True) if keep]
        covered = covered + (-1 if kept[best] else 1) * masks[best]
        bits, kept = tried[best], _flipped(kept, best)


def _flipped(kept: Mask, at: int) -> Mask:
    return np.where(np.arange(len(kept)) == at, ~kept, kept)


def _bits(covered: Mask, cases: Cases, label: int, theory: Floats) -> float:
    """The length of a set of rules and of its exceptions: rows covered of other classes, and rows of the class not covered."""
    total, inside = float(cases.weights.sum()), float(cases.weights[covered].sum())
    here = cases.labels == label
    wrong, missed = float(cases.weights[covered & ~here].sum()), float(cases.weights[~covered & here].sum())
    exceptions = _log2_choose(inside, wrong) + _log2_choose(total - inside, missed)
    return _THEORY * (float(np.sum(theory)) - log2_factorial(len(theory))) + exceptions


def log2_factorial(n: float) -> float:
    """The bits that encode one of n! orders.

    >>> round(log2_factorial(4) - log2_factorial(3), 6)
    2.0
    """
    return lgamma(n + 1) / log(2)


def _log2_choose(n: float, k: float) -> float:
    """The bits that encode a choice of k among n cases."""
    return log2_factorial(n) - log2_factorial(k) - log2_factorial(n - k)


def condition_bits(rules: Sequence[Rule]) -> float:
    """The bits that encode one of the conditions of some rules."""
    return log2(max(len({each for rule in rules for each in rule.conditions}), 1))
