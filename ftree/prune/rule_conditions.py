"""Dropping conditions of a rule while its pessimistic error rate does not increase (Quinlan 1993, section 5.1)."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, Floats
from ftree.data.dataset import Dataset
from ftree.prune.error_estimate import added_errors, deviate
from ftree.show.coverage import Mask, mask_of
from ftree.show.formulas import Rule
from ftree.tree.conditions import Condition
from ftree.tree.nodes import whole_numbers

# Rates that differ by at most this are equal except for rounding.
_ROUNDING = 1e-9
# From class counts (K,) and the number of a rule's class to an error rate.
Rate: TypeAlias = Callable[[Floats, int], float]


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
                self.masks[each] = mask_of(each, self.dataset)
        return np.array([self.masks[each] for each in conditions], dtype=bool).reshape(len(conditions), len(self.labels))

    def covered(self, rule: Rule) -> Mask:
        """The rows that a rule covers, (n,)."""
        return np.asarray(self.mask(rule.conditions).all(axis=0))

    def counts(self, rows: Mask) -> Floats:
        """Class counts of some rows, (K,)."""
        n_classes = len(self.dataset.schema.classes)
        counts: Floats = np.bincount(self.labels[rows], self.weights[rows], minlength=n_classes).astype(np.float64)
        return counts


def cases_of(dataset: Dataset) -> Cases:
    """The cases of a dataset."""
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights.astype(np.float64)
    return Cases(dataset, dataset.labels.astype(np.intp), weights, {})


def shortened(rule: Rule, cases: Cases, rate: Rate) -> Rule:
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
