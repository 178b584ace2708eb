"""`threshold`: the splitter that cuts an ordered feature in two (Breiman et al. 1984, section 2.4)."""

from typing import Literal

import numpy as np
from attrs import field, frozen
from attrs.validators import optional

from ftree._lib.arrays import Array, midpoint
from ftree._lib.fields import QUIET, ConstructorRepr, a_whole_number, one_of, true_or_false
from ftree._lib.ties import TIE
from ftree.splitters.base import ORDERED, BestSplits, Measure, Runs
from ftree.splitters.candidates import DistinctValues, without_limits
from ftree.splitters.cuts import BestCuts, WholeNumber, best_cuts, two_sides
from ftree.splitters.min_cases import LeastWeight, a_least_weight
from ftree.tree.splits import Threshold
from ftree.tree.splits.protocol import Split


@frozen(repr=False)
class threshold(ConstructorRepr):
    """Two children, cut midway between neighbouring values; each has at least `min_cases` cases (rows by weight).

    `min_cases` is about the children of candidate splits (scikit-learn's `min_samples_leaf`, rpart's minbucket); the stopping
    rules `stop.min_rows` and `stop.min_best_child` close nodes instead.

    With `mdl=True`, a cut's score, a gain in bits, is reduced by the bits that encode the cut: log2(cuts) / cases (Quinlan
    1996). Cuts that then have no gain are not candidates. `at="observed"` moves every threshold of the finished tree to the
    largest value in the data that is not above it (Quinlan 1993, section 2.4).

    With `bins=255`, growth uses only the bin of each number: at most that many ranges with about equally many cases, computed
    once from all rows. The thresholds of the finished tree are ends of bins, which are values in the data. A value that would
    fill several bins has only one, so there may be fewer bins. With no more values than bins, the tree is that of
    `at="observed"`. A policy has one number of bins for all numeric features; a source then needs one scan of the rows for
    each level.

    `threshold()` is a splitter: it finds a `Threshold`, which is a split.

    Source: Breiman et al. 1984, section 2.4.

    >>> threshold(min_cases=5)
    threshold(min_cases=5)
    """

    kinds = ORDERED

    min_cases: LeastWeight = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)
    mdl: bool = field(default=False, kw_only=True, metadata=QUIET, validator=true_or_false)
    at: Literal["midpoint", "observed"] = field(
        default="midpoint", kw_only=True, metadata=QUIET, validator=one_of("midpoint", "observed")
    )
    bins: int | None = field(
        default=None, kw_only=True, metadata=QUIET, validator=optional(a_whole_number(2, most=60_000, of="bins"))
    )

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's best cut."""
        cut = best_cuts(runs, measure, self.min_cases)
        score = _less_mdl(cut, runs.weight) if self.mdl else cut.score
        return BestSplits(score, lambda run: cut_after(runs, run, cut.below[run]))

    def candidates(self, column: DistinctValues) -> list[Split]:
        """A threshold between any two neighbouring values."""
        without_limits(self, min_cases=self.min_cases, mdl=self.mdl)
        low, high = column.values[:-1].astype(np.float64), column.values[1:].astype(np.float64)
        return [Threshold(column.feature, at) for at in (low if self.at == "observed" else midpoint(low, high)).tolist()]


def cut_after(runs: Runs, run: WholeNumber, below: WholeNumber) -> tuple[Split, Array]:
    """The threshold midway between a row of a run and the next row, and its children's counts.

    >>> import numpy as np
    >>> from ftree.splitters import Runs
    >>> from ftree import Feature
    >>> values, counts = np.array([1.0, 2.0, 4.0]), np.array([[2, 0], [1, 1], [0, 3]])
    >>> one = np.array([0])
    >>> runs = Runs(values, counts, one, np.array([3]), one, one, (Feature("x", "numeric"),), one)
    >>> cut_after(runs, 0, 1)[0]
    Threshold(feature=0, at=3.0)
    """
    at = midpoint(runs.value[below], runs.value[below + 1])
    return Threshold(int(runs.feature[run]), float(at)), two_sides(runs, run, below)


def _less_mdl(cut: BestCuts, weight: Array) -> Array:
    bits = np.log2(np.maximum(cut.n_cuts, 1)) / weight
    score = cut.score - bits
    return np.where(score > TIE, score, -np.inf)
