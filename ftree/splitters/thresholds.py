"""Splitters of ordered features: `threshold` cuts in two, `random_threshold` at random, `intervals` into several parts."""

from typing import Literal

import numpy as np
from attrs import evolve, field, frozen
from attrs.validators import optional

from ftree._lib.arrays import TIE, Array, midpoint
from ftree._lib.fields import QUIET, ConstructorRepr, a_whole_number, as_plain, one_of, true_or_false
from ftree.criteria.impurity import entropy
from ftree.criteria.scores import gain
from ftree.splitters.cuts import (
    BestCuts,
    LeastWeight,
    WholeNumber,
    a_least_weight,
    best_cuts,
    division_from,
    every_cut,
    merged_rows,
    nested_division,
    splits_into,
    two_sides,
)
from ftree.splitters.nominal import multiway
from ftree.splitters.runs import ORDERED, BestSplits, DistinctValues, Measure, Runs, least_of_each, without_limits
from ftree.tree.splits import Threshold
from ftree.tree.splits.split import Split

_AT, _BINS = one_of("midpoint", "observed"), optional(a_whole_number(2, most=60_000, of="bins"))


@frozen
class threshold(ConstructorRepr):
    """Two children, cut midway between neighbouring values; each has at least `min_cases` cases (rows by weight).

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
    at: Literal["midpoint", "observed"] = field(default="midpoint", kw_only=True, metadata=QUIET, validator=_AT)
    bins: int | None = field(default=None, kw_only=True, metadata=QUIET, converter=as_plain, validator=_BINS)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's best cut."""
        cut = best_cuts(runs, measure, self.min_cases)
        score = _less_mdl(cut, runs.weight) if self.mdl else cut.score
        return BestSplits(score, lambda run: cut_after(runs, run, cut.below[run]))

    def candidates(self, column: DistinctValues) -> list[Split]:
        """A threshold between any two neighbouring values."""
        without_limits(self, min_cases=self.min_cases, mdl=self.mdl)
        without_limits(self, remedy="exact.quantile_cuts lists a few thresholds of a feature.", bins=self.bins)
        low, high = column.values[:-1].astype(np.float64), column.values[1:].astype(np.float64)
        return [Threshold(column.feature, at) for at in (low if self.at == "observed" else midpoint(low, high)).tolist()]


def cut_after(runs: Runs, run: WholeNumber, below: WholeNumber) -> tuple[Split, Array]:
    """The threshold midway between a row of a run and the next row, and its children's counts.

    >>> import numpy as np
    >>> from ftree import Feature
    >>> from ftree.splitters import Runs
    >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
    >>> cut_after(runs, 0, 1)[0]
    Threshold(feature=0, at=3.0)
    """
    at = midpoint(runs.value[below], runs.value[below + 1])
    return Threshold(int(runs.feature[run]), float(at)), two_sides(runs, run, below)


def _less_mdl(cut: BestCuts, weight: Array) -> Array:
    bits = np.log2(np.maximum(cut.n_cuts, 1)) / weight
    score = cut.score - bits
    return np.where(score > TIE, score, -np.inf)


@frozen
class random_threshold(ConstructorRepr):
    """Two children, cut at a number drawn uniformly between the smallest and the largest value present.

    The draw depends only on the seed, the place in the policy, the feature and the path to the node: same seed, same tree.

    Source: Geurts, Ernst & Wehenkel 2006 (extremely randomised trees).

    >>> random_threshold(seed=1)
    random_threshold(seed=1)
    """

    kinds = ORDERED

    seed: int = field(kw_only=True, validator=a_whole_number(0))

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's random cut."""
        low, high = runs.value[runs.start], runs.value[runs.end - 1]
        share = runs.draws(self, self.seed)
        # Not low + share * (high - low), since that difference may overflow. Rounding may reach `high`, but not fall below `low`.
        drawn = np.minimum(low * (1 - share) + high * share, np.nextafter(high, low))
        below, left, right = every_cut(runs)
        run = runs.run_of_row()[below]
        here = (runs.value[below] <= drawn[run]) & (drawn[run] < runs.value[below + 1])
        scores = np.full(len(runs.start), -np.inf)
        scores[run[here]] = measure(np.stack([left[here], right[here]], axis=1))
        row = np.zeros(len(runs.start), dtype=np.intp)
        row[run[here]] = below[here]

        def build(number: int) -> tuple[Split, Array]:
            return Threshold(int(runs.feature[number]), float(drawn[number])), two_sides(runs, number, row[number])

        return BestSplits(scores, build)


@frozen
class intervals(ConstructorRepr):
    """One child for each interval: cut where entropy decreases most, then each side again, as long as the MDL criterion accepts.

    The criterion is `worth_its_description`. Each side of a cut has at least `min_cases` cases (rows by weight).

    If there are more than `at_most` cuts, those of a best-first search stay. Cuts are chosen by the entropy of the cases,
    without priors and costs; the policy's score then measures all intervals together.

    `intervals()` is a splitter: it finds an `Intervals`, which is a split.

    Source: Fayyad & Irani 1993.

    >>> intervals(at_most=4)
    intervals(at_most=4)
    """

    kinds = ORDERED

    at_most: int | None = field(default=None, kw_only=True, metadata=QUIET, validator=optional(a_whole_number(1, of="cuts")))
    min_cases: LeastWeight = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's intervals."""
        blocks = np.arange(len(runs.value)) if self.min_cases else _pure_blocks(runs)
        rows = merged_rows(runs, blocks)
        begins = np.isin(np.arange(len(rows.value)), np.concatenate([rows.start, self._cuts(rows) + 1]))
        first = division_from(begins)
        return splits_into(runs, nested_division(blocks, first), multiway()(merged_rows(rows, first), measure).score)

    def _cuts(self, runs: Runs) -> Array:
        """The row below each cut. Each round cuts all intervals of the previous round at once."""
        # Cutting reads no value, so row numbers can replace values.
        whole, most = evolve(runs, value=np.arange(len(runs.value))), np.full(len(runs.start), np.inf)
        below, impurity_decrease = [np.zeros(0, dtype=np.intp)], [np.zeros(0)]
        while len(whole.start):
            cut = best_cuts(whole, gain, self.min_cases)
            found = np.flatnonzero(cut.score > -np.inf)
            halves = _halves(whole.only(found), (cut.below - whole.start)[found] + 1)
            sides = np.add.reduceat(halves.counts, halves.start).reshape(-1, 2, halves.counts.shape[1])
            good = worth_its_description(sides)
            # Count no cut higher than the cut before it; the highest cuts are then those of a best-first search.
            most = np.minimum(most[found], gain(sides) * sides.sum(axis=(1, 2)))[good]
            whole = halves.only(np.flatnonzero(np.repeat(good, 2)))
            below.append(whole.value[whole.end[::2] - 1])
            impurity_decrease.append(most)
            most = np.repeat(most, 2)
        return self._best(runs, np.concatenate(below), np.concatenate(impurity_decrease))

    def _best(self, runs: Runs, below: Array, impurity_decrease: Array) -> Array:
        """The `at_most` cuts of each run that decrease entropy most."""
        if self.at_most is None:
            return below
        best: Array = below[least_of_each(runs.run_of_row()[below], -impurity_decrease, self.at_most)]
        return best


def worth_its_description(sides: Array) -> Array:
    """The MDL criterion: whether cuts gain more bits than their description takes; (..., 2, K) to (...).

    For n cases with entropy E and k classes, whose sides have entropies E1 and E2 and k1 and k2 classes, the gain must exceed
    (log2(n - 1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2)) / n.

    Source: Fayyad & Irani 1993, section 3.

    >>> worth_its_description(np.array([[[4, 0], [0, 4]], [[2, 1], [1, 2]]])).tolist()
    [True, False]
    """
    counts = np.asarray(sides, dtype=np.float64)
    whole = counts.sum(axis=-2)
    n = whole.sum(axis=-1)
    k = (whole > 0).sum(axis=-1)
    described = k * entropy(whole) - ((counts > 0).sum(axis=-1) * entropy(counts)).sum(axis=-1)
    # log2(3^k - 2), written so that a large 3^k does not overflow.
    delta = k * np.log2(3) + np.log1p(-2 * 3.0 ** -np.maximum(k, 1)) / np.log(2) - described
    # With less than two cases, encoding the cut costs 0 bits, not a negative number.
    worth: Array = gain(counts) * n > np.log2(np.maximum(n - 1, 1)) + delta
    return worth


def _halves(whole: Runs, size: Array) -> Runs:
    """Each run as two, of which the first has so many rows."""
    sizes = np.column_stack([size, whole.size - size]).ravel()
    return whole.regrouped(np.repeat(np.arange(len(size)), 2), sizes)


def _pure_blocks(runs: Runs) -> Array:
    """The division that joins neighbouring rows whose cases all have one same class; the best cuts are between such blocks.

    Source: Fayyad & Irani 1992, theorem 1.
    """
    pure = (runs.counts > 0).sum(axis=1) == 1
    label = runs.counts.argmax(axis=1)
    begins = np.ones(len(pure), dtype=bool)
    begins[1:] = ~(pure[1:] & pure[:-1] & (label[1:] == label[:-1]))
    begins[runs.start] = True
    return division_from(begins)
