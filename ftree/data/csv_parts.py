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
    """A column of floats, NaN where it is missing, and the texts that stood there."""

    floats: Array
    missing: Collection[Hashable] = ()


# A block's part of a column: floats, or the distinct texts and the code of each row.
Part: TypeAlias = "Numbers | tuple[list[str], Array]"


@define(eq=False)
class GrowingArray:
    """An array that takes values at its end; room is doubled, so that all are in memory once, and nearly all are written once.

    >>> growing = GrowingArray(np.zeros(0))
    >>> growing.add(np.array([1.0, 2.0]))
    >>> growing.whole()
    array([1., 2.])
    """

    room: Array
    size: int = 0

    def add(self, values: Array) -> None:
        """Add values at the end."""
        end = self.size + len(values)
        if end > len(self.room):
            larger = np.empty(2 * end, dtype=self.room.dtype)
            larger[: self.size] = self.whole()
            self.room = larger
        self.room[self.size : end] = values
        self.size = end

    def whole(self) -> Array:
        """All values."""
        return self.room[: self.size]


@define(eq=False)
class FloatColumn:
    """A column of numbers, as far as it is read."""

    cells: GrowingArray = field(factory=lambda: GrowingArray(np.empty(0)))
    missing: set[Hashable] = field(factory=set)

    def add(self, part: Part) -> bool:
        """Add a block's cells; False where they are texts."""
        if not isinstance(part, Numbers):
            return False
        self.cells.add(part.floats)
        self.missing.update(part.missing)
        return True

    def is_unknown(self) -> bool:
        """Whether all cells are missing."""
        return bool(self.missing) and bool(np.isnan(self.cells.whole()).all())

    def whole(self) -> Numbers:
        """The whole column."""
        return Numbers(self.cells.whole(), in_order(self.missing))


@define(eq=False)
class TextColumn:
    """A column of texts, as far as it is read: the code of each text without blanks around it, and the codes of rows."""

    cells: GrowingArray = field(factory=lambda: GrowingArray(np.empty(0, dtype=np.int32)))
    code_of: dict[str, int] = field(factory=dict)

    def add(self, part: Any) -> bool:
        """Add a block's cells."""
        texts, codes = part
        self.cells.add(np.array(list(map(self._code, texts)), dtype=np.int32)[codes])
        return True

    def is_unknown(self) -> bool:
        """False, since it can stay as it is."""
        return False

    def whole(self) -> Encoded:
        """The whole column."""
        return Encoded(self.cells.whole(), list(self.code_of))

    def _code(self, cell: str) -> int:
        text = cell.strip()
        if not text and cell.strip(_ASCII_BLANKS):
            raise Irregular  # a blank that the search for blank records does not see
        return self.code_of.setdefault(text, len(self.code_of))
