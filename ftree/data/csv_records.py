"""Records of a delimited text file: cells as text, with the line in which each record begins.

Lines are parsed before any are skipped, since a quoted cell may hold blank lines and text that looks like a comment.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from threading import Lock
from typing import Any, TypeAlias, TypeVar

from ftree._lib.messages import short_repr
from ftree.data.sources import Source

T = TypeVar("T")

# A line's number, and its cells.
Record: TypeAlias = tuple[int, list[str]]

# Python's reader refuses cells beyond a limit that is set for the whole process.
_LARGEST_LIMIT = 2**31 - 1
_one_reader = Lock()


def read_records(path: Source, delimiter: str | None, comment: str | None, take: Callable[[Iterator[Record]], T]) -> T:
    """The result of `take` on the records that are neither empty nor comments; cells are without surrounding blanks.

    `take` is called a second time if blanks follow closing quotes.

    Raises a ValueError for a file that is not UTF-8, for a quote that is not closed, for a delimiter of several characters.
    """
    check_character("delimiter", delimiter)
    check_character("comment", comment)
    with closing(path.lines()) as lines:
        first = next((line for line in lines if line.strip() and not _is_comment(line, comment)), "")
    separator = delimiter or ("\t" if "\t" in first.strip() else ",")
    with _any_length():
        try:
            return take(_parsed(path, path.lines(), separator, comment))
        except ValueError:
            return take(_parsed(path, _without_blanks_after_quotes(path.lines(), separator), separator, comment))


def _parsed(path: Source, lines: Iterable[str], delimiter: str, comment: str | None) -> Iterator[Record]:
    source = _Lines(iter(lines), comment)
    reader = csv.reader(source, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for record in source.records(reader):
            cells = list(map(str.strip, record))
            if any(cells):
                yield source.start, cells
    except csv.Error as error:
        if source.ended:
            got = f"one that is open at the end, in the row that begins in line {source.start}"
        else:
            got = f"an error in line {source.number}, in the row that begins in line {source.start}: {error}"
        message = f"Every quote in {path} must be closed, got {got}. Write a quote inside a quoted cell twice."
        raise ValueError(message) from None


class _Lines:
    """Lines of a file for Python's reader, without comments; they give the line in which a record starts."""

    def __init__(self, lines: Iterator[str], comment: str | None) -> None:
        self.numbered = enumerate(lines, 1)
        self.comment = comment
        self.number = self.start = 0
        self.between_records = True
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        for number, line in self.numbered:
            self.number = number
            if self.between_records:
                if _is_comment(line, self.comment):
                    continue
                self.start, self.between_records = number, False
            yield line
        self.ended = True

    def records(self, reader: Iterator[list[str]]) -> Iterator[list[str]]:
        for record in reader:
            yield record
            self.between_records = True


def _is_comment(line: str, comment: str | None) -> bool:
    return comment is not None and line.lstrip().startswith(comment)


def _without_blanks_after_quotes(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    """Lines without blanks between a closing quote and the next delimiter, which a strict reader refuses."""
    blanks = re.compile(rf'(?<!")"[ \t]+(?={re.escape(delimiter)}|[\r\n]*$)')
    return (blanks.sub('"', line) for line in lines)


def check_character(name: str, value: Any) -> None:
    """Raise a ValueError for an option that is neither None nor one allowed character."""
    if value is not None and not (isinstance(value, str) and len(value) == 1 and value not in '"\r\n'):
        message = f"{name} must be one character other than a quote or the end of a line, got {short_repr(value)}."
        raise ValueError(message)


@contextmanager
def _any_length() -> Iterator[None]:
    with _one_reader:
        limit = csv.field_size_limit(_LARGEST_LIMIT)
        try:
            yield
        finally:
            csv.field_size_limit(limit)
