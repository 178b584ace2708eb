"""What the numbers of a numeric column stand for: dates, times of one kind, or plain numbers."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree.data.encoded import Encoded
from ftree.data.numbers import number_or_time, time_family
from ftree.data.values import Column, TimesInUTC, is_number_array, is_time_array, python_value
from ftree.tree.schema import Feature
from ftree.tree.times import MOST_SECONDS, TimeKind, TimeNumber

_DAY = 86400
# NumPy lists these as Python's dates, times and durations.
_UNITS: dict[TimeKind, str] = {
    "date": "M8[D]",
    "datetime": "M8[us]",
    "datetime in UTC": "M8[us]",
    "time of day": "M8[us]",
    "duration": "m8[us]",
}
_FAMILIES: dict[str, TimeKind] = {
    "dates": "datetime",
    "dates with a time zone": "datetime in UTC",
    "times of day": "time of day",
    "durations": "duration",
}
_EXAMPLES: dict[TimeKind | None, str] = {
    None: "numbers",
    "date": "dates, such as '2020-02-29'",
    "datetime": "dates or times, such as '2020-02-29 12:00'",
    "datetime in UTC": "times with a time zone, such as '2020-02-29 12:00+01:00'",
    "time of day": "times of day, such as datetime.time(12)",
    "duration": "durations, such as datetime.timedelta(hours=1)",
}


def time_kind(values: Any, numbers: Column) -> TimeKind | None:
    """The kind of time for which a column's numbers stand, None for plain numbers; times that are all midnights are dates.

    >>> from datetime import date, timedelta
    >>> time_kind([None, date(2020, 2, 29)], np.array([np.nan, 1582934400.0])), time_kind([timedelta(1)], np.array([86400.0]))
    ('date', 'duration')
    """
    if is_number_array(values):
        return None
    known = ~np.isnan(numbers)
    found = _sort(values, known)
    return "date" if found == "datetime" and not (numbers[known] % _DAY).any() else found


def _sort(values: Any, known: Column) -> TimeKind | None:
    if isinstance(values, TimesInUTC):
        return "datetime in UTC"
    if is_time_array(values):
        return "duration" if values.dtype.kind == "m" else "datetime"
    if not known.any():
        return None
    row = int(known.argmax())
    cell = values.values[values.codes[row]] if isinstance(values, Encoded) else python_value(values[row])
    family = time_family(number_or_time(cell) if isinstance(cell, str) else cell)
    return None if family is None else _FAMILIES[family]


def check_times(features: Sequence[Feature], given: Sequence[Any], columns: Sequence[Column]) -> None:
    """Raise a ValueError for times where a numeric feature's numbers stand for another kind of time, or for plain numbers.

    >>> from datetime import time
    >>> check_times([Feature("born", "numeric", time="date")], [[time(3)]], [np.array([10800.0])])
    Traceback (most recent call last):
    ValueError: Values of 'born' must be dates, such as '2020-02-29', got datetime.time(3, 0) in row 0.
    """
    for feature, values, column in zip(features, given, columns, strict=True):
        if feature.kind != "numeric" or is_number_array(values):
            continue
        known = ~np.isnan(column)
        if not may_stand_for(_sort(values, known), feature.time):
            row = int(known.argmax())
            got = f"{short_repr(list(values)[row])} in row {row}"
            message = f"Values of {feature.name!r} must be {_EXAMPLES[feature.time]}, got {got}."
            raise ValueError(message)


def may_stand_for(given: TimeKind | None, time: TimeKind | None) -> bool:
    """Whether times, or numbers of seconds (None), may be values of a feature; dates are times.

    >>> may_stand_for("date", "datetime"), may_stand_for(None, "date"), may_stand_for("date", None)
    (True, True, False)
    """
    return given in (None, time) or {given, time} == {"date", "datetime"}


def time_in_words(time: TimeKind | None) -> str:
    """The kind of time for which numbers stand, in the plural and with an example.

    >>> time_in_words("date")
    "dates, such as '2020-02-29'"
    """
    return _EXAMPLES[time]


def decoded_times(numbers: Column, time: TimeKind) -> list[Any]:
    """Numbers as the Python objects for which they stand, None for NaN; as `TimeNumber` where Python's types cannot hold them.

    >>> decoded_times(np.array([86400.0, np.nan, 316516204800.0]), "date")
    [datetime.date(1970, 1, 2), None, 12000-01-01]
    """
    out_of_reach = ~(np.abs(numbers) < MOST_SECONDS)
    microseconds = np.where(out_of_reach, 0, np.rint(numbers * 1e6)).astype(np.int64)
    listed = microseconds.view("m8[us]" if time == "duration" else "M8[us]").astype(_UNITS[time]).tolist()
    return [_decoded(*each, time) for each in zip(listed, numbers.tolist(), out_of_reach.tolist(), strict=True)]


def _decoded(moment: Any, number: float, out_of_reach: bool, time: TimeKind) -> Any:  # noqa: FBT001  # private
    if number != number:  # noqa: PLR0124  # NaN
        return None
    if out_of_reach or isinstance(moment, int):  # NumPy gives times that Python's types cannot hold as integers
        return TimeNumber(number, time)
    if time == "time of day":
        return moment.time()
    return moment.replace(tzinfo=UTC) if time == "datetime in UTC" else moment
