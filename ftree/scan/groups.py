"""Neighbouring items in groups that are large enough."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def in_groups(items: Iterable[Item], size: Callable[[Item], int], least: int) -> Iterator[list[Item]]:
    """Neighbouring items whose sizes add up to `least` or more; the last group may be smaller.

    >>> list(in_groups(["a", "bcd", "e"], len, 3))
    [['a', 'bcd'], ['e']]
    """
    group: list[Item] = []
    total = 0
    for item in items:
        group.append(item)
        total += size(item)
        if total >= least:
            yield group
            group, total = [], 0
    if group:
        yield group
