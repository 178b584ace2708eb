"""`oblique`: the splitter that cuts a weighted sum of numeric features.

A weight finder proposes weights for the points of one node, and `oblique` takes the best cut of all sums. Points are
sorted and counted, and weights are rounded to a few digits, so that the split does not depend on the order of rows.
Single features win ties against sums.

Source: Breiman et al. 1984, section 5.2; Utgoff 1989 (perceptron trees); Murthy, Kasif & Salzberg 1994 (OC1).
"""

from collections.abc import Iterator

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import ConstructorRepr, a_function
from ftree._lib.ties import TIE
from ftree.splitters.base import Measure
from ftree.splitters.coordinate_search import best_cut_of_sums, coordinates
from ftree.splitters.weight_finders import NodePoints, WeightFinder
from ftree.tree.schema import Kind
from ftree.tree.splits import Oblique, Threshold
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.lookup import weighted_sum

# Significant digits of a weight: further digits are rounding errors, which differ between machines.
_DIGITS = 6
_NUMERIC: tuple[Kind, ...] = ("numeric",)


@frozen(repr=False)
class oblique(ConstructorRepr):
    """Two children, cut by a weighted sum of numeric features, or by a single feature if no sum is better.

    `by` finds weights: `coordinates()`, `perceptrons()`, `logistic()`, or your own function. It gets the points of a node
    without missing values. A case may lack values of features that the sum does not use.

    `oblique()` is a splitter: it finds an `Oblique` (or a `Threshold`), which is a split.

    Source: Breiman et al. 1984, section 5.2; Murthy, Kasif & Salzberg 1994 (OC1).

    >>> from ftree.splitters import logistic
    >>> oblique(by=logistic(ridge=0.1))
    oblique(by=logistic(ridge=0.1, passes=25))
    """

    by: WeightFinder = field(default=coordinates(), kw_only=True, validator=a_function)
    kinds = _NUMERIC

    def best(self, vector: Array, counts: Array, measure: Measure) -> tuple[float, Oblique | Threshold, Array] | None:
        """The best split of one node's points (U, F) with class counts (U, K): its score, the split, its children's counts.

        Features are numbered as the columns of `vector`. None if all points are equal.
        """
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
            weights = np.zeros(vector.shape[1])
            weights[varies] = _rounded(np.asarray(proposed, dtype=np.float64), half)
            if weights.any():
                yield weights * np.sign(weights[np.flatnonzero(weights)[0]])


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
