"""Labels, values and numbers as JSON: text, numbers, booleans and None are unchanged, other types become objects with a tag.

Each type is restored: `{"date": "2020-01-31"}` is a date, `{"tuple": ["a", 1]}` a tuple.
"""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.messages import joined, short_repr
from ftree.exchange.json_checks import check_text


def to_plain(value: Any) -> Any:
    """A value in JSON form. A number of NumPy becomes a number of Python.

    Raises a TypeError for a value of another type, and a ValueError for NaN and for text that is not Unicode.

    >>> to_plain(2.5), to_plain(date(2020, 1, 31)), to_plain(("a", np.int64(1)))
    (2.5, {'date': '2020-01-31'}, {'tuple': ['a', 1]})
    """
    if value is None or type(value) in (bool, int):
        return value
    if type(value) is float and isfinite(value):
        return value
    if type(value) is str:
        return check_text(value)
    tag = next((tag for tag, each in _TAGS.items() if type(value) is each.type), None)
    if tag is not None:
        return {tag: _TAGS[tag].write(value)}
    if isinstance(value, np.generic) and not isinstance(value.item(), np.generic):
        return to_plain(value.item())
    message = f"A value must be None, a bool, int, float, str, or of a type of {joined(_TAGS)}, got {short_repr(value)}."
    raise TypeError(message)


def of_plain(plain: Any) -> Any:
    """The value that JSON represents. Raises a ValueError for a list, and for an object that `to_plain` does not make.

    >>> of_plain({"tuple": ["a", {"date": "2020-01-31"}]})
    ('a', datetime.date(2020, 1, 31))
    """
    match plain:
        case None | bool() | int() | float():
            return plain
        case str():
            return check_text(plain)
        case dict() if len(plain) == 1 and next(iter(plain)) in _TAGS:
            ((tag, inner),) = plain.items()
            return _read(tag, inner)
    message = f"A value must be text, a number, a boolean, null, or an object with one key of {joined(_TAGS)}, {_got(plain)}"
    raise ValueError(message)


def _read(tag: str, inner: Any) -> Any:
    """The value in an object with a tag; only the form that `to_plain` writes is accepted."""
    try:
        value = _TAGS[tag].read(inner)
        same = type(value) is _TAGS[tag].type and _TAGS[tag].write(value) == inner
    except (TypeError, ValueError, ArithmeticError, AttributeError) as error:
        message = f"A value of type {tag} must be written as its to_json does, {_got(inner)}"
        raise ValueError(message) from error
    if not same:
        message = f"A value of type {tag} must be written as its to_json does, {_got(inner)}"
        raise ValueError(message)
    return value


def _got(plain: Any) -> str:
    return f"got {short_repr(plain)}."


@frozen
class _Tag:
    """A type, and its values as JSON and back."""

    type: type
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _infinite(value: float) -> str:
    if value not in (inf, -inf):
        message = "A value must be equal to itself, got NaN."
        raise ValueError(message)
    return str(value)


def _plain_sequence(values: Any) -> list[Any]:
    return list(map(to_plain, values))


def _plain_set(values: Any) -> list[Any]:
    """A set in an order that is the same in every process."""
    return sorted(_plain_sequence(values), key=repr)


def _time64(family: Any) -> _Tag:
    """A time of NumPy as a count of its unit."""

    def write(value: Any) -> list[Any]:
        unit, n = np.datetime_data(value.dtype)
        return [int(value.astype(np.int64)), unit, n]

    return _Tag(family, write, lambda parts: family(parts[0], (parts[1], parts[2])))


_TAGS = {
    "float": _Tag(float, _infinite, {"inf": inf, "-inf": -inf}.__getitem__),
    "date": _Tag(date, date.isoformat, date.fromisoformat),
    "datetime": _Tag(datetime, datetime.isoformat, datetime.fromisoformat),
    "time": _Tag(time, time.isoformat, time.fromisoformat),
    "duration": _Tag(timedelta, lambda value: [value.days, value.seconds, value.microseconds], lambda parts: timedelta(*parts)),
    "decimal": _Tag(Decimal, str, Decimal),
    "fraction": _Tag(Fraction, lambda value: [value.numerator, value.denominator], lambda parts: Fraction(*parts)),
    "bytes": _Tag(bytes, bytes.hex, bytes.fromhex),
    "tuple": _Tag(tuple, _plain_sequence, lambda parts: tuple(map(of_plain, parts))),
    "set": _Tag(frozenset, _plain_set, lambda parts: frozenset(map(of_plain, parts))),
    "datetime64": _time64(np.datetime64),
    "timedelta64": _time64(np.timedelta64),
}
