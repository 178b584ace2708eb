"""Files of JSON lines: one object of plain values on each line; a name that an object lacks is a missing value."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ftree._lib.messages import short_repr, type_of
from ftree.files.sources import FileTable, InputFile


def read_json_lines(sources: Sequence[InputFile], missing: Any) -> FileTable:
    r"""The columns of files of JSON lines, in the order in which their names first occur.

    Raises a ValueError that gives the line for text that is not an object, and for values that are objects or lists.

    >>> from ftree.files.sources import sources_of
    >>> read_json_lines(sources_of(b'{"sky": "grey", "wind": 3}\n{"sky": "blue"}\n'), []).columns
    {'sky': ['grey', 'blue'], 'wind': [3, None]}
    """
    columns: dict[str, list[Any]] = {}
    n_rows = 0
    for n_rows, row in enumerate(chain.from_iterable(map(_rows_of_objects, sources)), 1):
        for name, value in row.items():
            columns.setdefault(name, [None] * (n_rows - 1)).append(value)
        for name in columns.keys() - row.keys():
            columns[name].append(None)
    if not n_rows:
        raise ValueError(f"{sources[0]} must have at least one row, got an empty file.")
    return FileTable(columns, missing)


def _rows_of_objects(source: InputFile) -> Iterator[dict[str, Any]]:
    """The rows one by one: their dictionaries take several times the memory of their columns."""
    return (_object(source, number, line) for number, line in enumerate(source.lines(), 1) if line.strip())


def _object(source: InputFile, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:  # wrong syntax, but also a number that is too long or a list that is too deep
        got = f"{short_repr(line)} in line {number}: {str(error).partition(';')[0]}"
        raise ValueError(f"Every line of {source} must be a JSON object, got {got}.") from None
    if not isinstance(row, dict):
        message = f"Every line of {source} must be a JSON object, got {type_of(row)} in line {number}."
        raise ValueError(message)  # noqa: TRY004  # the error is in the text, not in an argument's type
    for name, value in row.items():
        if isinstance(value, (dict, list)):
            got = f"{type_of(value)} in line {number} of {source}"
            message = f"Values of {short_repr(name)} must be plain, got {got}. Flatten it beforehand."
            raise ValueError(message)  # noqa: TRY004  # as above
    return row
