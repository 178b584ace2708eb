"""One child for each interval of a numeric or ordinal feature."""

from itertools import pairwise
from math import isfinite
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import short_repr
from ftree.tree.splits.checks import _column_number, _not_negative, _number


def _numbers(cuts: Any) -> tuple[float, ...]:
    try:
        return tuple(map(_number, cuts))
    except TypeError:
        message = f"cuts must be a sequence of finite numbers, got {short_repr(cuts)}."
        raise TypeError(message) from None


def _rising(_: object, __: object, cuts: tuple[float, ...]) -> None:
    if not cuts or not all(map(isfinite, cuts)) or any(low >= high for low, high in pairwise(cuts)):
        message = f"cuts must be one or more finite numbers in rising order, got {short_repr(cuts)}."
        raise ValueError(message)


@frozen
class Intervals:
    """One child for each interval between cuts: child 0 for x <= cuts[0], child 1 for cuts[0] < x <= cuts[1], and so on.

    x is a value of a numeric feature, or a code of an ordinal one. Raises a ValueError for cuts that do not rise.

    >>> Intervals(2, cuts=(2.45, 4.75))
    Intervals(feature=2, cuts=(2.45, 4.75))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    cuts: tuple[float, ...] = field(converter=_numbers, validator=_rising)
