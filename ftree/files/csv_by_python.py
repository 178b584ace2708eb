"""Delimited files by Python's csv module: the reference reader, which reads every form of file or says what is wrong in it."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from importlib.util import find_spec, module_from_spec
from itertools import chain, islice
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ftree._lib.fields import repeated
from ftree._lib.messages import short_repr
from ftree.data.columns import Encoded, encoded_values
from ftree.files.csv_columns import ColumnPart, CsvColumn, CsvLayout, columns_of_files, without_empty_end
from ftree.files.sources import InputFile

T = TypeVar("T")
# A line's number, and its cells.
CsvRecord: TypeAlias = tuple[int, list[str]]
# The first line of each length of a record, with and without its empty cells at the end.
Lengths: TypeAlias = dict[tuple[int, int], int]
# About this many cells are texts at a time, but never fewer rows than that.
_CELLS = 1 << 11
_ROWS = 1 << 6


def _csv_without_limit() -> Any:
    """Python's csv module once more. It refuses cells beyond a limit of its own, and that of `import csv` is the user's."""
    spec: Any = find_spec("_csv")
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.field_size_limit(2**31 - 1)  # the largest that every platform takes
    return module


_csv = _csv_without_limit()


def read_in_python(sources: Sequence[InputFile], layout: CsvLayout, n_rows: int | None = None) -> dict[str, ColumnPart]:
    r"""The columns of files with the same columns, each as floats, or as its distinct texts and the code of each row.

    Cells keep the blanks around them. Empty lines are skipped, and so are empty cells after the last column, which spreadsheets
    write. `n_rows` are texts at a time, by default as many as have some thousand cells.

    Raises a ValueError for a file that is empty, is not UTF-8 or has a single column. Raises a ValueError for a line of another
    length and for a quote that is not closed (it gives the line), and for columns without a name, with equal names, or other than
    those of the first file.

    >>> from ftree.files.sources import sources_of
    >>> read_in_python(sources_of(b"a,b\n1,x\n?,y\n"), CsvLayout(missing=["?"]))["b"].tolist()
    ['x', 'y']
    """
    return columns_of_files(sources, layout, partial(_read_file, layout, n_rows))


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
                column.add(encoded_values(cells) if is_text else layout.part(Encoded(each_row, cells)))
    return names, columns, lengths


def _fitted(records: Iterable[CsvRecord], width: int, lengths: Lengths) -> Iterator[list[str]]:
    """The cells of records, as many of each; their lengths are noted."""
    for line, cells in records:
        lengths.setdefault((len(cells), len(without_empty_end(cells))), line)
        yield cells if len(cells) == width else (cells + [""] * width)[:width]


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
    Where a quote is wrong, `take` is called a second time, on lines without the blanks that may follow a closing quote.

    Raises a ValueError for a file that is not UTF-8, and for a quote that is not closed.
    """
    delimiter = delimiter_of(source, layout)
    for lines in (source.lines(), _without_blanks_after_quotes(source.lines(), delimiter)):
        records = _Records(lines, delimiter, layout.comment)
        try:
            return take(iter(records))
        except _csv.Error as error:
            got = records.wrong_quote(error)
    raise ValueError(f"Every quote in {source} must be closed, got {got}. Write a quote inside a quoted cell twice.")


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


class _Records:
    """The records of lines with the line in which each starts, except for empty ones; comments stand between records."""

    def __init__(self, lines: Iterable[str], delimiter: str, comment: str | None) -> None:
        self.numbered = enumerate(lines, 1)
        self.delimiter, self.comment = delimiter, comment
        self.number = self.start = 0
        self.between_records = True
        self.ended = False

    def __iter__(self) -> Iterator[CsvRecord]:
        skips_blanks = self.delimiter.endswith(" ")
        for record in _csv.reader(self._lines(), delimiter=self.delimiter[0], skipinitialspace=skips_blanks, strict=True):
            if any(map(str.strip, record)):
                yield self.start, record
            self.between_records = True

    def _lines(self) -> Iterator[str]:
        """The lines for Python's reader, which asks for one after the other until a record ends."""
        for number, line in self.numbered:
            self.number = number
            if self.between_records:
                if _is_comment(line, self.comment):
                    continue
                self.start, self.between_records = number, False
            yield line
        self.ended = True

    def wrong_quote(self, error: Exception) -> str:
        """What is wrong where Python's reader raised an error."""
        if self.ended:
            return f"one that is open at the end, in the row that begins in line {self.start}"
        return f"an error in line {self.number}, in the row that begins in line {self.start}: {error}"


def _is_comment(line: str, comment: str | None) -> bool:
    return comment is not None and line.lstrip().startswith(comment)


def _without_blanks_after_quotes(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    """Lines without blanks between the quote that closes a cell and the next delimiter, which a strict reader refuses.

    A quote that stands twice in a quoted cell does not close it. A cell may end in a later line.
    """
    mark, text = re.escape(delimiter[0]), '(?:[^"]|"")*'
    opening = rf'(?<![^{mark}]){" *" * delimiter.endswith(" ")}"'  # after a delimiter, or where the line begins
    closed, blanks = rf'{text}"(?!")', rf"(?:[ \t]+(?={mark}|[\r\n]*$))?"
    rest_of_cell = re.compile(f"(?P<kept>{closed}){blanks}")
    cell = re.compile(f"(?P<kept>{opening}{closed}){blanks}|(?P<open>{opening}{text}$)")
    is_open = False
    for line in lines:
        end = rest_of_cell.match(line) if is_open else None
        if is_open and end is None:
            yield line
            continue
        before, after = ("", line) if end is None else (end["kept"], line[end.end() :])
        is_open = any(each["open"] for each in cell.finditer(after))
        yield before + cell.sub(lambda each: each["kept"] or each["open"], after)
