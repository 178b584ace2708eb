"""A file of any format as columns: its suffix determines the format and thus the reader."""

import zlib
from typing import Any

from ftree._lib.messages import joined
from ftree.data.delimited import CsvOptions, read_delimited
from ftree.data.file_table import FileTable
from ftree.data.sources import Source, format_of, sources_of
from ftree.data.table import Kinds


def read_file(path: Any, kind: str | None, target: str | int, kinds: Kinds, missing: Any, options: CsvOptions) -> FileTable:
    r"""The columns of files, before they are coded; `Dataset.read` explains the arguments.

    >>> read_file(b'{"sky": "grey"}', "jsonl", -1, None, [], CsvOptions()).columns
    {'sky': ['grey']}
    """
    sources = sources_of(path)
    found = format_of(sources, kind)
    try:
        return _read(sources, found, target, kinds, missing, options)
    except (EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        message = f"path must be a file that can be decompressed, got {joined(map(str, sources), at_most=5)}: {error}"
        raise ValueError(message) from error


def _read(sources: list[Source], found: str, target: str | int, kinds: Kinds, missing: Any, options: CsvOptions) -> FileTable:
    if found == "csv":
        return read_delimited(sources, options, target, kinds, missing)
    if options != CsvOptions():
        message = f"header, delimiter, comment and engine must be omitted for a file that is {found}, got {options}."
        raise ValueError(message)
    if found == "arff":
        from ftree.data.arff import read_arff  # noqa: PLC0415  # loaded for such files only

        return read_arff(sources, missing)
    if found == "jsonl":
        from ftree.data.json_lines import read_json_lines  # noqa: PLC0415  # as above

        return read_json_lines(sources, missing)
    from ftree.data.table_files import read_typed  # noqa: PLC0415  # as above

    return read_typed(sources, found, missing)
