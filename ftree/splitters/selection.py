"""Choosing between the best splits of a node's features: by score, or by gain ratio as C4.5 does."""

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
    """The best split of each feature at each open node: arrays (C,), sorted by node, then feature.

    `score` is the policy's score times the share of cases whose value is known. `information(numbers)` returns the split
    information in bits of the candidates with these numbers; cases with a missing value count as a child of their own.
    `many` marks features with very many values (`many_valued`).

    >>> import numpy as np
    >>> zero = np.array([0, 0])
    >>> found = Candidates(zero, np.array([0, 1]), np.array([0.25, 0.15]), lambda numbers: np.ones(len(numbers)), zero > 0)
    >>> by_score()(found).tolist()
    [0.25, 0.15]
    """

    node: Array
    feature: Array
    score: Array
    information: Callable[[Array], Array]
    many: Array


def many_valued(features: Sequence[Feature], cases: float) -> frozenset[int]:
    """The nominal features with at least 3 declared values for 10 cases; none if that holds for all features.

    A gain by such a feature says little about new cases.

    Source: C4.5, release 8; Weka's J48.

    >>> sky, name = Feature("sky", "nominal", ("grey", "blue")), Feature("name", "nominal", tuple("abcdef"))
    >>> many_valued([sky, name], 10), many_valued([name], 10)
    (frozenset({1}), frozenset())
    """
    listed = enumerate(features)
    many = frozenset(number for number, feature in listed if feature.kind == "nominal" and 10 * len(feature.values) >= 3 * cases)
    return many if len(many) < len(features) else frozenset()


# From the candidates of all open nodes to figures (C,): each node takes its highest; -inf excludes a candidate.
FeatureChoice: TypeAlias = Callable[[Candidates], Array]


@frozen(repr=False)
class by_score(ConstructorRepr):
    """Choose the candidate with the best score.

    >>> by_score()
    by_score()
    """

    def __call__(self, candidates: Candidates) -> Array:
        """The score of each candidate."""
        return candidates.score


@frozen(repr=False)
class by_gain_ratio(ConstructorRepr):
    """Choose the best gain ratio among the candidates whose gain is not below the mean gain of the node's candidates.

    The policy's score must be a gain. A gain may be `slack` bits below the mean. Features with very many values
    (`many_valued`) do not count in the mean; a node without other features becomes a leaf.

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
