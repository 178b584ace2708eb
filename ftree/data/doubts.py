"""Doubts about columns, of which users are warned: a feature may have another kind, or a target be no class.

A column gets one warning, so a function about several kinds of doubt returns the first that it finds. It looks first for those
whose remedy ends the later ones too: numbers written as texts mostly have a value for each row.

To add a kind, extend or write a function. A feature's kind asks about texts, `table._doubts` about numbers and chance,
`table.doubt_of_target` about the target. `scan.survey` asks all but chance, by what `scan.column_statistics` keeps of a column.
`tests/data/test_doubts.py` fails until its table has the kind.
"""

import re
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.messages import short_repr
from ftree.data.values import Column, in_order, is_number, reads_as_number
from ftree.tree.response import numbers
from ftree.tree.schema import Feature


@frozen
class Doubt:
    """A doubt about a column, or about what stands in its place: its kind, and the text of the warning, which it prints.

    Doubts of a kind about a column are equal, whatever the figures of the text, which differ from part to part of a table.

    >>> Doubt("numbers in texts", "age", "9 of its 9 values") == Doubt("numbers in texts", "age", "20 of its 20 values")
    True
    """

    kind: str
    column: str
    text: str = field(eq=False)

    def __str__(self) -> str:
        """The text of the warning."""
        return self.text


# A column is in doubt if this share of its rows are numbers, or if it has more distinct values than this share of its rows.
_MOST = 0.9
# Up to this many distinct values, a nominal feature is not in doubt.
_FEW = 9


def feature_doubt(name: str, counts: Mapping[Hashable, int]) -> Doubt | None:
    """The reason why a feature, given its known values with their numbers of rows, may not be nominal; None without a doubt.

    >>> print(feature_doubt("age", {"1": 9, "2": 9, "unknown": 1}))
    Feature 'age' is nominal, but 18 of its 19 values are numbers, as 'unknown' is not. List it in missing=, or give kinds=.
    """
    total, numeric = sum(counts.values()), set(filter(_is_numeric, counts))
    found = _doubt_of_numbers(name, counts, numeric, total) or _doubt_of_notation(name, counts, numeric, total)
    if found is None and len(counts) > max(_FEW, _MOST * total):
        text = f"Feature {name!r} is nominal with {len(counts)} values in {total} rows. Omit it, or give kinds=."
        return Doubt("a value for each row", name, text)
    return found


def _doubt_of_numbers(name: str, counts: Mapping[Hashable, int], numeric: set[Hashable], total: int) -> Doubt | None:
    n = sum(counts[value] for value in numeric)
    odd = in_order(value for value in counts if value not in numeric)
    marks = odd and all(isinstance(value, str) and not any(map(str.isalnum, value)) for value in odd)
    if not n or n < (0.5 if marks else _MOST) * total or (n == total and len(counts) <= _FEW):
        return None
    nominal = f"Feature {name!r} is nominal, but {n} of its {total} values are numbers"
    if odd:
        remedy = "List it in missing=, or give kinds=."
        return Doubt("a few are no numbers", name, f"{nominal}, as {short_repr(odd[0])} is not. {remedy}")
    return Doubt("numbers in texts", name, f"{nominal}, written as text. Give kinds=.")


# Other notations of numbers and dates, which are read as texts: their pattern, their name, and the remedy.
_NOTATIONS = (
    (
        re.compile(r"[-+]?\d[\d.]*(,\d+)+"),
        "numbers with a comma",
        "Read the file with decimal=',' if it begins the decimals, convert them beforehand if it separates thousands",
    ),
    (re.compile(r"[-+]?[$€£]?\s?\d[\d.,]*\s?[%$€£]?"), "numbers with a sign", "Convert them beforehand"),
    (
        re.compile(r"(\d{1,2}-\d{1,2}-|\d{1,2}\.\d{1,2}\.|\d{1,4}/\d{1,2}/)\d{2,4}( .*)?"),
        "dates in another form than 2020-01-31",
        "Read the file with their form, as dates={{{!r}: '%d/%m/%Y'}}",
    ),
)


def _doubt_of_notation(name: str, counts: Mapping[Hashable, int], numeric: set[Hashable], total: int) -> Doubt | None:
    texts = [value for value in counts if isinstance(value, str) and value not in numeric]
    for pattern, kind, remedy in _NOTATIONS:
        written_so = [text for text in texts if pattern.fullmatch(text)]
        n = sum(counts[text] for text in written_so)
        if written_so and n >= _MOST * total:
            values = f"{n} of its {total} values are {kind}, such as {short_repr(written_so[0])}"
            return Doubt(kind, name, f"Feature {name!r} is nominal, but {values}. {remedy.format(name)}, or give kinds=.")
    return None


def _is_numeric(value: Any) -> bool:
    return reads_as_number(value) if isinstance(value, str) else is_number(value)


# Chance is in doubt from a twentieth of the impurity on, as with 20 rows for each value: rpart divides no fewer.
_BY_CHANCE = 0.05


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
    explained = f"they explain {share:.0%} of the target, {by_chance:.0%} by chance. Call merge_rare, omit it, or give kinds=."
    return Doubt("chance", feature.name, f"Feature {feature.name!r} has {n_values} values in {n} rows: {explained}")


def _explained(codes: Array, answers: Array) -> float:
    """The share of the variance of numbers, or of the Gini impurity of classes, that lies between the codes."""
    explained = whole = 0.0
    with np.errstate(all="ignore"):  # numbers near the ends of the floats, and answers that are all equal
        for each in [answers] if answers.dtype.kind == "f" else (answers == label for label in np.unique(answers)):
            centred = each - each.mean()
            explained += float(np.square(np.bincount(codes, centred)) @ (1 / np.maximum(np.bincount(codes), 1)))
            whole += float(np.square(centred).sum())
        return float(np.divide(explained, whole))


# Numbers that often stand for a missing value.
_CODES = (-99.0, -999.0, -9999.0, -99999.0)


def numeric_doubt(name: str, column: Column, *, may_number_rows: bool) -> Doubt | None:
    """The reason why numbers may be codes for missing values, or row numbers; None without a doubt.

    Only a column that `may_number_rows` is in doubt as row numbers; the only feature of a table may not.

    >>> print(numeric_doubt("id", np.arange(1.0, 11.0), may_number_rows=True))
    Feature 'id' numbers the rows, from 1 to 10. Leave it out by keep_columns, or give kinds=.
    """
    low, high = np.fmin.reduce(column), np.fmax.reduce(column)
    if low in _CODES and np.count_nonzero(column < 0) == np.count_nonzero(column == low):
        remedy = "If it means missing, list it in missing=, or give kinds=."
        return Doubt("a code for missing", name, f"Feature {name!r} is numeric, but {low:g} is its only number below 0. {remedy}")
    numbers_rows = may_number_rows and low in (0, 1) and high - low == len(column) - 1 >= _FEW
    if numbers_rows and np.array_equal(np.sort(column), np.arange(low, high + 1)):
        remedy = "Leave it out by keep_columns, or give kinds=."
        return Doubt("row numbers", name, f"Feature {name!r} numbers the rows, from {low:g} to {high:g}. {remedy}")
    return None


# Up to this many whole numbers may be classes: digits, grades, letters by number.
FEW_CLASSES = 30
# From more classes on, growth takes minutes for some ten thousand rows.
_MANY_CLASSES = 1000


def target_doubt(name: str, n_rows: int, classes: Collection[Hashable]) -> Doubt | None:
    """The reason why the labels may not be classes; None without a doubt.

    >>> print(target_doubt("mpg", 1000, range(100)))
    Target 'mpg' has 100 numbers as classes, and may be a measurement. Give response='numbers', or classes=.
    """
    n, target = len(classes), f"Target {name!r} has {len(classes)}"
    if n > FEW_CLASSES and all(map(_is_numeric, classes)):
        remedy = "Give response='numbers', or classes=."
        return Doubt("numbers as classes", name, f"{target} numbers as classes, and may be a measurement. {remedy}")
    if n > max(_FEW, _MOST * n_rows):
        remedy = "Choose another column, or list them in classes=."
        return Doubt("a class for each row", name, f"{target} classes in {n_rows} rows. {remedy}")
    time = "Each level of growth takes time in proportion to rows times classes: merge rare ones, or list them in classes=."
    return Doubt("many classes", name, f"{target} classes. {time}") if n > _MANY_CLASSES else None


# Few numbers that each occur so often on average may be classes.
_SHARE_OF_CLASSES = 10
_NEARLY_EQUAL = 1e-9


def numbers_doubt(name: str, distinct: Floats, n_rows: int, response: Any, choice: Any = None) -> Doubt | None:
    """The reason why a target's distinct numbers, in order, may be classes, or too close for their range; None without a doubt.

    Numbers that differ by a billionth of themselves, or of what most others differ by, may be rounded to one.

    >>> print(numbers_doubt("dose", np.array([0.5, 1.0, 2.0]), 30, numbers.of([0.5, 1.0, 2.0])))
    Target 'dose' has only 3 numbers in 30 rows, and may have classes. Give response='classes', or response='numbers'.
    >>> print(numbers_doubt("pay", np.array([1.0, 1.5, 1e13]), 3, numbers.of([1.0, 1.5, 1e13])))
    Target 'pay' has numbers from 1 to 1e+13, so far apart that some are rounded to one. Leave out, or divide, the largest ones.
    """
    if choice is None and len(distinct) <= _FEW and _SHARE_OF_CLASSES * len(distinct) <= n_rows:
        remedy = "Give response='classes', or response='numbers'."
        text = f"Target {name!r} has only {len(distinct)} numbers in {n_rows} rows, and may have classes. {remedy}"
        return Doubt("few numbers", name, text)
    steps = np.diff(distinct)
    scale = np.maximum(np.abs(distinct[:-1]), np.median(np.abs(distinct - np.median(distinct))))
    grid = response if isinstance(response, numbers) else numbers.of(distinct)
    rounded = np.diff(grid.whole(distinct)) == 0
    if not (rounded & (steps > _NEARLY_EQUAL * scale)).any():
        return None
    apart = "so far apart that some are rounded to one. Leave out, or divide, the largest ones."
    text = f"Target {short_repr(name)} has numbers from {distinct[0]:g} to {distinct[-1]:g}, {apart}"
    return Doubt("numbers far apart", name, text)
