"""One child for each group of codes of a nominal feature."""

from typing import Any

from attrs import field, frozen

from ftree.tree.splits.checks import _column_number, _not_negative, _sorted_codes


def _groups(groups: Any) -> tuple[tuple[int, ...], ...]:
    try:
        listed = list(groups)
    except TypeError:
        message = f"The groups of a split are sequences of codes, one for each child; {groups!r} came."
        raise TypeError(message) from None
    return tuple(map(_sorted_codes, listed))


def _apart(_: object, __: object, groups: tuple[tuple[int, ...], ...]) -> None:
    codes = [code for group in groups for code in group]
    if not all(groups) or not codes or min(codes) < 0 or len(set(codes)) < len(codes):
        message = f"The groups of a split are of one or more codes from 0 each, no code in two of them; they came as {groups}."
        raise ValueError(message)


@frozen
class Groups:
    """One child for each group of codes of a nominal feature, in the order listed.

    >>> Groups(0, groups=((0, 2), (1,)))
    Groups(feature=0, groups=((0, 2), (1,)))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    groups: tuple[tuple[int, ...], ...] = field(converter=_groups, validator=_apart)
