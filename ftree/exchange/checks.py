"""Checks that several exports share, and values in the form of programs."""

from collections.abc import Callable, Hashable, Iterable
from keyword import iskeyword
from math import isfinite
from numbers import Integral, Real
from typing import Any

from ftree._lib.messages import short_repr
from ftree.tree.schema import Schema


def check_identifier(name: Any, *, reserved: Callable[[str], bool] = iskeyword) -> None:
    """Raise a ValueError for a name that is not valid for a function in a program.

    >>> check_identifier("predict")
    """
    if not (isinstance(name, str) and name.isidentifier() and name.isascii() and not reserved(name)):
        message = f"name must be the name of a function, ASCII letters, digits and underscores, got {short_repr(name)}."
        raise ValueError(message)


def plain(what: str, value: Hashable) -> Any:
    """A text, a number, a boolean or None unchanged; for a subclass, such as a number of NumPy, the plain value.

    Raises a ValueError for any other value, and for a number that is not finite.

    >>> import numpy as np
    >>> plain("The label", np.float64(0.5)), plain("The label", True)
    (0.5, True)
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and isfinite(value):
        return float(value)
    message = f"{what} must be a text, a finite number, a boolean or None to be exported, got {short_repr(value)}."
    raise ValueError(message)


def plain_labels(schema: Schema) -> list[Any]:
    """The classes as plain values."""
    return [plain("A class", label) for label in schema.classes]


def plain_values(schema: Schema, used: Iterable[int]) -> list[list[Any] | None]:
    """For each feature its plain values, None for a numeric one; an empty list for a feature that is not among those used."""
    asked = set(used)
    return [
        None
        if feature.kind == "numeric" and number in asked
        else [plain(f"A value of {feature.name!r}", value) for value in (feature.values if number in asked else ())]
        for number, feature in enumerate(schema.features)
    ]
