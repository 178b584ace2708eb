"""From raw values to columns of numbers and back.

Nominal and ordinal values become codes, their positions in `Feature.values`, with -1 for what is missing or was
never declared; numbers become floats with NaN for what is missing. Values that Python calls equal are one value.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree.schema import Feature, Kind

Column: TypeAlias = npt.NDArray[Any]
# How a kind may be asked for: by name, or an ordinal one by its values in order.
Wanted: TypeAlias = "Kind | Sequence[Hashable] | None"

_KINDS = ("nominal", "ordinal", "numeric")
_NUMBERS = "iuf"


def missing_among(missing: Collection[Hashable]) -> Callable[[Any], bool]:
    """A test for missing values: None, NaN and pandas' NA always, and whatever is listed.

    >>> is_missing = missing_among(["?"])
    >>> [is_missing(value) for value in (None, float("nan"), "?", 0)]
    [True, True, True, False]
    """
    listed = frozenset(missing)

    def is_missing(value: Any) -> bool:
        if value is None or type(value).__name__ in {"NAType", "NaTType"}:
            return True
        return (isinstance(value, (float, np.floating)) and bool(value != value)) or value in listed  # noqa: PLR0124  # NaN

    return is_missing


def feature_of(name: str, values: Any, wanted: Wanted, is_missing: Callable[[Any], bool]) -> Feature:
    """Infer a column's feature, or build the one wanted: numbers are numeric, everything else nominal.

    Values are put in their own order (as text when they have none), so that it does not depend on the rows'.

    Raises a ValueError for a kind that does not exist, or an ordinal order that leaves out a value in the data.

    >>> feature_of("size", ["S", "L", "S"], ("S", "M", "L"), missing_among([]))
    Feature(name='size', kind='ordinal', values=('S', 'M', 'L'))
    >>> feature_of("age", [3, 1.5, None], None, missing_among([]))
    Feature(name='age', kind='numeric', values=())
    """
    if isinstance(wanted, str) and wanted not in _KINDS:
        message = f"The kind of {name!r} must be one of {_KINDS}, or an ordinal's values in order; it came as {wanted!r}."
        raise ValueError(message)
    if wanted is not None and not isinstance(wanted, str):
        return _ordinal(name, values, tuple(wanted), is_missing)
    if wanted == "numeric" or (wanted is None and _looks_numeric(values, is_missing)):
        return Feature(name, "numeric")
    return Feature(name, "ordinal" if wanted == "ordinal" else "nominal", in_order(_distinct(name, values, is_missing)))


def encode(feature: Feature, values: Any, is_missing: Callable[[Any], bool]) -> Column:
    """Column of codes (smallest signed integers, -1 missing or undeclared) or of floats (NaN missing).

    A float64 array of a numeric feature is not copied.

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
    """A column as a list of Python values: arrays and series give up their own scalars."""
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _looks_numeric(values: Any, is_missing: Callable[[Any], bool]) -> bool:
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if kind in _NUMBERS or kind == "b":
        return kind in _NUMBERS
    known = [value for value in python_values(values) if not is_missing(value)]
    return bool(known) and all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in known)


def _distinct(name: str, values: Any, is_missing: Callable[[Any], bool]) -> set[Hashable]:
    try:
        return {value for value in set(python_values(values)) if not is_missing(value)}
    except TypeError:
        cell = next(value for value in python_values(values) if not isinstance(value, Hashable))
        message = (
            f"Values of {name!r} must be hashable (text, numbers, booleans, tuples); a {type(cell).__name__} came: {cell!r}."
        )
        raise TypeError(message) from None


def _ordinal(name: str, values: Any, order: tuple[Hashable, ...], is_missing: Callable[[Any], bool]) -> Feature:
    left_out = _distinct(name, values, is_missing) - set(order)
    if left_out:
        message = f"The order of {name!r}, {order}, leaves out {in_order(left_out)[0]!r}, which is in the data."
        raise ValueError(message)
    return Feature(name, "ordinal", order)


def _codes(feature: Feature, values: Any, is_missing: Callable[[Any], bool]) -> Column:
    unknown = feature.values.index(None) if None in feature.values else -1
    code_of = {value: code for code, value in enumerate(feature.values)}

    def code(value: Any) -> int:
        return unknown if is_missing(value) else code_of.get(value, -1)

    try:
        codes = [code(value) for value in python_values(values)]
    except TypeError:
        _distinct(feature.name, values, is_missing)  # says which value cannot be hashed
        raise
    return smallest_integers(codes, len(feature.values))


def _floats(name: str, values: Any, is_missing: Callable[[Any], bool]) -> Column:
    if getattr(getattr(values, "dtype", None), "kind", "O") in _NUMBERS:
        numbers = np.asarray(values, dtype=np.float64)
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


def _float(name: str, row: int, value: Any, is_missing: Callable[[Any], bool]) -> float:
    if is_missing(value):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        message = f"{name!r} is numeric, but row {row} has {value!r}. Give its kind as 'nominal', or list the value as missing."
        raise ValueError(message) from None
