"""Doubts about kinds: texts that are mostly numbers, values nearly all distinct, classes that may be measurements."""

import os
import sys
import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ftree._lib.messages import short_repr
from ftree.data.numbers import reads_as_number
from ftree.data.values import in_order, is_number

# A column is in doubt if this share of its rows are numbers, or if it has more distinct values than this share of its rows.
_MOST = 0.9
# Up to this many distinct values, a nominal feature is not in doubt.
_FEW = 9
# Up to this many whole numbers may be classes: digits, grades, letters by number.
_FEW_CLASSES = 30

_PACKAGE = str(Path(__file__).parent.parent) + os.sep


def feature_doubt(name: str, counts: Mapping[Hashable, int]) -> str | None:
    """The reason why a feature, given its known values with their numbers of rows, may not be nominal; None without a doubt.

    >>> feature_doubt("age", {"1": 9, "2": 9, "unknown": 1})
    "Feature 'age' is nominal, but 18 of its 19 values are numbers, as 'unknown' is not. List it in missing=, or give kinds=."
    """
    numbers = {value for value in counts if _is_numeric(value)}
    total = sum(counts.values())
    n_numbers = sum(counts[value] for value in numbers)
    if numbers and n_numbers >= _MOST * total and (n_numbers < total or len(counts) > _FEW):
        odd = in_order(value for value in counts if value not in numbers)
        but = f"as {short_repr(odd[0])} is not. List it in missing=, or give kinds=." if odd else "written as text. Give kinds=."
        return f"Feature {name!r} is nominal, but {n_numbers} of its {total} values are numbers, {but}"
    if len(counts) > max(_FEW, _MOST * total):
        return f"Feature {name!r} is nominal with {len(counts)} values in {total} rows. Omit it, or give kinds=."
    return None


def target_doubt(name: str, n_rows: int, classes: Collection[Hashable]) -> str | None:
    """The reason why the labels may not be classes; None without a doubt.

    >>> target_doubt("mpg", 1000, range(100))
    "Target 'mpg' has 100 numbers as classes, and may be a measurement. Divide it into ranges, or list them in classes=."
    """
    if len(classes) > _FEW_CLASSES and all(map(_is_numeric, classes)):
        remedy = "Divide it into ranges, or list them in classes=."
        return f"Target {name!r} has {len(classes)} numbers as classes, and may be a measurement. {remedy}"
    if len(classes) > max(_FEW, _MOST * n_rows):
        remedy = "Choose another column, or list them in classes=."
        return f"Target {name!r} has {len(classes)} classes in {n_rows} rows. {remedy}"
    return None


def warn_of(doubts: Iterable[str | None]) -> None:
    """Warn of each doubt, at the line outside the package that reads the table."""
    level, frame = 1, sys._getframe()  # noqa: SLF001  # the only way to the line that reads the table
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    for doubt in doubts:
        if doubt is not None:
            warnings.warn(doubt, stacklevel=level)


def _is_numeric(value: Any) -> bool:
    return reads_as_number(value) if isinstance(value, str) else is_number(value)
