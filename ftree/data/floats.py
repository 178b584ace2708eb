"""Numeric columns as floats, from arrays of numbers or times, and from lists of numbers, times or texts of either.

Whole numbers that no float equals are refused, since two of them would become the same float.
"""

from collections.abc import Sequence
from decimal import Decimal
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree.data.encoded import Encoded
from ftree.data.missing_values import missing_among, plain_column
from ftree.data.numbers import as_float, number_or_time, seconds, time_family
from ftree.data.values import TEMPORAL, Column, in_microseconds, is_number_array, is_time_array

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
                    message = f"Numbers of {name!r} must be finite, got {got}. Replace it by a number, or by NaN for missing."
                    raise ValueError(message)


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
    column = plain_column(values, is_missing)
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
        cells = [seconds(cell) if isinstance(cell, TEMPORAL) else cell for cell in cells]
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
    if array.dtype.kind != "f":
        for row in np.flatnonzero(np.abs(numbers) >= _EXACT).tolist():
            if (gaps is None or not gaps[row]) and int(numbers[row]) != int(array[row]):
                raise ValueError(_inexact(name, row, array[row].item()))
    return numbers if gaps is None or not gaps.any() else np.where(gaps, numbers.dtype.type(np.nan), numbers)


def _array_of_times(array: Column) -> Column:
    times = in_microseconds(np.ma.getdata(array))
    gaps = np.isnat(times) | np.ma.getmaskarray(array)
    return np.where(gaps, np.nan, times.astype(np.int64) / 1e6)


def _number_or_time(name: str, row: int, value: Any, is_missing: missing_among) -> Any:
    """A cell as a float, NaN where it is missing, or as a time."""
    try:
        if is_missing(value):
            return float("nan")
        known: Any = number_or_time(value) if isinstance(value, str) else value
        number = known if time_family(known) else as_float(known)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(_not_of(name, "numbers", row, value)) from None
    if isinstance(number, float) and _is_another(known, number):
        raise ValueError(_inexact(name, row, value))
    return number


def _is_another(whole: Any, number: float) -> bool:
    """Whether a whole number changed when it became a float."""
    return _EXACT <= abs(number) < inf and number != whole and int(whole) == whole


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
    return f"Values of the numeric feature {name!r} must be {family}, got {short_repr(value)} in row {row}. {remedy}"


def _inexact(name: str, row: int, value: Any) -> str:
    got = f"{short_repr(value)} in row {row}"
    remedy = "Give its kind as 'nominal', or subtract the same number from all."
    return f"Whole numbers of {name!r} must be exact as floats, as all are up to 2**53, got {got}. {remedy}"
