"""A file of any format as columns: `FORMATS` has the suffixes of each format, and its reader.

To add a format, write its reader in a file of its own, or in `typed_files` if a library of frames has it; a line of `FORMATS`;
its name in `FileFormat` of `data/dataset.py` and in the docstring of `Dataset.read`, and a file in `tests/files/test_read.py`.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from attrs import fields

from ftree._lib.fields import require_one_of
from ftree._lib.messages import joined, short_repr
from ftree.data.targets import ResponseChoice, options_of_chosen, response_chosen
from ftree.files.arff import read_arff
from ftree.files.delimited import CsvOptions, read_delimited
from ftree.files.json_lines import read_json_lines
from ftree.files.sources import REMEDIES, FileTable, InputFile, in_utf_8, sources_of
from ftree.files.typed_files import read_typed


def _read_csv(sources: Sequence[InputFile], missing: Any, options: CsvOptions, **choices: Any) -> FileTable:
    texts = sources if options.encoding is None else [in_utf_8(source, options.encoding) for source in sources]
    return read_delimited(texts, options, missing, **choices)


class Format(NamedTuple):
    """The suffixes of files, and a reader of files and the values that mean missing; `of_cells`, also of options and choices."""

    suffixes: tuple[str, ...]
    read: Callable[..., FileTable]
    of_cells: bool = False


FORMATS = {
    "csv": Format(("csv", "tsv", "tab", "txt", "data"), _read_csv, of_cells=True),
    "parquet": Format(("parquet", "pq"), partial(read_typed, kind="parquet")),
    "arrow": Format(("arrow", "feather", "ipc"), partial(read_typed, kind="arrow")),
    "jsonl": Format(("jsonl", "ndjson"), read_json_lines),
    "arff": Format(("arff",), read_arff),
}
_FORMAT_OF = {suffix: name for name, each in FORMATS.items() for suffix in each.suffixes}
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
        if FORMATS[found].of_cells:
            return FORMATS[found].read(sources, missing, options=options, **choices)
        if options != CsvOptions():
            names = joined(attribute.name for attribute in fields(CsvOptions))
            raise ValueError(f"{names} must be omitted for a file that is {found}, got {options}.")
        return FORMATS[found].read(sources, missing)
    except (EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        message = f"path must be a file that can be decompressed, got {joined(map(str, sources), at_most=5)}: {error}"
        raise ValueError(message) from error


def format_of(sources: Sequence[InputFile], wanted: str | None) -> str:
    """The format `wanted`, or that of the files' suffix, which all must share.

    Raises a ValueError for an unknown format or suffix.

    >>> format_of(sources_of(b""), "parquet")
    'parquet'
    """
    if wanted is not None:
        require_one_of("format", wanted, sorted(FORMATS))
        return wanted
    formats = {_FORMAT_OF.get(source.suffix) for source in sources}
    if None in formats or len(formats) > 1:
        strange = next((source for source in sources if source.suffix not in _FORMAT_OF), sources[-1])
        suffixes, remedy = joined(f".{suffix}" for suffix in _FORMAT_OF), REMEDIES.get(strange.suffix, "Or give format=.")
        raise ValueError(f"A file's name must end in one of {suffixes}, all alike, got {strange.name!r}. {remedy}")
    return str(formats.pop())
