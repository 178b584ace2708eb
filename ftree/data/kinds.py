"""The kind of a column, decided by its values and its dtype, with the reason.

Numbers are numeric, and so are dates and times; ordered categories are ordinal; texts, booleans, other categories and all
other values are nominal. A kind that the user gives overrides these rules.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import frozen

from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.doubts import feature_doubt
from ftree.data.encoded import Encoded
from ftree.data.missing_values import missing_among, plain_column
from ftree.data.numbers import time_family
from ftree.data.values import in_order, is_number, is_number_array, is_ordered, is_time_array, python_values
from ftree.tree.schema import Feature, Kind, is_hashable

# A kind as users give it: by name, or, for an ordinal feature, as its values in order. None: inferred from the values.
KindChoice: TypeAlias = "Kind | Sequence[Hashable] | None"

_KINDS = ("nominal", "ordinal", "numeric")
_NOMINAL_FAMILIES = {"text", "booleans", "other values"}


@frozen
class ColumnKind:
    """The decision about a column: its feature, the reason for its kind, and a doubt about the kind, if there is one."""

    feature: Feature
    reason: str
    doubt: str | None = None


def column_kind(name: str, values: Any, wanted: KindChoice, is_missing: missing_among) -> ColumnKind:
    """The feature of a column, of the kind chosen or inferred, with the reason for the kind.

    Values are sorted (as text if they cannot be compared), so that their codes do not depend on the order of rows.

    Raises a ValueError for an unknown kind, or for an ordinal order that lacks a value in the data.

    >>> column_kind("size", ["S", "L", "S"], ("S", "M", "L"), missing_among([]))
    ColumnKind(feature=Feature(name='size', kind='ordinal', values=('S', 'M', 'L')), reason='given in its order', doubt=None)
    >>> column_kind("age", [3, 1.5, None], None, missing_among([]))
    ColumnKind(feature=Feature(name='age', kind='numeric', values=()), reason='numbers', doubt=None)
    """
    _check_kind(name, wanted)
    if isinstance(wanted, str) and wanted == "numeric":
        return ColumnKind(Feature(name, "numeric"), "given")
    by_dtype = _by_dtype(name, values, is_missing) if wanted is None else None
    if by_dtype is not None:
        return by_dtype
    counts = known_counts(name, values, is_missing)
    if wanted is None:
        return _by_values(name, counts, categories=isinstance(values, Encoded) and values.ordered is not None)
    if not isinstance(wanted, str):
        return ColumnKind(Feature(name, "ordinal", in_given_order(name, set(counts), tuple(wanted))), "given in its order")
    return ColumnKind(Feature(name, "ordinal" if wanted == "ordinal" else "nominal", in_order(counts)), "given")


def _by_dtype(name: str, values: Any, is_missing: missing_among) -> ColumnKind | None:
    if is_number_array(values):
        return ColumnKind(Feature(name, "numeric"), f"numbers of type {values.dtype}")
    if is_time_array(values):
        return ColumnKind(Feature(name, "numeric"), f"times of type {values.dtype}, in seconds")
    if isinstance(values, Encoded) and values.ordered:
        return ColumnKind(Feature(name, "ordinal", [v for v in values.values if not is_missing(v)]), "ordered categories")
    return None


def _by_values(name: str, counts: Mapping[Hashable, int], *, categories: bool) -> ColumnKind:
    families = set(map(family, counts))
    if not categories and len(families) == 1 and not families & _NOMINAL_FAMILIES:
        only = next(iter(families))
        return ColumnKind(Feature(name, "numeric"), only if only == "numbers" else f"{only}, in seconds")
    feature = Feature(name, "nominal", in_order(counts))
    if categories:
        return ColumnKind(feature, "categories without an order")
    reason = " and ".join(sorted(families)) or "no value is known"
    return ColumnKind(feature, reason, feature_doubt(name, counts))


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
        known = distinct(name, [values.values[code] for code in values.present()], is_missing)
        counts = values.counts()
    else:
        listed = python_values(plain_column(values, is_missing))
        known = distinct(name, listed, is_missing)
        counts = Counter(listed)
    return {value: counts[value] for value in known}


def distinct(name: str, listed: Sequence[Any], is_missing: missing_among) -> set[Hashable]:
    """Distinct known values; of equal ones, such as True and 1, always the same one whatever the order of rows.

    Raises a TypeError for a value that is not hashable.

    >>> distinct("x", [1, True, "?"], missing_among(["?"]))
    {True}
    """
    kinds = set(map(type, listed))
    if bytes in kinds:
        cell = next(value for value in listed if isinstance(value, bytes))
        message = f"Values of {name!r} must be text, numbers or times, got bytes: {short_repr(cell)}. Decode them to text."
        raise TypeError(message)
    try:
        values = set(sorted(listed, key=_type_name) if len(kinds) > 1 else listed)
    except TypeError:
        cell = next(value for value in listed if not is_hashable(value))
        got = f"{type_of(cell)}: {short_repr(cell)}"
        message = f"Values of {name!r} must be hashable (text, numbers, booleans, tuples), got {got}."
        raise TypeError(message) from None
    values.difference_update(list(filter(is_missing, values)))  # in place, since a set takes more memory than its texts
    return values


def in_given_order(name: str, known: set[Hashable], order: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """The values of a given order.

    Raises a TypeError for anything but a sequence of values, a ValueError for an order that lacks a known value.
    """
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


def _type_name(value: object) -> str:
    return type(value).__name__


def _check_kind(name: str, wanted: Any) -> None:
    ordered = is_ordered(wanted) and hasattr(wanted, "__len__")
    if not (ordered or wanted is None or (isinstance(wanted, str) and wanted in _KINDS)):
        options = f"one of {', '.join(map(repr, _KINDS))}, or an ordinal's values in order"
        message = f"The kind of {name!r} must be {options}, got {short_repr(wanted)}."
        raise ValueError(message)
