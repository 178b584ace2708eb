"""Delimited files by Python's csv module: the reference reader, which reads every form of file or says what is wrong in it.

A reader returns each column as floats where all its cells are numbers, else as distinct texts and the code of each row. Both
readers decide that here, block by block, so the texts of a long column of numbers are never all in memory.
"""

import csv
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property, partial
from itertools import chain, groupby, islice
from math import nan
from threading import Lock
from typing import Any, TypeAlias, TypeVar

import numpy as np
from attrs import define, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import repeated
from ftree._lib.messages import short_repr
from ftree.data.columns import ROW_NAMES, Encoded, encoded_texts
from ftree.data.sources import InputFile, check_same_columns
from ftree.data.values import as_float, in_order, number_in_text
from ftree.tree.schema import as_name

T = TypeVar("T")
# A line's number, and its cells.
CsvRecord: TypeAlias = tuple[int, list[str]]
# The first line of each length of a record, with and without its empty cells at the end.
Lengths: TypeAlias = dict[tuple[int, int], int]
# About this many cells are texts at a time, but never fewer rows than that.
_CELLS = 1 << 11
_ROWS = 1 << 6
# Below this number, all whole numbers are floats.
_EXACT = 2.0**53
# Python takes 100 bytes for a text's code in a dictionary. So a dictionary of so many texts is set aside, or of an eighth of
# those that are set aside already: there are few to merge.
_MANY = 1 << 12
_SHARE = 8
# Python's reader refuses cells beyond a limit that is set for the whole process.
_LARGEST_LIMIT = 2**31 - 1
_one_reader = [Lock()]
# A child of a fork has no thread that would release the lock, if one of its parent's held it.
getattr(os, "register_at_fork", lambda **_: None)(after_in_child=lambda: _one_reader.__setitem__(0, Lock()))


@frozen(eq=False)
class Numbers:
    """A column of floats, NaN where a value is missing, and the texts for missing that occurred."""

    floats: Array
    missing: Collection[Hashable] = ()


# A column, or a block's part of one.
ColumnPart: TypeAlias = Numbers | Encoded


@frozen(eq=False)
class CsvLayout:
    """How files are read: header, delimiter, comment, words for missing and the sign before decimals as users give them.

    `as_text` chooses, of all columns, those that stay text.
    """

    header: bool | Sequence[str] = True
    delimiter: str | None = None
    comment: str | None = None
    missing: Collection[Any] = ()
    as_text: Callable[[Sequence[str]], Collection[str]] = lambda _: ()
    decimal: str = "."

    def names(self, first: list[str]) -> list[str]:
        """The names of columns, given the cells of the first record."""
        if self.header is True:
            names = _without_empty_end(first)
            return [ROW_NAMES, *names[1:]] if names[:1] == [""] else names
        return list(map(as_name, self.header or (f"x{number}" for number in range(len(first)))))

    def texts(self, names: Sequence[str]) -> Collection[str]:
        """The columns that stay text; all if the target does not exist, which is an error once the whole file is read."""
        try:
            return self.as_text(names)
        except ValueError:
            return names

    def part(self, column: Encoded) -> ColumnPart:
        """A block's texts as numbers where all that are not missing are exact numbers, else unchanged.

        >>> CsvLayout(missing=["?"]).part(encoded_texts(["1", "?"]))
        Numbers(floats=array([ 1., nan]), missing=frozenset({'?'}))
        """
        missing = self.words.intersection(column.values)
        try:
            floats = np.array([nan if text in missing else number_in_text(text, self.decimal) for text in column.values])
        except ValueError:
            return column
        n_missing = sum(text in missing for text in column.values) if missing else 0
        return Numbers(floats[column.codes], missing) if self.are_numbers(floats, n_missing) else column

    def are_numbers(self, floats: Array, n_missing: int = 0) -> bool:
        """Whether floats are the numbers in the file, except for `n_missing` NaNs, and none of them means missing.

        >>> layout = CsvLayout(missing=["-9"])
        >>> layout.are_numbers(np.array([1.5, 2.0])), layout.are_numbers(np.array([-9.0]))
        (True, False)
        """
        if self._missing_numbers and np.isin(floats, self._missing_numbers).any():
            return False
        known = floats[~np.isnan(floats)] if n_missing else floats
        # NaN makes the minimum NaN, and the comparison false.
        are_exact = not known.size or bool(-_EXACT < known.min() <= known.max() < _EXACT)
        return are_exact and len(floats) == len(known) + n_missing

    @cached_property
    def words(self) -> frozenset[str]:
        """The texts that mean missing."""
        return frozenset(value for value in self.missing if isinstance(value, str))

    @cached_property
    def _missing_numbers(self) -> list[float]:
        """The numbers that mean missing, including those that are given as texts."""
        return [number for value in self.missing for number in _as_numbers(value)]


def _as_numbers(value: Any) -> list[float]:
    """A number, or a text that is one, as a float in a list; an empty list for NaN and for anything else."""
    try:
        number = number_in_text(value) if isinstance(value, str) else as_float(value)
    except (TypeError, ValueError, OverflowError):
        return []
    return [number] if number == number else []  # noqa: PLR0124  # NaN


@define(eq=False)
class CsvColumn:
    """A column as far as it is read: floats, or a code for each distinct text and the codes of rows.

    >>> column = CsvColumn()
    >>> for cells in ("b", "a", "b"):
    ...     column.add(encoded_texts([cells]))
    >>> column.parts()
    [Encoded(codes=array([0, 1, 0], dtype=int32), values=['b', 'a'], ordered=None)]
    """

    missing: set[Hashable] = field(factory=set, init=False)
    _floats: list[Array] = field(factory=list, init=False)
    _code_of: dict[str, int] = field(factory=dict, init=False)
    _codes: list[Array] = field(factory=list, init=False)
    _set_aside: list[Encoded] = field(factory=list, init=False)

    @property
    def has_numbers(self) -> bool:
        """Whether a block of the column is numbers."""
        return bool(self._floats)

    @property
    def has_texts(self) -> bool:
        """Whether a block of the column is texts."""
        return bool(self._codes or self._set_aside)

    @property
    def must_be_text(self) -> bool:
        """Whether a column that was read as numbers has other cells as well, or none that is known."""
        is_unknown = bool(self.missing) and all(np.isnan(each).all() for each in self._floats)
        return self.has_numbers and (self.has_texts or is_unknown)

    def add(self, part: ColumnPart) -> None:
        """Add a block's cells at the end."""
        if isinstance(part, Numbers):
            self._floats.append(part.floats + 0.0)  # minus zero is zero, as it is as a whole number
            self.missing.update(part.missing)
            return
        code_of = self._code_of
        codes = [code_of.setdefault(text, len(code_of)) for text in part.values]
        self._codes.append(np.array(codes, np.int32)[part.codes])
        if len(code_of) > max(_MANY, sum(len(each.values) for each in self._set_aside) // _SHARE):
            self._put_aside()

    def parts(self) -> list[ColumnPart]:
        """The column's numbers and its texts, one of them for a column that need not be read again."""
        numbers = [Numbers(np.concatenate(self._floats), in_order(self.missing))] if self.has_numbers else []
        if self._codes:
            self._put_aside()
        return [*numbers, *([_merged(self._set_aside)] if self.has_texts else [])]

    def _put_aside(self) -> None:
        self._set_aside.append(Encoded(np.concatenate(self._codes), list(self._code_of)))
        self._code_of, self._codes = {}, []


def _merged(parts: list[Encoded]) -> Encoded:
    """The rows of parts, one after another; the texts of several parts are sorted."""
    if len(parts) == 1:
        return parts[0]
    texts = [text for text, _ in groupby(sorted(chain.from_iterable(part.values for part in parts)))]
    places = (np.fromiter(map(partial(bisect_left, texts), part.values), np.int32, len(part.values)) for part in parts)
    return Encoded(np.concatenate([each[part.codes] for each, part in zip(places, parts, strict=True)]), texts)


def read_in_python(sources: Sequence[InputFile], layout: CsvLayout, n_rows: int | None = None) -> dict[str, ColumnPart]:
    r"""The columns of files with the same columns, each as floats, or as its distinct texts and the code of each row.

    Cells keep the blanks around them. Empty lines are skipped, and so are empty cells after the last column, which spreadsheets
    write. `n_rows` are texts at a time, by default as many as have some thousand cells.

    Raises a ValueError for a file that is empty, is not UTF-8 or has a single column. Raises a ValueError for a line of another
    length and for a quote that is not closed (it gives the line), and for columns without a name, with equal names, or other than
    those of the first file.

    >>> from ftree.data.sources import sources_of
    >>> read_in_python(sources_of(b"a,b\n1,x\n?,y\n"), CsvLayout(missing=["?"]))["b"].tolist()
    ['x', 'y']
    """
    return columns_of_files(sources, layout, partial(_read_file, layout, n_rows))


def columns_of_files(
    sources: Sequence[InputFile], layout: CsvLayout, read: Callable[[InputFile, Collection[str] | None], dict[str, CsvColumn]]
) -> dict[str, ColumnPart]:
    """The columns of files by a reader of one file: all of them, or some columns as texts.

    Columns that turn out to hold texts after numbers are read again; floats first, since they take a tenth of the memory.
    """
    columns = _one_below_the_other(sources, read, None)
    texts = set(layout.as_text(list(columns)))
    late = {name for name, column in columns.items() if column.must_be_text or (name in texts and column.has_numbers)}
    if late:
        columns |= dict.fromkeys(late, CsvColumn())  # the memory of the first reading is free during the second one
        columns |= _one_below_the_other(sources, read, late)
    return {name: columns.pop(name).parts()[0] for name in list(columns)}


def _one_below_the_other(
    sources: Sequence[InputFile],
    read: Callable[[InputFile, Collection[str] | None], dict[str, CsvColumn]],
    only: Collection[str] | None,
) -> dict[str, CsvColumn]:
    columns = read(sources[0], only)
    for source in sources[1:]:
        others = read(source, only)
        check_same_columns(sources[0], list(columns), source, list(others))
        for name, column in columns.items():
            for part in others.pop(name).parts():
                column.add(part)
    return columns


def _read_file(layout: CsvLayout, n_rows: int | None, source: InputFile, only: Collection[str] | None) -> dict[str, CsvColumn]:
    gather = partial(_gathered, layout, n_rows, only)
    names, columns, lengths = read_records(source, layout, gather)
    if not layout.header:
        names = layout.names([""] * max((filled for _, filled in lengths), default=0))
    _check(source, names, lengths, layout.header)
    return {name: column for name, column in zip(names, columns, strict=False) if only is None or name in only}


def _gathered(
    layout: CsvLayout, n_rows: int | None, only: Collection[str] | None, records: Iterator[CsvRecord]
) -> tuple[list[str], list[CsvColumn], Lengths]:
    """The names, as many columns, and the lengths of records."""
    first = list(islice(records, 1))
    names = layout.names(first[0][1] if first else [])
    texts = only or layout.texts(names)
    columns = [CsvColumn() for _ in names]
    lengths: Lengths = {}
    rows = _fitted(records if layout.header is True else chain(first, records), len(names), lengths)
    n = n_rows or max(_ROWS, _CELLS // max(len(names), 1))
    while block := list(islice(rows, n)):
        each_row = np.arange(len(block))
        for name, column, cells in zip(names, columns, zip(*block, strict=True), strict=True):
            if only is None or name in only:
                is_text = name in texts or column.has_texts
                column.add(encoded_texts(cells) if is_text else layout.part(Encoded(each_row, cells)))
    return names, columns, lengths


def _fitted(records: Iterable[CsvRecord], width: int, lengths: Lengths) -> Iterator[list[str]]:
    """The cells of records, as many of each; their lengths are noted."""
    for line, cells in records:
        lengths.setdefault((len(cells), len(_without_empty_end(cells))), line)
        yield cells if len(cells) == width else (cells + [""] * width)[:width]


def _without_empty_end(cells: list[str]) -> list[str]:
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def _check(source: InputFile, names: Sequence[str], lengths: Lengths, header: Any) -> None:
    if not lengths:
        only = "column names only. If the first line is a row, set header=False."
        raise ValueError(f"{source} must have at least one row, got {only if names and header is True else 'an empty file.'}")
    if header is True and "" in names:
        got = f"none for column {names.index('') + 1} of {len(names)}"
        raise ValueError(f"Every column of {source} must have a name, got {got}. Name it in the first line, or remove it.")
    width = len(names)
    wrong = [(line, n if n < width else filled) for (n, filled), line in lengths.items() if n < width or filled > width]
    # With a decimal comma, rows of one column have several fields, and the error is in the delimiter.
    if width == 1 and (header is True or not wrong):
        remedy = "Give its delimiter, such as delimiter=';', or comment='#' if that is a comment."
        raise ValueError(f"{source} must have several columns, got one, {short_repr(names[0])}. {remedy}")
    if wrong:
        line, got_fields = min(wrong)
        raise ValueError(f"Every line of {source} must have {width} fields, got {got_fields} in line {line}.")
    for twice in repeated(names):
        remedy = "Rename one, or set header=False if the first line is a row."
        raise ValueError(f"Columns of {source} must have distinct names, got {short_repr(twice)} twice. {remedy}")


def read_records(source: InputFile, layout: CsvLayout, take: Callable[[Iterator[CsvRecord]], T]) -> T:
    """The result of `take` on the records that are neither empty nor comments.

    Lines are parsed before any are skipped, since a quoted cell may hold blank lines and text that looks like a comment.
    `take` is called a second time if blanks follow closing quotes.

    Raises a ValueError for a file that is not UTF-8, and for a quote that is not closed.
    """
    delimiter = delimiter_of(source, layout)
    with _any_length():
        try:
            return take(_parsed(source, source.lines(), delimiter, layout.comment))
        except ValueError:
            lines = _without_blanks_after_quotes(source.lines(), delimiter)
            return take(_parsed(source, lines, delimiter, layout.comment))


def delimiter_of(source: InputFile, layout: CsvLayout) -> str:
    """The delimiter as given, or else a tab where the first line that is neither blank nor a comment has one, or a comma.

    Where each comma of that line has a blank after it, the blanks belong to the delimiter.
    """
    if layout.delimiter:
        return layout.delimiter
    with closing(source.lines()) as lines:
        first = next((line for line in lines if line.strip() and not _is_comment(line, layout.comment)), "")
    if "\t" in first.strip():
        return "\t"
    return ", " if 0 < first.count(",") == first.count(", ") else ","


def _parsed(source: InputFile, lines: Iterable[str], delimiter: str, comment: str | None) -> Iterator[CsvRecord]:
    kept = _Lines(iter(lines), comment)
    reader = csv.reader(kept, delimiter=delimiter[0], skipinitialspace=delimiter.endswith(" "), strict=True)
    try:
        for record in kept.records(reader):
            if any(map(str.strip, record)):
                yield kept.start, record
    except csv.Error as error:
        if kept.ended:
            got = f"one that is open at the end, in the row that begins in line {kept.start}"
        else:
            got = f"an error in line {kept.number}, in the row that begins in line {kept.start}: {error}"
        message = f"Every quote in {source} must be closed, got {got}. Write a quote inside a quoted cell twice."
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
    blanks = re.compile(rf'(?<!")"[ \t]+(?={re.escape(delimiter[0])}|[\r\n]*$)')
    return (blanks.sub('"', line) for line in lines)


@contextmanager
def _any_length() -> Iterator[None]:
    with _one_reader[0]:
        limit = csv.field_size_limit(_LARGEST_LIMIT)
        try:
            yield
        finally:
            csv.field_size_limit(limit)
