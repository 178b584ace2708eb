"""The values of a column that mean missing: None, NaN, masked and null cells, and listed values; and those that are known."""

import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.fields import is_iterable
from ftree._lib.messages import short_repr, type_of
from ftree.data.columns import Encoded
from ftree.data.values import (
    TEMPORAL,
    Column,
    is_number,
    is_number_array,
    is_ordered,
    is_time_array,
    numpy_floats,
    python_values,
    time_family,
)
from ftree.tree.schema import is_hashable

# The usual words for a missing value in a text; they mean missing unless a table lists other words.
MISSING_WORDS = ("?", "", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "NaT", "NULL", "Null", "null")


def _as_listed(missing: Any) -> frozenset[Hashable]:
    several = not isinstance(missing, (str, bytes)) and is_iterable(missing)
    values = (python_values(missing) if is_ordered(missing) else list(missing)) if several else [missing]
    if not (several or isinstance(missing, (str, bytes))) or not all(map(is_hashable, values)):
        message = f"missing must be a list of the values that mean missing, such as ['?', -999], got {short_repr(missing)}."
        raise TypeError(message)
    return frozenset(values)


@frozen
class missing_among:
    """A function that tells whether a value is missing: None, NaN, pandas' NA, or a listed value.

    A text instead of a list is one value.

    >>> is_missing = missing_among(["?"])
    >>> [is_missing(value) for value in (None, float("nan"), "?", 0)]
    [True, True, True, False]
    """

    listed: frozenset[Hashable] = field(converter=_as_listed)

    def __call__(self, value: Any) -> bool:
        """Whether the value is missing."""
        if value is None or type(value).__name__ in {"NAType", "NaTType", "MaskedConstant"}:
            return True
        # NaN is the only number that does not equal itself.
        if isinstance(value, (float, np.generic)) and bool(value != value):  # noqa: PLR0124
            return True
        if isinstance(value, Decimal) and value.is_nan():  # a signaling NaN cannot be compared
            return True
        try:
            return value in self.listed
        except TypeError:  # a value that cannot be hashed
            return False

    def but(self, values: Iterable[Hashable]) -> "missing_among":
        """A function that does not count these values as missing: a declared value is a value.

        >>> missing_among(["?", "NA"]).but(["NA", "EU"]).listed
        frozenset({'?'})
        """
        kept = self.listed.difference(values)
        return self if len(kept) == len(self.listed) else missing_among(kept)


# Only None, NaN and similar values; this rule applies to rows to predict.
ALWAYS_MISSING = missing_among(())
USUALLY_MISSING = missing_among(MISSING_WORDS)


def masked_column(values: Any, is_missing: missing_among) -> Any:
    """An array of numbers, masked where it has a listed value, an array of times, or else a list of Python values.

    >>> masked_column(np.array([-999, 1]), missing_among([-999])).tolist(), masked_column((1, "a"), missing_among([]))
    ([None, 1], [1, 'a'])
    """
    array = values if is_number_array(values) else numpy_floats(values)
    if array is not None:
        return numbers_or_masked(array, is_missing.listed)
    if is_time_array(values) and not any(isinstance(value, TEMPORAL) for value in is_missing.listed):
        return np.asanyarray(values)
    return python_values(values)


def numbers_or_masked(numbers: Any, listed: Iterable[Hashable]) -> Column:
    """An array of numbers, masked where it has one of the listed values; the same array if it has none.

    A listed number is compared in the array's own type, so that 0.1 is found among float32.

    >>> numbers_or_masked(np.array([0.1, 2], dtype=np.float32), [0.1]).tolist()
    [None, 2.0]
    """
    array = numbers if isinstance(numbers, np.ma.MaskedArray) else np.asarray(numbers)
    wanted = [cast for value in listed for cast in _in_type(array.dtype, value)]
    if not wanted:
        return array
    gaps: npt.NDArray[np.bool_] = np.isin(np.ma.getdata(array), wanted)
    return np.ma.array(array, mask=gaps | np.ma.getmaskarray(array)) if gaps.any() else array


def _in_type(dtype: np.dtype[Any], value: Any) -> list[Any]:
    """The value as a number of that type, in a list; an empty list if it is not a number, or not one that the type can hold."""
    if not isinstance(value, (int, float, Fraction, Decimal)) or value != value:  # noqa: PLR0124  # NaN is missing anyway
        return []
    number: Any = value
    if dtype.kind != "f":
        bounds = np.iinfo(dtype)
        return [dtype.type(int(number))] if bounds.min <= number <= bounds.max and int(number) == number else []
    if not abs(number) <= sys.float_info.max or float(number) != number:
        return [number] if isinstance(number, float) else []
    with np.errstate(over="ignore"):
        cast = dtype.type(number)
    return [] if np.isinf(cast) else [cast]


def known_counts(name: str, values: Any, is_missing: missing_among) -> dict[Hashable, int]:
    """The number of rows of each known value of a column.

    >>> known_counts("x", [1, True, "?"], missing_among(["?"]))
    {True: 2}
    """
    if isinstance(values, Encoded) and set(map(type, values.values)) == {str}:
        counts = values.counts()
        for text in list(filter(is_missing, counts)):
            del counts[text]
        return counts
    if isinstance(values, Encoded):
        known = known_values(name, [values.values[code] for code in values.present()], is_missing)
        counts = values.counts()
    else:
        listed = python_values(masked_column(values, is_missing))
        known = known_values(name, listed, is_missing)
        counts = Counter(listed)
    return {value: counts[value] for value in known}


def known_values(name: str, listed: Sequence[Any], is_missing: missing_among) -> set[Hashable]:
    """Distinct known values; of equal ones, such as True and 1, always the same one whatever the order of rows.

    Raises a TypeError for a value that is not hashable.

    >>> known_values("x", [1, True, "?"], missing_among(["?"]))
    {True}
    """
    kinds = set(map(type, listed))
    if bytes in kinds:
        cell = next(value for value in listed if isinstance(value, bytes))
        raise TypeError(
            f"Values of {short_repr(name)} must be text, numbers or times, got bytes: {short_repr(cell)}. Decode them to text."
        )
    try:
        values = set(sorted(listed, key=lambda value: type(value).__name__) if len(kinds) > 1 else listed)
    except TypeError:
        cell = next(value for value in listed if not is_hashable(value))
        got = f"{type_of(cell)}: {short_repr(cell)}"
        raise TypeError(f"Values of {short_repr(name)} must be hashable (text, numbers, booleans, tuples), got {got}.") from None
    values.difference_update(list(filter(is_missing, values)))  # in place, since a set takes more memory than its texts
    return values


def family(value: Any) -> str:
    """The family to which a value belongs; a column of one family has the kind of the family.

    >>> family("a"), family(1.5), family(True), family((1, 2))
    ('text', 'numbers', 'booleans', 'other values')
    """
    if isinstance(value, bool):
        return "booleans"
    if is_number(value):
        return "numbers"
    return time_family(value) or ("text" if isinstance(value, str) else "other values")
