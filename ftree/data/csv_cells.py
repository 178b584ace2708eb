"""The cells of delimited files by columns: distinct texts and the code of each row, since a text takes ten times a code."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from math import inf

import numpy as np
from attrs import define, field

from ftree.data.csv_records import Record
from ftree.data.encoded import Encoded

# About so many cells are texts at a time.
_BLOCK = 1 << 12


@define(eq=False)
class CellColumns:
    """Columns of `width` texts, or, where that is None, of as many as the longest record has without empty ones at its end.

    >>> cells = CellColumns(None)
    >>> cells.take([(1, ["a", "b", ""]), (2, ["a", "c"])])
    >>> [column.tolist() for column in cells.columns()], cells.wrong_length()
    ([['a', 'a'], ['b', 'c']], None)
    """

    fixed: int | None
    width: int = field(init=False)
    n_rows: int = field(default=0, init=False)
    _shortest: float = field(default=inf, init=False)
    _first_of_length: dict[int, int] = field(factory=dict, init=False)
    _codes: list["array[int]"] = field(factory=list, init=False)
    _code_of: list[dict[str, int]] = field(factory=list, init=False)

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
        """The line of the first record of another length than the width, and its length; None where all fit."""
        wrong = [(line, length) for length, line in self._first_of_length.items() if self._is_wrong(length)]
        return min(wrong, default=None)

    def columns(self) -> Iterator[Encoded]:
        """The columns, if all records have the right length."""
        for codes, code_of in zip(self._codes, self._code_of, strict=True):
            yield Encoded(np.frombuffer(codes, np.int32) if codes else np.zeros(0, np.int32), list(code_of))

    def _is_wrong(self, length: int) -> bool:
        return length < self.width or (self.fixed is not None and length > self.width)

    def _fitted(self, block: list[list[str]], number: int, cells: list[str]) -> list[str]:
        """A record without empty cells behind the last column; its length is noted where it may be wrong."""
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
        """As many columns as the width says; new ones are empty in the rows so far."""
        while len(self._codes) < self.width:
            self._codes.append(array("i", bytes(4 * self.n_rows)))
            self._code_of.append({"": 0} if self.n_rows else {})

    def _encode(self, block: list[list[str]]) -> None:
        """Add the codes of some records, unless one has a wrong length, and so there will be no columns."""
        if self._shortest >= self.width == len(self._codes):
            for codes, code_of, cells in zip(self._codes, self._code_of, zip(*block, strict=True), strict=bool(block)):
                for text in dict.fromkeys(cells):
                    code_of.setdefault(text, len(code_of))
                codes.extend(map(code_of.__getitem__, cells))
        block.clear()


def without_empty_end(cells: list[str], width: int) -> list[str]:
    """The cells without empty ones after the first `width`.

    >>> without_empty_end(["a", "", "b", ""], 2), without_empty_end(["a", "", ""], 2)
    (['a', '', 'b'], ['a', ''])
    """
    end = len(cells)
    while end > width and not cells[end - 1]:
        end -= 1
    return cells if end == len(cells) else cells[:end]


def joined_columns(first: Sequence[Encoded], second: Iterable[Encoded]) -> list[Encoded]:
    """The rows of two tables, one after another.

    >>> joined_columns([Encoded(np.array([0]), ["a"])], [Encoded(np.array([1, 0]), ["a", "b"])])[0].tolist()
    ['a', 'b', 'a']
    """
    return list(map(_joined, first, second))


def _joined(first: Encoded, second: Encoded) -> Encoded:
    code_of = {text: code for code, text in enumerate(first.values)}
    table = np.array([code_of.setdefault(text, len(code_of)) for text in second.values], np.int32)
    return Encoded(np.concatenate([first.codes, table[second.codes]]), list(code_of))
