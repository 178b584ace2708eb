"""Coding of columns that are read as numbers, and decoding.

Nominal and ordinal values become codes, their positions in `Feature.values`; -1 stands for a missing or undeclared value.
Numbers and times become floats; NaN stands for a missing value. Values that are equal in Python are one value. Whole numbers
that no float equals are refused, since two of them would become the same float.
"""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import compress
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from ftree._lib.messages import joined, short_repr
from ftree.data.columns import Encoded, ReadColumn, as_encoded, is_number_array, is_time_array, known_counts, read_column
from ftree.data.times import (
    TEMPORAL,
    TIME_KINDS,
    TIMES_IN_WORDS,
    TimesInUTC,
    array_in_seconds,
    decoded_times,
    may_stand_for,
    seconds,
    time_family,
)
from ftree.data.values import TRUTHS, USUALLY_MISSING, Column, as_float, missing_among, number_or_time, python_values
from ftree.tree.formats import TimeKind
from ftree.tree.response import require_finite_target
from ftree.tree.schema import Feature, codes_of_texts, codes_of_values, is_hashable, names_of, printed

# Beyond this number, some whole numbers are not floats.
_EXACT = 2**53
# This many numbers of a few columns stay in the cache.
_BLOCK = 4096
_DAY = 86400
_PYTHON_NUMBERS = {int, float, bool, type(None)}


def encode(feature: Feature, values: Any, is_missing: missing_among) -> Column:
    """Values as codes (smallest signed integers, -1 for missing or undeclared) or as floats (NaN for missing).

    A value that the feature declares is not missing. One that it does not declare is the only one that prints alike, such as True
    for the text "True". A float64 or float32 array of a numeric feature is not copied.

    Raises a ValueError that gives the row for text or infinity in a numeric column; and for a value that prints
    like several declared ones.

    >>> encode(Feature("windy", "nominal", (False, True)), [True, "True", None, "storm"], missing_among([])).tolist()
    [1, 1, -1, -1]
    """
    return encode_all([feature], [values], is_missing)[0]


def encode_all(features: Sequence[Feature], columns: Sequence[Any], is_missing: missing_among) -> tuple[Column, ...]:
    """`encode` for each feature and its column.

    >>> encode_all([Feature("age", "numeric"), Feature("ill", "nominal", ("no", "yes"))], [[20], ["yes"]], missing_among([]))
    (array([20.]), array([1], dtype=int8))
    """
    coded = encode_unchecked(features, columns, is_missing)
    require_finite(names_of(features), coded)
    return coded


def encode_unchecked(features: Sequence[Feature], columns: Sequence[Any], is_missing: missing_among) -> tuple[Column, ...]:
    """`encode_all`, but infinity is allowed in numeric columns.

    >>> encode_unchecked([Feature("age", "numeric")], [[float("inf")]], missing_among([]))
    (array([inf]),)
    """
    return tuple(
        floats(feature.name, column, is_missing)
        if feature.kind == "numeric"
        else _codes(feature, column, is_missing.but(feature.values))
        for feature, column in zip(features, columns, strict=True)
    )


def decode(feature: Feature, column: Column) -> list[Any]:
    """Raw values of a column of codes or floats, None where missing.

    >>> decode(Feature("windy", "nominal", (False, True)), np.array([1, -1]))
    [True, None]
    """
    if feature.time is not None:
        return decoded_times(column, feature.time)
    if feature.kind == "numeric":
        return [None if number != number else number for number in column.tolist()]  # noqa: PLR0124  # NaN
    return [None if code < 0 else feature.values[code] for code in column.tolist()]


def array_of_labels(labels: Sequence[Hashable]) -> Column:
    """Labels as an array, of objects unless they are booleans, integers or floats.

    >>> array_of_labels((1, 2)), array_of_labels((1, "a"))
    (array([1, 2]), array([1, 'a'], dtype=object))
    """
    if set(map(type, labels)) in ({bool}, {int}, {float}):
        return np.array(labels)
    return np.fromiter(labels, object, len(labels))


def smallest_integers(codes: Any, n_values: int) -> Column:
    """Codes in the smallest signed integers that hold them.

    >>> smallest_integers([0, -1, 200], 201).dtype.name
    'int16'
    """
    return np.asarray(codes, dtype=np.min_scalar_type(-max(n_values, 1)))


def _codes(feature: Feature, values: Any, is_missing: missing_among) -> Column:
    encoded = as_encoded(read_column(values), is_missing)
    unknown = feature.values.index(None) if None in feature.values else -1
    if unknown < 0 and (in_turn := _codes_in_turn(feature, encoded, is_missing)) is not None:
        return in_turn
    known = known_counts(feature.name, encoded, is_missing)
    table = [code_of(feature, value) if is_hashable(value) and value in known else unknown for value in encoded.values]
    return encoded.take(smallest_integers([*table, unknown], len(feature.values)))


def _codes_in_turn(feature: Feature, column: Encoded, is_missing: missing_among) -> Column | None:
    """The codes where the column's known values are the feature's, in order: so a dictionary of many texts is not needed."""
    known = np.array([not is_missing(value) for value in column.values], np.bool_)
    in_turn = tuple(compress(column.values, known))
    if not is_hashable(in_turn) or in_turn != feature.values:  # arrays among the values cannot be compared
        return None
    return column.take(smallest_integers(np.append(np.where(known, np.cumsum(known) - 1, -1), -1), len(feature.values)))


def code_of(feature: Feature, value: Hashable) -> int:
    """The code of a value, or of the only value that prints as it does; -1 if there is none.

    Raises a ValueError if several values print so.

    >>> windy = Feature("windy", "nominal", (False, True))
    >>> code_of(windy, True), code_of(windy, "True"), code_of(windy, "yes")
    (1, 1, -1)
    """
    code = codes_of_values(feature).get(value)
    if code is not None:
        return code
    alike = codes_alike(feature, value)
    if len(alike) > 1:
        shown = joined(short_repr(feature.values[code]) for code in alike)
        raise ValueError(
            f"A value of {short_repr(feature.name)} must match one value, got {short_repr(value)}, which matches {shown}."
        )
    return alike[0] if alike else -1


def codes_alike(feature: Feature, value: Any) -> list[int]:
    """The codes of the values that print as a value does; a text that files have for a boolean prints as it.

    >>> codes_alike(Feature("windy", "nominal", (False, True)), "TRUE")
    [1]
    """
    text, known = printed(value), codes_of_texts(feature)
    return known.get(text) or known.get(str(TRUTHS.get(text, text)), []) if text else []


def floats(name: str, values: Any, is_missing: missing_among) -> Column:
    """A numeric column as floats, NaN where a value is missing; a float64 or float32 array is not copied.

    Raises a ValueError that gives the row of a value that is not a number, or of a whole number that no float equals.

    >>> floats("age", [1, "2.5", None], missing_among([])).tolist()
    [1.0, 2.5, nan]
    """
    column = read_column(values)
    if is_number_array(column):
        return _array_of_numbers(name, is_missing.masked(column))
    if is_time_array(column) and not is_missing.lists(*TEMPORAL):
        return array_in_seconds(np.asanyarray(column))
    encoded = as_encoded(column)
    if len(encoded.values) < len(encoded):  # each distinct value is read once
        with suppress(ValueError):  # its message gives the row, below
            present = encoded.present()
            table = np.full(len(encoded.values) + 1, np.nan)
            table[present] = _numbers_of_cells(name, [encoded.values[code] for code in present], is_missing)
            return encoded.take(table)
    return _numbers_of_cells(name, encoded.tolist(), is_missing)


def _numbers_of_cells(name: str, cells: list[Any], is_missing: missing_among) -> Column:
    numbers = _quick(cells, is_missing)
    if numbers is not None:
        return numbers
    found = [_number_or_time(name, row, value, is_missing) for row, value in enumerate(cells)]
    if any(issubclass(kind, TEMPORAL) for kind in set(map(type, found))):
        _check_one_family(name, found)
        found = list(map(seconds, found))
    return np.array(found, dtype=np.float64)


def _quick(listed: list[Any], is_missing: missing_among) -> Column | None:
    """A list of Python's numbers and None as floats, in a tenth of the time; None if the list holds anything else."""
    if is_missing.lists(Real, Decimal) or not _PYTHON_NUMBERS.issuperset(map(type, listed)):
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
    remedy = "Convert it, list it as missing, or make the dataset with the kind 'nominal'."
    return f"Values of the numeric feature {short_repr(name)} must be {family}, got {short_repr(value)} in row {row}. {remedy}"


def _inexact(name: str, row: int, value: Any) -> str:
    got = f"{short_repr(value)} in row {row}"
    remedy = "Give its kind as 'nominal', or subtract the same number from all."
    return f"Whole numbers of {short_repr(name)} must be exact as floats, as all are up to 2**53, got {got}. {remedy}"


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

    Raises a ValueError that gives the row of a value that is missing, infinite, not a number, or a date.

    >>> measurements("mpg", ["21", 18.5]).tolist()
    [21.0, 18.5]
    """
    column = amounts(name, values, is_missing)
    require_measurements(name, column)
    return column


def amounts(name: str, values: Any, is_missing: missing_among) -> Column:
    """Numbers of which nodes have sums, as float64, NaN where one is missing; durations are seconds.

    Raises the errors of `floats`, and a ValueError for dates and times of day, whose sums mean nothing.

    >>> from datetime import date, timedelta
    >>> amounts("stay", [timedelta(minutes=2), None], missing_among([])).tolist()
    [120.0, nan]
    >>> amounts("end", [date(2020, 2, 29)], missing_among([]))
    Traceback (most recent call last):
    ValueError: 'end' must be numbers or durations, got datetime.date(2020, 2, 29) in row 0. Subtract a date first.
    """
    column = read_column(values)
    found = floats(name, column, is_missing).astype(np.float64, copy=False)
    known = ~np.isnan(found)
    if not is_number_array(column) and known.any() and _kind_of_times(column, known) not in (None, "duration"):
        row = int(known.argmax())
        got = f"{short_repr(python_values(column)[row])} in row {row}"
        raise ValueError(f"{short_repr(name)} must be numbers or durations, got {got}. Subtract a date first.")
    return found


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


def time_kind(column: ReadColumn, numbers: Column) -> TimeKind | None:
    """The kind of time for which the numbers of a column that is read stand; times that are all midnights are dates.

    None stands for plain numbers.

    >>> from datetime import date, timedelta
    >>> column = read_column([None, date(2020, 2, 29)])
    >>> time_kind(column, np.array([np.nan, 1582934400.0])), time_kind(read_column([timedelta(1)]), np.array([86400.0]))
    ('date', 'duration')
    """
    if is_number_array(column):
        return None
    known = ~np.isnan(numbers)
    found = _kind_of_times(column, known)
    return "date" if found == "datetime" and not (numbers[known] % _DAY).any() else found


def _kind_of_times(column: ReadColumn, known: Column) -> TimeKind | None:
    if isinstance(column, TimesInUTC):
        return "datetime in UTC"
    if is_time_array(column):
        return "duration" if column.dtype.kind == "m" else "datetime"
    if not known.any():
        return None
    encoded = as_encoded(column)
    cell = encoded.values[encoded.codes[known.argmax()]]
    family = time_family(number_or_time(cell) if isinstance(cell, str) else cell)
    return None if family is None else TIME_KINDS[family]


def check_times(features: Sequence[Feature], given: Sequence[ReadColumn], columns: Sequence[Column]) -> None:
    """Raise a ValueError for times where a numeric feature's numbers stand for another kind of time, or for plain numbers.

    >>> from datetime import time
    >>> check_times([Feature("born", "numeric", time="date")], [read_column([time(3)])], [np.array([10800.0])])
    Traceback (most recent call last):
    ValueError: Values of 'born' must be dates, such as '2020-02-29', got datetime.time(3, 0) in row 0.
    """
    for feature, column, coded in zip(features, given, columns, strict=True):
        known = np.zeros(0) if feature.kind != "numeric" or is_number_array(column) else ~np.isnan(coded)
        if known.any() and not may_stand_for(_kind_of_times(column, known), feature.time):
            row = int(known.argmax())
            got = f"{short_repr(python_values(column)[row])} in row {row}"
            raise ValueError(f"Values of {short_repr(feature.name)} must be {TIMES_IN_WORDS[feature.time]}, got {got}.")
