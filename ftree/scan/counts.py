"""The counts of a part: functions whose last argument is a part, which can be pickled, and whose results can be merged.

These functions count all rows of the open nodes, as `cell_counts` does first in a level; `wanted` counts some of them again.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, run_starts
from ftree._lib.arrays import class_counts_of_cells as counted
from ftree.scan.batches import fold_answers
from ftree.scan.parts import CellLayout, Part
from ftree.scan.routes import Entries, Routes, rows_at_nodes


def totals_of(routes: Routes, numeric: Array, n_classes: int, part: Part) -> Array:
    """Class counts of the open nodes, (m, K)."""
    node, entries = rows_at_nodes(routes, part, numeric)
    counts = count_cells(entries.node, part.labels[entries.row], entry_weights(entries, part), routes.n_open, n_classes)
    if node is not None:
        from ftree.scan.count_kernels import count_totals  # noqa: PLC0415  # loads numba

        count_totals(part.labels, whole_weights_of(part), node, counts)
    return counts


def cell_counts(routes: Routes, layout: CellLayout, n_classes: int, part: Part) -> Array:
    """Class counts of the cells of the open nodes, (m, width, K)."""
    node, entries = rows_at_nodes(routes, part, layout.numeric)
    counts = _cells_of_entries(layout, part, entries, (routes.n_open, layout.width, n_classes))
    if node is not None:
        from ftree.scan.count_kernels import count_cells  # noqa: PLC0415  # loads numba

        weights = whole_weights_of(part)
        count_cells(part.codes, part.labels, weights, node, layout.n_codes, layout.shift, layout.first, counts)
    return counts


def _cells_of_entries(layout: CellLayout, part: Part, entries: Entries, shape: tuple[int, int, int]) -> Array:
    weights, labels, (m, width, n_classes) = entry_weights(entries, part), part.labels[entries.row], shape
    if not labels.size or not part.codes.size:
        return np.zeros(shape, dtype=np.int64)
    codes = part.codes[:, entries.row].astype(np.int64)
    cells = (entries.node * width + layout.cells(own, feature) for feature, own in enumerate(codes))
    return fold_answers((count_cells(own, labels, weights, m * width, n_classes) for own in cells), np.add).reshape(shape)


def whole_weights_of(part: Part) -> Array:
    """The weights of the rows as kernels take them: an empty array if all are 1."""
    return np.zeros(0, dtype=np.int64) if part.weights is None else part.weights


def entry_weights(entries: Entries, part: Part) -> Array | None:
    """The weight of each entry: the weight of its row times its fraction; None if all are 1."""
    if part.weights is None:
        return entries.fraction
    weights: Array = part.weights[entries.row]
    return weights if entries.fraction is None else weights * entries.fraction


def count_cells(cells: Array, labels: Array, weights: Array | None, n_cells: int, n_classes: int) -> Array:
    """Class counts of cells, (n_cells, K): whole numbers, unless an entry is a fraction."""
    counts = counted(cells, labels, weights, n_cells, n_classes)
    return counts if weights is not None and weights.dtype.kind == "f" else counts.astype(np.int64)


# Codes and values that are counted again, since a winning cut may lie among them.


# Wanted codes in a part: their number, and the class, weight (None: all are 1) and value of the rows that have them.
_Found: TypeAlias = tuple[Array, Array, Array | None, Array]


@frozen(eq=False)
class Wanted:
    """Codes to count again, by number, -1 for others: the cells in `cell` (m, width), the codes of each in `code` (n, span)."""

    cell: Array
    code: Array

    def features(self, layout: CellLayout) -> list[int]:
        """The numeric features with a wanted cell."""
        numeric = np.flatnonzero(layout.numeric >= 0).tolist()
        return [feature for feature in numeric if (self.cell[:, layout.first[feature] : layout.first[feature + 1]] >= 0).any()]


def code_counts(routes: Routes, layout: CellLayout, wanted: Wanted, n_classes: int, part: Part) -> Array:
    """Class counts of wanted codes, (n, K)."""
    (node, entries), n_codes = rows_at_nodes(routes, part, layout.numeric), int(wanted.code.max(initial=-1)) + 1
    number, labels, weights, _ = _joined_wanted([*_of_entries(layout, wanted, part, entries)])
    counts = count_cells(number, labels, weights, n_codes, n_classes)
    if node is not None:
        from ftree.scan.count_kernels import count_codes  # noqa: PLC0415  # loads numba

        for feature in wanted.features(layout):
            given = (layout.n_codes, layout.shift, layout.first, wanted.cell, wanted.code, feature)
            count_codes(part.codes, part.labels, whole_weights_of(part), node, *given, counts)
    return counts


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
    node, entries = rows_at_nodes(routes, part, layout.numeric)
    found = [*_of_entries(layout, wanted, part, entries)]
    if node is not None:
        found += _of_rows(layout, wanted, part, node)
    number, labels, weights, value = _joined_wanted(found)
    return (Values.summed(number, value, labels, np.ones(len(labels), dtype=np.int64) if weights is None else weights),)


def _of_entries(layout: CellLayout, wanted: Wanted, part: Part, entries: Entries) -> Iterator[_Found]:
    """Wanted codes among the entries of a part, feature by feature."""
    weights = entry_weights(entries, part)
    for feature in np.flatnonzero(layout.numeric >= 0).tolist():
        codes = part.codes[feature, entries.row].astype(np.int64)
        missing = codes == layout.n_codes[feature]
        cell = np.where(missing, -1, wanted.cell[entries.node, layout.cells(codes, feature)])
        low = np.where(cell < 0, 0, codes & ((1 << int(layout.shift[feature])) - 1))
        number = np.where(cell < 0, -1, wanted.code[cell, low]) if len(wanted.code) else cell
        taken = np.flatnonzero(number >= 0)
        rows = entries.row[taken]
        values = part.numbers[layout.numeric[feature], rows]
        yield number[taken], part.labels[rows], None if weights is None else weights[taken], values


def _of_rows(layout: CellLayout, wanted: Wanted, part: Part, node: Array) -> Iterator[_Found]:
    """Wanted codes among the rows that have arrived undivided, by compiled code."""
    from ftree.scan.count_kernels import wanted_rows  # noqa: PLC0415  # loads numba

    row, number = np.empty((2, len(part)), dtype=np.int32)
    for feature in wanted.features(layout):
        given = (layout.n_codes, layout.shift, layout.first, wanted.cell, wanted.code, feature)
        n = wanted_rows(part.codes, node, *given, row, number)
        rows = row[:n]
        weights = None if part.weights is None else part.weights[rows]
        yield number[:n].copy(), part.labels[rows], weights, part.numbers[layout.numeric[feature], rows]


def _joined_wanted(found: Sequence[_Found]) -> _Found:
    numbers, labels, weights, values = zip(*found, strict=True)
    pairs = list(zip(weights, labels, strict=True))
    some = any(own is not None and len(own) for own in weights)
    every = np.concatenate([np.ones(len(of), dtype=np.int64) if own is None else own for own, of in pairs]) if some else None
    return np.concatenate(numbers), np.concatenate(labels), every, np.concatenate(values)


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
