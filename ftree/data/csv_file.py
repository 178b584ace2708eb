"""Delimited text files: column names, and cells as text."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree.data.csv_cells import CellColumns, joined_columns, without_empty_end
from ftree.data.csv_records import Record, read_records
from ftree.data.encoded import Encoded
from ftree.data.numbers import number_in_text, time_in_text, whole_in_text
from ftree.data.sources import Source
from ftree.tree.schema import as_name


def read_table(
    path: Source, *, header: bool | Sequence[str] = True, delimiter: str | None = None, comment: str | None = None
) -> dict[str, Encoded]:
    """The columns of a file by name, as distinct texts and the code of each row; `Dataset.read_csv` explains the options.

    Cells have no surrounding blanks. Empty lines are skipped, and so are empty cells after the last column, which
    spreadsheets write.

    Raises a ValueError for a file that is empty, is not UTF-8 or has a single column. Raises a ValueError for a line of
    another length and for a quote that is not closed (it gives the line), and for columns without a name or with equal names.
    """
    check_header(header)
    first, cells = read_records(path, delimiter, comment, partial(_collected, header))
    if first is None:
        message = f"{path} must have at least one row, got an empty file."
        raise ValueError(message)
    if header is True:
        names = _names(path, first)
    else:
        names = list(map(as_name, header or (f"x{number}" for number in range(cells.width))))
    _check(path, names, cells)
    return dict(zip(names, cells.columns(), strict=True))


def _collected(header: bool | Sequence[str], records: Iterator[Record]) -> tuple[list[str] | None, CellColumns]:  # noqa: FBT001  # as users give it
    """The cells of the first record, and of all but a header."""
    number, first = next(records, (0, None))
    names = first if header is True else header or None
    cells = CellColumns(None if names is None else len(without_empty_end(list(names), 0) if header is True else names))
    if first is not None and header is not True:
        cells.take([(number, first)])
    cells.take(records)
    return first, cells


def check_header(header: Any) -> None:
    """Raise a TypeError for what is no option for the header."""
    if isinstance(header, str) or not isinstance(header, (bool, Sequence)):
        options = "True (names in the first line), False (no names) or a list of names"
        message = f"header must be {options}, got {short_repr(header)}."
        raise TypeError(message)


def read_encoded(
    sources: Sequence[Source], *, header: bool | Sequence[str], delimiter: str | None, comment: str | None
) -> dict[str, Encoded]:
    """The columns of files with the same columns, each as its distinct texts and the code of each row.

    Raises a ValueError as `read_table`, and for files with different columns.
    """
    columns = read_table(sources[0], header=header, delimiter=delimiter, comment=comment)
    for source in sources[1:]:
        others = read_table(source, header=header, delimiter=delimiter, comment=comment)
        check_same_columns(sources[0], list(columns), source, list(others))
        columns = dict(zip(columns, joined_columns(list(columns.values()), others.values()), strict=True))
    return columns


def check_same_columns(first: Source, names: Sequence[str], other: Source, others: Sequence[str]) -> None:
    """Raise a ValueError for two files with different columns.

    >>> from ftree.data.sources import sources_of
    >>> check_same_columns(*sources_of(b""), ["a", "b"], *sources_of(b""), ["a", "c"])
    Traceback (most recent call last):
    ValueError: All files must have the columns of the buffer, got 'c' in place of 'b' in the buffer.
    """
    if list(names) != list(others):
        pairs = zip_longest(map(repr, names), map(repr, others), fillvalue="none")
        wanted, got = next((wanted, got) for wanted, got in pairs if wanted != got)
        message = f"All files must have the columns of {first}, got {got} in place of {wanted} in {other}."
        raise ValueError(message)


def encoded_texts(cells: Sequence[str]) -> Encoded:
    """Texts as their distinct ones, and the code of each row.

    >>> encoded_texts(["b", "a", "b"])
    Encoded(codes=array([0, 1, 0], dtype=int32), values=['b', 'a'], ordered=None)
    """
    code_of = {text: code for code, text in enumerate(dict.fromkeys(cells))}
    return Encoded(np.fromiter(map(code_of.__getitem__, cells), np.int32, len(cells)), list(code_of))


def numbers_or_text(cells: Sequence[str], missing: Collection[Any]) -> Sequence[Any]:
    """Cells as numbers if all that are not missing are numbers, as dates if all are dates in ISO format, else unchanged.

    >>> numbers_or_text(["1", "?", "2.5"], ["?"]), numbers_or_text(["1", "red"], ["?"])
    ([1.0, '?', 2.5], ['1', 'red'])
    >>> numbers_or_text(["2020-02-29", ""], [""])
    [datetime.date(2020, 2, 29), '']
    """
    for parse in (whole_in_text, number_in_text, time_in_text):
        try:
            return [cell if cell in missing else parse(cell) for cell in cells]
        except ValueError:
            continue
    return cells


def _names(path: Source, cells: list[str]) -> list[str]:
    names = without_empty_end(cells, 0)
    if "" in names:
        got = f"none for column {names.index('') + 1} of {len(names)}"
        message = f"Every column of {path} must have a name, got {got}. Name it in the first line, or leave it out."
        raise ValueError(message)
    return names


def _check(path: Source, names: Sequence[str], cells: CellColumns) -> None:
    if not cells.n_rows:
        message = f"{path} must have at least one row, got column names only. If the first line is a row, set header=False."
        raise ValueError(message)
    wrong = cells.wrong_length()
    if wrong is not None:
        message = f"Every line of {path} must have {len(names)} fields, got {wrong[1]} in line {wrong[0]}."
        raise ValueError(message)
    if len(names) == 1:
        got = short_repr(names[0])
        message = f"{path} must have several columns, got one, {got}. Give its delimiter, such as delimiter=';'."
        raise ValueError(message)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        remedy = "Rename one, or set header=False if the first line is a row."
        message = f"Columns of {path} must have distinct names, got {short_repr(twice[0])} twice. {remedy}"
        raise ValueError(message)
