"""Depth-first growth by thresholds in presorted columns: by `native/grow.c`, and the decisions that it leaves."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from attrs import define

from ftree import native
from ftree._lib.arrays import Array, Floats, midpoint
from ftree._lib.machine import ThreadPool
from ftree._lib.waiting import Progress
from ftree.data.dataset import Dataset
from ftree.growth.depth_first.growing_parts import GrowingPart, OpenNode, grown_parts, joined_nodes, split_by_numpy
from ftree.growth.depth_first.presorted_columns import PresortedTable, presort
from ftree.growth.depth_first.sorted_columns import next_to
from ftree.growth.depth_first.what_c_knows import StopLimits
from ftree.growth.settings import SearchSettings
from ftree.growth.split_arrays import Cuts, GrownTree
from ftree.policy import Policy

# A tree that draws has a thread alone, and looks at others less often by so many bits.
_FEW_LOOKS = 4
_NO_VALUES, _NO_THRESHOLDS = np.zeros((0, 0)), np.zeros(0)
_LEAF = np.array(native.record(native.GROWN_NODE, feature=-1), native.GROWN_NODE)


def grown_presorted(
    dataset: Dataset, policy: Policy, settings: SearchSettings, limits: StopLimits, threads: ThreadPool, line: Progress
) -> GrownTree:
    """All nodes of the tree."""
    table = presort(dataset, policy, settings, limits, threads)

    def advance(part: PresortedPart) -> None:
        if part.grow(table):
            part.decide(_decision(table, policy, settings, part))

    n, n_features = len(dataset), len(table.features)
    return _joined(table, grown_parts(PresortedPart.of_root(table), advance, threads, line, n_rows=n, n_features=n_features))


@define(eq=False)
class PresortedPart(GrowingPart):
    """The subtree of a node in a presorted table, while it grows.

    Invariant: its open nodes have their rows within the range of its root, from which no other part takes keys. Arrays have
    room for the whole subtree of `n_rows` rows; memory that is not used is not taken.

    The library's work `memory` holds nothing between calls. `steps` bounds the work of one call, so that a thread checks every
    millisecond whether another is idle.
    """

    steps: ClassVar[int] = 1 << 20

    n_rows: int
    memory: Array | None = None

    @staticmethod
    def of_root(table: PresortedTable) -> "PresortedPart":
        """All rows that count in one node."""
        return PresortedPart.below(0, *table.totals())

    @staticmethod
    def below(
        low: int, high: int, counts: Array, depth: int = 0, key: int = 0, above: "tuple[PresortedPart, int] | None" = None
    ) -> "PresortedPart":
        """The subtree of the rows in a range of keys, which have these counts or sums (K,)."""
        n = high - low
        open_, nodes, own = np.empty(2 * n, native.OPEN), np.empty(2 * n, native.GROWN_NODE), np.empty((2 * n, len(counts)))
        open_[0], nodes[0], own[0] = OpenNode(low, high, node=0, depth=depth, key=key), _LEAF, counts
        return PresortedPart(above, np.array([1, 1, 0]), open_, nodes, own, n)

    def grow(self, table: PresortedTable, drawing: "Drawing | None" = None) -> bool:
        """Grow for a while; whether the choice of the node that was opened last is too close to call.

        Nodes look at all features, or at those that are drawn.
        """
        f, k = len(table.features), self.counts.shape[1]
        own = Drawing.of_none(f) if drawing is None else drawing
        if self.memory is None:
            self.memory = np.empty(native.call("grow_lanes_words", f, k, self.n_rows), np.uint64)
        return bool(
            native.call(
                "grow_lanes",
                **table.given,
                **own._asdict(),
                steps=self.steps << (0 if drawing is None else _FEW_LOOKS),
                state=self.state,
                open=self.open,
                nodes=self.nodes,
                counts=self.counts,
                rows=self.n_rows,
                memory=self.memory,
            )
        )

    def handed_over(self) -> "PresortedPart":
        """The subtree of the largest node that waits."""
        taken = self.take_largest()
        return PresortedPart.below(taken.low, taken.high, self.counts[taken.node], taken.depth, taken.key, (self, taken.node))


class Drawing(NamedTuple):
    """What a tree needs that draws features: the search, values x (F, n), and room for the thresholds `at` of its nodes.

    A tree that draws is grown in one part.
    """

    search: Array
    x: Floats
    at: Floats

    @staticmethod
    def of_none(n_features: int) -> "Drawing":
        """All features are looked at."""
        search = np.array([native.record(native.SEARCH, n=n_features)], native.SEARCH)
        return Drawing(search, _NO_VALUES, _NO_THRESHOLDS)


def _decision(table: PresortedTable, policy: Policy, settings: SearchSettings, part: PresortedPart) -> tuple[Any, ...] | None:
    """The node that was opened last with the split that NumPy finds for it, None for a leaf.

    The library finds the cut by the row above it, and notes both rows itself.
    """
    rows = table.rows(part.last_open.low, part.last_open.high)
    split: Any = split_by_numpy(table.dataset, rows, policy, settings)
    if split is None:
        return None
    _, above = next_to(split.at, table.dataset.columns[split.feature][rows])
    return native.record(native.GROWN_NODE, feature=np.searchsorted(table.features, split.feature), above=rows[above])


def _joined(table: PresortedTable, parts: Sequence[PresortedPart]) -> GrownTree:
    """All nodes, with the thresholds between the rows that the library notes."""
    nodes, counts = joined_nodes(parts)
    number, at = np.ascontiguousarray(nodes["feature"]), np.zeros(len(nodes))
    below, above = (np.ascontiguousarray(nodes[side]) for side in ("below", "above"))  # rows next to thresholds
    feature = np.where(number >= 0, table.features[number], -1).astype(np.int32)
    for f, column in enumerate(table.dataset.columns):
        (cut,) = (feature == f).nonzero()
        at[cut] = midpoint(*(column[rows[cut]].astype(np.float64, copy=False) for rows in (below, above)))
    return GrownTree(counts, Cuts.of_thresholds(feature, at), nodes["first"].astype(np.int64))
