"""Parquet files read a batch at a time: a file at once takes the memory of its groups of rows, which may be all rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import short_repr
from ftree.data.sources import paths_of

# Bytes read at once of each column.
_BUFFER = 1 << 20


@frozen(eq=False)
class ParquetFiles:
    """Parquet files of one schema, that of the first file; `dataset` is all of them as a dataset of PyArrow."""

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
                _check_columns(path, file.schema_arrow.names, schema.names)
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
        return ParquetFiles(tuple(found), dataset.dataset(found, format="parquet"))
    except ValueError as error:
        message = f"source must name Parquet files, got {short_repr(str(path))}, which PyArrow cannot read as Parquet."
        raise ValueError(message) from error


def _opened(path: str) -> Any:
    """A file of Parquet. Raises a ValueError for one that was damaged or removed since the first scan."""
    from pyarrow import ArrowInvalid, parquet  # noqa: PLC0415  # as above

    try:
        return parquet.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False)
    except (ArrowInvalid, OSError) as error:
        message = f"source must be the same files each time, got {path!r}, which can no longer be read."
        raise ValueError(message) from error


def _check_columns(path: str, names: list[str], wanted: list[str]) -> None:
    """Raise a ValueError for a file without a column; PyArrow would read missing values."""
    lost = next((name for name in wanted if name not in names), None)
    if lost is not None:
        message = f"source must have the column {lost!r} in each file, got {path!r} without it."
        raise ValueError(message)
