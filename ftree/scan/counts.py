"""What is counted of a part: functions from a part to sums, which can be pickled and whose answers merge.

`Cells` are what a level counts first: for each open node and feature, groups of neighbouring codes. Those in which a better
cut may lie are counted once more, code by code (`FineCounts`), and last value by value (`ValueCounts`).
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, run_starts
from ftree._lib.arrays import count as counted
from ftree.scan.arrivals import arrivals
from ftree.scan.folds import fold_answers
from ftree.scan.parts import Part
from ftree.scan.routes import Entries, Routes

# Wanted codes in a part: their number, and the class, weight (None: all are 1) and value of the rows that have them.
_Found: TypeAlias = tuple[Array, Array, Array | None, Array]


@frozen(eq=False)
class CellLayout:
    """Where the cells of each feature are in a node's row of counts: from `first` (F + 1,) on.

    A cell has 2 ** `shift` (F,) codes, and the last cell of a feature is that of missing values. `n_codes` (F,) and
    `numeric` (F,) are those of the source.
    """

    n_codes: Array
    numeric: Array
    shift: Array
    first: Array

    @staticmethod
    def of(n_codes: Array, numeric: Array, most: int) -> "CellLayout":
        """Cells for a source, at most `most` of a numeric feature besides that of missing values."""
        needed = np.ceil(np.log2(np.maximum(n_codes, 1) / most)).astype(np.int64)
        shift = np.where(numeric >= 0, np.maximum(needed, 0), 0)
        sizes = ((np.maximum(n_codes, 1) - 1) >> shift) + 2
        return CellLayout(n_codes, numeric, shift, np.append(0, np.cumsum(sizes)))

    @property
    def width(self) -> int:
        """Number of cells of a node."""
        return int(self.first[-1])

    def cells(self, codes: Array, feature: int) -> Array:
        """The cell of each code of a feature."""
        cells: Array = np.where(
            codes == self.n_codes[feature], self.first[feature + 1] - 1, self.first[feature] + (codes >> self.shift[feature])
        )
        return cells


@frozen(eq=False)
class Totals:
    """Class counts of the open nodes, (m, K)."""

    routes: Routes
    numeric: Array
    n_classes: int

    def __call__(self, part: Part) -> Array:
        """The counts of a part."""
        here = arrivals(self.routes, part, self.numeric)
        entries = here.entries
        counts = count(entries.node, part.labels[entries.row], weights_of(entries, part), self.routes.n_open, self.n_classes)
        if here.node is not None:
            from ftree.scan.kernels.count_part import count_totals  # noqa: PLC0415  # loads numba

            count_totals(part.labels, _weights(part), here.node, counts)
        return counts


@frozen(eq=False)
class CellCounts:
    """Class counts of the cells of the open nodes, (m, width, K)."""

    routes: Routes
    layout: CellLayout
    n_classes: int

    def __call__(self, part: Part) -> Array:
        """The counts of a part."""
        here = arrivals(self.routes, part, self.layout.numeric)
        counts = self._of_entries(part, here.entries)
        if here.node is not None:
            from ftree.scan.kernels.count_part import count_cells  # noqa: PLC0415  # loads numba

            layout = self.layout
            count_cells(part.codes, part.labels, _weights(part), here.node, layout.n_codes, layout.shift, layout.first, counts)
        return counts

    def _of_entries(self, part: Part, entries: Entries) -> Array:
        weights, labels, m = weights_of(entries, part), part.labels[entries.row], self.routes.n_open
        if not labels.size or not part.codes.size:
            return np.zeros((m, self.layout.width, self.n_classes), dtype=np.int64)
        begin, width = entries.node * self.layout.width, m * self.layout.width
        codes = part.codes[:, entries.row].astype(np.int64)
        cells = (begin + self.layout.cells(own, feature) for feature, own in enumerate(codes))
        counts = fold_answers((count(own, labels, weights, width, self.n_classes) for own in cells), np.add)
        return counts.reshape(m, self.layout.width, self.n_classes)


@frozen(eq=False)
class Wanted:
    """Codes to count again, by number, -1 for others: the cells in `cell` (m, width), the codes of each in `code` (n, span)."""

    cell: Array
    code: Array


@frozen(eq=False)
class CodeCounts:
    """Class counts of wanted codes, (n, K)."""

    routes: Routes
    layout: CellLayout
    wanted: Wanted
    n_classes: int

    def __call__(self, part: Part) -> Array:
        """The counts of a part."""
        number, labels, weights, _ = wanted_entries(self.routes, self.layout, self.wanted, part)
        return count(number, labels, weights, int(self.wanted.code.max(initial=-1)) + 1, self.n_classes)


@frozen(eq=False)
class Values:
    """Class counts (n, K) of the values (n,) of wanted codes, in order of `number` (n,) and value."""

    number: Array
    value: Array
    counts: Array

    def of_codes(self, n: int) -> Array:
        """The class counts of all values of each of n codes together, (n, K)."""
        sums = np.zeros((n, self.counts.shape[1]), dtype=self.counts.dtype)
        np.add.at(sums, self.number, self.counts)
        return sums


@frozen(eq=False)
class ValueCounts:
    """The values of wanted codes, with their class counts."""

    routes: Routes
    layout: CellLayout
    wanted: Wanted
    n_classes: int

    def __call__(self, part: Part) -> Values:
        """The values of a part."""
        number, labels, weights, value = wanted_entries(self.routes, self.layout, self.wanted, part)
        weights = np.ones(len(labels), dtype=np.int64) if weights is None else weights
        counts = np.zeros((len(labels), self.n_classes), dtype=weights.dtype)
        counts[np.arange(len(labels)), labels] = weights
        return _summed(number, value, counts)


def merged_values(one: Values, other: Values) -> Values:
    """The values of two parts together."""
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("number", "value", "counts"))
    return _summed(*map(np.concatenate, pairs))


def _summed(number: Array, value: Array, counts: Array) -> Values:
    order = np.lexsort((value, number))
    number, value, counts = number[order], value[order], counts[order]
    starts = run_starts(number, value)
    return Values(number[starts], value[starts], np.add.reduceat(counts, starts) if len(starts) else counts)


def wanted_entries(routes: Routes, layout: CellLayout, wanted: Wanted, part: Part) -> _Found:
    """Wanted codes in a part: their number, and the class, weight and value of the rows that have them."""
    here = arrivals(routes, part, layout.numeric)
    entries = here.entries
    weights = weights_of(entries, part)
    found = [] if here.node is None else [*_by_kernel(layout, wanted, part, here.node)]
    for feature in np.flatnonzero(layout.numeric >= 0).tolist():
        codes = part.codes[feature, entries.row].astype(np.int64)
        missing = codes == layout.n_codes[feature]
        cell = np.where(missing, -1, wanted.cell[entries.node, layout.cells(codes, feature)])
        low = np.where(cell < 0, 0, codes & ((1 << int(layout.shift[feature])) - 1))
        number = np.where(cell < 0, -1, wanted.code[cell, low]) if len(wanted.code) else cell
        taken = np.flatnonzero(number >= 0)
        values = part.numbers[layout.numeric[feature], entries.row[taken]]
        found.append((number[taken], part.labels[entries.row[taken]], None if weights is None else weights[taken], values))
    return _joined(found)


def _by_kernel(layout: CellLayout, wanted: Wanted, part: Part, node: Array) -> Iterator[_Found]:
    from ftree.scan.kernels.count_part import wanted_rows  # noqa: PLC0415  # loads numba

    row, number = np.empty(len(part), dtype=np.int64), np.empty(len(part), dtype=np.int64)
    asked = [
        feature
        for feature in np.flatnonzero(layout.numeric >= 0).tolist()
        if (wanted.cell[:, layout.first[feature] : layout.first[feature + 1]] >= 0).any()
    ]
    for feature in asked:
        given = (layout.n_codes, layout.shift, layout.first, wanted.cell, wanted.code, feature)
        n = wanted_rows(part.codes, node, *given, row, number)
        rows = row[:n]
        weights = None if part.weights is None else part.weights[rows]
        yield number[:n].copy(), part.labels[rows], weights, part.numbers[layout.numeric[feature], rows]


def _joined(found: Sequence[_Found]) -> _Found:
    numbers, labels, weights, values = zip(*found, strict=True)
    pairs = list(zip(weights, labels, strict=True))
    some = any(own is not None and len(own) for own in weights)
    every = np.concatenate([np.ones(len(of), dtype=np.int64) if own is None else own for own, of in pairs]) if some else None
    return np.concatenate(numbers), np.concatenate(labels), every, np.concatenate(values)


def _weights(part: Part) -> Array:
    return np.zeros(0, dtype=np.int64) if part.weights is None else part.weights


def weights_of(entries: Entries, part: Part) -> Array | None:
    """What each entry counts: the weight of its row times its fraction; None where all are 1."""
    if part.weights is None:
        return entries.fraction
    weights: Array = part.weights[entries.row]
    return weights if entries.fraction is None else weights * entries.fraction


def count(cells: Array, labels: Array, weights: Array | None, n_cells: int, n_classes: int) -> Array:
    """Class counts of cells, (n_cells, K): whole numbers, unless an entry is a fraction."""
    counts = counted(cells, labels, weights, n_cells, n_classes)
    return counts if weights is not None and weights.dtype.kind == "f" else counts.astype(np.int64)
