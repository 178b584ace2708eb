"""Numbers and times as floats, and floats as dates and times again.

Whole numbers that no float equals are refused, since two of them would become the same float.
"""

from collections.abc import Sequence
from datetime import UTC
from decimal import Decimal
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np
from attrs import evolve

from ftree._lib.messages import short_repr
from ftree.data.columns import Encoded
from ftree.data.missing_values import USUALLY_MISSING, masked_column, missing_among
from ftree.data.values import (
    FIRST_TIME,
    LAST_SECOND,
    LAST_TIME,
    TEMPORAL,
    Column,
    TimesInUTC,
    as_float,
    in_microseconds,
    is_number_array,
    is_time_array,
    number_or_time,
    python_value,
    seconds,
    time_family,
    time_in_text,
)
from ftree.tree.formats import MOST_SECONDS, TimeKind, TimeNumber
from ftree.tree.response import require_finite_target
from ftree.tree.schema import Feature

# Beyond this number, some whole numbers are not floats.
_EXACT = 2**53
# This many numbers of a few columns stay in the cache.
_BLOCK = 4096
_PYTHON_NUMBERS = {int, float, bool, type(None)}


def floats(name: str, values: Any, is_missing: missing_among) -> Column:
    """A numeric column as floats, NaN where a value is missing; a float64 or float32 array is not copied.

    Raises a ValueError that gives the row of a value that is not a number, or of a whole number that no float equals.

    >>> floats("age", [1, "2.5", None], missing_among([])).tolist()
    [1.0, 2.5, nan]
    """
    return _of_encoded(name, values, is_missing) if isinstance(values, Encoded) else _floats(name, values, is_missing)


def with_times(values: Any, is_missing: missing_among) -> Any:
    """A column of texts as dates or times of day if all that are known are, in ISO format and of one kind; else unchanged.

    >>> with_times(["2020-02-29", None], missing_among([])), with_times(["2020-02-29", "12:00"], missing_among([]))
    ([datetime.date(2020, 2, 29), None], ['2020-02-29', '12:00'])
    """
    encoded = isinstance(values, Encoded) and values.ordered is None
    texts = values.values if encoded else values if isinstance(values, (list, tuple)) else ()
    try:
        found = [text if is_missing(text) else time_in_text(text) for text in texts]
    except (TypeError, ValueError):  # no text, or another one
        return values
    if len({time_family(each) for each in found if not is_missing(each)}) != 1:
        return values
    return evolve(values, values=found) if encoded else found


def require_finite(names: Sequence[str], columns: Sequence[Column]) -> None:
    """Raise a ValueError that gives the row of infinity in a column of floats; other columns are skipped.

    Columns are checked together, some rows at a time, since the columns of an array are adjacent in memory.

    >>> require_finite(["age"], [np.array([1.0, -np.inf])])
    Traceback (most recent call last):
    ValueError: Numbers of 'age' must be finite, got -inf in row 1. Replace it by a number, or by NaN for missing.
    """
    numeric = [(name, column) for name, column in zip(names, columns, strict=True) if column.dtype.kind == "f"]
    with np.errstate(over="ignore", invalid="ignore"):
        for begin in range(0, len(numeric[0][1]) if numeric else 0, _BLOCK):
            for name, column in numeric:
                block = column[begin : begin + _BLOCK]
                # A sum is faster than a check of each number; it is finite unless a number is not, or numbers are very large.
                if not isfinite(block.sum()) and np.isinf(block).any():
                    row = begin + int(np.flatnonzero(np.isinf(block))[0])
                    got = f"{column[row]} in row {row}"
                    message = (
                        f"Numbers of {short_repr(name)} must be finite, got {got}. Replace it by a number, or by NaN for missing."
                    )
                    raise ValueError(message)


def measurements(name: str, values: Any, is_missing: missing_among = USUALLY_MISSING) -> Column:
    """A target of numbers as float64.

    Raises a ValueError that gives the row of a value that is missing, infinite, or not a number.

    >>> measurements("mpg", ["21", 18.5]).tolist()
    [21.0, 18.5]
    """
    column = floats(name, values, is_missing).astype(np.float64, copy=False)
    require_measurements(name, column)
    return column


def require_measurements(name: str, column: Column) -> None:
    """Raise a ValueError for a target of numbers that is not an array of floats, or has NaN or infinity.

    >>> require_measurements("mpg", np.array([21.0, np.nan]))
    Traceback (most recent call last):
    ValueError: The target 'mpg' must have a finite number in every row, got nan in row 1. Omit such rows.
    """
    if column.ndim != 1 or column.dtype != np.float64:
        got = f"{column.dtype} of shape {column.shape}"
        raise ValueError(f"The target {short_repr(name)} of numbers must be an array of float64, got {got}.")
    require_finite_target(name, column)


def _of_encoded(name: str, column: Encoded, is_missing: missing_among) -> Column:
    present = column.present()
    try:
        numbers = _floats(name, [column.values[code] for code in present], is_missing)
    except ValueError:
        return _floats(name, column.tolist(), is_missing)  # the message of its error gives the row
    table = np.full(len(column.values) + 1, np.nan)
    table[present] = numbers
    return column.take(table)


def _floats(name: str, values: Any, is_missing: missing_among) -> Column:
    column = masked_column(values, is_missing)
    if is_number_array(column):
        return _array_of_numbers(name, column)
    if is_time_array(column):
        return _array_of_times(column)
    numbers = _quick(column, is_missing)
    if numbers is not None:
        return numbers
    cells = [_number_or_time(name, row, value, is_missing) for row, value in enumerate(column)]
    if any(issubclass(kind, TEMPORAL) for kind in set(map(type, cells))):
        _check_one_family(name, cells)
        cells = list(map(seconds, cells))
    return np.array(cells, dtype=np.float64)


def _quick(listed: list[Any], is_missing: missing_among) -> Column | None:
    """A list of Python's numbers and None as floats, in a tenth of the time; None if the list holds anything else."""
    number_is_missing = any(isinstance(value, (Real, Decimal)) for value in is_missing.listed)
    if number_is_missing or not _PYTHON_NUMBERS.issuperset(map(type, listed)):
        return None
    try:
        numbers = np.array(listed, dtype=np.float64)
    except OverflowError:
        return None
    return None if (np.abs(numbers) >= _EXACT).any() else numbers


def _array_of_numbers(name: str, array: Column) -> Column:
    numbers = np.ma.getdata(array).astype(np.float32 if array.dtype == np.float32 else np.float64, copy=False)
    gaps = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    if array.dtype.kind != "f" or array.dtype.itemsize > numbers.dtype.itemsize:
        for row in np.flatnonzero((np.abs(numbers) >= _EXACT) & np.isfinite(numbers)).tolist():
            if (gaps is None or not gaps[row]) and int(numbers[row]) != int(array[row]):
                raise ValueError(_inexact(name, row, array[row].item()))
    return numbers if gaps is None or not gaps.any() else np.where(gaps, numbers.dtype.type(np.nan), numbers)


def _array_of_times(array: Column) -> Column:
    times = in_microseconds(np.ma.getdata(array))
    gaps = np.isnat(times) | np.ma.getmaskarray(array)
    if array.dtype.kind == "m":
        return np.where(gaps, np.nan, times.astype(np.int64) / 1e6)
    strange = array[~gaps & ((times < FIRST_TIME) | (times > LAST_TIME))]
    if strange.size:
        raise ValueError(f"Times must be within the years 1 to 9999, got {strange[0]}. Give them as numbers.")
    return np.where(gaps, np.nan, np.minimum(times.astype(np.int64) / 1e6, LAST_SECOND))


def _number_or_time(name: str, row: int, value: Any, is_missing: missing_among) -> Any:
    """A cell as a float, NaN where it is missing, or as a time."""
    try:
        if is_missing(value):
            return float("nan")
        known: Any = number_or_time(value) if isinstance(value, str) else value
        number = known if time_family(known) else as_float(known)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(_not_of(name, "numbers", row, value)) from None
    if isinstance(number, float) and _EXACT <= abs(number) < inf and number != known and int(known) == known:
        raise ValueError(_inexact(name, row, value))
    return number


def _check_one_family(name: str, cells: list[Any]) -> None:
    known = [(row, cell) for row, cell in enumerate(cells) if cell == cell]  # noqa: PLR0124  # NaN
    first = _family(known[0][1])
    for row, cell in known:
        if _family(cell) != first:
            raise ValueError(_not_of(name, first, row, cell))


def _family(cell: Any) -> str:
    return time_family(cell) or "numbers"


def _not_of(name: str, family: str, row: int, value: Any) -> str:
    remedy = "Give its kind as 'nominal', or list the value as missing."
    return f"Values of the numeric feature {short_repr(name)} must be {family}, got {short_repr(value)} in row {row}. {remedy}"


def _inexact(name: str, row: int, value: Any) -> str:
    got = f"{short_repr(value)} in row {row}"
    remedy = "Give its kind as 'nominal', or subtract the same number from all."
    return f"Whole numbers of {short_repr(name)} must be exact as floats, as all are up to 2**53, got {got}. {remedy}"


_DAY = 86400
_FAMILIES: dict[str, TimeKind] = {
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
            raise ValueError(f"Values of {short_repr(feature.name)} must be {TIMES_IN_WORDS[feature.time]}, got {got}.")


def may_stand_for(given: TimeKind | None, time: TimeKind | None) -> bool:
    """Whether times, or numbers of seconds (None), may be values of a feature; dates are times.

    >>> may_stand_for("date", "datetime"), may_stand_for(None, "date"), may_stand_for("date", None)
    (True, True, False)
    """
    return given in (None, time) or {given, time} == {"date", "datetime"}


def decoded_times(numbers: Column, time: TimeKind) -> list[Any]:
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
