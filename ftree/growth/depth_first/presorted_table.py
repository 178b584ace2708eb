"""The columns of a table as sorted keys, in which a node is a range: what the native library needs to divide nodes.

`native/lanes.h` says how keys are made, `native/grow.c` how nodes are divided.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from attrs import define, evolve, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree.data.dataset import Dataset
from ftree.growth.depth_first.growing_parts import GrowingPart

# In a node of up to so many rows of a larger table, the library numbers rows by their places in it (`NEAR` in `native/grow.c`).
_NEAR = 2048
# A tree that draws has a thread alone, and looks at others less often by so many bits.
_FEW_LOOKS = 4
_NOTHING = np.zeros(0)
_LEAF = np.array(native.record(native.GROWN_NODE, feature=-1), native.GROWN_NODE)


@frozen(eq=False)
class PresortedTable:
    """The sorted columns of a table: keys (L, n), and whether no value of one occurs twice; first those of `features` (F,).

    `searched` (F,) says how each feature is searched; where all cuts are drawn, features have none. `table` has n log2 n for
    entropy. `times` (2, n) are the weights of rows in whole units, empty if all count once. For regression, the last column is
    the target, or the first of A; `whole` (2, n, A) are their numbers in units, whose variances `scales` (A,) multiply, and
    `channels` (n, K) what rows add to the sums of a node, whose limbs have these places (`limbs`).

    Rows of small nodes are numbered by their places in a column: `places` (2, n) has the place of each row and the row of each
    place, -1 elsewhere, and `whole`, `times` and `marks` have a second line for these. `steps` bounds the work of one
    call, so that a thread checks every millisecond whether another is idle.
    """

    steps: ClassVar[int] = 1 << 20

    dataset: Dataset
    features: Array
    rules: Array
    keys: Array
    distinct: Array
    searched: Array
    table: Array
    whole: Array
    scales: Floats
    times: Array
    channels: Floats
    limbs: Array
    places: Array
    marks: Array

    @property
    def given(self) -> dict[str, Array]:
        """The table, as the library takes it."""
        names = "rules", "keys", "distinct", "table", "whole", "scales", "times", "channels", "limbs", "places", "marks"
        return {name: getattr(self, name) for name in names} | {"features": self.searched}

    def numbers(self, column: int, low: int, high: int) -> Array:
        """The rows of a node, in the order of a column, by number."""
        numbers: Array = self.keys[column, low:high] >> int(self.rules["shift"][0])
        return numbers

    def rows(self, column: int, low: int, high: int) -> Array:
        """The rows of a node, in the order of a column."""
        numbers = self.numbers(column, low, high)
        rows: Array = self.places[1, numbers] if self.places[1, low] >= 0 else numbers
        return rows

    def root(self) -> "Subtree":
        """The tree of all rows that count."""
        times = self.times[0] if self.times.size else np.ones(self.keys.shape[1], np.int64)
        if self.whole.size:
            counts: Array = times @ self.channels
        else:
            unit = 1.0 if len(self.table) else float(self.rules["unit"][0])
            counts = np.bincount(self.dataset.target_column, times, self.channels.shape[1]) * unit
        return Subtree.below(0, int(np.count_nonzero(times)), counts)

    def of_bag(self, times: Array, **changed: Any) -> "PresortedTable":
        """The sorted columns of the rows that count, as often as `times` (n,) says, which may be parted."""
        places, marks = no_places(len(times))
        (absent,) = (times == 0).nonzero()
        lines = in_two_lines(times) if len(absent) or times.max() > 1 else self.times[:, :0]
        own = evolve(self, keys=self.keys.copy(), whole=self.whole.copy(), times=lines, places=places, marks=marks, **changed)
        if len(absent):
            own.part(0, len(times), times[own.numbers(-1, 0, len(times))] == 0)
        return own

    def part(self, low: int, high: int, right: Array, column: int = -1) -> None:
        """Part all sorted columns of a node but one, whose rows go right as its keys say (high - low,)."""
        marks = self.marks[int(self.places[1, low] >= 0)]
        marks[self.numbers(column, low, high)] = right
        given = self.rules, self.keys, self.distinct, low, high, column, marks
        native.call("part_lanes", *given, np.empty(high - low, np.int32))


@define(eq=False)
class Subtree(GrowingPart):
    """The subtree of a node in a presorted table, while it grows.

    `state` (3,) has a third number for the library. All arrays have room for the whole subtree; memory that is not used is not
    taken. `room` is for keys.
    """

    room: Array

    @staticmethod
    def below(
        low: int, high: int, counts: Array, depth: int = 0, key: int = 0, above: "tuple[Subtree, int] | None" = None
    ) -> "Subtree":
        """The subtree of the rows in a range of keys, which have these counts or sums (K,)."""
        n = high - low
        open_, nodes, own = np.empty(2 * n, native.OPEN), np.empty(2 * n, native.GROWN_NODE), np.empty((2 * n, len(counts)))
        open_[0], nodes[0], own[0] = (low, high, 0, depth, key, 0), _LEAF, counts
        return Subtree(above, np.array([1, 1, 0]), open_, nodes, own, np.empty(n, np.int32))

    def grow(self, presorted: PresortedTable, drawing: "Drawing | None" = None) -> bool:
        """Grow for a while; whether the choice of the node that was opened last is too close to call.

        Nodes look at all features, or at those that are drawn.
        """
        f, k = len(presorted.features), self.counts.shape[1]
        return bool(
            native.call(
                "grow_lanes",
                **presorted.given,
                **(Drawing.of_none(f) if drawing is None else drawing)._asdict(),
                steps=presorted.steps << (0 if drawing is None else _FEW_LOOKS),
                state=self.state,
                open=self.open,
                nodes=self.nodes,
                counts=self.counts,
                room=self.room,
                drawn=np.empty(f, native.DRAWN),
                cuts=np.empty(f, native.CUT),
                sides=np.empty((2, k), np.int64),
            )
        )

    def handed_over(self) -> "Subtree":
        """The subtree of the largest node that waits."""
        low, high, node, depth, key, _ = self.take_largest()
        return Subtree.below(low, high, self.counts[node], depth, key, (self, node))

    def divide(self, middle: int, cut: tuple[int, int, int], left: Array) -> None:
        """Divide the last open node before a key, given its column, the rows next to the threshold, and counts on the left."""
        (n_nodes, n_open, _), (column, below, above) = self.state.tolist(), cut
        low, high, node, depth, *_ = self.open[n_open - 1].item()
        self.nodes[node] = column, n_nodes, below, above
        self.nodes[n_nodes : n_nodes + 2] = _LEAF
        self.counts[n_nodes : n_nodes + 2] = left, self.counts[node] - left
        self.open[n_open - 1] = low, middle, n_nodes, depth + 1, 0, 0
        self.open[n_open] = middle, high, n_nodes + 1, depth + 1, 0, 0
        self.state[:2] += 2, 1


def in_two_lines(numbers: Array) -> Array:
    """Whole numbers of rows (n, ...) in the first of two lines; the second one has those of places."""
    lines = np.empty((2, *numbers.shape), np.int64)
    lines[0] = numbers
    return lines


def no_places(n: int) -> tuple[Array, Array]:
    """The places and marks of n rows, none of which is numbered by its place."""
    places = np.empty((2, n), np.int32)
    places[1] = -1
    return places, np.empty((2, n), np.uint8)


class Drawing(NamedTuple):
    """The search of a tree that draws features, values x (F n,), its thresholds `at`, and room for values if cuts are drawn."""

    search: Array
    x: Floats
    at: Floats
    near_x: Floats
    values: Floats

    @staticmethod
    def of_none(n_features: int) -> "Drawing":
        """All features are looked at."""
        search = np.array([native.record(native.SEARCH, n=n_features)], native.SEARCH)
        return Drawing(search, _NOTHING, _NOTHING, np.zeros((n_features, 0)), _NOTHING)

    @staticmethod
    def of(search: Array, x: Floats, tree: Subtree, *, draws_cuts: bool) -> "Drawing":
        """The search of a tree, given values x (F, n)."""
        n, (n_features, size) = len(tree.room) * draws_cuts, x.shape
        near = np.empty((n_features, min(size, _NEAR) * draws_cuts))
        return Drawing(search, x.ravel(), np.empty(len(tree.nodes)), near, np.empty(n))
