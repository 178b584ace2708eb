"""Engines that read blocks of delimited text: pyarrow and polars. Each answers columns of text, or numbers of such a column.

What they infer is not asked for: kinds and missing values are decided by rules of our own, so that all read alike.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.data.csv_blocks import Irregular, Shape, count_byte

# Who reads a delimited file.
CsvReader: TypeAlias = Literal["pyarrow", "polars", "python"]


@frozen
class CsvEngine:
    """Functions of an engine.

    - `read(block, shape, names, numbers)` answers columns of text by name, and floats for those among `numbers`, or raises
      `Irregular`, also for a cell there that is no number;
    - `floats(column)` a column as floats, NaN where it is null; None where a cell is no number;
    - `without(column, words)` a column with null in place of words, and those that it has, each as often as it has it;
    - `encode(column)` the distinct texts, and the code of each row.
    """

    read: Callable[[bytes, Shape, Sequence[str], Collection[str]], Mapping[str, Any]]
    floats: Callable[[Any], Array | None]
    without: Callable[[Any, Collection[str]], tuple[Any, Mapping[str, int]]]
    encode: Callable[[Any], tuple[list[str], Array]]


def installed_engine() -> str | None:
    """The name of the engine that is installed; pyarrow comes first, since it reads in half of the time.

    >>> installed_engine()
    'pyarrow'
    """
    return next((name for name in ENGINES if find_spec(name)), None)


def _read_arrow(block: bytes, shape: Shape, names: Sequence[str], numbers: Collection[str] = ()) -> Mapping[str, Any]:
    import pyarrow as pa  # noqa: PLC0415  # loaded for large files only
    from pyarrow import csv  # noqa: PLC0415  # as above

    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=shape.names, use_threads=False, block_size=len(block)),
            csv.ParseOptions(delimiter=shape.delimiter, newlines_in_values=b'"' in block),
            csv.ConvertOptions(
                column_types={name: pa.float64() if name in numbers else pa.string() for name in names},
                null_values=[],
                strings_can_be_null=False,
                include_columns=list(names),
            ),
        )
    except pa.ArrowInvalid:
        raise Irregular from None
    return {name: table.column(name) for name in names}


def _arrow_floats(column: Any) -> Array | None:
    import pyarrow as pa  # noqa: PLC0415  # as above

    try:
        return np.asarray(column.cast(pa.float64()))
    except pa.ArrowInvalid:
        return None


def _arrow_without(column: Any, words: Collection[str]) -> tuple[Any, Mapping[str, int]]:
    import pyarrow as pa  # noqa: PLC0415  # as above

    compute: Any = import_module("pyarrow.compute")  # its functions are made when it is imported, so type checkers see none
    gaps = compute.is_in(column, value_set=pa.array(words, pa.string()))
    found = column.filter(gaps).value_counts().to_pylist()
    return compute.if_else(gaps, None, column), {each["values"]: each["counts"] for each in found}


def _encode_arrow(column: Any) -> tuple[list[str], Array]:
    whole = column.dictionary_encode().unify_dictionaries().combine_chunks()
    chunks = whole.chunks if hasattr(whole, "chunks") else [whole]
    codes = np.concatenate([np.asarray(chunk.indices) for chunk in chunks])
    return chunks[0].dictionary.to_pylist(), codes


def _read_polars(block: bytes, shape: Shape, names: Sequence[str], numbers: Collection[str] = ()) -> Mapping[str, Any]:
    import polars as pl  # noqa: PLC0415  # as above

    try:
        types = {name: pl.Float64 if name in numbers else pl.String for name in shape.names}
        frame = pl.read_csv(block, has_header=False, schema=types, separator=shape.delimiter)
    except (pl.exceptions.PolarsError, ValueError):
        raise Irregular from None
    _check_complete(block, shape, frame)
    return {name: _filled(frame.get_column(name), name in numbers) for name in names}


def _filled(column: Any, is_number: bool) -> Any:  # noqa: FBT001  # private
    """The column with an empty text in place of null; polars takes as long to look for null in all as to read a block."""
    if not column.null_count():
        return column
    if is_number:
        raise Irregular
    return column.fill_null("")


def _check_complete(block: bytes, shape: Shape, frame: Any) -> None:
    """Raise `Irregular` where polars has filled up a line, or read a blank one as a row: the delimiters tell."""
    mark = shape.delimiter
    texts = [column for column in frame if not column.dtype.is_numeric()] if b'"' in block else []
    inside = sum(column.str.count_matches(mark, literal=True).sum() or 0 for column in texts)
    if frame.width != len(shape.names) or count_byte(block, mark.encode()) != inside + frame.height * (frame.width - 1):
        raise Irregular


def _polars_floats(column: Any) -> Array | None:
    import polars as pl  # noqa: PLC0415  # as above

    numbers = column.cast(pl.Float64, strict=False)
    return numbers.to_numpy() if numbers.null_count() == column.null_count() else None


def _polars_without(column: Any, words: Collection[str]) -> tuple[Any, Mapping[str, int]]:
    gaps = column.is_in(list(words))
    return column.set(gaps, None), dict(column.filter(gaps).value_counts().iter_rows())


def _encode_polars(column: Any) -> tuple[list[str], Array]:
    import polars as pl  # noqa: PLC0415  # as above

    texts = column.unique(maintain_order=True).to_list()
    return texts, column.cast(pl.Enum(texts)).to_physical().to_numpy()


ENGINES = {
    "pyarrow": CsvEngine(_read_arrow, _arrow_floats, _arrow_without, _encode_arrow),
    "polars": CsvEngine(_read_polars, _polars_floats, _polars_without, _encode_polars),
}
