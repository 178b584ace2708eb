"""Converters and validators that the split types share."""

from math import isfinite
from operator import index
from typing import Any


def _column_number(feature: Any) -> int:
    try:
        return index(feature)
    except TypeError:
        message = f"A split's feature is a column number (schema.position finds it by name); {feature!r} came."
        raise TypeError(message) from None


def _number(at: Any) -> float:
    try:
        return float(at)
    except (TypeError, ValueError):
        message = f"A threshold is a finite number; {at!r} came."
        raise TypeError(message) from None


def _codes(values: Any) -> tuple[int, ...]:
    try:
        return tuple(index(_whole(value)) for value in values)
    except TypeError:
        message = f"A split's values are codes, which are positions in Feature.values, in a sequence; {values!r} came."
        raise TypeError(message) from None


def _whole(value: Any) -> Any:
    """An integer for a whole float, such as a code from an array of floats; everything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _sorted_codes(values: Any) -> tuple[int, ...]:
    return tuple(sorted(_codes(values)))


def _not_negative(_: object, __: object, feature: int) -> None:
    if feature < 0:
        message = f"A split's feature is a column number from 0; it came as {feature}."
        raise ValueError(message)


def _known_codes(_: object, __: object, codes: tuple[int, ...]) -> None:
    if not codes or min(codes) < 0 or len(set(codes)) < len(codes):
        message = f"A split's values are one or more distinct codes from 0; they came as {codes}."
        raise ValueError(message)


def _finite(_: object, __: object, at: float) -> None:
    if not isfinite(at):
        message = f"A threshold is a finite number; it came as {at}."
        raise ValueError(message)
