"""A delimited file in blocks of whole records, as long as every CSV reader would read it alike.

Engines differ in how they read ragged lines, stray quotes, blank records, comments and lone carriage returns, and so does
Python's reader. A file on which they could differ is `Irregular`; Python's reader then reads it, as the reference.
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
_PIECE = 1 << 16
_DELIMITERS = frozenset(",;|\t")
_BLANK_LINES = re.compile(rb"\s*\n")


class Irregular(Exception):  # noqa: N818  # it is always caught, so no user sees it
    """The file is not one that all readers read alike."""


@frozen
class Shape:
    """The layout of a file: the names of its columns, its delimiter, and the bytes and the lines before the first row."""

    names: tuple[str, ...]
    delimiter: str
    start: int
    lines: int = 0


def shape_of(first: bytes, header: bool | Sequence[str], delimiter: str | None) -> Shape:  # noqa: FBT001  # as users give it
    r"""The shape of a file that begins with a block, without its byte order mark.

    Raises `Irregular` where Python's reader must decide about names or the delimiter.

    >>> shape_of(b"a,b\n1,2\n", True, None)
    Shape(names=('a', 'b'), delimiter=',', start=4, lines=1)
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
    begin = end if header is True else start
    return Shape(tuple(names), separator, begin, first.count(b"\n", 0, begin))


def _are_unfit(names: Sequence[str]) -> bool:
    """Whether Python's reader raises an error for the names; a single column counts as well."""
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

    A quote is open after an odd number of quotes, and a line end inside it does not end a record.

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
    """The position after the last whole record; 0 if there is none."""
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
    # A byte order mark is part of the first cell after a header or another block, but engines omit it.
    if lone_returns or b"\0" in block or block.startswith(BOM_UTF8) or (comment and comment.encode() in block):
        raise Irregular
    if b'"' in block and not _quotes_are_around_cells(block, delimiter) and not regular_quotes.fullmatch(block):
        raise Irregular


def count_byte(content: bytes, byte: bytes, end: int = -1) -> int:
    """The number of times a byte occurs in a block before `end`; NumPy counts frequent bytes faster than `bytes.count`.

    >>> count_byte(b"a,b,c", b","), count_byte(b"a,b,c", b",", 2)
    (2, 1)
    """
    return int(sum(np.count_nonzero(piece == ord(byte)) for _, piece in _pieces(np.frombuffer(content, np.uint8, end))))


def _pieces(characters: Array) -> Iterator[tuple[int, Array]]:
    """The characters piece by piece, each with its start."""
    return ((begin, characters[begin : begin + _PIECE]) for begin in range(0, len(characters), _PIECE))


def _quotes_are_around_cells(block: bytes, delimiter: str) -> bool:
    """Whether quotes are only the first and last characters of cells, as most programs write them; it takes no search."""
    characters = np.frombuffer(block, np.uint8)
    quotes = np.concatenate([begin + np.flatnonzero(piece == ord('"')) for begin, piece in _pieces(characters)])
    before = characters[quotes[::2] - 1]  # of the first character, the last one: a line end
    after = characters.take(quotes[1::2] + 1, mode="clip")
    are_first = (before == ord(delimiter)) | (before == ord("\n"))
    are_last = (after == ord(delimiter)) | (after == ord("\n")) | (after == ord("\r"))
    return len(before) == len(after) and bool(are_first.all() and are_last.all())


def check_no_blank_record(block: bytes, delimiter: str) -> None:
    r"""Raise `Irregular` for a block with a record of empty cells only, which Python's reader skips.

    >>> check_no_blank_record(b"a,b\n,\n", ",")
    Traceback (most recent call last):
    ftree.data.csv_blocks.Irregular
    """
    _, blank_line, blank_record = _patterns(delimiter)
    if blank_line.match(block) or blank_record.search(block):
        raise Irregular


def check_complete(block: bytes, shape: Shape, read: tuple[int, ...], marks_in: Callable[[str], int]) -> None:
    r"""Raise `Irregular` if an engine has padded a line or read a blank line as a row; the number of delimiters shows it.

    `read` is the number of rows and of columns that the engine read; `marks_in` counts delimiters inside its texts.

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
    """Patterns for blocks of regular quotes, which must match as a whole, and for a record of blanks at the start and elsewhere.

    They are possessive, so that the search keeps no backtracking state for a block of millions of quotes.
    """
    mark = re.escape(delimiter).encode()
    opened = rb"(?:(?<=[\n" + mark + rb'])|\A)"'
    quoted = opened + rb'[^"]*+(?:""[^"]*+)*+"(?=[\r\n' + mark + rb"]|\Z)"
    blanks = rb'[ \t\x0b\x0c"' + mark + rb"]++(?=\r?\n|\Z)"
    return re.compile(rb'[^"]*+(?:' + quoted + rb'[^"]*+)*+'), re.compile(blanks), re.compile(rb"\n" + blanks)
