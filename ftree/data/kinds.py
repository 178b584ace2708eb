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
from attrs import field, frozen

from ftree._lib.arrays import Array, missing_cells
from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined, short_repr
from ftree.data.columns import Encoded
from ftree.data.missing_values import ALWAYS_MISSING, family, known_counts, missing_among
from ftree.data.values import (
    Column,
    in_order,
    is_number,
    is_number_array,
    is_ordered,
    is_time_array,
    python_values,
    reads_as_number,
)
from ftree.tree.response import numbers
from ftree.tree.schema import Feature, Kind, is_hashable

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
        if not (values == values).any():  # noqa: PLR0124  # only NaN differs from itself
            return None  # pandas gives a column without a value the type of numbers, others that of texts, a file none
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


def taken_for_missing(values: Any, column: Column) -> tuple[Hashable, ...]:
    """The values of a raw column where the coded column has none; None stands for every null, NaN and masked cell.

    >>> taken_for_missing(["a", "?", None, float("nan")], np.array([0, -1, -1, -1]))
    (None, '?')
    """
    least = column.min(initial=0)  # a tenth of the time of a mask; NaN if there is one
    if not least < 0 if column.dtype.kind != "f" else not np.isnan(least):
        return ()
    rows = np.flatnonzero(missing_cells(column))
    if is_number_array(values) or is_time_array(values):
        found = python_values(np.asanyarray(values)[rows])
    elif isinstance(values, Encoded):
        listed = [*values.values, None]
        found = [listed[code] for code in set(values.codes[rows].tolist())]
    else:
        listed = python_values(values)
        found = [listed[row] for row in rows.tolist()]
    return in_order({None if ALWAYS_MISSING(cell) else cell for cell in found})


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
    Gini impurity or variance. In doubt is at least a twentieth, if it is at least half of what the feature explains.

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
    """The reason why numbers may be codes for missing values, or unless they are `alone` number the rows; None without a doubt.

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
