"""Choosing some of the rules of a class by the length of their description (Quinlan 1993, sections 5.2 and 5.3)."""

from collections.abc import Sequence
from math import lgamma, log, log2

import numpy as np

from ftree._lib.arrays import Floats
from ftree.prune.rule_conditions import Cases
from ftree.show.coverage import Mask
from ftree.show.formulas import Rule

# Quinlan's weight of a theory against its exceptions, since rules are partly redundant.
_THEORY = 0.5
# Lengths that differ by at most this are equal except for rounding.
_ROUNDING = 1e-9


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
