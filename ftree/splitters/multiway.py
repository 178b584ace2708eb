"""Multiway splits: one child for each value of a nominal feature (Quinlan 1986)."""

import numpy as np
from attrs import field, frozen
from attrs.validators import instance_of

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr
from ftree.splitters.base import UNORDERED, Found, Least, Measure, Runs, a_least_weight, least_weight, reaches
from ftree.tree.splits import Multiway, Split

# At least so many children must have the least weight for the split to be one.
_TWO = 2


@frozen(repr=False)
class multiway(ConstructorRepr):
    """One child for each value present, or, with `empty=True`, for each value declared, those without cases as well.

    At least two children need `min_cases` cases each (Quinlan 1993, section 2.4). A child without cases answers with
    the counts of the node above it.

    >>> multiway()
    multiway()
    """

    kinds = UNORDERED

    empty: bool = field(default=False, kw_only=True, metadata=QUIET, validator=instance_of(bool))
    min_cases: Least = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score each run as a split into all its values, runs of equal size together."""
        scores = np.full(len(runs.start), -np.inf)
        enough = self._enough(runs)
        for size in np.unique(runs.size[enough]):
            same = np.flatnonzero((runs.size == size) & enough)
            scores[same] = measure(runs.counts[runs.start[same, None] + np.arange(size)])
        return Found(scores, lambda run: self._split(runs, run))

    def _enough(self, runs: Runs) -> Array:
        large = reaches(runs.counts.sum(axis=1), least_weight(runs, self.min_cases)[runs.of_row()])
        return np.bincount(runs.of_row()[large], minlength=len(runs.start)) >= _TWO

    def _split(self, runs: Runs, run: int) -> tuple[Split, Array]:
        rows = slice(runs.start[run], runs.end[run])
        values, counts = runs.value[rows].astype(np.intp), runs.counts[rows]
        if self.empty:
            counts = np.zeros((len(runs.features[runs.feature[run]].values), counts.shape[1]), dtype=counts.dtype)
            counts[values] = runs.counts[rows]
            values = np.arange(len(counts))
        return Multiway(int(runs.feature[run]), tuple(values.tolist())), counts
