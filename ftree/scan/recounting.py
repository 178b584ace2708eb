"""What is counted again, since the best cut may lie in it: the rows of wanted codes, by code or by value.

The last argument of a function that counts is a part. It can be pickled, and its results are merged.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import Array, run_starts
from ftree.scan.cells import CellLayout, count_cells
from ftree.scan.parts import Part
from ftree.scan.routes import Entries, Routes, rows_at_nodes, whole_rows


@frozen(eq=False)
class Wanted:
    """Codes to count again, each with a number of its own; -1 stands for others.

    A code has the number `number[row, place]` (rows, span): `row` is `row_of_cell` (m, width) at its node and cell, and `place`
    that in the cell.
    Invariant: the numbers are 0 to `n` - 1, each of one code of a numeric feature at one node; no missing value has a number.

    >>> layout = CellLayout.of(np.array([5]), np.array([0]), most=3)
    >>> wanted = Wanted.of_codes(layout, 1, np.array([0, 0]), np.array([0, 0]), np.array([4, 2]))
    >>> wanted.row_of_cell.tolist(), wanted.number.tolist()
    ([[-1, 0, 1, -1]], [[1, -1], [0, -1]])
    >>> wanted.numbers_of(layout, np.zeros(6, int), 0, np.arange(6)).tolist()
    [-1, -1, 1, -1, 0, -1]
    """

    row_of_cell: Array
    number: Array

    @staticmethod
    def of_codes(layout: CellLayout, n_nodes: int, node: Array, feature: Array, code: Array) -> "Wanted":
        """Codes of nodes and numeric features, numbered as they are given."""
        cells, of = np.unique(node * layout.width + layout.cells(code, feature), return_inverse=True)
        number = np.full((len(cells), layout.span), -1, dtype=np.int32)
        number[of, layout.places(code, feature)] = np.arange(len(code))
        return Wanted._of(layout, n_nodes, cells, number)

    @staticmethod
    def of_cells(layout: CellLayout, n_nodes: int, node: Array, feature: Array, code: Array) -> "Wanted":
        """All codes of the cells in which the given codes are: `span` numbers for each cell, in the order of the cells."""
        n = len(code) * layout.span
        number = np.arange(n, dtype=np.int32).reshape(-1, layout.span)
        return Wanted._of(layout, n_nodes, node * layout.width + layout.cells(code, feature), number)

    @staticmethod
    def _of(layout: CellLayout, n_nodes: int, cells: Array, number: Array) -> "Wanted":
        row = np.full(n_nodes * layout.width, -1, dtype=np.int32)
        row[cells] = np.arange(len(cells))
        return Wanted(row.reshape(n_nodes, layout.width), number)

    @property
    def n(self) -> int:
        """How many codes have a number."""
        return int(self.number.max(initial=-1)) + 1

    def features(self, layout: CellLayout) -> list[int]:
        """The numeric features with a wanted cell."""
        numeric = np.flatnonzero(layout.numeric >= 0).tolist()
        columns = np.split(self.row_of_cell, layout.first[1:-1], axis=1)
        return [feature for feature in numeric if (columns[feature] >= 0).any()]

    def numbers_of(self, layout: CellLayout, node: Array, feature: int, codes: Array) -> Array:
        """The number of each code of a feature at a node, -1 for one that is not wanted."""
        row = np.where(codes == layout.n_codes[feature], -1, self.row_of_cell[node, layout.cells(codes, feature)])
        number = np.full(len(codes), -1, dtype=np.int32)
        known = np.flatnonzero(row >= 0)
        number[known] = self.number[row[known], layout.places(codes[known], feature)]
        return number


# Wanted codes by class


def code_counts(routes: Routes, layout: CellLayout, wanted: Wanted, n_classes: int, part: Part) -> Array:
    """Class counts of wanted codes, (n, K)."""
    number, row, weights = _joined_rows(_wanted_rows(routes, layout, wanted, part))
    return count_cells(number, part.labels[row], weights, wanted.n, n_classes)


class _WantedRows(NamedTuple):
    """The rows of a part with a wanted code of one feature: its line in `Part.numbers`; each number, row and weight (None: 1)."""

    line: int
    number: Array
    row: Array
    weights: Array | None


def _wanted_rows(routes: Routes, layout: CellLayout, wanted: Wanted, part: Part) -> list[_WantedRows]:
    """The rows of a part with a wanted code of their node, feature by feature."""
    node, divided = rows_at_nodes(routes, part)
    if native.is_here():
        whole = _rows_by_library(layout, wanted, part, node)
    else:
        whole = _rows_of_entries(layout, wanted, part, whole_rows(node))
    return [*_rows_of_entries(layout, wanted, part, divided), *whole]


def _rows_of_entries(layout: CellLayout, wanted: Wanted, part: Part, entries: Entries) -> Iterator[_WantedRows]:
    """The entries of a part with a wanted code."""
    weights = entries.weights(part)
    for feature in np.flatnonzero(layout.numeric >= 0).tolist():
        number = wanted.numbers_of(layout, entries.node, feature, part.codes[feature, entries.row].astype(np.int64))
        taken = np.flatnonzero(number >= 0)
        own = None if weights is None else weights[taken]
        yield _WantedRows(int(layout.numeric[feature]), number[taken], entries.row[taken], own)


def _rows_by_library(layout: CellLayout, wanted: Wanted, part: Part, node: Array) -> Iterator[_WantedRows]:
    """The rows with a wanted code among those that have arrived undivided, by the native library."""
    (codes, size), row, number = part.code_bytes(), np.empty(len(part), np.int64), np.empty(len(part), np.int32)
    arrays = native.aligned(wanted.row_of_cell, wanted.number)
    for feature in wanted.features(layout):
        own = layout.n_codes[feature], layout.shift[feature], layout.first[feature], *arrays
        n = native.call("wanted_rows", codes[feature], size, node, *own, row, number)
        rows = row[:n].copy()
        weights = None if part.weights is None else part.weights[rows]
        yield _WantedRows(int(layout.numeric[feature]), number[:n].copy(), rows, weights)


def _joined_rows(found: Sequence[_WantedRows]) -> tuple[Array, Array, Array | None]:
    """The numbers, rows and weights of all features together."""
    _, numbers, rows, weights = zip(*found, strict=True)
    some = any(own is not None and len(own) for own in weights)
    every = [np.ones(len(row), dtype=np.int64) if own is None else own for own, row in zip(weights, rows, strict=True)]
    return np.concatenate(numbers), np.concatenate(rows), np.concatenate(every) if some else None


# Wanted codes by value and class


class Values(NamedTuple):
    """Cases of wanted codes by value and class: the code's number, the value, the class and the cases, (n,) each.

    Invariant: they are in order of number, value and class, and no two have all three the same.
    """

    number: Array
    value: Array
    label: Array
    cases: Array

    @staticmethod
    def summed(number: Array, value: Array, label: Array, cases: Array) -> "Values":
        """Sums of the cases of equal values of one class and code.

        >>> Values.summed(np.array([1, 0, 1]), np.array([2.0, 3.0, 2.0]), np.array([0, 0, 0]), np.array([1, 1, 4])).cases.tolist()
        [1, 5]
        """
        order = np.lexsort((label, value, number))
        number, value, label, cases = number[order], value[order], label[order], cases[order]
        starts = run_starts(number, value, label)
        return Values(number[starts], value[starts], label[starts], np.add.reduceat(cases, starts) if len(starts) else cases)

    def taken(self, rows: slice) -> "Values":
        """Some of them."""
        return Values(*(each[rows] for each in self))


def value_counts(routes: Routes, layout: CellLayout, wanted: Wanted, part: Part) -> tuple[Values, ...]:
    """The values of wanted codes, with their cases by class."""
    found = _wanted_rows(routes, layout, wanted, part)
    number, row, weights = _joined_rows(found)
    value = np.concatenate([part.numbers[own.line, own.row] for own in found])
    return (Values.summed(number, value, part.labels[row], np.ones(len(row), np.int64) if weights is None else weights),)


# Values of this many rows wait to be summed; more only if as many have been summed before.
_WAITING = 1_000_000


def merged_values(one: tuple[Values, ...], other: tuple[Values, ...]) -> tuple[Values, ...]:
    """The values of both; they are summed when this at least halves them, since it sorts all of them."""
    pieces = one + other
    sizes = [len(piece.number) for piece in pieces]
    return pieces if sum(sizes) - max(sizes) < max(_WAITING, *sizes) else (_joined(pieces),)


def values_of_codes(pieces: tuple[Values, ...], first: int, last: int, n_classes: int) -> tuple[Array, Array, Array]:
    """The values of the codes numbered from `first` to `last` - 1: the code's number, the value, and class counts (n, K)."""
    found = _joined([piece.taken(slice(*np.searchsorted(piece.number, [first, last]))) for piece in pieces])
    starts = np.zeros(len(found.number), dtype=bool)
    starts[run_starts(found.number, found.value)] = True
    counts = np.zeros((int(starts.sum()), n_classes), dtype=found.cases.dtype)
    counts[np.cumsum(starts) - 1, found.label] = found.cases
    return found.number[starts].astype(np.int64), found.value[starts], counts


def _joined(pieces: tuple[Values, ...] | list[Values]) -> Values:
    return Values.summed(*map(np.concatenate, zip(*pieces, strict=True)))
