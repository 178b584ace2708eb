"""Reading of blocks of delimited text by polars."""

from collections.abc import Collection, Mapping, Sequence
from io import BytesIO
from typing import Any

from ftree._lib.arrays import Array
from ftree.data.csv_blocks import Irregular, Shape, check_complete


def read(block: bytes, shape: Shape, names: Sequence[str], numbers: Collection[str] = ()) -> Mapping[str, Any]:
    """Columns of text by name, and floats for those among `numbers`; `CsvEngine` explains it."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded for large files only
    import polars as pl  # noqa: PLC0415  # as above

    types = {name: pl.Float64 if name in numbers else pl.String for name in shape.names}
    options: dict[str, Any] = {"has_header": False, "schema": types}
    try:
        frame = nw.read_csv(BytesIO(block), backend="polars", separator=shape.delimiter, **options).to_native()
    except (pl.exceptions.PolarsError, ValueError):
        raise Irregular from None
    without_cell = {column.name for column in frame if column.null_count()}
    if without_cell.intersection(numbers):
        raise Irregular
    if shape.names[-1] in without_cell:  # an empty cell, or a line that is too short
        texts = [frame.get_column(name) for name in frame.columns if name not in numbers]
        check_complete(block, shape, frame.shape, lambda mark: sum(_times(mark, text) for text in texts))
    listed = list(numbers)
    # Older versions make no array of no columns.
    floats = dict(zip(listed, frame.select(listed).to_numpy(order="fortran").T, strict=True)) if listed else {}
    # An empty cell of text is null.
    return {name: floats[name] if name in floats else frame.get_column(name).fill_null("") for name in names}


def _times(mark: str, column: Any) -> int:
    return int(column.str.count_matches(mark, literal=True).sum())


def floats(column: Any) -> Array | None:
    """A column of text as floats, NaN where it is null; None if a cell is not a number."""
    import polars as pl  # noqa: PLC0415  # as above

    numbers = column.cast(pl.Float64, strict=False)
    return numbers.to_numpy() if numbers.null_count() == column.null_count() else None


def without(column: Any, words: Collection[str]) -> tuple[Any, Mapping[str, int]]:
    """A column with null in place of words, and the number of times that it has each of the words."""
    gaps = column.is_in(list(words))
    return column.set(gaps, None), dict(column.filter(gaps).value_counts().iter_rows())


def encode(column: Any) -> tuple[list[str], Array]:
    """The distinct texts of a column, and the code of each row."""
    import polars as pl  # noqa: PLC0415  # as above

    texts = column.unique(maintain_order=True).to_list()
    return texts, column.cast(pl.Enum(texts)).to_physical().to_numpy()
