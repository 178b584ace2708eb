"""Any table as named columns.

Columns are views of the table that are not read yet; `columns.read_column` reads the columns that are used.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import repeated
from ftree._lib.messages import joined, nearest_name, short_repr, type_of
from ftree.data.columns import ROW_NAMES
from ftree.data.values import is_ordered
from ftree.tree.schema import as_name

_TABLES = "a data frame, a mapping of names to columns, an array of rows, or a sequence of rows"


@frozen(eq=False)
class NamedColumns:
    """Columns by name, in order, as their library holds them, and the number of rows."""

    columns: Mapping[str, Any] = field(repr=False)
    n_rows: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.columns)

    def column(self, name: str) -> Any:
        """The column of that name. Raises a KeyError that lists the existing ones, with the most similar name."""
        if name not in self.columns:
            near = nearest_name(name, self.names)
            meant = "" if near is None else f" Did you mean {near!r}?"
            got = f"the columns {joined(map(repr, self.names))}" if self.names else "no columns"
            raise KeyError(f"The table must have a column {short_repr(name)}, got {got}.{meant}")
        return self.columns[name]


def as_table(table: Any) -> NamedColumns:
    """The columns of a table of any form.

    Raises a TypeError for anything that is not a table, a ValueError for two columns of one name.

    >>> as_table({"sky": ["grey", "blue"], "wind": [3, 5]}).names, as_table(np.zeros((2, 3))).names
    (('sky', 'wind'), ('x0', 'x1', 'x2'))
    """
    if isinstance(table, Mapping):
        return _of_columns(table.items())
    if isinstance(table, np.ndarray):
        return _of_array(table)
    if isinstance(table, (list, tuple)):
        return _of_rows(table)
    frame = as_frame(table)
    if frame is None:
        raise TypeError(f"table must be {_TABLES}, got {type_of(table)}.")
    return of_frame(frame)


def of_frame(frame: Any) -> NamedColumns:
    """The columns of a narwhals frame, but for those that are its index. Raises a ValueError for two columns of one name."""
    pairs = zip(frame.columns, frame.iter_columns(), strict=True)  # by position, since pandas may have a name twice
    return _of_columns(pair for pair in pairs if not is_index(pair[0]))


def as_frame(table: Any) -> Any:
    """A table of a frame library as a narwhals frame in memory; None for anything else.

    A lazy frame and a relation of a database are collected, an Arrow stream is read.

    Raises a ValueError for two columns of one name.
    """
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded for frames only
    from narwhals.exceptions import DuplicateError  # noqa: PLC0415

    try:
        frame = nw.from_native(table, pass_through=True)
        if not isinstance(frame, (nw.DataFrame, nw.LazyFrame)) and hasattr(table, "__arrow_c_stream__"):
            frame = nw.from_native(_of_stream(table), pass_through=True)
    except DuplicateError as error:
        twice = " ".join(str(error).split())
        raise ValueError(f"Columns must have distinct names. {twice}.") from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def floats_of_pandas(table: Any) -> Any:
    """The array (n, d) of a pandas frame whose columns are all of 64-bit floats; None for any other table.

    >>> floats_of_pandas({"x": [1.0, 2.0]})
    """
    pandas = sys.modules.get("pandas")
    is_frame = pandas is not None and isinstance(table, pandas.DataFrame)
    return table.to_numpy() if is_frame and set(table.dtypes.tolist()) == {np.dtype(float)} else None


def is_in_memory(table: Any) -> bool:
    """Whether a table is in memory, or is a lazy frame, which is collected; not so files, a query of a database or a stream.

    >>> is_in_memory({"x": [1, 2]}), is_in_memory("rides.parquet")
    (True, False)
    """
    import narwhals.stable.v2.dependencies as known  # noqa: PLC0415  # as above

    mine = isinstance(table, (Mapping, np.ndarray, list, tuple))
    return mine or known.is_into_dataframe(table) or known.is_polars_lazyframe(table)


def is_index(name: Any) -> bool:
    """Whether a column is the index without a name of a frame of pandas, which Arrow and Parquet keep as a column so named.

    >>> is_index("__index_level_0__"), is_index("index")
    (True, False)
    """
    return isinstance(name, str) and re.fullmatch(r"__index_level_\d+__", name) is not None


def _of_stream(stream: Any) -> Any:
    """An Arrow stream or batch as a table; unchanged where it is a single column."""
    import pyarrow as pa  # noqa: PLC0415  # the maker of such a stream has usually loaded it

    try:
        return pa.table(stream)
    except (TypeError, pa.ArrowInvalid):
        return stream


def _of_columns(columns: Iterable[tuple[Any, Any]]) -> NamedColumns:
    by_name = by_unique_name((name if number or name != "" else ROW_NAMES, each) for number, (name, each) in enumerate(columns))
    lengths = {name: len(column) for name, column in by_name.items() if hasattr(column, "__len__")}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Columns must be equally long, got lengths {short_repr(lengths)}.")
    return NamedColumns(by_name, next(iter(lengths.values()), 0))


def _of_array(array: Any) -> NamedColumns:
    if array.dtype.names is not None and array.ndim == 1:
        return _of_columns((name, array[name]) for name in array.dtype.names)
    if array.ndim != 2:  # noqa: PLR2004  # rows by columns
        raise ValueError(f"An array must have two dimensions to be a table, or one and named fields, got shape {array.shape}.")
    return NamedColumns({f"x{number}": column for number, column in enumerate(array.T)}, len(array))


def _of_rows(rows: Sequence[Any]) -> NamedColumns:
    if rows and all(isinstance(row, Mapping) for row in rows):
        known = dict.fromkeys(name for row in rows for name in row)
        return _of_columns((name, [row.get(name) for row in rows]) for name in known)
    columns, n = columns_of_sequences(rows)
    return NamedColumns({f"x{number}": column for number, column in enumerate(columns)}, n)


def columns_of_sequences(rows: Any) -> tuple[Sequence[Any], int]:
    """The columns of rows that are sequences of values, and the number of rows.

    Raises a TypeError for a row that is not a sequence, a ValueError for rows of different lengths.

    >>> columns_of_sequences([[1, "a"], [2, "b"]])
    ([(1, 2), ('a', 'b')], 2)
    """
    points = _checked_rows(rows)
    width = len(points[0]) if points else 0
    odd = next((row for row, point in enumerate(points) if len(point) != width), None)
    if odd is not None:
        raise ValueError(f"rows must be equally long, got {width} values in row 0 and {len(points[odd])} in row {odd}.")
    return list(zip(*points, strict=True)), len(points)


def by_unique_name(columns: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """Columns by name, with the names as text.

    Raises a ValueError for two columns of one name.
    """
    named = [(as_name(name), column) for name, column in columns]
    for twice in repeated(name for name, _ in named):
        raise ValueError(f"Columns must have distinct names, got {twice!r} twice. Names are compared as text.")
    return dict(named)


def _checked_rows(rows: Any) -> list[tuple[Any, ...]]:
    if not is_ordered(rows) or hasattr(rows, "columns"):
        remedy = "For a frame use from_frame, for columns by name from_columns."
        raise TypeError(f"rows must be a sequence of rows, got {short_repr(rows)}. {remedy}")
    listed = list(rows)
    for row, values in enumerate(listed):
        if not is_ordered(values):
            remedy = "Write a single value as a list of one. For columns by name, use from_columns."
            raise TypeError(f"A row must be a sequence of values, got {short_repr(values)} as row {row}. {remedy}")
    return list(map(tuple, listed))
