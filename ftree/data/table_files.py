"""Files that hold columns with types, Parquet and Arrow (Feather), through pyarrow or polars."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import IO, Any

from ftree.data.csv_file import check_same_columns
from ftree.data.file_table import FileTable
from ftree.data.frames import as_frame
from ftree.data.series import read_column
from ftree.data.sources import Source


def read_typed(sources: Sequence[Source], kind: str, missing: Any) -> FileTable:
    """The columns of files with the same columns, as frames of the library that is installed.

    Raises a ModuleNotFoundError if no such library is installed, a ValueError for files with different columns.
    """
    series = _columns([as_frame(_read(source, kind)) for source in sources], sources)
    # One by one, so that the library's memory for a column is free before the next one is read.
    return FileTable({name: read_column(series.pop(name)) for name in list(series)}, missing)


def _columns(frames: Sequence[Any], sources: Sequence[Source]) -> dict[str, Any]:
    """The columns of narwhals frames, one below the other."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded for frames only

    for source, frame in zip(sources, frames, strict=True):
        check_same_columns(sources[0], frames[0].columns, source, frame.columns)
    whole = nw.concat(frames) if len(frames) > 1 else frames[0]
    return {name: whole.get_column(name) for name in whole.columns}


def _read(source: Source, kind: str) -> Any:
    reader = next((read for name, read in _READERS.items() if find_spec(name)), None)
    if reader is None:
        message = f"{source} needs pyarrow or polars, and neither is installed. Run: pip install ftrees[files]"
        raise ModuleNotFoundError(message)
    with source.open() as file:
        try:
            return reader(file, kind)
        except Exception as error:  # each library has its own
            message = f"{source} must be a file of the format {kind!r}, got one that cannot be read: {error}"
            raise ValueError(message) from error


def _by_pyarrow(file: IO[bytes], kind: str) -> Any:
    from pyarrow import feather, parquet  # noqa: PLC0415  # loaded for such files only

    if kind == "parquet":
        # Chunks are those of the file, and one chunk is not copied; `read_table` makes more of them.
        with parquet.ParquetFile(file) as opened:
            return opened.read()
    return feather.read_table(file)


def _by_polars(file: IO[bytes], kind: str) -> Any:
    import polars as pl  # noqa: PLC0415  # as above

    return pl.read_parquet(file) if kind == "parquet" else pl.read_ipc(file)


_READERS = {"pyarrow": _by_pyarrow, "polars": _by_polars}
