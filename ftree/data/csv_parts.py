"""Columns of a delimited file that grow block by block: floats, or codes of texts."""

from collections.abc import Collection, Hashable
from typing import Any, TypeAlias

import numpy as np
from attrs import define, field, frozen

from ftree._lib.arrays import Array
from ftree.data.csv_blocks import Irregular
from ftree.data.encoded import Encoded
from ftree.data.values import in_order

_ASCII_BLANKS = " \t\n\r\x0b\x0c"


@frozen(eq=False)
class Numbers:
    """A column of floats, NaN where a value is missing, and the texts for missing that occurred."""

    floats: Array
    missing: Collection[Hashable] = ()


# A block's part of a column: floats, or the distinct texts and the code of each row.
Part: TypeAlias = "Numbers | tuple[list[str], Array]"


@define(eq=False)
class FloatColumn:
    """A column of numbers, as far as it has been read."""

    cells: list[Array] = field(factory=list)
    missing: set[Hashable] = field(factory=set)

    def add(self, part: Part) -> bool:
        """Add a block's cells; False if they are texts."""
        if not isinstance(part, Numbers):
            return False
        self.cells.append(part.floats)
        self.missing.update(part.missing)
        return True

    def is_unknown(self) -> bool:
        """Whether all cells are missing."""
        return bool(self.missing) and all(bool(np.isnan(each).all()) for each in self.cells)

    def whole(self) -> Numbers:
        """The whole column; minus zero is zero, as it is as a whole number."""
        floats, end = np.empty(sum(map(len, self.cells))), 0
        for cells in self.cells:
            begin, end = end, end + len(cells)
            np.add(cells, 0.0, out=floats[begin:end])
        return Numbers(floats, in_order(self.missing))


@define(eq=False)
class TextColumn:
    """A column of texts, as far as it has been read: the code of each stripped text, and the codes of rows."""

    cells: list[Array] = field(factory=list)
    code_of: dict[str, int] = field(factory=dict)

    def add(self, part: Any) -> bool:
        """Add a block's cells."""
        texts, codes = part
        self.cells.append(np.array(list(map(self._code, texts)), dtype=np.int32)[codes])
        return True

    def is_unknown(self) -> bool:
        """False: a column of texts need not be read again."""
        return False

    def whole(self) -> Encoded:
        """The whole column."""
        return Encoded(np.concatenate(self.cells), list(self.code_of))

    def _code(self, cell: str) -> int:
        text = cell.strip()
        if not text and cell.strip(_ASCII_BLANKS):
            raise Irregular  # a blank record that the search for blank records cannot find
        return self.code_of.setdefault(text, len(self.code_of))
