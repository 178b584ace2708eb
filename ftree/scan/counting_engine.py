"""The counting engine of a source: it keeps the tree grown so far as routes, and requests counts of its open nodes.

One level: `counted_level` counts cells of all open nodes in a scan of the rows, bounds the cuts within them, and counts again, by
bin and by value, those in which the best cut may lie. After the search, `Scanned.advance` makes the routes one level longer.

No row is kept, but:

- from level to level, the `Routes` of all N nodes so far, and the class counts of the m open nodes, `Scanned.counted` (m, K);
- from scan to scan of a level, its `Ranges`, each with counts (K,), and the best scores `KnownScores.best` (m, F);
- until a scan has been evaluated, its counts of cells (m, width, K), of codes (n, K), or of values, `Values`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar, NoReturn, TypeAlias

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, exact_unit, offsets, run_starts
from ftree._lib.fields import name_of
from ftree._lib.objects import is_exactly
from ftree.criteria.frontier import Avc, Joint
from ftree.growth.settings import SearchSettings
from ftree.policy import Policy
from ftree.routing.missing_rules import heaviest
from ftree.scan.counts import (
    CellLayout,
    Values,
    Wanted,
    cell_counts,
    code_counts,
    merged_values,
    totals_of,
    value_counts,
    values_of_codes,
)
from ftree.scan.numbers_in_channels import in_channels
from ftree.scan.parts import CountedParts, SourceSummary, check_same_counts
from ftree.scan.ranges import KnownScores, Ranges, has_bound, in_chunks, joined_ranges
from ftree.scan.routes import Routes, root_routes, shares_of_children
from ftree.splitters import JointSplitter, as_value, by_permutation_test, threshold
from ftree.splitters.missing_policies import hook
from ftree.tree.nodes import PredictionRule
from ftree.tree.splits.split import Split


@frozen(eq=False)
class Scanned:
    """An engine that holds no rows: a source, and the routes to the open nodes; `counted` (m, K) if it is known."""

    single_use: ClassVar[bool] = False

    source: CountedParts
    routes: Routes
    settings: SearchSettings
    missing: PredictionRule
    most_cells: int | None
    counted: Array | None = None

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        return _totals(self.source, self.routes) if self.counted is None else self.counted

    def keep(self, nodes: Array) -> "Scanned":
        """The engine of the nodes that a mask marks."""
        return evolve(self, routes=self.routes.keep(nodes), counted=None if self.counted is None else self.counted[nodes])

    def count(self) -> Avc:
        """Counts of all open nodes, value by value wherever a cut may win."""
        return counted_level(self.source, self.routes, self.settings, self.totals(), self.most_cells)

    def joint(self, features: Sequence[int]) -> Joint:  # noqa: ARG002  # required by the protocol
        """Refuse, since a source counts no vectors."""
        raise TypeError("splits must be splitters of one feature in a source, got one of several.")

    def advance(self, splits: Sequence[Split | None], child_counts: Array | None = None) -> "Scanned":
        """The engine of the children."""
        summary, ends = self.source.summary, offsets([split.n_children for split in splits if split is not None])
        firsts, n_children = ends[:-1], int(ends[-1])
        if child_counts is None:
            known = self.routes.below(splits, summary, np.zeros(n_children))
            child_counts = _totals(self.source, known)
        shares = shares_of_children(splits, _cases(self.settings, child_counts), self.missing)
        routes = self.routes.below(splits, summary, shares)
        # If no case lacks an answer, the children have all cases of their parents. Each sum is compared by itself: in a sum of
        # all, one large channel would hide that a case is lost.
        parents = self.totals()[[split is not None for split in splits]]
        whole = np.array_equal(np.add.reduceat(child_counts, firsts), parents)
        grown = evolve(self, routes=routes, counted=child_counts if whole else None)
        if whole:
            return grown
        counted = grown.totals()
        check_same_counts(np.add.reduceat(counted, firsts), parents)
        # Rows without an answer are added to those of the search, and no row is removed.
        check_same_counts(np.minimum(counted, child_counts), child_counts)
        return evolve(grown, counted=counted)


def _cases(settings: SearchSettings, counts: Array) -> Array:
    """The cases of rows of counts."""
    cases: Array = counts.sum(axis=1) if settings.response is None else settings.response.weight(counts)
    return cases


def _totals(source: CountedParts, routes: Routes) -> Array:
    totals: Array = source.fold(partial(totals_of, routes, len(source.summary.schema.classes)), np.add)
    return totals


def start_engine(source: CountedParts, policy: Policy, settings: SearchSettings, *, most_cells: int | None = None) -> Scanned:
    """The engine at the root of a source.

    Raises a ValueError for a part of a policy that a source does not support: a score without a bound for cuts of numbers, a
    splitter of numbers other than `threshold()`, splits of several features, surrogates and other hooks for missing values.
    """
    missing: PredictionRule = hook(policy.missing, "shares")
    if source.summary.response is not None:
        if source.summary.gaps and missing != heaviest():
            _refuse("missing", '"heaviest", which divides no row, with a target of numbers', policy.missing)
        source = in_channels(source)
    _check_policy(policy, settings, source.summary)
    summary = source.summary
    unit = exact_unit(float(sum(summary.class_counts)), len(summary.schema.features))
    return Scanned(source, root_routes(unit), settings, missing, most_cells, np.array([summary.class_counts]))


def _refuse(name: str, wanted: str, got: object) -> NoReturn:
    raise ValueError(f"{name} must be {wanted} for a source, got {name_of(got)}. Grow from a Dataset.")


def _check_policy(policy: Policy, settings: SearchSettings, summary: SourceSummary) -> None:
    numbers = any(bins is not None for bins in summary.bins)
    unsure = any(bins is not None and not bins.exact for bins in summary.bins)
    for splitter in settings.splitters:
        if isinstance(splitter, JointSplitter):
            _refuse("splits", "splitters of one feature", splitter)
        if numbers and "numeric" in splitter.kinds and not is_exactly(splitter, threshold):
            _refuse("splits", "threshold(), for numeric features,", splitter)
        # The correction needs the number of distinct values of a node, which is not a sum over parts.
        if unsure and getattr(splitter, "mdl", False):
            _refuse("splits", "threshold() without mdl, or with bins,", splitter)
    if unsure and isinstance(settings.choose, by_permutation_test):
        _refuse("choose", "by_score(), or threshold(bins=255) given in splits,", settings.choose)
    if unsure and not has_bound(settings.score, settings.impurity):
        _refuse("score and impurity", "gain by a concave impurity such as entropy", settings.score)
    prepares = hook(policy.missing, "prepare") != _AS_IT_IS and not is_exactly(policy.missing, as_value)
    if prepares or settings.variants is not None or settings.with_surrogates:
        _refuse("missing", '"ignore", "heaviest" or another rule that divides rows', policy.missing)


_AS_IT_IS = hook(None, "prepare")
# Cells of a number at a node, at least; of a level, at most; and the number of rows whose scan takes as long as a cell.
_CELLS, _ALL_CELLS, _ROWS_PER_CELL = 512, 640_000, 16


def counted_level(source: CountedParts, routes: Routes, settings: SearchSettings, totals: Array, most_cells: int | None) -> Avc:
    """The counts of the open nodes; all cuts that can win lie between neighbouring rows of these counts."""
    summary, n_nodes = source.summary, len(totals)
    layout = _layout(summary, settings, most_cells or _cells_for(summary, n_nodes))
    counts = _counted_cells(source, routes, layout, totals)
    if not layout.shift.any() and all(bins is None or bins.exact for bins in summary.bins):
        return _of_cells(counts, slice(None), layout, summary).avc()
    known = KnownScores.none(settings, summary.schema.features, totals)
    ranges = known.narrowed(_of_cells(counts, some, layout, summary) for some in _chunks_of_cells(layout, n_nodes))
    del counts
    if layout.shift.any() and ranges.unsure.any():
        ranges = _with_codes(ranges, source, routes, layout, known)
    if ranges.unsure.any():
        ranges = _with_values(ranges, source, routes, layout, known)
    return ranges.avc()


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


def _counted_cells(source: CountedParts, routes: Routes, layout: CellLayout, totals: Array) -> Array:
    """Class counts of the cells of the open nodes, (m, width, K), by a scan; those of each feature add up to the `totals`."""
    n_classes = len(source.summary.schema.classes)
    counts: Array = source.fold(partial(cell_counts, routes, layout, n_classes), np.add)
    for first, last in zip(layout.first[:-1].tolist(), layout.first[1:].tolist(), strict=True):
        check_same_counts(counts[:, first:last].sum(axis=1), totals)
    return counts


def _cells_for(summary: SourceSummary, n_nodes: int) -> int:
    """The number of cells for a number at a node: as many as are cheap compared with a scan of the rows, more for few nodes.

    If features say little about the class, nearly every cut in large cells could win, and all rows would be scanned again.
    """
    return max(_CELLS, min(summary.n_rows // _ROWS_PER_CELL, _ALL_CELLS) // (n_nodes * max(len(summary.bins), 1)))


def _chunks_of_cells(layout: CellLayout, n_nodes: int) -> Iterator[slice]:
    """The cells of all nodes in chunks of whole features."""
    sizes = np.tile(np.diff(layout.first), n_nodes)
    ends = offsets(sizes)
    return (slice(ends[first], ends[last]) for first, last in in_chunks(sizes))


def _of_cells(counts: Array, some: slice, layout: CellLayout, summary: SourceSummary) -> Ranges:
    """The cells with a row, among those that a slice takes of all nodes' cells."""
    m, width, n_classes = counts.shape
    own = counts.reshape(m * width, n_classes)[some]
    present = np.flatnonzero(own.any(axis=1))
    node, cell = np.divmod(present + (some.start or 0), max(width, 1))
    feature, code, last = layout.codes_of(cell)
    value, unsure = _values_of_codes(feature, code, last, summary)
    return Ranges(node, feature, code, value, unsure, own[present])


def _values_of_codes(feature: Array, code: Array, last: Array, summary: SourceSummary) -> tuple[Array, Array]:
    """The largest value of codes from `code` to `last`, NaN for the missing value, and whether there may be others."""
    missing = code == summary.n_codes[feature]
    value, unsure = np.where(missing, np.nan, code.astype(np.float64)), np.zeros(len(code), dtype=bool)
    for number, bins in enumerate(summary.bins):
        if bins is not None:
            own = np.flatnonzero((feature == number) & ~missing)
            value[own] = bins.upper[last[own]]
            unsure[own] = ~bins.single[last[own]] | (code[own] != last[own])
    return value, unsure


def _with_codes(ranges: Ranges, source: CountedParts, routes: Routes, layout: CellLayout, known: KnownScores) -> Ranges:
    """The ranges with the codes of the unsure ones, from another scan."""
    n_classes, unsure = ranges.counts.shape[1], ranges.taken(ranges.unsure)
    wanted = Wanted.of_cells(layout, routes.n_open, unsure.node, unsure.feature, unsure.code)
    counts = source.fold(partial(code_counts, routes, layout, wanted, n_classes), np.add).reshape(-1, layout.span, n_classes)
    check_same_counts(counts.sum(axis=1), unsure.counts)
    sizes = np.where(ranges.unsure, layout.span, 1)
    return _refined(ranges, known, sizes, partial(_codes_of_cells, counts, source.summary))


def _codes_of_cells(counts: Array, summary: SourceSummary, cells: Ranges, numbers: slice) -> tuple[Ranges, Array]:
    """The codes of unsure cells that have a row, by the `counts` (N, span, K) of all cells; and their cells' places."""
    own = counts[numbers]
    place, low = np.nonzero(own.any(axis=-1))
    of = cells.taken(place)
    code = of.code + low
    value, unsure = _values_of_codes(of.feature, code, code, summary)
    return Ranges(of.node, of.feature, code, value, unsure, own[place, low]), place


def _with_values(ranges: Ranges, source: CountedParts, routes: Routes, layout: CellLayout, known: KnownScores) -> Ranges:
    """The ranges with the values of the unsure ones, which are codes, from another scan."""
    unsure = ranges.taken(ranges.unsure)
    wanted = Wanted.of_codes(layout, routes.n_open, unsure.node, unsure.feature, unsure.code)
    pieces: tuple[Values, ...] = source.fold(partial(value_counts, routes, layout, wanted), merged_values)
    rows = np.where(ranges.unsure, _cases(known.settings, ranges.counts), 1)
    return _refined(ranges, known, rows.astype(np.int64), partial(_values_within_codes, pieces))


def _values_within_codes(pieces: tuple[Values, ...], codes: Ranges, numbers: slice) -> tuple[Ranges, Array]:
    """The values of unsure codes, by the values of all codes; and their codes' places."""
    place, value, counts = values_of_codes(pieces, numbers.start, numbers.stop, codes.counts.shape[1])
    sums = np.zeros(codes.counts.shape, dtype=counts.dtype)
    np.add.at(sums, place, counts)
    check_same_counts(sums, codes.counts)
    of = codes.taken(place)
    return Ranges(of.node, of.feature, of.code, value, np.zeros(len(place), dtype=bool), counts), place


# The parts of the unsure ranges of a chunk, in order, and for each part the place of its range among these; see `_refined`.
PartsOf: TypeAlias = Callable[[Ranges, slice], tuple[Ranges, Array]]


def _refined(ranges: Ranges, known: KnownScores, sizes: Array, parts_of: PartsOf) -> Ranges:
    """The ranges with the parts of the unsure ones in their place, narrowed.

    Only runs with an unsure range are refined, some at a time; `sizes` are upper bounds on the number of parts of each range.
    An unsure range is numbered in three ways:

    - its *row* among all ranges of these runs;
    - its *number* among all unsure ranges, by which a scan has counted their parts (`Wanted`);
    - its *place* among the unsure ranges of its chunk, by which `parts_of(unsure, numbers)` says whose parts it returns.

    In the example of `_chunks`, the range of row 4 has the number 2. In the chunk of rows 2 to 4, it has the place 1.
    """
    run = ranges.run()
    touched = np.isin(run, run[ranges.unsure])

    def refined(chunk: tuple[Ranges, slice]) -> Ranges:
        some, numbers = chunk
        return some.replaced(*parts_of(some.taken(some.unsure), numbers))

    refined_runs = known.narrowed(map(refined, _chunks(ranges.taken(touched), sizes[touched])))
    found = joined_ranges([ranges.taken(~touched), refined_runs])
    return found.taken(np.argsort(found.run(), kind="stable"))


def _chunks(ranges: Ranges, sizes: Array, most: int | None = None) -> Iterator[tuple[Ranges, slice]]:
    """Whole runs, as many as have `most` parts together or a run more; and the numbers of their unsure ranges among all these.

    Here are two runs, of features 3 and 5 of a node, in chunks of their own. Of their five ranges, three are unsure.

    >>> feature, unsure = np.array([3, 3, 5, 5, 5]), np.array([True, False, True, False, True])
    >>> ranges = Ranges(0 * feature, feature, np.arange(5), np.arange(5.0), unsure, np.ones((5, 2)))
    >>> for some, numbers in _chunks(ranges, sizes=np.array([4, 1, 4, 1, 4]), most=5):
    ...     some.code.tolist(), some.unsure.tolist(), numbers
    ([0, 1], [True, False], slice(0, 1, None))
    ([2, 3, 4], [True, False, True], slice(1, 3, None))
    """
    starts = np.append(run_starts(ranges.run()), len(ranges.node))
    number = offsets(ranges.unsure)[starts].tolist()
    for first, last in in_chunks(np.add.reduceat(sizes, starts[:-1]), most):
        yield ranges.taken(slice(starts[first], starts[last])), slice(number[first], number[last])
