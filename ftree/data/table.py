"""Checks and coding of raw tables (rows, columns, files), for `Dataset.from_...` and `Dataset.read_csv`."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from ftree._lib.messages import short_repr
from ftree.data.coding import classes_of, encode, smallest_integers
from ftree.data.doubts import target_doubt, warn_of
from ftree.data.kinds import ColumnKind, KindChoice, column_kind
from ftree.data.missing_values import missing_among
from ftree.data.numbers import as_float, number_or_time
from ftree.data.origins import Origin, taken_for_missing
from ftree.data.values import Column, as_column, is_number_array, is_ordered, python_values
from ftree.tree.schema import Schema, as_name, unknown_name

Kinds: TypeAlias = "str | Mapping[str, KindChoice] | None"
# A schema, the columns, the labels, and where the columns come from.
Coded: TypeAlias = tuple[Schema, list[Column], Column, tuple[Origin, ...]]

# Floats add up whole weights exactly below this sum, and so class counts are exact.
_MAX_TOTAL_WEIGHT = 2**53


def code_table(
    columns: Mapping[str, Any],
    target: str,
    labels: Sequence[Any],
    kinds: Kinds,
    classes: Sequence[Hashable] | None,
    missing: Collection[Hashable],
) -> Coded:
    """Schema, coded columns, class codes and origins of named columns and labels; `Dataset.from_rows` explains the options.

    Warns of columns whose kind is in doubt.

    >>> schema, columns, codes, origins = code_table({"sky": ["grey", "blue"]}, "ride", [True, False], None, None, ())
    >>> schema.classes, columns[0].tolist(), codes.tolist(), origins[0].reason
    ((False, True), [1, 0], [1, 0], 'text')
    """
    is_missing = missing_among(missing)
    given = {name: as_column(name, values) for name, values in columns.items()}
    _check_lengths(given, labels)
    kind_of = _kind_of_each(kinds, tuple(given), target)
    decided = [column_kind(name, values, kind_of[name], is_missing) for name, values in given.items()]
    cells = [encode(each.feature, given[each.feature.name], is_missing) for each in decided]
    ordered = classes_of(target, labels, is_missing, classes)
    code_of = {label: code for code, label in enumerate(ordered)}
    codes = smallest_integers([code_of[label] for label in labels], len(ordered))
    warn_of([*(each.doubt for each in decided), target_doubt(target, len(labels), ordered) if classes is None else None])
    schema = Schema([each.feature for each in decided], target, ordered)
    return schema, cells, codes, tuple(map(_origin, decided, given.values(), cells))


def _origin(decided: ColumnKind, values: Any, column: Column) -> Origin:
    return Origin(decided.feature.name, decided.reason, taken_for_missing(values, column))


def columns_of_rows(rows: Any, labels: Any, features: Any) -> tuple[dict[str, Any], list[Any]]:
    """Rows as columns by name, and their labels."""
    values, n = _columns(rows)
    feature_names = _feature_names(features, len(values))
    if n and len(feature_names) != len(values):
        message = f"features must be {len(values)} names, one for each value of a row, got {len(feature_names)}."
        raise ValueError(message)
    answers = python_values(as_column("labels", labels))
    if len(answers) != n:
        message = f"labels must be one for each of the {n} rows, got {len(answers)}."
        raise ValueError(message)
    return by_unique_name(zip(feature_names, values if n else [()] * len(feature_names), strict=True)), answers


def _columns(rows: Any) -> tuple[Sequence[Any], int]:
    """The columns of rows, and the number of rows; those of an array are arrays, with its mask."""
    if isinstance(rows, np.ndarray) and rows.ndim == 2:  # noqa: PLR2004  # rows by columns
        return list(rows.T.copy()), len(rows)
    points = _checked_rows(rows)
    width = len(points[0]) if points else 0
    odd = next((row for row, point in enumerate(points) if len(point) != width), None)
    if odd is not None:
        message = f"rows must be equally long, got {width} values in row 0 and {len(points[odd])} in row {odd}."
        raise ValueError(message)
    return list(zip(*points, strict=True)), len(points)


def by_unique_name(columns: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """Columns by name, with the names as text.

    Raises a ValueError for two columns of one name.
    """
    by_name: dict[str, Any] = {}
    for name, column in columns:
        text = as_name(name)
        if text in by_name:
            message = f"Columns must have distinct names, got {text!r} twice. Names are compared as text."
            raise ValueError(message)
        by_name[text] = column
    return by_name


def split_off_target(columns: Any, target: str, weights: Any) -> tuple[dict[str, Any], list[Any], Any]:
    """Feature columns by name, labels, and weights; `weights` may be the name of a column."""
    if isinstance(columns, type) or not hasattr(columns, "items"):
        message = f"columns must be a mapping of names to columns, got {short_repr(columns)}. For rows, use from_rows."
        raise TypeError(message)
    by_name = by_unique_name(columns.items())
    for wanted in (target, weights) if isinstance(weights, str) else (target,):
        if wanted not in by_name:
            raise KeyError(unknown_name(wanted, tuple(by_name)))
    labels = python_values(as_column(target, by_name.pop(target)))
    if isinstance(weights, str) and weights == target:
        message = f"weights must not be the target's column, got {weights!r}."
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
    """Columns of a text table by name, as numbers where all cells are numbers, and the name of the target.

    The target's column stays text.
    """
    # Imported here, since only reading files needs them.
    from pathlib import Path  # noqa: PLC0415

    from ftree.data.csv_file import numbers_or_text, read_table  # noqa: PLC0415

    if not isinstance(path, str | PathLike):
        message = f"path must be text or a path, got {short_repr(path)}. For rows in memory, use from_rows or from_columns."
        raise TypeError(message)
    column_names, lines = read_table(Path(path), header=header, delimiter=delimiter, comment=comment)
    target_name = _target_name(target, column_names)
    kind_of = kinds if isinstance(kinds, Mapping) else dict.fromkeys(column_names, kinds)
    is_missing = missing_among(missing)
    cells: dict[str, Any] = dict(zip(column_names, zip(*lines, strict=True), strict=True))
    for name, column in cells.items():
        if name != target_name and not _is_text(kind_of.get(name)):
            cells[name] = numbers_or_text(column, is_missing.listed)
    if target_name in cells:
        classes_of(target_name, numbers_or_text(cells[target_name], is_missing.listed), is_missing)  # refuses measurements
    return cells, target_name


def weights_of(weights: Any) -> Column | None:
    """Weights as an array of whole numbers or floats; None stays None, and means that every row counts once.

    Raises a ValueError for weights that are not finite numbers from 0, or that sum to 2**53 or more.

    >>> weights_of([1, 2]).tolist()
    [1, 2]
    """
    if weights is None:
        return None
    column = as_column("weights", weights)
    plain = is_number_array(column) and not isinstance(column, np.ma.MaskedArray)
    array = np.asarray(column if plain else [_weight(*pair) for pair in enumerate(python_values(column))])
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if bad.size:
        message = f"weights must be finite numbers from 0, got {array[bad[0]]} in row {bad[0]}."
        raise ValueError(message)
    with np.errstate(over="ignore"):
        total = array.sum(dtype=np.float64)
    if total >= _MAX_TOTAL_WEIGHT:
        message = f"weights must sum to less than 2**53, so that counts are exact, got a sum of {total:g}. Divide them all."
        raise ValueError(message)
    return array.astype(np.int64 if array.dtype.kind in "iub" else np.float64)


def _check_lengths(columns: Mapping[str, Any], labels: Sequence[Any]) -> None:
    if not len(labels):
        message = "A dataset must have at least one row, got none. Values and classes are taken from the rows."
        raise ValueError(message)
    for name, values in columns.items():
        if len(values) != len(labels):
            message = f"Column {name!r} must have one value for each of the {len(labels)} labels, got {len(values)}."
            raise ValueError(message)


def _kind_of_each(kinds: Kinds, known: tuple[str, ...], target: str) -> dict[str, KindChoice]:
    if kinds is None or isinstance(kinds, str):
        return dict.fromkeys(known, kinds)
    if not isinstance(kinds, Mapping):
        message = f"kinds must be one kind for all features, or a mapping of names to kinds, got {short_repr(kinds)}."
        raise TypeError(message)
    for name in kinds:
        if name == target:
            message = f"kinds must be for features, got the target {name!r}. Leave it out, since its values are the classes."
            raise ValueError(message)
        if name not in known:
            raise KeyError(unknown_name(name, known))
    return {name: kinds.get(name) for name in known}


def _checked_rows(rows: Any) -> list[tuple[Any, ...]]:
    if not is_ordered(rows):
        message = f"rows must be a sequence of rows, got {short_repr(rows)}. For columns by name, use from_columns."
        raise TypeError(message)
    listed = list(rows)
    for row, values in enumerate(listed):
        if not is_ordered(values):
            remedy = "Write a single value as a list of one. For columns by name, use from_columns."
            message = f"A row must be a sequence of values, got {short_repr(values)} as row {row}. {remedy}"
            raise TypeError(message)
    return list(map(tuple, listed))


def _feature_names(features: Any, width: int) -> list[str]:
    if features is None:
        return [f"x{number}" for number in range(width)]
    if not is_ordered(features):
        message = f"features must be a sequence of names, such as ['sky', 'wind'], got {short_repr(features)}."
        raise TypeError(message)
    return list(map(as_name, features))


def _target_name(target: str | int, column_names: Sequence[str]) -> str:
    if isinstance(target, str):
        return target
    n = len(column_names)
    is_number = isinstance(target, (int, np.integer)) and not isinstance(target, np.timedelta64)
    if not is_number or not -n <= target < n:
        message = f"target must be a column's name, or a number from 0 to {n - 1} (-1 is the last), got {short_repr(target)}."
        raise ValueError(message)
    return column_names[target]


def _is_text(kind: Any) -> bool:
    """Whether the cells of a column of that kind stay text; those of an ordinal one do if its order lists texts."""
    if not is_ordered(kind):
        return isinstance(kind, str) and kind == "nominal"
    return all(isinstance(value, str) for value in kind)


def _weight(row: int, weight: Any) -> float:
    """One weight as a number, also from text; None becomes NaN, which the caller refuses."""
    try:
        known = number_or_time(weight) if isinstance(weight, str) else weight
        number = as_float(float("nan") if known is None else known)
    except (TypeError, ValueError, OverflowError):
        message = f"weights must be numbers, got {short_repr(weight)} in row {row}."
        raise ValueError(message) from None
    return int(known) if isinstance(known, int) and abs(known) < _MAX_TOTAL_WEIGHT else number
