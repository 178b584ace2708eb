"""A file of any format as columns: its suffix determines the format and thus the reader."""

from typing import Any

from ftree.data.delimited import CsvOptions, read_delimited
from ftree.data.file_table import FileTable
from ftree.data.sources import format_of, sources_of
from ftree.data.table import Kinds


def read_file(path: Any, kind: str | None, target: str | int, kinds: Kinds, missing: Any, options: CsvOptions) -> FileTable:
    r"""The columns of files, before they are coded; `Dataset.read` explains the arguments.

    >>> read_file(b'{"sky": "grey"}', "jsonl", -1, None, [], CsvOptions()).columns
    {'sky': ['grey']}
    """
    sources = sources_of(path)
    found = format_of(sources, kind)
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
