"""Engines that read blocks of delimited text: pyarrow, polars, pandas. Each answers columns of text, or numbers of such a column.

narwhals calls them, with the options of each that make them read alike. What they infer is not asked for: kinds and missing
values are decided by rules of our own.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

from attrs import frozen

from ftree._lib.arrays import Array
from ftree.data import csv_by_arrow, csv_by_pandas, csv_by_polars
from ftree.data.csv_blocks import Shape

# Who reads a delimited file.
CsvReader: TypeAlias = Literal["pyarrow", "polars", "pandas", "python"]


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
    """The name of the engine that is installed; pyarrow comes first, as the extra `files` has it.

    >>> installed_engine()
    'pyarrow'
    """
    return next((name for name in ENGINES if find_spec(name)), None)


_MODULES = {"pyarrow": csv_by_arrow, "polars": csv_by_polars, "pandas": csv_by_pandas}
ENGINES = {name: CsvEngine(each.read, each.floats, each.without, each.encode) for name, each in _MODULES.items()}
