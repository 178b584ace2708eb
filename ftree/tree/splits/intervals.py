"""One child for each interval of a numeric or ordinal feature."""

from itertools import pairwise
from math import isfinite
from typing import Any

from attrs import field, frozen

from ftree.tree.splits.checks import _column_number, _not_negative, _number


def _numbers(cuts: Any) -> tuple[float, ...]:
    try:
        return tuple(map(_number, cuts))
    except TypeError:
        message = f"The cuts of a split are finite numbers in a sequence; {cuts!r} came."
        raise TypeError(message) from None


def _rising(_: object, __: object, cuts: tuple[float, ...]) -> None:
    if not cuts or not all(map(isfinite, cuts)) or any(low >= high for low, high in pairwise(cuts)):
        message = f"The cuts of a split are one or more finite numbers, each larger than the one before; they came as {cuts}."
        raise ValueError(message)


@frozen
class Intervals:
    """Child i for x above i of the cuts: x <= cuts[0] is child 0, cuts[0] < x <= cuts[1] is child 1, and so on.

    Of a numeric feature, or of an ordinal one's codes.

    >>> Intervals(2, cuts=(2.45, 4.75))
    Intervals(feature=2, cuts=(2.45, 4.75))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    cuts: tuple[float, ...] = field(converter=_numbers, validator=_rising)
