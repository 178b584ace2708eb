"""The split types that a reader of another form knows: the library's own, and those that a caller names."""

from collections.abc import Iterable
from typing import Any

from ftree._lib.messages import short_repr
from ftree.tree.splits import SPLIT_TYPES


def known_types(splits: Any) -> tuple[type, ...]:
    """The caller's split types, which come first, and the library's. Raises a TypeError for anything but types.

    >>> known_types(()) == SPLIT_TYPES
    True
    """
    own = tuple(splits) if isinstance(splits, Iterable) else (splits,)
    for each in own:
        if not isinstance(each, type):
            message = f"splits must be a sequence of split types, such as (Compare,), got {short_repr(each)}."
            raise TypeError(message)
    return (*own, *SPLIT_TYPES)
