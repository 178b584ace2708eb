"""Finding the weights of a sum by coordinate search, and the best cut of sums."""

from collections.abc import Iterator

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, midpoint
from ftree._lib.fields import ConstructorRepr, a_whole_number
from ftree._lib.ties import TIE
from ftree.splitters.base import Measure
from ftree.splitters.best import first_best
from ftree.splitters.weight_finders import NodePoints

# A coordinate of at most this size does not move its point noticeably, whatever the weight.
_NOTHING = 1e-9


@frozen(repr=False)
class coordinates(ConstructorRepr):
    """Find weights by coordinate search: from the best cuts by single features, optimise one weight at a time.

    Each point changes sides at one value of the weight, so one sorted scan tries all values that matter.

    Source: Breiman et al. 1984, section 5.2.2; the exact search by Murthy, Kasif & Salzberg 1994.

    >>> coordinates(starts=1)
    coordinates(starts=1, passes=10)
    """

    starts: int = field(default=3, kw_only=True, validator=a_whole_number(1, of="starts"))
    passes: int = field(default=10, kw_only=True, validator=a_whole_number(1, of="passes"))

    def __call__(self, points_of_node: NodePoints, measure: Measure) -> Iterator[Array]:
        """Weights that no change of a single weight improves."""
        points = np.column_stack([points_of_node.points, np.ones(len(points_of_node.points))])
        cuts = [best_cut_of_sums(column, points_of_node.counts, measure) for column in points_of_node.points.T]
        # Round scores, so that ties rank by feature.
        ranked = sorted(range(len(cuts)), key=lambda feature: (-np.round(cuts[feature][0] / TIE), feature))
        for feature in ranked[: self.starts]:
            score, at = cuts[feature]
            yield self._improved(points, points_of_node.counts, measure, score, np.append(np.eye(len(cuts))[feature], -at))[:-1]

    def _improved(self, points: Array, counts: Array, measure: Measure, score: float, weights: Array) -> Array:
        for _ in range(self.passes):
            before = score
            for coordinate in range(len(weights)):
                better, value = _best_weight(points, weights, coordinate, counts, measure)
                if better > score + TIE:
                    score, weights[coordinate] = better, value
            if score <= before + TIE:
                break
        return weights


def best_cut_of_sums(total: Array, counts: Array, measure: Measure) -> tuple[float, float]:
    """The best score of a cut between two different sums, and its threshold; -inf if all sums are equal."""
    order = np.argsort(total)
    ordered = total[order]
    below = np.flatnonzero(ordered[1:] > ordered[:-1])
    if not below.size or not np.isfinite(ordered).all():
        return -np.inf, 0.0
    upto = np.cumsum(counts[order], axis=0)
    scores = measure(np.stack([upto[below], upto[-1] - upto[below]], axis=1))
    best = below[first_best(scores)]
    return float(scores.max()), float(midpoint(ordered[best], ordered[best + 1]))


def _best_weight(points: Array, weights: Array, coordinate: int, counts: Array, measure: Measure) -> tuple[float, float]:
    """The best score that changing one weight can reach, and the weight; the bias is the last weight."""
    column = np.where(np.abs(points[:, coordinate]) > _NOTHING, points[:, coordinate], 0.0)
    moving = np.flatnonzero(column)
    others = points @ weights - column * weights[coordinate]
    turns = -others[moving] / column[moving]
    order = np.argsort(turns, kind="stable")
    turns, moving = turns[order], moving[order]
    gaps = np.flatnonzero(turns[1:] > turns[:-1])
    if not gaps.size:
        return -np.inf, 0.0
    # Below all turning points, points with a positive coordinate are on the negative side; each changes sides at its own.
    rising = column[moving, None] > 0
    moved = counts[moving]
    start = counts[(column == 0) & (others > 0)].sum(axis=0) + np.where(rising, 0, moved).sum(axis=0)
    positive = start + np.cumsum(np.where(rising, moved, -moved), axis=0)[gaps]
    scores = measure(np.stack([counts.sum(axis=0) - positive, positive], axis=1))
    best = gaps[first_best(scores)]
    return float(scores.max()), float(midpoint(turns[best], turns[best + 1]))
