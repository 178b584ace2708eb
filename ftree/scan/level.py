"""The attribute-value-class counts of a level from up to three scans of the rows, each only where a better cut may lie.

First, groups of codes are counted. If the bound of a group reaches the best known score, its codes are counted
individually, and if a code's bound does, its values. All other counts stay in rows of several values between which no cut
can win. So the search runs on these counts as on any others.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree._lib.ties import TIE
from ftree.criteria.counts import Avc
from ftree.growth.search import Terms, known_runs, known_share_of
from ftree.scan.bounds import upper_bounds
from ftree.scan.cell_layout import CellLayout
from ftree.scan.counts import CellCounts
from ftree.scan.parts import CountedParts, SourceSummary, check_same_counts
from ftree.scan.routes import Routes
from ftree.scan.wanted import CodeCounts, ValueCounts, Values, Wanted, merged_values
from ftree.splitters import best_of, by_score
from ftree.tree.schema import Feature

# A bound may be too low by this much through rounding, in addition to the tolerance of ties.
_MARGIN = 2 * TIE
# Cells of a number at a node, at least; of a level, at most; and the number of rows whose scan takes as long as a cell.
_CELLS, _ALL_CELLS, _ROWS_PER_CELL = 512, 2_000_000, 16


@frozen(eq=False)
class Ranges:
    """Rows of counts, each of a range of values: the open node, the feature, the first code and the number of codes.

    `value` is the largest value of the range. `single` says that it is the only one.
    """

    node: Array
    feature: Array
    code: Array
    value: Array
    single: Array
    counts: Array

    def avc(self) -> Avc:
        """As attribute-value-class counts; a missing value is NaN and last."""
        return Avc(self.node, self.feature, self.value, self.counts)

    def taken(self, rows: Array) -> "Ranges":
        """The ranges of rows given by a mask or by numbers."""
        return Ranges(**{name: getattr(self, name)[rows] for name in _NAMES})

    def replaced(self, rows: Array, others: "Ranges", of: Array) -> "Ranges":
        """These ranges with others instead of the rows that a mask marks: `of` has for each the number of the marked row."""
        # Both are in order, and so are the parts of a range: a stable sort merges them.
        order = np.argsort(np.concatenate([np.flatnonzero(~rows), np.flatnonzero(rows)[of]]), kind="stable")
        return Ranges(**{name: np.concatenate([getattr(self, name)[~rows], getattr(others, name)])[order] for name in _NAMES})


_NAMES = ("node", "feature", "code", "value", "single", "counts")


def counted_level(source: CountedParts, routes: Routes, terms: Terms, totals: Array, most_cells: int | None) -> Avc:
    """The counts of the open nodes; all cuts that can win lie between neighbouring rows of these counts."""
    summary = source.summary
    layout = CellLayout.of(summary.n_codes, summary.numeric, most_cells or _cells_for(summary, len(totals)))
    n_classes = len(summary.schema.classes)
    counts = source.fold(CellCounts(routes, layout, n_classes), np.add)
    for first, last in pairwise(layout.first.tolist()):
        check_same_counts(counts[:, first:last].sum(axis=1), totals)
    ranges, shape = _of_cells(counts, layout, summary), counts.shape[:2]
    del counts
    best = np.full(len(totals), -np.inf)
    wanted = _wanted(ranges, summary.schema.features, terms, totals, best)
    if layout.shift.any() and wanted.any():
        index = _index_of_cells(ranges, wanted, layout, shape)
        codes = source.fold(CodeCounts(routes, layout, index, n_classes), np.add)
        check_same_counts(codes.reshape(-1, 1 << int(layout.shift.max()), n_classes).sum(axis=1), ranges.counts[wanted])
        touched = _runs_with(ranges, wanted)
        ranges = ranges.replaced(wanted, *_of_codes(ranges, wanted, codes, layout, summary))
        rows = np.flatnonzero(touched[ranges.node, ranges.feature])
        wanted = np.zeros(len(ranges.node), dtype=bool)
        wanted[rows] = _wanted(ranges.taken(rows), summary.schema.features, terms, totals, best)
    if wanted.any():
        index = _index_of_codes(ranges, wanted, layout, shape)
        values = source.fold(ValueCounts(routes, layout, index, n_classes), merged_values)
        check_same_counts(values.of_codes(int(wanted.sum())), ranges.counts[wanted])
        ranges = ranges.replaced(wanted, _of_values(ranges, wanted, values), values.number)
    return ranges.avc()


def _cells_for(summary: SourceSummary, n_nodes: int) -> int:
    """The number of cells for a number at a node: as many as are cheap compared with a scan of the rows, more for few nodes.

    If features say little about the class, nearly every cut in large cells could win, and all rows would be scanned again.
    """
    return max(_CELLS, min(summary.n_rows // _ROWS_PER_CELL, _ALL_CELLS) // (n_nodes * max(len(summary.bins), 1)))


def _of_cells(counts: Array, layout: CellLayout, summary: SourceSummary) -> Ranges:
    node, cell = np.nonzero(counts.any(axis=-1))
    feature = np.searchsorted(layout.first, cell, side="right") - 1
    missing = cell == layout.first[feature + 1] - 1
    code = np.where(missing, layout.n_codes[feature], (cell - layout.first[feature]) << layout.shift[feature])
    last = np.minimum(code + (1 << layout.shift[feature]), layout.n_codes[feature]) - 1
    value, single = _values_of_codes(feature, code, last, missing, summary)
    return Ranges(node, feature, code, value, single, counts[node, cell])


def _values_of_codes(feature: Array, code: Array, last: Array, missing: Array, summary: SourceSummary) -> tuple[Array, Array]:
    """The largest value of codes from `code` to `last`, and whether it is the only one."""
    value, single = np.where(missing, np.nan, code.astype(np.float64)), np.ones(len(code), dtype=bool)
    for number, bins in enumerate(summary.bins):
        if bins is not None:
            own = np.flatnonzero((feature == number) & ~missing)
            value[own] = bins.upper[last[own]]
            single[own] = bins.single[last[own]] & (code[own] == last[own])
    return value, single


def _wanted(ranges: Ranges, features: Sequence[Feature], terms: Terms, totals: Array, best: Array) -> Array:
    """The ranges in which or at whose ends a winning cut may lie; `best` (m,), the best known score of each node, is raised.

    If scores do not choose the feature, each feature competes with itself only.
    """
    open_ranges = ~ranges.single & ~np.isnan(ranges.value)
    if not open_ranges.any():
        return open_ranges
    runs = known_runs(ranges.avc(), features, None)
    share = terms.discount(known_share_of(runs, totals, terms))
    reached = best_of(runs, terms.splitters, terms.measure).score * share  # type: ignore[arg-type]  # joint splitters are refused
    if terms.choose == by_score():
        np.maximum.at(best, runs.node, reached)
        reached = best[runs.node]
    of_range = np.full(len(ranges.node), -1)
    of_range[~np.isnan(ranges.value)] = runs.run_of_row()
    rows = np.flatnonzero(open_ranges)
    run = of_range[rows]
    counts = terms.altered(runs.counts)
    upto = np.cumsum(counts, axis=0)
    before = (upto[runs.start] - counts[runs.start])[run]
    place = (np.cumsum(of_range >= 0) - 1)[rows]
    left = upto[place] - counts[place] - before
    right = upto[runs.end[run] - 1] - upto[place]
    bound = upper_bounds(left, counts[place], right, terms.impurity) * share[run]
    # A zero gain may be the best of a node that is split nevertheless.
    wanted = np.zeros(len(ranges.node), dtype=bool)
    wanted[rows] = bound >= reached[run] - _MARGIN
    return wanted


def _runs_with(ranges: Ranges, wanted: Array) -> Array:
    """The nodes and features, as a mask, that have a wanted range."""
    touched = np.zeros((int(ranges.node.max()) + 1, int(ranges.feature.max()) + 1), dtype=bool)
    touched[ranges.node[wanted], ranges.feature[wanted]] = True
    return touched


def _index_of_cells(ranges: Ranges, wanted: Array, layout: CellLayout, shape: tuple[int, int]) -> Wanted:
    """A number for every code of the wanted cells."""
    span = 1 << int(layout.shift.max())
    n = int(wanted.sum())
    return Wanted(_cells_of(ranges, wanted, layout, shape, np.arange(n)), np.arange(n * span, dtype=np.int64).reshape(n, span))


def _cells_of(ranges: Ranges, wanted: Array, layout: CellLayout, shape: tuple[int, int], number: Array) -> Array:
    feature, code = ranges.feature[wanted], ranges.code[wanted]
    cell = np.full(shape, -1, dtype=np.int64)
    cell[ranges.node[wanted], layout.first[feature] + (code >> layout.shift[feature])] = number
    return cell


def _of_codes(ranges: Ranges, wanted: Array, counts: Array, layout: CellLayout, summary: SourceSummary) -> tuple[Ranges, Array]:
    """The codes with a row, and the number of the wanted range that each is of."""
    span = 1 << int(layout.shift.max())
    present = np.flatnonzero(counts.any(axis=1))
    of, low = np.divmod(present, span)
    node, feature = ranges.node[wanted][of], ranges.feature[wanted][of]
    code = ranges.code[wanted][of] + low
    value, single = _values_of_codes(feature, code, code, np.zeros(len(code), dtype=bool), summary)
    return Ranges(node, feature, code, value, single, counts[present]), of


def _index_of_codes(ranges: Ranges, wanted: Array, layout: CellLayout, shape: tuple[int, int]) -> Wanted:
    """A number for each wanted code."""
    node, feature, code = ranges.node[wanted], ranges.feature[wanted], ranges.code[wanted]
    flat = node * shape[1] + layout.first[feature] + (code >> layout.shift[feature])
    cells, number = np.unique(flat, return_inverse=True)
    cell = np.full(shape[0] * shape[1], -1, dtype=np.int64)
    cell[cells] = np.arange(len(cells))
    codes = np.full((len(cells), 1 << int(layout.shift.max())), -1, dtype=np.int64)
    codes[number, code & ((1 << layout.shift[feature]) - 1)] = np.arange(len(code))
    return Wanted(cell.reshape(shape), codes)


def _of_values(ranges: Ranges, wanted: Array, values: Values) -> Ranges:
    node, feature, code = (getattr(ranges, name)[wanted][values.number] for name in ("node", "feature", "code"))
    return Ranges(node, feature, code, values.value, np.ones(len(code), dtype=bool), values.counts)
