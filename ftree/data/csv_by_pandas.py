"""Reading of blocks of delimited text by pandas."""

import re
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from io import BytesIO
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree.data.csv_blocks import Irregular, Shape, check_complete

# pandas reads a column of nothing but words for true and false as ones and zeros where it is asked for floats.
_BOOLEAN_WORDS = re.compile(rb"[Tt]rue|TRUE|[Ff]alse|FALSE")


def read(block: bytes, shape: Shape, names: Sequence[str], numbers: Collection[str] = ()) -> Mapping[str, Any]:
    """Columns of text by name, and floats for those among `numbers`; `CsvEngine` explains it."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded for large files only

    pd: Any = import_module("pandas")  # as above; it has no types
    # pandas reads numbers to the last digit by default from 3.1 on, and on request before that.
    precise = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
    types = {place: float if name in numbers else str for place, name in enumerate(shape.names)}
    cells = {"header": None, "na_filter": False, "skip_blank_lines": False}
    options: dict[str, Any] = {"dtype": types, "engine": "c", **cells, **precise}
    try:
        frame = nw.read_csv(BytesIO(block), backend="pandas", separator=shape.delimiter, **options).to_native()
    except ValueError:
        raise Irregular from None
    if frame.shape[1] != len(shape.names):
        raise Irregular
    by_name = {name: frame[place] for place, name in enumerate(shape.names)}
    last = shape.names[-1]
    if last not in numbers and (by_name[last] == "").any():  # an empty cell, or a line that is too short
        texts = [column for name, column in by_name.items() if name not in numbers]
        check_complete(block, shape, frame.shape, lambda mark: sum(int(text.str.count(re.escape(mark)).sum()) for text in texts))
    if any(_are_zeros_and_ones(by_name[name]) for name in numbers) and _BOOLEAN_WORDS.search(block):
        raise Irregular
    return {name: by_name[name] for name in names}


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
