"""Doubts about columns, of which users are warned: a feature that may have another kind, a target that may be no class.

A `Doubt` is a record of a column, a kind of doubt and its figures. The functions below look for one kind after the other, and
return the first that they find. `_TEXTS` has the text of each kind, and `warn_of` prints doubts.
"""

import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr
from ftree.data.values import Column, in_order, is_number, reads_as_number
from ftree.tree.response import numbers
from ftree.tree.schema import Feature

_NOMINAL = "Feature {column!r} is nominal, but {n} of its {total} values are"
# The text of each kind of doubt, with gaps for its column and its figures.
_TEXTS = {
    "a few are no numbers": _NOMINAL + " numbers, as {odd} is not. List it in missing=, or give kinds=.",
    "numbers in texts": _NOMINAL + " numbers, written as text. Give kinds=.",
    "commas": _NOMINAL + " numbers with a comma, such as {example}. Read the file with decimal=',', or give kinds=.",
    "signs": _NOMINAL + " numbers with a sign, such as {example}. Convert them beforehand, or give kinds=.",
    "dates": _NOMINAL + " dates in another form than 2020-01-31, such as {example}. "
    "Read the file with their form, as dates={{{column!r}: '%d/%m/%Y'}}, or give kinds=.",
    "a value for each row": "Feature {column!r} is nominal with {n} values in {total} rows. Omit it, or give kinds=.",
    "chance": "Feature {column!r} has {n} values in {total} rows: they explain {share:.0%} of the target, {by_chance:.0%} by "
    "chance. Call merge_rare, omit it, or give kinds=.",
    "a code for missing": "Feature {column!r} is numeric, but {low:g} is its only number below 0. If it means missing, list it "
    "in missing=, or give kinds=.",
    "row numbers": "Feature {column!r} numbers the rows, from {low:g} to {high:g}. Leave it out by keep_columns, or give kinds=.",
    "a code": "Feature {column!r} is numeric, and {code!r} is read as a number. If it is a code, give "
    "kinds={{{column!r}: 'nominal'}}.",
    "row names": "The column without a name, {column!r}, names or numbers the rows, and is left out. If they are a feature, give "
    "kinds={{{column!r}: ...}}; otherwise omit={column!r}.",
    "numbers as classes": "Target {column!r} has {n} numbers as classes, and may be a measurement. Give response='numbers', or "
    "classes=.",
    "a class for each row": "Target {column!r} has {n} classes in {total} rows. Choose another column, or list them in classes=.",
    "many classes": "Target {column!r} has {n} classes. Each level of growth takes time in proportion to rows times classes: "
    "merge rare ones, or list them in classes=.",
    "few numbers": "Target {column!r} has only {n} numbers in {total} rows, and may have classes. Give response='classes', or "
    "response='numbers'.",
    "numbers far apart": "Target {short_column} has numbers from {low:g} to {high:g}, so far apart that some are rounded to one. "
    "Leave out, or divide, the largest ones.",
    "a row as names": "The first line was taken for names, {column}. If it is a row, write header=False.",
    "unknown values": "Unknown values have no answer: {examples}. Write unseen='raise' to refuse them.",
}


@frozen(init=False)
class Doubt:
    """A doubt of a kind about a column, or about what stands in its place; `figures` fill the gaps of its text.

    Doubts of a kind about a column are equal, whatever their figures, which differ from part to part of a table.

    >>> print(Doubt("age", "numbers in texts", n=20, total=20))
    Feature 'age' is nominal, but 20 of its 20 values are numbers, written as text. Give kinds=.
    >>> Doubt("age", "numbers in texts", n=20, total=20) == Doubt("age", "numbers in texts", n=9, total=10)
    True
    """

    column: str
    kind: str
    figures: Mapping[str, Any] = field(eq=False)

    def __init__(self, column: str, kind: str, **figures: Any) -> None:
        """A doubt with its figures by name."""
        self.__attrs_init__(column, kind, figures)

    def __str__(self) -> str:
        """The text of the warning."""
        return _TEXTS[self.kind].format(column=self.column, short_column=short_repr(self.column), **self.figures)


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
# Other notations of numbers and dates, which are read as texts, by the kind of doubt.
_NOTATIONS = {
    "commas": re.compile(r"[-+]?\d[\d.]*(,\d+)+"),
    "signs": re.compile(r"[-+]?[$€£]?\s?\d[\d.,]*\s?[%$€£]?"),
    "dates": re.compile(r"(\d{1,2}-\d{1,2}-|\d{1,2}\.\d{1,2}\.|\d{1,4}/\d{1,2}/)\d{2,4}( .*)?"),
}
# Numbers that often stand for a missing value.
_CODES = (-99.0, -999.0, -9999.0, -99999.0)


def feature_doubt(name: str, counts: Mapping[Hashable, int]) -> Doubt | None:
    """The reason why a feature, given its known values with their numbers of rows, may not be nominal; None without a doubt.

    >>> print(feature_doubt("age", {"1": 9, "2": 9, "unknown": 1}))
    Feature 'age' is nominal, but 18 of its 19 values are numbers, as 'unknown' is not. List it in missing=, or give kinds=.
    """
    total = sum(counts.values())
    found = _doubt_of_numbers(name, counts, total) or _doubt_of_notation(name, counts, total)
    if found is None and len(counts) > max(_FEW, _MOST * total):
        return Doubt(name, "a value for each row", n=len(counts), total=total)
    return found


def _doubt_of_numbers(name: str, counts: Mapping[Hashable, int], total: int) -> Doubt | None:
    n = sum(rows for value, rows in counts.items() if _is_numeric(value))
    odd = in_order(value for value in counts if not _is_numeric(value))
    marks = odd and all(isinstance(value, str) and not any(map(str.isalnum, value)) for value in odd)
    if not n or n < (0.5 if marks else _MOST) * total or (n == total and len(counts) <= _FEW):
        return None
    if odd:
        return Doubt(name, "a few are no numbers", n=n, total=total, odd=short_repr(odd[0]))
    return Doubt(name, "numbers in texts", n=n, total=total)


def _doubt_of_notation(name: str, counts: Mapping[Hashable, int], total: int) -> Doubt | None:
    texts = [value for value in counts if isinstance(value, str) and not _is_numeric(value)]
    for kind, pattern in _NOTATIONS.items():
        written_so = [text for text in texts if pattern.fullmatch(text)]
        n = sum(counts[text] for text in written_so)
        if written_so and n >= _MOST * total:
            return Doubt(name, kind, n=n, total=total, example=short_repr(written_so[0]))
    return None


def chance_doubt(feature: Feature, column: Column, answers: Array) -> Doubt | None:
    """The reason why what a nominal feature tells of the target may be chance; None without a doubt.

    V values that have nothing to do with the target explain, on average over all orders of its N rows, (V - 1) / (N - 1) of its
    Gini impurity or variance. The feature is in doubt if this share is at least 1/20, and at least half of what it
    explains.

    Source: Kelley 1935 (variance), Light & Margolin 1971 (classes).

    >>> print(chance_doubt(Feature("name", "nominal", range(10)), np.arange(20) % 10, np.arange(20) % 7 % 2))
    Feature 'name' has 10 values in 20 rows: they explain 29% of the target, 47% by chance. Call merge_rare, omit it, or ...
    """
    known, n_values = column >= 0, len(feature.values)
    n = int(known.sum())
    by_chance = (n_values - 1) / max(n - 1, 1)
    if n_values <= _FEW or by_chance < _BY_CHANCE:
        return None
    share = _explained(column[known], answers[known])
    if not by_chance >= share / 2:
        return None
    return Doubt(feature.name, "chance", n=n_values, total=n, share=share, by_chance=by_chance)


def _explained(codes: Array, answers: Array) -> float:
    """The share of the variance of numbers, or of the Gini impurity of classes, that lies between the codes."""
    explained = whole = 0.0
    with np.errstate(all="ignore"):  # numbers near the ends of the floats, and answers that are all equal
        for each in [answers] if answers.dtype.kind == "f" else (answers == label for label in np.unique(answers)):
            centred = each - each.mean()
            explained += float(np.square(np.bincount(codes, centred)) @ (1 / np.maximum(np.bincount(codes), 1)))
            whole += float(np.square(centred).sum())
        return float(np.divide(explained, whole))


def numeric_doubt(name: str, column: Column, *, alone: bool = False) -> Doubt | None:
    """The reason why numbers may be codes for missing values, or row numbers; None without a doubt.

    Row numbers are not looked for where the column is `alone`.

    >>> print(numeric_doubt("id", np.arange(1.0, 11.0)))
    Feature 'id' numbers the rows, from 1 to 10. Leave it out by keep_columns, or give kinds=.
    """
    low, high = np.fmin.reduce(column), np.fmax.reduce(column)
    if low in _CODES and high >= 0 and np.count_nonzero(column < 0) == np.count_nonzero(column == low):
        return Doubt(name, "a code for missing", low=low)
    numbers_rows = not alone and low in (0, 1) and high - low == len(column) - 1 >= _FEW
    if numbers_rows and np.array_equal(np.sort(column), np.arange(low, high + 1)):
        return Doubt(name, "row numbers", low=low, high=high)
    return None


def target_doubt(name: str, n_rows: int, classes: Collection[Hashable]) -> Doubt | None:
    """The reason why the labels may not be classes; None without a doubt.

    >>> print(target_doubt("mpg", 1000, range(100)))
    Target 'mpg' has 100 numbers as classes, and may be a measurement. Give response='numbers', or classes=.
    """
    n = len(classes)
    if n > FEW_CLASSES and all(map(_is_numeric, classes)):
        return Doubt(name, "numbers as classes", n=n)
    if n > max(_FEW, _MOST * n_rows):
        return Doubt(name, "a class for each row", n=n, total=n_rows)
    return Doubt(name, "many classes", n=n) if n > _MANY_CLASSES else None


def numbers_doubt(name: str, column: Column, response: Any, choice: Any = None) -> Doubt | None:
    """The reason why numbers of a target may be classes, or too close together for their range; None without a doubt.

    Numbers that differ by a billionth of themselves, or of what most others differ by, may be rounded to one.

    >>> print(numbers_doubt("dose", np.array([0.5, 1.0, 2.0] * 10), numbers.of([0.5, 1.0, 2.0])))
    Target 'dose' has only 3 numbers in 30 rows, and may have classes. Give response='classes', or response='numbers'.
    >>> print(numbers_doubt("pay", np.array([1.0, 1.5, 1e13]), numbers.of([1.0, 1.5, 1e13])))
    Target 'pay' has numbers from 1 to 1e+13, so far apart that some are rounded to one. Leave out, or divide, the largest ones.
    """
    distinct = np.unique(column)
    if choice is None and len(distinct) <= _FEW and _SHARE_OF_CLASSES * len(distinct) <= len(column):
        return Doubt(name, "few numbers", n=len(distinct), total=len(column))
    steps = np.diff(distinct)
    scale = np.maximum(np.abs(distinct[:-1]), np.median(np.abs(distinct - np.median(distinct))))
    grid = response if isinstance(response, numbers) else numbers.of(distinct)
    rounded = np.diff(grid.whole(distinct)) == 0
    if not (rounded & (steps > _NEARLY_EQUAL * scale)).any():
        return None
    return Doubt(name, "numbers far apart", low=column.min(), high=column.max())


def _is_numeric(value: Any) -> bool:
    return reads_as_number(value) if isinstance(value, str) else is_number(value)


# Warnings


_PACKAGE = str(Path(__file__).parent.parent) + os.sep
# Where installed libraries are, whose calls are not the user's.
_LIBRARIES = ("site-packages", "dist-packages", sysconfig.get_path("stdlib"))
# The last call of the user's that read a table through a library, and the doubts that it was warned of.
_last_call: Any = None
_told: list[Doubt] = []


def warn_of(doubts: Iterable[Doubt | None]) -> None:
    """Warn of each doubt, at the user's line that reads the table; once if a library reads it repeatedly for that line."""
    global _last_call  # noqa: PLW0603  # a library that fits many times keeps nothing of ours from fit to fit
    level, reader = _caller(sys._getframe(), lambda file: file.startswith(_PACKAGE))  # noqa: SLF001  # the only way to the line
    further, user = _caller(reader, lambda file: any(place in file for place in _LIBRARIES))
    call = id(user), user.f_code, user.f_lasti
    if user is reader or call != _last_call:
        _told.clear()
    _last_call = call
    for doubt in filter(None, doubts):
        if doubt not in _told:
            _told.append(doubt)
            warnings.warn(str(doubt), stacklevel=1 + level + further)


def _caller(frame: FrameType, is_passed: Callable[[str], bool]) -> tuple[int, FrameType]:
    """The first frame, from this one outwards, whose file is not passed over, and how many are; the last one if all are."""
    n_passed = 0
    while frame.f_back is not None and is_passed(frame.f_code.co_filename):
        n_passed, frame = n_passed + 1, frame.f_back
    return n_passed, frame
