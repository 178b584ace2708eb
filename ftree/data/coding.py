"""From raw values to columns of numbers and back.

Nominal and ordinal values become codes, their positions in `Feature.values`, with -1 for what is missing or was
never declared; numbers become floats with NaN for what is missing. Values that Python calls equal are one value.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.messages import joined, short_repr
from ftree.tree.schema import Feature, Kind, is_hashable

Column: TypeAlias = npt.NDArray[Any]
# How a kind may be asked for: by name, or an ordinal one by its values in order.
Wanted: TypeAlias = "Kind | Sequence[Hashable] | None"

_KINDS = ("nominal", "ordinal", "numeric")


def _listed(missing: Any) -> frozenset[Hashable]:
    values = [missing] if isinstance(missing, str) else missing
    if not isinstance(values, Iterable) or not all(map(is_hashable, values)):
        message = f"missing lists the values that stand for nothing, such as ['?', -999]; it came as {short_repr(missing)}."
        raise TypeError(message)
    return frozenset(values)


@frozen
class missing_among:
    """A test for missing values: None, NaN and pandas' NA always, and whatever is listed; a text is one value.

    >>> is_missing = missing_among(["?"])
    >>> [is_missing(value) for value in (None, float("nan"), "?", 0)]
    [True, True, True, False]
    """

    listed: frozenset[Hashable] = field(converter=_listed)

    def __call__(self, value: Any) -> bool:
        """Whether the value is missing."""
        if value is None or type(value).__name__ in {"NAType", "NaTType"}:
            return True
        # NaN is the number that does not equal itself.
        return (isinstance(value, (float, Decimal, np.generic)) and bool(value != value)) or value in self.listed  # noqa: PLR0124


def as_column(name: str, values: Any) -> Any:
    """Values that can be one column, unchanged, or as a list when they have no length.

    Raises a TypeError for what has no order or no items, a ValueError for more dimensions than one.

    >>> as_column("age", iter([1, 2]))
    [1, 2]
    """
    if not is_ordered(values):
        message = f"{name!r} must be a column: a list, an array or a series; it came as {short_repr(values)}."
        raise TypeError(message)
    shape = getattr(values, "shape", (0,))
    if len(shape) != 1:
        message = f"{name!r} must be a column of one dimension; it came with shape {tuple(shape)}."
        raise ValueError(message)
    return values if hasattr(values, "__len__") else list(values)


def feature_of(name: str, values: Any, wanted: Wanted, is_missing: missing_among) -> Feature:
    """Infer a column's feature, or build the one wanted: numbers are numeric, everything else nominal.

    Values are put in their own order (as text when they have none), so that it does not depend on the rows'.

    Raises a ValueError for a kind that does not exist, or an ordinal order that leaves out a value in the data.

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
    """The classes among the labels, in their own order, or all those of the order given.

    Raises a TypeError for a label that is not hashable, a ValueError for one that is missing or a measurement, or that
    the order leaves out.

    >>> classes_of("play", ["yes", "no", "yes"], missing_among([]))
    ('no', 'yes')
    >>> classes_of("play", ["yes", "no", "yes"], missing_among([]), ["yes", "perhaps", "no"])
    ('yes', 'perhaps', 'no')
    """
    known = _distinct(target, labels, is_missing)
    measured = set(filter(_is_measurement, known))
    for row, label in enumerate(labels):
        if label not in known:
            message = f"{target!r}, the target, is missing in row {row}; leave out the rows without a label."
            raise ValueError(message)
        if label in measured:
            message = f"{target!r}, the target, is a measurement (row {row} has {short_repr(label)}); cut it into classes first."
            raise ValueError(message)
    return in_order(known) if order is None else _in_given_order(target, known, order)


def _in_given_order(name: str, known: set[Hashable], order: Sequence[Hashable]) -> tuple[Hashable, ...]:
    if not is_ordered(order) or not all(map(is_hashable, order)):
        message = f"The order of {name!r} is a sequence of values; it came as {short_repr(order)}."
        raise TypeError(message)
    left_out = known - set(order)
    if left_out:
        listed = joined(map(short_repr, order))
        message = f"The order of {name!r}, {listed}, leaves out {short_repr(in_order(left_out)[0])}, which is in the data."
        raise ValueError(message)
    return tuple(order)


def encode(feature: Feature, values: Any, is_missing: missing_among) -> Column:
    """Column of codes (smallest signed integers, -1 missing or undeclared) or of floats (NaN missing).

    A float64 or float32 array of a numeric feature is not copied.

    Raises a ValueError that names the row for text or infinity in a numeric column.

    >>> encode(Feature("windy", "nominal", (False, True)), [True, None, "storm"], missing_among([])).tolist()
    [1, -1, -1]
    """
    return _floats(feature.name, values, is_missing) if feature.kind == "numeric" else _codes(feature, values, is_missing)


def decode(feature: Feature, column: Column) -> list[Any]:
    """Raw values of a column, None where missing.

    >>> decode(Feature("windy", "nominal", (False, True)), np.array([1, -1]))
    [True, None]
    """
    if feature.kind == "numeric":
        return [None if number != number else number for number in column.tolist()]  # noqa: PLR0124  # NaN
    return [None if code < 0 else feature.values[code] for code in column.tolist()]


def in_order(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Values in their own order, or by type and text when they cannot be compared.

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
    """A column as a list of Python values: arrays and series give up their own scalars.

    >>> python_values([np.int64(1), np.str_("a")])
    [1, 'a']
    """
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    if any(issubclass(kind, np.generic) for kind in set(map(type, listed))):
        return [value.item() if isinstance(value, np.generic) else value for value in listed]
    return listed


def is_ordered(values: Any) -> bool:
    """Whether something holds values in an order: no text, no set, no mapping.

    >>> is_ordered([1, 2]), is_ordered("ab"), is_ordered({1, 2}), is_ordered(3)
    (True, False, False, False)
    """
    return isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping, set, frozenset))


def is_number_array(values: Any) -> bool:
    """Whether values are a numpy array (or a series over one) of integers or floats.

    >>> is_number_array(np.array([1.5])), is_number_array(np.array([True])), is_number_array([1.5])
    (True, False, False)
    """
    dtype = getattr(values, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind in "iuf"


def is_number(value: object) -> bool:
    """Whether a value counts or measures: True and False do not.

    >>> is_number(3), is_number(Decimal("0.5")), is_number(True), is_number("3")
    (True, True, False, False)
    """
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def _is_measurement(value: object) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, int) and not float(value).is_integer()


def _check_kind(name: str, wanted: Any) -> None:
    ordered = is_ordered(wanted) and hasattr(wanted, "__len__")
    if not (ordered or wanted is None or (isinstance(wanted, str) and wanted in _KINDS)):
        message = (
            f"The kind of {name!r} must be one of {_KINDS}, or an ordinal's values in order; it came as {short_repr(wanted)}."
        )
        raise ValueError(message)


def _distinct(name: str, listed: Sequence[Any], is_missing: missing_among) -> set[Hashable]:
    """Distinct known values; of equal ones, as True and 1, always the same, wherever they stand."""
    kinds = set(map(type, listed))
    try:
        values = set(sorted(listed, key=_type_name) if len(kinds) > 1 else listed)
    except TypeError:
        cell = next(value for value in listed if not is_hashable(value))
        came = f"a {type(cell).__name__} came: {short_repr(cell)}"
        message = f"Values of {name!r} must be hashable (text, numbers, booleans, tuples); {came}."
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
        row = infinite[0]
        message = (
            f"Numbers of {name!r} must be finite; row {row} has {numbers[row]}. Replace it by a number, or by NaN for missing."
        )
        raise ValueError(message)
    return numbers


def _without(numbers: Column, listed: Iterable[Hashable]) -> Column:
    """The numbers with NaN for those listed; the very same array when there are none."""
    gaps = np.isin(numbers, [value for value in listed if isinstance(value, (int, float))])
    return np.where(gaps, np.nan, numbers) if gaps.any() else numbers


def _float(name: str, row: int, value: Any, is_missing: missing_among) -> float:
    try:
        return float("nan") if is_missing(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        came = f"row {row} has {short_repr(value)}"
        message = f"{name!r} is numeric, but {came}. Give its kind as 'nominal', or list the value as missing."
        raise ValueError(message) from None
