"""Dates, times and durations: what they are in texts and in NumPy, their seconds as numbers, and back.

Dates and times of day are seconds since 1970 or midnight. Times of two kinds cannot be compared.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.tree.formats import MOST_SECONDS, TimeKind, TimeNumber

# Dates with times of day are dates too.
TEMPORAL = (date, time, timedelta)
# The times that Python has; the float nearest to the last one is in the year 10000, so it becomes the float before.
_FIRST_TIME, _LAST_TIME = np.datetime64("0001-01-01", "us"), np.datetime64("9999-12-31T23:59:59.999999", "us")
_LAST_SECOND = float(np.nextafter(253_402_300_800.0, 0))
_WHOLE_DAYS = {"Y", "M", "W", "D"}
_NO_FIXED_LENGTH = {"Y", "M", "generic"}
_TIME_OF_DAY = r"\d\d:\d\d(:\d\d([.,]\d{1,6})?)?"
_ISO = re.compile(rf"(?P<day>\d{{4}}-\d\d-\d\d)([T ]{_TIME_OF_DAY}(Z|[+-]\d\d(:?\d\d)?)?)?|{_TIME_OF_DAY}", re.ASCII)
_SECOND = timedelta(seconds=1)


@frozen(eq=False)
class TimesInUTC:
    """Times with a time zone, as a NumPy array of times in UTC."""

    times: Array

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the array."""
        return self.times.dtype

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.times)

    def __getitem__(self, rows: Array) -> "TimesInUTC":
        """The rows of a mask, or with the given numbers."""
        return TimesInUTC(self.times[rows])

    def __iter__(self) -> Iterator[Any]:
        """The times as Python's, in UTC; None where missing."""
        return iter(self.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:  # noqa: FBT001  # numpy's protocol
        """The array itself."""
        array = np.asarray(self.times, dtype=dtype)
        return array.copy() if copy and array is self.times else array

    def tolist(self) -> list[Any]:
        """The times as Python's, in UTC; None where missing."""
        listed = in_microseconds(self.times).tolist()
        return [None if each is None else each.replace(tzinfo=UTC) for each in listed]


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


def time_in_text(text: str) -> Any:
    """A text in ISO format as a date, as a date and time, or as a time of day.

    Raises a ValueError for any other text.

    >>> time_in_text("2020-02-29"), time_in_text("2020-02-29 12:00"), time_in_text("12:00")
    (datetime.date(2020, 2, 29), datetime.datetime(2020, 2, 29, 12, 0), datetime.time(12, 0))
    """
    found = _ISO.fullmatch(text)
    if not found:
        raise ValueError(text)
    if not found["day"]:
        return time.fromisoformat(text)
    return (date if len(text) == len(found["day"]) else datetime).fromisoformat(text)


def seconds(value: Any) -> Any:
    """A date, a time or a duration in seconds; anything else unchanged.

    >>> seconds(date(1970, 1, 2)), seconds(timedelta(minutes=2)), seconds(time(0, 0, 1)), seconds(3)
    (86400.0, 120.0, 1.0, 3)
    """
    if not isinstance(value, TEMPORAL):
        return value
    if isinstance(value, timedelta):
        return value / _SECOND
    if isinstance(value, time):
        return timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond) / _SECOND
    if not isinstance(value, datetime):
        return (value - date(1970, 1, 1)) / _SECOND
    return min((value - datetime(1970, 1, 1, tzinfo=None if value.tzinfo is None else UTC)) / _SECOND, _LAST_SECOND)


def array_in_seconds(array: Any) -> Array:
    """An array of times or durations, masked where it has none, in seconds; NaN where one is missing.

    Raises a ValueError for times that Python does not have.

    >>> array_in_seconds(np.array(["1970-01-02", "NaT"], "M8[D]")).tolist()
    [86400.0, nan]
    """
    times = in_microseconds(np.ma.getdata(array))
    gaps = np.isnat(times) | np.ma.getmaskarray(array)
    if array.dtype.kind == "m":
        return np.where(gaps, np.nan, times.astype(np.int64) / 1e6)
    strange = array[~gaps & ((times < _FIRST_TIME) | (times > _LAST_TIME))]
    if strange.size:
        raise ValueError(_beyond_python(strange[0]))
    return np.where(gaps, np.nan, np.minimum(times.astype(np.int64) / 1e6, _LAST_SECOND))


def in_microseconds(times: Any) -> Any:
    """Times or durations of NumPy, an array or a single one, in microseconds.

    Raises a ValueError for a time that is not a whole microsecond, or too far from 1970, and for a duration without a fixed unit.

    >>> in_microseconds(np.datetime64("2020-01-01", "ns")).item()
    datetime.datetime(2020, 1, 1, 0, 0)
    """
    unit = np.datetime_data(times.dtype)[0]
    if times.dtype.kind == "m" and unit in _NO_FIXED_LENGTH:
        raise ValueError(
            f"Durations must have a unit of fixed length, from weeks to microseconds, got {unit!r}. Convert them beforehand."
        )
    converted = times.astype(f"{times.dtype.kind}8[us]")
    changed = np.ravel(times)[np.ravel((converted.astype(times.dtype) != times) & ~np.isnat(times))]
    if changed.size:
        message = f"Times must be whole microseconds within 290,000 years of 1970, got {changed[0]}. Round them beforehand."
        raise ValueError(message)
    return converted


def python_times(array: Any) -> list[Any]:
    """NumPy's dates as dates, its times as times; None for NaT and masked cells."""
    whole_days = array.dtype.kind == "M" and np.datetime_data(array.dtype)[0] in _WHOLE_DAYS
    listed: list[Any] = (array if whole_days else in_microseconds(array)).tolist()
    strange = [place for place, value in enumerate(listed) if isinstance(value, int)]
    if strange:
        raise ValueError(_beyond_python(array[strange[0]]))
    return listed


def _beyond_python(moment: Any) -> str:
    return f"Times must be within the years 1 to 9999, got {moment}. Give them as numbers."


# The kind of time of each family.
TIME_KINDS: dict[str, TimeKind] = {
    "dates": "datetime",
    "dates with a time zone": "datetime in UTC",
    "times of day": "time of day",
    "durations": "duration",
}
# What numbers stand for, in the plural and with an example.
TIMES_IN_WORDS: dict[TimeKind | None, str] = {
    None: "numbers",
    "date": "dates, such as '2020-02-29'",
    "datetime": "dates or times, such as '2020-02-29 12:00'",
    "datetime in UTC": "times with a time zone, such as '2020-02-29 12:00+01:00'",
    "time of day": "times of day, such as datetime.time(12)",
    "duration": "durations, such as datetime.timedelta(hours=1)",
}


def may_stand_for(given: TimeKind | None, time: TimeKind | None) -> bool:
    """Whether times, or numbers of seconds (None), may be values of a feature; dates are times.

    >>> may_stand_for("date", "datetime"), may_stand_for(None, "date"), may_stand_for("date", None)
    (True, True, False)
    """
    return given in (None, time) or {given, time} == {"date", "datetime"}


def decoded_times(numbers: Array, time: TimeKind) -> list[Any]:
    """Numbers as the Python objects for which they stand, None for NaN; as `TimeNumber` where Python's types cannot hold them.

    >>> decoded_times(np.array([86400.0, np.nan, 316516204800.0]), "date")
    [datetime.date(1970, 1, 2), None, 12000-01-01]
    """
    out_of_reach = ~(np.abs(numbers) < MOST_SECONDS)
    microseconds = np.where(out_of_reach, 0, np.rint(numbers * 1e6)).astype(np.int64)
    kind = "m8[us]" if time == "duration" else "M8[us]"
    listed = microseconds.view(kind).astype("M8[D]" if time == "date" else kind).tolist()
    return [_decoded(*each, time) for each in zip(listed, numbers.tolist(), out_of_reach.tolist(), strict=True)]


def _decoded(moment: Any, number: float, out_of_reach: bool, time: TimeKind) -> Any:  # noqa: FBT001  # private
    if number != number:  # noqa: PLR0124  # NaN
        return None
    if out_of_reach or isinstance(moment, int):  # NumPy gives times that Python's types cannot hold as integers
        return TimeNumber(number, time)
    if time == "time of day":
        return moment.time()
    return moment.replace(tzinfo=UTC) if time == "datetime in UTC" else moment
