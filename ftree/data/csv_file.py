"""Delimited text files: column names, and cells as text."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve

from ftree._lib.messages import short_repr
from ftree.data.csv_cells import CellColumns, joined, without_empty_end
from ftree.data.csv_layout import Layout
from ftree.data.csv_parts import Numbers
from ftree.data.csv_records import Record, read_records
from ftree.data.encoded import Encoded
from ftree.data.numbers import number_in_text, time_in_text, whole_in_text
from ftree.data.sources import Source
from ftree.tree.schema import as_name

# A choice of some columns, given the names of all.
Choice: TypeAlias = Callable[[Sequence[str]], Collection[str]]


def read_table(path: Source, layout: Layout, as_text: Choice | None = None) -> dict[str, Numbers | Encoded | None]:
    """The columns of a file by name, as floats, or as distinct texts and the code of each row; `Dataset.read_csv` explains more.

    `as_text` chooses, of all columns, those that are texts even if they are numbers; without it all are. A column that begins
    with numbers and has other cells later is None: it must be read again.

    Cells have no surrounding blanks. Empty lines are skipped, and so are empty cells after the last column, which
    spreadsheets write.

    Raises a ValueError for a file that is empty, is not UTF-8 or has a single column. Raises a ValueError for a line of
    another length and for a quote that is not closed (it gives the line), and for columns without a name or with equal names.
    """
    check_header(layout.header)
    first, cells = read_records(path, layout.delimiter, layout.comment, partial(_collected, layout, as_text))
    if first is None:
        message = f"{path} must have at least one row, got an empty file."
        raise ValueError(message)
    if layout.header is True:
        names = _names(path, first)
    else:
        names = list(map(as_name, layout.header or (f"x{number}" for number in range(cells.width))))
    _check(path, names, cells, layout.header)
    return dict(zip(names, cells.columns(), strict=True))


def _collected(layout: Layout, as_text: Choice | None, records: Iterator[Record]) -> tuple[list[str] | None, CellColumns]:
    """The cells of the first record, and those of all records after a header."""
    number, first = next(records, (0, None))
    names = first if layout.header is True else layout.header or None
    if layout.header is True and names is not None:
        names = without_empty_end(list(names), 0)
    cells = CellColumns(None if names is None else len(names), layout, _text_places(names, as_text))
    if first is not None and layout.header is not True:
        cells.take([(number, first)])
    cells.take(records)
    return first, cells


def _text_places(names: Any, as_text: Choice | None) -> Callable[[int], bool]:
    """Whether the column of a number is text; where names are not known yet, a column that must be text is read again."""
    if as_text is None:
        return lambda _: True
    if names is None:
        return lambda _: False
    try:
        texts = as_text(list(map(as_name, names)))
    except ValueError:  # the target does not exist; the error follows when the whole file is read
        return lambda _: True
    return lambda place: as_name(names[place]) in texts


def check_header(header: Any) -> None:
    """Raise a TypeError for an invalid header option."""
    if isinstance(header, str) or not isinstance(header, (bool, Sequence)):
        options = "True (names in the first line), False (no names) or a list of names"
        message = f"header must be {options}, got {short_repr(header)}."
        raise TypeError(message)


def read_in_python(sources: Sequence[Source], layout: Layout) -> dict[str, Numbers | Encoded]:
    """The columns of files with the same columns, each as floats, or as its distinct texts and the code of each row.

    A file is read again if a column of numbers turns out to hold texts; floats first, since they take a tenth of the memory.

    Raises a ValueError as `read_table`, and for files with different columns.
    """
    tables = [read_table(source, layout, layout.as_text) for source in sources]
    names = list(tables[0])
    for source, table in zip(sources, tables, strict=True):
        check_same_columns(sources[0], names, source, list(table))
    unsure = {name for name in names if not _are_numbers([table[name] for table in tables])}
    texts = unsure | set(layout.as_text(names)).intersection(names)
    named = evolve(layout, header=layout.header or names)
    for place, source in enumerate(sources):
        if not all(isinstance(tables[place][name], Encoded) for name in texts):
            tables[place].clear()  # so that only one of the two is in memory
            tables[place] = read_table(source, named, lambda _: texts)
    return {name: joined([column for table in tables if (column := table.pop(name)) is not None]) for name in names}


def _are_numbers(parts: Sequence[Numbers | Encoded | None]) -> bool:
    """Whether all parts of a column are numbers, and one of them is known."""
    return all(isinstance(part, Numbers) for part in parts) and not all(
        np.isnan(part.floats).all() for part in parts if isinstance(part, Numbers)
    )


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
    """Texts as distinct texts, and the code of each row.

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
        message = f"Every column of {path} must have a name, got {got}. Name it in the first line, or remove it."
        raise ValueError(message)
    return names


def _check(path: Source, names: Sequence[str], cells: CellColumns, header: Any) -> None:
    if not cells.n_rows:
        message = f"{path} must have at least one row, got column names only. If the first line is a row, set header=False."
        raise ValueError(message)
    wrong = cells.wrong_length()
    # With a decimal comma, rows of one column have several fields, and the error is in the delimiter.
    if len(names) == 1 and (header is True or wrong is None):
        remedy = "Give its delimiter, such as delimiter=';', or comment='#' if that is a comment."
        message = f"{path} must have several columns, got one, {short_repr(names[0])}. {remedy}"
        raise ValueError(message)
    if wrong is not None:
        message = f"Every line of {path} must have {len(names)} fields, got {wrong[1]} in line {wrong[0]}."
        raise ValueError(message)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        remedy = "Rename one, or set header=False if the first line is a row."
        message = f"Columns of {path} must have distinct names, got {short_repr(twice[0])} twice. {remedy}"
        raise ValueError(message)
