"""How a node chooses among the best splits of its features: by their score, or as C4.5 does."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr, a_finite_number
from ftree._lib.ties import TIE
from ftree.tree.schema import Feature


@frozen(eq=False)
class Candidates:
    """The best split of each feature at each open node that has one: arrays (C,), sorted by node, then feature.

    `score` is the policy's score times the share of cases whose value is known. `information(numbers)` is the split
    information in bits of the candidates with these numbers, cases of unknown value counted as a child of their own. `many`
    marks features with so many values, for the cases of the whole table, that a gain by them says little (`many_valued`).
    """

    node: Array
    feature: Array
    score: Array
    information: Callable[[Array], Array]
    many: Array


def many_valued(features: Sequence[Feature], cases: float) -> frozenset[int]:
    """The nominal features with three declared values or more for ten cases; none where all features are of that sort.

    Source: C4.5, release 8; Weka's J48.

    >>> sky, name = Feature("sky", "nominal", ("grey", "blue")), Feature("name", "nominal", tuple("abcdef"))
    >>> many_valued([sky, name], 10), many_valued([name], 10)
    (frozenset({1}), frozenset())
    """
    listed = enumerate(features)
    many = frozenset(number for number, feature in listed if feature.kind == "nominal" and 10 * len(feature.values) >= 3 * cases)
    return many if len(many) < len(features) else frozenset()


# From the candidates of all open nodes to the figure that the best of each node is chosen by, -inf for those ruled out.
Choice: TypeAlias = Callable[[Candidates], Array]


@frozen(repr=False)
class by_score(ConstructorRepr):
    """The best score wins.

    >>> by_score()
    by_score()
    """

    def __call__(self, candidates: Candidates) -> Array:
        """The score of each candidate."""
        return candidates.score


@frozen(repr=False)
class by_gain_ratio(ConstructorRepr):
    """The best gain ratio wins, of those splits whose gain is not below the mean gain of the node's candidates.

    For a policy whose score is a gain, by which each feature's own split is found. `slack` is what a gain may lack of
    the mean, in bits. Features with very many values do not count in the mean; a node that has no others is a leaf.

    Source: Quinlan 1993, section 2.2; the slack and the exception are those of release 8, and of Weka's J48.

    >>> by_gain_ratio()
    by_gain_ratio()
    """

    slack: float = field(default=1e-3, kw_only=True, metadata=QUIET, validator=a_finite_number)

    def __call__(self, candidates: Candidates) -> Array:
        """The gain ratio of each candidate, -inf where its gain is below the mean."""
        n_of_node = np.bincount(candidates.node, ~candidates.many)
        total = np.bincount(candidates.node, np.where(candidates.many, 0.0, candidates.score))
        mean = np.divide(total, n_of_node, out=np.full(len(total), np.inf), where=n_of_node > 0)[candidates.node]
        eligible = np.flatnonzero(candidates.score >= mean - self.slack)
        information = candidates.information(eligible)
        ratio = np.divide(candidates.score[eligible], information, out=np.zeros(len(eligible)), where=information > 0)
        figures = np.full(len(candidates.score), -np.inf)
        figures[eligible] = np.where(ratio > TIE, ratio, -np.inf)
        return figures
