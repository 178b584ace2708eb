"""A delimited file in blocks of whole records, as long as any reader of such files would read it alike.

Engines differ in what they make of ragged lines, stray quotes, blank records, comments and lone carriage returns, and so does
Python's reader. What is not plain in all of these is `Irregular`, and left to Python's reader, whose answer counts.
"""

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.data.sources import Source

# Bytes of a block: large enough for threads, small against the memory that a table takes.
BLOCK = 1 << 22
FIRST_BLOCK = 1 << 16
# So many characters, and a truth value of each, stay in the cache.
_PIECE = 1 << 15
_DELIMITERS = frozenset(",;|\t")
_BLANK_LINES = re.compile(rb"\s*\n")


class Irregular(Exception):  # noqa: N818  # it is caught, and shown to nobody
    """The file is not one that all readers read alike."""


@frozen
class Shape:
    """How a file is laid out: the names of its columns, its delimiter, and the bytes before the first row."""

    names: tuple[str, ...]
    delimiter: str
    start: int


def shape_of(first: bytes, header: bool | Sequence[str], delimiter: str | None) -> Shape:  # noqa: FBT001  # as users give it
    r"""The shape of a file that begins with a block, without its byte order mark.

    Raises `Irregular` where names or the delimiter need a closer look.

    >>> shape_of(b"a,b\n1,2\n", True, None)
    Shape(names=('a', 'b'), delimiter=',', start=4)
    """
    blank = _BLANK_LINES.match(first)
    start = blank.end() if blank else 0
    end = first.find(b"\n", start) + 1 or len(first)
    line = _decoded(first[start:end])
    separator = delimiter or ("\t" if "\t" in line.strip() else ",")
    cells = _cells(line, separator)
    names = cells if header is True else list(header or ()) or [f"x{number}" for number in range(len(cells))]
    if _are_unfit(names) or len(cells) != len(names) or not cells[-1] or separator not in _DELIMITERS:
        raise Irregular
    return Shape(tuple(names), separator, end if header is True else start)


def _are_unfit(names: Sequence[str]) -> bool:
    """Whether names are refused, by an error that Python's reader raises; a single column is, too."""
    return "" in names or len(names) <= 1 or len(set(names)) < len(names)


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise Irregular from None


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True))]
    except (csv.Error, StopIteration, TypeError):
        raise Irregular from None


def blocks_of(source: Source) -> Iterator[bytes]:
    r"""The bytes of a file in blocks that end at the end of a record; they become larger, so a small file takes little memory.

    A quote is open where an odd number of them stand before, so a line end there is none of a record.

    >>> from ftree.data.sources import sources_of
    >>> list(blocks_of(sources_of(b"a,b\n1,2\n")[0]))
    [b'a,b\n1,2\n']
    """
    with source.open() as file:
        size, rest = min(FIRST_BLOCK, BLOCK), b""
        more = bytes(file.read(size)).removeprefix(BOM_UTF8)
        while more:
            cut = more.rfind(b"\n") + 1
            lines = b"".join((rest, memoryview(more)[:cut]))  # the one copy of most bytes
            end = _end_of_record(lines)
            if end:
                yield lines[:end]
            rest = lines[end:] + more[cut:]
            size = min(2 * size, BLOCK)
            more = bytes(file.read(size))
        if rest:
            yield rest


def _end_of_record(content: bytes) -> int:
    """Where the last whole record ends; 0 where none does."""
    end = content.rfind(b"\n") + 1
    quotes = count_byte(content, b'"', end) if b'"' in content else 0
    while end and quotes % 2:
        before = content.rfind(b"\n", 0, end - 1) + 1
        quotes -= content.count(b'"', before, end)
        end = before
    return end


def check_regular(block: bytes, delimiter: str, comment: str | None) -> None:
    r"""Raise `Irregular` for a block in which quotes, line ends, byte order marks or comments are read in several ways.

    >>> check_regular(b'a,"b ""c"", d"\n', ",", None)
    >>> check_regular(b'a,b "c"\n', ",", None)
    Traceback (most recent call last):
    ftree.data.csv_blocks.Irregular
    """
    regular_quotes, _, _ = _patterns(delimiter)
    lone_returns = b"\r" in block and count_byte(block, b"\r") != block.count(b"\r\n")
    # A byte order mark is part of the first cell after a header or another block, where engines leave it out.
    if lone_returns or b"\0" in block or block.startswith(BOM_UTF8) or (comment and comment.encode() in block):
        raise Irregular
    if b'"' in block and not _quotes_are_around_cells(block, delimiter) and not regular_quotes.fullmatch(block):
        raise Irregular


def count_byte(content: bytes, byte: bytes, end: int = -1) -> int:
    """How often a byte is in a block before its end; NumPy counts a frequent one in a fifth of the time of `bytes.count`.

    >>> count_byte(b"a,b,c", b","), count_byte(b"a,b,c", b",", 2)
    (2, 1)
    """
    return int(sum(np.count_nonzero(piece == ord(byte)) for _, piece in _pieces(np.frombuffer(content, np.uint8, end))))


def _pieces(characters: Array) -> Iterator[tuple[int, Array]]:
    """The characters piece by piece, each with its start."""
    return ((begin, characters[begin : begin + _PIECE]) for begin in range(0, len(characters), _PIECE))


def _quotes_are_around_cells(block: bytes, delimiter: str) -> bool:
    """Whether quotes are only the first and last characters of cells, as most writers have it; it is seen without a search."""
    characters = np.frombuffer(block, np.uint8)
    quotes = np.concatenate([begin + np.flatnonzero(piece == ord('"')) for begin, piece in _pieces(characters)])
    before = characters[quotes[::2] - 1]  # of the first character, the last one: a line end
    after = characters.take(quotes[1::2] + 1, mode="clip")
    are_first = (before == ord(delimiter)) | (before == ord("\n"))
    are_last = (after == ord(delimiter)) | (after == ord("\n")) | (after == ord("\r"))
    return len(before) == len(after) and bool(are_first.all() and are_last.all())


def check_no_blank_record(block: bytes, delimiter: str) -> None:
    r"""Raise `Irregular` for a block with a record of nothing but empty cells, which Python's reader leaves out.

    >>> check_no_blank_record(b"a,b\n,\n", ",")
    Traceback (most recent call last):
    ftree.data.csv_blocks.Irregular
    """
    _, blank_line, blank_record = _patterns(delimiter)
    if blank_line.match(block) or blank_record.search(block):
        raise Irregular


def check_complete(block: bytes, shape: Shape, read: tuple[int, ...], marks_in: Callable[[str], int]) -> None:
    r"""Raise `Irregular` where an engine has filled up a line, or read a blank one as a row: the delimiters tell.

    `read` has the numbers of rows and columns that it read, `marks_in` counts delimiters inside of its texts.

    >>> check_complete(b"1,2\n3\n", Shape(("a", "b"), ",", 0), (2, 2), lambda mark: 0)
    Traceback (most recent call last):
    ftree.data.csv_blocks.Irregular
    """
    rows, columns = read
    inside = marks_in(shape.delimiter) if b'"' in block else 0
    if columns != len(shape.names) or count_byte(block, shape.delimiter.encode()) != inside + rows * (columns - 1):
        raise Irregular


@cache
def _patterns(delimiter: str) -> tuple[re.Pattern[bytes], ...]:
    """What a block of regular quotes matches as a whole, and what finds a record of blanks at the start and elsewhere.

    They are possessive, so that no way back is kept for a block of millions of quotes.
    """
    mark = re.escape(delimiter).encode()
    opened = rb"(?:(?<=[\n" + mark + rb'])|\A)"'
    quoted = opened + rb'[^"]*+(?:""[^"]*+)*+"(?=[\r\n' + mark + rb"]|\Z)"
    blanks = rb'[ \t\x0b\x0c"' + mark + rb"]++(?=\r?\n|\Z)"
    return re.compile(rb'[^"]*+(?:' + quoted + rb'[^"]*+)*+'), re.compile(blanks), re.compile(rb"\n" + blanks)
