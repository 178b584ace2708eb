"""Delimited files by pyarrow, block by block, as long as Python's reader would read them alike.

A file that readers may read differently is `Irregular`, and is left to Python's reader, as small files and decimal commas are:

    _reading                the first records are wrong or too few, names are missing or equal, or the delimiter is a rare one
    _blocks                 a record is very long, most likely since a quote is not closed
    _check_regular          lone carriage returns, null bytes, a byte order mark, comments, or quotes inside of cells
    _parts                  what pyarrow refuses: a line of another length, text that is not UTF-8
    _check_no_blank_record  a record of blank cells only
"""

from codecs import BOM_UTF8
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np
from attrs import frozen

from ftree.data.columns import Encoded
from ftree.files.csv_by_python import delimiter_of, read_records
from ftree.files.csv_columns import ColumnPart, CsvColumn, CsvLayout, Numbers, columns_of_files
from ftree.files.sources import InputFile

# Bytes of a block: many for one call of pyarrow, few against the memory that a table takes. The first ones of a file are smaller.
BLOCK = 1 << 20
_FIRST_BLOCK = 1 << 16
# Bytes of a record; a longer one most likely begins with a quote that is not closed.
_LONGEST_RECORD = 1 << 26
_DELIMITERS = frozenset(",;|\t")


class Irregular(Exception):  # noqa: N818  # it is always caught, so no user sees it
    """The file is not one that all readers read alike."""


@frozen
class _Reading:
    """How a file is read: the bytes before its first row (without a byte order mark), its delimiter and the names of its columns.

    `wanted` are the columns to read.
    """

    layout: CsvLayout
    start: int
    delimiter: str
    names: Sequence[str]
    wanted: Sequence[str]


def read_by_arrow(sources: Sequence[InputFile], layout: CsvLayout, block: int = BLOCK) -> dict[str, ColumnPart]:
    r"""The columns of files that have the same columns, read in blocks of so many bytes.

    Raises `Irregular` for files that Python's reader must read.

    >>> from ftree.files.sources import sources_of
    >>> columns = read_by_arrow(sources_of(b"a,b\n1,x\n2,y\n"), CsvLayout())
    >>> columns["a"].floats.tolist(), columns["b"].values
    ([1.0, 2.0], ['x', 'y'])
    """
    return columns_of_files(sources, layout, partial(_read_file, layout, block))


def _read_file(layout: CsvLayout, size: int, source: InputFile, only: Collection[str] | None) -> dict[str, CsvColumn]:
    reading = _reading(source, layout, only)
    stay_text = only or layout.texts(reading.names)
    columns = {name: CsvColumn() for name in reading.wanted}
    numbers: Sequence[str] = ()
    for block in _blocks(_pieces(source, reading.start, size)):
        texts = {name for name, column in columns.items() if name in stay_text or column.has_texts}
        parts = _parts(block, reading, texts, numbers)
        for name, part in parts.items():
            columns[name].add(part)
        # Most likely the next block has numbers in these columns too, and then pyarrow need not make texts of them.
        numbers = [name for name, part in parts.items() if isinstance(part, Numbers) and not part.missing]
    return columns


def _reading(source: InputFile, layout: CsvLayout, only: Collection[str] | None) -> _Reading:
    """How to read a file, as Python's reader finds it in the first records."""
    n = 2 if layout.header is True else 1
    try:
        records = read_records(source, layout, lambda records: list(islice(records, n)))
    except ValueError:
        raise Irregular from None
    delimiter = delimiter_of(source, layout)
    if len(records) < n or delimiter not in _DELIMITERS or not (layout.header or records[0][1][-1]):
        raise Irregular
    names = layout.names(records[0][1])
    if "" in names or len(names) == 1 or len(set(names)) < len(names):
        raise Irregular
    start = sum(len(line.encode()) for line in islice(source.lines(), records[-1][0] - 1))
    wanted = [name for name in names if only is None or name in only]
    return _Reading(layout, start, delimiter, names, wanted)


def _pieces(source: InputFile, start: int, size: int) -> Iterator[bytes]:
    """The bytes of a file from a start on; pieces become larger, so a small file takes little memory."""
    with source.open() as file:
        now = min(_FIRST_BLOCK, size)
        piece = bytes(file.read(now)).removeprefix(BOM_UTF8)
        while piece:
            yield piece[start:]
            start = max(start - len(piece), 0)
            now = min(2 * now, size)
            piece = bytes(file.read(now))


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    r"""Blocks that end at the end of a record, without those of blanks only.

    A quote is open after an odd number of quotes, and a line end inside it does not end a record.

    >>> list(_blocks([b'1,2\n3,"a', b'\nb"\n4', b",5\n\n6,7"]))
    [b'1,2\n', b'3,"a\nb"\n', b'4,5\n\n', b'6,7']
    """
    rest = b""
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        lines = b"".join((rest, memoryview(piece)[:cut]))  # the one copy of most bytes
        end = _end_of_record(lines)
        if end and not lines[:end].isspace():
            yield lines[:end]
        rest = lines[end:] + piece[cut:]
        if len(rest) > _LONGEST_RECORD:
            raise Irregular
    if rest and not rest.isspace():
        yield rest


def _end_of_record(content: bytes) -> int:
    """The position after the last whole record; 0 if there is none."""
    end = content.rfind(b"\n") + 1
    quotes = content.count(b'"', 0, end)
    while end and quotes % 2:
        before = content.rfind(b"\n", 0, end - 1) + 1
        quotes -= content.count(b'"', before, end)
        end = before
    return end


def _parts(block: bytes, reading: _Reading, texts: Collection[str], numbers: Sequence[str]) -> dict[str, ColumnPart]:
    """The columns of a block, some of which stay texts; `numbers` are read as such if all of them are exact numbers."""
    _check_regular(block, reading.delimiter, reading.layout.comment)
    found = _read(block, reading, numbers)
    if found is None or not all(reading.layout.are_numbers(found[name].to_numpy(zero_copy_only=False)) for name in numbers):
        numbers, found = (), _read(block, reading, ())
    if found is None:
        raise Irregular
    parts = {
        name: Numbers(column.to_numpy()) if name in numbers else _part(column, reading.layout, is_text=name in texts)
        for name, column in found.items()
    }
    every_record_has_a_number = any(isinstance(part, Numbers) and not part.missing for part in parts.values())
    if len(parts) == len(reading.names) and not every_record_has_a_number:
        _check_no_blank_record(map(_encoded, found.values()))
    return parts


def _check_regular(block: bytes, delimiter: str, comment: str | None) -> None:
    r"""Raise `Irregular` for a block in which quotes, line ends, byte order marks or comments are read in several ways.

    >>> _check_regular(b'a,b "c"\n', ",", None)
    Traceback (most recent call last):
    ftree.files.csv_by_arrow.Irregular
    """
    lone_returns = b"\r" in block and block.count(b"\r") != block.count(b"\r\n")
    # A byte order mark is part of the first cell after a header or another block, but pyarrow omits it.
    if (
        lone_returns
        or b"\0" in block
        or block.startswith(BOM_UTF8)
        or (comment and comment.encode(errors="surrogatepass") in block)
    ):
        raise Irregular
    if b'"' in block and not _quotes_are_around_cells(block, delimiter):
        raise Irregular


def _quotes_are_around_cells(block: bytes, delimiter: str) -> bool:
    """Whether each pair of quotes begins and ends where a cell does, or beside another quote inside a cell."""
    characters = np.frombuffer(b"".join((b"\n", block, b"\n")), np.uint8)
    quotes = np.flatnonzero(characters == ord('"'))
    before, after = characters[quotes[::2] - 1], characters[quotes[1::2] + 1]
    ends = [*map(ord, ('"', "\n", delimiter))]
    return len(before) == len(after) and bool(np.isin(before, ends).all() and np.isin(after, [*ends, ord("\r")]).all())


def _read(block: bytes, reading: _Reading, numbers: Collection[str]) -> dict[str, Any] | None:
    """Columns of text by name, floats for those among `numbers`; None where a cell is no number, or a line of another length."""
    import pyarrow as pa  # noqa: PLC0415  # loaded for large files only
    from pyarrow import csv  # noqa: PLC0415  # as above

    types = {name: pa.float64() if name in numbers else pa.string() for name in reading.wanted}
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            read_options=csv.ReadOptions(column_names=reading.names, block_size=len(block)),
            parse_options=csv.ParseOptions(delimiter=reading.delimiter),
            convert_options=csv.ConvertOptions(column_types=types, include_columns=reading.wanted),
        )
    except ValueError:  # pyarrow's own, or a name that is not UTF-8
        return None
    return {name: table.column(name).combine_chunks() for name in reading.wanted}


def _part(column: Any, layout: CsvLayout, *, is_text: bool) -> ColumnPart:
    if is_text:
        return _encoded(column)
    return _numbers_of_texts(column, layout) or layout.part(_encoded(column))


def _numbers_of_texts(column: Any, layout: CsvLayout) -> Numbers | None:
    """A column of text as numbers; None where pyarrow does not read a cell as the exact number that Python would."""
    import pyarrow as pa  # noqa: PLC0415  # as above

    compute: Any = import_module("pyarrow.compute")  # its functions are created on import, so type checkers do not see them
    try:
        gaps = compute.is_in(column, value_set=pa.array(layout.words, pa.string()))
        floats = compute.if_else(gaps, None, column).cast(pa.float64()).to_numpy(zero_copy_only=False)
    except ValueError:  # as above
        return None
    return Numbers(floats, column.filter(gaps).unique().to_pylist()) if layout.are_numbers(floats, gaps.true_count) else None


def _encoded(column: Any) -> Encoded:
    """A column of text as its distinct texts, and the code of each row."""
    coded = column.dictionary_encode()
    return Encoded(coded.indices.to_numpy(), coded.dictionary.to_pylist())


def _check_no_blank_record(columns: Iterable[Encoded]) -> None:
    """Raise `Irregular` for a block with a record of empty cells only, which Python's reader skips."""
    blank: Any = True
    for column in columns:
        blank &= column.take([not text.strip() for text in column.values])
        if not blank.any():
            return
    raise Irregular
