"""Splits by a weighted sum of numeric features, and ways to find the weights.

A direction finder looks at the points of one node and proposes weights; `oblique` cuts along each of them where the
score is best. Points come sorted and counted, and weights are rounded to a few digits, so that the split depends on the
cases and not on their order. A sum must be better than every single feature: simpler questions win ties.

Source: Breiman et al. 1984, section 5.2; Utgoff 1989 (perceptron trees); Murthy, Kasif & Salzberg 1994 (OC1).
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import index
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, midpoint
from ftree._lib.fields import ConstructorRepr, a_function
from ftree._lib.ties import TIE
from ftree.linear import State, mistakes, pocket, primal
from ftree.splitters import Measure
from ftree.tree.schema import Kind
from ftree.tree.splits import Oblique, Threshold, arity, child_of, features_of, weighted_sum

# Digits that a weight keeps, of the largest: more would be rounding, which differs between machines.
_DIGITS = 6
# A coordinate this near to 0 changes no side, whatever its weight.
_NOTHING = 1e-9

_NUMERIC: tuple[Kind, ...] = ("numeric",)


@frozen(eq=False)
class Cloud:
    """The complete points of a node, each once: (U, F), every feature moved to run from -1 to 1; and class counts (U, K)."""

    points: Array
    counts: Array


# From points, and the score of children's counts, to weights that are worth a try, (F,) each.
WeightFinder: TypeAlias = Callable[[Cloud, Measure], Iterable[Array]]


def _at_least_one(count: Any) -> int:
    number = index(count)
    if number < 1:
        message = f"A number of passes or of starts is from 1; {count!r} came."
        raise ValueError(message)
    return number


@frozen(repr=False)
class perceptrons(ConstructorRepr):
    """For each class against the others, the plane that gets fewest cases wrong of those a perceptron passes (Utgoff 1989).

    >>> perceptrons(epochs=20)
    perceptrons(epochs=20)
    """

    epochs: int = field(default=10, kw_only=True, converter=_at_least_one)

    def __call__(self, cloud: Cloud, _: Measure) -> Iterator[Array]:
        """Directions, one for each class that divides the points."""
        for lead in _leads(cloud.counts):
            form = primal(cloud.points, np.where(lead > 0, 1.0, -1.0))
            state = pocket(mistakes(form, epochs=self.epochs), partial(_lost, form, lead))
            yield np.array(state[:-1])


@frozen(repr=False)
class logistic(ConstructorRepr):
    """For each class against the others, logistic regression with a ridge, by Newton's method (le Cessie & van Houwelingen 1992).

    Raises a ValueError for a ridge that is not above 0: classes that a plane separates would push it to infinity.

    >>> logistic(ridge=0.1)
    logistic(ridge=0.1, passes=25)
    """

    ridge: float = field(default=1e-4, kw_only=True)
    passes: int = field(default=25, kw_only=True, converter=_at_least_one)

    def __attrs_post_init__(self) -> None:
        """Check the ridge."""
        if not 0 < self.ridge < np.inf:
            message = f"ridge is a finite number above 0; {self.ridge!r} came."
            raise ValueError(message)

    def __call__(self, cloud: Cloud, _: Measure) -> Iterator[Array]:
        """Directions, one for each class that divides the points."""
        with_bias = np.column_stack([cloud.points, np.ones(len(cloud.points))])
        total = cloud.counts.sum(axis=1)
        for inside in _class_counts(cloud.counts):
            yield self._fitted(with_bias, inside, total)[:-1]

    def _fitted(self, points: Array, inside: Array, total: Array) -> Array:
        weights, ridge = np.zeros(points.shape[1]), np.full(points.shape[1], self.ridge * total.sum())
        ridge[-1] = 0.01 * self.ridge * total.sum()  # the bias hardly shrinks
        for _ in range(self.passes):
            shares = 1 / (1 + np.exp(-np.clip(points @ weights, -30, 30)))
            slope = points.T @ (inside - total * shares) - ridge * weights
            curve = (points.T * (total * shares * (1 - shares))) @ points + np.diag(ridge)
            step = np.linalg.solve(curve, slope)
            # A long step may overshoot where classes are nearly separated.
            weights = weights + step / max(1.0, float(np.abs(step).max()) / 4)
        return weights


@frozen(repr=False)
class coordinates(ConstructorRepr):
    """From each of the best cuts by a single feature, change one weight at a time to the best value it can have.

    For each point there is one value of the weight at which it changes sides, so all that matter are tried at once.

    Source: Breiman et al. 1984, section 5.2.2; the exact search by Murthy, Kasif & Salzberg 1994.

    >>> coordinates(starts=1)
    coordinates(starts=1, passes=10)
    """

    starts: int = field(default=3, kw_only=True, converter=_at_least_one)
    passes: int = field(default=10, kw_only=True, converter=_at_least_one)

    def __call__(self, cloud: Cloud, measure: Measure) -> Iterator[Array]:
        """Directions at which no single change is better any more."""
        points = np.column_stack([cloud.points, np.ones(len(cloud.points))])
        cuts = [_best_cut(column, cloud.counts, measure) for column in cloud.points.T]
        # Scores that are nearly equal rank by feature, whatever their last digits.
        ranked = sorted(range(len(cuts)), key=lambda feature: (-np.round(cuts[feature][0] / TIE), feature))
        for feature in ranked[: self.starts]:
            score, at = cuts[feature]
            yield self._improved(points, cloud.counts, measure, score, np.append(np.eye(len(cuts))[feature], -at))[:-1]

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


@frozen(repr=False)
class oblique(ConstructorRepr):
    """Two children, cut by a weighted sum of numeric features, or by one of them where a sum is no better.

    Weights are found among the points of a node that miss no value. A case that misses a value which the sum does not ask
    for has an answer all the same.

    >>> oblique(by=logistic(ridge=0.1))
    oblique(by=logistic(ridge=0.1, passes=25))
    """

    by: WeightFinder = field(default=coordinates(), kw_only=True, validator=a_function)
    kinds = _NUMERIC

    def best(self, vector: Array, counts: Array, measure: Measure) -> tuple[float, Oblique | Threshold, Array] | None:
        """The best split of one node's points (U, F) with class counts (U, K): its score, itself, its children's counts.

        Features are numbered as the columns of `vector`. None where all points are the same.
        """
        found = [_along(unit, vector, counts, measure) for unit in np.eye(vector.shape[1])]
        found += [_along(weights, vector, counts, measure) for weights in self._directions(vector, counts, measure)]
        cuts = [cut for cut in found if cut is not None]
        best = max((score for score, *_ in cuts), default=0.0)
        return next((cut for cut in cuts if cut[0] >= best - TIE), None)

    def _directions(self, vector: Array, counts: Array, measure: Measure) -> Iterator[Array]:
        """Weights in the features' own units, the largest share being 1 and the first positive."""
        complete = ~np.isnan(vector).any(axis=1)
        points = vector[complete]
        low, high = points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)
        # Halves, since the difference of two large numbers may be none.
        half = np.where(high > low, high / 2 - low / 2, 0.0)
        varies = np.flatnonzero(half)
        if len(varies) < 2:  # noqa: PLR2004  # nothing to add up
            return
        half = half[varies]
        cloud = Cloud((points[:, varies] / 2 - low[varies] / 2) / half * 2 - 1, counts[complete])
        for proposed in self.by(cloud, measure):
            weights = np.zeros(vector.shape[1])
            weights[varies] = _rounded(np.asarray(proposed, dtype=np.float64), half)
            if weights.any():
                yield weights * np.sign(weights[np.flatnonzero(weights)[0]])


def _along(weights: Array, vector: Array, counts: Array, measure: Measure) -> tuple[float, Oblique | Threshold, Array] | None:
    """The best cut along a direction, its score times the share of cases that have an answer."""
    asked = np.flatnonzero(weights)
    known = ~np.isnan(vector[:, asked]).any(axis=1)
    total = weighted_sum(weights[asked].tolist(), vector[known][:, asked].T)
    score, at = _best_cut(total, counts[known], measure)
    if not np.isfinite(score):
        return None
    split = Oblique(weights, at) if len(asked) > 1 else Threshold(int(asked[0]), at)
    child = child_of(split, *(vector[:, feature] for feature in features_of(split)))
    sides = np.stack([counts[child == side].sum(axis=0) for side in range(arity(split))])
    return score * float(sides.sum() / counts.sum()), split, sides


def _best_cut(total: Array, counts: Array, measure: Measure) -> tuple[float, float]:
    """The best score of a cut between two sums, and where it is; minus infinity where all are the same."""
    order = np.argsort(total, kind="stable")
    ordered = total[order]
    below = np.flatnonzero(ordered[1:] > ordered[:-1])
    if not below.size or not np.isfinite(ordered).all():
        return -np.inf, 0.0
    upto = np.cumsum(counts[order], axis=0)
    scores = measure(np.stack([upto[below], upto[-1] - upto[below]], axis=1))
    best = below[np.argmax(scores >= scores.max() - TIE)]
    return float(scores.max()), float(midpoint(ordered[best], ordered[best + 1]))


def _best_weight(points: Array, weights: Array, coordinate: int, counts: Array, measure: Measure) -> tuple[float, float]:
    """The best score that changing one weight can reach, and its value; the bias is the last weight."""
    column = np.where(np.abs(points[:, coordinate]) > _NOTHING, points[:, coordinate], 0.0)
    moving = np.flatnonzero(column)
    others = points @ weights - column * weights[coordinate]
    turns = -others[moving] / column[moving]
    order = np.argsort(turns, kind="stable")
    turns, moving = turns[order], moving[order]
    gaps = np.flatnonzero(turns[1:] > turns[:-1])
    if not gaps.size:
        return -np.inf, 0.0
    # Below all turns, a point with a positive coordinate is on the negative side; passing its turn brings it over.
    rising = column[moving, None] > 0
    moved = counts[moving]
    start = counts[(column == 0) & (others > 0)].sum(axis=0) + np.where(rising, 0, moved).sum(axis=0)
    positive = start + np.cumsum(np.where(rising, moved, -moved), axis=0)[gaps]
    scores = measure(np.stack([counts.sum(axis=0) - positive, positive], axis=1))
    best = gaps[np.argmax(scores >= scores.max() - TIE)]
    return float(scores.max()), float(midpoint(turns[best], turns[best + 1]))


def _class_counts(counts: Array) -> Iterator[Array]:
    """The counts of each class that some points have and others have not only; one for two classes."""
    present = np.flatnonzero(counts.any(axis=0))
    for label in present[1:] if len(present) == 2 else present:  # noqa: PLR2004  # two classes mirror each other
        yield counts[:, label]


def _leads(counts: Array) -> Iterator[Array]:
    """For each class, by how much it outweighs the others at each point."""
    return (2 * inside - counts.sum(axis=1) for inside in _class_counts(counts))


def _lost(form: primal, lead: Array, state: State) -> float:
    """Cases on the wrong side, beyond those that are lost on either."""
    return float(np.abs(lead[form.margins(state) <= 0]).sum())


def _rounded(proposed: Array, half: Array) -> Array:
    """Proposed weights in the features' own units, the largest being 1 or -1, with a few significant digits each.

    Those that hardly matter where every feature runs from -1 to 1 are 0, and all are if they are no numbers.
    """
    largest = np.abs(proposed).max()
    if not 0 < largest < np.inf:
        return np.zeros(len(proposed))
    # A unit that is so much larger than another that their ratio is no float leaves nothing to weigh.
    with np.errstate(over="ignore"):
        weights = np.round(proposed / largest, _DIGITS)
        weights = weights / (half / half[weights != 0].min())
    return np.array([float(f"{weight:.{_DIGITS}g}") for weight in weights / np.abs(weights).max()])
