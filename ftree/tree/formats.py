"""Numbers, times, intervals and weighted sums as text, and any text on one line."""

import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from math import floor, inf, log10
from typing import Any, Literal, Self, TypeAlias

import numpy as np

# From this number on, the exponent form is shorter.
_MIN_EXPONENT_FORM = 1e16
# Below this number, the exponent form is shorter.
_MIN_POSITIONAL = 1e-4
# A number has a rounding error if so many of its digits say the same as so many more.
_FEW_OF_DIGITS = 12, 15
_DAY = 86_400.0


def format_interval(name: str, above: float, at_most: float, *, written: Callable[[float], str] | None = None) -> str:
    """An interval as a condition; without a finite end, it says that the value is known. `written` formats the ends.

    >>> format_interval("age", 18, 65), format_interval("age", 65, inf), format_interval("age", -inf, 18)
    ('18 < age <= 65', 'age > 65', 'age <= 18')
    """
    write = written or format_exactly
    if at_most == inf and above == -inf:
        return f"{name} is known"
    if at_most == inf:
        return f"{name} > {write(above)}"
    return ("" if above == -inf else f"{write(above)} < ") + f"{name} <= {write(at_most)}"


def format_number(value: float, *, decimals: int = 6) -> str:
    """A number with at most `decimals` decimals and no trailing zeros; a small number keeps as many significant digits.

    A number that stands for a time is printed as that time.

    >>> format_number(0.6), format_number(2.4500000000000002), format_number(-3.0), format_number(1.25e-9)
    ('0.6', '2.45', '-3', '1.25e-09')
    """
    if isinstance(value, TimeNumber):
        return str(value)
    if abs(value) >= _MIN_EXPONENT_FORM:
        return f"{float(value)!r}"
    rounded = _without_zeros(f"{value:.{decimals}f}")
    near = abs(float(rounded) - value) <= 10.0 ** (1 - decimals) * abs(value)
    return (rounded if near else f"{value:.{decimals}g}") if value else "0"


def format_exactly(value: float, *, digits: int | None = None) -> str:
    """A number of a condition with all its digits, so that its text divides rows as it does, or with `digits` significant ones.

    The rounding error of a midpoint is left out: a number whose 15 digits end in zeros prints without them, as in 2.45 for
    2.4500000000000002. A cut between dates prints as the last date that is not later.

    >>> format_exactly(2.4500000000000002), format_exactly(1.00000005), format_exactly(1234.5678, digits=2), format_exactly(-3.0)
    ('2.45', '1.00000005', '1235', '-3')
    >>> format_exactly(TimeNumber(129600.0, "date"))
    '1970-01-02'
    """
    if isinstance(value, TimeNumber):
        return str(TimeNumber(value // _DAY * _DAY, "date") if value.time == "date" else value)
    if not value:
        return "0"
    if digits is not None:
        if not _MIN_POSITIONAL <= abs(value) < _MIN_EXPONENT_FORM:
            return f"{value:.{digits}g}"
        return _without_zeros(f"{value:.{max(digits - 1 - floor(log10(abs(value))), 0)}f}")
    short, near = (float(f"{value:.{shown}g}") for shown in _FEW_OF_DIGITS)
    return repr(short if short == near else float(value)).removesuffix(".0")


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_sum(
    names: Iterable[str], weights: Iterable[float], *, times: str = " * ", written: Callable[[float], str] | None = None
) -> str:
    """A weighted sum as a formula.

    >>> format_sum(("x", "y", "z"), (-1, 0.5, -2))
    '-x + 0.5 * y - 2 * z'
    """
    write = written or format_exactly
    terms = [
        f"{'-' if weight < 0 else '+'} {'' if abs(weight) == 1 else write(abs(weight)) + times}{name}"
        for name, weight in zip(names, weights, strict=True)
    ]
    text = " ".join(terms)
    return text.removeprefix("+ ") if text.startswith("+") else f"-{text[2:]}"


# What the numbers of a feature stand for. A time with a time zone is kept in UTC.
TimeKind: TypeAlias = Literal["date", "datetime", "datetime in UTC", "time of day", "duration"]
TIME_KINDS: tuple[TimeKind, ...] = ("date", "datetime", "datetime in UTC", "time of day", "duration")
# Beyond this many seconds, NumPy's times in microseconds overflow.
MOST_SECONDS = 9e12


class TimeNumber(float):
    """A number that stands for a time and prints as a time; it compares and calculates as a number.

    >>> TimeNumber(86400.0, "date"), TimeNumber(86400.0, "date") < 86401.5
    (1970-01-02, True)
    """

    __slots__ = ("time",)
    time: TimeKind

    def __new__(cls, value: float, time: TimeKind) -> Self:
        """A number of seconds, and the kind of time for which it stands."""
        number = super().__new__(cls, value)
        number.time = time
        return number

    def __getnewargs__(self) -> tuple[Any, ...]:
        """The arguments from which pickle and copy make it again."""
        return float(self), self.time

    def __repr__(self) -> str:
        """The time as text."""
        return format_time(float(self), self.time)

    __str__ = __repr__


def format_time(seconds: float, time: TimeKind) -> str:
    """A time as text in ISO format; a time between two microseconds prints as the earlier one.

    >>> format_time(43200.0, "date"), format_time(0.0, "datetime in UTC"), format_time(43200.0, "time of day")
    ('1970-01-01 12:00', '1970-01-01Z', '12:00')
    >>> format_time(-9000.5, "duration"), format_time(86400.0, "duration")
    ('-2:30:00.500000', '1 day 0:00:00')
    """
    if not abs(seconds) < MOST_SECONDS:
        return str(float(seconds))
    microseconds = _whole_microseconds(seconds)
    if time == "duration":
        return ("-" if seconds < 0 else "") + str(timedelta(microseconds=abs(microseconds))).replace(",", "")
    text = str(np.datetime_as_string(np.datetime64(microseconds, "us"), unit="auto"))
    if time == "time of day":
        return text.partition("T")[2] or "00:00"
    return text.replace("T", " ") + ("Z" if time == "datetime in UTC" else "")


def _whole_microseconds(seconds: float) -> int:
    """The last whole microsecond that is not later: a time in whole microseconds is at most both numbers or above both."""
    near = round(seconds * 1e6)
    return near - 1 if near / 1e6 > seconds else near


# Controls, halves of surrogate pairs and two that are no characters: XML forbids most of them, terminals obey some. Characters
# that turn the direction of what follows would turn the rest of a line, such as its counts.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


_BLANKS = re.compile("[\t\n\x0b\x0c\r\x85\u2028\u2029]+")


def printable(text: object) -> str:
    r"""The text on one line, without characters that XML forbids, control a terminal or turn directions: each becomes U+FFFD.

    Hebrew or Arabic letters, and the marks U+200E and U+200F, act on themselves and their neighbours only, and stay.

    >>> printable("two\nlines"), printable(True), printable("bell \a") == "bell \ufffd"
    ('two lines', 'True', True)
    """
    line = str(text)
    return line if line.isprintable() else _FORBIDDEN.sub("\ufffd", _BLANKS.sub(" ", line))
