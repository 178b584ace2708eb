"""A column of any library, read into one of two forms: an array of numbers or of times, or distinct values and codes of rows.

Arrays are masked where a value is null, and shared, not copied; times with a time zone are `TimesInUTC`. Everything else is
`Encoded`: lists, texts, booleans, categories and objects. Kinds and codes are decided from these forms only.
"""

import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree.data.times import TimesInUTC
from ftree.data.values import ALWAYS_MISSING, as_column, known_values, missing_among, python_values

# An odd number without a pattern: it spreads the bits of characters over all bits of a hash.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
# Texts of this many bytes stay in the cache while they are hashed.
_BLOCK = 1 << 20


@frozen(eq=False)
class Encoded:
    """Codes of rows, -1 for null, and the values by code; some values may occur in no row.

    `ordered` is True for ordered categories, False for unordered ones, None for values that are not categories.

    >>> column = Encoded(np.array([1, -1, 1]), ["a", "b"])
    >>> column.tolist(), column.present()
    (['b', None, 'b'], [1])
    """

    codes: Array
    values: Sequence[Any]
    ordered: bool | None = None

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def __getitem__(self, rows: Array) -> "Encoded":
        """The rows of a mask, or with the given numbers."""
        return evolve(self, codes=self.codes[rows])

    def __iter__(self) -> Iterator[Any]:
        """The values of the rows, None for null."""
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The values of the rows, None for null."""
        listed = [*self.values, None]
        return [listed[code] for code in self.codes.tolist()]

    def present(self) -> list[int]:
        """The codes that have rows, in order, without that of null."""
        return np.flatnonzero(self.counts).tolist()

    def distinct(self) -> set[Any]:
        """The values that have rows, and None if a row has null; values must be hashable."""
        return {self.values[code] for code in self.present()} | ({None} if (self.codes < 0).any() else set())

    def take(self, table: Sequence[Any] | Array) -> Array:
        """The entry of each row's code in a table, whose last entry is for null.

        >>> Encoded(np.array([1, -1, 0]), ["a", "b"]).take([10, 20, -1]).tolist()
        [20, -1, 10]
        """
        return np.asarray(table)[self.codes]

    @cached_property
    def counts(self) -> Array:
        """The number of rows of each code."""
        n_rows = np.bincount(np.asarray(self.codes, dtype=np.intp) + 1, minlength=len(self.values) + 1)[1:]
        return n_rows.astype(np.min_scalar_type(len(self.codes)))  # kept, for as many values as there are


# A column that is read, before it has a kind.
ReadColumn: TypeAlias = Array | TimesInUTC | Encoded


def read_column(values: Any) -> ReadColumn:
    """A column as an array of numbers or times (masked where null), or as `Encoded`; one that is read is unchanged.

    >>> read_column(np.array([1, 2])), read_column(np.array([True, False])).values, read_column(["b", None, "b"]).codes
    (array([1, 2]), [False, True], array([ 0, -1,  0], dtype=int32))
    """
    if isinstance(values, (Encoded, TimesInUTC)):
        return values
    if isinstance(values, np.ndarray):
        return _of_array(values)
    if isinstance(values, (list, tuple, range)):
        return _of_cells(values)
    series = as_series(values)
    read = values if series is None else _of_series(series)
    if isinstance(read, (Encoded, TimesInUTC)):
        return read
    has_dtype = isinstance(getattr(read, "dtype", None), np.dtype)
    return _of_array(np.asanyarray(read)) if has_dtype else _of_cells(read)


def read_labels(name: str, values: Any) -> Encoded:
    """A column of labels as `Encoded`.

    >>> read_labels("ride", np.array([7, 3, 7])).tolist()
    [7, 3, 7]
    """
    return as_encoded(read_column(as_column(name, values)))


def is_number_array(values: Any) -> TypeGuard[Array]:
    """Whether values are a numpy array (or a series that holds one) of integers or floats.

    >>> is_number_array(np.array([1.5])), is_number_array(np.array([True])), is_number_array([1.5])
    (True, False, False)
    """
    return _dtype_kind(values) in "iuf"


def is_time_array(values: Any) -> TypeGuard[Array]:
    """Whether values are a numpy array (or a series that holds one) of times or durations.

    >>> is_time_array(np.array(["2020-01-01"], "M8[D]")), is_time_array(np.array([1]))
    (True, False)
    """
    return _dtype_kind(values) in "mM"


def _dtype_kind(values: Any) -> str:
    if isinstance(values, Encoded):  # it has no dtype, and to look for one is slow in a class with a cached property
        return "O"
    dtype = getattr(values, "dtype", None)
    return dtype.kind if isinstance(dtype, np.dtype) else "O"


def _of_array(array: Any) -> ReadColumn:
    read: Array = array
    if array.dtype.kind in "iufmM":
        return read
    encode = {"b": encoded_booleans, "U": encoded_text_array}.get(array.dtype.kind)
    return encoded_values(python_values(array)) if encode is None else encode(array)


def _of_cells(values: Any) -> ReadColumn:
    """Shorter floats of numpy as an array of their type, which is compared as such; other cells as `Encoded`."""
    cells = values if isinstance(values, (list, tuple)) else python_values(values)
    kinds = set(map(type, cells)) - {type(None)}
    return np.array(cells, kinds.pop()) if kinds in ({np.float32}, {np.float16}) else encoded_values(python_values(cells))


def encoded_values(cells: Sequence[Any]) -> Encoded:
    """Cells as distinct values, and the code of each row; equal values of two types, such as 1 and True, stay apart.

    Floats, which are mostly distinct, and values that cannot be hashed have a code for each row.

    >>> [encoded_values(cells).values for cells in (["b", None, "b"], [1, True, 1], [0.0, -0.0], [[1], [1]])]
    [['b'], [1, True], [0.0, -0.0], [[1], [1]]]
    """
    kinds = set(map(type, cells)) - {type(None)}
    if float in kinds:
        return Encoded(np.arange(len(cells)), cells)
    keys: Sequence[Any] = cells if len(kinds) < 2 else [None if each is None else (type(each), each) for each in cells]  # noqa: PLR2004
    with suppress(TypeError):
        known = dict.fromkeys(keys)
        known.pop(None, None)
        values = list(known) if keys is cells else [value for _, value in known]
        known.update(zip(known, range(len(known)), strict=True))
        known[None] = -1
        return Encoded(np.fromiter(map(known.__getitem__, keys), np.int32, len(cells)), values)
    return Encoded(np.arange(len(cells)), cells)


def encoded_booleans(array: Any) -> Encoded:
    """An array of booleans, masked or not, as codes.

    >>> encoded_booleans(np.ma.array([True, False], mask=[False, True])).tolist()
    [True, None]
    """
    codes = np.ma.getdata(array).astype(np.int8)
    codes[np.ma.getmaskarray(array)] = -1
    return Encoded(codes, [False, True])


def encoded_numbers(array: Any) -> Encoded:
    """An array of numbers, masked or not, as codes of its distinct numbers.

    >>> encoded_numbers(np.array([7, 3, 7])).values
    [3, 7]
    """
    numbers, codes = np.unique(np.ma.getdata(array), return_inverse=True)
    codes[np.ma.getmaskarray(array)] = -1
    return Encoded(codes, numbers.tolist())


def encoded_text_array(array: Any) -> Encoded:
    """An array of texts of a fixed length (numpy's dtype `U`), masked or not, as codes of its distinct texts.

    >>> encoded_text_array(np.array(["b", "a", "b"])).tolist()
    ['b', 'a', 'b']
    """
    texts = np.ascontiguousarray(np.ma.getdata(array))
    step = 1 + _BLOCK // texts.itemsize
    blocks = [slice(begin, begin + step) for begin in range(0, len(texts), step)]
    hashes = np.concatenate([np.zeros(0, np.uint64), *(_hashes(texts[block]) for block in blocks)])
    _, first, codes = np.unique(hashes, return_index=True, return_inverse=True)
    distinct = texts[first]
    if any((distinct[codes[block]] != texts[block]).any() for block in blocks):  # different texts have the same hash
        distinct, codes = np.unique(texts, return_inverse=True)
    codes[np.ma.getmaskarray(array)] = -1
    return Encoded(codes, distinct.tolist())


def _hashes(texts: Array) -> Array:
    """A hash of each text, computed from its characters as numbers: hashes are sorted much faster than texts."""
    hashes = np.zeros(len(texts), np.uint64)
    for characters in texts.view(np.uint32).reshape(len(texts), texts.itemsize // 4).T:
        hashes *= _FACTOR
        hashes += characters
    return hashes


def as_encoded(column: ReadColumn, is_missing: missing_among = ALWAYS_MISSING) -> Encoded:
    """A column that is read as `Encoded`; listed numbers of an array are null.

    >>> as_encoded(np.array([-999, 1]), missing_among([-999])).tolist()
    [None, 1]
    """
    if isinstance(column, Encoded):
        return column
    if is_number_array(column):
        return encoded_numbers(is_missing.masked(column))
    return encoded_values(python_values(column))


def known_counts(name: str, column: ReadColumn, is_missing: missing_among) -> dict[Hashable, int]:
    """The number of rows of each known value of a column that is read; equal values, such as True and 1, are one.

    Raises a TypeError for a value that is not hashable.

    >>> known_counts("x", read_column([1, True, "?"]), missing_among(["?"]))
    {True: 2}
    """
    encoded = as_encoded(column, is_missing)
    cases = zip(encoded.values, encoded.counts.tolist(), strict=True)
    if set(map(type, encoded.values)) == {str}:  # texts that are many are in no other set
        counts: dict[Hashable, int] = {}
        for text, n in cases:
            if n and not is_missing(text):
                counts[text] = counts.get(text, 0) + n
        return counts
    known = dict.fromkeys(known_values(name, [encoded.values[code] for code in encoded.present()], is_missing), 0)
    for value, n in cases:
        if n and value in known:
            known[value] += n
    return known


def as_series(values: Any) -> Any:
    """A column of a frame library as a series of narwhals; None for anything else."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded for columns of other libraries only

    pandas, pyarrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    if pandas is not None and isinstance(values, (pandas.Index, pandas.api.extensions.ExtensionArray)):
        values = pandas.Series(values.to_flat_index() if isinstance(values, pandas.MultiIndex) else values)
    elif pyarrow is not None and isinstance(values, pyarrow.Array):
        values = pyarrow.chunked_array([values])
    series = nw.from_native(values, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def is_pandas_series(values: Any) -> bool:
    """Whether values are a series of pandas; loads nothing.

    >>> is_pandas_series([1])
    False
    """
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(values, pandas.Series)


def _of_series(series: Any) -> Any:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # as above

    dtype = series.dtype
    if dtype.is_integer() and dtype not in {nw.Int128, nw.UInt128}:
        # Not as floats: nulls would become NaN, but large integers would change.
        return _masked(series, fill=0)
    if dtype == nw.Boolean:
        return encoded_booleans(_masked(series, fill=False))
    if dtype == nw.Datetime and dtype.time_zone is not None:
        return TimesInUTC(series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy())
    if dtype.is_float() or any(dtype == kind for kind in (nw.Date, nw.Datetime, nw.Duration)):  # of any unit: no set finds these
        return series.to_numpy()
    if series.implementation.is_pandas_like():
        return _of_pandas(series.to_native())
    return _of_polars(series.to_native()) if series.implementation.is_polars() else _of_arrow(series.to_arrow())


def _masked(series: Any, *, fill: Any) -> Any:
    if not series.null_count():
        return series.to_numpy()
    filled = series.fill_null(fill).to_numpy()
    return np.ma.array(filled.astype(type(fill)) if filled.dtype == object else filled, mask=series.is_null().to_numpy())


def _of_pandas(series: Any) -> Any:
    """Categories by their codes, texts by pandas' own hashing; other objects as a list, since a hash would merge 1 and True.

    Intervals become ordered texts, such as "(0, 4]".
    """
    if hasattr(series.dtype, "closed"):  # intervals
        series = series.astype("category").cat.as_ordered()
    if hasattr(series.dtype, "categories"):
        categories = series.cat.categories
        values = categories.astype(str) if hasattr(categories.dtype, "closed") else categories
        return Encoded(series.cat.codes.to_numpy(), python_values(values), ordered=bool(series.cat.ordered))
    if hasattr(series.dtype, "pyarrow_dtype"):  # Arrow has types that pandas cannot hash
        return _of_arrow(series.array.__arrow_array__().combine_chunks())
    if not getattr(series.dtype, "isnative", True):  # numbers of another byte order, which pandas cannot hash
        return series.to_numpy()
    infer = sys.modules["pandas"].api.types.infer_dtype
    if series.dtype == object and infer(series) != "string":
        return series.tolist()
    codes, values = series.factorize()
    return Encoded(codes, values.tolist())


def _of_polars(series: Any) -> Any:
    import polars as pl  # noqa: PLC0415  # the series has loaded it

    dtype = series.dtype
    if isinstance(dtype, pl.Enum):
        codes = series.to_physical().cast(pl.Int64).fill_null(-1)
        return Encoded(codes.to_numpy(), dtype.categories.to_list(), ordered=True)
    if dtype.is_nested() or dtype == pl.Object:
        return series.to_list()
    is_decimal = dtype.is_decimal()
    if is_decimal:  # as texts, since older versions cannot find decimals in a dictionary
        series = series.cast(pl.String)
    values = series.drop_nulls().unique()
    codes = series.replace_strict(values, range(len(values)), default=-1, return_dtype=pl.Int32)
    listed = list(map(Decimal, values)) if is_decimal else values.to_list()
    return Encoded(codes.to_numpy(), listed, ordered=False if dtype == pl.Categorical else None)


def _of_arrow(array: Any) -> Any:
    from pyarrow import decimal128, types  # noqa: PLC0415  # the array has loaded it

    categories = types.is_dictionary(array.type)
    if not categories:
        if types.is_nested(array.type) or types.is_run_end_encoded(array.type):
            return array.to_pylist()
        if types.is_interval(array.type):
            return list(map(_duration, array.to_pylist()))
        if types.is_decimal(array.type) and array.type.bit_width < 128:  # noqa: PLR2004  # shorter ones have no dictionary
            array = array.cast(decimal128(array.type.precision, array.type.scale))
        array = array.dictionary_encode()
    ordered = bool(array.type.ordered) if categories else None
    codes = array.indices
    if codes.null_count:  # indices may be unsigned, and -1 must stand for null
        codes = codes.cast("int64").fill_null(-1)
    return Encoded(codes.to_numpy(zero_copy_only=False), array.dictionary.to_pylist(), ordered=ordered)


def _duration(interval: Any) -> Any:
    """An interval of a database as a duration; unchanged if it has months, since their lengths differ."""
    if interval is None or interval.months:
        return interval
    return timedelta(days=interval.days, microseconds=interval.nanoseconds / 1000)
