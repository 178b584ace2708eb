"""One-hot columns, of which exactly one is true in each row, joined into one column."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ftree._lib.messages import joined, short_repr
from ftree.data.coding import decode, smallest_integers
from ftree.data.missing_values import USUALLY_MISSING
from ftree.data.numbers import number_in_text
from ftree.data.values import Column, as_column, python_values
from ftree.tree.schema import Feature

_WORDS = {"true": True, "false": False, "yes": True, "no": False}


def from_one_hot(columns: Mapping[str, Any]) -> list[str]:
    """The name of the column that is true in each row: one-hot label columns as one column of labels.

    True, 1 and "1" are true, and so are "true" and "yes" in any case; False, 0, "0", "false" and "no" are false.

    Raises a ValueError that gives the row where no column or several columns are true, and for other values.

    >>> from_one_hot({"setosa": [1, 0], "virginica": [0, 1]})
    ['setosa', 'virginica']
    """
    if not isinstance(columns, Mapping) or not columns:
        message = f"columns must be a mapping of names to one-hot columns, got {short_repr(columns)}."
        raise TypeError(message)
    names = list(map(str, columns))
    truths = [_truths(name, python_values(as_column(name, cells))) for name, cells in columns.items()]
    return [names[code] for code in hot_codes(names, truths).tolist()]


def hot_codes(names: Sequence[str], truths: Sequence[Sequence[bool]]) -> Column:
    """The number of the column that is true in each row.

    >>> hot_codes(["a", "b"], [[True, False], [False, True]]).tolist()
    [0, 1]
    """
    if len({len(each) for each in truths}) != 1:
        message = f"One-hot columns must be equally long, got lengths {short_repr([len(each) for each in truths])}."
        raise ValueError(message)
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


def _truths(name: str, cells: Sequence[Any]) -> list[bool]:
    return [_truth(name, row, cell) for row, cell in enumerate(cells)]


def _truth(name: str, row: int, cell: Any) -> bool:
    known = None if USUALLY_MISSING(cell) else cell
    if isinstance(known, str):
        known = _WORDS.get(known.strip().lower(), _number(known))
    if known not in (0, 1):
        message = f"Values of the one-hot column {name!r} must be true or false, got {short_repr(cell)} in row {row}."
        raise ValueError(message)
    return bool(known)


def _number(text: str) -> float | None:
    try:
        return number_in_text(text)
    except ValueError:
        return None
