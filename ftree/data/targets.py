"""The target of a table: its column, whether its labels are classes or numbers, and further columns that its response reads."""

from collections.abc import Collection, Hashable, Sequence
from decimal import Decimal
from numbers import Rational, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from toolz import dissoc

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr
from ftree.data.coding import amounts, encode, floats, measurements
from ftree.data.columns import Encoded, encoded_values, known_counts, read_column, read_labels
from ftree.data.doubts import FEW_CLASSES
from ftree.data.kinds import in_given_order
from ftree.data.values import (
    ALWAYS_MISSING,
    Column,
    as_column,
    in_order,
    is_number,
    missing_among,
    python_values,
    reads_as_number,
)
from ftree.tree.response import numbers
from ftree.tree.response_protocol import ResponseOfSums, ResponseOptions
from ftree.tree.schema import Feature, unknown_name

# What a target is, None to decide by its labels.
ResponseChoice: TypeAlias = "Literal['numbers', 'events', 'classes'] | numbers | Any | None"


def response_chosen(choice: ResponseChoice) -> Any:
    """The response of sums that is chosen, or the type of it; None or "classes" otherwise."""
    if choice is None or isinstance(choice, numbers) or (isinstance(choice, str) and choice in ("numbers", "classes")):
        return numbers if isinstance(choice, str) and choice == "numbers" else choice
    from ftree.tree.additive import exact_sums  # noqa: PLC0415  # most tables have classes or numbers

    if not (isinstance(choice, str) and choice == "events"):
        return exact_sums(choice)
    from ftree.responses.events import events  # noqa: PLC0415  # as above

    return exact_sums(events())


def options_of_chosen(chosen: Any) -> ResponseOptions:
    """What the result of `response_chosen` has that only some responses have.

    >>> options_of_chosen(response_chosen("numbers")).further_targets
    ()
    """
    options: ResponseOptions = ResponseOptions() if chosen is None or isinstance(chosen, str) else chosen.options
    return options


def targets_of(target: Any, response: ResponseChoice, names: Collection[str], *, unless: Any) -> tuple[Any, ResponseChoice]:
    """The target, and the response: a list of columns is that of several numbers; a response may name its target.

    `unless` is the default value of `target`, by which we see that the caller gave none.

    Raises a ValueError for columns that the response does not read.

    >>> targets_of("class", None, ("sky",), unless="class")
    ('class', None)
    """
    options = options_of_chosen(response_chosen(response))
    listed = tuple(target) if isinstance(target, (list, tuple, np.ndarray)) and _are_several_of(target, names) else None
    if listed is not None and response is None:
        from ftree.responses.several import several  # noqa: PLC0415  # few tables have several targets

        return listed[0], several(listed)
    own, further = options.target, options.further_targets
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
    labels, measured = read_labels(target, labels), choice not in (None, "classes")
    if measured and classes is not None:
        raise ValueError(f"classes must be None for a target of {choice.kind}, got {short_repr(classes)}.")
    if measured or (choice is None and classes is None and are_measured(labels, is_missing)):
        found = measurements(target, labels, is_missing)
        return (), choice if isinstance(choice, numbers) else (choice or numbers).of(found, *further), found
    ordered = classes_of(target, labels, is_missing, classes)
    return ordered, None, encode(Feature(target, "nominal", ordered), labels, is_missing)


def classes_of(
    target: str, labels: Any, is_missing: missing_among, order: Sequence[Hashable] | None = None
) -> tuple[Hashable, ...]:
    """The classes among the labels, in the order of ordered categories, else sorted; or all classes of a given order.

    Raises a TypeError for a label that is not hashable. Raises a ValueError for a label that is missing, or is not in the given
    order.

    >>> classes_of("play", ["yes", "no", "yes"], missing_among([]))
    ('no', 'yes')
    >>> classes_of("play", ["yes", "no", "yes"], missing_among([]), ["yes", "perhaps", "no"])
    ('yes', 'perhaps', 'no')
    """
    column = read_labels(target, labels)
    known = set(known_counts(target, column, is_missing))
    _check_labels(target, column, known)
    if order is not None:
        return in_given_order(target, known, order)
    if column.ordered:
        return tuple(value for value in column.values if value in known)
    return in_order(known)


def _check_labels(target: str, labels: Encoded, known: set[Hashable]) -> None:
    if not labels.distinct() <= known:
        row, label = next((row, label) for row, label in enumerate(labels) if label not in known)
        shown = "none" if ALWAYS_MISSING(label) else f"{short_repr(label)}, which means missing,"
        got = f"got {shown} in row {row}. Omit such rows; read and from_frame do with drop_missing_labels=True."
        raise ValueError(f"The target {short_repr(target)} must have a label in every row, {got}")


def are_measured(labels: Encoded, is_missing: missing_among) -> bool:
    """Whether labels are measurements: all are numbers, some with fractions, or all floats, of more values than classes have.

    >>> [are_measured(encoded_values(each), missing_among([])) for each in ([1.5, 2.0], [1, 2], ["1.5"])]
    [True, False, False]
    """
    try:
        distinct = labels.distinct()
    except TypeError:  # a value that is not hashable
        return False
    if set(map(type, distinct)) <= {int, str, bool}:
        return False
    known = distinct - is_missing.among(distinct)
    kinds = {type(value): value for value in known}
    if not all(map(is_number, kinds.values())):
        return False
    return any(map(_is_measurement, known)) or (len(known) > FEW_CLASSES and set(kinds) == {float})


def _is_measurement(value: object) -> bool:
    if isinstance(value, Rational):
        return value.denominator != 1
    return isinstance(value, (Real, Decimal)) and not float(value).is_integer()


def split_off_further_targets(columns: Any, response: Any, is_missing: missing_among) -> tuple[Any, list[Column]]:
    """The columns without those that a response reads beside the target, and these as numbers."""
    options = options_of_chosen(response)
    names = options.further_targets
    for name in names:
        if name not in columns:
            raise KeyError(unknown_name(name, tuple(columns)))
    found = [further_target(response, name, read_column(as_column(name, columns[name])), is_missing) for name in names]
    return dissoc(columns, *(name for name in names if name not in options.row_features)), found


def further_target(response: Any, name: str, values: Any, is_missing: missing_among) -> Column:
    """A further column that a response reads, as floats; of labels that the response codes, their positions among them.

    >>> from ftree.responses import events
    >>> further_target(response_chosen(events("years")), "years", [2, "0.5"], missing_among([])).tolist()
    [2.0, 0.5]
    """
    labels = response.options.coded.get(name)
    if labels is None:
        try:
            found = floats if name in response.options.row_features else amounts
            return found(name, values, is_missing).astype(np.float64)
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
            remedy = "Convert it, for instance labels to 0 and 1; effect takes them as arms."
            raise ValueError(f"{wanted}, got {short_repr(value)} in row {row}. {remedy}") from None


def rows_with_label(target: str, labels: Encoded, is_missing: missing_among) -> tuple[Array, Encoded]:
    """The numbers of the rows that have a label, and their labels.

    Whole numbers with gaps, which pandas holds as floats, are whole numbers. Raises a ValueError if no row has a label.

    >>> rows, labels = rows_with_label("age", encoded_values([1.0, None, 3.0]), missing_among([]))
    >>> rows.tolist(), labels.tolist()
    ([0, 2], [1, 3])
    """
    rows = np.flatnonzero(labels.take([*(not is_missing(value) for value in labels.values), False]))
    if not len(rows):
        raise ValueError(f"A dataset must have at least one row with a label, got none: {short_repr(target)} has no known value.")
    kept = labels[rows]
    whole = len(rows) < len(labels) and all(isinstance(label, float) and label.is_integer() for label in kept)
    return rows, encoded_values(list(map(int, kept))) if whole else kept


def rows_with_further_targets(rows: Any, labels: Any, further: Sequence[Column], response: Any) -> tuple[Any, Any]:
    """The rows that also have all further numbers, but for those that are features."""
    options = options_of_chosen(response)
    names = zip(options.further_targets, further, strict=True)
    needed = [np.isfinite(column[rows]) for name, column in names if name not in options.row_features]
    kept = np.flatnonzero(np.logical_and.reduce(needed)) if needed else np.arange(len(rows))
    return rows[kept], labels[kept]
