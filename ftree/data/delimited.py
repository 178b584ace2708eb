"""Delimited files as columns: pyarrow reads large regular files where it is installed, Python's reader all others.

Both give each column as distinct texts and codes, or as floats where all its cells are exact numbers, so the dataset does not
depend on the reader.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

from attrs import frozen

from ftree._lib.messages import joined, short_repr
from ftree.data.coding import classes_of
from ftree.data.columns import Encoded
from ftree.data.csv_by_arrow import BLOCK, Irregular, read_by_arrow
from ftree.data.csv_by_python import ColumnPart, CsvLayout, Numbers, read_in_python
from ftree.data.kinds import warn_of
from ftree.data.missing_values import missing_among
from ftree.data.sources import FileTable, InputFile
from ftree.data.table import Kinds, is_text_kind, target_name
from ftree.data.values import numbers_or_text, reads_as_number

# From this many bytes on, pyarrow reads faster than Python's reader, including the time to load it.
_LARGE, _PIECE = 1 << 20, 1 << 16


@frozen
class CsvOptions:
    """Options of delimited files, as `Dataset.read_csv` explains them."""

    header: bool | Sequence[str] = True
    delimiter: str | None = None
    comment: str | None = None


def read_delimited(
    sources: Sequence[InputFile], options: CsvOptions, target: str | int, kinds: Kinds, missing: Any, *, block: int | None = None
) -> FileTable:
    r"""The columns of delimited files, as numbers or dates if all cells are, except the target's; and its texts for missing.

    pyarrow reads `block` bytes at a time, Python all at once if it is 0; None leaves this to the size of the files.

    Raises a TypeError or a ValueError for invalid options, and as `read_in_python` does.

    >>> from ftree.data.sources import sources_of
    >>> read_delimited(sources_of(b"a,b\n1,x\n?,y\n"), CsvOptions(), -1, None, ["?"]).columns["a"].tolist()
    [1.0, nan]
    """
    _check(options)
    is_missing = missing_among(missing)
    as_text = partial(_text_columns, target, kinds)
    layout = CsvLayout(options.header, options.delimiter, options.comment, is_missing.listed, as_text)
    columns = _by_arrow(sources, layout, block) or read_in_python(sources, layout)
    if options.header is True:
        warn_of([_doubt_of_names(list(columns))])
    name = target_name(target, tuple(columns))
    kind_of = kinds if isinstance(kinds, Mapping) else dict.fromkeys(columns, kinds)
    texts = {each for each in columns if each == name or is_text_kind(kind_of.get(each))}
    read = {each: column if each in texts else _typed(column, is_missing.listed) for each, column in columns.items()}
    if name in columns:
        classes_of(name, _typed(columns[name], is_missing.listed), is_missing)  # raises an error for measurements
    missing_texts = {each: column.missing for each, column in columns.items() if isinstance(column, Numbers)}
    return FileTable(read, missing, missing_texts)


def _check(options: CsvOptions) -> None:
    if isinstance(options.header, str) or not isinstance(options.header, (bool, Sequence)):
        choices = "True (names in the first line), False (no names) or a list of names"
        raise TypeError(f"header must be {choices}, got {short_repr(options.header)}.")
    for name, value in (("delimiter", options.delimiter), ("comment", options.comment)):
        if value is not None and not (isinstance(value, str) and len(value) == 1 and value not in '"\r\n'):
            raise ValueError(f"{name} must be one character other than a quote or the end of a line, got {short_repr(value)}.")


def _doubt_of_names(names: list[str]) -> str | None:
    """A header with more numbers than texts is probably a row."""
    if 2 * sum(map(reads_as_number, names)) <= len(names):
        return None
    return f"The first line was taken for names, {joined(names, at_most=5)}. If it is a row, write header=False."


def _by_arrow(sources: Sequence[InputFile], layout: CsvLayout, block: int | None) -> Mapping[str, ColumnPart] | None:
    """The columns read by pyarrow; None if Python's reader must read them."""
    if block is None:
        block = BLOCK if find_spec("pyarrow") and any(map(_is_large, sources)) else 0
    if block == 0:
        return None
    try:
        return read_by_arrow(sources, layout, block)
    except Irregular:
        return None


def _is_large(source: InputFile) -> bool:
    with source.open() as file:
        return all(len(file.read(_PIECE)) == _PIECE for _ in range(_LARGE // _PIECE))


def _text_columns(target: str | int, kinds: Kinds, names: Sequence[str]) -> set[str]:
    """The columns that are never read as floats: the target, and those whose texts are values."""
    kind_of = kinds if isinstance(kinds, Mapping) else dict.fromkeys(names, kinds)
    return {target_name(target, names)} | {name for name in names if not _may_be_floats(kind_of.get(name))}


def _may_be_floats(kind: Any) -> bool:
    return kind is None or (isinstance(kind, str) and kind == "numeric")


def _typed(column: ColumnPart, listed: Collection[Any]) -> Any:
    """Floats, or texts as numbers or dates if all of them are."""
    if isinstance(column, Numbers):
        return column.floats
    return Encoded(column.codes, numbers_or_text(column.values, listed))
