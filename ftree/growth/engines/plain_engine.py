"""The NumPy engine, `plain`: it counts level by level, and is the reference for faster engines.

An entry is a row in a node, and entries are grouped by node. A row with a missing value goes to the heaviest child, in
fractions to all children (Quinlan 1993, chapter 3), or by another rule; so it may be an entry of several nodes.

Fractions are multiples of a power of two that is large enough for every sum of them to be exact. So counts do not
depend on the order of addition, and a branch has exactly the sum of its children's counts. Whole row weights are
stored apart from fractions, so that a row of weight k is divided as k copies of it are.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, class_counts_of_cells, row_sums, times_and_fractions
from ftree.criteria.frontier import Avc, Joint
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import EngineSetup, MissingRows, parts_of, unit_of
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import UNKNOWN, Split

# A feature is counted in a dense table while the table is not much larger than the rows; otherwise it is sorted.
_DENSE = 4
_SMALL = 256
# Counts are searched as counts of children, with what is computed of them: in all so many times their memory, and as much for
# a block that is measured at once.
_COPIES, _BLOCK = 6, 1 << 13


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
    missing: MissingRows
    unit: float
    counted: Array | None = None

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
        present, cells = np.unique(keys, axis=1, return_inverse=True)
        counts = class_counts_of_cells(cells.ravel(), self.classes, self._weights(), present.shape[1], self.n_classes)
        vector = np.column_stack([self.values[feature][codes] for feature, codes in zip(features, present[1:], strict=True)])
        return Joint(present[0], vector, counts)

    def sides(self, splits: Sequence[Split | None]) -> Avc:
        """Counts of the children to which binary splits send their cases, (..., 2), instead of class counts.

        Only cases whose child is known are counted, and only nodes with a split.
        """
        child = np.full(len(self.classes), UNKNOWN, dtype=np.intp)
        for _, entries, children in self._divided(splits):
            child[entries] = children
        node = np.where(child == UNKNOWN, UNKNOWN, self._nodes())
        return evolve(self, classes=child, n_classes=2).regrouped(node, len(splits)).count()

    def advance(self, splits: Sequence[Split | None], child_counts: Array | None = None) -> "Plain":
        """The engine of the children, node after node; rows of a node whose split is None are done.

        `child_counts` are the children's counts of the cases with an answer, if they are known.
        """
        widths = [split.n_children if split else 0 for split in splits]
        first_child = np.cumsum([0, *widths])
        target = np.full(len(self.classes), UNKNOWN, dtype=np.intp)
        scattered: list[tuple[Array, Array, Array]] = []
        for node, entries, child in self._divided(splits):
            target[entries] = np.where(child == UNKNOWN, UNKNOWN, child + first_child[node])
            if (child == UNKNOWN).any():
                scattered.append(self._scatter(entries, child, widths[node], first_child[node]))
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

    def _nodes(self) -> Array:
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.classes)))

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
        counts = class_counts_of_cells(cells, self.classes, self._weights(), n_cells, self.n_classes, copies=_copies(n_cells))
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
            cells, self.classes, self._weights(), len(pairs), self.n_classes, copies=_copies(len(pairs))
        )
        return node, np.full(len(pairs), feature), values[code], counts

    # Moving rows -----------------------------------------------------------------------------------------------

    def _divided(self, splits: Sequence[Split | None]) -> Iterator[tuple[int, slice, Array]]:
        """Each node that is split, with its entries and the child of each of them."""
        for node, split in enumerate(splits):
            if split is not None:
                entries = slice(self.starts[node], self.starts[node + 1] if node + 1 < len(splits) else None)
                asked = (self.values[feature][self.codes[feature, entries]] for feature in split.features)
                yield node, entries, child_of(split, *asked)

    def regrouped(self, node: Array, n_nodes: int, counted: Array | None = None) -> "Plain":
        """Entries sorted by their new node, without those of no node; `counted` are the class counts of the nodes."""
        order = np.argsort(node, kind="stable")[np.count_nonzero(node == UNKNOWN) :]
        fractions = None if self.fractions is None else self.fractions[order]
        starts = np.searchsorted(node[order], np.arange(n_nodes))
        return evolve(self._taken(order, fractions), starts=starts, counted=counted)

    def _taken(self, entries: Array, fractions: Array | None) -> "Plain":
        """Some of the entries, with these fractions."""
        times = None if self.times is None else self.times[entries]
        return evolve(self, codes=self.codes[:, entries], classes=self.classes[entries], times=times, fractions=fractions)

    def _scatter(self, entries: slice, child: Array, width: int, first: int) -> tuple[Array, Array, Array]:
        """Entries of a node without a known child: their numbers, new nodes and fractions, one for each share."""
        weights, known = self._weights(), child != UNKNOWN
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


def _copies(n_cells: int) -> float:
    """How many times the memory of so many cells' counts the search among them takes."""
    return _COPIES * (1 + min(n_cells, _BLOCK) / max(n_cells, 1))


def plain(dataset: Dataset, setup: EngineSetup) -> Plain:
    """The engine at the root, all rows of positive weight in one node.

    >>> data = Dataset.from_rows([["a"], ["b"], ["a"]], ["no", "yes", "yes"])
    >>> avc = plain(data, EngineSetup()).count()
    >>> avc.value.tolist(), avc.counts.tolist()
    ([0.0, 1.0], [[1, 1], [0, 1]])
    """
    if dataset.weights is not None and not dataset.weights.all():
        dataset = dataset.take(dataset.weights > 0)
    coded = [
        ranked(column, len(feature.values)) for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)
    ]
    unit, schema = unit_of(dataset), dataset.schema
    classes = dataset.target_column.astype(np.intp) if schema.has_classes else rows_in_channels(dataset)
    times, fractions = times_and_fractions(dataset.weights, unit)
    return Plain(
        values=tuple(values for values, _ in coded),
        codes=np.array([codes for _, codes in coded], dtype=np.intp).reshape(len(coded), len(dataset)),
        classes=classes,
        times=times,
        fractions=fractions,
        starts=np.zeros(1, dtype=np.intp),
        n_classes=len(schema.classes) if schema.has_classes else classes.shape[1],
        missing=setup.missing,
        unit=unit,
    )


def ranked(column: Array, n_values: int) -> tuple[Array, Array]:
    """Values as floats, a missing one (NaN) last, and each row's position among them."""
    if column.dtype.kind == "f":
        # In double precision, whatever the column's type, so that the position of a cut does not depend on it.
        return np.unique(column.astype(np.float64, copy=False), return_inverse=True)
    return np.append(np.arange(n_values, dtype=float), np.nan), np.where(column < 0, n_values, column)
