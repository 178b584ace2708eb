"""What the attrs classes share: tuples from any iterable, and a repr that reads as the constructor was written."""

from collections.abc import Iterable
from typing import Any, TypeVar

import attrs

C = TypeVar("C", bound="type[Any]")


def as_tuple(values: Iterable[Any]) -> tuple[Any, ...]:
    """Any iterable as a tuple: the converter of fields that hold several things.

    >>> as_tuple([1, 2])
    (1, 2)
    """
    return tuple(values)


def reads_like_its_constructor(cls: C) -> C:
    """Give an attrs class the repr `name(positional, keyword=value)`.

    >>> @reads_like_its_constructor
    ... @attrs.frozen
    ... class at_most:
    ...     limit: int
    ...     strict: bool = attrs.field(default=False, kw_only=True)
    >>> at_most(3)
    at_most(3, strict=False)
    """

    def represent(self: Any) -> str:
        shown = (_argument(field, getattr(self, field.name)) for field in attrs.fields(type(self)) if field.repr)
        return f"{type(self).__name__}({', '.join(shown)})"

    type.__setattr__(cls, "__repr__", represent)
    return cls


def name_of(value: Any) -> str:
    """A function by its name, everything else as its repr.

    >>> name_of(len), name_of(3)
    ('len', '3')
    """
    return str(getattr(value, "__name__", None) or repr(value))


def _argument(field: Any, value: Any) -> str:
    return f"{field.name}={name_of(value)}" if field.kw_only else name_of(value)
