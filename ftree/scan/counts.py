"""The counts of a part: functions whose last argument is a part, which can be pickled, and whose results can be merged.

These functions count all rows of the open nodes, as `cell_counts` does first in a level; `wanted` counts some of them again.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import Array, offsets, require_room_for_counts, run_starts
from ftree._lib.arrays import class_counts_of_cells as counted
from ftree.scan.parts import Part
from ftree.scan.routes import Entries, Routes, rows_at_nodes, whole_rows


@frozen(eq=False)
class CellLayout:
    """The cells in which a node's rows are counted: those of each feature, from `first` (F + 1,) on, stand one after another.

    A cell has 2 ** `shift` (F,) codes, and the last cell of a feature is for missing values. `n_codes` (F,) and
    `numeric` (F,) are those of the source.

    Of two features, the first has the codes 0 to 4, in cells of two, and the second the codes 0 to 2:

    >>> layout = CellLayout.of(np.array([5, 3]), np.array([0, -1]), most=3)
    >>> layout.cells(np.arange(6), 0).tolist(), layout.cells(np.arange(4), 1).tolist()
    ([0, 0, 1, 1, 2, 3], [4, 5, 6, 7])
    >>> [each.tolist() for each in layout.codes_of(np.array([1, 2, 3, 6]))]
    [[0, 0, 0, 1], [2, 4, 5, 2], [3, 4, 5, 2]]
    """

    n_codes: Array
    numeric: Array
    shift: Array
    first: Array

    @staticmethod
    def of(n_codes: Array, numeric: Array, most: int) -> "CellLayout":
        """Cells for a source, at most `most` for a numeric feature in addition to that of missing values."""
        needed = np.ceil(np.log2(np.maximum(n_codes, 1) / most)).astype(np.int64)
        shift = np.where(numeric >= 0, np.maximum(needed, 0), 0)
        sizes = ((np.maximum(n_codes, 1) - 1) >> shift) + 2
        return CellLayout(n_codes, numeric, shift, offsets(sizes))

    @property
    def width(self) -> int:
        """Number of cells of a node."""
        return int(self.first[-1])

    @property
    def span(self) -> int:
        """Number of codes of the largest cell."""
        return 1 << int(self.shift.max(initial=0))

    def cells(self, codes: Array, feature: Array | int) -> Array:
        """The cell of each code of a feature, or of its own feature."""
        cells: Array = np.where(
            codes == self.n_codes[feature], self.first[feature + 1] - 1, self.first[feature] + (codes >> self.shift[feature])
        )
        return cells

    def places(self, codes: Array, feature: Array | int) -> Array:
        """The place of each code within its cell."""
        places: Array = codes & ((1 << self.shift[feature]) - 1)
        return places

    def codes_of(self, cell: Array) -> tuple[Array, Array, Array]:
        """The feature of each cell, its first code and its last one."""
        feature = np.searchsorted(self.first, cell, side="right") - 1
        code, missing = (cell - self.first[feature]) << self.shift[feature], self.n_codes[feature]
        code = np.where(cell == self.first[feature + 1] - 1, missing, code)
        last = np.minimum(code + (1 << self.shift[feature]), missing) - 1
        return feature, code, np.maximum(code, last)


def totals_of(routes: Routes, n_classes: int, part: Part) -> Array:
    """Class counts of the open nodes, (m, K)."""
    node, divided = rows_at_nodes(routes, part)
    counts = _totals(whole_rows(node), part, (routes.n_open, n_classes))
    return counts + _totals(divided, part, counts.shape) if len(divided.row) else counts


def _totals(entries: Entries, part: Part, shape: tuple[int, ...]) -> Array:
    return count_cells(entries.node, part.labels[entries.row], entries.weights(part), *shape)


def cell_counts(routes: Routes, layout: CellLayout, n_classes: int, part: Part) -> Array:
    """Class counts of the cells of the open nodes, (m, width, K)."""
    node, divided = rows_at_nodes(routes, part)
    counts = np.zeros((routes.n_open, layout.width, n_classes), dtype=np.int64)
    if native.is_here():
        weights = np.zeros(0, np.int64) if part.weights is None else np.ascontiguousarray(part.weights, np.int64)
        rows = *part.code_bytes(), np.ascontiguousarray(part.labels, np.int32), weights, node
        native.call("count_cells", *rows, *native.aligned(layout.n_codes, layout.shift, layout.first), counts)
    else:
        counts = _with_entries(counts, layout, part, whole_rows(node))
    return _with_entries(counts, layout, part, divided)


def _with_entries(counts: Array, layout: CellLayout, part: Part, entries: Entries) -> Array:
    """The counts (m, width, K) and those of entries, which are counted in the cells of one feature after another."""
    if not len(entries.row) or not len(part.codes):
        return counts
    (m, width, n_classes), weights, labels, added = counts.shape, entries.weights(part), part.labels[entries.row], []
    require_room_for_counts(m * width, n_classes, copies=3.0)  # those of each feature, of all features, and the sum
    for feature, codes in enumerate(part.codes[:, entries.row].astype(np.int64)):
        first, last = layout.first[feature : feature + 2].tolist()
        cells = entries.node * (last - first) + layout.cells(codes, feature) - first
        added.append(count_cells(cells, labels, weights, m * (last - first), n_classes).reshape(m, last - first, n_classes))
    total: Array = counts + np.concatenate(added, axis=1)
    return total


def count_cells(cells: Array, labels: Array, weights: Array | None, n_cells: int, n_classes: int) -> Array:
    """Class counts of cells, (n_cells, K): whole numbers, unless an entry is a fraction."""
    counts = counted(cells, labels, weights, n_cells, n_classes)
    return counts if weights is not None and weights.dtype.kind == "f" else counts.astype(np.int64)


# Codes and values that are counted again, since a winning cut may lie among them.


class _Found(NamedTuple):
    """Wanted codes of a feature in a part: its line in `Part.numbers`, the codes' numbers, rows and weights (None: all are 1)."""

    line: int
    number: Array
    row: Array
    weights: Array | None


@frozen(eq=False)
class Wanted:
    """Codes to count again, each with a number; -1 stands for others.

    A code has the number `code[c, place]` (n, span): `c` is `cell` (m, width) at its node and cell, and `place` that in the cell.

    >>> layout = CellLayout.of(np.array([5]), np.array([0]), most=3)
    >>> wanted = Wanted.of_codes(layout, 1, np.array([0, 0]), np.array([0, 0]), np.array([4, 2]))
    >>> wanted.cell.tolist(), wanted.code.tolist()
    ([[-1, 0, 1, -1]], [[1, -1], [0, -1]])
    >>> wanted.numbers(layout, np.zeros(6, int), 0, np.arange(6)).tolist()
    [-1, -1, 1, -1, 0, -1]
    """

    cell: Array
    code: Array

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
        cell = np.full(n_nodes * layout.width, -1, dtype=np.int32)
        cell[cells] = np.arange(len(cells))
        return Wanted(cell.reshape(n_nodes, layout.width), number)

    @property
    def n(self) -> int:
        """How many codes have a number."""
        return int(self.code.max(initial=-1)) + 1

    def features(self, layout: CellLayout) -> list[int]:
        """The numeric features with a wanted cell."""
        numeric = np.flatnonzero(layout.numeric >= 0).tolist()
        return [feature for feature in numeric if (self.cell[:, layout.first[feature] : layout.first[feature + 1]] >= 0).any()]

    def numbers(self, layout: CellLayout, node: Array, feature: int, codes: Array) -> Array:
        """The number of each code of a feature at a node, -1 for one that is not wanted."""
        cell = np.where(codes == layout.n_codes[feature], -1, self.cell[node, layout.cells(codes, feature)])
        number = np.full(len(codes), -1, dtype=np.int32)
        known = np.flatnonzero(cell >= 0)
        number[known] = self.code[cell[known], layout.places(codes[known], feature)]
        return number


def code_counts(routes: Routes, layout: CellLayout, wanted: Wanted, n_classes: int, part: Part) -> Array:
    """Class counts of wanted codes, (n, K)."""
    number, row, weights = _joined_wanted(_found(routes, layout, wanted, part))
    return count_cells(number, part.labels[row], weights, wanted.n, n_classes)


class Values(NamedTuple):
    """Cases of wanted codes by value and class: the code's number, the value, the class and the cases, (n,) each, in order."""

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
    found = _found(routes, layout, wanted, part)
    number, row, weights = _joined_wanted(found)
    value = np.concatenate([part.numbers[own.line, own.row] for own in found] or [np.zeros(0)])
    return (Values.summed(number, value, part.labels[row], np.ones(len(row), np.int64) if weights is None else weights),)


def _found(routes: Routes, layout: CellLayout, wanted: Wanted, part: Part) -> list[_Found]:
    node, divided = rows_at_nodes(routes, part)
    whole = _of_rows(layout, wanted, part, node) if native.is_here() else _of_entries(layout, wanted, part, whole_rows(node))
    return [*_of_entries(layout, wanted, part, divided), *whole]


def _of_entries(layout: CellLayout, wanted: Wanted, part: Part, entries: Entries) -> Iterator[_Found]:
    """Wanted codes among the entries of a part, feature by feature."""
    weights = entries.weights(part)
    for feature in np.flatnonzero(layout.numeric >= 0).tolist():
        number = wanted.numbers(layout, entries.node, feature, part.codes[feature, entries.row].astype(np.int64))
        taken = np.flatnonzero(number >= 0)
        own = None if weights is None else weights[taken]
        yield _Found(int(layout.numeric[feature]), number[taken], entries.row[taken], own)


def _of_rows(layout: CellLayout, wanted: Wanted, part: Part, node: Array) -> Iterator[_Found]:
    """Wanted codes among the rows that have arrived undivided, by the native library."""
    (codes, size), row, number = part.code_bytes(), np.empty(len(part), np.int64), np.empty(len(part), np.int32)
    arrays = native.aligned(wanted.cell, wanted.code)
    for feature in wanted.features(layout):
        own = layout.n_codes[feature], layout.shift[feature], layout.first[feature], *arrays
        n = native.call("wanted_rows", codes[feature], size, node, *own, row, number)
        rows = row[:n].copy()
        weights = None if part.weights is None else part.weights[rows]
        yield _Found(int(layout.numeric[feature]), number[:n].copy(), rows, weights)


def _joined_wanted(found: Sequence[_Found]) -> tuple[Array, Array, Array | None]:
    """The numbers, rows and weights of wanted codes."""
    _, numbers, rows, weights = zip(*found, strict=True)
    some = any(own is not None and len(own) for own in weights)
    every = [np.ones(len(row), dtype=np.int64) if own is None else own for own, row in zip(weights, rows, strict=True)]
    return np.concatenate(numbers), np.concatenate(rows), np.concatenate(every) if some else None


# Values of this many rows wait to be summed; more only if as many have been summed before.
_WAITING = 1_000_000


def merged_values(one: tuple[Values, ...], other: tuple[Values, ...]) -> tuple[Values, ...]:
    """The values of both; they are summed when this at least halves them, since it sorts all of them."""
    pieces = one + other
    sizes = [len(piece.number) for piece in pieces]
    return pieces if sum(sizes) - max(sizes) < max(_WAITING, *sizes) else (_joined(pieces),)


def values_of_codes(pieces: tuple[Values, ...], first: int, last: int, n_classes: int) -> tuple[Array, Array, Array]:
    """The values of the codes numbered from `first` to `last` - 1: the number from `first` on, the value, class counts (n, K)."""
    found = _joined([piece.taken(slice(*np.searchsorted(piece.number, [first, last]))) for piece in pieces])
    starts = np.zeros(len(found.number), dtype=bool)
    starts[run_starts(found.number, found.value)] = True
    counts = np.zeros((int(starts.sum()), n_classes), dtype=found.cases.dtype)
    counts[np.cumsum(starts) - 1, found.label] = found.cases
    return found.number[starts].astype(np.int64) - first, found.value[starts], counts


def _joined(pieces: tuple[Values, ...] | list[Values]) -> Values:
    return Values.summed(*map(np.concatenate, zip(*pieces, strict=True)))
