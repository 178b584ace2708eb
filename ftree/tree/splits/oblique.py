"""Two children, below and above a threshold of a weighted sum of numeric features."""

from math import isfinite
from typing import Any

from attrs import field, frozen

from ftree.tree.splits.checks import _finite, _number


def _weights(weights: Any) -> tuple[float, ...]:
    try:
        return tuple(float(weight) for weight in weights)
    except (TypeError, ValueError):
        message = f"The weights of a split are numbers, one for each feature; {weights!r} came."
        raise TypeError(message) from None


def _some_weight(_: object, __: object, weights: tuple[float, ...]) -> None:
    if not all(map(isfinite, weights)) or not any(weights):
        message = f"The weights of a split are finite, and not all of them 0; they came as {weights}."
        raise ValueError(message)


@frozen
class Oblique:
    """Child 0 where a weighted sum of numeric features is at most `at`, child 1 where it is more.

    There is a weight for each feature, 0 for those that are not asked. A row that misses one that is has no answer.

    >>> Oblique(weights=(1, 0, -0.5), at=2)
    Oblique(weights=(1.0, 0.0, -0.5), at=2.0)
    """

    weights: tuple[float, ...] = field(converter=_weights, validator=_some_weight)
    at: float = field(converter=_number, validator=_finite)
