"""Where the best cut of a node may lie: the ranges whose bound reaches the best score known. The others are merged.

By hand: a node has six ranges of a feature. The cut after the third one, which scores 0.5, is the best one that is known.

    range                         1    2    3    4    5    6
    cuts within score at most     0.2  0.3  0.6  0.1  0.2  0.1     only a cut within 3 may be better
    the cut after it scores       0.1  0.4  0.5  0.3  0.2

So 3 must be divided, and its two neighbours must end where it begins and begin where it ends. The cut after 3 is midway between
its largest value and the smallest one of 4, so 4 stays alone. What is left is 1 and 2 together, 3, 4, 5 and 6 together.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import frozen

from ftree._lib.arrays import TIE, Array
from ftree.growth.search import known_share_of
from ftree.growth.settings import SearchSettings
from ftree.scan.gain_bounds import gains_of_cuts, upper_bounds
from ftree.scan.ranges import Ranges
from ftree.splitters import best_of, by_score
from ftree.splitters.runs import Runs, runs_of
from ftree.tree.schema import Feature

# A bound may be too low by this much through rounding, in addition to the tolerance of ties.
_MARGIN = 2 * TIE


@frozen(eq=False)
class KnownScores:
    """The best score known of each open node and feature, `best` (m, F), which rises while ranges are looked at.

    If scores choose the feature, a feature competes with all of its node, else only with itself. Invariant: the search will
    find a split of the node, or of the feature, that scores at least `best`, so a cut that scores less does not win.
    """

    settings: SearchSettings
    features: Sequence[Feature]
    totals: Array
    best: Array

    @staticmethod
    def none(settings: SearchSettings, features: Sequence[Feature], totals: Array) -> "KnownScores":
        """No score is known yet."""
        return KnownScores(settings, features, totals, np.full((len(totals), len(features)), -np.inf))

    def narrowed(self, chunks: Iterable[Ranges]) -> Ranges:
        """The ranges of all chunks, where only those are unsure in which, or at whose ends, a winning cut may lie.

        Neighbours between which no cut can win become one range. Each chunk has whole runs.
        """
        ranges = Ranges.in_order(map(self._narrowed, chunks))
        # A later chunk may have shown a better score. The best score only rises, so no range becomes unsure by it.
        return self._still_unsure(ranges)

    def _narrowed(self, ranges: Ranges) -> Ranges:
        """`narrowed` for one chunk. The methods that it calls say why no tree is lost."""
        runs = runs_of(ranges.avc(), self.features)
        share = self.settings.discount(known_share_of(runs, self.totals, self.settings))
        self._raise_best(runs, share)
        bound, score_of_cut = self._bounds_and_scores(ranges, runs, share[runs.run_of_row()])
        has_listed_values = np.array([feature.kind != "numeric" for feature in self.features], dtype=bool)[ranges.feature]
        stays = self._reaches(ranges, bound) | has_listed_values | np.isnan(ranges.value)
        return _merged(self._still_unsure(ranges.bounded(bound)), stays, self._reaches(ranges, score_of_cut))

    def _bounds_and_scores(self, ranges: Ranges, runs: Runs, share: Array) -> tuple[Array, Array]:
        """The bound of each unsure range, and the score of the cut after each range; -inf elsewhere.

        The rows of `runs`, with the known shares `share`, are the ranges of known values, in order.
        """
        counts = self.settings.altered(runs.counts)
        left, right = sides_of_ends(runs, counts)
        range_of_row = np.flatnonzero(~np.isnan(ranges.value))
        unsure = np.flatnonzero(ranges.unsure[range_of_row])
        bound, score_of_cut = np.full((2, len(ranges.node)), -np.inf)
        bound[range_of_row[unsure]] = self._bounds_within(left[unsure], counts[unsure], right[unsure]) * share[unsure]
        score_of_cut[range_of_row] = gains_of_cuts(left, right, self.settings.impurity) * share
        return bound, score_of_cut

    def _raise_best(self, runs: Runs, share: Array) -> None:
        """Raise the best scores to those of the best cuts between ranges.

        Lemma: the search will find a split that scores at least as much. A cut between two ranges is a cut between two values,
        with the same counts on both sides, so it is one of the cuts that the search compares. The search multiplies its score
        by the same share of known cases. If scores choose the feature, a node's split is at least as good as that of each of its
        features; another choice, such as the gain ratio, may take any feature, which needs its own best cut.
        """
        settings = self.settings
        best = best_of(runs, settings.splitters, settings.measure).score  # type: ignore[arg-type]  # joint splitters are refused
        np.maximum.at(self.best, (runs.node, runs.feature), best * share)
        if settings.choose == by_score():
            self.best[runs.node] = self.best[runs.node].max(axis=1, keepdims=True)

    def _bounds_within(self, upto: Array, within: Array, right: Array) -> Array:
        """Bounds on the scores of all cuts in ranges of counts `within`, and of those at both ends.

        Lemma: no cut in a range scores more than `upper_bounds`, which says why. The bound also covers the cuts at both ends:
        such a cut is one within, with all cases on one side. So where the cut between two ranges may win, both are unsure
        if they have several values, and are counted again: a threshold is midway between two values, and needs both.
        """
        return upper_bounds(upto - within, within, right, self.settings.impurity)

    def _reaches(self, ranges: Ranges, score: Array) -> Array:
        """Whether scores within ranges reach the best known; a zero gain may be that of a node that is split nevertheless.

        Lemma: a cut below the best known score, by more than ties and rounding, is not the split of its node, since the search
        has a better one (`_raise_best`).
        """
        reached: Array = score >= self.best[ranges.node, ranges.feature] - _MARGIN
        return reached

    def _still_unsure(self, ranges: Ranges) -> Ranges:
        """The ranges, of which those are unsure whose bound reaches the best known score."""
        return ranges.bounded(np.where(self._reaches(ranges, ranges.bound), ranges.bound, -np.inf))


def sides_of_ends(runs: Runs, counts: Array) -> tuple[Array, Array]:
    """The counts (n, K) on both sides of the cut after each row of runs: those of its run up to this row, and the others.

    >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
    >>> [side.tolist() for side in sides_of_ends(runs, runs.counts)]
    [[[2, 0], [3, 1], [3, 4]], [[1, 4], [0, 3], [0, 0]]]
    """
    run = runs.run_of_row()
    upto = np.cumsum(counts, axis=0)
    upto = upto - (upto[runs.start] - counts[runs.start])[run]
    return upto, upto[runs.end - 1][run] - upto


def _merged(ranges: Ranges, alone: Array, cut_wins: Array) -> Ranges:
    """Neighbours as one, unless one must stay alone, or a cut that may win is at an end of one.

    Lemma: merging takes away only cuts that cannot win: those at common ends, none of which wins, and those within ranges that
    are not unsure. A cut that may win keeps the counts on both sides, which are sums, and its threshold: the range before it
    grows to the left only, so its largest value stays, and the range after it stays alone. A merged range has no cut that wins,
    so it is not unsure.

    The example above:

    >>> zero, code = np.zeros(6, int), np.arange(6)
    >>> ranges = Ranges(zero, zero, code, code + 1.0, np.where(code == 2, 0.6, -np.inf), np.ones((6, 2)))
    >>> merged = _merged(ranges, alone=code == 2, cut_wins=code == 2)
    >>> merged.value.tolist(), merged.bound.tolist(), merged.counts.sum(axis=1).tolist()
    ([2.0, 3.0, 4.0, 6.0], [-inf, 0.6, -inf, -inf], [4.0, 2.0, 2.0, 4.0])
    """
    run = ranges.run()
    ends = alone | cut_wins | np.append(run[1:] != run[:-1], True)
    ends[:-1] |= alone[1:]
    ends[1:] |= cut_wins[:-1]
    last = np.flatnonzero(ends)
    first = np.append(0, last[:-1] + 1)[: len(last)]
    counts = np.add.reduceat(ranges.counts, first) if len(first) else ranges.counts
    return Ranges(ranges.node[last], ranges.feature[last], ranges.code[first], ranges.value[last], ranges.bound[last], counts)
