"""Converters and validators that the split types share."""

from math import isfinite
from operator import index
from typing import Any

from ftree._lib.messages import short_repr


def _column_number(feature: Any) -> int:
    try:
        return index(feature)
    except TypeError:
        message = (
            f"feature must be a column number, got {short_repr(feature)}. position(schema, name) gives the number of a name."
        )
        raise TypeError(message) from None


def _number(at: Any) -> float:
    try:
        return float(at)
    except (TypeError, ValueError, OverflowError):
        message = f"at must be a finite number, got {short_repr(at)}."
        raise TypeError(message) from None


def _codes(values: Any) -> tuple[int, ...]:
    try:
        return tuple(index(_whole(value)) for value in values)
    except TypeError:
        wanted = "a sequence of codes, which are positions in Feature.values"
        message = f"values of a split must be {wanted}, got {short_repr(values)}."
        raise TypeError(message) from None


def _whole(value: Any) -> Any:
    """An integer for a whole float, such as a code from an array of floats; anything else unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _sorted_codes(values: Any) -> tuple[int, ...]:
    return tuple(sorted(_codes(values)))


def _not_negative(_: object, __: object, feature: int) -> None:
    if feature < 0:
        message = f"feature must be a column number from 0, got {feature}."
        raise ValueError(message)


def _distinct_codes(_: object, attribute: Any, codes: tuple[int, ...]) -> None:
    if not codes or min(codes) < 0 or len(set(codes)) < len(codes):
        message = f"{attribute.name} must be one or more distinct codes from 0, got {short_repr(codes)}."
        raise ValueError(message)


def _finite(_: object, __: object, at: float) -> None:
    if not isfinite(at):
        message = f"at must be a finite number, got {at}."
        raise ValueError(message)
