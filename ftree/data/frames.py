"""Any table as named columns, and which of them are features, target and weights.

Columns are views of the table that are not read yet; `columns.read_column` reads the columns that are used.
"""

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import repeated
from ftree._lib.messages import joined, nearest_name, short_repr, type_of, warn_of
from ftree.data.columns import read_column, read_labels
from ftree.data.doubts import Doubt
from ftree.data.kinds import Kinds
from ftree.data.values import ALWAYS_MISSING, is_ordered, python_values
from ftree.tree.schema import as_name, unknown_name

# The name that pandas gives to a first column without one, as row names are in files of pandas and R.
ROW_NAMES = "Unnamed: 0"
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


def columns_of_frame(
    whole: NamedColumns, target: Any, features: Sequence[str] | None, weights: Any, omit: Any = (), kinds: Kinds = None
) -> tuple[dict[str, Any], str, Any, Any]:
    """Feature columns of a table by name, the target's name, labels, and weights."""
    if isinstance(target, tuple) and str(target) in whole.names:  # the name of a column of several levels
        target = str(target)
    by_name = isinstance(target, (str, int, np.integer))
    name = target_name(target, whole.names) if by_name else str(getattr(target, "name", None) or "class")
    labels = read_labels(name, whole.column(name) if by_name else target)
    if not by_name:
        _refuse_column_names(labels, whole.names)
    taken = {name: "target"} if by_name else {}
    if isinstance(weights, str):
        if weights in taken:
            raise ValueError(_weights_are_labels(name))
        taken[weights] = "weights"
    used = _used_features(whole, features, taken, omitted_names(omit), kinds)
    columns = by_unique_name((each, whole.column(each)) for each in used)
    return columns, name, labels, whole.column(weights) if isinstance(weights, str) else weights


def _used_features(
    whole: NamedColumns, features: Sequence[str] | None, taken: Mapping[str, str], omitted: Sequence[str], kinds: Kinds
) -> list[str]:
    """The names of the features: those that are given, or all that are not taken for something else, and no row names."""
    for each in omitted:
        whole.column(each)  # raises
        if each in taken:
            what = taken[each]
            raise ValueError(f"omit must name features, got {each!r}, the column of the {what}. Give another {what}.")
    known = [each for each in whole.names if each not in taken] if features is None else feature_names(features)
    used = [each for each in known if each not in omitted]
    if features is None and _are_row_names(whole, used, kinds):
        used.remove(ROW_NAMES)
    return used


def columns_of_rows(rows: Any, labels: Any, features: Any) -> tuple[dict[str, Any], Any]:
    """Rows as columns by name, and their labels."""
    # The columns of an array are contiguous arrays with its mask.
    is_array = isinstance(rows, np.ndarray) and rows.ndim == 2  # noqa: PLR2004  # rows by columns
    values, n = (list(rows.T.copy()), len(rows)) if is_array else columns_of_sequences(rows)
    names = feature_names(features, len(values))
    if n and len(names) != len(values):
        raise ValueError(f"features must be {len(values)} names, one for each value of a row, got {len(names)}.")
    answers = read_labels("labels", labels)
    if len(answers) != n:
        raise ValueError(f"labels must be one for each of the {n} rows, got {len(answers)}.")
    return by_unique_name(zip(names, values if n else [()] * len(names), strict=True)), answers


def split_off_target(columns: Any, target: str, weights: Any) -> tuple[dict[str, Any], Any, Any]:
    """Feature columns by name, labels, and weights; `weights` may be the name of a column."""
    if isinstance(columns, type) or not hasattr(columns, "items"):
        raise TypeError(f"columns must be a mapping of names to columns, got {short_repr(columns)}. For rows, use from_rows.")
    by_name = by_unique_name(columns.items())
    for wanted in (target, weights) if isinstance(weights, str) else (target,):
        if wanted not in by_name:
            raise KeyError(unknown_name(wanted, tuple(by_name)))
    labels = read_labels(target, by_name.pop(target))
    if isinstance(weights, str) and weights == target:
        raise ValueError(_weights_are_labels(weights))
    return by_name, labels, by_name.pop(weights) if isinstance(weights, str) else weights


def target_name(target: Any, column_names: Sequence[str]) -> str:
    """The name of a target that is given by name or number; a number that is none of a column may be a name.

    Raises a ValueError for any other target, and for a number that is one column's name and another one's number.

    >>> target_name(-1, ["sky", "ride"]), target_name(2019, ["2019", "ride"])
    ('ride', '2019')
    """
    if isinstance(target, str):
        return target
    n, is_number = len(column_names), isinstance(target, (int, np.integer)) and not isinstance(target, np.timedelta64)
    numbered = column_names[int(target)] if is_number and -n <= target < n else None
    if is_number and str(target) in column_names:
        if numbered not in (None, str(target)):
            message = f"target must be one column, got {target}, the number of {numbered!r} and another's name. Write a text."
            raise ValueError(message)
        return str(target)
    if numbered is None:
        message = f"target must be a column's name, or a number from 0 to {n - 1} (-1 is the last), got {short_repr(target)}."
        raise ValueError(message)
    return numbered


def feature_names(features: Any, width: int = 0, *, option: str = "features") -> list[str]:
    """The given names, by default x0, x1 and so on. Raises a TypeError for anything but a sequence.

    >>> feature_names(None, 2)
    ['x0', 'x1']
    """
    if features is None:
        return [f"x{number}" for number in range(width)]
    if not is_ordered(features):
        raise TypeError(f"{option} must be a sequence of names, such as ['sky', 'wind'], got {short_repr(features)}.")
    return list(map(as_name, features))


def omitted_names(names: Any) -> tuple[str, ...]:
    """The names of columns to leave out: one or several.

    >>> omitted_names("id"), omitted_names(["id", 2020])
    (('id',), ('id', '2020'))
    """
    return tuple(feature_names([names] if isinstance(names, str) else names, option="omit"))


def _refuse_column_names(labels: Any, names: Collection[str]) -> None:
    """Raise a ValueError for labels that are names of columns, each once."""
    given = list(labels) if len(labels) <= len(names) else []
    if given and all(isinstance(each, str) for each in given) and len({*given}.intersection(names)) == len(given):
        got = f"{'columns' if given[1:] else 'column'} {joined(map(repr, given))}"
        raise ValueError(f"target must be one column, or a label for each row, got the {got} in a list. Write one name.")


def _are_row_names(table: NamedColumns, used: Sequence[str], kinds: Kinds) -> bool:
    """Whether a column without a name has a value of its own in each row; warns of it, since it may be a feature."""
    if not may_be_row_names(used, kinds):
        return False
    cells = python_values(read_column(table.column(ROW_NAMES)))
    if len(set(cells)) < len(cells) or any(map(ALWAYS_MISSING, cells)):
        return False
    warn_of([doubt_of_row_names()])
    return True


def may_be_row_names(used: Sequence[str], kinds: Kinds) -> bool:
    """Whether a column without a name is among the features that are not given, and has no kind that is.

    >>> may_be_row_names([ROW_NAMES, "x"], None), may_be_row_names([ROW_NAMES, "x"], {ROW_NAMES: "numeric"})
    (True, False)
    """
    return ROW_NAMES in used and len(used) > 1 and not (isinstance(kinds, Mapping) and ROW_NAMES in kinds)


def doubt_of_row_names() -> Doubt:
    """What is warned of where such a column is left out."""
    remedy = f"If they are a feature, give kinds={{{ROW_NAMES!r}: ...}}; otherwise omit={ROW_NAMES!r}."
    text = f"The column without a name, {ROW_NAMES!r}, names or numbers the rows, and is left out. {remedy}"
    return Doubt("row names", ROW_NAMES, text)


def _weights_are_labels(name: str) -> str:
    return f"weights must not be the target's column, got {short_repr(name)}."


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


def in_memory(rows: Any) -> Any:
    """Rows that can be read more than once: an Arrow stream as its table, all others unchanged.

    >>> in_memory([["sunny"]])
    [['sunny']]
    """
    return rows.read_all() if hasattr(rows, "read_next_batch") else rows


def floats_of_pandas(table: Any) -> Any:
    """The array (n, d) of a pandas frame whose columns are all of 64-bit floats; None for any other table.

    >>> floats_of_pandas({"x": [1.0, 2.0]})
    """
    pandas = sys.modules.get("pandas")
    is_frame = pandas is not None and isinstance(table, pandas.DataFrame)
    return table.to_numpy() if is_frame and set(table.dtypes.tolist()) == {np.dtype(float)} else None


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
    by_name = by_unique_name((name_in_place(name, number), each) for number, (name, each) in enumerate(columns))
    lengths = {name: len(column) for name, column in by_name.items() if hasattr(column, "__len__")}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Columns must be equally long, got lengths {short_repr(lengths)}.")
    return NamedColumns(by_name, next(iter(lengths.values()), 0))


def name_in_place(name: Any, number: int) -> Any:
    """The name of the column of this number; a first one without a name gets that of pandas.

    >>> name_in_place("", 0), name_in_place("", 1), name_in_place("x", 0)
    ('Unnamed: 0', '', 'x')
    """
    return ROW_NAMES if name == "" and not number else name


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
