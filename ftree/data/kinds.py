"""Kinds of columns, inferred from values and dtypes, with the reasons.

Numbers are numeric, and so are dates and times; ordered categories are ordinal; texts, booleans, other categories and all
other values are nominal. A kind that the user gives overrides these rules.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from ftree._lib.messages import joined, short_repr
from ftree.data.columns import Encoded, ReadColumn, is_number_array, is_time_array, known_counts, read_column
from ftree.data.doubts import Doubt, feature_doubt
from ftree.data.times import time_family, time_in_text
from ftree.data.values import family, in_order, is_ordered, missing_among
from ftree.tree.schema import Feature, Kind, is_hashable

# A kind as users give it: by name, or, for an ordinal feature, as its values in order. None: inferred from the values.
KindChoice: TypeAlias = "Kind | Sequence[Hashable] | None"
# The kinds of a table's features: one for all, or by name.
Kinds: TypeAlias = "str | Mapping[str, KindChoice] | None"
_KINDS = ("nominal", "ordinal", "numeric")
_NOMINAL_FAMILIES = {"text", "booleans", "other values"}


@frozen
class ColumnKind:
    """The decision about a column: its feature, and the reason for its kind.

    `counts` are the rows of each known value where these may leave a doubt: of a kind that is inferred from cells as nominal.
    """

    feature: Feature
    reason: str
    counts: Mapping[Hashable, int] | None = field(default=None, repr=False)

    @property
    def doubt(self) -> Doubt | None:
        """A doubt about the kind, if there is one."""
        return None if self.counts is None else feature_doubt(self.feature.name, self.counts)


def column_kind(name: str, values: Any, wanted: KindChoice, is_missing: missing_among) -> ColumnKind:
    """The feature of a column, of the kind chosen or inferred, with the reason for the kind.

    Values are sorted (as text if they cannot be compared), so that their codes do not depend on the order of rows.

    Raises a ValueError for an unknown kind, or for an ordinal order that lacks a value in the data.

    >>> column_kind("size", ["S", "L", "S"], ("S", "M", "L"), missing_among([]))
    ColumnKind(feature=Feature(name='size', kind='ordinal', values=('S', 'M', 'L')), reason='given in its order')
    >>> column_kind("age", [3, 1.5, None], None, missing_among([]))
    ColumnKind(feature=Feature(name='age', kind='numeric', values=()), reason='numbers')
    """
    _check_kind(name, wanted)
    if isinstance(wanted, str) and wanted == "numeric":
        return ColumnKind(Feature(name, "numeric"), "given")
    column = read_column(values)
    if wanted is None:
        return _inferred(name, column, is_missing)
    known = known_counts(name, column, is_missing)
    if not isinstance(wanted, str):
        return ColumnKind(Feature(name, "ordinal", in_given_order(name, set(known), tuple(wanted))), "given in its order")
    return ColumnKind(Feature(name, "ordinal" if wanted == "ordinal" else "nominal", in_order(known)), "given")


def _inferred(name: str, column: ReadColumn, is_missing: missing_among) -> ColumnKind:
    if is_time_array(column):
        return ColumnKind(Feature(name, "numeric"), f"times of type {column.dtype}, in seconds")
    # A column of numbers without a value has the type of numbers in pandas, that of texts elsewhere, and none in a file.
    if is_number_array(column) and (column == column).any():  # noqa: PLR0124  # only NaN differs from itself
        return ColumnKind(Feature(name, "numeric"), f"numbers of type {column.dtype}")
    if isinstance(column, Encoded) and column.ordered is not None:
        return _of_categories(name, column, is_missing)
    if _are_numbers(column, is_missing):
        return ColumnKind(Feature(name, "numeric"), "numbers")
    counts = known_counts(name, column, is_missing)
    families = sorted(set(map(family, counts)))
    if len(families) == 1 and families[0] not in _NOMINAL_FAMILIES:
        return ColumnKind(Feature(name, "numeric"), families[0] if families == ["numbers"] else f"{families[0]}, in seconds")
    reason = " and ".join(families) or "no value is known"
    return ColumnKind(Feature(name, "nominal", in_order(counts)), reason, counts)


def _of_categories(name: str, column: Encoded, is_missing: missing_among) -> ColumnKind:
    if column.ordered:
        values = [value for value in column.values if not is_missing(value)]
        return ColumnKind(Feature(name, "ordinal", values), "ordered categories")
    return ColumnKind(Feature(name, "nominal", in_order(known_counts(name, column, is_missing))), "categories without an order")


def _are_numbers(column: ReadColumn, is_missing: missing_among) -> bool:
    """Whether a column has Python's own numbers only, and one that is known: most lists of numbers, which need not be counted."""
    values = column.values if isinstance(column, Encoded) else ()
    return set(map(type, values)) <= {int, float, type(None)} and any(not is_missing(value) for value in values)


def with_times(column: ReadColumn, is_missing: missing_among) -> ReadColumn:
    """A column of texts that is read as dates or times of day if all that are known are, in ISO format and of one kind.

    Any other column is unchanged.

    >>> [with_times(read_column(each), missing_among([])).values for each in (["2020-02-29", None], ["2020-02-29", "12:00"])]
    [[datetime.date(2020, 2, 29)], ['2020-02-29', '12:00']]
    """
    if not isinstance(column, Encoded) or column.ordered is not None:
        return column
    if not all(is_missing(value) or (isinstance(value, str) and value[:1].isdigit()) for value in column.values):
        return column
    try:
        found = [text if is_missing(text) else time_in_text(text) for text in column.values]
    except ValueError:  # another text
        return column
    one_kind = len({time_family(each) for each in found if not is_missing(each)}) == 1
    return evolve(column, values=found) if one_kind else column


def in_given_order(name: str, known: set[Hashable], order: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """The values of a given order.

    Raises a TypeError for anything but a sequence of values, a ValueError for an order that lacks a known value.
    """
    if not is_ordered(order) or not all(map(is_hashable, order)):
        raise TypeError(f"The order of {short_repr(name)} must be a sequence of values, got {short_repr(order)}.")
    left_out = known - set(order)
    if left_out:
        listed = joined(map(short_repr, order))
        absent = short_repr(in_order(left_out)[0])
        raise ValueError(f"The order of {short_repr(name)} must contain every value in the data, got {listed} without {absent}.")
    return tuple(order)


def _check_kind(name: str, wanted: Any) -> None:
    ordered = is_ordered(wanted) and hasattr(wanted, "__len__")
    if not (ordered or wanted is None or (isinstance(wanted, str) and wanted in _KINDS)):
        options = f"one of {', '.join(map(repr, _KINDS))}, or an ordinal's values in order"
        raise ValueError(f"The kind of {short_repr(name)} must be {options}, got {short_repr(wanted)}.")


def is_text_kind(kind: Any) -> bool:
    """Whether the cells of a column stay text, since its kind, or its classes, are texts in order.

    >>> is_text_kind("nominal"), is_text_kind(None), is_text_kind(("S", "L"))
    (False, False, True)
    """
    return is_ordered(kind) and all(isinstance(value, str) for value in kind)
