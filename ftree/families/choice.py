"""How a node chooses among the best splits of its features: by their score, or as C4.5 does."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._fields import QUIET, reads_like_its_constructor
from ftree.families.runs import TIE
from ftree.frontier import Array


@frozen(eq=False)
class Candidates:
    """The best split of each feature at each open node that has one: arrays (C,), sorted by node, then feature.

    `score` is the policy's score times the share of cases whose value is known. `information(numbers)` is the split
    information in bits of the candidates with these numbers, cases of unknown value counted as a child of their own.
    """

    node: Array
    feature: Array
    score: Array
    information: Callable[[Array], Array]


# From the candidates of all open nodes to the figure that the best of each node is chosen by, -inf for those ruled out.
Choice: TypeAlias = Callable[[Candidates], Array]


@reads_like_its_constructor
@frozen(repr=False)
class by_score:
    """The best score wins.

    >>> by_score()
    by_score()
    """

    def __call__(self, candidates: Candidates) -> Array:
        """The score of each candidate."""
        return candidates.score


@reads_like_its_constructor
@frozen(repr=False)
class by_gain_ratio:
    """The best gain ratio wins, of those splits whose gain is not below the mean gain of the node's candidates.

    For a policy whose score is a gain, by which each feature's own split is found. `slack` is what a gain may lack of
    the mean, in bits.

    Source: Quinlan 1993, section 2.2; the slack is that of release 8, and of Weka's J48.

    >>> by_gain_ratio()
    by_gain_ratio()
    """

    slack: float = field(default=1e-3, kw_only=True, metadata=QUIET)

    def __call__(self, candidates: Candidates) -> Array:
        """The gain ratio of each candidate, -inf where its gain is below the mean."""
        n_of_node = np.bincount(candidates.node)
        mean = np.bincount(candidates.node, candidates.score)[candidates.node] / n_of_node[candidates.node]
        eligible = np.flatnonzero(candidates.score >= mean - self.slack)
        information = candidates.information(eligible)
        ratio = np.divide(candidates.score[eligible], information, out=np.zeros(len(eligible)), where=information > 0)
        figures = np.full(len(candidates.score), -np.inf)
        figures[eligible] = np.where(ratio > TIE, ratio, -np.inf)
        return figures
