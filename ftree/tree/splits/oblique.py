"""Two children, below and above a threshold of a weighted sum of numeric features."""

from math import isfinite
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import short_repr
from ftree.tree.splits.checks import _finite, _number


def _weights(weights: Any) -> tuple[float, ...]:
    try:
        return tuple(float(weight) for weight in weights)
    except (TypeError, ValueError):
        message = f"weights must be a sequence of numbers, one for each feature, got {short_repr(weights)}."
        raise TypeError(message) from None


def _some_weight(_: object, __: object, weights: tuple[float, ...]) -> None:
    if not all(map(isfinite, weights)) or not any(weights):
        message = f"weights must be finite and not all 0, got {short_repr(weights)}."
        raise ValueError(message)


@frozen
class Oblique:
    """Child 0 where a weighted sum of numeric features is at most `at`, child 1 where it is more.

    There is a weight for each feature, 0 for features that are not used. A row that lacks any of the features used is
    routed as missing. Raises a ValueError for weights that are not finite, or all 0.

    >>> Oblique(weights=(1, 0, -0.5), at=2)
    Oblique(weights=(1.0, 0.0, -0.5), at=2.0)
    """

    weights: tuple[float, ...] = field(converter=_weights, validator=_some_weight)
    at: float = field(converter=_number, validator=_finite)
