"""Parquet files read a batch at a time: a file at once takes the memory of its groups of rows, which may be all rows."""

from collections.abc import Iterator
from glob import glob
from pathlib import Path
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import short_repr

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
        from pyarrow import dataset, parquet  # noqa: PLC0415  # as above

        schema = self.dataset.schema
        for path in self.paths:
            with parquet.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as file:
                if file.schema_arrow.equals(schema):
                    yield from file.iter_batches(rows)
                else:  # of other types, or in another order
                    yield from dataset.dataset(path, schema).scanner(batch_size=rows).to_reader()


def parquet_files(path: str) -> ParquetFiles:
    """The files with a path or of a glob.

    Raises a FileNotFoundError if there are none, a ValueError for a file of another format.
    """
    from pyarrow import dataset  # noqa: PLC0415  # loaded for files only

    found = sorted(glob(path)) if any(sign in path for sign in "*?[") else [path]  # noqa: PTH207  # a pattern, not a folder
    if not found or not Path(found[0]).is_file():
        remedy = " Write folder/*.parquet for the files of a folder." if path and Path(path).is_dir() else ""
        message = f"source must name Parquet files, got {short_repr(path)}, which matches no file.{remedy}"
        raise FileNotFoundError(message)
    try:
        return ParquetFiles(tuple(found), dataset.dataset(found, format="parquet"))
    except ValueError as error:
        message = f"source must name Parquet files, got {short_repr(path)}, which PyArrow cannot read as Parquet."
        raise ValueError(message) from error
