"""Splits by a weighted sum of numeric features: `oblique`, and `coordinates`, `perceptrons`, `logistic`, which find weights.

A weight finder proposes weights for the points of one node, and `oblique` takes the best cut of all sums. Points are
sorted and counted, and weights are rounded to a few digits, so that the split does not depend on the order of rows.
Single features win ties against sums.

Source: Breiman et al. 1984, section 5.2; Utgoff 1989 (perceptron trees); Murthy, Kasif & Salzberg 1994 (OC1).
"""

from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from typing import TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import TIE, Array, midpoint
from ftree._lib.fields import ConstructorRepr, a_count, a_function
from ftree._lib.messages import short_repr
from ftree.splitters.cuts import measured_sides
from ftree.splitters.runs import Measure, NodeVectors, first_best
from ftree.tree.conditions import weighted_sum
from ftree.tree.schema import Kind
from ftree.tree.splits import Oblique, Threshold
from ftree.tree.splits.split import child_of

# Significant digits of a weight: further digits are rounding errors, which differ between machines.
_DIGITS = 6
_NUMERIC: tuple[Kind, ...] = ("numeric",)
# A coordinate of at most this size does not move its point noticeably, whatever the weight.
_NOTHING = 1e-9


@frozen(eq=False)
class NodePoints:
    """The distinct points of a node without missing values (U, F), each feature scaled to [-1, 1], and class counts (U, K).

    >>> import numpy as np
    >>> NodePoints(np.array([[-1.0, 1.0]]), np.array([[2, 0]])).points.shape
    (1, 2)
    """

    points: Array
    counts: Array


# From points and the measure of children's counts to weights to try, (F,) each.
WeightFinder: TypeAlias = Callable[[NodePoints, Measure], Iterable[Array]]


@frozen
class coordinates(ConstructorRepr):
    """Find weights by coordinate search: from the best cuts by single features, optimise one weight at a time.

    Each point changes sides at one value of the weight, so one sorted scan tries all values that matter.

    Source: Breiman et al. 1984, section 5.2.2; the exact search by Murthy, Kasif & Salzberg 1994.

    >>> coordinates(starts=1)
    coordinates(starts=1, passes=10)
    """

    starts: int = field(default=3, kw_only=True, validator=a_count(1, of="starts"))
    passes: int = field(default=10, kw_only=True, validator=a_count(1, of="passes"))

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


@frozen
class oblique(ConstructorRepr):
    """Two children, cut by a weighted sum of numeric features, or by a single feature if no sum is better.

    `by` finds weights: `coordinates()`, `perceptrons()`, `logistic()`, or your own function. It gets the points of a node
    without missing values, in the features that differ among them, and returns weights of these. A case may lack values of
    features that the sum does not use.

    `oblique()` is a splitter: it finds an `Oblique` (or a `Threshold`), which is a split.

    Source: Breiman et al. 1984, section 5.2; Murthy, Kasif & Salzberg 1994 (OC1).

    >>> from ftree.splitters import logistic
    >>> oblique(by=logistic(ridge=0.1))
    oblique(by=logistic(ridge=0.1, passes=25))
    """

    by: WeightFinder = field(default=coordinates(), kw_only=True, validator=a_function)
    kinds = _NUMERIC

    def best(self, vectors: NodeVectors, measure: Measure) -> tuple[float, Oblique | Threshold, Array] | None:
        """The best split of one node's vectors: its score, the split, its children's counts. None if all are equal.

        Features are numbered as the columns of the vectors.
        """
        vector, counts = vectors.vector, vectors.counts
        found = [_best_cut(unit, vector, counts, measure) for unit in np.eye(vector.shape[1])]
        found += [_best_cut(weights, vector, counts, measure) for weights in self._weights(vector, counts, measure)]
        cuts = [cut for cut in found if cut is not None]
        best = max((score for score, *_ in cuts), default=0.0)
        return next((cut for cut in cuts if cut[0] >= best - TIE), None)

    def _weights(self, vector: Array, counts: Array, measure: Measure) -> Iterator[Array]:
        """Weights in the features' own units; the largest is 1 or -1, and the first positive."""
        complete = ~np.isnan(vector).any(axis=1)
        points = vector[complete]
        low, high = points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)
        # Half of each number, since the difference of two large numbers may overflow.
        half = np.where(high > low, high / 2 - low / 2, 0.0)
        varies = np.flatnonzero(half)
        if len(varies) < 2:  # noqa: PLR2004  # a sum needs two features
            return
        half = half[varies]
        points_of_node = NodePoints((points[:, varies] / 2 - low[varies] / 2) / half * 2 - 1, counts[complete])
        for proposed in self.by(points_of_node, measure):
            if np.shape(proposed) != half.shape:
                wanted = f"the {len(half)} features that differ among its points"
                raise ValueError(f"by must return a weight for each of {wanted}, got {short_repr(proposed)}.")
            weights = np.zeros(vector.shape[1])
            weights[varies] = _rounded(np.asarray(proposed, dtype=np.float64), half)
            if weights.any():
                yield weights * np.sign(weights[np.flatnonzero(weights)[0]])


@frozen
class logistic(ConstructorRepr):
    """Find, for each class against the others, the weights of ridge logistic regression, by Newton's method.

    Raises a ValueError for a ridge that is not above 0: without one, the weights of separable classes are infinite.

    Source: le Cessie & van Houwelingen 1992.

    >>> logistic(ridge=0.1)
    logistic(ridge=0.1, passes=25)
    """

    ridge: float = field(default=1e-4, kw_only=True)
    passes: int = field(default=25, kw_only=True, validator=a_count(1, of="passes"))

    def __attrs_post_init__(self) -> None:
        """Check the ridge."""
        if not (isinstance(self.ridge, Real) and 0 < self.ridge < np.inf):
            raise ValueError(f"ridge must be a finite number above 0, got {short_repr(self.ridge)}.")

    def __call__(self, points_of_node: NodePoints, _: Measure) -> Iterator[Array]:
        """Weights, for each class that some points have and others do not."""
        with_bias = np.column_stack([points_of_node.points, np.ones(len(points_of_node.points))])
        total = points_of_node.counts.sum(axis=1)
        for inside in counts_of_each_class(points_of_node.counts):
            yield self._fitted(with_bias, inside, total)[:-1]

    def _fitted(self, points: Array, inside: Array, total: Array) -> Array:
        weights, ridge = np.zeros(points.shape[1]), np.full(points.shape[1], self.ridge * total.sum())
        ridge[-1] = 0.01 * self.ridge * total.sum()  # the bias is penalised a hundredth as much
        for _ in range(self.passes):
            shares = 1 / (1 + np.exp(-np.clip(points @ weights, -30, 30)))
            slope = points.T @ (inside - total * shares) - ridge * weights
            curve = (points.T * (total * shares * (1 - shares))) @ points + np.diag(ridge)
            step = np.linalg.solve(curve, slope)
            # Bound the step, since a long step may overshoot if classes are nearly separable.
            weights = weights + step / max(1.0, float(np.abs(step).max()) / 4)
        return weights


def _best_cut(weights: Array, vector: Array, counts: Array, measure: Measure) -> tuple[float, Oblique | Threshold, Array] | None:
    """The best cut of the sum with these weights; its score is multiplied by the share of cases with a known sum."""
    used = np.flatnonzero(weights)
    known = ~np.isnan(vector[:, used]).any(axis=1)
    total = weighted_sum(weights[used].tolist(), vector[known][:, used].T)
    score, at = best_cut_of_sums(total, counts[known], measure)
    if not np.isfinite(score):
        return None
    split = Oblique(weights, at) if len(used) > 1 else Threshold(int(used[0]), at)
    child = child_of(split, *(vector[:, feature] for feature in split.features))
    sides = np.stack([counts[child == side].sum(axis=0) for side in range(split.n_children)])
    return score * float(sides.sum() / counts.sum()), split, sides


def _rounded(proposed: Array, half: Array) -> Array:
    """Proposed weights in the features' own units, the largest 1 or -1, with `_DIGITS` significant digits.

    Weights that hardly matter for features scaled to [-1, 1] become 0; all do if one is not finite.
    """
    largest = np.abs(proposed).max()
    if not 0 < largest < np.inf:
        return np.zeros(len(proposed))
    # If the ratio of two units overflows, a weight becomes 0.
    with np.errstate(over="ignore"):
        weights = np.round(proposed / largest, _DIGITS)
        weights = weights / (half / half[weights != 0].min())
    return np.array([float(f"{weight:.{_DIGITS}g}") for weight in weights / np.abs(weights).max()])


def best_cut_of_sums(total: Array, counts: Array, measure: Measure) -> tuple[float, float]:
    """The best score of a cut between two different sums, and its threshold; -inf if all sums are equal."""
    order = np.argsort(total)
    ordered = total[order]
    below = np.flatnonzero(ordered[1:] > ordered[:-1])
    if not below.size or not np.isfinite(ordered).all():
        return -np.inf, 0.0
    upto = np.cumsum(counts[order], axis=0)
    scores = measured_sides(upto[below], upto[-1] - upto[below], measure)
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
    scores = measured_sides(counts.sum(axis=0) - positive, positive, measure)
    best = gaps[first_best(scores)]
    return float(scores.max()), float(midpoint(turns[best], turns[best + 1]))


def counts_of_each_class(counts: Array) -> Iterator[Array]:
    """The counts (U,) of each class with cases; of two classes only the second, since their planes mirror each other."""
    present = np.flatnonzero(counts.any(axis=0))
    for label in present[1:] if len(present) == 2 else present:  # noqa: PLR2004  # planes of two classes mirror each other
        yield counts[:, label]
