"""Depth-first growth by thresholds in presorted columns, whose values are all known: `native/grow.c`, and what it leaves.

A table's columns are sorted keys, in which a node is a range: `native/lanes.h` says how keys are made.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from attrs import Factory, define, evolve, field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, midpoint
from ftree._lib.machine import ThreadPool, require_memory
from ftree._lib.waiting import Progress
from ftree.criteria.impurity import entropy
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.growth.depth_first.growing_parts import (
    GrowingPart,
    OpenNode,
    grown_parts,
    joined_nodes,
    next_to,
    rules_of,
    side_by_side,
    sorted_keys,
    split_by_numpy,
)
from ftree.growth.depth_first.target_sums import limb_places, whole_numbers
from ftree.growth.depth_first.what_c_knows import key_shift
from ftree.growth.settings import SearchSettings, StopLimits, impurity_code, whole_table
from ftree.growth.split_arrays import Cuts, GrownTree
from ftree.policy import Policy
from ftree.splitters.cuts import SLACK

_NO_NUMBERS, _NO_WHOLE, _NO_TIMES = np.zeros(0, np.int64), np.zeros((2, 0, 1), np.int64), np.zeros((2, 0), np.int64)
_NO_SCALES = np.ones(1)


@frozen(eq=False, kw_only=True)
class PresortedTable:
    """The sorted columns of a table: keys (L, n), and whether no value of one occurs twice; first those of `features` (F,).

    `searched` (F,) says how each feature is searched; where all cuts are drawn, features have no sorted keys. `table` has n
    log2 n for entropy. `times` (2, n) are the weights of rows in whole units, empty if all count once. For regression, the last
    column is the target, or the first of A; `whole` (2, n, A) are their numbers in units, whose variances `scales` (A,)
    multiply, and `channels` (n, K) what rows add to the sums of a node, whose limbs have the places `limbs`.

    Rows of small nodes are numbered by their places in a column: `places` (2, n) has the place of each row and the row of each
    place, -1 elsewhere, and `whole`, `times` and `marks` have a second line for these.
    """

    dataset: Dataset
    features: Array
    rules: Array
    keys: Array
    distinct: Array
    searched: Array
    table: Array = _NO_NUMBERS
    whole: Array = _NO_WHOLE
    scales: Floats = _NO_SCALES
    times: Array = _NO_TIMES
    channels: Floats
    limbs: Array = _NO_NUMBERS
    places: Array = field(init=False, default=Factory(lambda self: self._no_places(), takes_self=True))
    marks: Array = field(init=False, default=Factory(lambda self: np.empty((2, self.n_rows), np.uint8), takes_self=True))

    @property
    def n_rows(self) -> int:
        """The rows of the table."""
        return int(self.keys.shape[1])

    def _no_places(self) -> Array:
        """No row is numbered by its place."""
        places = np.empty((2, self.n_rows), np.int32)
        places[1] = -1
        return places

    @property
    def given(self) -> dict[str, Array]:
        """The table, as the library takes it."""
        names = (
            "rules", "keys", "distinct", "searched", "table", "whole", "scales", "times", "channels", "limbs", "places", "marks",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def rows(self, low: int, high: int) -> Array:
        """The rows of a node."""
        numbers = self.keys[0, low:high] >> int(self.rules["shift"][0])
        rows: Array = self.places[1, numbers] if self.places[1, low] >= 0 else numbers
        return rows

    def totals(self) -> tuple[int, Floats]:
        """How many rows count, and their counts or sums (K,)."""
        times = self.times[0] if self.times.size else np.ones(self.n_rows, np.int64)
        n = int(np.count_nonzero(times))
        if self.whole.size:
            return n, times @ self.channels
        unit = 1.0 if len(self.table) else float(self.rules["unit"][0])
        counts: Floats = (
            np.bincount(self.dataset.target_column, times, self.channels.shape[1]).astype(np.float64, copy=False) * unit
        )
        return n, counts

    def of_bag(self, times: Array, **changed: Any) -> "PresortedTable":
        """The sorted columns of the rows that count, as often as `times` (n,) says, which may be parted."""
        absent, n = times == 0, len(times)
        lines = in_two_lines(times) if absent.any() or times.max() > 1 else self.times[:, :0]
        own = evolve(self, keys=self.keys.copy(), whole=self.whole.copy(), times=lines, **changed)
        if absent.any():
            room, every_lane = np.empty(n, np.int32), -1
            native.call("part_lanes", own.rules, own.keys, own.distinct, 0, n, every_lane, absent.view(np.uint8), room)
        return own


def in_two_lines(numbers: Array) -> Array:
    """Whole numbers of rows (n, ...) in the first of two lines; the second one has those of places."""
    lines = np.empty((2, *numbers.shape), np.int64)
    lines[0] = numbers
    return lines


# Sorting the columns of a dataset


def presort(
    dataset: Dataset, policy: Policy, settings: SearchSettings, limits: StopLimits, threads: ThreadPool
) -> PresortedTable:
    """The sorted columns of all features with a splitter, a threshold."""
    own: list[Any] = [
        next((each for each in settings.splitters if feature.kind in each.kinds), None) for feature in dataset.schema.features
    ]
    cut = np.array([f for f, splitter in enumerate(own) if splitter is not None])
    searched = native.filled(native.SEARCHED_FEATURE, least=np.array([own[f].min_cases - SLACK for f in cut]))
    if dataset.schema.has_classes:
        return presorted_classification(dataset, cut, searched, limits, policy.impurity, threads)
    return presorted_regression(dataset, cut, searched, limits, settings.impurity, threads)


def presorted_classification(
    dataset: Dataset, features: Array, searched: Array, limits: StopLimits, impurity: Any, threads: ThreadPool
) -> PresortedTable:
    """The sorted columns of some features, or one of rows where all cuts are drawn."""
    n, shift, all_drawn = len(dataset), key_shift(dataset.schema), bool(searched["is_drawn"].all())
    columns = [np.arange(float(n))] if all_drawn else side_by_side([dataset.columns[f] for f in features])
    table, unit = whole_table(n) if impurity is entropy else (_NO_NUMBERS, 1.0)
    keys, distinct = sorted_keys(columns, dataset.target_column.astype(np.uint8), shift, threads)
    return PresortedTable(
        dataset=dataset,
        features=features,
        rules=rules_of(limits, unit, shift, int(impurity_code(impurity) or 0)),
        keys=keys,
        distinct=distinct,
        searched=searched,
        table=table,
        channels=np.zeros((0, len(dataset.schema.classes))),
    )


def presorted_regression(
    dataset: Dataset, features: Array, searched: Array, limits: StopLimits, impurity: Any, threads: ThreadPool
) -> PresortedTable:
    """The sorted columns of some features, unless all cuts are drawn, and of the numbers, or the first of several."""
    n, whole = len(dataset), whole_numbers(dataset.schema, dataset.target_column, *dataset.further_targets)
    require_memory(4.0 * n * (len(features) + 1 + 8 * threads.n), f"sorted columns of {n:,} rows", "Use fewer rows or features.")
    columns = [] if searched["is_drawn"].all() else side_by_side([dataset.columns[f] for f in features])
    columns.append(whole[:, 0].astype(np.float64))
    keys, distinct = sorted_keys(columns, np.zeros(n, np.uint8), 1, threads)
    return PresortedTable(
        dataset=dataset,
        features=features,
        rules=rules_of(limits, 1.0, 1, 0),
        keys=keys,
        distinct=distinct,
        searched=searched,
        whole=in_two_lines(whole),
        scales=np.array(impurity.factors),
        times=_NO_TIMES if dataset.weights is None else in_two_lines(dataset.weights),
        channels=np.ascontiguousarray(rows_in_channels(dataset)),
        limbs=limb_places(dataset),
    )


# In a node of up to so many rows of a larger table, the library numbers rows by their places in it (`NEAR` in `native/grow.c`).
_NEAR = 2048
# A tree that draws has a thread alone, and looks at others less often by so many bits.
_FEW_LOOKS = 4
_NOTHING = np.zeros(0)
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

    `state` (4,) has a last number for the library. Arrays have room for the whole subtree of `n_rows` rows; memory that is not
    used is not taken. The library's work `memory` holds nothing between calls. `steps` bounds the work of one call, so that a
    thread checks every millisecond whether another is idle.
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
        return PresortedPart(above, np.array([1, 1, 0, 0]), open_, nodes, own, n)

    def grow(self, table: PresortedTable, drawing: "Drawing | None" = None) -> bool:
        """Grow for a while; whether the choice of the node that was opened last is too close to call.

        Nodes look at all features, or at those that are drawn.
        """
        f, k = len(table.features), self.counts.shape[1]
        own = Drawing.of_none(f) if drawing is None else drawing
        if self.memory is None:
            self.memory = np.empty(native.call("grow_lanes_words", f, k, self.n_rows, own.draws_cuts), np.uint64)
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
    """The search of a tree that draws features, values x (F n,), its thresholds `at`, and room for x in small nodes.

    The room is there if cuts are drawn.
    """

    search: Array
    x: Floats
    at: Floats
    near_x: Floats

    @property
    def draws_cuts(self) -> bool:
        """Whether a feature has drawn cuts."""
        return bool(self.near_x.shape[1])

    @staticmethod
    def of_none(n_features: int) -> "Drawing":
        """All features are looked at."""
        search = np.array([native.record(native.SEARCH, n=n_features)], native.SEARCH)
        return Drawing(search, _NOTHING, _NOTHING, np.zeros((n_features, 0)))

    @staticmethod
    def of(search: Array, x: Floats, part: PresortedPart, *, draws_cuts: bool) -> "Drawing":
        """The search of a tree, given values x (F, n)."""
        n_features, size = x.shape
        return Drawing(search, x.ravel(), np.empty(len(part.nodes)), np.empty((n_features, min(size, _NEAR) * draws_cuts)))


def _decision(table: PresortedTable, policy: Policy, settings: SearchSettings, part: PresortedPart) -> tuple[Any, ...] | None:
    """The node that was opened last with the split that NumPy finds for it, None for a leaf."""
    low, high = part.last_open.low, part.last_open.high
    rows = table.rows(low, high)
    split: Any = split_by_numpy(table.dataset, rows, policy, settings)
    if split is None:
        return None
    below, above = rows[next_to(split.at, table.dataset.columns[split.feature][rows])].tolist()
    return native.record(native.GROWN_NODE, feature=np.searchsorted(table.features, split.feature), below=below, above=above)


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
