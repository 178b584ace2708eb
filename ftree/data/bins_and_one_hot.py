"""Columns of numbers divided into ranges; one-hot columns, joined into one or made of one: of a dataset, or before it is made."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from ftree._lib.arrays import Floats, missing_cells
from ftree._lib.fields import repeated
from ftree._lib.messages import joined, short_repr
from ftree.data.coding import decode, floats, smallest_integers
from ftree.data.values import USUALLY_MISSING, Column, as_column, is_number, is_ordered, number_in_text, python_values
from ftree.tree.formats import format_number
from ftree.tree.schema import Feature, is_hashable


def binned(values: Any, *, cuts: Sequence[float], labels: Sequence[Hashable] | None = None) -> list[Hashable]:
    """The label of each number's range, None where the number is missing; it turns a measurement into a target.

    Ranges end at the cuts and include them, as the branch `x <= cut` of a tree does. There is one label more than there are
    cuts; without `labels` they are texts such as "<= 15", "15 to 25" and "> 25".

    Raises a ValueError for cuts that do not increase, for a wrong number of labels, and for values that are not numbers.

    >>> binned([31.5, 15, None, 16], cuts=(15, 25), labels=("bad", "OK", "good"))
    ['good', 'bad', None, 'OK']
    """
    edges, names = checked_cuts(cuts, labels)
    return [None if code < 0 else names[code] for code in bin_codes(floats("values", values, USUALLY_MISSING), edges).tolist()]


def checked_cuts(cuts: Any, labels: Any) -> tuple[tuple[float, ...], tuple[Hashable, ...]]:
    """Cuts and labels as tuples; without labels they are texts of the ranges.

    Raises a ValueError for cuts that do not increase, and for a wrong number of labels.

    >>> checked_cuts([15, 25], None)
    ((15, 25), ('<= 15', '15 to 25', '> 25'))
    """
    edges = tuple(cuts) if is_ordered(cuts) else ()
    increasing = all(is_number(cut) and isfinite(cut) for cut in edges) and all(low < high for low, high in pairwise(edges))
    if not edges or not increasing:
        raise ValueError(f"cuts must be numbers in increasing order, such as (15, 25), got {short_repr(cuts)}.")
    names = _range_texts(edges) if labels is None else tuple(labels) if is_ordered(labels) else ()
    if not is_hashable(names) or len(set(names)) != len(edges) + 1:
        message = f"labels must be {len(edges) + 1} distinct values, one more than there are cuts, got {short_repr(labels)}."
        raise ValueError(message)
    return edges, names


def in_ranges(feature: Feature, column: Column, cuts: Any, labels: Any) -> tuple[Feature, Column]:
    """A column of a dataset divided into ranges: an ordinal feature with the labels as its values.

    Raises a ValueError for a nominal or ordinal feature with values that are not numbers.

    >>> in_ranges(Feature("age", "numeric"), np.array([20.0, 60.0]), [50], ["young", "old"])
    (Feature(name='age', kind='ordinal', values=('young', 'old')), array([0, 1], dtype=int8))
    """
    edges, names = checked_cuts(cuts, labels)
    if feature.kind == "numeric":
        return Feature(feature.name, "ordinal", names), bin_codes(column, edges)
    if not all(map(is_number, feature.values)):
        raise ValueError(f"A column to divide must hold numbers, got {short_repr(feature.name)}, which is {feature.kind}.")
    numbers: tuple[Any, ...] = feature.values
    codes = bin_codes(np.array([*map(float, numbers), np.nan]), edges)  # the last code is that of missing values
    return Feature(feature.name, "ordinal", names), codes[column]


def bin_codes(numbers: Column, cuts: Sequence[float]) -> Column:
    """The number of each value's range, -1 where the value is missing.

    >>> bin_codes(np.array([15.0, 15.5, np.nan]), (15, 25)).tolist()
    [0, 1, -1]
    """
    codes = np.searchsorted(np.asarray(cuts, dtype=np.float64), numbers, side="left")
    return smallest_integers(np.where(missing_cells(numbers), -1, codes), len(cuts) + 1)


def _range_texts(cuts: Sequence[float]) -> tuple[str, ...]:
    texts = [format_number(cut if isinstance(cut, float) else float(cut)) for cut in cuts]
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return f"<= {texts[0]}", *between, f"> {texts[-1]}"


_WORDS = {"true": True, "false": False, "yes": True, "no": False}


def from_one_hot(columns: Mapping[str, Any]) -> list[str]:
    """The name of the column that is true in each row: one-hot label columns as one column of labels.

    True, 1 and "1" are true, and so are "true" and "yes" in any case; False, 0, "0", "false" and "no" are false.

    Raises a ValueError that gives the row where no column or several columns are true, and for other values.

    >>> from_one_hot({"setosa": [1, 0], "virginica": [0, 1]})
    ['setosa', 'virginica']
    """
    if not isinstance(columns, Mapping) or not columns:
        raise TypeError(f"columns must be a mapping of names to one-hot columns, got {short_repr(columns)}.")
    names = list(map(str, columns))
    for twice in repeated(names):
        raise ValueError(f"columns must have distinct names, got {twice!r} twice. Names are compared as text.")
    truths = [_truths(name, python_values(as_column(name, cells))) for name, cells in columns.items()]
    return [names[code] for code in hot_codes(names, truths).tolist()]


def hot_codes(names: Sequence[str], truths: Sequence[Sequence[bool]]) -> Column:
    """The number of the column that is true in each row.

    >>> hot_codes(["a", "b"], [[True, False], [False, True]]).tolist()
    [0, 1]
    """
    if len({len(each) for each in truths}) != 1:
        raise ValueError(f"One-hot columns must be equally long, got lengths {short_repr([len(each) for each in truths])}.")
    table = np.array(truths)
    wrong = np.flatnonzero(table.sum(axis=0) != 1)
    if wrong.size:
        row = int(wrong[0])
        message = f"Exactly one of {joined(map(repr, names))} must be true in each row, got {table[:, row].sum()} in row {row}."
        raise ValueError(message)
    codes: Column = table.argmax(axis=0)
    return codes


def joined_columns(
    pairs: Sequence[tuple[Feature, Column]], one_hot: Sequence[tuple[Feature, Column]], into: str
) -> list[tuple[Feature, Column]]:
    """The columns of a dataset with the one-hot ones joined into a nominal one, at the position of the first of them.

    >>> a, b = ((Feature(name, "nominal", (0, 1)), np.array(codes)) for name, codes in [("a", [1, 0]), ("b", [0, 1])])
    >>> joined_columns([a, b], [a, b], "letter")
    [(Feature(name='letter', kind='nominal', values=('a', 'b')), array([0, 1], dtype=int8))]
    """
    names = [feature.name for feature, _ in one_hot]
    codes = hot_codes(names, [_truths(feature.name, decode(feature, column)) for feature, column in one_hot])
    place = next(number for number, (feature, _) in enumerate(pairs) if feature.name in names)
    kept = [pair for pair in pairs if pair[0].name not in names]
    return [*kept[:place], (Feature(into, "nominal", names), smallest_integers(codes, len(names))), *kept[place:]]


def numeric_columns(feature: Feature, column: Column) -> Floats:
    """A feature's column as numbers (n, D): one-hot, all 0 where missing, or for kinds with an order itself, NaN where missing.

    >>> numeric_columns(Feature("letter", "nominal", ("a", "b")), np.array([0, 1, -1])).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    if feature.kind == "nominal":
        block = column[:, None] == np.arange(len(feature.values))
    else:
        block = (column if column.dtype.kind == "f" else np.where(column < 0, np.nan, column))[:, None]
    return np.asarray(block, dtype=np.float64)


def _truths(name: str, cells: Sequence[Any]) -> list[bool]:
    return [_truth(name, row, cell) for row, cell in enumerate(cells)]


def _truth(name: str, row: int, cell: Any) -> bool:
    known = None if USUALLY_MISSING(cell) else cell
    if isinstance(known, str):
        known = _WORDS.get(known.strip().lower(), _number(known))
    if known not in (0, 1):
        raise ValueError(
            f"Values of the one-hot column {short_repr(name)} must be true or false, got {short_repr(cell)} in row {row}."
        )
    return bool(known)


def _number(text: str) -> float | None:
    try:
        return number_in_text(text)
    except ValueError:
        return None
