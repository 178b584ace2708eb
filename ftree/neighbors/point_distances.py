"""Distances between points, by metrics of the library or of users.

A metric is any function of two points that returns a number. The metrics here also broadcast: for two arrays of points (..., F)
they return (...), so one call measures a whole table.
"""

from collections.abc import Callable
from contextlib import suppress
from math import inf
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, name_of
from ftree._lib.messages import short_repr, type_of
from ftree.points import Points

Distance: TypeAlias = Callable[[Any, Any], Any]


def _exponent(p: Any) -> float:
    with suppress(OverflowError):  # of a whole number beyond all floats
        if isinstance(p, Real) and not isinstance(p, bool) and float(p) >= 1:
            return float(p)
    raise ValueError(f"p must be a number from 1, or infinity, got {short_repr(p)}.")


@frozen
class minkowski(ConstructorRepr):
    """Minkowski distance: the p-th root of the sum of p-th powers of the differences; for infinite p, the largest difference.

    Raises a ValueError for p below 1.

    >>> float(minkowski(2)(np.array([0, 0]), np.array([3, 4])))
    5.0
    """

    p: float = field(converter=_exponent)

    def __call__(self, one: Any, other: Any) -> Any:
        """Distances (...) of points (..., F) twice."""
        # Overflow gives infinity, which is refused later. Only numbers that are much smaller than the largest underflow.
        with np.errstate(over="ignore", under="ignore"):
            gaps = np.abs(np.subtract(one, other, dtype=np.float64))
            if self.p == 1:
                return gaps.sum(axis=-1)
            if self.p == 2:  # noqa: PLR2004  # Euclid's; the same bits as below
                squares = (gaps * gaps).sum(axis=-1)
                if squares.min(initial=1) > _LEAST and squares.max(initial=1) < inf:
                    return np.sqrt(squares)
            largest = gaps.max(axis=-1, initial=0)
            if self.p == inf:
                return largest
            unit = _unit(largest, self.p)
            gaps /= unit[..., None]
            return (gaps**self.p).sum(axis=-1) ** (1 / self.p) * unit


def _unit(largest: Any, p: float) -> Any:
    """What divides differences before they are raised to p: the power of two below the largest, so that whole numbers stay exact.

    Where powers of numbers below 2 may overflow, it is the largest itself.
    """
    known = np.where((largest > 0) & (largest < inf), largest, 1.0)
    return np.ldexp(1.0, np.frexp(known)[1] - 1) if p <= _MOST_EXACT else known


# Sums of squares above this have lost nothing to underflow.
_LEAST = 1e-280
# Powers of numbers below 2, and sums of millions of them, are finite up to this exponent.
_MOST_EXACT = 1000


# The sum of absolute differences.
manhattan = minkowski(1)
# The Euclidean distance.
euclidean = minkowski(2)
# The largest absolute difference.
chebyshev = minkowski(inf)


@frozen
class broadcasts:
    """Mark your own metric as one that broadcasts: it is called once with two arrays of points (..., F), and returns (...).

    >>> @broadcasts
    ... def angle(one, other):
    ...     return np.arccos((one * other).sum(axis=-1).clip(-1, 1))
    >>> angle
    angle
    """

    metric: Distance

    def __call__(self, one: Any, other: Any) -> Any:
        """Distances (...) of points (..., F) twice."""
        return self.metric(one, other)

    def __repr__(self) -> str:
        """The metric's name."""
        return name_of(self.metric)


@broadcasts
def hamming(one: Any, other: Any) -> Any:
    """Hamming distance: the number of features that differ, of any kind; points (..., F) twice to (...). Hamming 1950."""
    return np.not_equal(one, other).astype(bool).sum(axis=-1)


def distances(metric: Distance, one: Points, other: Points) -> Points:
    """Distances (...) of points (..., F) twice, broadcast: by one call, or pair by pair for a metric that does not broadcast.

    Raises a ValueError for a distance that is negative or not finite, a TypeError for a distance that is not a number.

    >>> distances(lambda a, b: abs(a[0] - b[0]), np.array([[1.0], [5.0]]), np.array([2.0])).tolist()
    [1.0, 3.0]
    """
    if isinstance(metric, (minkowski, broadcasts)):
        found = np.asarray(metric(one, other), dtype=np.float64)
    else:
        # The signature passes whole points to the metric, not their coordinates.
        found = np.asarray(np.vectorize(_one_number(metric), signature="(f),(f)->()", otypes=[float])(one, other))
    usable = (found >= 0) & (found < inf)
    if not usable.all():
        strange = found[~usable][0]
        raise ValueError(
            f"Distances by {name_of(metric)} must be finite numbers from 0, got {strange}. Scale numbers that are very large."
        )
    return found


def check_metric(metric: Any, points: Points) -> None:
    """Check that a metric is a function, and that points are numbers for a Minkowski metric."""
    if not callable(metric) or isinstance(metric, type):
        raise TypeError(f"metric must be a function of two points, such as euclidean or hamming, got {name_of(metric)}.")
    if isinstance(metric, minkowski) and points.dtype == object:
        raise ValueError(
            f"metric must measure the distance of all features, got {metric} and features that are not numeric. "
            "Use hamming, which counts the features that differ, or your own function of two points."
        )


def _one_number(metric: Distance) -> Callable[[Any, Any], float]:
    def number(one: Any, other: Any) -> float:
        answer = metric(one, other)
        try:
            return float(answer)
        except (TypeError, ValueError):
            message = f"The distance of two points by {name_of(metric)} must be one number, got {type_of(answer)}."
            raise TypeError(message) from None

    return number
