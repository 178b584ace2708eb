"""Delimited text files: their names and their cells, as text."""

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

Line: TypeAlias = tuple[int, list[str]]


def read_table(
    path: Path, *, header: bool | Sequence[str] = True, delimiter: str | None = None, comment: str | None = None
) -> tuple[list[str], list[list[str]]]:
    """Column names and rows of cells, stripped of blanks; `Dataset.read_csv` tells the options.

    Lines without a cell are skipped, and so are empty cells after the last column, which spreadsheets leave behind.

    Raises a ValueError for a file that is empty or not UTF-8, a line of another length (which it names), one
    column only, or columns without a name or with one name.
    """
    if isinstance(header, str) or not isinstance(header, (bool, Sequence)):
        message = f"header is True (names in the first line), False (no names) or a list of names; it came as {header!r}."
        raise TypeError(message)
    lines = _lines(path, delimiter, comment)
    if not lines:
        message = f"{path} has no rows."
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
    """Cells as numbers where every one that is not missing is a number, else as they are.

    >>> numbers_or_text(["1", "?", "2.5"], ["?"]), numbers_or_text(["1", "red"], ["?"])
    ([1.0, None, 2.5], ['1', 'red'])
    """
    known = " ".join(cell for cell in cells if cell not in missing)
    if "_" in known:  # Python's way to group digits; in data it is a name, such as 12_3
        return cells
    for parse in (int, float):
        try:
            return [None if cell in missing else parse(cell) for cell in cells]
        except ValueError:
            continue
    return cells


def _lines(path: Path, delimiter: str | None, comment: str | None) -> list[Line]:
    """Every line that has a cell, with its number in the file."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            numbered = [(number, line) for number, line in enumerate(file, 1) if _is_row(line, comment)]
        first = numbered[0][1].strip() if numbered else ""
        return list(_cells(numbered, delimiter or ("\t" if "\t" in first else ",")))
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text ({error.reason}, byte {error.start}); save it as UTF-8."
        raise ValueError(message) from None
    except csv.Error as error:
        message = f"{path} cannot be read as delimited text: {error} (a quote that is never closed?)."
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
        message = (
            f"{path}: column {names.index('') + 1} of {len(names)} has no name (row numbers that a program wrote?);"
            " name it in the first line, or leave it out."
        )
        raise ValueError(message)
    return names


def _check(path: Path, names: Sequence[str], rows: Sequence[Line]) -> None:
    if not rows:
        message = f"{path} has column names but no rows; if its first line is a row, say header=False."
        raise ValueError(message)
    for number, cells in rows:
        if len(cells) != len(names):
            message = f"{path}, line {number}: {len(cells)} fields where {len(names)} columns are named."
            raise ValueError(message)
    if len(names) == 1:
        message = f"{path} has one column only, {names[0]!r}; say what separates its fields, such as delimiter=';'."
        raise ValueError(message)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        message = (
            f"{path}: two columns are named {twice[0]!r}; rename one,"
            " or say header=False if the first line is a row and not the names."
        )
        raise ValueError(message)
