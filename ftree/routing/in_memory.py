"""Columns as kernels read them: by address, stride, type of number and width."""

from collections.abc import Iterable

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree.tree.splits.protocol import Columns

# The types of numbers that kernels read, in the order of their type numbers.
_TYPES = {np.dtype(name): number for number, name in enumerate(("f8", "f4", "i1", "i2", "i4", "i8"))}


@frozen(eq=False)
class InMemory:
    """Addresses, strides in bytes, types and widths of columns, int64 (4, F); it keeps the columns alive."""

    places: Array
    columns: Columns

    @property
    def alike(self) -> bool:
        """Whether there are columns, and all are floats of one type and stride."""
        n_kinds = len(np.unique(self.places[1:], axis=1).T)
        return n_kinds == 1 and self.columns[0].dtype.kind == "f"

    def joined(self) -> "InMemory":
        """The same, with one column as wide as all of them if they belong to an array stored row by row.

        >>> in_memory(np.zeros((4, 2), np.float32).T).joined().places[1:].tolist()
        [[4], [1], [2]]
        """
        if not self.alike:
            return self
        address, stride, kind, _ = self.places
        size, n = self.columns[0].itemsize, len(address)
        row_by_row = stride[0] == n * size and (address - address[0] == size * np.arange(n)).all()
        return evolve(self, places=np.array([[address[0]], [size], [kind[0]], [n]])) if row_by_row else self


def in_memory(columns: Iterable[Array]) -> InMemory:
    """The memory layout of columns; a column of another type or byte order, or with an odd stride, is copied.

    >>> in_memory(np.zeros((4, 2), np.float32).T).places[1:].tolist()
    [[8, 8], [1, 1], [1, 1]]
    """
    kept = tuple(map(_readable, columns))
    places = [(column.__array_interface__["data"][0], *column.strides, _TYPES[column.dtype], 1) for column in kept]
    return InMemory(np.array(places, np.int64).reshape(-1, 4).T.copy(), kept)


def _readable(column: Array) -> Array:
    native = column.dtype.newbyteorder("=")
    wanted = native if native in _TYPES else np.dtype(np.float64 if native.kind == "f" else np.int64)
    return np.require(column, wanted, "A")
