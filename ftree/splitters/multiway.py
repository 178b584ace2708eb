"""`multiway`: the splitter with one child for each value of a nominal feature (Quinlan 1986)."""

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr, true_or_false
from ftree.splitters.base import UNORDERED, BestSplits, Measure, Runs
from ftree.splitters.candidates import DistinctValues, without_limits
from ftree.splitters.min_cases import LeastWeight, a_least_weight, least_weight, reach
from ftree.tree.splits import Multiway
from ftree.tree.splits.protocol import Split

# The number of children that must have the least weight.
_TWO = 2


@frozen(repr=False)
class multiway(ConstructorRepr):
    """One child for each value present, or, with `empty=True`, for each value that the schema declares.

    At least two children have `min_cases` cases or more each (Quinlan 1993, section 2.4). A child without cases predicts
    by the counts of its parent.
    `min_cases` is about the children of candidate splits (scikit-learn's `min_samples_leaf`, rpart's minbucket); the stopping
    rules `stop.min_rows` and `stop.min_best_child` close nodes instead.

    `multiway()` is a splitter: it finds a `Multiway`, which is a split.

    Source: Quinlan 1986.

    >>> multiway()
    multiway()
    """

    kinds = UNORDERED

    empty: bool = field(default=False, kw_only=True, metadata=QUIET, validator=true_or_false)
    min_cases: LeastWeight = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's split into all its values; one call measures all runs of equal size."""
        scores = np.full(len(runs.start), -np.inf)
        enough = self._enough(runs)
        for size in np.unique(runs.size[enough]):
            same = np.flatnonzero((runs.size == size) & enough)
            scores[same] = measure(runs.counts[runs.start[same, None] + np.arange(size)])
        return BestSplits(scores, lambda run: self._split(runs, run))

    def candidates(self, column: DistinctValues) -> list[Split]:
        """The split into all values that are present."""
        without_limits(self, min_cases=self.min_cases, empty=self.empty)
        return [Multiway(column.feature, tuple(column.values.tolist()))] if len(column.values) > 1 else []

    def _enough(self, runs: Runs) -> Array:
        large = reach(runs.counts.sum(axis=1), least_weight(runs, self.min_cases)[runs.run_of_row()])
        return np.bincount(runs.run_of_row()[large], minlength=len(runs.start)) >= _TWO

    def _split(self, runs: Runs, run: int) -> tuple[Split, Array]:
        rows = slice(runs.start[run], runs.end[run])
        values, counts = runs.value[rows].astype(np.intp), runs.counts[rows]
        if self.empty:
            counts = np.zeros((len(runs.features[runs.feature[run]].values), counts.shape[1]), dtype=counts.dtype)
            counts[values] = runs.counts[rows]
            values = np.arange(len(counts))
        return Multiway(int(runs.feature[run]), tuple(values.tolist())), counts
