"""Raw values to columns of numbers, and back.

Nominal and ordinal values become codes, their positions in `Feature.values`; -1 stands for a missing or undeclared
value. Numbers become floats; NaN stands for a missing value. Values that are equal in Python are one value.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.messages import joined, short_repr, type_of
from ftree.tree.schema import Feature, Kind, is_hashable

Column: TypeAlias = npt.NDArray[Any]
# A kind as users give it: by name, or, for an ordinal feature, as its values in order. None: inferred from the values.
KindChoice: TypeAlias = "Kind | Sequence[Hashable] | None"

_KINDS = ("nominal", "ordinal", "numeric")


def _listed(missing: Any) -> frozenset[Hashable]:
    values = [missing] if isinstance(missing, str) else missing
    if not isinstance(values, Iterable) or not all(map(is_hashable, values)):
        message = f"missing must be a list of the values that stand for missing, such as ['?', -999], got {short_repr(missing)}."
        raise TypeError(message)
    return frozenset(values)


@frozen
class missing_among:
    """A function that tells whether a value is missing: None, NaN, pandas' NA, or a listed value.

    A text in place of a list is one value.

    >>> is_missing = missing_among(["?"])
    >>> [is_missing(value) for value in (None, float("nan"), "?", 0)]
    [True, True, True, False]
    """

    listed: frozenset[Hashable] = field(converter=_listed)

    def __call__(self, value: Any) -> bool:
        """Whether the value is missing."""
        if value is None or type(value).__name__ in {"NAType", "NaTType"}:
            return True
        # NaN is the only number that does not equal itself.
        return (isinstance(value, (float, Decimal, np.generic)) and bool(value != value)) or value in self.listed  # noqa: PLR0124


def as_column(name: str, values: Any) -> Any:
    """Values of one column: unchanged, or as a list when they have no length.

    Raises a TypeError for a set, a text or what has no items, a ValueError for more dimensions than one.

    >>> as_column("age", iter([1, 2]))
    [1, 2]
    """
    if not is_ordered(values):
        message = f"{name!r} must be a column (a list, an array or a series), got {short_repr(values)}."
        raise TypeError(message)
    shape = getattr(values, "shape", (0,))
    if len(shape) != 1:
        message = f"{name!r} must be a column of one dimension, got shape {tuple(shape)}."
        raise ValueError(message)
    return values if hasattr(values, "__len__") else list(values)


def feature_of(name: str, values: Any, wanted: KindChoice, is_missing: missing_among) -> Feature:
    """The feature of a column, of the kind chosen, or inferred: numbers are numeric, everything else nominal.

    Values are sorted (as text when they cannot be compared), so that their codes do not depend on the order of rows.

    Raises a ValueError for an unknown kind, or for an ordinal order without a value that is in the data.

    >>> feature_of("size", ["S", "L", "S"], ("S", "M", "L"), missing_among([]))
    Feature(name='size', kind='ordinal', values=('S', 'M', 'L'))
    >>> feature_of("age", [3, 1.5, None], None, missing_among([]))
    Feature(name='age', kind='numeric', values=())
    """
    _check_kind(name, wanted)
    if wanted == "numeric" or (wanted is None and is_number_array(values)):
        return Feature(name, "numeric")
    known = _distinct(name, python_values(values), is_missing)
    if wanted is None:
        numeric = bool(known) and all(map(is_number, known))
        return Feature(name, "numeric") if numeric else Feature(name, "nominal", in_order(known))
    if not isinstance(wanted, str):
        return Feature(name, "ordinal", _in_given_order(name, known, tuple(wanted)))
    return Feature(name, "ordinal" if wanted == "ordinal" else "nominal", in_order(known))


def classes_of(
    target: str, labels: Sequence[Any], is_missing: missing_among, order: Sequence[Hashable] | None = None
) -> tuple[Hashable, ...]:
    """The classes among the labels, sorted, or all classes of a given order.

    Raises a TypeError for a label that is not hashable. Raises a ValueError for a label that is missing, is a
    fraction, or is not in the given order.

    >>> classes_of("play", ["yes", "no", "yes"], missing_among([]))
    ('no', 'yes')
    >>> classes_of("play", ["yes", "no", "yes"], missing_among([]), ["yes", "perhaps", "no"])
    ('yes', 'perhaps', 'no')
    """
    known = _distinct(target, labels, is_missing)
    measured = set(filter(_is_measurement, known))
    for row, label in enumerate(labels):
        if label not in known:
            message = f"The target {target!r} must have a label in every row, got none in row {row}. Leave such rows out."
            raise ValueError(message)
        if label in measured:
            got = f"{short_repr(label)} in row {row}"
            message = f"The target {target!r} must have classes, not measurements, got {got}. Divide them into classes first."
            raise ValueError(message)
    return in_order(known) if order is None else _in_given_order(target, known, order)


def _in_given_order(name: str, known: set[Hashable], order: Sequence[Hashable]) -> tuple[Hashable, ...]:
    if not is_ordered(order) or not all(map(is_hashable, order)):
        message = f"The order of {name!r} must be a sequence of values, got {short_repr(order)}."
        raise TypeError(message)
    left_out = known - set(order)
    if left_out:
        listed = joined(map(short_repr, order))
        absent = short_repr(in_order(left_out)[0])
        message = f"The order of {name!r} must contain every value in the data, got {listed} without {absent}."
        raise ValueError(message)
    return tuple(order)


def encode(feature: Feature, values: Any, is_missing: missing_among) -> Column:
    """Values as codes (smallest signed integers, -1 for missing or undeclared) or as floats (NaN for missing).

    A float64 or float32 array of a numeric feature is not copied.

    Raises a ValueError that gives the row for text or infinity in a numeric column.

    >>> encode(Feature("windy", "nominal", (False, True)), [True, None, "storm"], missing_among([])).tolist()
    [1, -1, -1]
    """
    return _floats(feature.name, values, is_missing) if feature.kind == "numeric" else _codes(feature, values, is_missing)


def decode(feature: Feature, column: Column) -> list[Any]:
    """Raw values of a column of codes or floats, None where missing.

    >>> decode(Feature("windy", "nominal", (False, True)), np.array([1, -1]))
    [True, None]
    """
    if feature.kind == "numeric":
        return [None if number != number else number for number in column.tolist()]  # noqa: PLR0124  # NaN
    return [None if code < 0 else feature.values[code] for code in column.tolist()]


def in_order(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Sorted values; sorted by type and text when they cannot be compared.

    >>> in_order({3, 1, 2}), in_order({"b", 1, "a"})
    ((1, 2, 3), (1, 'a', 'b'))
    """
    listed = list(values)
    try:
        return tuple(sorted(listed))  # type: ignore[type-var]  # what cannot be compared raises, and is caught
    except TypeError:
        return tuple(sorted(listed, key=lambda value: (type(value).__name__, str(value))))


def smallest_integers(codes: Any, n_values: int) -> Column:
    """Codes in the smallest signed integers that hold them.

    >>> smallest_integers([0, -1, 200], 201).dtype.name
    'int16'
    """
    return np.asarray(codes, dtype=np.min_scalar_type(-max(n_values, 1)))


def python_values(values: Any) -> list[Any]:
    """A column as a list of Python values, without numpy scalars.

    >>> python_values([np.int64(1), np.str_("a")])
    [1, 'a']
    """
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    if any(issubclass(kind, np.generic) for kind in set(map(type, listed))):
        return [value.item() if isinstance(value, np.generic) else value for value in listed]
    return listed


def is_ordered(values: Any) -> bool:
    """Whether an object holds values in an order: it can be iterated, and is no text, set or mapping.

    >>> is_ordered([1, 2]), is_ordered("ab"), is_ordered({1, 2}), is_ordered(3)
    (True, False, False, False)
    """
    return isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping, set, frozenset))


def is_number_array(values: Any) -> bool:
    """Whether values are a numpy array (or a series that holds one) of integers or floats.

    >>> is_number_array(np.array([1.5])), is_number_array(np.array([True])), is_number_array([1.5])
    (True, False, False)
    """
    dtype = getattr(values, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind in "iuf"


def is_number(value: object) -> bool:
    """Whether a value is a number; True and False are not.

    >>> is_number(3), is_number(Decimal("0.5")), is_number(True), is_number("3")
    (True, True, False, False)
    """
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def _is_measurement(value: object) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, int) and not float(value).is_integer()


def _check_kind(name: str, wanted: Any) -> None:
    ordered = is_ordered(wanted) and hasattr(wanted, "__len__")
    if not (ordered or wanted is None or (isinstance(wanted, str) and wanted in _KINDS)):
        options = f"one of {', '.join(map(repr, _KINDS))}, or an ordinal's values in order"
        message = f"The kind of {name!r} must be {options}, got {short_repr(wanted)}."
        raise ValueError(message)


def _distinct(name: str, listed: Sequence[Any], is_missing: missing_among) -> set[Hashable]:
    """Distinct known values; of equal ones, as True and 1, the same one whatever the order of rows."""
    kinds = set(map(type, listed))
    try:
        values = set(sorted(listed, key=_type_name) if len(kinds) > 1 else listed)
    except TypeError:
        cell = next(value for value in listed if not is_hashable(value))
        got = f"{type_of(cell)}: {short_repr(cell)}"
        message = f"Values of {name!r} must be hashable (text, numbers, booleans, tuples), got {got}."
        raise TypeError(message) from None
    return {value for value in values if not is_missing(value)}


def _type_name(value: object) -> str:
    return type(value).__name__


def _codes(feature: Feature, values: Any, is_missing: missing_among) -> Column:
    unknown = feature.values.index(None) if None in feature.values else -1
    code_of = {value: code for code, value in enumerate(feature.values)}
    listed = python_values(values)
    known = _distinct(feature.name, listed, is_missing)
    codes = {value: code_of.get(value, -1) for value in known}
    return smallest_integers([codes.get(value, unknown) for value in listed], len(feature.values))


def _floats(name: str, values: Any, is_missing: missing_among) -> Column:
    if is_number_array(values):
        numbers = _without(np.asarray(values, dtype=np.float32 if values.dtype == np.float32 else np.float64), is_missing.listed)
    else:
        listed = python_values(values)
        numbers = np.fromiter((_float(name, row, value, is_missing) for row, value in enumerate(listed)), float, len(listed))
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        got = f"{numbers[infinite[0]]} in row {infinite[0]}"
        message = f"Numbers of {name!r} must be finite, got {got}. Replace it by a number, or by NaN for missing."
        raise ValueError(message)
    return numbers


def _without(numbers: Column, listed: Iterable[Hashable]) -> Column:
    """The numbers with NaN in place of those listed; the same array when none is."""
    gaps = np.isin(numbers, [value for value in listed if isinstance(value, (int, float))])
    return np.where(gaps, np.nan, numbers) if gaps.any() else numbers


def _float(name: str, row: int, value: Any, is_missing: missing_among) -> float:
    try:
        return float("nan") if is_missing(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        remedy = "Give its kind as 'nominal', or list the value as missing."
        message = f"Values of the numeric feature {name!r} must be numbers, got {short_repr(value)} in row {row}. {remedy}"
        raise ValueError(message) from None
