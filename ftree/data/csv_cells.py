"""The cells of delimited files by columns: floats, or distinct texts and the code of each row."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf

import numpy as np
from attrs import define, field

from ftree.data.csv_layout import Layout
from ftree.data.csv_parts import FloatColumn, Numbers
from ftree.data.csv_records import Record
from ftree.data.csv_texts import TextCells, merged, packed
from ftree.data.encoded import Encoded
from ftree.data.values import in_order

# About this many cells are texts at a time.
_BLOCK = 1 << 12


@define(eq=False)
class CellColumns:
    """Columns of `width` cells; if that is None, as many as the longest record has without its empty cells at the end.

    A column whose first cells are exact numbers or missing is a column of floats, unless `is_text` is true of its number.

    >>> cells = CellColumns(None)
    >>> cells.take([(1, ["a", "b", ""]), (2, ["a", "c"])])
    >>> [column.tolist() for column in cells.columns()], cells.wrong_length()
    ([['a', 'a'], ['b', 'c']], None)
    """

    fixed: int | None
    layout: Layout = field(factory=Layout)
    is_text: Callable[[int], bool] = lambda _: True
    width: int = field(init=False)
    n_rows: int = field(default=0, init=False)
    _shortest: float = field(default=inf, init=False)
    _first_of_length: dict[int, int] = field(factory=dict, init=False)
    _columns: list[TextCells | FloatColumn | None] = field(factory=list, init=False)
    _mixed: set[int] = field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        """Begin with the given number of columns."""
        self.width = self.fixed or 0
        self._widen()

    def take(self, records: Iterable[Record]) -> None:
        """Add records at the end."""
        block: list[list[str]] = []
        for number, cells in records:
            fits = len(cells) == self.width and self._shortest <= self.width
            block.append(cells if fits else self._fitted(block, number, cells))
            self.n_rows += 1
            if len(block) * max(self.width, 1) >= _BLOCK:
                self._encode(block)
        self._encode(block)

    def wrong_length(self) -> tuple[int, int] | None:
        """The line of the first record whose length is not the width, and its length; None if all fit."""
        wrong = [(line, length) for length, line in self._first_of_length.items() if self._is_wrong(length)]
        return min(wrong, default=None)

    def columns(self) -> Iterator[Numbers | Encoded | None]:
        """The columns, if all records have the right length; None for a column of numbers in which texts follow."""
        for place, column in enumerate(self._columns):
            self._columns[place] = None  # its parts are joined now, and their memory can be freed
            yield None if place in self._mixed else (column or TextCells()).whole()

    def _is_wrong(self, length: int) -> bool:
        return length < self.width or (self.fixed is not None and length > self.width)

    def _fitted(self, block: list[list[str]], number: int, cells: list[str]) -> list[str]:
        """A record without empty cells after the last column; its length is noted if it may be wrong."""
        filled = len(without_empty_end(cells, self.width))
        if self.fixed is None and filled > self.width:
            self._encode(block)
            self.width = filled
            if self._shortest >= filled:
                self._widen()
        self._shortest = min(self._shortest, len(cells))
        self._first_of_length.setdefault(len(cells) if self.fixed is None else filled, number)
        return cells[: self.width]

    def _widen(self) -> None:
        """Add columns up to the width; new columns are empty in the rows so far."""
        while len(self._columns) < self.width:
            self._columns.append(TextCells({"": 0}, array("i", bytes(4 * self.n_rows))) if self.n_rows else None)

    def _encode(self, block: list[list[str]]) -> None:
        """Add the cells of some records, unless one has a wrong length, so that there will be no columns."""
        if self._shortest >= self.width == len(self._columns):
            for place, cells in enumerate(zip(*block, strict=True)):
                self._add(place, cells)
        block.clear()

    def _add(self, place: int, cells: Sequence[str]) -> None:
        column = self._columns[place]
        numbers = None if isinstance(column, TextCells) or self.is_text(place) else self.layout.numbers(cells)
        if column is None:
            column = self._columns[place] = TextCells() if numbers is None else FloatColumn()
        if isinstance(column, TextCells):
            column.add(cells)
        elif numbers is None:
            self._mixed.add(place)
        else:
            column.add(numbers)


def without_empty_end(cells: list[str], width: int) -> list[str]:
    """The cells without the empty ones that follow the first `width`.

    >>> without_empty_end(["a", "", "b", ""], 2), without_empty_end(["a", "", ""], 2)
    (['a', '', 'b'], ['a', ''])
    """
    end = len(cells)
    while end > width and not cells[end - 1]:
        end -= 1
    return cells if end == len(cells) else cells[:end]


def joined(parts: Sequence[Numbers | Encoded]) -> Numbers | Encoded:
    """The parts of a column, all of numbers or all of texts, one after another.

    >>> joined([Encoded(np.array([0]), ["b"]), Encoded(np.array([1, 0]), ["a", "b"])]).tolist()
    ['b', 'b', 'a']
    """
    numbers = [part for part in parts if isinstance(part, Numbers)]
    if len(parts) == 1:
        return parts[0]
    if numbers:
        missing = set().union(*(part.missing for part in numbers))
        return Numbers(np.concatenate([part.floats for part in numbers]), in_order(missing))
    return merged([packed(part.values, part.codes) for part in parts if isinstance(part, Encoded)])
