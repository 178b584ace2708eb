"""Numbers that stand for dates, times and durations, and how they print.

A date or a time is a number of seconds since 1970-01-01, a duration its seconds, a time of day the seconds since midnight.
"""

from datetime import timedelta
from typing import Any, Literal, Self, TypeAlias

import numpy as np

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
