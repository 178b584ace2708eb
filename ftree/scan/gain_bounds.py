"""Bounds of the gains of all cuts within a range of values, from the class counts of the range and of both sides."""

from itertools import product
from typing import TypeGuard

import numpy as np

from ftree import native
from ftree._lib.arrays import Array
from ftree.criteria.impurity import Impurity, dkm, entropy, gini, impurity_code, misclassification, positive
from ftree.criteria.impurity_of_sums import Variance, mean
from ftree.criteria.scores import Score, gain

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
        native.call("corner_bounds", *counts, impurity_code(impurity), np.empty((4, n_classes)), bounds)
        return bounds
    return corners(left, within, right, impurity)


def gains_of_cuts(left: Array, right: Array, impurity: Impurity) -> Array:
    """The gains of cuts with the counts `left` (n, K) on one side and `right` on the other.

    Lemma: the bound of a range without cases is the gain. All corners are equal then, and `_without_range` computes the same
    gain at once.

    >>> gains_of_cuts(np.array([[4.0, 0.0]]), np.array([[0.0, 4.0]]), entropy).tolist()
    [1.0]
    """
    of_cuts = upper_bounds if _is_of_one_number(impurity) else _without_range
    return of_cuts(left, np.zeros_like(left), right, impurity)


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
