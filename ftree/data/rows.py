"""Rows to predict, in any form, as columns of a schema, and answers in the form of the rows.

Rows are a `Dataset`, a frame of any library or a mapping of columns (matched by feature name), an array or sequences of values
(in the schema's order), or dicts, where an absent feature is missing. One sequence or dict of values is a single row.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Array
from ftree._lib.messages import joined, nearest_name, short_repr, warn_of
from ftree.data.changes import recoded_columns
from ftree.data.coding import array_of_labels, check_times, code_of, codes_alike, decode, encode_unchecked, require_finite
from ftree.data.columns import Encoded, as_encoded, is_number_array, is_pandas_series, read_column
from ftree.data.dataset import Dataset
from ftree.data.doubts import Doubt
from ftree.data.frames import NamedColumns, as_frame, as_table, by_unique_name, floats_of_pandas, of_frame
from ftree.data.values import ALWAYS_MISSING, USUALLY_MISSING, as_column, family, in_order, known_values, python_values
from ftree.tree.schema import Feature, Schema, names_of, position, printed, unknown_name
from ftree.tree.splits.split import Columns

# One row: values by feature name, or in the schema's order. Values are hashable and rows are not, so a type checker can tell
# a list of values from a list of rows; a tuple of tuples may be either.
Row: TypeAlias = Mapping[str, Hashable] | Sequence[Hashable]
# A list of rows, an array of rows, and columns by name, as precisely as types can express it.
RowList: TypeAlias = Sequence[list[Any] | tuple[Any, ...] | Mapping[str, Any] | npt.NDArray[Any]]
_Arrays: TypeAlias = np.ndarray[tuple[int, int], np.dtype[Any]] | Mapping[str, list[Any] | npt.NDArray[Any]]
RowTable: TypeAlias = Dataset | _Arrays
# Several rows in any form except frames.
Rows: TypeAlias = RowTable | RowList


class Frame(Protocol):
    """A data frame of any library, as precisely as types can express it; results for it are of its library."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""
        ...


def columns_of(
    schema: Schema, rows: Any, open_to_all: Collection[int] = (), needed: Collection[int] | None = None
) -> tuple[Columns, int, bool]:
    """Rows as columns in the schema's codes, the number of rows, and whether a single row was given.

    Columns of a frame or a mapping that the schema does not have are ignored. Features that are not `needed` may have none, and
    are missing then; by default all are needed.

    Raises a ValueError for rows of another length, a KeyError for a column of the schema that the table lacks.

    >>> from ftree import Feature
    >>> columns_of(Schema([Feature("age", "numeric")], "ill", (False, True)), [[20], [60]])
    ((array([20., 60.]),), 2, False)
    """
    columns, n, single, refuse_infinity = columns_to_route(schema, rows, open_to_all, needed)
    if refuse_infinity is not None:
        refuse_infinity()
    return columns, n, single


def columns_to_route(
    schema: Schema, rows: Any, open_to_all: Collection[int] = (), needed: Collection[int] | None = None
) -> tuple[Columns, int, bool, Callable[[], None] | None]:
    """As `columns_of`, except that numbers may be infinite, with a function that raises the error if they are.

    It is None for a `Dataset`, which has no infinity. Callers that check each number anyway need not call it. Unknown values of
    the features with the numbers `open_to_all` are nothing to warn of.
    """
    if isinstance(rows, Dataset):
        columns, own = recoded_columns(rows, schema.features, needed), rows.schema

        def cells_there(name: str, absent: Array) -> list[Any]:
            if name not in names_of(own.features):
                return []
            number = position(own, name)
            return decode(own.features[number], np.unique(rows.columns[number][absent]))

        _warn_of_unknown(schema, columns, cells_there, open_to_all)
        return columns, len(rows), False, None
    numbers = _table_of_numbers(schema, rows)
    if numbers is not None:
        columns = tuple(numbers.T)
        return columns, len(numbers), False, partial(require_finite, names_of(schema.features), columns)
    given, n, single = given_columns(schema, rows, needed)
    columns = encode_unchecked(schema.features, given, USUALLY_MISSING)
    check_times(schema.features, given, columns)
    by_name = dict(zip(names_of(schema.features), zip(schema.features, given, strict=True), strict=True))
    _warn_of_unknown(schema, columns, lambda name, absent: cells_where(*by_name[name], absent), open_to_all)
    return columns, n, single, partial(require_finite, names_of(schema.features), columns)


def _warn_of_unknown(
    schema: Schema, columns: Columns, cells_there: Callable[[str, Array], list[Any]], but: Collection[int]
) -> None:
    """Warn once of the values that a schema does not know, which its columns have as missing.

    `cells_there` gives the cells of the feature of a name where a mask marks them.
    """
    asked = [pair for number, pair in enumerate(zip(schema.features, columns, strict=True)) if number not in but]
    gaps = [(feature, column < 0) for feature, column in asked if feature.kind != "numeric" and len(column) and column.min() < 0]
    unknown = [(feature, in_order(unknown_among(feature, cells_there(feature.name, absent)))) for feature, absent in gaps]
    examples = {
        feature.name: f"{short_repr(values[0])} of {short_repr(feature.name)}{meant(feature, values[0])}"
        for feature, values in unknown
        if values
    }
    if examples:
        text = f"Unknown values have no answer: {joined(examples.values())}. Write unseen='raise' to refuse them."
        warn_of([Doubt("unknown values", joined(examples), text)])


def unknown_among(feature: Feature, cells: Sequence[Any]) -> set[Hashable]:
    """The values among cells, None where missing, that a feature does not know.

    >>> unknown_among(Feature("sky", "nominal", ("sunny", "rainy")), ["Sunny", "rainy", None])
    {'Sunny'}
    """
    return {value for value in known_values(feature.name, cells, ALWAYS_MISSING) if code_of(feature, value) < 0}


def meant(feature: Feature, value: Hashable) -> str:
    """The question whether the most similar known value was meant; an empty text if none is similar.

    >>> meant(Feature("sky", "nominal", ("sunny", "rainy")), "Sunny")
    " (did you mean 'sunny'?)"
    """
    known = {printed(each): each for each in feature.values}
    near = nearest_name(printed(value), known)
    return "" if near is None else f" (did you mean {short_repr(known[near])}?)"


def _table_of_numbers(schema: Schema, rows: Any) -> Array | None:
    """Rows as an array of floats for features that are numbers, if they need no conversion; else None."""
    if any(feature.kind != "numeric" or feature.time is not None for feature in schema.features):
        return None
    if type(rows) is not np.ndarray:
        table = floats_of_pandas(rows)
        return table if table is not None and tuple(rows.columns) == names_of(schema.features) else None
    fits = rows.dtype == np.float64 and rows.ndim == 2 and rows.shape[1] == len(schema.features)  # noqa: PLR2004  # rows by columns
    return rows if fits else None


def cells_of(schema: Schema, rows: Any, only: Collection[int] | None = None) -> tuple[list[list[Any]], int, bool]:
    """As `columns_of`, but as raw values, None where a value is missing; of the features `only`, others are empty.

    >>> from ftree import Feature
    >>> cells_of(Schema([Feature("sky", "nominal", ("blue",))], "ride", ("no", "yes")), {"sky": "green"})
    ([['green']], 1, True)
    """
    asked = range(len(schema.features)) if only is None else only
    if isinstance(rows, Dataset):
        own = [position(rows.schema, name) if number in asked else None for number, name in enumerate(names_of(schema.features))]
        decoded = [[] if number is None else decode(rows.schema.features[number], rows.columns[number]) for number in own]
        return decoded, len(rows), False
    columns, n, single = given_columns(schema, rows, only)
    pairs = enumerate(zip(schema.features, columns, strict=True))
    return [_known(*pair) if number in asked else [] for number, pair in pairs], n, single


def cells_where(feature: Feature, column: Any, marked: Array) -> list[Any]:
    """The cells that a mask marks; of an encoded column each value once."""
    there = column[marked]
    return _known(feature, [there.values[code] for code in there.present()] if isinstance(there, Encoded) else there)


def _known(feature: Feature, column: Any) -> list[Any]:
    is_missing = USUALLY_MISSING.but(feature.values)
    return [None if is_missing(cell) else cell for cell in python_values(column)]


def given_columns(schema: Schema, rows: Any, needed: Collection[int] | None = None) -> tuple[Sequence[Any], int, bool]:
    """Columns that are read, in the schema's order, the number of rows, and whether a single row was given.

    >>> schema = Schema([Feature("age", "numeric")], "ill", (False, True))
    >>> columns, n, single = given_columns(schema, {"age": [20, 60], "name": ["a", "b"]})
    >>> columns[0].tolist(), n, single
    ([20, 60], 2, False)
    """
    if isinstance(rows, np.ndarray) and rows.ndim == 2:  # noqa: PLR2004  # rows by columns
        if rows.shape[1] != len(schema.features):
            raise ValueError(_wrong_width(schema, rows.shape[1], rows))
        return list(map(read_column, rows.T)), len(rows), False
    table = table_of(rows)
    if table is not None:
        return columns_in_order(schema, table, needed), table.n_rows, False
    single = _is_single_row(rows)
    listed = [rows] if single else list(rows)
    cells = [_in_order(schema, row) for row in listed]
    columns = zip(*cells, strict=True) if cells else [()] * len(schema.features)
    return list(map(read_column, columns)), len(listed), single


def columns_in_order(schema: Schema, table: NamedColumns, needed: Collection[int] | None = None) -> list[Any]:
    """The columns of a table that are in a schema, in the schema's order; those that it lacks and are not `needed` are missing.

    Raises a KeyError for a column that the table lacks, a ValueError for a nominal column whose values have another type.
    """
    return [
        _checked(feature, read_column(as_column(feature.name, table.column(feature.name))))
        if needed is None or number in needed or feature.name in table.columns
        else np.full(table.n_rows, np.nan)
        for number, feature in enumerate(schema.features)
    ]


def table_of(rows: Any) -> NamedColumns | None:
    """Rows that are a table of named columns: a frame, a mapping of columns, an array with named fields; None for other rows."""
    if isinstance(rows, NamedColumns):
        return rows
    if isinstance(rows, Mapping):
        return as_table(rows) if any(map(_is_column, rows.values())) else None
    if isinstance(rows, np.ndarray):
        return as_table(rows) if rows.dtype.names is not None and rows.ndim else None
    if isinstance(rows, (Sequence, np.void)) or (hasattr(rows, "to_pylist") and not hasattr(rows, "columns")):
        return None
    frame = None if is_pandas_series(rows) else as_frame(rows)
    return None if frame is None else of_frame(frame)


def _is_column(values: Any) -> bool:
    """Whether the value in a mapping is a column and not a cell: a list, or an array or a series of one dimension."""
    return isinstance(values, list) or hasattr(values, "to_pylist") or len(getattr(values, "shape", ())) == 1


def _is_single_row(rows: Any) -> bool:
    """Whether rows are a dict or a named row, or a sequence whose first item is not a row itself."""
    if isinstance(rows, Mapping) or _is_named(rows):
        return True
    if not _is_sequence(rows) or getattr(rows, "ndim", 1) != 1:
        wanted = "a Dataset, a data frame, a list of rows, or one row (a sequence or a dict of values)"
        raise TypeError(f"rows must be {wanted}, got {short_repr(rows)}.")
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
    known = names_of(schema.features)
    if isinstance(row, Mapping):
        named = row if all(isinstance(name, str) for name in row) else by_unique_name(row.items())
        strange = [name for name in named if name not in known and name != schema.target]
        if strange:
            raise KeyError(unknown_name(strange[0], known))
        return [named.get(name) for name in known]
    if _is_named(row):
        return _of_named(row, known)
    if not _is_sequence(row):
        raise TypeError(f"A row must be a sequence or a dict of values, got {short_repr(row)}.")
    values: Sequence[Any] = python_values(row) if _is_array(row) else row
    if len(values) != len(known):
        raise ValueError(_wrong_width(schema, len(values), values))
    return values


def _of_named(row: Any, known: Sequence[str]) -> list[Any]:
    """The values of a row with named values; values outside the schema are ignored, as such columns of a table are."""
    pairs = row.items() if is_pandas_series(row) else zip(row.dtype.names, row.item(), strict=True)
    row_of_one = NamedColumns(by_unique_name(pairs), 1)
    return list(map(row_of_one.column, known))


def _wrong_width(schema: Schema, width: int, row: Any) -> str:
    known = names_of(schema.features)
    wanted = f"one value for each of the {len(known)} features ({joined(known, at_most=5)})"
    return f"A row must have {wanted}, got {width}: {short_repr(row)}."


def _checked(feature: Feature, column: Any) -> Any:
    """The column of a table that is read, if it can hold values of the feature.

    Raises a ValueError for numbers where a nominal feature's values are texts, and vice versa, since no value would be known.
    """
    if feature.kind != "numeric":
        own, given = _families(feature.values), _families(_examples(column))
        if own and given and not own & given and not _any_known(feature, column):
            wanted, got = " or ".join(sorted(own)), " and ".join(sorted(given))
            example = short_repr(feature.values[0])
            raise ValueError(
                f"Values of {short_repr(feature.name)} must be {wanted}, such as {example}, got {got}. Convert the column."
            )
    return column


def _any_known(feature: Feature, column: Any) -> bool:
    """Whether a value of the column prints as one of the feature's does."""
    return any(codes_alike(feature, value) for value in as_encoded(column).values)


def _examples(column: Any) -> Iterable[Any]:
    """At least one value of each type that a column that is read holds; none of a column without rows."""
    if isinstance(column, Encoded):
        return column.values
    example = 0 if is_number_array(column) else timedelta(0) if column.dtype.kind == "m" else date.min
    return (example,) if len(column) else ()


def _families(values: Iterable[Any]) -> set[str]:
    known = {family(value) for value in values if not ALWAYS_MISSING(value)}
    return {"numbers" if name == "booleans" else name for name in known}  # True is 1


def labels_in_kind(rows: Any, name: str, labels: Sequence[Hashable], codes: Array) -> Any:
    """The labels with the given codes, one for each row, in the form of the rows; `name` is that of a series.

    An array has the type of the labels if all are booleans, all integers or all floats, else it is an array of objects, and so
    is the result for a frame that cannot hold the labels in one column.

    >>> labels_in_kind([["a"], ["b"]], "play", ("no", "yes"), np.array([1, 0]))
    ['yes', 'no']
    """
    if not _is_frame(rows):
        return numbers_in_kind(rows, name, array_of_labels(labels)[codes])
    if len(set(map(type, labels))) > 1:
        return array_of_labels(labels)[codes]
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # the frame has loaded it

    return _with_index(rows, nw.new_series(name, list(labels), backend=_backend(rows))[codes].to_native())


def numbers_in_kind(rows: Any, name: str, numbers: Array) -> Any:
    """Numbers, one for each row, in the form of the rows.

    >>> numbers_in_kind(np.zeros((2, 3)), "leaf", np.array([1, 0]))
    array([1, 0])
    """
    if not _is_frame(rows):
        return numbers.tolist() if isinstance(rows, Sequence) else numbers
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # as above

    return _with_index(rows, nw.new_series(name, numbers, backend=_backend(rows)).to_native())


def matrix_in_kind(rows: Any, labels: Sequence[Hashable], numbers: Array) -> Any:
    """Numbers (n, K), one for each row and label: a frame with columns named by the labels for a frame, else the array.

    Labels with the same text, such as 1 and "1", cannot name columns, and the result is the array.

    >>> matrix_in_kind([["a"]], ("no", "yes"), np.array([[0.25, 0.75]]))
    array([[0.25, 0.75]])
    """
    texts = list(map(str, labels))
    if not _is_frame(rows) or len(set(texts)) < len(texts):
        return numbers
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # as above

    columns = dict(zip(texts, np.ascontiguousarray(numbers.T), strict=True))
    return _with_index(rows, nw.from_dict(columns, backend=_backend(rows)).to_native())


def answers_in_kind(rows: Any, schema: Schema, answers: Any, *, single: bool) -> Any:
    """The answers without classes of rows, (n,) or (n, K), in the form of the rows; that of a single row as a value or an array.

    >>> from ftree.tree import numbers
    >>> answers_in_kind([[1.0]], Schema((), "age", (), response=numbers()), np.array([20.0]), single=False)
    [20.0]
    """
    if single:
        return answers if np.ndim(answers) else np.asarray(answers).item()
    if np.ndim(answers) == 1:
        return numbers_in_kind(rows, schema.target, answers)
    response: Any = schema.response
    return matrix_in_kind(rows, response.names(answers.shape[1]), answers)


def _is_frame(rows: Any) -> bool:
    return not isinstance(rows, (Dataset, np.ndarray, Mapping, Sequence))


def _backend(rows: Any) -> Any:
    """The library of the result: that of a frame in memory, else the library of a collected frame."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # as above
    import narwhals.stable.v2.dependencies as known  # noqa: PLC0415

    frame = nw.to_native(rows, pass_through=True)
    eager = {
        nw.Implementation.PANDAS: known.is_pandas_dataframe(frame),
        nw.Implementation.POLARS: known.is_polars_dataframe(frame) or known.is_polars_lazyframe(frame),
        nw.Implementation.MODIN: known.is_modin_dataframe(frame),
        nw.Implementation.CUDF: known.is_cudf_dataframe(frame),
    }
    return next((library for library, is_its_own in eager.items() if is_its_own), nw.Implementation.PYARROW)


def _with_index(rows: Any, answer: Any) -> Any:
    """The result with the index of the rows, if they have one."""
    if hasattr(answer, "index") and hasattr(rows, "index"):
        answer.index = rows.index
    return answer
