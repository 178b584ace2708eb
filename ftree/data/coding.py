"""Coding of raw values as columns of numbers, and decoding.

Nominal and ordinal values become codes, their positions in `Feature.values`; -1 stands for a missing or undeclared
value. Numbers become floats; NaN stands for a missing value. Values that are equal in Python are one value.
"""

from collections.abc import Hashable, Sequence
from decimal import Decimal
from itertools import compress
from numbers import Rational, Real
from typing import Any

import numpy as np

from ftree._lib.messages import joined, short_repr
from ftree.data.columns import Encoded, encoded_numbers
from ftree.data.kinds import FEW_CLASSES, in_given_order
from ftree.data.missing_values import ALWAYS_MISSING, known_counts, known_values, masked_column, missing_among
from ftree.data.numeric_columns import decoded_times, floats, require_finite
from ftree.data.values import TRUTHS, Column, in_order, is_number, is_number_array, python_values
from ftree.tree.schema import Feature, codes_of_texts, codes_of_values, is_hashable, names_of, printed


def classes_of(
    target: str, labels: Sequence[Any], is_missing: missing_among, order: Sequence[Hashable] | None = None
) -> tuple[Hashable, ...]:
    """The classes among the labels, in the order of ordered categories, else sorted; or all classes of a given order.

    Raises a TypeError for a label that is not hashable. Raises a ValueError for a label that is missing, or is not in the given
    order.

    >>> classes_of("play", ["yes", "no", "yes"], missing_among([]))
    ('no', 'yes')
    >>> classes_of("play", ["yes", "no", "yes"], missing_among([]), ["yes", "perhaps", "no"])
    ('yes', 'perhaps', 'no')
    """
    known = set(known_counts(target, labels, is_missing))
    _check_labels(target, labels, known)
    if order is not None:
        return in_given_order(target, known, order)
    if isinstance(labels, Encoded) and labels.ordered:
        return tuple(value for value in labels.values if value in known)
    return in_order(known)


def array_of_labels(labels: Sequence[Hashable]) -> Column:
    """Labels as an array, of objects unless they are booleans, integers or floats.

    >>> array_of_labels((1, 2)), array_of_labels((1, "a"))
    (array([1, 2]), array([1, 'a'], dtype=object))
    """
    if set(map(type, labels)) in ({bool}, {int}, {float}):
        return np.array(labels)
    return np.fromiter(labels, object, len(labels))


def are_measured(labels: Sequence[Any], is_missing: missing_among) -> bool:
    """Whether labels are measurements: all are numbers, some with fractions, or all floats, of more values than classes have.

    >>> [are_measured(each, missing_among([])) for each in ([1.5, 2.0], [1, 2], ["1.5"])]
    [True, False, False]
    """
    try:
        distinct = labels.distinct() if isinstance(labels, Encoded) else set(labels)
    except TypeError:  # a value that is not hashable
        return False
    if set(map(type, distinct)) <= {int, str, bool}:
        return False
    known = [value for value in distinct if not is_missing(value)]
    if not all(map(is_number, known)):
        return False
    return any(map(_is_measurement, known)) or (len(known) > FEW_CLASSES and set(map(type, known)) == {float})


def _check_labels(target: str, labels: Sequence[Any], known: set[Hashable]) -> None:
    present = labels.distinct() if isinstance(labels, Encoded) else set(labels)
    if not present <= known:
        row, label = next((row, label) for row, label in enumerate(labels) if label not in known)
        shown = "none" if ALWAYS_MISSING(label) else f"{short_repr(label)}, which means missing,"
        got = f"got {shown} in row {row}. Omit such rows; read and from_frame do with drop_missing_labels=True."
        raise ValueError(f"The target {short_repr(target)} must have a label in every row, {got}")


def encode(feature: Feature, values: Any, is_missing: missing_among) -> Column:
    """Values as codes (smallest signed integers, -1 for missing or undeclared) or as floats (NaN for missing).

    A value that the feature declares is not missing. One that it does not declare is the only one that prints alike, such as True
    for the text "True". A float64 or float32 array of a numeric feature is not copied.

    Raises a ValueError that gives the row for text or infinity in a numeric column; and for a value like which several print.

    >>> encode(Feature("windy", "nominal", (False, True)), [True, "True", None, "storm"], missing_among([])).tolist()
    [1, 1, -1, -1]
    """
    return encode_all([feature], [values], is_missing)[0]


def encode_all(features: Sequence[Feature], columns: Sequence[Any], is_missing: missing_among) -> tuple[Column, ...]:
    """`encode` for each feature and its column.

    >>> encode_all([Feature("age", "numeric"), Feature("ill", "nominal", ("no", "yes"))], [[20], ["yes"]], missing_among([]))
    (array([20.]), array([1], dtype=int8))
    """
    coded = encode_unchecked(features, columns, is_missing)
    require_finite(names_of(features), coded)
    return coded


def encode_unchecked(features: Sequence[Feature], columns: Sequence[Any], is_missing: missing_among) -> tuple[Column, ...]:
    """`encode_all`, but infinity is allowed in numeric columns.

    >>> encode_unchecked([Feature("age", "numeric")], [[float("inf")]], missing_among([]))
    (array([inf]),)
    """
    return tuple(
        floats(feature.name, column, is_missing)
        if feature.kind == "numeric"
        else _codes(feature, column, is_missing.but(feature.values))
        for feature, column in zip(features, columns, strict=True)
    )


def decode(feature: Feature, column: Column) -> list[Any]:
    """Raw values of a column of codes or floats, None where missing.

    >>> decode(Feature("windy", "nominal", (False, True)), np.array([1, -1]))
    [True, None]
    """
    if feature.time is not None:
        return decoded_times(column, feature.time)
    if feature.kind == "numeric":
        return [None if number != number else number for number in column.tolist()]  # noqa: PLR0124  # NaN
    return [None if code < 0 else feature.values[code] for code in column.tolist()]


def smallest_integers(codes: Any, n_values: int) -> Column:
    """Codes in the smallest signed integers that hold them.

    >>> smallest_integers([0, -1, 200], 201).dtype.name
    'int16'
    """
    return np.asarray(codes, dtype=np.min_scalar_type(-max(n_values, 1)))


def _is_measurement(value: object) -> bool:
    if isinstance(value, Rational):
        return value.denominator != 1
    return isinstance(value, (Real, Decimal)) and not float(value).is_integer()


def _codes(feature: Feature, values: Any, is_missing: missing_among) -> Column:
    unknown = feature.values.index(None) if None in feature.values else -1
    if isinstance(values, Encoded) and unknown < 0 and (in_turn := _codes_in_turn(feature, values, is_missing)) is not None:
        return in_turn
    if isinstance(values, Encoded):
        known = set(known_counts(feature.name, values, is_missing))
        table = [code_of(feature, value) if is_hashable(value) and value in known else unknown for value in values.values]
        return values.take(smallest_integers([*table, unknown], len(feature.values)))
    masked = masked_column(values, is_missing)
    if is_number_array(masked):
        return _codes(feature, encoded_numbers(masked), is_missing)
    listed = python_values(masked)
    known = known_values(feature.name, listed, is_missing)
    codes = {value: code_of(feature, value) for value in known}
    return smallest_integers([codes.get(value, unknown) for value in listed], len(feature.values))


def code_of(feature: Feature, value: Hashable) -> int:
    """The code of a value, or of the only value that prints as it does; -1 if there is none.

    Raises a ValueError if several values print so.

    >>> windy = Feature("windy", "nominal", (False, True))
    >>> code_of(windy, True), code_of(windy, "True"), code_of(windy, "yes")
    (1, 1, -1)
    """
    code = codes_of_values(feature).get(value)
    if code is not None:
        return code
    alike = codes_alike(feature, value)
    if len(alike) > 1:
        shown = joined(short_repr(feature.values[code]) for code in alike)
        raise ValueError(
            f"A value of {short_repr(feature.name)} must match one value, got {short_repr(value)}, which matches {shown}."
        )
    return alike[0] if alike else -1


def codes_alike(feature: Feature, value: Any) -> list[int]:
    """The codes of the values that print as a value does; a text that files have for a boolean prints as it.

    >>> codes_alike(Feature("windy", "nominal", (False, True)), "TRUE")
    [1]
    """
    text, known = printed(value), codes_of_texts(feature)
    return known.get(text) or known.get(str(TRUTHS.get(text, text)), []) if text else []


def _codes_in_turn(feature: Feature, column: Encoded, is_missing: missing_among) -> Column | None:
    """The codes where the column's known values are the feature's, in order: so a dictionary of many texts is not needed."""
    known = np.array([not is_missing(value) for value in column.values], np.bool_)
    if tuple(compress(column.values, known)) != feature.values:
        return None
    return column.take(smallest_integers(np.append(np.where(known, np.cumsum(known) - 1, -1), -1), len(feature.values)))
