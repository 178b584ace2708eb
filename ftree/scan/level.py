"""How a source counts a level, the first stage of a step of growth (`growth/levels.py`): ranges of values, ever finer.

- `Level.cells`: a scan: the classes of each cell, that is a bin or several, of each feature and node
- `Level.narrowed`: no scan: cells in which the best cut may lie stay and are unsure, others are merged
- `Level.with_codes`: a scan, if cells have several bins: the classes of each bin in unsure cells; then narrowed again
- `Level.with_values`: a scan, if bins have several numbers: the classes of each number in unsure bins; then narrowed again
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, offsets
from ftree.criteria.frontier import Avc
from ftree.growth.settings import SearchSettings
from ftree.scan.cells import CellLayout, cell_counts
from ftree.scan.gain_bounds import has_bound
from ftree.scan.narrowing import KnownScores
from ftree.scan.parts import SourceSummary
from ftree.scan.ranges import Ranges, in_chunks
from ftree.scan.recounting import Values, Wanted, code_counts, merged_values, value_counts, values_of_codes
from ftree.scan.routes import Routes
from ftree.scan.table_parts import CountedParts, check_same_counts
from ftree.splitters import by_permutation_test

# From the numbers of some unsure ranges to their parts.
PartsOf: TypeAlias = Callable[[slice], Ranges]


def counted_level(level: "Level") -> Avc:
    """The counts of the open nodes; all cuts that can win lie between neighbouring rows of these counts."""
    counts = level.cells()
    if level.is_exact:
        return level.ranges_of(counts).avc()
    ranges = level.narrowed(counts)
    del counts
    if level.layout.shift.any() and ranges.unsure.any():
        ranges = level.with_codes(ranges)
    if ranges.unsure.any():
        ranges = level.with_values(ranges)
    return ranges.avc()


@frozen(eq=False)
class Level:
    """What the scans of a level share: the source, the routes to its open nodes, the layout of their cells, and known scores."""

    source: CountedParts
    routes: Routes
    layout: CellLayout
    known: KnownScores

    @staticmethod
    def of(source: CountedParts, routes: Routes, settings: SearchSettings, totals: Array, most_cells: int | None) -> "Level":
        """The level of open nodes with these class counts `totals` (m, K), with at most so many cells for a number."""
        layout = _layout(source.summary, settings, most_cells or _cells_for(source.summary, len(totals)))
        return Level(source, routes, layout, KnownScores.none(settings, source.summary.schema.features, totals))

    @property
    def is_exact(self) -> bool:
        """Whether each cell has one value, so that no cut lies within any."""
        return not self.layout.shift.any() and all(bins is None or bins.exact for bins in self.source.summary.bins)

    def cells(self) -> Array:
        """Class counts of the cells of the open nodes, (m, width, K), by a scan; those of each feature add up to the totals."""
        n_classes, layout = len(self.source.summary.schema.classes), self.layout
        counts: Array = self.source.fold(partial(cell_counts, self.routes, layout, n_classes), np.add)
        for first, last in zip(layout.first[:-1].tolist(), layout.first[1:].tolist(), strict=True):
            check_same_counts(counts[:, first:last].sum(axis=1), self.known.totals)
        return counts

    def ranges_of(self, counts: Array, some: slice = slice(None)) -> Ranges:
        """The cells with a row, among those that a slice takes of all nodes' cells."""
        m, width, n_classes = counts.shape
        own = counts.reshape(m * width, n_classes)[some]
        present = np.flatnonzero(own.any(axis=1))
        node, cell = np.divmod(present + (some.start or 0), max(width, 1))
        feature, code, last = self.layout.codes_of(cell)
        value, bound = _value_and_bound(feature, code, last, self.source.summary)
        return Ranges(node, feature, code, value, bound, own[present])

    def narrowed(self, counts: Array) -> Ranges:
        """The cells in which the best cut may lie, some features at a time; others are merged with their neighbours."""
        sizes = np.tile(np.diff(self.layout.first), len(counts))
        ends = offsets(sizes)
        return self.known.narrowed(self.ranges_of(counts, slice(ends[first], ends[last])) for first, last in in_chunks(sizes))

    def with_codes(self, ranges: Ranges) -> Ranges:
        """The ranges with the codes of unsure cells in their place, by a scan."""
        n_classes, span, unsure = ranges.counts.shape[1], self.layout.span, ranges.taken(ranges.unsure)
        wanted = Wanted.of_cells(self.layout, self.routes.n_open, unsure.node, unsure.feature, unsure.code)
        counts = self.source.fold(partial(code_counts, self.routes, self.layout, wanted, n_classes), np.add)
        counts = counts.reshape(-1, span, n_classes)
        check_same_counts(counts.sum(axis=1), unsure.counts)
        most_parts = np.full(len(unsure.node), span)
        return self.refined(ranges, most_parts, partial(_codes_of_cells, counts, unsure, self.source.summary))

    def with_values(self, ranges: Ranges) -> Ranges:
        """The ranges with the values of unsure codes in their place, by a scan."""
        unsure = ranges.taken(ranges.unsure)
        wanted = Wanted.of_codes(self.layout, self.routes.n_open, unsure.node, unsure.feature, unsure.code)
        pieces: tuple[Values, ...] = self.source.fold(partial(value_counts, self.routes, self.layout, wanted), merged_values)
        most_parts = cases_in(unsure.counts, self.known.settings).astype(np.int64)
        return self.refined(ranges, most_parts, partial(_ranges_of_values, pieces, unsure))

    def refined(self, ranges: Ranges, most_parts: Array, parts_of: PartsOf) -> Ranges:
        """The ranges with the parts of unsure ones in their place, narrowed: only runs that have one, some at a time.

        An unsure range has a *number*, its place among all unsure ones, by which a scan has counted its parts. `most_parts` has
        for each number at least as many parts as there are, and `parts_of` returns the parts of a slice of numbers.
        """
        run, sizes = ranges.run(), np.ones(len(ranges.node), np.int64)
        sizes[ranges.unsure] = most_parts
        has_unsure = np.isin(run, run[ranges.unsure])
        divided, number = ranges.taken(has_unsure), offsets(ranges.unsure[has_unsure])

        def with_parts(rows: slice) -> Ranges:
            some = divided.taken(rows)
            return Ranges.in_order([some.taken(~some.unsure), parts_of(slice(number[rows.start], number[rows.stop]))])

        refined = self.known.narrowed(map(with_parts, divided.chunks(sizes[has_unsure])))
        return Ranges.in_order([ranges.taken(~has_unsure), refined])


# How many cells

# Cells of a number at a node, at least; of a level, at most; and the number of rows whose scan takes as long as a cell.
_CELLS, _ALL_CELLS, _ROWS_PER_CELL = 512, 640_000, 16


def _layout(summary: SourceSummary, settings: SearchSettings, most: int) -> CellLayout:
    """At most `most` cells for a number, or one for each code where no cut may be left out.

    Without a bound for cuts, each number has a bin of its own; C4.5's correction and permutations need all values of a node.
    """
    needs_all = isinstance(settings.choose, by_permutation_test) or any(
        getattr(each, "mdl", False) for each in settings.splitters
    )
    if needs_all or not has_bound(settings.score, settings.impurity):
        most = int(summary.n_codes.max(initial=1))
    return CellLayout.of(summary.n_codes, summary.numeric, most)


def _cells_for(summary: SourceSummary, n_nodes: int) -> int:
    """The number of cells for a number at a node: as many as are cheap compared with a scan of the rows, more for few nodes.

    If features say little about the class, nearly every cut in large cells could win, and all rows would be scanned again.
    """
    return max(_CELLS, min(summary.n_rows // _ROWS_PER_CELL, _ALL_CELLS) // (n_nodes * max(len(summary.bins), 1)))


# The parts of unsure ranges


def _value_and_bound(feature: Array, code: Array, last: Array, summary: SourceSummary) -> tuple[Array, Array]:
    """The largest value of codes from `code` to `last`, NaN if missing; as bound, -infinity if it is the only one."""
    missing = code == summary.n_codes[feature]
    value, bound = np.where(missing, np.nan, code.astype(np.float64)), np.full(len(code), -np.inf)
    for number, bins in enumerate(summary.bins):
        if bins is not None:
            own = np.flatnonzero((feature == number) & ~missing)
            value[own] = bins.upper[last[own]]
            bound[own] = np.where(bins.single[last[own]] & (code[own] == last[own]), -np.inf, np.inf)
    return value, bound


def _codes_of_cells(counts: Array, unsure: Ranges, summary: SourceSummary, some: slice) -> Ranges:
    """The codes with a row of some of the unsure cells, by the `counts` (N, span, K) of all these cells."""
    own = counts[some]
    cell, place = np.nonzero(own.any(axis=-1))
    number = cell + some.start
    feature, code = unsure.feature[number], unsure.code[number] + place
    value, bound = _value_and_bound(feature, code, code, summary)
    return Ranges(unsure.node[number], feature, code, value, bound, own[cell, place])


def _ranges_of_values(pieces: tuple[Values, ...], unsure: Ranges, some: slice) -> Ranges:
    """The values of some of the unsure codes, by the values of all these codes."""
    number, value, counts = values_of_codes(pieces, some.start, some.stop, unsure.counts.shape[1])
    sums = np.zeros(unsure.counts[some].shape, dtype=counts.dtype)
    np.add.at(sums, number - some.start, counts)
    check_same_counts(sums, unsure.counts[some])
    node, feature, code = unsure.node[number], unsure.feature[number], unsure.code[number]
    return Ranges(node, feature, code, value, np.full(len(value), -np.inf), counts)


def cases_in(counts: Array, settings: SearchSettings) -> Array:
    """The cases of rows of counts, without priors and costs."""
    cases: Array = counts.sum(axis=1) if settings.response is None else settings.response.weight(counts)
    return cases
