"""Delimited text files: column names, and cells as text."""

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ftree._lib.messages import short_repr

Line: TypeAlias = tuple[int, list[str]]


def read_table(
    path: Path, *, header: bool | Sequence[str] = True, delimiter: str | None = None, comment: str | None = None
) -> tuple[list[str], list[list[str]]]:
    """Column names and rows of cells without surrounding blanks; `Dataset.read_csv` explains the options.

    Empty lines are skipped, and so are empty cells after the last column, which spreadsheets write.

    Raises a ValueError for a file that is empty, is not UTF-8 or has a single column. Raises a ValueError for a line of
    another length (it gives the line), and for columns without a name or with equal names.
    """
    if isinstance(header, str) or not isinstance(header, (bool, Sequence)):
        options = "True (names in the first line), False (no names) or a list of names"
        message = f"header must be {options}, got {short_repr(header)}."
        raise TypeError(message)
    lines = _lines(path, delimiter, comment)
    if not lines:
        message = f"{path} must have at least one row, got an empty file."
        raise ValueError(message)
    if header is True:
        names, lines = _names(path, lines[0][1]), lines[1:]
    else:
        width = max(len(_without_empty_end(cells, 0)) for _, cells in lines)
        names = list(header or (f"x{number}" for number in range(width)))
    rows = [(number, _without_empty_end(cells, len(names))) for number, cells in lines]
    _check(path, names, rows)
    return names, [cells for _, cells in rows]


def numbers_or_text(cells: Sequence[str], missing: Collection[Any]) -> Sequence[Any]:
    """Cells as numbers if all that are not missing are numbers, else unchanged.

    >>> numbers_or_text(["1", "?", "2.5"], ["?"]), numbers_or_text(["1", "red"], ["?"])
    ([1.0, None, 2.5], ['1', 'red'])
    """
    known = " ".join(cell for cell in cells if cell not in missing)
    if "_" in known:  # Python reads 12_3 as a number; in data it is a name
        return cells
    for parse in (int, float):
        try:
            return [None if cell in missing else parse(cell) for cell in cells]
        except ValueError:
            continue
    return cells


def _lines(path: Path, delimiter: str | None, comment: str | None) -> list[Line]:
    """Cells of every line that is not empty, with the line's number in the file."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            numbered = [(number, line) for number, line in enumerate(file, 1) if _is_row(line, comment)]
        first = numbered[0][1].strip() if numbered else ""
        return list(_cells(numbered, delimiter or ("\t" if "\t" in first else ",")))
    except UnicodeDecodeError as error:
        message = f"{path} must be UTF-8 text, got {error.reason} at byte {error.start}. Save it as UTF-8."
        raise ValueError(message) from None
    except csv.Error as error:
        message = f"{path} must be delimited text, got an error: {error}. Look for a quote that is not closed."
        raise ValueError(message) from None


def _cells(numbered: Sequence[tuple[int, str]], delimiter: str) -> Iterator[Line]:
    reader = csv.reader((line for _, line in numbered), delimiter=delimiter, skipinitialspace=True)
    for row in reader:
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield numbered[reader.line_num - 1][0], cells


def _is_row(line: str, comment: str | None) -> bool:
    return bool(line.strip()) and not (comment and line.lstrip().startswith(comment))


def _without_empty_end(cells: list[str], width: int) -> list[str]:
    end = len(cells)
    while end > width and not cells[end - 1]:
        end -= 1
    return cells[:end]


def _names(path: Path, cells: list[str]) -> list[str]:
    names = _without_empty_end(cells, 0)
    if "" in names:
        got = f"none for column {names.index('') + 1} of {len(names)}"
        message = f"Every column of {path} must have a name, got {got}. Name it in the first line, or leave it out."
        raise ValueError(message)
    return names


def _check(path: Path, names: Sequence[str], rows: Sequence[Line]) -> None:
    if not rows:
        message = f"{path} must have at least one row, got column names only. If the first line is a row, set header=False."
        raise ValueError(message)
    for number, cells in rows:
        if len(cells) != len(names):
            message = f"Every line of {path} must have {len(names)} fields, got {len(cells)} in line {number}."
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
