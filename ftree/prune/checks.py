"""Validators shared by several passes."""

from numbers import Real
from typing import Any

from ftree._lib.messages import short_repr


def a_number_from(least: float) -> Any:
    """A validator: the value must be a number of at least `least`; infinity is allowed.

    It is of type Any, so that a field keeps the type that it declares.

    >>> from attrs import fields, make_class
    >>> a_number_from(0)(None, fields(make_class("pass_", ["alpha"])).alpha, -1)
    Traceback (most recent call last):
    ValueError: alpha must be a number of at least 0, got -1.
    """

    def check(_: Any, attribute: Any, value: Any) -> None:
        if not (isinstance(value, Real) and value >= least):  # type: ignore[operator]  # Real declares no order with floats
            message = f"{attribute.name} must be a number of at least {least}, got {short_repr(value)}."
            raise ValueError(message)

    return check
