"""Codes and values that are counted again, since a winning cut may lie among them."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.scan.arrivals import arrivals
from ftree.scan.cell_layout import CellLayout
from ftree.scan.counts import count, weights_of, whole_weights_of
from ftree.scan.parts import Part
from ftree.scan.routes import Entries, Routes
from ftree.scan.values import Values

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


@frozen(eq=False)
class CodeCounts:
    """Class counts of wanted codes, (n, K)."""

    routes: Routes
    layout: CellLayout
    wanted: Wanted
    n_classes: int

    def __call__(self, part: Part) -> Array:
        """The counts of a part."""
        here, n_codes = arrivals(self.routes, part, self.layout.numeric), int(self.wanted.code.max(initial=-1)) + 1
        number, labels, weights, _ = _joined([*_of_entries(self.layout, self.wanted, part, here.entries)])
        counts = count(number, labels, weights, n_codes, self.n_classes)
        if here.node is not None:
            from ftree.scan.kernels.count_part import count_codes  # noqa: PLC0415  # loads numba

            layout, wanted = self.layout, self.wanted
            for feature in wanted.features(layout):
                given = (layout.n_codes, layout.shift, layout.first, wanted.cell, wanted.code, feature)
                count_codes(part.codes, part.labels, whole_weights_of(part), here.node, *given, counts)
        return counts


@frozen(eq=False)
class ValueCounts:
    """The values of wanted codes, with their cases by class."""

    routes: Routes
    layout: CellLayout
    wanted: Wanted

    def __call__(self, part: Part) -> tuple[Values]:
        """The values of a part."""
        here = arrivals(self.routes, part, self.layout.numeric)
        found = [*_of_entries(self.layout, self.wanted, part, here.entries)]
        if here.node is not None:
            found += _of_rows(self.layout, self.wanted, part, here.node)
        number, labels, weights, value = _joined(found)
        return (Values.summed(number, value, labels, np.ones(len(labels), dtype=np.int64) if weights is None else weights),)


def _of_entries(layout: CellLayout, wanted: Wanted, part: Part, entries: Entries) -> Iterator[_Found]:
    """Wanted codes among the entries of a part, feature by feature."""
    weights = weights_of(entries, part)
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
    from ftree.scan.kernels.count_part import wanted_rows  # noqa: PLC0415  # loads numba

    row, number = np.empty((2, len(part)), dtype=np.int32)
    for feature in wanted.features(layout):
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
