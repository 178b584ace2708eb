"""Parquet and Arrow (Feather) files, whose columns have types; pyarrow reads them, or polars where it is not installed."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import IO, Any

from ftree._lib.messages import how_to_install, short_repr
from ftree.data.columns import read_column
from ftree.data.frames import as_frame, is_index
from ftree.files.sources import FileTable, InputFile, check_same_columns


def read_typed(sources: Sequence[InputFile], missing: Any, *, kind: str) -> FileTable:
    """The columns of files with the same columns, one file below the other, of a kind that `_READERS` has."""
    series = _columns([as_frame(_frame(source, kind)) for source in sources], sources)
    # One by one, so that the library's memory for a column is free before the next one is read.
    return FileTable({name: read_column(series.pop(name)) for name in list(series)}, missing)


def _frame(source: InputFile, kind: str) -> Any:
    reader = next((read for library, read in _READERS[kind].items() if find_spec(library)), None)
    if reader is None:
        raise ModuleNotFoundError(f"{source} needs pyarrow or polars, and neither is installed. {how_to_install('files')}")
    with source.open() as file:
        try:
            return reader(file)
        except Exception as error:  # each library has its own
            reason = " ".join(str(error).split()).rstrip(".")
            raise ValueError(f"{source} must be a file of the format {kind!r}, got one that cannot be read: {reason}.") from error


def _by_pyarrow(read: Callable[[IO[bytes]], Any], file: IO[bytes]) -> Any:
    table = read(file)
    table.validate(full=True)  # positions and lengths of a damaged file lead outside of its memory, its texts may be none
    return table


def _parquet(file: IO[bytes]) -> Any:
    # Chunks are those of the file, and one chunk is not copied; `read_table` makes more of them.
    with import_module("pyarrow.parquet").ParquetFile(file) as opened:
        return opened.read()


# The readers of each kind of file, by the libraries that have them, the preferred one first.
_READERS: dict[str, dict[str, Callable[[IO[bytes]], Any]]] = {
    "parquet": {"pyarrow": partial(_by_pyarrow, _parquet), "polars": lambda file: import_module("polars").read_parquet(file)},
    "arrow": {
        "pyarrow": partial(_by_pyarrow, lambda file: import_module("pyarrow.feather").read_table(file)),
        "polars": lambda file: import_module("polars").read_ipc(file),
    },
}


def _columns(frames: Sequence[Any], sources: Sequence[InputFile]) -> dict[str, Any]:
    """The columns of narwhals frames, one below the other."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded for frames only

    for source, frame in zip(sources, frames, strict=True):
        check_same_columns(sources[0], frames[0].columns, source, frame.columns)
    if len(frames) > 1 and frames[0].implementation.is_pyarrow():
        tables = [frame.to_native() for frame in frames]
        schema = common_schema(sources, [table.schema for table in tables])
        frames = [as_frame(table.cast(schema)) for table in tables]
    whole = nw.concat(frames) if len(frames) > 1 else frames[0]
    return {name: whole.get_column(name) for name in whole.columns if not is_index(name)}


def common_schema(sources: Iterable[object], schemas: Sequence[Any]) -> Any:
    """The Arrow schema of the first file, with the type of each column that holds the values of all files.

    A column of nulls has the others' type, whole numbers beside floats are floats. Raises a ValueError for types that no type
    holds, such as numbers and texts.

    >>> import pyarrow as pa
    >>> common_schema("ab", [pa.schema({"x": pa.null()}), pa.schema({"x": pa.int64()})]).field("x").type
    DataType(int64)
    """
    import pyarrow as pa  # noqa: PLC0415  # loaded for such files only

    types = {each.name: each.type for each in schemas[0]}
    for source, schema in zip(sources, schemas, strict=True):
        for name in types.keys() & set(schema.names):
            both = [pa.schema({name: each}) for each in (types[name], schema.field(name).type)]
            try:
                types[name] = pa.unify_schemas(both, promote_options="permissive").types[0]
            except pa.ArrowTypeError:
                got = f"{both[1].types[0]} in {source} for {short_repr(name)}"
                message = f"All files must have values of one type in a column, got {got}"
                message += f" after {types[name]}. Write them as one type."
                raise ValueError(message) from None
    return pa.schema(types)
