"""An upper bound on the score of cuts within a range of values, given only the range's class counts.

**Corners.** A cut in the range sends some of its cases left. The gain by a concave impurity is a convex function of the
counts on the left: weight times impurity is concave and homogeneous, so the two children's terms, which the gain
subtracts, are concave. A convex function on a box is largest at a corner, where each class of the range goes left or
right as a whole. The best of the 2 ** K corners therefore bounds the gain of every cut in the range, both ends included.

**Without the range.** Weight times impurity, f, is superadditive: f(a + b) >= f(a) + f(b); hence no gain is
negative. So f(left) + f(right) is at least its value without the cases of the range. Omitting these cases from the
children, but not from the parent, thus bounds the gain as well. It takes one sum for any number of classes.

Pearson's statistic and twoing are convex in these counts for given margins only, and have no such bound here.
"""

from itertools import product

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.compilation import compiled_code_is_due
from ftree.criteria.impurity import Impurity, dkm, entropy, gini, misclassification, positive
from ftree.criteria.scores import Score, gain

# Up to this many classes, each corner of a range is measured.
_CORNERS = 5
# From this many ranges on, compiled code is worth loading.
_MANY, _SECONDS_PER_RANGE = 20_000, 1e-6
_CONCAVE = (entropy, gini, misclassification, dkm)


def has_bound(score: Score, impurity: Impurity) -> bool:
    """Whether cuts can be bounded: by the gain of a concave impurity; a user's impurity declares it by `concave = True`.

    >>> has_bound(gain, entropy), has_bound(gain, lambda counts: counts[..., 0])
    (True, False)
    """
    return score is gain and (impurity in _CONCAVE or getattr(impurity, "concave", False) is True)


def upper_bounds(left: Array, within: Array, right: Array, impurity: Impurity) -> Array:
    """Bounds on the gain of cuts with `left` (n, K) on the left and `right` on the right, which divide the cases `within`.

    >>> left, within, right = np.array([[4.0, 0.0]]), np.array([[1.0, 1.0]]), np.array([[0.0, 4.0]])
    >>> float(upper_bounds(left, within, right, entropy)[0])
    1.0
    """
    n_classes = within.shape[-1]
    if n_classes > _CORNERS:
        return _without_range(left, within, right, impurity)
    if impurity in (entropy, gini) and len(within) >= _MANY and compiled_code_is_due(len(within) * _SECONDS_PER_RANGE):
        from ftree.scan.kernels.bound_gains import corner_bounds  # noqa: PLC0415  # loads numba

        bounds = np.empty(len(within))
        corner_bounds(*(counts.astype(np.float64) for counts in (left, within, right)), impurity is entropy, bounds)
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


def gains_of_cuts(left: Array, right: Array, impurity: Impurity) -> Array:
    """The gains of cuts with `left` (n, K) on the left and `right` on the right.

    >>> float(gains_of_cuts(np.array([[4.0, 0.0]]), np.array([[0.0, 4.0]]), entropy)[0])
    1.0
    """
    return _without_range(left, np.zeros_like(left), right, impurity)


def _without_range(left: Array, within: Array, right: Array, impurity: Impurity) -> Array:
    parent = left + within + right
    total = positive(parent.sum(axis=-1))
    below = (left.sum(axis=-1) * impurity(left) + right.sum(axis=-1) * impurity(right)) / total
    bound: Array = impurity(parent) - below
    return bound
