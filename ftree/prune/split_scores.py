"""Pruning by the score of the split: chi-squared significance, and critical values.

Sources: Quinlan 1986, section 5, which stops growth by the chi-squared test, as the rule `ftree.stop.not_significant` does;
Mingers 1987, "Expert Systems - Rule Induction with Statistical Data", Journal of the Operational Research Society 38.
"""

from math import isinf
from typing import Any

import numpy as np
from attrs import field, frozen
from toolz import concat

from ftree._lib.fields import a_probability, is_finite, must_be
from ftree._lib.tail_probabilities import critical
from ftree.criteria.frontier import Nodes
from ftree.criteria.impurity import Impurity, entropy, require_of_classes
from ftree.criteria.predicate import a_measure
from ftree.criteria.scores import Score, gain
from ftree.prune.decisions import Pruned, same
from ftree.prune.passes import DecidingPass, LevelOrder, Verdict, bottom_up, in_level_order
from ftree.tree.nodes import Tree


@frozen
class chi_squared(DecidingPass):
    """Cut, children first, branches above leaves whose chi-squared test has a p-value above alpha.

    The null hypothesis is that children and classes are independent. Degrees of freedom are (children - 1)(classes - 1),
    without children and classes that have no cases. Growth that stops by this test never sees a significant split below an
    insignificant one; this pass sees it, and keeps both.

    In `decisions`, scores as a leaf are Pearson's statistics, and those as a subtree 0; the threshold is the statistic
    whose p-value is alpha.

    Raises a ValueError for an alpha that is not a probability.

    >>> chi_squared(0.01)
    chi_squared(0.01)
    """

    alpha: float = field(default=0.05, validator=a_probability)

    def _prune(self, tree: Tree) -> Pruned:
        order = in_level_order(tree)
        statistics, limits, weak = _tests(order, float(self.alpha))

        return _cut_weak(order, statistics, weak, limits)


def _cut_weak(order: LevelOrder, scores: list[float], weak: list[bool], limits: list[float]) -> Pruned:
    """Cut the branches above leaves whose split is weak; a leaf loses the score of the split, a subtree nothing."""

    def judge(number: int, _: float, above_leaves: bool) -> Verdict | None:  # noqa: FBT001  # a `Judge`
        return Verdict(weak[number], limits[number]) if above_leaves else None

    return bottom_up(order, scores, subtree_score=lambda _, __: 0.0, judge=judge)


def _tests(order: LevelOrder, alpha: float) -> tuple[list[float], list[float], list[bool]]:
    """Of each node its split's statistic, the critical value, whether the p-value exceeds alpha; zeros for a leaf."""
    counts = np.array(order.counts, dtype=np.float64)
    # A leaf counts as its own only child, so it has no degree of freedom.
    picked = np.fromiter(concat(kids or (number,) for number, kids in enumerate(order.below)), dtype=np.intp)
    n_children = np.array([len(kids) or 1 for kids in order.below])
    level = Nodes(0, counts).decided((), None, n_children, counts[picked])
    dof = level.dof
    limits = critical(dof, alpha)
    return level.chi2.tolist(), limits.tolist(), (level.p_value > alpha).tolist()


_of_classes: Any = [*a_measure, lambda _, attribute, value: require_of_classes(attribute.name, value)]
_NUMBER = must_be("a number in the unit of the score", lambda c: is_finite(c) or (isinstance(c, float) and isinf(c)))


@frozen
class critical_value(DecidingPass):
    """Cut a branch if its split, and every split below it, scores less than the critical value.

    `score` is the measure by which the tree was grown: gain, gain_ratio, pearson, or any function of children's counts
    (..., V, K) and an impurity; gains are measured in `impurity`. A branch whose score equals `c` stays.

    In `decisions`, the score as a leaf is that of the split, which a leaf loses; the score as a subtree is 0, the threshold c.

    Raises a ValueError for a critical value that is not a number, a TypeError for a score or impurity that is not a function of
    class counts.

    >>> critical_value(0.1)
    critical_value(0.1, score=gain, impurity=entropy)
    """

    c: float = field(validator=_NUMBER)
    score: Score = field(default=gain, kw_only=True, validator=a_measure)
    impurity: Impurity = field(default=entropy, kw_only=True, validator=_of_classes)

    def _prune(self, tree: Tree) -> Pruned:
        order = in_level_order(tree)
        scores = _split_scores(order, self.score, self.impurity)

        weak = [score < self.c and not same(score, self.c) for score in scores]
        return _cut_weak(order, scores, weak, [self.c] * len(scores))


def _split_scores(order: LevelOrder, score: Score, impurity: Impurity) -> list[float]:
    """The score of each node's split, 0 for a leaf; one call scores all nodes with the same number of children."""
    counts = np.array(order.counts, dtype=np.float64)
    n_children = np.array([len(kids) for kids in order.below])
    first = np.array([kids.start for kids in order.below])
    found = np.zeros(len(counts))
    for size in set(n_children.tolist()) - {0}:
        alike = np.flatnonzero(n_children == size)
        found[alike] = score(counts[first[alike, None] + np.arange(size)], impurity)
    listed: list[float] = found.tolist()
    return listed
