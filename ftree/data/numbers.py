"""Numbers and times: as text, and as floats.

A date or a time is the number of seconds since 1970-01-01 (in UTC if it has no time zone), a duration its seconds, a time
of day the seconds since midnight.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?)?)?", re.ASCII)
_FIRST_CHARACTERS = "+-.0123456789"
_SECOND = timedelta(seconds=1)


def whole_in_text(text: str) -> int:
    """A text as a whole number; digits joined by underscores are refused, since they are a name.

    Raises a ValueError for any other text.

    >>> whole_in_text("-12")
    -12
    """
    return int(_plain(text))


def number_in_text(text: str) -> float:
    """A text as a number.

    Raises a ValueError for any other text.

    >>> number_in_text("12"), number_in_text("1e3")
    (12.0, 1000.0)
    """
    return float(_plain(text)) + 0.0  # minus zero becomes zero, as for whole numbers


def _plain(text: str) -> str:
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return text


def time_in_text(text: str) -> date:
    """A text in ISO format as a date, or as a date and time.

    Raises a ValueError for any other text.

    >>> time_in_text("2020-02-29"), time_in_text("2020-02-29 12:00")
    (datetime.date(2020, 2, 29), datetime.datetime(2020, 2, 29, 12, 0))
    """
    if not _ISO.fullmatch(text):
        raise ValueError(text)
    return date.fromisoformat(text) if len(text) == len("2020-02-29") else datetime.fromisoformat(text)


def number_or_time(text: str) -> Any:
    """A text as a date, as a date and time, or else as a number.

    Raises a ValueError for any other text.
    """
    for parse in (whole_in_text, number_in_text):
        try:
            return parse(text)
        except ValueError:
            continue
    return time_in_text(text.strip())


def reads_as_number(text: str) -> bool:
    """Whether a text is a number, or a date in ISO format.

    >>> reads_as_number("-1.5"), reads_as_number("2020-02-29"), reads_as_number("1_0"), reads_as_number("red")
    (True, True, False, False)
    """
    # The first character is checked first, since raising an error takes long.
    if text.lstrip()[:1] not in _FIRST_CHARACTERS:
        return False
    try:
        number_or_time(text)
    except ValueError:
        return False
    return True


def time_family(value: Any) -> str | None:
    """The kind of time of a value, None for anything else; times of two kinds cannot be compared.

    A time of day with a time zone has no kind: without its day, it cannot be converted to seconds in UTC.

    >>> time_family(date(2020, 2, 29)), time_family(timedelta(1)), time_family(3)
    ('dates', 'durations', None)
    """
    if isinstance(value, date):
        return "dates with a time zone" if getattr(value, "tzinfo", None) is not None else "dates"
    if isinstance(value, time):
        return "times of day" if value.tzinfo is None else None
    return "durations" if isinstance(value, timedelta) else None


def seconds(value: date | time | timedelta) -> float:
    """A date, a time or a duration in seconds.

    >>> seconds(date(1970, 1, 2)), seconds(timedelta(minutes=2)), seconds(time(0, 0, 1))
    (86400.0, 120.0, 1.0)
    """
    if isinstance(value, timedelta):
        return value / _SECOND
    if isinstance(value, time):
        return timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond) / _SECOND
    if not isinstance(value, datetime):
        return (value - date(1970, 1, 1)) / _SECOND
    return (value - datetime(1970, 1, 1, tzinfo=None if value.tzinfo is None else UTC)) / _SECOND


def as_float(value: Any) -> float:
    """A number as a float.

    Raises a TypeError for anything else, including bytes and objects that can only be converted to numbers.

    >>> as_float(3)
    3.0
    """
    if not isinstance(value, (Real, Decimal)):
        raise TypeError
    return float(value)
