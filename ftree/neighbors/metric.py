"""Distances of points. A metric is any function of two points that answers a number.

Ours broadcast as well: for points (..., F) twice they answer (...), so one call measures a whole table.
"""

from collections.abc import Callable
from math import inf
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, name_of
from ftree.data.points import Points

Metric: TypeAlias = Callable[[Any, Any], Any]


def _at_least_one(_: Any, __: Any, p: float) -> None:
    if not p >= 1:
        message = f"Minkowski's exponent p is a number from 1, or infinity; below 1 it makes no distance. {p!r} came."
        raise ValueError(message)


@frozen(repr=False)
class minkowski(ConstructorRepr):
    """The p-th root of the sum of p-th powers of the differences; for p infinite, the largest difference.

    >>> float(minkowski(2)(np.array([0, 0]), np.array([3, 4])))
    5.0
    """

    p: float = field(converter=float, validator=_at_least_one)

    def __call__(self, one: Any, other: Any) -> Any:
        """Distances (...) of points (..., F) twice."""
        gaps = np.abs(np.subtract(one, other))
        # What is too large or too small for a float becomes infinite, which is refused later on, or 0.
        with np.errstate(over="ignore", under="ignore"):
            if self.p == inf:
                return gaps.max(axis=-1, initial=0)
            if self.p == 1:
                return gaps.sum(axis=-1)
            return np.sqrt((gaps * gaps).sum(axis=-1)) if self.p == 2 else (gaps**self.p).sum(axis=-1) ** (1 / self.p)  # noqa: PLR2004  # Euclid's


manhattan = minkowski(1)
euclidean = minkowski(2)
chebyshev = minkowski(inf)


@frozen(repr=False)
class broadcasts:
    """Mark a metric of your own that takes points (..., F) twice and answers (...): it is asked once, not pair by pair.

    >>> @broadcasts
    ... def angle(one, other):
    ...     return np.arccos((one * other).sum(axis=-1).clip(-1, 1))
    >>> angle
    angle
    """

    metric: Metric

    def __call__(self, one: Any, other: Any) -> Any:
        """Ask the metric."""
        return self.metric(one, other)

    def __repr__(self) -> str:
        """Read as the metric's name."""
        return name_of(self.metric)


@broadcasts
def hamming(one: Any, other: Any) -> Any:
    """Count the features that differ, of any kind: points (..., F) twice to (...); Hamming 1950."""
    return np.not_equal(one, other).astype(bool).sum(axis=-1)


def distances(metric: Metric, one: Points, other: Points) -> Points:
    """Distances of points (..., F) twice, broadcast, to (...): in one call, or pair by pair.

    Raises a ValueError for an answer that is negative or not finite, a TypeError for one that is no number.

    >>> distances(lambda a, b: abs(a[0] - b[0]), np.array([[1.0], [5.0]]), np.array([2.0])).tolist()
    [1.0, 3.0]
    """
    if isinstance(metric, (minkowski, broadcasts)):
        found = np.asarray(metric(one, other), dtype=np.float64)
    else:
        # The signature hands a function points, and not their coordinates.
        found = np.asarray(np.vectorize(_one_number(metric), signature="(f),(f)->()", otypes=[float])(one, other))
    if not (found >= 0).all() or (found == inf).any():
        strange = found[~((found >= 0) & (found < inf))].flat[0]
        message = (
            f"The metric {name_of(metric)} must answer finite numbers from 0; {strange} came. Scale numbers that are very large."
        )
        raise ValueError(message)
    return found


def check_metric(metric: Any, points: Points) -> None:
    """Refuse what cannot be called, and a norm for points that are not all numbers."""
    if not callable(metric) or isinstance(metric, type):
        message = f"A metric is a function of two points, such as euclidean or hamming; {metric!r} came."
        raise TypeError(message)
    if isinstance(metric, minkowski) and points.dtype == object:
        message = (
            f"{metric} measures numbers, and not every feature is numeric. A metric must say how far values of other kinds are "
            "apart: hamming counts the features that differ, and any function of two points will do."
        )
        raise ValueError(message)


def _one_number(metric: Metric) -> Callable[[Any, Any], float]:
    def number(one: Any, other: Any) -> float:
        answer = metric(one, other)
        try:
            return float(answer)
        except (TypeError, ValueError):
            message = f"The metric {name_of(metric)} must answer one number for two points; {answer!r} came."
            raise TypeError(message) from None

    return number
