"""Tables of raw values: rows, columns and files, checked and coded; what `Dataset.from_...` and `read_csv` are made of.

Everything a person can get wrong about a table is answered here: what was wanted, what came, what to do.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from ftree._lib.messages import short_repr
from ftree.data.coding import (
    Column,
    Wanted,
    as_column,
    classes_of,
    encode,
    feature_of,
    is_number_array,
    is_ordered,
    missing_among,
    python_values,
    smallest_integers,
)
from ftree.tree.schema import Schema, unknown_name

Kinds: TypeAlias = "str | Mapping[str, Wanted] | None"
Coded: TypeAlias = tuple[Schema, list[Column], Column]

# Sums of whole weights below this are exact in floats, and so are class counts.
_TOO_HEAVY = 2**53


def coded(
    columns: Mapping[str, Any],
    target: str,
    labels: Sequence[Any],
    kinds: Kinds,
    classes: Sequence[Hashable] | None,
    missing: Collection[Hashable],
) -> Coded:
    """Schema, coded columns and class codes of named columns and their labels; `Dataset.from_rows` tells the options.

    >>> schema, columns, codes = coded({"sky": ["grey", "blue"]}, "ride", [True, False], None, None, ())
    >>> schema.classes, columns[0].tolist(), codes.tolist()
    ((False, True), [1, 0], [1, 0])
    """
    is_missing = missing_among(missing)
    given = {name: as_column(name, values) for name, values in columns.items()}
    _check_lengths(given, labels)
    wanted = _wanted(kinds, tuple(given), target)
    features = [feature_of(name, values, wanted[name], is_missing) for name, values in given.items()]
    cells = [encode(feature, given[feature.name], is_missing) for feature in features]
    ordered = classes_of(target, labels, is_missing, classes)
    code_of = {label: code for code, label in enumerate(ordered)}
    codes = smallest_integers([code_of[label] for label in labels], len(ordered))
    return Schema(features, target, ordered), cells, codes


def columns_of_rows(rows: Any, labels: Any, features: Any) -> tuple[dict[str, Any], list[Any]]:
    """Rows as columns by name, and the labels, as many of them as rows."""
    points = _points(rows)
    width = len(points[0]) if points else 0
    odd = next((row for row, point in enumerate(points) if len(point) != width), None)
    if odd is not None:
        message = f"Rows must be equally long; row 0 has {width} values, row {odd} has {len(points[odd])}."
        raise ValueError(message)
    called = _called(features, width)
    if points and len(called) != width:
        message = f"{len(called)} feature names came for rows of {width} values."
        raise ValueError(message)
    answers = python_values(as_column("labels", labels))
    if len(answers) != len(points):
        message = f"Each row has one label; {len(points)} rows and {len(answers)} labels came."
        raise ValueError(message)
    return named(zip(called, zip(*points, strict=True) if points else [()] * len(called), strict=True)), answers


def named(columns: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """Columns by name, the names as text; refused when two of them are one."""
    by_name: dict[str, Any] = {}
    for name, column in columns:
        if str(name) in by_name:
            message = f"Two columns are named {str(name)!r}; names are compared as text."
            raise ValueError(message)
        by_name[str(name)] = column
    return by_name


def divided(columns: Any, target: str, weights: Any) -> tuple[dict[str, Any], list[Any], Any]:
    """Columns without the target and the weights, the labels, and the weights, which may name a column."""
    if not hasattr(columns, "items"):
        message = f"columns is a mapping of names to columns; {short_repr(columns)} came. Rows go to from_rows."
        raise TypeError(message)
    by_name = named(columns.items())
    for wanted in (target, weights) if isinstance(weights, str) else (target,):
        if wanted not in by_name:
            raise KeyError(unknown_name(wanted, tuple(by_name)))
    labels = python_values(as_column(target, by_name.pop(target)))
    if isinstance(weights, str) and weights == target:
        message = f"{weights!r} is the target; the column of weights must be another one."
        raise ValueError(message)
    return by_name, labels, by_name.pop(weights) if isinstance(weights, str) else weights


def columns_of_file(
    path: str | PathLike[str],
    target: str | int,
    kinds: Kinds,
    missing: Collection[str],
    *,
    header: bool | Sequence[str],
    delimiter: str | None,
    comment: str | None,
) -> tuple[dict[str, Any], str]:
    """Columns of a text table by name, numbers where every cell is one, and the name of the target, which stays text."""
    # Loaded where a file is read, since they load what only that needs.
    from pathlib import Path  # noqa: PLC0415

    from ftree.data.csv_file import numbers_or_text, read_table  # noqa: PLC0415

    called, lines = read_table(Path(path), header=header, delimiter=delimiter, comment=comment)
    labelled = _target_name(target, called)
    wanted = kinds if isinstance(kinds, Mapping) else dict.fromkeys(called, kinds)
    listed = missing_among(missing).listed
    cells: dict[str, Any] = dict(zip(called, zip(*lines, strict=True), strict=True))
    for name, column in cells.items():
        if name != labelled and not _is_text(wanted.get(name)):
            cells[name] = numbers_or_text(column, listed)
    if labelled in cells:
        classes_of(labelled, numbers_or_text(cells[labelled], listed), missing_among(missing))  # refuses measurements
    return cells, labelled


def weights_of(weights: Any) -> Column | None:
    """Weights as an array of whole numbers or floats, or None when every row counts once.

    >>> weights_of([1, 2]).tolist()
    [1, 2]
    """
    if weights is None:
        return None
    column = as_column("weights", weights)
    array = np.asarray(column if is_number_array(column) else [_weight(*pair) for pair in enumerate(python_values(column))])
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if bad.size:
        message = f"Weights must be finite and not negative; row {bad[0]} has {array[bad[0]]}."
        raise ValueError(message)
    with np.errstate(over="ignore"):
        total = array.sum(dtype=np.float64)
    if total >= _TOO_HEAVY:
        message = f"Weights must sum to less than 2**53, so that counts are exact; they sum to {total:g}. Divide them all."
        raise ValueError(message)
    return array.astype(np.int64 if array.dtype.kind in "iub" else np.float64)


def _check_lengths(columns: Mapping[str, Any], labels: Sequence[Any]) -> None:
    if not len(labels):
        message = "A dataset needs at least one row, to know its values and classes; none came."
        raise ValueError(message)
    for name, values in columns.items():
        if len(values) != len(labels):
            message = f"Column {name!r} must have one value for each of the {len(labels)} labels; it came with {len(values)}."
            raise ValueError(message)


def _wanted(kinds: Kinds, known: tuple[str, ...], target: str) -> dict[str, Wanted]:
    if kinds is None or isinstance(kinds, str):
        return dict.fromkeys(known, kinds)
    if not isinstance(kinds, Mapping):
        message = f"kinds is one word for all features, or a mapping of names to kinds; it came as {short_repr(kinds)}."
        raise TypeError(message)
    for name in kinds:
        if name == target:
            message = f"kinds are the features'; {name!r} is the target, and its values are the classes. Leave it out."
            raise ValueError(message)
        if name not in known:
            raise KeyError(unknown_name(name, known))
    return {name: kinds.get(name) for name in known}


def _points(rows: Any) -> list[tuple[Any, ...]]:
    if not is_ordered(rows):
        message = f"rows is a sequence of rows; {short_repr(rows)} came. Columns by name go to from_columns."
        raise TypeError(message)
    listed = list(rows)
    for row, values in enumerate(listed):
        if not is_ordered(values):
            message = (
                f"A row is a sequence of values; row {row} is {short_repr(values)}."
                " A single value stands in a list of one; columns by name go to from_columns."
            )
            raise TypeError(message)
    return list(map(tuple, listed))


def _called(features: Any, width: int) -> list[str]:
    if features is None:
        return [f"x{number}" for number in range(width)]
    if not is_ordered(features):
        message = f"features is a sequence of names, such as ['sky', 'wind']; it came as {short_repr(features)}."
        raise TypeError(message)
    return list(map(str, features))


def _target_name(target: str | int, called: Sequence[str]) -> str:
    if isinstance(target, str):
        return target
    if not isinstance(target, (int, np.integer)) or not -len(called) <= target < len(called):
        message = (
            f"The target is a column's name, or a number from 0 to {len(called) - 1} (-1 is the last); {short_repr(target)} came."
        )
        raise ValueError(message)
    return called[target]


def _is_text(wanted: Any) -> bool:
    """Whether cells of a column of that kind are to stay text: an ordinal's are what its order lists."""
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        return wanted == "nominal"
    return all(isinstance(value, str) for value in wanted)


def _weight(row: int, weight: Any) -> float:
    """One weight as a number, from text as well; None is NaN, and refused with it."""
    try:
        whole = isinstance(weight, int) and abs(weight) < _TOO_HEAVY
        return int(weight) if whole else float("nan" if weight is None else weight)
    except (TypeError, ValueError, OverflowError):
        message = f"Weights must be numbers; row {row} has {short_repr(weight)}."
        raise ValueError(message) from None
