"""A cell as a plain Python value, whatever library holds it; numbers and times in texts; the order of values.

Masked and null cells become None, and a library's scalars become the values that they represent.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree._lib.fields import is_iterable
from ftree._lib.messages import short_repr

Column: TypeAlias = npt.NDArray[Any]
# Dates with times of day are dates too.
TEMPORAL = (date, time, timedelta)
# The times that Python has; the float nearest to the last one is in the year 10000, so it becomes the float before.
FIRST_TIME, LAST_TIME = np.datetime64("0001-01-01", "us"), np.datetime64("9999-12-31T23:59:59.999999", "us")
LAST_SECOND = float(np.nextafter(253_402_300_800.0, 0))
_DAYS = {"Y", "M", "W", "D"}
_NO_FIXED_LENGTH = {"Y", "M", "generic"}


@frozen(eq=False)
class TimesInUTC:
    """Times with a time zone, as a NumPy array of times in UTC."""

    times: Column

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the array."""
        return self.times.dtype

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.times)

    def __iter__(self) -> Iterator[Any]:
        """The times as Python's, in UTC; None where missing."""
        return iter(self.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Column:  # noqa: FBT001  # numpy's protocol
        """The array itself."""
        array = np.asarray(self.times, dtype=dtype)
        return array.copy() if copy and array is self.times else array

    def tolist(self) -> list[Any]:
        """The times as Python's, in UTC; None where missing."""
        listed = in_microseconds(self.times).tolist()
        return [None if each is None else each.replace(tzinfo=UTC) for each in listed]


def as_column(name: str, values: Any) -> Any:
    """Values of one column: unchanged, or as a list if they have no length.

    Raises a TypeError for a set, a text or anything not iterable, a ValueError for more dimensions than one.

    >>> as_column("age", iter([1, 2]))
    [1, 2]
    """
    shape = getattr(values, "shape", (0,))
    if isinstance(shape, tuple) and len(shape) != 1:
        raise ValueError(f"{short_repr(name)} must be a column of one dimension, got shape {shape}.")
    if not is_ordered(values):
        raise TypeError(f"{short_repr(name)} must be a column (a list, an array or a series), got {short_repr(values)}.")
    return values if hasattr(values, "__len__") else list(values)


def python_values(values: Any) -> list[Any]:
    """A column as a list of Python values, without numpy or Arrow scalars; masked cells are None.

    >>> python_values([np.int64(1), np.str_("a")]), python_values(np.ma.array([1, 2], mask=[False, True]))
    ([1, 'a'], [1, None])
    """
    listed = _listed(values)
    return list(map(python_value, listed)) if any(map(_is_wrapped, set(map(type, listed)))) else listed


def python_value(cell: Any) -> Any:
    """One cell as a Python value.

    >>> python_value(np.float64(1.5)), python_value(np.ma.masked), python_value("a")
    (1.5, None, 'a')
    """
    if cell is np.ma.masked:
        return None
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return _python_times(np.array([cell]))[0]
    if isinstance(cell, np.generic) or (isinstance(cell, np.ndarray) and not cell.ndim):
        return cell.item()
    as_py = getattr(cell, "as_py", None)  # a method of Arrow's scalars
    return cell if as_py is None else as_py()


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


def is_ordered(values: Any) -> bool:
    """Whether an object holds ordered values: it is iterable, and not a text, set, mapping or array without dimensions.

    >>> is_ordered([1, 2]), is_ordered("ab"), is_ordered({1, 2}), is_ordered(3)
    (True, False, False, False)
    """
    return is_iterable(values) and not isinstance(values, (str, bytes, Mapping, set, frozenset, type))


def is_number_array(values: Any) -> bool:
    """Whether values are a numpy array (or a series that holds one) of integers or floats.

    >>> is_number_array(np.array([1.5])), is_number_array(np.array([True])), is_number_array([1.5])
    (True, False, False)
    """
    return _dtype_kind(values) in "iuf"


def is_time_array(values: Any) -> bool:
    """Whether values are a numpy array (or a series that holds one) of times or durations.

    >>> is_time_array(np.array(["2020-01-01"], "M8[D]")), is_time_array(np.array([1]))
    (True, False)
    """
    return _dtype_kind(values) in "mM"


def is_number(value: object) -> bool:
    """Whether a value is a number; True and False are not.

    >>> is_number(3), is_number(Decimal("0.5")), is_number(True), is_number("3")
    (True, True, False, False)
    """
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def numpy_floats(values: Any) -> Column | None:
    """A list of numpy's float32 or float16, with None where missing, as an array; None for anything else.

    >>> numpy_floats([np.float32(0.5)]), numpy_floats([0.5])
    (array([0.5], dtype=float32), None)
    """
    kinds = set(map(type, values)) - {type(None)} if isinstance(values, (list, tuple)) else set()
    return np.array(values, dtype=kinds.pop()) if kinds in ({np.float32}, {np.float16}) else None


def in_order(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Sorted values; sorted by type and text when they cannot be compared.

    >>> in_order({3, 1, 2}), in_order({"b", 1, "a"})
    ((1, 2, 3), (1, 'a', 'b'))
    """
    listed = list(values)
    try:
        return tuple(sorted(listed))  # type: ignore[type-var]  # values that cannot be compared raise an error, which is caught
    except (TypeError, ValueError):  # a comparison with a tuple of arrays has no truth
        return tuple(sorted(listed, key=lambda value: (type(value).__name__, str(value))))


def _listed(values: Any) -> list[Any]:
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        return _python_times(values)
    for method in ("tolist", "to_pylist"):  # numpy and pandas, Arrow
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def _python_times(array: Any) -> list[Any]:
    """NumPy's dates as dates, its times as times; None for NaT and masked cells."""
    whole_days = array.dtype.kind == "M" and np.datetime_data(array.dtype)[0] in _DAYS
    listed: list[Any] = (array if whole_days else in_microseconds(array)).tolist()
    strange = [place for place, value in enumerate(listed) if isinstance(value, int)]
    if strange:
        raise ValueError(f"Times must be within the years 1 to 9999, got {array[strange[0]]}. Give them as numbers.")
    return listed


def _is_wrapped(kind: type) -> bool:
    return issubclass(kind, (np.generic, np.ndarray)) or hasattr(kind, "as_py")


def _dtype_kind(values: Any) -> str:
    dtype = getattr(values, "dtype", None)
    return dtype.kind if isinstance(dtype, np.dtype) else "O"


_TIME_OF_DAY = r"\d\d:\d\d(:\d\d([.,]\d{1,6})?)?"
_ISO = re.compile(rf"(?P<day>\d{{4}}-\d\d-\d\d)([T ]{_TIME_OF_DAY}(Z|[+-]\d\d(:?\d\d)?)?)?|{_TIME_OF_DAY}", re.ASCII)
_FIRST_CHARACTERS = "+-.0123456789"
# What files have for booleans, as pandas, polars and Arrow read them.
TRUTHS = {text: text.lower() == "true" for text in ("True", "TRUE", "true", "False", "FALSE", "false")}
_COMMAS_AS_POINTS = str.maketrans(",.", ".,")
_SECOND = timedelta(seconds=1)


def whole_in_text(text: str) -> int:
    """A text as a whole number; digits joined by underscores are refused, since they are a name.

    Raises a ValueError for any other text.

    >>> whole_in_text("-12")
    -12
    """
    return int(_ascii(text))


def number_in_text(text: str, decimal: str = ".") -> float:
    """A text as a number, with a point or a comma before its decimals.

    Raises a ValueError for any other text.

    >>> number_in_text("12"), number_in_text("1e3"), number_in_text("2,5", ",")
    (12.0, 1000.0, 2.5)
    """
    digits = _ascii(text if decimal == "." else text.translate(_COMMAS_AS_POINTS))
    return float(digits) + 0.0  # minus zero becomes zero, as for whole numbers


def _ascii(text: str) -> str:
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return text


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


def number_or_time(text: str) -> Any:
    """A text as a number, or else as a date or a time.

    Raises a ValueError for any other text.
    """
    for parse in (whole_in_text, number_in_text):
        try:
            return parse(text)
        except ValueError:
            continue
    return time_in_text(text.strip())


def reads_as_number(text: str) -> bool:
    """Whether a text is a number, or a date or a time in ISO format.

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
    return min((value - datetime(1970, 1, 1, tzinfo=None if value.tzinfo is None else UTC)) / _SECOND, LAST_SECOND)


def as_float(value: Any) -> float:
    """A number as a float.

    Raises a TypeError for anything else, including bytes and objects that can only be converted to numbers.

    >>> as_float(3)
    3.0
    """
    if not isinstance(value, (Real, Decimal)):
        raise TypeError
    return float(value)
