"""A cell: as a plain Python value, whatever library holds it; whether it is missing; its family; numbers in texts.

Masked and null cells become None, and a library's scalars become the values that they represent. Missing are None, NaN, and
listed values.
"""

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.fields import is_iterable
from ftree._lib.messages import short_repr, type_of
from ftree.data.times import python_times, time_family, time_in_text
from ftree.tree.schema import is_hashable

Column: TypeAlias = npt.NDArray[Any]
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

    def among(self, values: set[Any]) -> set[Any]:
        """Those of distinct values that are missing.

        >>> missing_among(["?", -1]).among({"?", "a", -1.0, 0}) == {"?", -1}
        True
        """
        kinds = set(map(type, values)) - {str, int, bool}
        if kinds <= {float}:  # many numbers, or texts: no function is called for each
            return (values & self.listed) | ({value for value in values if value != value} if kinds else set())  # noqa: PLR0124
        return set(filter(self, values))

    def but(self, values: Iterable[Hashable]) -> "missing_among":
        """A function that does not count these values as missing: a declared value is a value.

        >>> missing_among(["?", "NA"]).but(["NA", "EU"]).listed
        frozenset({'?'})
        """
        kept = self.listed.difference(values)
        return self if len(kept) == len(self.listed) else missing_among(kept)

    def lists(self, *types: type) -> bool:
        """Whether a value of these types is listed; if none is, only None and its like are missing among such values.

        >>> missing_among(["?", -999]).lists(int, float), missing_among(["?"]).lists(int, float)
        (True, False)
        """
        return any(issubclass(kind, types) for kind in set(map(type, self.listed)))

    def masked(self, numbers: Any) -> Column:
        """An array of numbers, masked where it has a listed value; the same array if it has none.

        A listed number is compared in the array's own type, so that 0.1 is found among float32.

        >>> missing_among([0.1]).masked(np.array([0.1, 2], dtype=np.float32)).tolist()
        [None, 2.0]
        """
        array = numbers if isinstance(numbers, np.ma.MaskedArray) else np.asarray(numbers)
        wanted = [cast for value in self.listed for cast in _in_type(array.dtype, value)]
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


def python_values(values: Any) -> list[Any]:
    """A column as a list of Python values, without numpy or Arrow scalars; masked cells and signaling NaNs are None.

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
    if cell is np.ma.masked or (isinstance(cell, Decimal) and cell.is_snan()):  # which can be neither compared nor hashed
        return None
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return python_times(np.array([cell]))[0]
    if isinstance(cell, np.generic) or (isinstance(cell, np.ndarray) and not cell.ndim):
        return cell.item()
    as_py = getattr(cell, "as_py", None)  # a method of Arrow's scalars
    return cell if as_py is None else as_py()


def _listed(values: Any) -> list[Any]:
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        return python_times(values)
    for method in ("tolist", "to_pylist"):  # numpy and pandas, Arrow
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def _is_wrapped(kind: type) -> bool:
    return issubclass(kind, (np.generic, np.ndarray, Decimal)) or hasattr(kind, "as_py")


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


def is_ordered(values: Any) -> bool:
    """Whether an object holds ordered values: it is iterable, and not a text, set, mapping or array without dimensions.

    >>> is_ordered([1, 2]), is_ordered("ab"), is_ordered({1, 2}), is_ordered(3)
    (True, False, False, False)
    """
    return is_iterable(values) and not isinstance(values, (str, bytes, Mapping, set, frozenset, type))


def is_number(value: object) -> bool:
    """Whether a value is a number; True and False are not.

    >>> is_number(3), is_number(Decimal("0.5")), is_number(True), is_number("3")
    (True, True, False, False)
    """
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def family(value: Any) -> str:
    """The family to which a value belongs; a column of one family has the kind of the family.

    >>> family("a"), family(1.5), family(True), family((1, 2))
    ('text', 'numbers', 'booleans', 'other values')
    """
    if isinstance(value, bool):
        return "booleans"
    if is_number(value):
        return "numbers"
    return "text" if isinstance(value, str) else time_family(value) or "other values"


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
    values -= is_missing.among(values)  # in place, since a set takes more memory than its texts
    return values


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


# Only None, NaN and similar values; this rule applies to rows to predict.
ALWAYS_MISSING = missing_among(())
USUALLY_MISSING = missing_among(MISSING_WORDS)
_FIRST_CHARACTERS = "+-.0123456789"
# What files have for booleans, as pandas, polars and Arrow read them.
TRUTHS = {text: text.lower() == "true" for text in ("True", "TRUE", "true", "False", "FALSE", "false")}
_COMMAS_AS_POINTS = str.maketrans(",.", ".,")


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


def as_float(value: Any) -> float:
    """A number as a float.

    Raises a TypeError for anything else, including bytes and objects that can only be converted to numbers.

    >>> as_float(3)
    3.0
    """
    if not isinstance(value, (Real, Decimal)):
        raise TypeError
    return float(value)
