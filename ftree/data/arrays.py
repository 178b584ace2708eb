"""Arrays of a dataset: read-only, and checked against the features that they code."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree._lib.fields import as_tuple
from ftree._lib.messages import short_repr
from ftree.data.values import Column
from ftree.tree.schema import Feature

RowNumbers: TypeAlias = npt.NDArray[np.intp]


def read_only(array: Any) -> Column:
    """A read-only view of the array on the same memory; only the owner of the array may still write to it.

    Raises a ValueError for an array with masked values, and for anything that is not an array.

    >>> read_only(np.zeros(2)).setflags(write=True)
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    if np.ma.is_masked(array):
        message = f"A dataset's arrays must have no masked values, got {short_repr(array)}. Use Dataset.from_columns."
        raise ValueError(message)
    try:
        column = np.asarray(array)
    except ValueError:  # rows of several lengths, or a list inside itself
        column = np.array(None)
    if not column.ndim:
        message = (
            f"A dataset's columns and labels must be arrays, got {short_repr(array)}. Dataset.from_columns takes other values."
        )
        raise ValueError(message)
    if column.dtype.kind not in "iufb" or (isinstance(column.base, memoryview) and not column.flags.writeable):
        return column
    # A view could be made writable again, since its base is writable; a view of a read-only buffer cannot.
    return np.asarray(memoryview(column.data).toreadonly())


def all_read_only(arrays: Iterable[Any]) -> tuple[Column, ...]:
    """`read_only` for each array."""
    return tuple(map(read_only, as_tuple(arrays)))


def check_cells(feature: Feature, column: Column) -> None:
    """Raise a ValueError for an array that does not hold values of the feature."""
    if feature.kind != "numeric":
        check_codes(feature.name, column, -1, len(feature.values))
    elif column.ndim != 1 or column.dtype.kind != "f":
        message = f"The column of the numeric feature {feature.name!r} must be an array of floats, got {_array_text(column)}."
        raise ValueError(message)


def check_codes(name: str, codes: Column, least: int, n_values: int) -> None:
    """Raise a ValueError for an array with anything but codes in that range."""
    fits = codes.ndim == 1 and (not codes.size or (codes.dtype.kind in "iu" and least <= codes.min() <= codes.max() < n_values))
    if not fits:
        message = f"The codes of {name!r} must be integers from {least} to {n_values - 1}, got {_array_text(codes)}."
        raise ValueError(message)


def _array_text(array: Column) -> str:
    """The type of an array, and the range of its numbers."""
    numbers = array.dtype.kind in "iuf" and array.size
    text = f"{array.dtype} of shape {array.shape}"
    return f"{text} from {array.min()} to {array.max()}" if numbers else text


def row_numbers(which: npt.ArrayLike, n: int) -> RowNumbers:
    """The row numbers, of n rows, that a boolean mask or an array of numbers selects.

    Raises an IndexError for a mask of another length, for a row that does not exist, and for masked values.
    """
    if np.ma.is_masked(which):
        message = f"rows must have no masked values, got {short_repr(which)}. Use rows.filled(False)."
        raise IndexError(message)
    try:
        rows = np.asarray(which)
    except ValueError:  # rows of several lengths, or a list inside itself
        rows = np.array(None)
    if rows.dtype.kind == "b":
        if rows.shape != (n,):
            message = f"A mask must have one boolean for each of the {n} rows, got shape {rows.shape}."
            raise IndexError(message)
        return np.flatnonzero(rows)
    numbers = rows.astype(np.intp) if rows.size == 0 else rows
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers.size and not -n <= numbers.min() <= numbers.max() < n):
        message = f"rows must be a boolean mask, or numbers from 0 to {n - 1}, got {_array_text(rows)}."
        raise IndexError(message)
    return numbers
