"""Plain values for exports: checks that several share, and labels and numbers as JSON or another program holds them."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from keyword import iskeyword
from math import isfinite
from numbers import Integral, Real
from typing import Any

from ftree._lib.messages import short_repr
from ftree.saving.json_values import check_text
from ftree.tree.schema import Schema


def check_identifier(name: Any, *, reserved: Callable[[str], bool] = iskeyword) -> None:
    """Raise a ValueError for a name that is not valid for a function in a program.

    >>> check_identifier("predict")
    """
    if not (isinstance(name, str) and name.isidentifier() and name.isascii() and not reserved(name)):
        raise ValueError(f"name must be the name of a function, ASCII letters, digits and underscores, got {short_repr(name)}.")


def plain_value(what: str, value: Hashable) -> Any:
    """A text, a number, a boolean or None unchanged; for a subclass, such as a number of NumPy, the plain value.

    Raises a ValueError for any other value, and for a number that is not finite.

    >>> import numpy as np
    >>> plain_value("The label", np.float64(0.5)), plain_value("The label", True)
    (0.5, True)
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)  # the text itself, whatever the subclass shows
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and isfinite(value):
        return float(value)
    raise ValueError(f"{what} must be a text, a finite number, a boolean or None to be exported, got {short_repr(value)}.")


def without_nul(text: str, language: str) -> str:
    """The text itself. Raises a ValueError for a text with NUL, which ends texts there, and for a single surrogate of UTF-16.

    >>> without_nul("it's", "C")
    "it's"
    """
    if "\0" in text:
        raise ValueError(f"A text must have no NUL character to be written in {language}, got {short_repr(text)}.")
    return check_text(text)


def check_distinct(what: str, texts: Iterable[str]) -> None:
    """Raise a ValueError for values that a program cannot tell apart, since it knows them by their texts.

    >>> check_distinct("Values of 'sky'", ["True", "grey"])
    """
    twice = [text for text, times in Counter(texts).items() if times > 1]
    if twice:
        raise ValueError(f"{what} must have distinct texts to be exported, got {short_repr(twice[0])} twice. Rename one of them.")


def plain_labels(schema: Schema) -> list[Any]:
    """The classes as plain values."""
    return [plain_value("A class", label) for label in schema.classes]


def known_labels(schema: Schema, language: str) -> list[Any]:
    """The classes as plain values. Raises a ValueError for the class None."""
    labels = plain_labels(schema)
    if None in labels:
        raise ValueError(f"tree must have no class None to be written in {language}, since it stands for a missing label there.")
    return labels


def plain_values(schema: Schema, used: Iterable[int]) -> list[list[Any] | None]:
    """For each feature its plain values, None for a numeric one; an empty list for a feature that is not among those used."""
    asked = set(used)
    return [
        None
        if feature.kind == "numeric" and number in asked
        else [plain_value(f"A value of {feature.name!r}", value) for value in (feature.values if number in asked else ())]
        for number, feature in enumerate(schema.features)
    ]
