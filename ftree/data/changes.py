"""Changes of a dataset: select rows by conditions; bin, join and recode columns."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve

from ftree._lib.arrays import missing_cells
from ftree._lib.messages import joined, short_repr
from ftree.data.cases import RowNumbers
from ftree.data.coding import decode, encode, smallest_integers
from ftree.data.columns import array_text
from ftree.data.missing_values import ALWAYS_MISSING, USUALLY_MISSING
from ftree.data.numeric_columns import TIMES_IN_WORDS, floats, may_stand_for
from ftree.data.values import Column, as_column, is_number, is_ordered, number_in_text, python_values, seconds, time_family
from ftree.tree.formats import format_number
from ftree.tree.schema import Feature, Schema, is_hashable

Mask = npt.NDArray[np.bool_]


def rows_that_fit(feature: Feature, column: Column, wanted: Any) -> Mask:
    """Where a column has a wanted value, given as a value, several values, or a function that says whether a value is wanted.

    None stands for missing; a function is not called for missing values.

    Raises a ValueError for a value that the feature does not have: one of other codes, or not a number for a numeric one.

    >>> rows_that_fit(Feature("sky", "nominal", ("blue", "grey")), np.array([0, 1, -1]), ("grey", None)).tolist()
    [False, True, True]
    """
    if callable(wanted):
        return _fits_function(feature, column, wanted)
    several = _several(feature, wanted)
    known = [value for value in several if value is not None or None in feature.values]
    cells = np.array([_cell(feature, value) for value in known], dtype=column.dtype)  # float32 is compared as float32
    found: Mask = np.isin(column, cells)
    return found | missing_cells(column) if len(known) < len(several) else found


def _several(feature: Feature, wanted: Any) -> list[Any]:
    """The wanted values in a list; a tuple that is a value of the feature counts as one value."""
    one_value = is_hashable(wanted) and wanted in set(feature.values)
    return list(wanted) if not one_value and (is_ordered(wanted) or isinstance(wanted, (set, frozenset))) else [wanted]


def _fits_function(feature: Feature, column: Column, wanted: Callable[[Any], Any]) -> Mask:
    """Call the function once for each distinct value, since a call takes much longer than a comparison."""
    cells = np.unique(column[~missing_cells(column)])
    return np.isin(column, cells[np.array([bool(wanted(value)) for value in decode(feature, cells)], dtype=bool)])


def _cell(feature: Feature, value: Any) -> Any:
    """A value as the column holds it: a number, or a code."""
    if feature.kind == "numeric":
        if not ALWAYS_MISSING(value) and (time_family(value) or is_number(value)):
            with suppress(OverflowError):
                return float(seconds(value))
        raise ValueError(f"Values of {short_repr(feature.name)} must be numbers, got {short_repr(value)}.")
    if not is_hashable(value) or value not in set(feature.values):
        wanted = joined(map(short_repr, feature.values))
        message = f"Values of {short_repr(feature.name)} must be among {wanted}, got {short_repr(value)}."
        raise ValueError(message)
    return feature.values.index(value)


def row_numbers(which: npt.ArrayLike, n: int) -> RowNumbers:
    """The row numbers, of n rows, that a boolean mask or an array of numbers selects.

    Raises an IndexError for a mask of another length, for a row that does not exist, and for masked values.
    """
    if np.ma.is_masked(which):
        raise IndexError(f"rows must have no masked values, got {short_repr(which)}. Use rows.filled(False).")
    try:
        rows = np.asarray(which)
    except ValueError:  # rows of several lengths, or a list inside itself
        rows = np.array(None)
    if rows.dtype.kind == "b":
        if rows.shape != (n,):
            raise IndexError(f"A mask must have one boolean for each of the {n} rows, got shape {rows.shape}.")
        return np.flatnonzero(rows)
    numbers = rows.astype(np.intp) if rows.size == 0 else rows
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers.size and not -n <= numbers.min() <= numbers.max() < n):
        raise IndexError(f"rows must be a boolean mask, or numbers from 0 to {n - 1}, got {array_text(rows)}.")
    return numbers


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


def require_value(name: str, value: Any) -> None:
    """Raise a ValueError for an argument that can be no value of a nominal feature, or is missing."""
    if not is_hashable(value) or ALWAYS_MISSING(value):
        raise ValueError(f"{name} must be a value, such as 'other', got {short_repr(value)}.")


def rare_merged(feature: Feature, column: Column, least: float, into: Hashable, weights: Column | None) -> tuple[Feature, Column]:
    """A nominal feature whose values of fewer cases than `least` are one, the last, and its column; others unchanged.

    >>> rare_merged(Feature("sky", "nominal", ("blue", "red", "pink")), np.array([0, 0, 1, 2, -1]), 2, "other", None)
    (Feature(name='sky', kind='nominal', values=('blue', 'other')), array([ 0,  0,  1,  1, -1], dtype=int8))
    """
    if feature.kind != "nominal":
        return feature, column
    known = column >= 0
    cases = np.bincount(column[known], None if weights is None else weights[known], len(feature.values)).tolist()
    kept = [value for value, n in zip(feature.values, cases, strict=True) if n >= least or value is None]
    if len(kept) == len(feature.values):
        return feature, column
    merged = evolve(feature, values=dict.fromkeys([*kept, into]))
    return merged, recoded_column(feature, merged, column, others=into)


def recoded_column(old: Feature, new: Feature, column: Column, others: Hashable = None) -> Column:
    """A column in the codes of another feature of the same name; values that it lacks become `others`, if it has it, or missing.

    Raises a ValueError for a feature of another kind.
    """
    if (old.kind == "numeric") != (new.kind == "numeric"):
        remedy = f"Read it with kinds={{{short_repr(new.name)}: {new.kind!r}}}."
        raise ValueError(
            f"Feature {short_repr(new.name)} of the dataset must be {new.kind}, got a feature that is {old.kind}. {remedy}"
        )
    if not may_stand_for(old.time, new.time):
        wanted, got = TIMES_IN_WORDS[new.time], TIMES_IN_WORDS[old.time]
        raise ValueError(f"Feature {short_repr(new.name)} of the dataset must be {wanted}, got {got}.")
    if old.kind == "numeric" or old.values == new.values:
        return column
    codes = encode(new, [*old.values, None], ALWAYS_MISSING)
    if others is not None and others in new.values:
        lost = [code for code, value in enumerate(old.values) if value is not None and codes[code] < 0]
        codes[lost] = new.values.index(others)
    return codes[column]


def codes_of_labels(labels: Sequence[Hashable], classes: Sequence[Hashable]) -> RowNumbers:
    """The number of each label among classes, -1 for a label that is not among them.

    >>> codes_of_labels(("no", "maybe"), ("yes", "no")).tolist()
    [1, -1]
    """
    code_of = {label: code for code, label in enumerate(classes)}
    return np.array([code_of.get(label, -1) for label in labels], dtype=np.intp)


def no_class(classes: Sequence[Hashable], label: Hashable) -> str:
    """The error message for a label that is none of the classes."""
    return f"Labels must be classes of the schema ({joined(map(short_repr, classes))}), got {short_repr(label)}."


def require_common_class(classes: Sequence[Hashable], labels: Sequence[Hashable]) -> None:
    """Raise a ValueError for labels none of which is among the classes, such as texts where classes are numbers.

    >>> require_common_class(("no", "yes"), (0, 1))
    Traceback (most recent call last):
    ValueError: Labels must be classes of the schema ('no', 'yes'), got 0.
    """
    if labels and classes and not set(classes) & set(labels):
        raise ValueError(no_class(classes, labels[0]))


def schema_of_all(schemas: Sequence[Schema]) -> Schema:
    """The schema of rows of several schemas: the first one, with the values and the classes of any of them.

    Raises a ValueError for other names or kinds of features, for another target, and for an ordinal feature of other values.

    >>> one, other = (Schema([Feature("sky", "nominal", values)], "ride", ("no",)) for values in (("blue",), ("grey", "blue")))
    >>> schema_of_all([one, other]).features[0].values
    ('blue', 'grey')
    """
    first = schemas[0]
    for other in schemas[1:]:
        wanted, got = _forms(first), _forms(other)
        if wanted != got:
            raise ValueError(f"Datasets must have the same columns, {short_repr(wanted)}, got {short_repr(got)}.")
    features = [
        evolve(feature, values=dict.fromkeys(chain.from_iterable(each.features[number].values for each in schemas)))
        for number, feature in enumerate(first.features)
    ]
    return evolve(first, features=features, classes=dict.fromkeys(chain.from_iterable(each.classes for each in schemas)))


def _forms(schema: Schema) -> tuple[Any, ...]:
    """What columns have in common that can stand one below the other."""
    of_features = [(each.name, each.kind, each.time, each.values if each.kind == "ordinal" else ()) for each in schema.features]
    return (schema.target, schema.response.kind, *of_features)


def with_none(feature: Feature) -> Feature:
    """A nominal feature with None, for "missing", as its last value, unless it has None already; other features unchanged."""
    # If None is a value already, the cells without a code are undeclared values, which mean missing.
    known = feature.kind != "nominal" or None in feature.values
    return feature if known else evolve(feature, values=(*feature.values, None))


def missing_as_none(feature: Feature, column: Column) -> tuple[Feature, Column]:
    """A nominal feature and its column with None, for "missing", as a value; unchanged if nothing is missing."""
    if feature.kind != "nominal" or not (column < 0).any():
        return feature, column
    wider = with_none(feature)
    # A wider type first, since the new code may not fit the column's own integers.
    codes = np.where(column < 0, wider.values.index(None), column.astype(np.intp))
    return wider, smallest_integers(codes, len(wider.values))
