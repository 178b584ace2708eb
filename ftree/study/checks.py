"""Checks that several studies share."""

from numbers import Integral
from typing import Any

from ftree._lib.messages import short_repr


def at_least_one(number: Any, name: str) -> None:
    """Raise a ValueError for anything but a whole number from 1.

    >>> at_least_one(0, "repeats")
    Traceback (most recent call last):
    ValueError: repeats must be a whole number of at least 1, got 0.
    """
    if not (isinstance(number, Integral) and int(number) >= 1):
        message = f"{name} must be a whole number of at least 1, got {short_repr(number)}."
        raise ValueError(message)
