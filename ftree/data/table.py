"""Checks and coding of raw tables (rows, columns, files), for `Dataset.from_...` and `Dataset.read_csv`."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import evolve
from toolz import dissoc

from ftree._lib.fields import require_boolean
from ftree._lib.messages import short_repr
from ftree.data.coding import are_measured, classes_of, encode, encode_all
from ftree.data.columns import Encoded, read_column, rows_of
from ftree.data.kinds import (
    ColumnKind,
    KindChoice,
    Kinds,
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
from ftree.data.values import (
    Column,
    as_column,
    as_float,
    is_number_array,
    is_ordered,
    number_or_time,
    python_values,
    reads_as_number,
)
from ftree.tree.additive import ResponseOfSums, exact_sums
from ftree.tree.response import numbers
from ftree.tree.responses.events import events
from ftree.tree.schema import Feature, Schema, unknown_name

WeightsKind: TypeAlias = Literal["counts", "importances"]
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

    For a target without classes, its numbers stand in place of class codes, and the further columns that its response reads are
    none of the features.

    Warns of columns whose kind is in doubt.

    >>> coded = code_table({"sky": ["grey", "blue"]}, "ride", [True, False], None, None, (), weights=None, response=None)
    >>> coded["schema"].classes, coded["columns"][0].tolist(), coded["target_column"].tolist(), coded["origins"][0].reason
    ((False, True), [1, 0], [1, 0], 'text')
    """
    require_boolean("drop_missing_labels", drop_missing_labels)
    is_missing, chosen = missing_among(missing), response_chosen(response)
    columns, further = _split_off_further_targets(columns, chosen, is_missing)
    given = {name: read_column(as_column(name, values)) for name, values in columns.items()}
    _check_lengths(given, labels)
    if drop_missing_labels:
        rows, labels = rows_with_label(target, labels, is_missing)
        rows, labels = _with_further_targets(rows, labels, further, chosen)
        given = {name: rows_of(column, rows) for name, column in given.items()}
        further, weights = [column[rows] for column in further], None if weights is None else weights[rows]
    kind_of = kind_of_each(kinds, tuple(given), target)
    may_be_times = {name for name, kind in kind_of.items() if kind is None or (isinstance(kind, str) and kind == "numeric")}
    given = {name: with_times(column, is_missing) if name in may_be_times else column for name, column in given.items()}
    decided = [column_kind(name, values, kind_of[name], is_missing) for name, values in given.items()]
    cells = encode_all([each.feature for each in decided], list(given.values()), is_missing)
    features = list(map(_with_time, [each.feature for each in decided], given.values(), cells))
    labels = labels if is_text_kind(classes) else with_times(labels, is_missing)
    ordered, found, answers = coded_target(target, labels, is_missing, classes, chosen, further)
    schema = Schema(features, target, ordered, response=found)
    inferred = {name for name, kind in kind_of.items() if kind is None}
    doubt = None
    if classes is None:
        doubt = target_doubt(target, len(labels), ordered) if found is None else numbers_doubt(target, answers, found, response)
    _warn(decided, inferred, schema, cells, doubt, answers if weights is None else None)
    origins = map(_origin, decided, given.values(), cells)
    coded = {"schema": schema, "columns": cells, "target_column": answers, "weights": weights, "further_targets": further}
    return {**coded, "origins": tuple(origins)}


def _origin(decided: ColumnKind, values: Any, column: Column) -> Origin:
    return Origin(decided.feature.name, decided.reason, taken_for_missing(values, column))


def _warn(
    decided: Sequence[ColumnKind],
    inferred: Collection[str],
    schema: Schema,
    cells: Sequence[Column],
    of_target: str | None,
    answers: Column | None,
) -> None:
    """Warn of doubts about features and the target; `answers`, of rows that count once, also of what features tell by chance."""
    pairs = [pair for pair in zip(schema.features, cells, strict=True) if pair[0].name in inferred]
    warn_of(each.doubt for each in decided)
    warn_of(numeric_doubt(each.name, column, alone=len(cells) == 1) for each, column in pairs if each.kind == "numeric")
    warn_of([of_target])
    if answers is not None:
        in_doubt = {each.feature.name for each in decided if each.doubt}
        nominal = [pair for pair in pairs if pair[0].kind == "nominal" and pair[0].name not in in_doubt]
        warn_of(chance_doubt(*pair, answers) for pair in nominal)


def response_chosen(choice: ResponseChoice) -> Any:
    """The response of sums that is chosen, or the type of it; None or "classes" otherwise."""
    if isinstance(choice, str) and choice in ("numbers", "events", "classes"):
        return {"numbers": numbers, "events": exact_sums(events())}.get(choice, choice)
    return choice if choice is None or isinstance(choice, numbers) else exact_sums(choice)


def targets_of(target: Any, response: ResponseChoice, names: Collection[str], *, unless: Any) -> tuple[Any, ResponseChoice]:
    """The target, and the response: a list of columns is that of several numbers; a response may name its target.

    `unless` is the target of callers who name none. Raises a ValueError for columns that the response does not read.

    >>> targets_of("class", None, ("sky",), unless="class")
    ('class', None)
    """
    if isinstance(response, type):
        response_chosen(response)  # raises
    listed = tuple(target) if isinstance(target, (list, tuple, np.ndarray)) and _are_several_of(target, names) else None
    if listed is not None and response is None:
        from ftree.tree.responses.several import several  # noqa: PLC0415  # few tables have several targets

        return listed[0], several(listed)
    own, further = getattr(response, "target", None), tuple(getattr(response, "further_targets", ()))
    if listed is not None:
        if listed != (own or listed[0], *further):
            raise ValueError(f"target must be the columns {(own or '...', *further)!r} of the response, got {listed!r}.")
        return listed[0], response
    if own is not None and target not in (unless, own):
        raise ValueError(f"target must be {own!r}, which the response reads, got {short_repr(target)}. Omit it.")
    return own or target, response


def target_names(target: Any, names: Collection[str]) -> Any:
    """A list of one column as its name. Raises a KeyError for a column of a list that is not there.

    >>> target_names(["ride"], ("sky", "ride"))
    'ride'
    """
    if not isinstance(target, (list, tuple, np.ndarray)) or getattr(target, "ndim", 1) != 1 or not len(target):
        return target
    for name in target:
        if not isinstance(name, str) or name not in names:
            raise KeyError(unknown_name(name, tuple(names)))
    return target[0] if len(target) == 1 else target


def _are_several_of(target: Any, names: Collection[str]) -> bool:
    """Whether a list has names of columns, each once, and not labels of rows."""
    are_names = (
        getattr(target, "ndim", 1) == 1 and len(target) > 1 and all(isinstance(name, str) and name in names for name in target)
    )
    return are_names and len(set(target)) == len(target)


def first_target(target: Any, response: ResponseChoice) -> Any:
    """The column that a file is read for: the first of several targets, or the one that the response names.

    >>> first_target(["time", "died"], None), first_target(-1, None)
    ('time', -1)
    """
    named = getattr(response, "target", None)
    return target[0] if isinstance(target, (list, tuple)) and target else named if named and target == -1 else target


def rows_with_label(target: str, labels: Any, is_missing: missing_among) -> tuple[Any, Any]:
    """The numbers of the rows that have a label, and their labels.

    Whole numbers with gaps, which pandas holds as floats, are whole numbers. Raises a ValueError if no row has a label.

    >>> rows_with_label("age", [1.0, None, 3.0], missing_among([]))
    (array([0, 2]), [1, 3])
    """
    rows = np.flatnonzero([not is_missing(label) for label in labels])
    if not len(rows):
        raise ValueError(f"A dataset must have at least one row with a label, got none: {short_repr(target)} has no known value.")
    kept = rows_of(labels, rows).tolist() if isinstance(labels, Encoded) else rows_of(labels, rows)
    whole = len(rows) < len(labels) and all(isinstance(label, float) and label.is_integer() for label in kept)
    return rows, list(map(int, kept)) if whole else kept


def _with_further_targets(rows: Any, labels: Any, further: Sequence[Column], response: Any) -> tuple[Any, Any]:
    """The rows that also have all further numbers, but for those that are features."""
    names = zip(getattr(response, "further_targets", ()), further, strict=True)
    needed = [np.isfinite(column[rows]) for name, column in names if name not in response.row_features]
    kept = np.flatnonzero(np.logical_and.reduce(needed)) if needed else np.arange(len(rows))
    return (rows, labels) if len(kept) == len(rows) else (rows[kept], rows_of(labels, kept))


def _split_off_further_targets(columns: Any, response: Any, is_missing: missing_among) -> tuple[Any, list[Column]]:
    """The columns without those that a response reads beside the target, and these as numbers."""
    names = getattr(response, "further_targets", ())
    for name in names:
        if name not in columns:
            raise KeyError(unknown_name(name, tuple(columns)))
    found = [further_target(response, name, read_column(as_column(name, columns[name])), is_missing) for name in names]
    return dissoc(columns, *(name for name in names if name not in response.row_features)), found


def further_target(response: Any, name: str, values: Any, is_missing: missing_among) -> Column:
    """A further column that a response reads, as floats; of labels that the response codes, their positions among them.

    >>> further_target(events("years"), "years", [2, "0.5"], missing_among([])).tolist()
    [2.0, 0.5]
    """
    labels = getattr(getattr(response, "own", None), "coded", {}).get(name)
    if labels is None:
        try:
            return floats(name, values, is_missing).astype(np.float64)
        except ValueError:
            _require_numbers(response, name, values, is_missing)
            raise
    codes = encode(Feature(name, "nominal", labels), values, is_missing)
    for row in np.flatnonzero(codes < 0)[:1]:
        got = f"{short_repr(python_values(values)[row])} in row {row}"
        raise ValueError(f"{short_repr(name)} must be one of {labels!r} in every row, got {got}.")
    return codes.astype(np.float64)


def _require_numbers(response: Any, name: str, values: Any, is_missing: missing_among) -> None:
    """Raise a ValueError for a text in a column of numbers that a response reads."""
    for row, value in enumerate(python_values(values)):
        if isinstance(value, str) and not is_missing(value) and not reads_as_number(value):
            wanted = f"{short_repr(name)} must be a number in every row for a target of {response.kind}"
            remedy = "Write labels as 0 and 1, or name them as arms."
            raise ValueError(f"{wanted}, got {short_repr(value)} in row {row}. {remedy}") from None


def coded_target(
    target: str,
    labels: Any,
    is_missing: missing_among,
    classes: Sequence[Hashable] | None,
    choice: Any,
    further: Sequence[Column],
) -> tuple[tuple[Hashable, ...], ResponseOfSums | None, Column]:
    """The classes, the response in place of them, and the class codes or the numbers of the rows.

    >>> coded_target("mpg", [18.5, 30.0], missing_among([]), None, None, ())[1:]
    (numbers(centre=18.5, unit=0.5, part=1.0), array([18.5, 30. ]))
    """
    measured = choice not in (None, "classes")
    if measured and classes is not None:
        raise ValueError(f"classes must be None for a target of {choice.kind}, got {short_repr(classes)}.")
    if measured or (choice is None and classes is None and are_measured(labels, is_missing)):
        found = measurements(target, labels, is_missing)
        return (), choice if isinstance(choice, numbers) else (choice or numbers).of(found, *further), found
    ordered = classes_of(target, labels, is_missing, classes)
    return ordered, None, encode(Feature(target, "nominal", ordered), labels, is_missing)


def _with_time(feature: Feature, values: Any, column: Column) -> Feature:
    time = time_kind(values, column) if feature.kind == "numeric" else None
    return feature if time is None else evolve(feature, time=time)


def weights_of_kind(weights: Any, kind: Any) -> Column | None:
    """Weights as whole numbers if they are counts, as floats if they are importances; None: counts if all of them are whole.

    Raises a ValueError for another kind, and for counts that are not whole.

    >>> weights_of_kind(np.array([2.0, 35.0]), None), weights_of_kind(np.array([2, 35]), "importances")
    (array([ 2, 35]), array([ 2., 35.]))
    """
    checked = row_weights(weights)
    if kind not in (None, "counts", "importances"):
        raise ValueError(f"weights_are must be 'counts', 'importances' or None, got {short_repr(kind)}.")
    if checked is None:
        return None
    parted = checked[checked != np.floor(checked)]
    if kind == "counts" and len(parted):
        raise ValueError(f"weights must be whole numbers if they are counts, got {parted[0]}. Say weights_are='importances'.")
    return checked.astype(np.float64 if kind == "importances" or len(parted) else np.int64)


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
    given = {name: kinds.get(name) for name in known}
    return {name: kind.tolist() if isinstance(kind, np.ndarray) and kind.ndim else kind for name, kind in given.items()}


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
