"""A column of any library as a read-only array, or as codes of its distinct values."""

import sys
from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import as_tuple
from ftree._lib.messages import short_repr
from ftree.data.values import Column, TimesInUTC
from ftree.tree.schema import Feature

# An odd number without a pattern: it spreads the bits of characters over all bits of a hash.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
# The name that pandas gives to a first column without one, as row names are in files of pandas and R.
ROW_NAMES = "Unnamed: 0"
# Texts of this many bytes stay in the cache while they are hashed.
_BLOCK = 1 << 20


@frozen(eq=False)
class Encoded:
    """Codes of rows, -1 for null, and the values by code; some values may occur in no row.

    `ordered` is True for ordered categories, False for unordered ones, None for values that are not categories.

    >>> column = Encoded(np.array([1, -1, 1]), ["a", "b"])
    >>> column.tolist(), column.counts()
    (['b', None, 'b'], {'b': 2})
    """

    codes: Array
    values: Sequence[Any]
    ordered: bool | None = None

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def __iter__(self) -> Iterator[Any]:
        """The values of the rows, None for null."""
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The values of the rows, None for null."""
        listed = [*self.values, None]
        return [listed[code] for code in self.codes.tolist()]

    def present(self) -> list[int]:
        """The codes that have rows, in order, without that of null."""
        return np.flatnonzero(self._times).tolist()

    def distinct(self) -> set[Any]:
        """The values that have rows, and None if a row has null; values must be hashable."""
        return {self.values[code] for code in self.present()} | ({None} if (self.codes < 0).any() else set())

    def counts(self) -> dict[Hashable, int]:
        """The number of rows of each value that has rows; values must be hashable."""
        found: dict[Hashable, int] = {}
        for value, times in zip(self.values, self._times.tolist(), strict=True):
            if times:
                found[value] = found.get(value, 0) + times
        return found

    def take(self, table: Sequence[Any] | Array) -> Array:
        """The entry of each row's code in a table, whose last entry is for null.

        >>> Encoded(np.array([1, -1, 0]), ["a", "b"]).take([10, 20, -1]).tolist()
        [20, -1, 10]
        """
        return np.asarray(table)[self.codes]

    @cached_property
    def _times(self) -> Array:
        """The number of rows of each code."""
        return np.bincount(np.asarray(self.codes, dtype=np.intp) + 1, minlength=len(self.values) + 1)[1:]


def rows_of(column: Any, rows: Array) -> Any:
    """The rows with the given numbers of a column that is read.

    >>> rows_of(Encoded(np.array([1, 0]), ["a", "b"]), np.array([1])).tolist(), rows_of(["a", "b"], np.array([1]))
    (['a'], ['b'])
    """
    if isinstance(column, Encoded):
        return evolve(column, codes=column.codes[rows])
    if isinstance(column, TimesInUTC):
        return TimesInUTC(column.times[rows])
    return column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows.tolist()]


def encoded_texts(cells: Sequence[str]) -> Encoded:
    """Texts as distinct texts, and the code of each row.

    >>> encoded_texts(["b", "a", "b"])
    Encoded(codes=array([0, 1, 0], dtype=int32), values=['b', 'a'], ordered=None)
    """
    code_of = {text: code for code, text in enumerate(dict.fromkeys(cells))}
    return Encoded(np.fromiter(map(code_of.__getitem__, cells), np.int32, len(cells)), list(code_of))


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


# Types that the coding of tables reads unchanged.
_PLAIN = (list, tuple, range, Encoded, TimesInUTC)
# Arrays each of whose distinct values is examined once, by the kind of their dtype; bytes are refused later.
_ENCODED_ARRAYS = {"b": encoded_booleans, "U": encoded_text_array}


def read_column(values: Any) -> Any:
    """A column as an array of numbers or times (masked where null), as `Encoded`, or else unchanged.

    >>> read_column(np.array([True, False])).values, read_column(np.array(["b", "a", "b"])).codes, read_column([1, None])
    ([False, True], array([1, 0, 1]), [1, None])
    """
    if isinstance(values, np.ndarray):
        encode = _ENCODED_ARRAYS.get(values.dtype.kind) if values.ndim == 1 else None
        return values if encode is None else encode(values)
    if isinstance(values, _PLAIN):
        return values
    series = as_series(values)
    return values if series is None else _read(series)


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


def _read(series: Any) -> Any:
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
        return Encoded(series.cat.codes.to_numpy(), values.tolist(), ordered=bool(series.cat.ordered))
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


def frozen_column(array: Any) -> Column:
    """A read-only view of the array on the same memory; only the owner of the array may still write to it.

    Raises a ValueError for an array with masked values, and for anything that is not an array.

    >>> frozen_column(np.zeros(2)).setflags(write=True)
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    if np.ma.is_masked(array):
        raise ValueError(f"A dataset's arrays must have no masked values, got {short_repr(array)}. Use Dataset.from_columns.")
    column = array_or_none(array)
    if not column.ndim:
        raise ValueError(
            f"A dataset's columns and labels must be arrays, got {short_repr(array)}. Dataset.from_columns takes other values."
        )
    if column.dtype.kind not in "iufb" or (isinstance(column.base, memoryview) and not column.flags.writeable):
        return column
    # A view could be made writable again, since its base is writable; a view of a read-only buffer cannot.
    return np.asarray(memoryview(column.data).toreadonly())


def array_or_none(values: Any) -> npt.NDArray[Any]:
    """The values as an array; an array of None, without axes, for rows of several lengths, or a list inside itself.

    >>> array_or_none([[1, 2], [3]]).shape
    ()
    """
    try:
        return np.asarray(values)
    except ValueError:
        return np.array(None)


def all_read_only(arrays: Iterable[Any]) -> tuple[Column, ...]:
    """`frozen_column` for each array."""
    return tuple(map(frozen_column, as_tuple(arrays)))


def check_cells(feature: Feature, column: Column) -> None:
    """Raise a ValueError for an array that does not hold values of the feature."""
    if feature.kind != "numeric":
        require_codes(feature.name, column, -1, len(feature.values))
    elif column.ndim != 1 or column.dtype.kind != "f":
        message = (
            f"The column of the numeric feature {short_repr(feature.name)} must be an array of floats, got {array_text(column)}."
        )
        raise ValueError(message)


def require_codes(name: str, codes: Column, least: int, n_values: int) -> None:
    """Raise a ValueError for an array with anything but codes in that range."""
    fits = codes.ndim == 1 and (not codes.size or (codes.dtype.kind in "iu" and least <= codes.min() <= codes.max() < n_values))
    if not fits:
        raise ValueError(
            f"The codes of {short_repr(name)} must be integers from {least} to {n_values - 1}, got {array_text(codes)}."
        )


def array_text(array: Column) -> str:
    """The type of an array, and the range of its numbers."""
    numbers = array.dtype.kind in "iuf" and array.size
    text = f"{array.dtype} of shape {array.shape}"
    return f"{text} from {array.min()} to {array.max()}" if numbers else text
