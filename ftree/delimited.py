"""Delimited text files: their names and their cells, as text."""

import csv
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any


def read_table(
    path: Path, *, header: bool | Sequence[str] = True, delimiter: str | None = None, comment: str | None = None
) -> tuple[list[str], list[list[str]]]:
    """Column names and rows of cells, stripped of blanks; `Dataset.read_csv` tells the options.

    Raises a ValueError for an empty file, a line of another length (which it names), or two columns of one name.
    """
    with path.open(newline="", encoding="utf-8-sig") as file:
        numbered = [(number, line) for number, line in enumerate(file, 1) if _is_row(line, comment)]
    if not numbered:
        message = f"{path} has no rows."
        raise ValueError(message)
    separator = delimiter or ("\t" if "\t" in numbered[0][1] else ",")
    rows = [[cell.strip() for cell in row] for row in csv.reader((line for _, line in numbered), delimiter=separator)]
    names = rows[0] if header is True else list(header or (f"x{number}" for number in range(len(rows[0]))))
    _check(path, names, rows, [number for number, _ in numbered])
    return names, rows[1:] if header is True else rows


def numbers_or_text(cells: Sequence[str], missing: Collection[str]) -> Sequence[Any]:
    """Cells as numbers where every one that is not missing is a number, else as they are.

    >>> numbers_or_text(["1", "?", "2.5"], ["?"]), numbers_or_text(["1", "red"], ["?"])
    ([1.0, None, 2.5], ['1', 'red'])
    """
    try:
        return [None if cell in missing else float(cell) for cell in cells]
    except ValueError:
        return cells


def _is_row(line: str, comment: str | None) -> bool:
    return bool(line.strip()) and not (comment and line.startswith(comment))


def _check(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        message = f"{path}: two columns are named {twice[0]!r}; give names of your own, header=[...], or header=False."
        raise ValueError(message)
    for number, row in zip(numbers, rows, strict=False):
        if len(row) != len(names):
            message = f"{path}, line {number}: {len(row)} fields where {len(names)} columns are named."
            raise ValueError(message)
