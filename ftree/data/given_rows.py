"""Rows in any form as columns in a schema's order, not converted yet.

A table has named columns: a frame, a mapping of columns, an array with named fields; columns outside the schema are ignored.
Other rows are sequences of values, or dicts.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np

from ftree._lib.messages import joined, short_repr
from ftree.data.encoded import Encoded
from ftree.data.frames import Table, as_frame, as_table, by_unique_name
from ftree.data.kinds import family
from ftree.data.missing_values import ALWAYS_MISSING
from ftree.data.series import is_pandas_series, read_column
from ftree.data.values import as_column, is_number_array, is_time_array, python_values
from ftree.tree.schema import Feature, Schema, names, unknown_name


def given_columns(schema: Schema, rows: Any) -> tuple[Sequence[Any], int, bool]:
    """Unconverted columns in the schema's order, the number of rows, and whether a single row was given.

    >>> given_columns(Schema([Feature("age", "numeric")], "ill", (False, True)), {"age": [20, 60], "name": ["a", "b"]})
    ([[20, 60]], 2, False)
    """
    if isinstance(rows, np.ndarray) and rows.ndim == 2:  # noqa: PLR2004  # rows by columns
        if rows.shape[1] != len(schema.features):
            raise ValueError(_wrong_width(schema, rows.shape[1], rows))
        return list(map(read_column, rows.T)), len(rows), False
    table = table_of(rows)
    if table is not None:
        return columns_in_order(schema, table), table.n_rows, False
    single = _is_single_row(rows)
    listed = [rows] if single else list(rows)
    cells = [_in_order(schema, row) for row in listed]
    return list(zip(*cells, strict=True)) if cells else [()] * len(schema.features), len(listed), single


def columns_in_order(schema: Schema, table: Table) -> list[Any]:
    """The columns of a table that are in a schema, in the schema's order.

    Raises a KeyError for a column that the table lacks, a ValueError for a nominal column whose values have another type.
    """
    return [_checked(feature, read_column(table.column(feature.name))) for feature in schema.features]


def table_of(rows: Any) -> Table | None:
    """Rows that are a table of named columns: a frame, a mapping of columns, an array with named fields; None for other rows."""
    if isinstance(rows, Table):
        return rows
    if isinstance(rows, Mapping):
        return as_table(rows) if any(map(_is_column, rows.values())) else None
    if isinstance(rows, np.ndarray):
        return as_table(rows) if rows.dtype.names is not None and rows.ndim else None
    if isinstance(rows, (Sequence, np.void)) or (hasattr(rows, "to_pylist") and not hasattr(rows, "columns")):
        return None
    frame = None if is_pandas_series(rows) else as_frame(rows)
    return None if frame is None else as_table(frame)


def _is_column(values: Any) -> bool:
    """Whether the value in a mapping is a column and not a cell: a list, or an array or a series of one dimension."""
    return isinstance(values, list) or hasattr(values, "to_pylist") or len(getattr(values, "shape", ())) == 1


def _is_single_row(rows: Any) -> bool:
    """Whether rows are a dict or a named row, or a sequence whose first item is not a row itself."""
    if isinstance(rows, Mapping) or _is_named(rows):
        return True
    if not _is_sequence(rows) or getattr(rows, "ndim", 1) != 1:
        wanted = "a Dataset, a data frame, a list of rows, or one row (a sequence or a dict of values)"
        message = f"rows must be {wanted}, got {short_repr(rows)}."
        raise TypeError(message)
    return len(rows) > 0 and not (isinstance(rows[0], (list, tuple, Mapping)) or _is_named(rows[0]) or _is_array(rows[0]))


def _is_named(row: Any) -> bool:
    """Whether a row is a record of numpy, or a series of pandas: its values have names."""
    record = isinstance(row, np.void) or (isinstance(row, np.ndarray) and not row.ndim)
    return (record and row.dtype.names is not None) or is_pandas_series(row)


def _is_array(row: Any) -> bool:
    """Whether a row is an array of NumPy or Arrow; one without dimensions is a value."""
    return hasattr(row, "to_pylist") or (isinstance(row, np.ndarray) and row.ndim > 0)


def _is_sequence(row: Any) -> bool:
    """Whether a row is a sequence of values; a text is not, and a set has no order."""
    return _is_array(row) or (isinstance(row, Sequence) and not isinstance(row, (str, bytes)))


def _in_order(schema: Schema, row: Any) -> Sequence[Any]:
    known = names(schema.features)
    if isinstance(row, Mapping):
        strange = [name for name in row if name not in known and name != schema.target]
        if strange:
            raise KeyError(unknown_name(strange[0], known))
        return [row.get(name) for name in known]
    if _is_named(row):
        return _of_named(row, known)
    if not _is_sequence(row):
        message = f"A row must be a sequence or a dict of values, got {short_repr(row)}."
        raise TypeError(message)
    values: Sequence[Any] = python_values(row) if _is_array(row) else row
    if len(values) != len(known):
        raise ValueError(_wrong_width(schema, len(values), values))
    return values


def _of_named(row: Any, known: Sequence[str]) -> list[Any]:
    """The values of a row with named values; values outside the schema are ignored, as such columns of a table are."""
    pairs = row.items() if is_pandas_series(row) else zip(row.dtype.names, row.item(), strict=True)
    row_of_one = Table(by_unique_name(pairs), 1)
    return list(map(row_of_one.column, known))


def _wrong_width(schema: Schema, width: int, row: Any) -> str:
    known = names(schema.features)
    wanted = f"one value for each of the {len(known)} features ({joined(known, at_most=5)})"
    return f"A row must have {wanted}, got {width}: {short_repr(row)}."


def _checked(feature: Feature, column: Any) -> Any:
    """The column of a table, if it can hold values of the feature.

    Raises a ValueError for numbers where a nominal feature's values are texts, and vice versa, since no value would be known.
    """
    if not isinstance(column, Encoded):
        column = as_column(feature.name, column)
    if feature.kind != "numeric":
        own, given = _families(feature.values), _families(_examples(column))
        if own and given and not own & given:
            wanted, got = " or ".join(sorted(own)), " and ".join(sorted(given))
            example = short_repr(feature.values[0])
            message = f"Values of {feature.name!r} must be {wanted}, such as {example}, got {got}. Convert the column."
            raise ValueError(message)
    return column


def _examples(column: Any) -> Iterable[Any]:
    """At least one value of each type that a column holds; none of a column without rows."""
    if not len(column):
        return ()
    if isinstance(column, Encoded):
        return column.values
    if is_number_array(column):
        return (0,)
    if is_time_array(column):
        return (timedelta(0) if column.dtype.kind == "m" else date.min,)
    return dict(zip(map(type, column), column, strict=True)).values()


def _families(values: Iterable[Any]) -> set[str]:
    known = {family(value) for value in values if not ALWAYS_MISSING(value)}
    return {"numbers" if name == "booleans" else name for name in known}  # True is 1
