"""Values as JSON: numbers, texts, times and tuples of them, and the parts of an object that is read."""

from collections.abc import Callable, Collection, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np
from attrs import NOTHING, Attribute, fields, frozen, has

from ftree._lib.messages import joined, short_repr

# The names of users' parts begin like this.
OWN = "own."


def check_text(text: Any) -> str:
    """The text itself. Raises a ValueError for anything else, and for a single surrogate of UTF-16.

    >>> check_text("é")
    'é'
    """
    if not isinstance(text, str):
        message = f"A name must be a text, got {short_repr(text)}."
        raise ValueError(message)  # noqa: TRY004  # the error is in the text read, not in the argument's type
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"Text must be Unicode without single surrogates, got {short_repr(text)}.") from None
    return text


def members(plain: Any, what: str, required: Collection[str], optional: Collection[str] = ()) -> list[Any]:
    """The values of an object's keys, the required and then the optional ones, None for an absent key.

    Raises a ValueError for anything but an object with these keys.

    >>> members({"a": 1, "c": 2}, "It", ["a"], ["b", "c"])
    [1, None, 2]
    """
    if not isinstance(plain, dict) or not set(required) <= set(plain) <= {*required, *optional}:
        may = f", and may have {joined(optional)}" if optional else ""
        keys = plain if isinstance(plain, dict) else ()
        got = f"the keys {joined(map(short_repr, keys), at_most=8)}" if keys else short_repr(plain)
        raise ValueError(f"{what} must be an object with the keys {joined(required)}{may}, got {got}.")
    return [plain.get(key) for key in (*required, *optional)]


def options_of(family: Any) -> "list[Attribute[Any]]":
    """The fields of an attrs class that its constructor takes; none of any other class.

    >>> from ftree.stop import max_depth
    >>> [each.name for each in options_of(max_depth)], options_of(int)
    (['limit'], [])
    """
    return [each for each in fields(family) if each.init] if has(family) else []


def fields_of(plain: Any, what: str, family: Any, *others: str) -> dict[str, Any]:
    """The fields of an attrs class that an object has, in plain form; it must also have the keys `others`.

    A field with a default may be absent, as a new option is from texts of an earlier version.

    Raises a ValueError for anything but an object with these keys.

    >>> from ftree.splitters import threshold
    >>> fields_of({"type": "threshold", "mdl": True}, "It", threshold, "type")
    {'mdl': True}
    """
    own = {each.name: each.default for each in options_of(family)}
    required = [name for name, default in own.items() if default is NOTHING]
    members(plain, what, [*others, *required], [name for name in own if name not in required])
    return {name: plain[name] for name in own if name in plain}


def by_name(what: str, listed: Iterable[Any]) -> dict[str, Any]:
    """Classes and functions by their names. Raises a ValueError for two of one name.

    >>> by_name("parts", (len, max, len))
    {'len': <built-in function len>, 'max': <built-in function max>}
    """
    named: dict[str, Any] = {}
    for each in listed:
        if named.setdefault(each.__name__, each) is not each:
            raise ValueError(f"{what} must have distinct names, got two of the name {each.__name__}. Rename one of them.")
    return named


def items(plain: Any, what: str, n: int | None = None) -> list[Any]:
    """A list, of n items if n is given. Raises a ValueError for anything else.

    >>> items([1, 2], "counts", 2)
    [1, 2]
    """
    if not isinstance(plain, list) or (n is not None and len(plain) != n):
        wanted = "a list" if n is None else f"a list of {n}"
        message = f"{what} must be {wanted}, got {f'{len(plain)} items' if isinstance(plain, list) else short_repr(plain)}."
        raise ValueError(message)
    return plain


def whole_numbers(plain: Any, what: str) -> list[int]:
    """A list of whole numbers from 0. Raises a ValueError for anything else.

    >>> whole_numbers([0, 2], "n_children")
    [0, 2]
    """
    listed = items(plain, what)
    if not (set(map(type, listed)) <= {int} and min(listed, default=0) >= 0):
        raise ValueError(f"{what} must be whole numbers from 0, got {short_repr(listed)}.")
    return listed


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
    raise TypeError(f"A value must be None, a bool, int, float, str, or of a type of {joined(_TAGS)}, got {short_repr(value)}.")


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
    except (TypeError, ValueError, KeyError, ArithmeticError, AttributeError) as error:
        raise ValueError(f"A value of type {tag} must be written as its to_json does, {_got(inner)}") from error
    if not same:
        raise ValueError(f"A value of type {tag} must be written as its to_json does, {_got(inner)}")
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
        raise ValueError("A value must be equal to itself, got NaN.")
    return str(value)


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
    "tuple": _Tag(tuple, lambda values: list(map(to_plain, values)), lambda parts: tuple(map(of_plain, parts))),
    # In an order that is the same in every process.
    "set": _Tag(frozenset, lambda values: sorted(map(to_plain, values), key=repr), lambda parts: frozenset(map(of_plain, parts))),
    "datetime64": _time64(np.datetime64),
    "timedelta64": _time64(np.timedelta64),
}


def made(constructor: Any, *arguments: Any, **options: Any) -> Any:
    """The result of a constructor. Its other errors become a ValueError, since the error is in the text."""
    try:
        return constructor(*arguments, **options)
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error
