"""Engines that read blocks of delimited text: pyarrow, polars, pandas. Each returns columns of text, or numbers of such a column.

narwhals calls them, with the options of each that make them read alike. Their inference is switched off: the library's own rules
decide about kinds and missing values.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

from attrs import frozen

from ftree._lib.arrays import Array
from ftree.data import csv_by_arrow, csv_by_pandas, csv_by_polars
from ftree.data.csv_blocks import Shape

# The programs that can read a delimited file.
CsvReader: TypeAlias = Literal["pyarrow", "polars", "pandas", "python"]


@frozen
class CsvEngine:
    """Functions of an engine.

    - `read(block, shape, names, numbers)` returns columns of text by name, and floats for those among `numbers`, or raises
      `Irregular`, also if such a column has a cell that is not a number;
    - `floats(column)` returns a column as floats, NaN where it is null; None if a cell is not a number;
    - `without(column, words)` returns a column with null instead of words, and the number of times that it has each word;
    - `encode(column)` returns the distinct texts, and the code of each row;
    - `read_file(path, shape, numbers)`, if the engine reads a whole local file faster than its blocks, returns all columns as
      `read` does, or raises `Irregular`, also where only the blocks can decide.
    """

    read: Callable[[bytes, Shape, Sequence[str], Collection[str]], Mapping[str, Any]]
    floats: Callable[[Any], Array | None]
    without: Callable[[Any, Collection[str]], tuple[Any, Mapping[str, int]]]
    encode: Callable[[Any], tuple[list[str], Array]]
    read_file: Callable[[str, Shape, Collection[str]], Mapping[str, Any]] | None = None


def installed_engine() -> str | None:
    """The name of the engine that is installed; pyarrow comes first, since the extra `files` installs it.

    >>> installed_engine()
    'pyarrow'
    """
    return next((name for name in ENGINES if find_spec(name)), None)


_MODULES = {"pyarrow": csv_by_arrow, "polars": csv_by_polars, "pandas": csv_by_pandas}
ENGINES = {
    name: CsvEngine(each.read, each.floats, each.without, each.encode, getattr(each, "read_file", None))
    for name, each in _MODULES.items()
}
