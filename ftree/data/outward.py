"""A dataset's columns as a table of another library: pandas, polars or Arrow.

Numbers become floats, times become times, and missing values those of that library. Other columns become categories, in
the order of their values; those of an ordinal feature are ordered. The target is the last column except "weights".
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from ftree._lib.arrays import missing_cells
from ftree.data.coding import decode
from ftree.data.values import Column
from ftree.tree.schema import Feature, Schema

NamedColumn: TypeAlias = tuple[Feature, Column]

# The column of a dataset's weights.
WEIGHTS = "weights"


def named_columns(schema: Schema, columns: Iterable[Column], labels: Column, weights: Column | None) -> list[NamedColumn]:
    """All columns with their features, the target as a nominal one, and the weights, if there are any, as a numeric one.

    Raises a ValueError if another column has the weights' name.
    """
    features = (*schema.features, Feature(schema.target, "nominal", schema.classes))
    if weights is not None:
        if WEIGHTS in {feature.name for feature in features}:
            message = (
                f"A weighted dataset must not have a column {WEIGHTS!r}, which is the name of its weights. Rename the column."
            )
            raise ValueError(message)
        features = (*features, Feature(WEIGHTS, "numeric"))
    return list(zip(features, (*columns, labels, *([] if weights is None else [weights])), strict=True))


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


def to_polars(columns: Iterable[NamedColumn]) -> Any:
    """The columns as a polars frame; only texts can be categories in polars, and an ordinal feature becomes an Enum."""
    polars = library("polars")

    def series(feature: Feature, column: Column) -> Any:
        if feature.time is not None:
            return polars.Series(feature.name, decode(feature, column))
        if feature.kind == "numeric":
            return polars.Series(feature.name, column.copy()).fill_nan(None)
        values = polars.Series(feature.name, list(feature.values))
        if all(isinstance(value, str) for value in feature.values):
            values = values.cast(polars.Enum(feature.values) if feature.kind == "ordinal" else polars.Categorical)
        return values.gather(polars.Series(column).set(polars.Series(column < 0), None))

    return polars.DataFrame([series(feature, column) for feature, column in columns])


def to_arrow(columns: Iterable[NamedColumn]) -> Any:
    """The columns as an Arrow table."""
    arrow = library("pyarrow")

    def array(feature: Feature, column: Column) -> Any:
        if feature.time is not None:
            return arrow.array(decode(feature, column))
        gaps = missing_cells(column)
        if feature.kind == "numeric":
            return arrow.array(column, mask=gaps)
        codes = arrow.array(column, mask=gaps)
        return arrow.DictionaryArray.from_arrays(codes, arrow.array(feature.values), ordered=feature.kind == "ordinal")

    return arrow.table({feature.name: array(feature, column) for feature, column in columns})


def library(name: str) -> Any:
    """A library that only some tables need.

    Raises an ImportError that says how to install it.

    >>> library("no_such_library")
    Traceback (most recent call last):
    ModuleNotFoundError: no_such_library must be installed for this, got no module of that name. Run: pip install no_such_library
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        message = f"{name} must be installed for this, got no module of that name. Run: pip install {name}"
        raise ModuleNotFoundError(message) from None


def in_values(feature: Feature, column: Column) -> Column:
    """A column as values: the floats of a numeric feature, else an array of Python objects, such as dates, None where missing.

    >>> in_values(Feature("sky", "nominal", ("blue", "grey")), np.array([1, -1]))
    array(['grey', None], dtype=object)
    """
    if feature.time is not None:
        return np.array(decode(feature, column), dtype=object)
    if feature.kind == "numeric":
        return column
    values = np.empty(len(feature.values) + 1, dtype=object)  # the last one, at code -1, is None
    for code, value in enumerate(feature.values):  # one by one, since NumPy would unpack tuples
        values[code] = value
    found: Column = values[column]
    return found
