"""A table that is read in batches, as often as growth needs: files, database queries, and anything that gives Arrow streams."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import short_repr, type_of
from ftree.data.frames import by_unique_name
from ftree.scan.folds import Answer, fold_answers
from ftree.scan.parquet_files import ParquetFiles, parquet_files

# Cells of a batch: about 30 MB of numbers.
CELLS = 4_000_000


@frozen(eq=False)
class Batches:
    """A table in batches: `read()` makes a new iterator of mappings from names to columns, each time from the first row."""

    names: tuple[str, ...]
    read: Callable[[], Iterator[Mapping[str, Any]]] = field(repr=False)

    def fold(self, function: Callable[[Mapping[str, Any]], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all batches, merged. Raises a ValueError for a table without rows."""
        batches = self.ahead()
        first = next(batches, None)
        if first is None:
            message = "source must have at least one row, got none."
            raise ValueError(message)
        return fold_answers(map(function, chain((first,), batches)), merge)

    def ahead(self) -> Iterator[Mapping[str, Any]]:
        """The batches; another thread reads each while the one before it is used."""
        batches, end = self.read(), object()
        with ThreadPoolExecutor(1, "ftree-read") as reader:
            following = reader.submit(next, batches, end)
            while (batch := following.result()) is not end:
                following = reader.submit(next, batches, end)
                yield batch  # type: ignore[misc]  # not the end


def batches_of(table: Any, *, cells: int = CELLS) -> Batches:
    """The batches of a table: Parquet files by path or glob, a relation of DuckDB, or any object with repeatable Arrow streams.

    Datasets and tables of PyArrow and frames of polars do so.

    Raises a TypeError without a stream, or for a stream that can be read only once; a ModuleNotFoundError without PyArrow.

    >>> import pyarrow as pa
    >>> batches_of(pa.table({"x": [1.0, 2.0], "class": ["a", "b"]})).names
    ('x', 'class')
    """
    pa = _pyarrow()
    if isinstance(table, (str, Path)):
        table = parquet_files(table)
    if hasattr(table, "cursor"):
        message = f"source must be a relation, got {type_of(table)}, a connection. Write connection.sql(query)."
        raise TypeError(message)
    if type(table).__module__.partition(".")[0] == "pandas":
        # Otherwise an index would become the last column, and so the target.
        table = pa.Table.from_pandas(table, preserve_index=False)
    if isinstance(table, pa.RecordBatchReader):
        message = "source must give its rows more than once, got a RecordBatchReader. Pass the table, the dataset or the files."
        raise TypeError(message)
    with _opener(table, 1, pa)() as reader:
        names = tuple(by_unique_name(zip(reader.schema.names, reader.schema, strict=True)))
    open_reader = _opener(table, max(cells // max(len(names), 1), 1), pa)

    def read() -> Iterator[Mapping[str, Any]]:
        with open_reader() as reader:
            if tuple(reader.schema.names) != names:
                message = (
                    f"source must have the columns of the first scan, {short_repr(names)}, got {short_repr(reader.schema.names)}."
                )
                raise ValueError(message)
            for batch in reader:
                if len(batch):
                    yield dict(zip(names, batch.columns, strict=True))

    return Batches(names, read)


def _opener(table: Any, rows: int, pa: Any) -> Callable[[], Any]:
    if isinstance(table, ParquetFiles):
        return lambda: table.reader(rows)
    if hasattr(table, "scanner"):  # a dataset of PyArrow
        return lambda: table.scanner(batch_size=rows).to_reader()
    if hasattr(table, "to_arrow_reader"):  # newer relations of DuckDB
        return lambda: table.to_arrow_reader(rows)
    if hasattr(table, "fetch_record_batch"):  # a relation of DuckDB
        return lambda: table.fetch_record_batch(rows)
    if isinstance(table, pa.Table):
        return lambda: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=rows))
    if hasattr(table, "__arrow_c_stream__"):
        return lambda: pa.RecordBatchReader.from_stream(table)
    message = f"source must be Parquet files, a query of DuckDB, or a table that gives an Arrow stream, got {type_of(table)}."
    raise TypeError(message)


def _pyarrow() -> Any:
    try:
        import pyarrow as pa  # noqa: PLC0415  # an extra
    except ModuleNotFoundError:
        message = "Reading a table in batches needs pyarrow, which is not installed. Run: pip install ftrees[scan]"
        raise ModuleNotFoundError(message) from None
    return pa
