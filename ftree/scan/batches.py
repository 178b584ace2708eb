"""Tables that are read in batches as often as growth needs: Parquet files, queries, Arrow streams."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import filterfalse
from pathlib import Path
from typing import Any, ClassVar

from attrs import field, frozen

from ftree._lib.messages import how_to_install, imported, short_repr, type_of
from ftree.data.frames import as_frame, by_unique_name, is_index, name_in_place
from ftree.files.sources import paths_of
from ftree.files.typed_files import common_schema
from ftree.scan.folding import CELLS, Answer, RawPart, fold_answers


@frozen(eq=False)
class Batches:
    """A table in batches: `read()` makes a new iterator of mappings from names to columns, each time from the first row."""

    in_this_process: ClassVar[bool] = True

    names: tuple[str, ...]
    read: Callable[[], Iterator[RawPart]] = field(repr=False)

    def fold(self, function: Callable[[RawPart], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all batches, merged. Raises a ValueError for a table without rows."""
        return fold_answers(map(function, self.ahead()), merge)

    def ahead(self) -> Iterator[RawPart]:
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
    pa = imported("pyarrow", f"Reading a table in batches needs pyarrow, which is not installed. {how_to_install('scan')}")
    table = _readable_again(table, pa)
    with _opener(table, 1, pa)() as reader:
        names = tuple(by_unique_name(zip(reader.schema.names, reader.schema, strict=True)))
    kept = {name_in_place(name, number): name for number, name in enumerate(filterfalse(is_index, names))}
    open_reader = _opener(table, max(cells // max(len(names), 1), 1), pa)

    def read() -> Iterator[RawPart]:
        with open_reader() as reader:
            if tuple(reader.schema.names) != names:
                raise ValueError(
                    f"source must have the columns of the first scan, {short_repr(names)}, got {short_repr(reader.schema.names)}."
                )
            for batch in reader:
                if len(batch):
                    yield {name: batch.column(own) for name, own in kept.items()}

    return Batches(tuple(kept), read)


def _readable_again(table: Any, pa: Any) -> Any:
    """A table that `_opener` can read any number of times; files for a path, and an Arrow table for a frame of pandas."""
    if isinstance(table, (str, Path)):
        return parquet_files(table)
    if hasattr(table, "cursor"):
        raise TypeError(f"source must be a relation, got {type_of(table)}, a connection. Write connection.sql(query).")
    if type(table).__module__.partition(".")[0] == "pandas":
        as_frame(table)  # it refuses two columns of one name
        # Otherwise an index would become the last column, and so the target.
        return pa.Table.from_pandas(table, preserve_index=False)
    if isinstance(table, pa.RecordBatchReader):
        message = "source must give its rows more than once, got a RecordBatchReader. Pass the table, the dataset or the files."
        raise TypeError(message)
    return table


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


# Bytes read at once of each column.
_BUFFER = 1 << 20


@frozen(eq=False)
class ParquetFiles:
    """Parquet files with the columns of the first file, in types that hold all values; `dataset` is PyArrow's of all of them."""

    paths: tuple[str, ...]
    dataset: Any = field(repr=False)

    def reader(self, rows: int) -> Any:
        """A reader of batches of at most this many rows."""
        import pyarrow as pa  # noqa: PLC0415  # has been loaded for the dataset

        return pa.RecordBatchReader.from_batches(self.dataset.schema, self._batches(rows))

    def _batches(self, rows: int) -> Iterator[Any]:
        from pyarrow import dataset  # noqa: PLC0415  # as above

        schema = self.dataset.schema
        for path in self.paths:
            with _opened(path) as file:
                lost = next((name for name in schema.names if name not in file.schema_arrow.names), None)
                if lost is not None:  # PyArrow would read missing values
                    raise ValueError(f"source must have the column {lost!r} in each file, got {path!r} without it.")
                if file.schema_arrow.equals(schema):
                    yield from file.iter_batches(rows)
                else:  # of other types, or in another order
                    yield from dataset.dataset(path, schema).scanner(batch_size=rows).to_reader()


def parquet_files(path: str | Path) -> ParquetFiles:
    """The files with a path or of a glob.

    Raises a FileNotFoundError if there are none, an IsADirectoryError for a folder, a ValueError for a file of another format.
    """
    from pyarrow import dataset  # noqa: PLC0415  # loaded for files only

    found = list(map(str, paths_of(path)))
    try:
        schemas = [each.physical_schema for each in dataset.dataset(found, format="parquet").get_fragments()]
    except ValueError as error:
        message = f"source must name Parquet files, got {short_repr(str(path))}, which PyArrow cannot read as Parquet."
        raise ValueError(message) from error
    return ParquetFiles(tuple(found), dataset.dataset(found, common_schema(found, schemas), format="parquet"))


def _opened(path: str) -> Any:
    """A file of Parquet. Raises a ValueError for one that was damaged or removed since the first scan."""
    from pyarrow import ArrowInvalid, parquet  # noqa: PLC0415  # as above

    try:
        return parquet.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False)
    except (ArrowInvalid, OSError) as error:
        raise ValueError(f"source must be the same files each time, got {path!r}, which can no longer be read.") from error
