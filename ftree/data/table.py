"""A table of named columns as the fields of a dataset: each column is read, gets a kind and codes; the target, and weights.

The way of a column: `read_column` (`columns`) makes one of two forms of it, `column_kind` (`kinds`) decides what it is, and
`encode` (`coding`) writes its cells in codes or numbers. `code_column` goes it.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import missing_cells
from ftree._lib.fields import as_tuple, require_boolean
from ftree._lib.messages import short_repr, warn_of
from ftree.data.coding import encode_unchecked, require_finite, time_kind
from ftree.data.columns import Encoded, ReadColumn, is_number_array, read_column, read_labels
from ftree.data.doubts import Doubt, chance_doubt, numbers_doubt, numeric_doubt, target_doubt
from ftree.data.kinds import KindChoice, Kinds, column_kind, is_text_kind, with_times
from ftree.data.targets import (
    ResponseChoice,
    coded_target,
    response_chosen,
    rows_with_further_targets,
    rows_with_label,
    split_off_further_targets,
)
from ftree.data.values import ALWAYS_MISSING, Column, as_column, as_float, in_order, missing_among, number_or_time, python_values
from ftree.tree.schema import Feature, Schema, unknown_name

WeightsKind: TypeAlias = Literal["counts", "importances"]
# Floats add up whole weights exactly below this sum, which makes class counts exact.
MAX_TOTAL_WEIGHT = 2**53
# Parts of smaller sums would not be floats of full precision.
MIN_TOTAL_WEIGHT = 1e-280


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


def code_table(
    columns: Mapping[str, Any],
    target: str,
    labels: Any,
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
    is_missing, chosen, labels = missing_among(missing), response_chosen(response), read_labels(target, labels)
    columns, further = split_off_further_targets(columns, chosen, is_missing)
    given = {name: read_column(as_column(name, values)) for name, values in columns.items()}
    _check_lengths(given, labels, weights)
    if drop_missing_labels:
        rows, labels = rows_with_label(target, labels, is_missing)
        rows, labels = rows_with_further_targets(rows, labels, further, chosen)
        given = {name: column[rows] for name, column in given.items()}
        further, weights = [column[rows] for column in further], None if weights is None else weights[rows]
    wanted = kind_of_each(kinds, tuple(given), target)
    coded = [code_column(name, column, wanted[name], is_missing) for name, column in given.items()]
    features, cells = [each.feature for each in coded], tuple(each.cells for each in coded)
    require_finite(tuple(given), cells)
    labels = labels if is_text_kind(classes) else with_times(labels, is_missing)
    own_classes, own_response, answers = coded_target(target, labels, is_missing, classes, chosen, further)
    schema = Schema(features, target, own_classes, response=own_response)
    doubt = doubt_of_target(schema, answers, len(answers), response) if classes is None else None
    inferred = [each for each in coded if wanted[each.feature.name] is None]
    warn_of(_doubts(inferred, len(coded), doubt, answers if weights is None else None))
    return {
        "schema": schema,
        "columns": cells,
        "target_column": answers,
        "weights": weights,
        "further_targets": further,
        "origins": tuple(each.origin for each in coded),
    }


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


@frozen(eq=False)
class CodedColumn:
    """A column of a dataset: its feature, its codes or numbers, its origin, and a doubt about its kind, if there is one."""

    feature: Feature
    cells: Column
    origin: Origin
    doubt: Doubt | None


def code_column(name: str, column: ReadColumn, wanted: KindChoice, is_missing: missing_among) -> CodedColumn:
    """The kind of a column that is read, chosen or inferred, and its cells in codes of that kind; infinity is allowed.

    >>> coded = code_column("day", read_column(["2020-02-29", "?"]), None, missing_among(["?"]))
    >>> coded.feature.time, coded.cells.tolist(), coded.origin.missing
    ('date', [1582934400.0, nan], ('?',))
    """
    column = with_times(column, is_missing) if wanted is None else column
    decided = column_kind(name, column, wanted, is_missing)
    (cells,) = encode_unchecked([decided.feature], [column], is_missing)
    time = time_kind(column, cells) if decided.feature.kind == "numeric" else None
    feature = decided.feature if time is None else evolve(decided.feature, time=time)
    return CodedColumn(feature, cells, Origin(name, decided.reason, taken_for_missing(column, cells)), decided.doubt)


def taken_for_missing(column: ReadColumn, coded: Column) -> tuple[Hashable, ...]:
    """The values of a column that is read where the coded column has none; None stands for every null, NaN and masked cell.

    >>> taken_for_missing(read_column(["a", "?", None, float("nan")]), np.array([0, -1, -1, -1]))
    (None, '?')
    """
    least = coded.min(initial=0)  # a tenth of the time of a mask; NaN if there is one
    if not least < 0 if coded.dtype.kind != "f" else not np.isnan(least):
        return ()
    there = column[np.flatnonzero(missing_cells(coded))]
    return in_order({None if ALWAYS_MISSING(cell) else cell for cell in python_values(there)})


def doubt_of_target(schema: Schema, answers: Column, n_rows: int, choice: ResponseChoice) -> Doubt | None:
    """A doubt about the classes of a schema, or about the numbers that its target has in so many rows."""
    if schema.has_classes:
        return target_doubt(schema.target, n_rows, schema.classes)
    return numbers_doubt(schema.target, np.unique(answers), n_rows, schema.response, choice)


def _doubts(
    inferred: Sequence[CodedColumn], n_columns: int, of_target: Doubt | None, answers: Column | None
) -> Iterator[Doubt | None]:
    """Doubts about features and the target; by `answers`, of rows that count once, also about what features tell by chance."""
    yield from (each.doubt for each in inferred)
    numeric = [each for each in inferred if each.feature.kind == "numeric"]
    yield from (numeric_doubt(each.feature.name, each.cells, may_number_rows=n_columns > 1) for each in numeric)
    yield of_target
    if answers is not None:
        nominal = [each for each in inferred if each.feature.kind == "nominal" and not each.doubt]
        yield from (chance_doubt(each.feature, each.cells, answers) for each in nominal)


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


def _check_lengths(columns: Mapping[str, ReadColumn], labels: Encoded, weights: Any) -> None:
    if not len(labels):
        raise ValueError("A dataset must have at least one row, got none. Rows determine values and classes.")
    for name, values in columns.items():
        if len(values) != len(labels):
            wanted = f"Column {short_repr(name)} must have one value for each of the {len(labels)} labels, got {len(values)}."
            are_names = any(isinstance(label, str) and label in columns for label in labels.values)
            raise ValueError(wanted + " Several targets must be columns of the table, each named once." * are_names)
    if weights is not None and len(weights) != len(labels):
        raise ValueError(f"weights must be one for each of the {len(labels)} labels, got {len(weights)}.")


def _weight(row: int, weight: Any) -> float:
    """One weight as a number, also from text; None becomes NaN, which the caller refuses."""
    try:
        known = number_or_time(weight) if isinstance(weight, str) else weight
        number = as_float(float("nan") if known is None else known)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"weights must be numbers, got {short_repr(weight)} in row {row}.") from None
    return int(known) if isinstance(known, int) and abs(known) < MAX_TOTAL_WEIGHT else number
