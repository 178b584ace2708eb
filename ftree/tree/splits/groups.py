"""One child for each group of codes of a nominal feature."""

from typing import Any

from attrs import field, frozen

from ftree._lib.messages import short_repr
from ftree.tree.splits.checks import _column_number, _not_negative, _sorted_codes


def _groups(groups: Any) -> tuple[tuple[int, ...], ...]:
    try:
        listed = list(groups)
    except TypeError:
        message = f"groups must be a sequence of sequences of codes, one for each child, got {short_repr(groups)}."
        raise TypeError(message) from None
    return tuple(map(_sorted_codes, listed))


def _disjoint(_: object, __: object, groups: tuple[tuple[int, ...], ...]) -> None:
    codes = [code for group in groups for code in group]
    if not all(groups) or not codes or min(codes) < 0 or len(set(codes)) < len(codes):
        wanted = "sequences of one or more codes from 0, with no code in two groups"
        message = f"groups must be {wanted}, got {short_repr(groups)}."
        raise ValueError(message)


@frozen
class Groups:
    """One child for each group of codes of a nominal feature, in the order listed.

    Raises a ValueError for an empty group, or a code that is negative or in two groups.

    >>> Groups(0, groups=((0, 2), (1,)))
    Groups(feature=0, groups=((0, 2), (1,)))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    groups: tuple[tuple[int, ...], ...] = field(converter=_groups, validator=_disjoint)
