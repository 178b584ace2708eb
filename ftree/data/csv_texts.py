"""A column of texts as codes, while a file is read.

Python takes 60 bytes for a short text, and 100 more for its code in a dictionary. So the texts of a column with many distinct
ones are packed piece by piece, and sorted once they are all there.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from functools import partial
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from attrs import define, field

from ftree._lib.arrays import Array
from ftree.data.encoded import Encoded

# A dictionary of so many texts is packed, or of an eighth of those that are packed: so there are few pieces to merge.
_MANY = 1 << 12
_SHARE = 8

# The distinct texts of some rows in one, where each of them ends, and the code of each row.
Piece: TypeAlias = tuple[bytes, Array, Array]


@define(eq=False)
class TextCells:
    """A column of texts, as far as it is read: packed pieces, then the code of each text and the codes of rows.

    >>> cells = TextCells()
    >>> cells.add(["b", "a", "b"])
    >>> cells.whole()
    Encoded(codes=array([0, 1, 0], dtype=int32), values=['b', 'a'], ordered=None)
    """

    code_of: dict[str, int] = field(factory=dict)
    codes: "array[int]" = field(factory=lambda: array("i"))
    _pieces: list[Piece] = field(factory=list, init=False)
    _n_packed: int = field(default=0, init=False)

    def add(self, cells: Iterable[str]) -> None:
        """Add cells at the end."""
        for text in dict.fromkeys(cells):
            self.code_of.setdefault(text, len(self.code_of))
        self.codes.extend(map(self.code_of.__getitem__, cells))
        if len(self.code_of) > max(_MANY, self._n_packed // _SHARE):
            self._pack()

    def whole(self) -> Encoded:
        """The whole column; its texts are sorted where they are many."""
        if self._pieces:
            self._pack()
            return merged(self._pieces)
        return Encoded(np.array(self.codes, np.int32), list(self.code_of))

    def _pack(self) -> None:
        self._pieces.append(packed(self.code_of, np.array(self.codes, np.int32)))
        self._n_packed += len(self.code_of)
        self.code_of, self.codes = {}, array("i")


def packed(texts: Iterable[str], codes: Array) -> Piece:
    """Distinct texts and codes of rows as a piece."""
    listed = list(texts)
    return "".join(listed).encode(), np.cumsum([0, *map(len, listed)], dtype=np.int32), codes


def merged(pieces: list[Piece]) -> Encoded:
    """The rows of pieces, one after another, with sorted texts; the pieces are used up.

    >>> merged([packed(["b"], np.array([0])), packed(["a", "b"], np.array([1, 0, 1]))])
    Encoded(codes=array([1, 1, 0, 1], dtype=int32), values=['a', 'b'], ordered=None)
    """
    texts: list[str] = []
    for content, ends, _ in pieces:
        texts += _texts(content, ends)
        texts.sort()
        texts = list(map(itemgetter(0), groupby(texts)))
    codes = np.empty(sum(len(own) for *_, own in pieces), np.int32)
    end = len(codes)
    while pieces:
        content, ends, own = pieces.pop()
        codes[end - len(own) : end] = _places(_texts(content, ends), texts)[own]
        end -= len(own)
    return Encoded(codes, texts)


def _texts(content: bytes, ends: Array) -> list[str]:
    whole = content.decode()
    return [whole[begin:end] for begin, end in pairwise(ends.tolist())]


def _places(some: list[str], texts: list[str]) -> Array:
    """Where each of some texts stands among all, which are sorted."""
    return np.fromiter(map(partial(bisect_left, texts), some), np.int32, len(some))
