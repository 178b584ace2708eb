"""Ranges of values of a level with their class counts, and bounds of the gains of the cuts in them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeGuard

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import TIE, Array
from ftree.criteria.frontier import Avc
from ftree.criteria.impurity import Impurity, dkm, entropy, gini, misclassification, positive
from ftree.criteria.impurity_of_sums import Variance, mean
from ftree.criteria.scores import Score, gain
from ftree.growth.search import known_share_of
from ftree.growth.settings import SearchSettings
from ftree.splitters import best_of, by_score
from ftree.splitters.runs import Runs, runs_of
from ftree.tree.schema import Feature

# A bound may be too low by this much through rounding, in addition to the tolerance of ties.
_MARGIN = 2 * TIE
# Rows that are scored at a time, at least, so that memory does not grow with the rows of a level.
_ROWS = 150_000


class Ranges(NamedTuple):
    """Rows of counts, each of a range of values: the open node, the feature and the first code.

    `value` is the largest value of the range. `unsure` says that a winning cut may lie within it. Rows are in order of node,
    feature and value; a missing value is NaN and last.
    """

    node: Array
    feature: Array
    code: Array
    value: Array
    unsure: Array
    counts: Array

    def avc(self) -> Avc:
        """As attribute-value-class counts."""
        return Avc(self.node, self.feature, self.value, self.counts)

    def taken(self, rows: Array | slice) -> "Ranges":
        """The ranges of rows given by a mask, by numbers or by a slice."""
        return Ranges(*(each[rows] for each in self))

    def replaced(self, others: "Ranges", of: Array) -> "Ranges":
        """These ranges with others instead of the unsure ones: `of` has for each the place of its range among the unsure ones.

        The last of three ranges is the second unsure one, in the place 1, and has two parts:

        >>> zero, code = np.zeros(3, int), np.array([0, 4, 8])
        >>> ranges = Ranges(zero, zero, code, code + 3.0, np.array([True, False, True]), np.ones((3, 2)))
        >>> parts = ranges.taken(np.array([0, 2, 2]))._replace(code=np.array([2, 8, 11]), value=np.array([2.0, 8.0, 11.0]))
        >>> ranges.replaced(parts, np.array([0, 1, 1])).code.tolist()
        [2, 4, 8, 11]
        """
        # Both are in order, and so are the parts of a range: a stable sort merges them.
        sure = ~self.unsure
        order = np.argsort(np.concatenate([np.flatnonzero(sure), np.flatnonzero(self.unsure)[of]]), kind="stable")
        return joined_ranges([self.taken(sure), others]).taken(order)

    def run(self) -> Array:
        """A number for the node and feature of each row, which never falls."""
        numbers: Array = self.node << 32 | self.feature
        return numbers


def joined_ranges(pieces: Iterable[Ranges]) -> Ranges:
    """Ranges one after another."""
    return Ranges(*map(np.concatenate, zip(*pieces, strict=True)))


def in_chunks(sizes: Array, most: int | None = None) -> Iterator[tuple[int, int]]:
    """The first number of each chunk of runs, and that after its last; a chunk's sizes add up to `most`, or a run more.

    >>> list(in_chunks(np.array([2, 2, 9, 1]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    chunk = (np.cumsum(sizes) - sizes) // (most or _ROWS)
    ends = np.append(np.flatnonzero(np.diff(chunk)) + 1, len(chunk)).tolist()
    yield from zip([0, *ends[:-1]], ends, strict=True)


@frozen(eq=False)
class KnownScores:
    """The best score known of each open node and feature, `best` (m, F), which rises while ranges are looked at.

    If scores choose the feature, a feature competes with all of its node, else only with itself.
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

        Neighbours between which no cut can win become one range.
        """
        pieces, bounds = zip(*map(self._narrowed, chunks), strict=True)
        ranges = joined_ranges(pieces)
        # A later chunk may have shown a better score. The best score only rises, so no range becomes unsure by it.
        return ranges._replace(unsure=ranges.unsure & self._reaches(ranges, np.concatenate(bounds)))

    def _narrowed(self, ranges: Ranges) -> tuple[Ranges, Array]:
        """`narrowed` for one chunk, and the bounds of its ranges: the steps below, each with the reason why it loses no tree."""
        runs = runs_of(ranges.avc(), self.features)
        share = self.settings.discount(known_share_of(runs, self.totals, self.settings))
        self._raise_best(runs, share)
        counts = self.settings.altered(runs.counts)
        left, right = sides_of_ends(runs, counts)
        of_row, known = share[runs.run_of_row()], np.flatnonzero(~np.isnan(ranges.value))  # `runs` have the known values only
        rows = np.flatnonzero(ranges.unsure[known])
        bound, cut = np.full((2, len(ranges.node)), -np.inf)
        bound[known[rows]] = self._bounds_within(left[rows], counts[rows], right[rows]) * of_row[rows]
        cut[known] = self._scores_of_ends(left, right) * of_row
        listed = np.array([feature.kind != "numeric" for feature in self.features], dtype=bool)[ranges.feature]
        return _merged(ranges, self._reaches(ranges, bound), self._reaches(ranges, cut), bound, listed)

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

        Lemma: no cut in a range scores more than `upper_bounds`, which says why. A cut at one end sends all cases of the range to
        one side, as a cut within may, so the bound holds for it too. So where the cut between two ranges may win, both are unsure
        if they have several values, and are counted again: a threshold is midway between two values, and needs both.
        """
        return upper_bounds(upto - within, within, right, self.settings.impurity)

    def _scores_of_ends(self, left: Array, right: Array) -> Array:
        """The scores of the cuts after ranges, given the counts on both sides.

        Lemma: these are exact, since the bound of a range without cases is the gain. All corners are equal then, and
        `_without_range` computes the same gain at once.
        """
        impurity = self.settings.impurity
        of_cuts = upper_bounds if _is_of_one_number(impurity) else _without_range
        return of_cuts(left, np.zeros_like(left), right, impurity)

    def _reaches(self, ranges: Ranges, score: Array) -> Array:
        """Whether scores within ranges reach the best known; a zero gain may be that of a node that is split nevertheless.

        Lemma: a cut below the best known score, by more than ties and rounding, is not the split of its node, since the search
        has a better one (`_raise_best`).
        """
        reached: Array = score >= self.best[ranges.node, ranges.feature] - _MARGIN
        return reached


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


def _merged(ranges: Ranges, wanted: Array, cut_wins: Array, bound: Array, single: Array) -> tuple[Ranges, Array]:
    """Neighbours as one, unless one is wanted or begins or ends where a cut may win; values that are not numbers stay.

    Lemma: merging takes away only cuts that cannot win: those at common ends, none of which wins, and those within ranges that
    are not wanted. A cut that may win keeps the counts on both sides, which are sums, and its threshold: the range before it
    grows to the left only, so its largest value stays, and the range after it stays alone. A merged range has no cut that wins,
    so it is not unsure.
    """
    run = ranges.run()
    ends = wanted | cut_wins | single | np.isnan(ranges.value) | np.append(run[1:] != run[:-1], True)
    ends[:-1] |= wanted[1:] | np.isnan(ranges.value[1:])
    ends[1:] |= cut_wins[:-1]
    last = np.flatnonzero(ends)
    first = np.append(0, last[:-1] + 1)[: len(last)]
    counts = np.add.reduceat(ranges.counts, first) if len(first) else ranges.counts
    code, unsure = ranges.code[first], (ranges.unsure & wanted)[last]
    return Ranges(ranges.node[last], ranges.feature[last], code, ranges.value[last], unsure, counts), bound[last]


# Up to this many classes, each corner of a range is measured.
_CORNERS = 5
_CONCAVE = (entropy, gini, misclassification, dkm)


def has_bound(score: Score, impurity: Impurity) -> bool:
    """Whether cuts can be bounded: by the gain of a concave impurity, as which a user's declares itself by `concave = True`.

    >>> has_bound(gain, entropy), has_bound(gain, lambda counts: counts[..., 0])
    (True, False)
    """
    return score is gain and (_is_of_one_number(impurity) or impurity in _CONCAVE or getattr(impurity, "concave", False) is True)


def _is_of_one_number(impurity: Impurity) -> TypeGuard[Variance]:
    return isinstance(impurity, Variance) and impurity.response is None


def upper_bounds(left: Array, within: Array, right: Array, impurity: Impurity) -> Array:
    """Bounds on the gain of cuts with `left` (n, K) on the left and `right` on the right, which divide the cases `within`.

    Lemma: some corner, where each class of the range goes to one side, gains at least as much as any cut in it. With all cases
    given, the gain by a concave impurity is a convex function of the counts on the left, and a cut's counts lie in the box that
    has these corners. So the bound is the largest gain at a corner. Of many classes, which have too many corners, it is that of
    `_without_range`; of one number, that of `bounds_of_means`, which has a proof of its own.

    >>> left, within, right = np.array([[4.0, 0.0]]), np.array([[1.0, 1.0]]), np.array([[0.0, 4.0]])
    >>> round(float(upper_bounds(left, within, right, entropy)[0]), 9)
    1.0
    """
    if _is_of_one_number(impurity):
        return bounds_of_means(left, within, right, impurity)
    n_classes = within.shape[-1]
    if n_classes > _CORNERS:
        return _without_range(left, within, right, impurity)
    if impurity in (entropy, gini) and native.is_here():
        bounds, counts = np.empty(len(within)), [np.ascontiguousarray(each, np.float64) for each in (left, within, right)]
        native.call("corner_bounds", *counts, impurity is entropy, np.empty((4, n_classes)), bounds)
        return bounds
    return corners(left, within, right, impurity)


def corners(left: Array, within: Array, right: Array, impurity: Impurity) -> Array:
    """The largest gain at a corner, where each class of a range goes to one side."""
    n_classes = within.shape[-1]
    best = np.full(len(within), -np.inf)
    for corner in product((0.0, 1.0), repeat=n_classes):
        goes_left = within * np.array(corner)
        best = np.maximum(best, gain(np.stack([left + goes_left, right + (within - goes_left)], axis=1), impurity))
    return best


# Where the cases of a range are divided, as shares of them; means vary most near the ends.
_DIVISIONS = np.array([0, 1 / 256, 1 / 64, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 15 / 16, 63 / 64, 255 / 256, 1])


def bounds_of_means(left: Array, within: Array, right: Array, variance: Variance) -> Array:
    """`upper_bounds` for regression: the largest gain at the corners of rectangles that hold all cuts, one for each division.

    `docs/scale.md` has the proof. Where a range has no cases, it is the gain.

    >>> from ftree.criteria import variance
    >>> numbers = np.array([[1.0, 0.0, 0.0]]), np.array([[2.0, 2.0, 4.0]]), np.array([[1.0, 2.0, 4.0]])
    >>> bounds_of_means(*numbers, variance).round(3).tolist()
    [1.0]
    """
    n_left, cases, n_right = (sums[:, :1] for sums in (left, within, right))
    one, middle, scale = np.minimum(1.0, cases / 2), mean(within), variance.scale**0.5
    apart = [n * (mean(sums) - middle)[:, None] * scale for n, sums in ((n_left, left), (n_right, right))]
    inside = np.clip(cases * _DIVISIONS, one, cases - one)
    moved = np.sqrt(variance(within)[:, None] * inside * (cases - inside))
    most = np.maximum(moved[:, 1:], moved[:, :-1])  # at one end, since half of the cases is an end
    best = np.zeros(len(within))
    corners = [(each, change) for each in (inside[:, 1:], inside[:, :-1]) for change in (most, -most)]
    for goes_left, change in [(np.hstack([0 * cases, cases]), 0.0), *corners]:
        below, above = positive(n_left + goes_left), positive(n_right + cases - goes_left)
        between = (apart[0] + change) / below - (apart[1] - change) / above
        best = np.maximum(best, (below * above / (below + above) ** 2 * between**2).max(axis=1))
    return best


def _without_range(left: Array, within: Array, right: Array, impurity: Impurity) -> Array:
    """The gain as if the range's cases cost nothing in the children; without such cases, the gain itself.

    Lemma: no cut in the range gains more. For a concave impurity i, n i(counts) of n cases does not fall when cases are added. So
    both children cost at least what `left` and `right` cost alone.
    """
    parent = left + within + right
    total = positive(parent.sum(axis=-1))
    below = (left.sum(axis=-1) * impurity(left) + right.sum(axis=-1) * impurity(right)) / total
    bound: Array = impurity(parent) - below
    return bound
