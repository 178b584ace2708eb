"""Many objects of a frozen class at once, without the checks of its constructor."""

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from ftree._lib.recursion import exhaust


def unchecked(family: Any, *columns: Sequence[Any]) -> list[Any]:
    """Objects of a frozen class, made from one column of values for each field; the values must be valid and converted.

    Slots are set through their descriptors, as attrs itself does.

    >>> from ftree import Threshold
    >>> unchecked(Threshold, [1, 2], [0.5, 1.5])
    [Threshold(feature=1, at=0.5), Threshold(feature=2, at=1.5)]
    """
    made = list(map(object.__new__, repeat(family, len(columns[0]))))
    for name, column in zip(family.__slots__, columns, strict=False):
        exhaust(map(vars(family)[name].__set__, made, column))
    return made
