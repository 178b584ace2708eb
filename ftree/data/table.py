"""Checks and coding of raw tables (rows, columns, files), for `Dataset.from_...` and `Dataset.read_csv`."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import compress
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import evolve
from toolz import dissoc

from ftree._lib.fields import require_boolean
from ftree._lib.messages import joined, short_repr
from ftree.data.coding import are_measured, classes_of, encode, encode_all
from ftree.data.columns import ROW_NAMES, Encoded, encoded_numbers, read_column, rows_of
from ftree.data.frames import NamedColumns, as_table, by_unique_name, columns_of_sequences
from ftree.data.kinds import (
    KindChoice,
    Origin,
    chance_doubt,
    column_kind,
    numbers_doubt,
    numeric_doubt,
    taken_for_missing,
    target_doubt,
    warn_of,
)
from ftree.data.missing_values import missing_among
from ftree.data.numeric_columns import floats, measurements, time_kind, with_times
from ftree.data.values import Column, as_column, as_float, is_number_array, is_ordered, number_or_time, python_values
from ftree.tree.additive import ResponseOfSums, exact_sums
from ftree.tree.events import events
from ftree.tree.response import numbers
from ftree.tree.schema import Feature, Schema, as_name, unknown_name

Kinds: TypeAlias = "str | Mapping[str, KindChoice] | None"
# What a target is, None to decide by its labels.
ResponseChoice: TypeAlias = "Literal['numbers', 'events', 'classes'] | numbers | Any | None"
# Floats add up whole weights exactly below this sum, which makes class counts exact.
MAX_TOTAL_WEIGHT = 2**53
# Parts of smaller sums would not be floats of full precision.
MIN_TOTAL_WEIGHT = 1e-280


def code_table(
    columns: Mapping[str, Any],
    target: str,
    labels: Sequence[Any],
    kinds: Kinds,
    classes: Sequence[Hashable] | None,
    missing: Collection[Hashable],
    *,
    weights: Any,
    response: ResponseChoice,
    drop_missing_labels: bool = False,
) -> dict[str, Any]:
    """The fields of the dataset of named columns and labels; `Dataset.from_rows` explains the options.

    For a target without classes, its numbers stand in place of class codes, and the column that its response names as exposure
    is none of the features.

    Warns of columns whose kind is in doubt.

    >>> coded = code_table({"sky": ["grey", "blue"]}, "ride", [True, False], None, None, (), weights=None, response=None)
    >>> coded["schema"].classes, coded["columns"][0].tolist(), coded["target_column"].tolist(), coded["origins"][0].reason
    ((False, True), [1, 0], [1, 0], 'text')
    """
    require_boolean("drop_missing_labels", drop_missing_labels)
    is_missing, chosen = missing_among(missing), _chosen(response)
    columns, exposure = _split_off_exposure(columns, getattr(chosen, "exposure", None), is_missing)
    given = {name: read_column(as_column(name, values)) for name, values in columns.items()}
    _check_lengths(given, labels)
    if drop_missing_labels:
        rows, labels = rows_with_label(labels, is_missing)
        given = {name: rows_of(column, rows) for name, column in given.items()}
        exposure = None if exposure is None else exposure[rows]
        weights = None if weights is None else weights[rows]
        if not len(labels):
            raise ValueError(
                f"A dataset must have at least one row with a label, got none: {short_repr(target)} has no known value."
            )
    kind_of = kind_of_each(kinds, tuple(given), target)
    numeric = (None, "numeric")
    given = {name: with_times(column, is_missing) if kind_of[name] in numeric else column for name, column in given.items()}
    decided = [column_kind(name, values, kind_of[name], is_missing) for name, values in given.items()]
    cells = encode_all([each.feature for each in decided], list(given.values()), is_missing)
    features = list(map(_with_time, [each.feature for each in decided], given.values(), cells))
    labels = labels if is_text_kind(classes) else with_times(labels, is_missing)
    ordered, found, answers = coded_target(target, labels, is_missing, classes, chosen, exposure)
    inferred = [pair for pair in zip(features, cells, strict=True) if pair[0].kind == "numeric" and kind_of[pair[0].name] is None]
    warn_of(each.doubt for each in decided)
    warn_of(numeric_doubt(feature.name, column, alone=len(cells) == 1) for feature, column in inferred)
    doubt = target_doubt(target, len(labels), ordered) if found is None else numbers_doubt(target, answers, found, response)
    warn_of([doubt if classes is None else None])
    if weights is None:
        in_question = [not each.doubt and each.feature.kind == "nominal" and not kind_of[each.feature.name] for each in decided]
        warn_of(chance_doubt(*pair, answers) for pair in compress(zip(features, cells, strict=True), in_question))
    return {
        "schema": Schema(features, target, ordered, response=found),
        "columns": cells,
        "target_column": answers,
        "weights": weights,
        "exposure": exposure,
        "origins": tuple(
            Origin(each.feature.name, each.reason, taken_for_missing(values, column))
            for each, values, column in zip(decided, given.values(), cells, strict=True)
        ),
    }


def _chosen(choice: ResponseChoice) -> Any:
    """The response of sums that is chosen, or the type of it; None or "classes" otherwise."""
    if isinstance(choice, str) and choice in ("numbers", "events", "classes"):
        return {"numbers": numbers, "events": exact_sums(events())}.get(choice, choice)
    return choice if choice is None or isinstance(choice, numbers) else exact_sums(choice)


def rows_with_label(labels: Any, is_missing: missing_among) -> tuple[Any, Any]:
    """The numbers of the rows that have a label, and their labels.

    Whole numbers with gaps, which pandas holds as floats, are whole numbers.

    >>> rows_with_label([1.0, None, 3.0], missing_among([]))
    (array([0, 2]), [1, 3])
    """
    rows = np.flatnonzero([not is_missing(label) for label in labels])
    kept = rows_of(labels, rows).tolist() if isinstance(labels, Encoded) else rows_of(labels, rows)
    whole = len(rows) < len(labels) and all(isinstance(label, float) and label.is_integer() for label in kept)
    return rows, list(map(int, kept)) if whole else kept


def _split_off_exposure(columns: Any, name: str | None, is_missing: missing_among) -> tuple[Any, Column | None]:
    """The columns without that of the exposure, and the exposures; None without a name."""
    if name is None:
        return columns, None
    if name not in columns:
        raise KeyError(unknown_name(name, tuple(columns)))
    found = floats(name, read_column(as_column(name, columns[name])), is_missing).astype(np.float64)
    return dissoc(columns, name), found


def coded_target(
    target: str, labels: Any, is_missing: missing_among, classes: Sequence[Hashable] | None, choice: Any, exposure: Column | None
) -> tuple[tuple[Hashable, ...], ResponseOfSums | None, Column]:
    """The classes, the response in place of them, and the class codes or the numbers of the rows.

    >>> coded_target("mpg", [18.5, 30.0], missing_among([]), None, None, None)[1:]
    (numbers(centre=18.5, unit=0.5, part=1.0), array([18.5, 30. ]))
    """
    measured = choice not in (None, "classes")
    if measured and classes is not None:
        raise ValueError(f"classes must be None for a target of {choice.kind}, got {short_repr(classes)}.")
    if measured or (choice is None and classes is None and are_measured(labels, is_missing)):
        found = measurements(target, labels, is_missing)
        return (), choice if isinstance(choice, numbers) else (choice or numbers).of(found, exposure), found
    ordered = classes_of(target, labels, is_missing, classes)
    return ordered, None, encode(Feature(target, "nominal", ordered), labels, is_missing)


def _with_time(feature: Feature, values: Any, column: Column) -> Feature:
    time = time_kind(values, column) if feature.kind == "numeric" else None
    return feature if time is None else evolve(feature, time=time)


def columns_of_rows(rows: Any, labels: Any, features: Any) -> tuple[dict[str, Any], Any]:
    """Rows as columns by name, and their labels."""
    # The columns of an array are contiguous arrays with its mask.
    is_array = isinstance(rows, np.ndarray) and rows.ndim == 2  # noqa: PLR2004  # rows by columns
    values, n = (list(rows.T.copy()), len(rows)) if is_array else columns_of_sequences(rows)
    names = feature_names(features, len(values))
    if n and len(names) != len(values):
        raise ValueError(f"features must be {len(values)} names, one for each value of a row, got {len(names)}.")
    answers = read_labels("labels", labels)
    if len(answers) != n:
        raise ValueError(f"labels must be one for each of the {n} rows, got {len(answers)}.")
    return by_unique_name(zip(names, values if n else [()] * len(names), strict=True)), answers


def read_labels(name: str, values: Any) -> Any:
    """A column of labels as `Encoded`, or as a list of Python values."""
    column = read_column(as_column(name, values))
    if isinstance(column, Encoded):
        return column
    return encoded_numbers(column) if is_number_array(column) else python_values(column)


def split_off_target(columns: Any, target: str, weights: Any) -> tuple[dict[str, Any], Any, Any]:
    """Feature columns by name, labels, and weights; `weights` may be the name of a column."""
    if isinstance(columns, type) or not hasattr(columns, "items"):
        raise TypeError(f"columns must be a mapping of names to columns, got {short_repr(columns)}. For rows, use from_rows.")
    by_name = by_unique_name(columns.items())
    for wanted in (target, weights) if isinstance(weights, str) else (target,):
        if wanted not in by_name:
            raise KeyError(unknown_name(wanted, tuple(by_name)))
    labels = read_labels(target, by_name.pop(target))
    if isinstance(weights, str) and weights == target:
        raise ValueError(_weights_are_labels(weights))
    return by_name, labels, by_name.pop(weights) if isinstance(weights, str) else weights


def columns_of_frame(
    table: Any, target: Any, features: Sequence[str] | None, weights: Any, omit: Any = (), kinds: Kinds = None
) -> tuple[dict[str, Any], str, Any, Any]:
    """Feature columns of any table by name, the target's name, labels, and weights."""
    whole = as_table(table)
    if isinstance(target, tuple) and str(target) in whole.names:  # the name of a column of several levels
        target = str(target)
    by_name = isinstance(target, (str, int, np.integer))
    name = target_name(target, whole.names) if by_name else str(getattr(target, "name", None) or "class")
    labels = read_labels(name, whole.column(name) if by_name else target)
    if not by_name:
        _refuse_column_names(labels, whole.names)
    own_weights = weights if isinstance(weights, str) else None
    if by_name and own_weights == name:
        raise ValueError(_weights_are_labels(name))
    known = [each for each in whole.names if each != own_weights and not (by_name and each == name)]
    omitted = as_names(omit)
    for each in omitted:
        whole.column(each)  # raises
        if each not in known:
            what = "weights" if each == own_weights else "target"
            raise ValueError(f"omit must name features, got {each!r}, the column of the {what}. Give another {what}.")
    used = [each for each in (known if features is None else feature_names(features)) if each not in omitted]
    if features is None and _are_row_names(whole, used, kinds):
        used.remove(ROW_NAMES)
    columns = by_unique_name((each, whole.column(each)) for each in used)
    return columns, name, labels, weights if own_weights is None else whole.column(own_weights)


def _refuse_column_names(labels: Any, names: Collection[str]) -> None:
    """Raise a ValueError for labels that are names of columns, each once."""
    given = list(labels) if len(labels) <= len(names) else []
    if given and all(isinstance(each, str) for each in given) and len({*given}.intersection(names)) == len(given):
        got = f"{'columns' if given[1:] else 'column'} {joined(map(repr, given))}"
        raise ValueError(f"target must be one column, or a label for each row, got the {got} in a list. Write one name.")


def as_names(names: Any) -> tuple[str, ...]:
    """One name or several.

    >>> as_names("id"), as_names(["id", 2020])
    (('id',), ('id', '2020'))
    """
    return tuple(feature_names([names] if isinstance(names, str) else names, option="omit"))


def _are_row_names(table: NamedColumns, used: Sequence[str], kinds: Kinds) -> bool:
    """Whether a column without a name has a value of its own in each row; warns of it, since it may be a feature."""
    chosen = isinstance(kinds, Mapping) and ROW_NAMES in kinds
    if chosen or ROW_NAMES not in used or len(used) == 1:
        return False
    cells = python_values(read_column(table.column(ROW_NAMES)))
    if len(set(cells)) < len(cells):
        return False
    remedy = f"If they are a feature, give kinds={{{ROW_NAMES!r}: ...}}; otherwise omit={ROW_NAMES!r}."
    warn_of([f"The column without a name, {ROW_NAMES!r}, names or numbers the rows, and is left out. {remedy}"])
    return True


def row_weights(weights: Any) -> Column | None:
    """Weights as an array of whole numbers or floats; None stays None, and means that every row counts once.

    Raises a ValueError for weights that are not finite numbers from 0, or that sum to 2**53 or more, or to less than 1e-280.

    >>> row_weights([1, 2]).tolist()
    [1, 2]
    """
    if weights is None:
        return None
    column = read_column(as_column("weights", weights))
    plain = is_number_array(column) and not isinstance(column, np.ma.MaskedArray)
    array = np.asarray(column if plain else [_weight(*pair) for pair in enumerate(python_values(column))])
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if bad.size:
        raise ValueError(f"weights must be finite numbers from 0, got {array[bad[0]]} in row {bad[0]}.")
    with np.errstate(over="ignore"):
        total = array.sum(dtype=np.float64)
    if 0 < total < MIN_TOTAL_WEIGHT:
        raise ValueError(f"weights must sum to at least {MIN_TOTAL_WEIGHT}, got a sum of {total:g}. Multiply them all.")
    if total >= MAX_TOTAL_WEIGHT:
        message = f"weights must sum to less than 2**53, so that counts are exact, got a sum of {total:g}. Divide all weights."
        raise ValueError(message)
    return array.astype(np.int64 if array.dtype.kind in "iub" else np.float64)


def _weights_are_labels(name: str) -> str:
    return f"weights must not be the target's column, got {short_repr(name)}."


def _check_lengths(columns: Mapping[str, Any], labels: Sequence[Any]) -> None:
    if not len(labels):
        raise ValueError("A dataset must have at least one row, got none. Rows determine values and classes.")
    for name, values in columns.items():
        if len(values) != len(labels):
            raise ValueError(
                f"Column {short_repr(name)} must have one value for each of the {len(labels)} labels, got {len(values)}."
            )


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
    chosen = {name: kinds.get(name) for name in known}
    return {name: each.tolist() if isinstance(each, np.ndarray) and each.ndim else each for name, each in chosen.items()}


def feature_names(features: Any, width: int = 0, *, option: str = "features") -> list[str]:
    """The given names, by default x0, x1 and so on. Raises a TypeError for anything but a sequence.

    >>> feature_names(None, 2)
    ['x0', 'x1']
    """
    if features is None:
        return [f"x{number}" for number in range(width)]
    if not is_ordered(features):
        raise TypeError(f"{option} must be a sequence of names, such as ['sky', 'wind'], got {short_repr(features)}.")
    return list(map(as_name, features))


def target_name(target: Any, column_names: Sequence[str]) -> str:
    """The name of a target that is given by name or number; a number that is none of a column may be a name.

    Raises a ValueError for any other target, and for a number that is one column's name and another one's number.

    >>> target_name(-1, ["sky", "ride"]), target_name(2019, ["2019", "ride"])
    ('ride', '2019')
    """
    if isinstance(target, str):
        return target
    n, is_number = len(column_names), isinstance(target, (int, np.integer)) and not isinstance(target, np.timedelta64)
    numbered = column_names[int(target)] if is_number and -n <= target < n else None
    if is_number and str(target) in column_names:
        if numbered not in (None, str(target)):
            message = f"target must be one column, got {target}, the number of {numbered!r} and another's name. Write a text."
            raise ValueError(message)
        return str(target)
    if numbered is None:
        message = f"target must be a column's name, or a number from 0 to {n - 1} (-1 is the last), got {short_repr(target)}."
        raise ValueError(message)
    return numbered


def is_text_kind(kind: Any) -> bool:
    """Whether the cells of a column stay text, since its kind, or its classes, are texts in order.

    >>> is_text_kind("nominal"), is_text_kind(None), is_text_kind(("S", "L"))
    (False, False, True)
    """
    return is_ordered(kind) and all(isinstance(value, str) for value in kind)


def _weight(row: int, weight: Any) -> float:
    """One weight as a number, also from text; None becomes NaN, which the caller refuses."""
    try:
        known = number_or_time(weight) if isinstance(weight, str) else weight
        number = as_float(float("nan") if known is None else known)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"weights must be numbers, got {short_repr(weight)} in row {row}.") from None
    return int(known) if isinstance(known, int) and abs(known) < MAX_TOTAL_WEIGHT else number
