"""Reading of blocks of delimited text by pyarrow."""

from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree.data.csv_blocks import Irregular, Shape


def read(block: bytes, shape: Shape, names: Sequence[str], numbers: Collection[str] = ()) -> Mapping[str, Any]:
    """Columns of text by name, and floats for those among `numbers`; `CsvEngine` explains it."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded for large files only
    import pyarrow as pa  # noqa: PLC0415  # as above
    from pyarrow import csv  # noqa: PLC0415  # as above

    types = {name: pa.float64() if name in numbers else pa.string() for name in names}
    options: dict[str, Any] = {
        "read_options": csv.ReadOptions(column_names=shape.names, use_threads=False, block_size=len(block)),
        "parse_options": csv.ParseOptions(delimiter=shape.delimiter),
        "convert_options": csv.ConvertOptions(column_types=types, include_columns=list(names), null_values=[]),
    }
    try:
        table = nw.read_csv(pa.BufferReader(block), backend="pyarrow", separator=shape.delimiter, **options).to_native()
    except pa.ArrowInvalid:
        raise Irregular from None
    return {name: table.column(name) for name in names}


def floats(column: Any) -> Array | None:
    """A column of text as floats, NaN where it is null; None if a cell is not a number."""
    import pyarrow as pa  # noqa: PLC0415  # as above

    try:
        return np.asarray(column.cast(pa.float64()))
    except pa.ArrowInvalid:
        return None


def without(column: Any, words: Collection[str]) -> tuple[Any, Mapping[str, int]]:
    """A column with null instead of words, and the number of times that it has each of the words."""
    import pyarrow as pa  # noqa: PLC0415  # as above

    compute: Any = import_module("pyarrow.compute")  # its functions are created on import, so type checkers do not see them
    gaps = compute.is_in(column, value_set=pa.array(words, pa.string()))
    found = column.filter(gaps).value_counts().to_pylist()
    return compute.if_else(gaps, None, column), {each["values"]: each["counts"] for each in found}


def encode(column: Any) -> tuple[list[str], Array]:
    """The distinct texts of a column, and the code of each row."""
    chunks = column.dictionary_encode().unify_dictionaries().chunks  # all of one dictionary
    codes = np.concatenate([np.asarray(chunk.indices) for chunk in chunks])
    return next(chunk.dictionary.to_pylist() for chunk in chunks), codes
