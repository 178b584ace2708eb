"""Reading of blocks of delimited text by pandas."""

import re
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree.data.csv_blocks import Irregular, Shape, check_complete

# pandas reads a column of nothing but words for true and false as ones and zeros where it is asked for floats.
_ENDS_OF_BOOLEANS = (b"rue", b"RUE", b"alse", b"ALSE")


def read(block: bytes, shape: Shape, names: Sequence[str], numbers: Collection[str] = ()) -> Mapping[str, Any]:
    """Columns of text by name, and floats for those among `numbers`; `CsvEngine` explains it."""
    by_name = _columns(BytesIO(block), shape, numbers, {})
    if _has_empty_end(by_name, shape, numbers):
        texts = [column for name, column in by_name.items() if name not in numbers]
        n_rows = len(by_name[shape.names[0]])
        check_complete(block, shape, (n_rows, len(by_name)), lambda mark: sum(_times(mark, text) for text in texts))
    _check_no_booleans([by_name[name] for name in numbers], block)
    return {name: by_name[name] for name in names}


def read_file(path: str, shape: Shape, numbers: Collection[str]) -> Mapping[str, Any]:
    """As `read`, for all rows of a local file, which pandas reads in several threads from 3.1 on; `CsvEngine` explains it."""
    by_name = _columns(path, shape, numbers, {"skiprows": shape.lines})
    if _has_empty_end(by_name, shape, numbers):
        raise Irregular
    with Path(path).open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        _check_no_booleans([by_name[name] for name in numbers], content)
    return by_name


def _columns(source: Any, shape: Shape, numbers: Collection[str], rows: Mapping[str, Any]) -> dict[str, Any]:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded for large files only

    pd: Any = import_module("pandas")  # as above; it has no types
    # pandas reads numbers to the last digit by default from 3.1 on, and on request before that.
    precise = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
    types = {place: float if name in numbers else str for place, name in enumerate(shape.names)}
    cells = {"header": None, "na_filter": False, "skip_blank_lines": False}
    options: dict[str, Any] = {"dtype": types, "engine": "c", **cells, **precise, **rows}
    try:
        frame = nw.read_csv(source, backend="pandas", separator=shape.delimiter, **options).to_native()
    except ValueError:
        raise Irregular from None
    if frame.shape[1] != len(shape.names):
        raise Irregular
    return {name: frame[place] for place, name in enumerate(shape.names)}


def _times(mark: str, column: Any) -> int:
    return int(column.str.count(re.escape(mark)).sum())


def _has_empty_end(by_name: Mapping[str, Any], shape: Shape, numbers: Collection[str]) -> bool:
    """Whether the last cell of a row is empty, or a line is too short."""
    last = shape.names[-1]
    return last not in numbers and bool((by_name[last] == "").any())


def _check_no_booleans(numbers: Sequence[Any], content: bytes | mmap) -> None:
    if any(map(_are_zeros_and_ones, numbers)) and any(content.find(end) != -1 for end in _ENDS_OF_BOOLEANS):
        raise Irregular


def _are_zeros_and_ones(column: Any) -> bool:
    numbers = np.asarray(column)
    return bool(numbers[0] in {0, 1}) and bool(((numbers == 0) | (numbers == 1)).all())


def floats(column: Any) -> Array | None:
    """A column of text as floats, NaN where it is null; None if a cell is not a number."""
    pd: Any = import_module("pandas")  # as above

    try:
        return np.asarray(pd.to_numeric(column), dtype=np.float64)
    except (ValueError, TypeError):
        return None


def without(column: Any, words: Collection[str]) -> tuple[Any, Mapping[str, int]]:
    """A column with null instead of words, and the number of times that it has each of the words."""
    gaps = column.isin(list(words))
    return column.mask(gaps), column[gaps].value_counts().to_dict()


def encode(column: Any) -> tuple[list[str], Array]:
    """The distinct texts of a column, and the code of each row."""
    codes, texts = column.factorize()
    return texts.tolist(), codes
