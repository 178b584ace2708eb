"""Cells of columns as plain Python values, whatever library holds them.

Masked and null cells become None, and a library's scalars become the values that they represent.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from datetime import UTC, date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree._lib.messages import short_repr

Column: TypeAlias = npt.NDArray[Any]

# Dates with times of day are dates too.
TEMPORAL = (date, time, timedelta)
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
        message = f"{name!r} must be a column of one dimension, got shape {shape}."
        raise ValueError(message)
    if not is_ordered(values):
        message = f"{name!r} must be a column (a list, an array or a series), got {short_repr(values)}."
        raise TypeError(message)
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
        message = (
            f"Durations must have a unit of fixed length, from weeks to microseconds, got {unit!r}. Convert them beforehand."
        )
        raise ValueError(message)
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
    has_items = isinstance(values, Iterable) and getattr(values, "shape", None) != ()
    return has_items and not isinstance(values, (str, bytes, Mapping, set, frozenset, type))


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
    except TypeError:
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
        message = f"Times must be within the years 1 to 9999, got {array[strange[0]]}. Give the kind as 'numeric'."
        raise ValueError(message)
    return listed


def _is_wrapped(kind: type) -> bool:
    return issubclass(kind, (np.generic, np.ndarray)) or hasattr(kind, "as_py")


def _dtype_kind(values: Any) -> str:
    dtype = getattr(values, "dtype", None)
    return dtype.kind if isinstance(dtype, np.dtype) else "O"
