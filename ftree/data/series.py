"""One column of any library in a form that the coding of tables reads: an array, an `Encoded`, or a list of Python values.

Numbers, dates and times become arrays, without a copy where the library allows it; texts, categories and booleans become
`Encoded`, by the library's own hashing. narwhals gives a column's type, and is loaded only for columns of other libraries.
"""

import sys
from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from ftree.data.encoded import Encoded, encoded_booleans, encoded_text_array
from ftree.data.values import TimesInUTC

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
        values = pandas.Series(values)
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
    if dtype.is_float() or dtype in {nw.Date, nw.Datetime, nw.Duration}:
        return series.to_numpy()
    return _hashed(series)


def _masked(series: Any, *, fill: Any) -> Any:
    if not series.null_count():
        return series.to_numpy()
    plain = series.fill_null(fill).to_numpy()
    return np.ma.array(plain.astype(type(fill)) if plain.dtype == object else plain, mask=series.is_null().to_numpy())


def _hashed(series: Any) -> Any:
    if series.implementation.is_pandas_like():
        return _of_pandas(series.to_native())
    return _of_polars(series.to_native()) if series.implementation.is_polars() else _of_arrow(series.to_arrow())


def _of_pandas(series: Any) -> Any:
    """Categories by their codes, texts by pandas' own hashing; other objects as a list, since a hash would merge 1 and True."""
    if hasattr(series.dtype, "categories"):
        return Encoded(series.cat.codes.to_numpy(), series.cat.categories.tolist(), ordered=bool(series.cat.ordered))
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
    from pyarrow import types  # noqa: PLC0415  # the array has loaded it

    categories = types.is_dictionary(array.type)
    if not categories:
        if types.is_nested(array.type):
            return array.to_pylist()
        if types.is_interval(array.type):
            return list(map(_duration, array.to_pylist()))
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
