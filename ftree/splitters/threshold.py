"""Ordered features cut in two at the best threshold (Breiman et al. 1984, section 2.4)."""

from typing import Literal

import numpy as np
from attrs import field, frozen
from attrs.validators import instance_of

from ftree._lib.arrays import Array, midpoint
from ftree._lib.fields import QUIET, ConstructorRepr, one_of
from ftree._lib.ties import TIE
from ftree.splitters.base import ORDERED, Cut, Found, Least, Measure, Runs, a_least_weight, best_cuts, two_sides
from ftree.tree.splits import Split, Threshold


@frozen(repr=False)
class threshold(ConstructorRepr):
    """Two children, cut midway between neighbouring values; both children of a candidate cut have at least `min_cases` cases.

    `min_cases` is scikit-learn's `min_samples_leaf` and rpart's minbucket. The stopping rule `stop.min_best_child` is another
    thing: it closes a node whose best cut has a small child, even where another cut has not.
    With `mdl=True` a cut's score, a gain in bits, is reduced by what it takes to say which of the possible cuts it is:
    log2(cuts) / cases (Quinlan 1996); a cut that is then worth nothing is none. `at="observed"` puts all thresholds
    of the finished tree at the largest value of the data not above them (Quinlan 1993, section 2.4).

    Source: Breiman et al. 1984, section 2.4.

    >>> threshold(min_cases=5)
    threshold(min_cases=5)
    """

    kinds = ORDERED

    min_cases: Least = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)
    mdl: bool = field(default=False, kw_only=True, metadata=QUIET, validator=instance_of(bool))
    at: Literal["midpoint", "observed"] = field(
        default="midpoint", kw_only=True, metadata=QUIET, validator=one_of("midpoint", "observed")
    )

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score each run by its best cut."""
        cut = best_cuts(runs, measure, self.min_cases)
        score = _less_its_description(cut, runs.weight) if self.mdl else cut.score
        return Found(score, lambda run: cut_after(runs, run, cut.below[run]))


def cut_after(runs: Runs, run: int, below: int) -> tuple[Split, Array]:
    """The threshold midway between a row of a run and the next one, and its children's counts."""
    at = midpoint(runs.value[below], runs.value[below + 1])
    return Threshold(int(runs.feature[run]), float(at)), two_sides(runs, run, below)


def _less_its_description(cut: Cut, weight: Array) -> Array:
    bits = np.log2(np.maximum(cut.choices, 1)) / weight
    score = cut.score - bits
    return np.where(score > TIE, score, -np.inf)
