"""A dataset's columns as a frame of pandas or polars, or as an Arrow table."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ftree._lib.arrays import missing_cells
from ftree._lib.messages import imported, joined, short_repr, type_of
from ftree.data.coding import decode
from ftree.data.dataset_fields import NamedColumn
from ftree.data.values import Column
from ftree.tree.schema import Feature


@contextmanager
def _in_unicode() -> Iterator[None]:
    """Raise a clear error for names and values that frames cannot hold."""
    try:
        yield
    except UnicodeEncodeError as error:
        got = short_repr(error.object)
        raise ValueError(f"Names and values must be Unicode without single surrogates, got {got}. Rename it.") from None


@_in_unicode()
def to_pandas(columns: Iterable[NamedColumn]) -> Any:
    """The columns as a pandas frame."""
    pandas = library("pandas")

    def series(feature: Feature, column: Column) -> Any:
        if feature.time is not None:
            times = decode(feature, column)
            return pandas.Series(pandas.to_datetime(times) if feature.time == "date" else times)
        if feature.kind == "numeric":
            return column.copy()
        return pandas.Categorical.from_codes(column, categories=list(feature.values), ordered=feature.kind == "ordinal")

    return pandas.DataFrame({feature.name: series(feature, column) for feature, column in columns})


@_in_unicode()
def to_polars(columns: Iterable[NamedColumn]) -> Any:
    """The columns as a polars frame; only texts can be categories in polars, and an ordinal feature becomes an Enum."""
    polars = library("polars")

    def series(feature: Feature, column: Column) -> Any:
        if feature.time is not None:
            return polars.Series(feature.name, decode(feature, column))
        if feature.kind == "numeric":
            return polars.Series(feature.name, column.copy()).fill_nan(None)
        values = _of_one_type(feature, "polars", lambda: polars.Series(feature.name, list(feature.values)))
        if all(isinstance(value, str) for value in feature.values):
            values = values.cast(polars.Enum(feature.values) if feature.kind == "ordinal" else polars.Categorical)
        return values.gather(polars.Series(column).set(polars.Series(column < 0), None))

    return polars.DataFrame([series(feature, column) for feature, column in columns])


@_in_unicode()
def to_arrow(columns: Iterable[NamedColumn]) -> Any:
    """The columns as an Arrow table."""
    arrow = library("pyarrow")

    def array(feature: Feature, column: Column) -> Any:
        if feature.time is not None:
            return arrow.array(decode(feature, column))
        numbers = arrow.array(column, mask=missing_cells(column))
        if feature.kind == "numeric":
            return numbers
        values = _of_one_type(feature, "Arrow", lambda: arrow.array(feature.values))
        return arrow.DictionaryArray.from_arrays(numbers, values, ordered=feature.kind == "ordinal")

    return arrow.table({feature.name: array(feature, column) for feature, column in columns})


def _of_one_type(feature: Feature, where: str, made: Callable[[], Any]) -> Any:
    """A column of a feature's values. Raises a ValueError for values of types that a column cannot hold together."""
    try:
        return made()
    except UnicodeError:
        raise
    except Exception as error:  # each library has its own
        got = f"{joined(dict.fromkeys(map(type_of, feature.values)))}. pandas holds them all."
        message = f"Values of {short_repr(feature.name)} must be of one type for a column of {where}, got {got}"
        raise ValueError(message) from error


def library(name: str) -> Any:
    """A library that only some tables need.

    Raises an ImportError that says how to install it.

    >>> library("no_such_library")
    Traceback (most recent call last):
    ModuleNotFoundError: no_such_library must be installed for this, got no module of that name. Run: pip install no_such_library
    """
    return imported(name, f"{name} must be installed for this, got no module of that name. Run: pip install {name}")
