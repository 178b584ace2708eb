"""The compiled engine for a target of numbers: thresholds by variance, in columns that are sorted once.

It serves tables without missing values, whose weights are whole numbers, while the sum of all numbers fits 64 bits. All choices
are those of the NumPy engine, to the last bit (`ftree.growth.kernels.grow_sums`).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np
from attrs import astuple, evolve, frozen

from ftree._lib.arrays import Array, Floats, end_to_end, midpoint, offsets, ranges
from ftree._lib.machine import ThreadPool, require_memory
from ftree.criteria.frontier import Avc, Joint
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.growth.engines.compiled_state import by_feature
from ftree.growth.engines.compiled_subtrees import dealt
from ftree.growth.engines.engine import EngineSetup, GrownSubtrees, LevelSplits, StopLimits
from ftree.growth.engines.plain_engine import Plain, plain
from ftree.growth.kernels.grow_sums import ABOVE, BELOW, FIRST, LANE, MIDDLE, grow_sums, part_lanes
from ftree.growth.kernels.records import FLAGS, LEAST, NONE, THRESHOLD, DrawnSearch, SummedRows, whole_search
from ftree.growth.kernels.stored_columns import sort_column
from ftree.growth.split_arrays import Cuts
from ftree.splitters.runs import SLACK
from ftree.tree.response import numbers
from ftree.tree.splits.split import Split

# A node of up to `_SMALL` cells (rows times lanes), or of this share of what a thread has to do, is grown to the end; nodes are
# dealt in groups of about `_GROUP` cells.
_SMALL, _SHARE, _GROUP = 2**18, 0.25, 2**16
_NO_VALUES = np.zeros((0, 0))


@frozen(eq=False)
class CompiledNumbers:
    """The engine of some open nodes: their ranges (2, m) of the lanes, and their sums (m, C); `advance` consumes it.

    The `lanes` (S, n) are the sorted columns of the `features` (S,) that are split. `side` (n,) has that of each row, where the
    search has found a split.
    """

    single_use: ClassVar[bool] = True

    dataset: Dataset
    features: Array
    lanes: Array
    rows: SummedRows
    side: Array
    threads: ThreadPool
    nodes: Array
    sums: Array

    def totals(self) -> Array:
        """The sums of each open node, (m, C)."""
        return self.sums

    def keep(self, nodes: Array) -> "CompiledNumbers":
        """The engine of the nodes that a boolean mask marks, in order."""
        return evolve(self, nodes=self.nodes[:, nodes].copy(), sums=self.sums[nodes])

    def plain(self) -> Plain:
        """The NumPy engine of the same nodes."""
        node = np.full(len(self.side), -1)
        node[self.lanes[0, ranges(*self.nodes)] >> FLAGS] = np.repeat(np.arange(len(self.sums)), self._sizes())
        return plain(self.dataset, EngineSetup()).regrouped(node, len(self.sums), self.sums)

    def count(self) -> Avc:
        """Sums of the values in all open nodes, as the NumPy engine adds them up."""
        return self.plain().count()

    def recount(self, found: LevelSplits) -> Avc:
        """The same for the nodes in doubt: this engine is never in doubt, but a rule may ask for scores."""
        return self.keep(found.doubt).count()

    def joint(self, features: Sequence[int]) -> Joint:
        """Sums of the vectors of several numeric features, as the NumPy engine adds them up."""
        return self.plain().joint(features)

    def best(self) -> LevelSplits:
        """The best split of each open node: a subtree of one level."""
        m = len(self.sums)
        place, sums, noted, first = self._grown(np.arange(m), 0, StopLimits(depth=1))
        order = np.argsort(place)
        sums, noted, first = sums[order], noted[:, order[:m]], first[order[:m]]
        width = np.where(noted[LANE] >= 0, 2, 1)  # a node without a split is its own child
        child = np.where(noted[LANE] >= 0, first, np.arange(m))
        no_rival = np.zeros((len(self.dataset.columns), m), np.bool_)
        return LevelSplits(self._cuts(noted), sums[ranges(child, child + width)], width, np.zeros(m, np.bool_), no_rival)

    def advance(self, splits: "Sequence[Split | None]", child_counts: Array | None = None) -> "CompiledNumbers":
        """The engine of the children, node after node; `splits` are those of the search, or None, which ends a node."""
        cuts = cast("Cuts", splits)
        split = cuts.kind == THRESHOLD
        nodes, lane, middle = (
            self.nodes[:, split].copy(),
            np.searchsorted(self.features, cuts.feature[split]),
            cuts.lower[split] + 1,
        )
        spare = np.empty((self.threads.n, self._sizes().max()), np.int32)

        def work(first: int, last: int, worker: int) -> None:
            part_lanes(first, last, self.lanes, nodes, lane, self.side, spare[worker])

        self.threads.share(work, len(self.lanes), int(self._sizes().sum()) * len(self.lanes))
        begin, end = np.column_stack([nodes[0], middle]).ravel(), np.column_stack([middle, nodes[1]]).ravel()
        return evolve(self, nodes=np.stack([begin, end]), sums=np.asarray(child_counts))

    def finish(self, depth: int, stop: StopLimits) -> GrownSubtrees | None:
        """The small open nodes, all at one depth, grown to the end; one thread grows all."""
        share = 1.0 if self.threads.n == 1 else _SHARE / self.threads.n
        (small,) = (self._sizes() * len(self.lanes) <= max(_SMALL, share * self.lanes.size)).nonzero()
        if not len(small):
            return None
        place, sums, noted, first = self._grown(small, depth, stop)
        return GrownSubtrees(small, place, sums, self._cuts(noted), first)

    def _grown(self, nodes: Array, depth: int, stop: StopLimits) -> tuple[Array, Array, Array, Array]:
        """Some open nodes with all nodes below them, whose places are behind the level: places, sums, notes, first children."""
        cells, limits = self._sizes()[nodes] * len(self.lanes), np.array(astuple(stop), np.float64)
        groups, search = dealt(nodes, cells, _GROUP), whole_search(len(self.features))
        parts: list[Any] = [None] * len(groups)

        def work(number: int, _: Array) -> tuple[int, ...]:
            some = groups[number]
            given = self.nodes[:, some].copy(), self.sums[some], depth
            *parts[number], _ = grow_sums(*given, self.lanes, self.rows, limits, self.side, search, _NO_VALUES)
            return ()

        self.threads.run_tasks(range(len(groups)), work, int(cells.sum()))
        begin = len(self.sums) + offsets([len(sums) - len(some) for some, (sums, _) in zip(groups, parts, strict=True)])
        places = [np.append(some, np.arange(*edges)) for some, edges in zip(groups, pairwise(begin), strict=True)]
        first = [place[np.where(noted[LANE] < 0, 0, noted[FIRST])] for place, (_, noted) in zip(places, parts, strict=True)]
        sums, noted = end_to_end([sums for sums, _ in parts]), np.concatenate([noted for _, noted in parts], axis=1)
        return end_to_end(places), sums, noted, end_to_end(first)

    def drawn(self, stop: StopLimits, impurity: Any, x: Floats, search: DrawnSearch, bag: Array) -> tuple[Array, ...]:
        """The tree of a bag of rows, as `grow_drawn` has it, whose nodes look at what a search draws, by values `x` (F, n)."""
        from ftree.growth.kernels.grow_drawn import in_level_order  # noqa: PLC0415  # few trees are drawn

        times, channels = bag * self.rows.added[1] if len(self.rows.added) > 1 else bag, self.rows.channels * bag[:, None]
        total, lanes, side, n = channels.sum(axis=0), self.lanes.copy(), (times == 0).astype(np.uint8), len(bag)
        part_lanes(0, len(lanes), lanes, self.nodes, np.array([-1]), side, np.empty(n, np.int32))
        scale, added = impurity.relative_to(total, None).scale, np.stack([self.rows.added[0] * bag, times])
        rows = SummedRows(added, channels, scale, 1 / scale, search.least)
        nodes, limits = np.array([[0], [np.count_nonzero(times)]]), np.array(astuple(stop), np.float64)
        sums, noted, cut = grow_sums(nodes, total[None], 0, lanes, rows, limits, side, search, x)
        cuts = self._cuts(noted)
        at, first = np.where(np.isnan(cut), cuts.at, cut), noted[FIRST].astype(np.int32)
        level_order: tuple[Array, ...] = in_level_order(sums, cuts.feature, at, first, len(sums))
        return level_order

    def _cuts(self, noted: Array) -> Cuts:
        """The splits of nodes, at the midpoints of the values of the rows on both sides."""
        split, at, columns = noted[LANE] >= 0, np.zeros(noted.shape[1]), self.dataset.columns
        kind, feature = np.where(split, THRESHOLD, NONE).astype(np.int8), np.where(split, self.features[noted[LANE]], -1)
        for number, nodes in by_feature(feature, split):
            at[nodes] = midpoint(*(columns[number][noted[side, nodes]].astype(np.float64) for side in (BELOW, ABOVE)))
        none = np.zeros(len(at) + 1, np.int64)
        return Cuts(kind, feature.astype(np.int32), at, none, none[:0], noted[MIDDLE] - 1)

    def _sizes(self) -> Array:
        sizes: Array = self.nodes[1] - self.nodes[0]
        return sizes


def compiled_numbers(dataset: Dataset, setup: EngineSetup) -> CompiledNumbers:
    """The engine at the root, all rows in one node, for a criterion of numbers."""
    criterion, threads, n = cast("Any", setup.criterion), setup.threads or ThreadPool(1), len(dataset)
    features, columns = np.flatnonzero(criterion.ways == THRESHOLD), dataset.columns
    n_lanes, whole = len(features) + 1, cast("numbers", dataset.schema.response).whole(dataset.target_column)
    require_memory(4.0 * n * (n_lanes + 4 * threads.n), f"sorted columns of {n:,} rows", "Use fewer rows or features.")
    lanes, room = np.empty((n_lanes, n), np.int32), np.empty((threads.n, 2, n), np.uint64)
    no_class = np.zeros(n, np.int32)

    def sort(first: int, last: int, worker: int) -> None:
        for lane in range(first, last):
            column = columns[features[lane]] if lane < len(features) else whole
            sort_column(column.astype(np.float64, copy=False), no_class, FLAGS, lanes[lane], room[worker])

    threads.share(sort, n_lanes, lanes.size)
    channels, added = rows_in_channels(dataset), whole[None]
    if dataset.weights is not None:
        times = dataset.weights.astype(np.int64)
        added, channels = np.stack([whole * times, times]), channels * times[:, None]
    scale, least = criterion.code.scale, np.zeros(len(features))
    if criterion.options is not None:
        least = criterion.options[features, LEAST] - SLACK
    rows = SummedRows(added, channels, scale, 1 / scale, least)
    side, nodes = np.zeros(n, np.uint8), np.array([[0], [n]])
    return CompiledNumbers(dataset, features, lanes, rows, side, threads, nodes, channels.sum(axis=0)[None])
