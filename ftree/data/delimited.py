"""Delimited files as columns: an installed engine reads large regular files, Python's reader all others.

Both give each column as distinct texts and codes, or the engine gives floats equal to Python's, so that schema and
codes do not depend on the reader.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import frozen

from ftree._lib.messages import joined, short_repr
from ftree.data.coding import classes_of
from ftree.data.csv_blocks import Irregular
from ftree.data.csv_columns import read_columns
from ftree.data.csv_engines import ENGINES, installed_engine
from ftree.data.csv_file import check_header, numbers_or_text, read_in_python
from ftree.data.csv_layout import Layout
from ftree.data.csv_parts import Numbers
from ftree.data.csv_records import check_character
from ftree.data.encoded import Encoded
from ftree.data.file_table import FileTable
from ftree.data.missing_values import missing_among
from ftree.data.sources import Source
from ftree.data.table import Kinds, is_text_kind, target_name

# From this many bytes on, an engine reads faster than Python's reader, including the time to load it.
_LARGE = 1 << 20
_PIECE = 1 << 16


@frozen
class CsvOptions:
    """Options of delimited files, as `Dataset.read_csv` explains them."""

    header: bool | Sequence[str] = True
    delimiter: str | None = None
    comment: str | None = None
    engine: str | None = None


def read_delimited(sources: Sequence[Source], options: CsvOptions, target: str | int, kinds: Kinds, missing: Any) -> FileTable:
    r"""The columns of delimited files, as numbers or dates if all cells are, except the target's; and its texts for missing.

    Raises a TypeError or a ValueError for invalid options, and as `read_table` does.

    >>> from ftree.data.sources import sources_of
    >>> read_delimited(sources_of(b"a,b\n1,x\n?,y\n"), CsvOptions(), -1, None, ["?"]).columns["a"].tolist()
    [1.0, nan]
    """
    _check(options)
    listed = missing_among(missing).listed
    as_text = partial(_text_columns, target, kinds)
    layout = Layout(options.header, options.delimiter, options.comment, listed, as_text)
    columns = _by_engine(sources, options.engine, layout) or read_in_python(sources, layout)
    name = target_name(target, tuple(columns))
    kind_of = kinds if isinstance(kinds, Mapping) else dict.fromkeys(columns, kinds)
    texts = {each for each in columns if each == name or is_text_kind(kind_of.get(each))}
    read = {each: column if each in texts else _typed(column, listed) for each, column in columns.items()}
    if name in columns:
        classes_of(name, _typed(columns[name], listed), missing_among(missing))  # raises an error for measurements
    missing_texts = {each: column.missing for each, column in columns.items() if isinstance(column, Numbers)}
    return FileTable(read, missing, missing_texts)


def _check(options: CsvOptions) -> None:
    check_header(options.header)
    check_character("delimiter", options.delimiter)
    check_character("comment", options.comment)
    engines = ("python", *ENGINES)
    if options.engine is not None and options.engine not in engines:
        message = f"engine must be one of {joined(map(repr, engines))}, got {short_repr(options.engine)}."
        raise ValueError(message)


def _by_engine(sources: Sequence[Source], engine: str | None, layout: Layout) -> Mapping[str, Numbers | Encoded] | None:
    """The columns read by an engine; None if Python's reader must read them."""
    name = engine or (installed_engine() if any(map(_is_large, sources)) else None)
    if name is None or name == "python":
        return None
    try:
        return read_columns(sources, layout, ENGINES[name])
    except Irregular:
        return None


def _is_large(source: Source) -> bool:
    with source.open() as file:  # in pieces, since a reader allocates memory for all bytes at once
        return sum(len(file.read(_PIECE)) for _ in range(_LARGE // _PIECE)) == _LARGE // _PIECE * _PIECE


def _text_columns(target: str | int, kinds: Kinds, names: Sequence[str]) -> set[str]:
    """The columns that no engine may read as floats: the target, and those whose texts are values."""
    kind_of = kinds if isinstance(kinds, Mapping) else dict.fromkeys(names, kinds)
    return {target_name(target, names)} | {name for name in names if not _may_be_floats(kind_of.get(name))}


def _may_be_floats(kind: Any) -> bool:
    return kind is None or (isinstance(kind, str) and kind == "numeric")


def _typed(column: Numbers | Encoded, listed: Collection[Any]) -> Any:
    """Floats, or texts as numbers or dates if all of them are."""
    if isinstance(column, Numbers):
        return column.floats
    return Encoded(column.codes, numbers_or_text(column.values, listed))
