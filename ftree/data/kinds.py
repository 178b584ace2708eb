"""Kinds of columns, inferred from values and dtypes, with the reasons, and doubts, of which users are warned.

Numbers are numeric, and so are dates and times; ordered categories are ordinal; texts, booleans, other categories and all
other values are nominal. A kind that the user gives overrides these rules.
"""

import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, missing_cells
from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined, short_repr
from ftree.data.columns import Encoded, RawColumn, is_number_array, is_time_array, known_counts, read_column
from ftree.data.times import time_family, time_in_text
from ftree.data.values import (
    ALWAYS_MISSING,
    Column,
    family,
    in_order,
    is_number,
    is_ordered,
    missing_among,
    python_values,
    reads_as_number,
)
from ftree.tree.response import numbers
from ftree.tree.schema import Feature, Kind, is_hashable, unknown_name

# A kind as users give it: by name, or, for an ordinal feature, as its values in order. None: inferred from the values.
KindChoice: TypeAlias = "Kind | Sequence[Hashable] | None"
# The kinds of a table's features: one for all, or by name.
Kinds: TypeAlias = "str | Mapping[str, KindChoice] | None"
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
    column = read_column(values)
    if wanted is None:
        return _inferred(name, column, is_missing)
    known = known_counts(name, column, is_missing)
    if not isinstance(wanted, str):
        return ColumnKind(Feature(name, "ordinal", in_given_order(name, set(known), tuple(wanted))), "given in its order")
    return ColumnKind(Feature(name, "ordinal" if wanted == "ordinal" else "nominal", in_order(known)), "given")


def _inferred(name: str, column: Any, is_missing: missing_among) -> ColumnKind:
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
    return ColumnKind(Feature(name, "nominal", in_order(counts)), reason, feature_doubt(name, counts))


def _of_categories(name: str, column: Encoded, is_missing: missing_among) -> ColumnKind:
    if column.ordered:
        values = [value for value in column.values if not is_missing(value)]
        return ColumnKind(Feature(name, "ordinal", values), "ordered categories")
    return ColumnKind(Feature(name, "nominal", in_order(known_counts(name, column, is_missing))), "categories without an order")


def _are_numbers(column: RawColumn, is_missing: missing_among) -> bool:
    """Whether a column has Python's own numbers only, and one that is known: most lists of numbers, which need not be counted."""
    values = column.values if isinstance(column, Encoded) else ()
    return set(map(type, values)) <= {int, float, type(None)} and any(not is_missing(value) for value in values)


def with_times(column: RawColumn, is_missing: missing_among) -> RawColumn:
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


def kind_of_each(kinds: Kinds, known: tuple[str, ...], target: str) -> dict[str, KindChoice]:
    """The kind that is chosen for each column, None where it is inferred.

    Raises a KeyError for a column that does not exist.

    >>> kind_of_each({"size": "ordinal"}, ("size", "age"), "class")
    {'size': 'ordinal', 'age': None}
    """
    if kinds is None or isinstance(kinds, str):
        return dict.fromkeys(known, kinds)
    if not isinstance(kinds, Mapping):
        raise TypeError(f"kinds must be one kind for all features, or a mapping of names to kinds, got {short_repr(kinds)}.")
    for name in kinds:
        if name == target:
            raise ValueError(
                f"kinds must be for features, got the target {short_repr(name)}. Omit it, since its values are the classes."
            )
        if name not in known:
            raise KeyError(unknown_name(name, known))
    given = {name: kinds.get(name) for name in known}
    return {name: kind.tolist() if isinstance(kind, np.ndarray) and kind.ndim else kind for name, kind in given.items()}


def is_text_kind(kind: Any) -> bool:
    """Whether the cells of a column stay text, since its kind, or its classes, are texts in order.

    >>> is_text_kind("nominal"), is_text_kind(None), is_text_kind(("S", "L"))
    (False, False, True)
    """
    return is_ordered(kind) and all(isinstance(value, str) for value in kind)


@frozen
class Origin:
    """The origin of the column of that name: the reason for its kind, and the values that meant missing.

    None among them stands for masked, null and NaN.

    >>> from ftree import Dataset
    >>> Dataset.from_columns({"age": [20, 60], "ill": ["no", "yes"]}, target="ill").origins[0].reason
    'numbers'
    """

    name: str
    reason: str = "declared by the schema"
    missing: tuple[Hashable, ...] = field(default=(), converter=as_tuple)


def taken_for_missing(values: RawColumn, column: Column) -> tuple[Hashable, ...]:
    """The values of a column that is read where the coded column has none; None stands for every null, NaN and masked cell.

    >>> taken_for_missing(read_column(["a", "?", None, float("nan")]), np.array([0, -1, -1, -1]))
    (None, '?')
    """
    least = column.min(initial=0)  # a tenth of the time of a mask; NaN if there is one
    if not least < 0 if column.dtype.kind != "f" else not np.isnan(least):
        return ()
    there = values[np.flatnonzero(missing_cells(column))]
    return in_order({None if ALWAYS_MISSING(cell) else cell for cell in python_values(there)})


# A column is in doubt if this share of its rows are numbers, or if it has more distinct values than this share of its rows.
_MOST = 0.9
# Up to this many distinct values, a nominal feature is not in doubt.
_FEW = 9
# Up to this many whole numbers may be classes: digits, grades, letters by number.
FEW_CLASSES = 30
# Chance is in doubt from a twentieth of the impurity on, as with 20 rows for each value: rpart divides no fewer.
_BY_CHANCE = 0.05
# From more classes on, growth takes minutes for some ten thousand rows.
_MANY_CLASSES = 1000
# Few numbers that each occur so often on average may be classes.
_SHARE_OF_CLASSES = 10
_NEARLY_EQUAL = 1e-9
# Other notations of numbers and dates, which are read as texts.
_NOTATIONS = {
    "numbers with a comma": (re.compile(r"[-+]?\d[\d.]*(,\d+)+"), "Read the file with decimal=','"),
    "numbers with a sign": (re.compile(r"[-+]?[$€£]?\s?\d[\d.,]*\s?[%$€£]?"), "Convert them beforehand"),
    "dates in another form than 2020-01-31": (
        re.compile(r"(\d{1,2}-\d{1,2}-|\d{1,2}\.\d{1,2}\.|\d{1,4}/\d{1,2}/)\d{2,4}( .*)?"),
        "Read the file with their form, as dates={{{!r}: '%d/%m/%Y'}}",
    ),
}
# Numbers that often stand for a missing value.
_CODES = (-99.0, -999.0, -9999.0, -99999.0)
_PACKAGE = str(Path(__file__).parent.parent) + os.sep
# Where installed libraries are, whose calls are not the user's.
_LIBRARIES = ("site-packages", "dist-packages", sysconfig.get_path("stdlib"))


def feature_doubt(name: str, counts: Mapping[Hashable, int]) -> str | None:
    """The reason why a feature, given its known values with their numbers of rows, may not be nominal; None without a doubt.

    >>> feature_doubt("age", {"1": 9, "2": 9, "unknown": 1})
    "Feature 'age' is nominal, but 18 of its 19 values are numbers, as 'unknown' is not. List it in missing=, or give kinds=."
    """
    numbers = {value for value in counts if _is_numeric(value)}
    total = sum(counts.values())
    n_numbers = sum(counts[value] for value in numbers)
    odd = in_order(value for value in counts if value not in numbers)
    marks = odd and all(isinstance(value, str) and not any(map(str.isalnum, value)) for value in odd)
    least = 0.5 if marks else _MOST
    if numbers and n_numbers >= least * total and (n_numbers < total or len(counts) > _FEW):
        but = f"as {short_repr(odd[0])} is not. List it in missing=, or give kinds=." if odd else "written as text. Give kinds=."
        return f"Feature {name!r} is nominal, but {n_numbers} of its {total} values are numbers, {but}"
    for form, (pattern, remedy) in _NOTATIONS.items():
        texts = [value for value in counts if isinstance(value, str) and value not in numbers and pattern.fullmatch(value)]
        n = sum(counts[text] for text in texts)
        if texts and n >= _MOST * total:
            example = f"{n} of its {total} values are {form}, such as {short_repr(texts[0])}"
            return f"Feature {name!r} is nominal, but {example}. {remedy.format(name)}, or give kinds=."
    if len(counts) > max(_FEW, _MOST * total):
        return f"Feature {name!r} is nominal with {len(counts)} values in {total} rows. Omit it, or give kinds=."
    return None


def chance_doubt(feature: Feature, column: Column, answers: Array) -> str | None:
    """The reason why what a nominal feature tells of the target may be chance; None without a doubt.

    V values that have nothing to do with the target explain, on average over all orders of its N rows, (V - 1) / (N - 1) of its
    Gini impurity or variance. The feature is in doubt if this share is at least 1/20, and at least half of what it
    explains.

    Source: Kelley 1935 (variance), Light & Margolin 1971 (classes).

    >>> chance_doubt(Feature("name", "nominal", range(10)), np.arange(20) % 10, np.arange(20) % 7 % 2)
    "Feature 'name' has 10 values in 20 rows: they explain 29% of the target, 47% by chance. Call merge_rare, omit it, or ..."
    """
    known, n_values = column >= 0, len(feature.values)
    codes, n = column[known], int(known.sum())
    by_chance = (n_values - 1) / max(n - 1, 1)
    if n_values <= _FEW or by_chance < _BY_CHANCE:
        return None
    shown: Array = answers[known]
    explained = whole = 0.0
    with np.errstate(all="ignore"):  # numbers near the ends of the floats, and answers that are all equal
        for each in [shown] if shown.dtype.kind == "f" else (shown == label for label in np.unique(shown)):
            centred = each - each.mean()
            explained += float(np.square(np.bincount(codes, centred)) @ (1 / np.maximum(np.bincount(codes), 1)))
            whole += float(np.square(centred).sum())
        share = np.divide(explained, whole)
    if not by_chance >= share / 2:
        return None
    what = f"Feature {feature.name!r} has {n_values} values in {n} rows: they explain {share:.0%} of the target, {by_chance:.0%}"
    return f"{what} by chance. Call merge_rare, omit it, or give kinds=."


def numeric_doubt(name: str, column: Column, *, alone: bool = False) -> str | None:
    """The reason why numbers may be codes for missing values, or row numbers; None without a doubt.

    Row numbers are not looked for where the column is `alone`.

    >>> numeric_doubt("id", np.arange(1.0, 11.0))
    "Feature 'id' numbers the rows, from 1 to 10. Leave it out by keep_columns, or give kinds=."
    """
    low, high = np.fmin.reduce(column), np.fmax.reduce(column)
    if low in _CODES and high >= 0 and np.count_nonzero(column < 0) == np.count_nonzero(column == low):
        remedy = "If it means missing, list it in missing=, or give kinds=."
        return f"Feature {name!r} is numeric, but {low:g} is its only number below 0. {remedy}"
    numbers_rows = not alone and low in (0, 1) and high - low == len(column) - 1 >= _FEW
    if numbers_rows and np.array_equal(np.sort(column), np.arange(low, high + 1)):
        return f"Feature {name!r} numbers the rows, from {low:g} to {high:g}. Leave it out by keep_columns, or give kinds=."
    return None


def target_doubt(name: str, n_rows: int, classes: Collection[Hashable]) -> str | None:
    """The reason why the labels may not be classes; None without a doubt.

    >>> target_doubt("mpg", 1000, range(100))
    "Target 'mpg' has 100 numbers as classes, and may be a measurement. Give response='numbers', or classes=."
    """
    if len(classes) > FEW_CLASSES and all(map(_is_numeric, classes)):
        remedy = "Give response='numbers', or classes=."
        return f"Target {name!r} has {len(classes)} numbers as classes, and may be a measurement. {remedy}"
    if len(classes) > max(_FEW, _MOST * n_rows):
        remedy = "Choose another column, or list them in classes=."
        return f"Target {name!r} has {len(classes)} classes in {n_rows} rows. {remedy}"
    if len(classes) > _MANY_CLASSES:
        cost = "Each level of growth takes time in proportion to rows times classes"
        return f"Target {name!r} has {len(classes)} classes. {cost}: merge rare ones, or list them in classes=."
    return None


def numbers_doubt(name: str, column: Column, response: Any, choice: Any = None) -> str | None:
    """The reason why numbers of a target may be classes, or too close together for their range; None without a doubt.

    Numbers that differ by a billionth of themselves, or of what most others differ by, may be rounded to one.

    >>> numbers_doubt("dose", np.array([0.5, 1.0, 2.0] * 10), numbers.of([0.5, 1.0, 2.0]))
    "Target 'dose' has only 3 numbers in 30 rows, and may have classes. Give response='classes', or response='numbers'."
    >>> numbers_doubt("pay", np.array([1.0, 1.5, 1e13]), numbers.of([1.0, 1.5, 1e13]))
    "Target 'pay' has numbers from 1 to 1e+13, so far apart that some are rounded to one. Leave out, or divide, the largest ones."
    """
    distinct = np.unique(column)
    if choice is None and len(distinct) <= _FEW and _SHARE_OF_CLASSES * len(distinct) <= len(column):
        remedy = "Give response='classes', or response='numbers'."
        return f"Target {name!r} has only {len(distinct)} numbers in {len(column)} rows, and may have classes. {remedy}"
    steps = np.diff(distinct)
    scale = np.maximum(np.abs(distinct[:-1]), np.median(np.abs(distinct - np.median(distinct))))
    grid = response if isinstance(response, numbers) else numbers.of(distinct)
    rounded = np.diff(grid.whole(distinct)) == 0
    if not (rounded & (steps > _NEARLY_EQUAL * scale)).any():
        return None
    ends = f"numbers from {column.min():g} to {column.max():g}"
    remedy = "Leave out, or divide, the largest ones."
    return f"Target {short_repr(name)} has {ends}, so far apart that some are rounded to one. {remedy}"


# The last call of the user's that warned, and what it said of which columns.
_last_call: list[Any] = []


def warn_of(doubts: Iterable[str | None]) -> None:
    """Warn of each doubt, at the user's line that reads the table; once if a library reads it repeatedly for that line."""
    level, frame = 1, sys._getframe()  # noqa: SLF001  # the only way to the line that reads the table
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    caller = frame
    while caller.f_back is not None and any(place in caller.f_code.co_filename for place in _LIBRARIES):
        level, caller = level + 1, caller.f_back
    call = id(caller), caller.f_code, caller.f_lasti
    if caller is frame or _last_call[:1] != [call]:
        _last_call[:] = [call]
    for doubt in filter(None, doubts):
        column, _, what = doubt.partition("' ")
        said = column, re.sub(r"\d", "", what)  # numbers differ from fold to fold
        if said not in _last_call:
            _last_call.append(said)
            warnings.warn(doubt, stacklevel=level)


def _is_numeric(value: Any) -> bool:
    return reads_as_number(value) if isinstance(value, str) else is_number(value)
