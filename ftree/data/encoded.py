"""A column as codes of its distinct values, like a dictionary-encoded column of Arrow or a categorical one of pandas.

Each distinct value is examined once, whatever the number of rows, and no Python object is made for a cell.
"""

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array

# An odd number without a pattern: it spreads the bits of characters over all bits of a hash.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
# Texts of this many bytes stay in the cache while they are hashed.
_BLOCK = 1 << 20


@frozen(eq=False)
class Encoded:
    """Codes of rows, -1 for null, and the values by code; some values may occur in no row.

    `ordered` is True for ordered categories, False for unordered ones, None for values that are not categories.

    >>> column = Encoded(np.array([1, -1, 1]), ["a", "b"])
    >>> column.tolist(), column.counts()
    (['b', None, 'b'], {'b': 2})
    """

    codes: Array
    values: Sequence[Any]
    ordered: bool | None = None

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def __iter__(self) -> Iterator[Any]:
        """The values of the rows, None for null."""
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The values of the rows, None for null."""
        listed = [*self.values, None]
        return [listed[code] for code in self.codes.tolist()]

    def present(self) -> list[int]:
        """The codes that have rows, in order, without that of null."""
        return np.flatnonzero(self._times).tolist()

    def distinct(self) -> set[Any]:
        """The values that have rows, and None if a row has null; values must be hashable."""
        return {self.values[code] for code in self.present()} | ({None} if (self.codes < 0).any() else set())

    def counts(self) -> dict[Hashable, int]:
        """The number of rows of each value that has rows; values must be hashable."""
        found: dict[Hashable, int] = {}
        for value, times in zip(self.values, self._times.tolist(), strict=True):
            if times:
                found[value] = found.get(value, 0) + times
        return found

    def take(self, table: Sequence[Any] | Array) -> Array:
        """The entry of each row's code in a table, whose last entry is for null.

        >>> Encoded(np.array([1, -1, 0]), ["a", "b"]).take([10, 20, -1]).tolist()
        [20, -1, 10]
        """
        return np.asarray(table)[self.codes]

    @cached_property
    def _times(self) -> Array:
        """The number of rows of each code."""
        return np.bincount(np.asarray(self.codes, dtype=np.intp) + 1, minlength=len(self.values) + 1)[1:]


def encoded_booleans(array: Any) -> Encoded:
    """An array of booleans, masked or not, as codes.

    >>> encoded_booleans(np.ma.array([True, False], mask=[False, True])).tolist()
    [True, None]
    """
    codes = np.ma.getdata(array).astype(np.int8)
    if isinstance(array, np.ma.MaskedArray):
        codes[np.ma.getmaskarray(array)] = -1
    return Encoded(codes, [False, True])


def encoded_numbers(array: Any) -> Encoded:
    """An array of numbers, masked or not, as codes of its distinct numbers.

    >>> encoded_numbers(np.array([7, 3, 7])).values
    [3, 7]
    """
    numbers, codes = np.unique(np.ma.getdata(array), return_inverse=True)
    if isinstance(array, np.ma.MaskedArray):
        codes[np.ma.getmaskarray(array)] = -1
    return Encoded(codes, numbers.tolist())


def encoded_text_array(array: Any) -> Encoded:
    """An array of texts of a fixed length (numpy's dtype `U`), masked or not, as codes of its distinct texts.

    >>> encoded_text_array(np.array(["b", "a", "b"])).tolist()
    ['b', 'a', 'b']
    """
    texts = np.ascontiguousarray(np.ma.getdata(array))
    step = 1 + _BLOCK // texts.itemsize
    blocks = [slice(begin, begin + step) for begin in range(0, len(texts), step)]
    hashes = np.concatenate([np.zeros(0, np.uint64), *(_hashes(texts[block]) for block in blocks)])
    _, first, codes = np.unique(hashes, return_index=True, return_inverse=True)
    distinct = texts[first]
    if any((distinct[codes[block]] != texts[block]).any() for block in blocks):  # different texts have the same hash
        distinct, codes = np.unique(texts, return_inverse=True)
    if isinstance(array, np.ma.MaskedArray):
        codes[np.ma.getmaskarray(array)] = -1
    return Encoded(codes, distinct.tolist())


def _hashes(texts: Array) -> Array:
    """A hash of each text, computed from its characters as numbers: hashes are sorted much faster than texts."""
    hashes = np.zeros(len(texts), np.uint64)
    for characters in texts.view(np.uint32).reshape(len(texts), texts.itemsize // 4).T:
        hashes *= _FACTOR
        hashes += characters
    return hashes
