"""A file of any format as columns: the suffix determines the format, and each format has a file with its function."""

import zlib
from collections.abc import Mapping
from typing import Any

from attrs import fields

from ftree._lib.messages import joined, short_repr
from ftree.data.targets import ResponseChoice, options_of_chosen, response_chosen
from ftree.files.arff import read_arff
from ftree.files.delimited import CsvOptions, read_delimited
from ftree.files.file_table import FileTable
from ftree.files.json_lines import read_json_lines
from ftree.files.sources import InputFile, format_of, in_utf_8, sources_of
from ftree.files.typed_files import read_typed

# What to do in place of options that other readers have.
_OTHER_OPTIONS = {
    **dict.fromkeys(("sep", "delim_whitespace"), "Give delimiter=."),
    **dict.fromkeys(("na_values", "na_strings"), "Give missing=."),
    **dict.fromkeys(("parse_dates", "date_format"), "Give dates=, the formats of columns by name."),
    **dict.fromkeys(("drop", "index", "index_col"), "Give omit=, the names of columns to leave out."),
}


def refuse_options(unknown: Mapping[str, Any]) -> None:
    """Raise a TypeError for options of other readers that says what to do."""
    for name, value in unknown.items():
        remedy = _OTHER_OPTIONS.get(name, "Read it by pandas, and give the frame to from_frame.")
        raise TypeError(f"Dataset.read must be given options that it has, got {name}={short_repr(value)}. {remedy}")


def first_target(target: Any, response: ResponseChoice) -> Any:
    """The column that a file is read for: the first of several targets, or the one that the response names.

    >>> first_target(["time", "died"], None), first_target(-1, None)
    ('time', -1)
    """
    named = options_of_chosen(response_chosen(response)).target
    return target[0] if isinstance(target, (list, tuple)) and target else named if named and target == -1 else target


def read_file(path: Any, kind: str | None, options: CsvOptions, missing: Any, **choices: Any) -> FileTable:
    r"""The columns of files, before they are coded; `Dataset.read` explains the arguments, `read_delimited` the other ones.

    >>> read_file(b'{"sky": "grey"}', "jsonl", CsvOptions(), []).columns
    {'sky': ['grey']}
    """
    sources = sources_of(path)
    found = format_of(sources, kind)
    try:
        return _read(sources, found, options, missing, choices)
    except (EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        message = f"path must be a file that can be decompressed, got {joined(map(str, sources), at_most=5)}: {error}"
        raise ValueError(message) from error


def _read(sources: list[InputFile], found: str, options: CsvOptions, missing: Any, choices: Mapping[str, Any]) -> FileTable:
    if found == "csv":
        texts = sources if options.encoding is None else [in_utf_8(source, options.encoding) for source in sources]
        return read_delimited(texts, options, missing, **choices)
    if options != CsvOptions():
        names = joined(attribute.name for attribute in fields(CsvOptions))
        raise ValueError(f"{names} must be omitted for a file that is {found}, got {options}.")
    if found == "arff":
        return read_arff(sources, missing)
    if found == "jsonl":
        return read_json_lines(sources, missing)
    return read_typed(sources, found, missing)
