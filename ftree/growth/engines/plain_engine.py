"""The NumPy engine, `plain`: it counts level by level, and is the reference for faster engines.

An entry is a row in a node, and entries are grouped by node. A row with a missing value goes to the heaviest child, in
fractions to all children (Quinlan 1993, chapter 3), or by another rule; so it may be an entry of several nodes.

Fractions are multiples of a power of two that is large enough for every sum of them to be exact. So counts do not
depend on the order of addition, and a branch has exactly the sum of its children's counts. Whole row weights are
stored apart from fractions, so that a row of weight k is divided as k copies of it are.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from attrs import evolve, field, frozen

from ftree import native
from ftree._lib.arrays import Array, class_counts_of_cells, missing_as_last, offsets, row_sums, run_starts, times_and_fractions
from ftree._lib.machine import ThreadPool
from ftree.criteria.frontier import Avc, Joint
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.data.dataset_fields import unit_of
from ftree.growth.engines import native_counting
from ftree.growth.engines.engine import EngineSetup
from ftree.growth.engines.native_counting import copies_in_search
from ftree.routing.missing_rules import parts_of
from ftree.tree.nodes import PredictionRule
from ftree.tree.splits.split import UNKNOWN, Split, children_of

# A feature is counted in a dense table while the table is not much larger than the rows; otherwise it is sorted.
_DENSE = 4
_SMALL = 256
# The native library sorts and counts from so many values on, where it is faster. Its entries have 32 bits, and what it sorts 31.
_MANY, _MOST_ENTRIES, _MOST_ROWS = 5_000, 2**31, 2**30


class _Decoded(NamedTuple):
    """A column by entry, of which only the entries that are asked for become values."""

    values: Array
    codes: Array

    def __getitem__(self, entries: Any) -> Any:
        return self.values[self.codes[entries]]


@frozen(eq=False)
class Plain:
    """Rows of the open nodes: codes (F, E), classes (E,) or what each adds to sums (E, C), the first entry of each node.

    Entries count `times` (whole row weights) times `fractions` (shares of a row, or row weights that are not whole),
    either of which is None if all are 1. `counted` are the class counts (m, K) of the nodes, if they are known.
    """

    single_use: ClassVar[bool] = False

    values: tuple[Array, ...]
    codes: Array
    classes: Array
    times: Array | None
    fractions: Array | None
    starts: Array
    n_classes: int
    missing: PredictionRule
    unit: float
    counted: Array | None = None
    threads: ThreadPool = field(factory=partial(ThreadPool, 1))

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        if self.counted is not None:
            return self.counted
        return class_counts_of_cells(self._nodes(), self.classes, self._weights(), len(self.starts), self.n_classes)

    def keep(self, nodes: Array) -> "Plain":
        """The engine of the nodes that a boolean mask marks, in order."""
        if nodes.all():
            return self
        counted = None if self.counted is None else self.counted[nodes]
        return self.regrouped(np.where(nodes, np.cumsum(nodes) - 1, UNKNOWN)[self._nodes()], int(nodes.sum()), counted)

    def count(self) -> Avc:
        """Attribute-value-class counts of all open nodes."""
        if self._is_native():
            given = self.values, self.codes, self._sizes(), self.classes, self._weights()
            return native_counting.counted(*given, n_classes=self.n_classes, threads=self.threads)
        n_nodes, n_entries = len(self.starts), len(self.classes)
        sizes = np.array([len(values) for values in self.values], dtype=np.intp)
        dense = sizes * n_nodes <= _DENSE * n_entries + _SMALL
        tables = [self._counted(np.flatnonzero(dense), sizes)] if dense.any() else []
        tables += [self._sorted(feature) for feature in np.flatnonzero(~dense).tolist()]
        if not tables:
            nothing = np.zeros(0, dtype=np.intp)
            return Avc(nothing, nothing, nothing, np.zeros((0, self.n_classes)))
        node, feature, value, counts = (np.concatenate(parts) for parts in zip(*tables, strict=True))
        if len(tables) > 1:
            order = np.argsort(node * len(sizes) + feature, kind="stable")
            node, feature, value, counts = node[order], feature[order], value[order], counts[order]
        return Avc(node, feature, value, counts)

    def joint(self, features: Sequence[int]) -> Joint:
        """Counts of the vectors of several numeric features, for splits by their sums."""
        keys = np.vstack([self._nodes(), self.codes[list(features)]])
        order = np.lexsort(keys[::-1])
        first = run_starts(*keys[:, order])
        present, cells = keys[:, order[first]], np.empty(len(order), np.intp)
        cells[order] = np.repeat(np.arange(len(first)), np.diff(first, append=len(order)))
        counts = class_counts_of_cells(cells, self.classes, self._weights(), len(first), self.n_classes)
        vector = np.column_stack([self.values[feature][codes] for feature, codes in zip(features, present[1:], strict=True)])
        return Joint(present[0], vector, counts)

    def sides(self, splits: Sequence[Split | None]) -> Avc:
        """Counts of the children to which binary splits send their cases, (..., 2), instead of class counts.

        Only cases whose child is known are counted, and only nodes with a split.
        """
        child = self._children(splits)
        node = np.where(child == UNKNOWN, UNKNOWN, self._nodes())
        return evolve(self, classes=child, n_classes=2).regrouped(node, len(splits)).count()

    def advance(self, splits: Sequence[Split | None], child_counts: Array | None = None) -> "Plain":
        """The engine of the children, node after node; rows of a node whose split is None are done.

        `child_counts` are the children's counts of the cases with an answer, if they are known.
        """
        widths = np.array([0 if split is None else split.n_children for split in splits])
        first_child, node, child = offsets(widths), self._nodes(), self._children(splits)
        lost = child == UNKNOWN
        target = np.where(lost, UNKNOWN, child + first_child[node])
        scattered = [
            self._scatter(slice(self.starts[of], self.starts[of] + self._sizes()[of]), child, widths[of], first_child[of])
            for of in np.flatnonzero((np.bincount(node, lost, len(widths)) > 0) & (widths > 0)).tolist()
        ]
        grown, target = self._with_scattered(scattered, target)
        if scattered and child_counts is not None:
            late = grown._counted_from(len(self.classes), target, int(first_child[-1]))  # noqa: SLF001  # a method of this class
            child_counts = child_counts + late
        return grown.regrouped(target, int(first_child[-1]), child_counts)

    # Counting --------------------------------------------------------------------------------------------------

    def _weights(self) -> Array | None:
        if self.times is None or self.fractions is None:
            return self.fractions if self.times is None else self.times
        return self.times * self.fractions

    def _is_native(self) -> bool:
        """Whether the native library counts and moves; it has the same answers."""
        fits = self.codes.dtype == np.int32 and self.codes.shape[1] < _MOST_ENTRIES
        return fits and self.codes.size >= _MANY and native.is_here()

    def _sizes(self) -> Array:
        return np.diff(self.starts, append=len(self.classes))

    def _nodes(self) -> Array:
        return np.repeat(np.arange(len(self.starts)), self._sizes())

    def _counted_from(self, first: int, target: Array, n_nodes: int) -> Array:
        """Class counts (n_nodes, K) of the last entries, from `first` on, in their new nodes."""
        weights = self._weights()
        last = None if weights is None else weights[first:]
        return class_counts_of_cells(target[first:], self.classes[first:], last, n_nodes, self.n_classes)

    def _counted(self, features: Array, sizes: Array) -> tuple[Array, Array, Array, Array]:
        """Count features in one dense table (node, feature and code, class), and keep the rows that have cases."""
        codes = self.codes if len(features) == len(sizes) else self.codes[features]
        bases = np.cumsum(sizes[features]) - sizes[features]
        width = int(sizes[features].sum())
        cells = codes + bases[:, None] + self._nodes() * width
        n_cells = len(self.starts) * width
        counts = class_counts_of_cells(
            cells, self.classes, self._weights(), n_cells, self.n_classes, copies=copies_in_search(n_cells)
        )
        present = np.flatnonzero(row_sums(counts))
        node, cell = np.divmod(present, width)
        value = np.concatenate([self.values[feature] for feature in features])
        return node, np.repeat(features, sizes[features])[cell], value[cell], counts[present]

    def _sorted(self, feature: int) -> tuple[Array, Array, Array, Array]:
        """Count one feature by sorting its (node, code) pairs."""
        values = self.values[feature]
        pairs, cells = np.unique(self._nodes() * len(values) + self.codes[feature], return_inverse=True)
        node, code = np.divmod(pairs, len(values))
        counts = class_counts_of_cells(
            cells, self.classes, self._weights(), len(pairs), self.n_classes, copies=copies_in_search(len(pairs))
        )
        return node, np.full(len(pairs), feature), values[code], counts

    # Moving rows -----------------------------------------------------------------------------------------------

    def _children(self, splits: Sequence[Split | None]) -> Array:
        """The child of each entry; -1 without an answer, and in a node without a split."""
        columns: Any = [_Decoded(*column) for column in zip(self.values, self.codes, strict=True)]
        is_split, sizes = np.array([split is not None for split in splits], bool), self._sizes()
        entries, child = np.flatnonzero(np.repeat(is_split, sizes)), np.full(len(self.classes), UNKNOWN, dtype=np.intp)
        child[entries] = children_of([split for split in splits if split is not None], sizes[is_split], columns, entries)
        return child

    def regrouped(self, node: Array, n_nodes: int, counted: Array | None = None) -> "Plain":
        """Entries sorted by their new node, without those of no node; `counted` are the class counts of the nodes."""
        if self._is_native():
            order, starts = native_counting.in_nodes(node, n_nodes)
        else:
            order = np.argsort(node, kind="stable")[np.count_nonzero(node == UNKNOWN) :]
            starts = np.searchsorted(node[order], np.arange(n_nodes))
        fractions = None if self.fractions is None else self.fractions[order]
        return evolve(self._taken(order, fractions), starts=starts, counted=counted)

    def _taken(self, entries: Array, fractions: Array | None) -> "Plain":
        """Some of the entries, with these fractions."""
        times = None if self.times is None else self.times[entries]
        codes = (
            native_counting.taken(self.codes, entries, self.threads) if self._is_native() else self.codes.take(entries, axis=1)
        )
        return evolve(self, codes=codes, classes=self.classes[entries], times=times, fractions=fractions)

    def _scatter(self, entries: slice, child: Array, width: int, first: int) -> tuple[Array, Array, Array]:
        """Entries of a node without a known child (E,): their numbers, new nodes and fractions, one for each share."""
        weights, child = self._weights(), child[entries]
        known = child != UNKNOWN
        sizes = np.bincount(child[known], None if weights is None else weights[entries][known], width)
        lost = np.flatnonzero(~known)
        fractions = np.ones(len(lost)) if self.fractions is None else self.fractions[entries][lost]
        shares = parts_of(fractions, sizes, self.missing, self.unit)
        row, into = np.nonzero(shares > 0)
        return lost[row] + entries.start, into + first, shares[row, into]

    def _with_scattered(self, scattered: list[tuple[Array, Array, Array]], target: Array) -> "tuple[Plain, Array]":
        """The entries with the scattered ones added at the end (their originals have no target)."""
        if not scattered:
            return self, target
        entries, nodes, shares = (np.concatenate(parts) for parts in zip(*scattered, strict=True))
        rows = np.concatenate([np.arange(len(target)), entries])
        fractions = np.ones(len(target)) if self.fractions is None else self.fractions
        return self._taken(rows, np.concatenate([fractions, shares])), np.concatenate([target, nodes])


def plain(dataset: Dataset, setup: EngineSetup) -> Plain:
    """The engine at the root, all rows of positive weight in one node.

    >>> data = Dataset.from_rows([["a"], ["b"], ["a"]], ["no", "yes", "yes"])
    >>> avc = plain(data, EngineSetup()).count()
    >>> avc.value.tolist(), avc.counts.tolist()
    ([0.0, 1.0], [[1, 1], [0, 1]])
    """
    if dataset.weights is not None and not dataset.weights.all():
        dataset = dataset.take(dataset.weights > 0)
    threads, values = setup.threads or ThreadPool(1), [np.zeros(0)] * len(dataset.columns)
    codes = np.empty((len(values), len(dataset)), np.int32 if len(dataset) < _MOST_ENTRIES else np.intp)

    def rank(first: int, last: int, _: int) -> None:
        for number in range(first, last):
            values[number], codes[number] = ranked(dataset.columns[number], len(dataset.schema.features[number].values))

    threads.share(rank, len(values), codes.size)
    unit, schema = unit_of(dataset), dataset.schema
    classes = dataset.target_column.astype(np.intp) if schema.has_classes else rows_in_channels(dataset)
    times, fractions = times_and_fractions(dataset.weights, unit)
    return Plain(
        values=tuple(values),
        codes=codes,
        classes=classes,
        times=times,
        fractions=fractions,
        starts=np.zeros(1, dtype=np.intp),
        n_classes=len(schema.classes) if schema.has_classes else classes.shape[1],
        missing=setup.missing,
        unit=unit,
        threads=threads,
    )


def ranked(column: Array, n_values: int) -> tuple[Array, Array]:
    """Values as floats, a missing one (NaN) last, and each row's position among them."""
    if column.dtype.kind == "f":
        # In double precision, whatever the column's type, so that the position of a cut does not depend on it.
        column = column.astype(np.float64, copy=False)
        if _MANY <= len(column) < _MOST_ROWS and np.isfinite(column).all() and native.is_here():
            return native_counting.sorted_codes(column)
        return np.unique(column, return_inverse=True)
    return np.append(np.arange(n_values, dtype=float), np.nan), missing_as_last(column, n_values)
