"""What the attrs classes share: tuples from any iterable, and a repr that reads as the constructor was written."""

from collections.abc import Iterable
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, TypeVar

import attrs

_C = TypeVar("_C", bound="type[Any]")


def as_tuple(values: Iterable[Any]) -> tuple[Any, ...]:
    """Any iterable as a tuple: the converter of fields that hold several things.

    >>> as_tuple([1, 2])
    (1, 2)
    >>> as_tuple(1)
    Traceback (most recent call last):
    TypeError: Several things are wanted, such as a tuple; 1 came: write a single one as (1,).
    """
    try:
        several = iter(values)
    except TypeError:
        message = f"Several things are wanted, such as a tuple; {values!r} came: write a single one as ({values!r},)."
        raise TypeError(message) from None
    return tuple(several)


def one_of(*options: str) -> Any:
    """A validator that refuses what is none of the options, and lists them.

    It is of type Any, so that a field keeps the type that it declares.

    >>> one_of("prune", "keep")(None, attrs.fields(attrs.make_class("pass_", ["ties"])).ties, "cut")
    Traceback (most recent call last):
    ValueError: ties is one of 'prune', 'keep'; it came as 'cut'.
    """

    def check(_: Any, attribute: Any, value: Any) -> None:
        if value not in options:
            message = f"{attribute.name} is one of {', '.join(map(repr, options))}; it came as {value!r}."
            raise ValueError(message)

    return check


def a_function(_: Any, attribute: Any, value: Any) -> None:
    """A validator that refuses what cannot be called, and a class that was meant to be made first.

    >>> a_function(None, attrs.fields(attrs.make_class("policy", ["stop"])).stop, dict)
    Traceback (most recent call last):
    TypeError: stop must be a function; the class dict came: write dict(...), with parentheses.
    """
    if isinstance(value, type):
        name = value.__name__
        message = f"{attribute.name} must be a function; the class {name} came: write {name}(...), with parentheses."
        raise TypeError(message)
    if not callable(value):
        message = f"{attribute.name} must be a function; {value!r} came."
        raise TypeError(message)


def a_probability(_: Any, attribute: Any, value: float) -> None:
    """A validator that refuses what is no number between 0 and 1.

    >>> a_probability(None, attrs.fields(attrs.make_class("rule", ["alpha"])).alpha, 5)
    Traceback (most recent call last):
    ValueError: alpha is a probability between 0 and 1; it came as 5.
    """
    if not (isinstance(value, Real) and 0 <= value <= 1):
        message = f"{attribute.name} is a probability between 0 and 1; it came as {value!r}."
        raise ValueError(message)


def a_finite_number(_: Any, attribute: Any, value: float) -> None:
    """A validator that refuses what is no finite number from 0.

    >>> a_finite_number(None, attrs.fields(attrs.make_class("choice", ["slack"])).slack, -1)
    Traceback (most recent call last):
    ValueError: slack is a finite number from 0; it came as -1.
    """
    if not (isinstance(value, Real) and isfinite(value) and value >= 0):
        message = f"{attribute.name} is a finite number from 0; it came as {value!r}."
        raise ValueError(message)


def a_whole_number(least: int, *, most: float = inf, of: str) -> Any:
    """A validator that refuses what is no whole number of these bounds; `of` says what it counts.

    It is of type Any, so that a field keeps the type that it declares.

    >>> a_whole_number(1, of="features")(None, attrs.fields(attrs.make_class("family", ["n"])).n, 0)
    Traceback (most recent call last):
    ValueError: n is a number of features from 1; it came as 0.
    """
    bounds = f"from {least}" if most == inf else f"from {least} to {most}"

    def check(_: Any, attribute: Any, value: Any) -> None:
        # True is a number to Python, and an option misunderstood to whoever wrote it.
        if isinstance(value, bool) or not (isinstance(value, Integral) and least <= int(value) <= most):
            message = f"{attribute.name} is a number of {of} {bounds}; it came as {value!r}."
            raise ValueError(message)

    return check


def reads_like_its_constructor(cls: _C) -> _C:
    """Give an attrs class the repr `name(positional, keyword=value)`; fields that are `quiet` show when they are set.

    >>> @reads_like_its_constructor
    ... @attrs.frozen
    ... class at_most:
    ...     limit: int
    ...     strict: bool = attrs.field(default=False, kw_only=True)
    >>> at_most(3)
    at_most(3, strict=False)
    """

    def represent(self: Any) -> str:
        pairs = [(field, getattr(self, field.name)) for field in attrs.fields(type(self)) if field.repr]
        shown = (_argument(field, value) for field, value in pairs if not ("quiet" in field.metadata and value == field.default))
        return f"{type(self).__name__}({', '.join(shown)})"

    type.__setattr__(cls, "__repr__", represent)
    return cls


# Metadata of a field that is not worth a word while it has its default.
QUIET = {"quiet": True}


def name_of(value: Any) -> str:
    """A function by its name, everything else as its repr.

    >>> name_of(len), name_of(3)
    ('len', '3')
    """
    return str(getattr(value, "__name__", None) or repr(value))


def _argument(field: Any, value: Any) -> str:
    return f"{field.name}={name_of(value)}" if field.kw_only else name_of(value)
