"""Lanes of a table of classes, cut by Gini or entropy: `native/grow.c`."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import Array
from ftree._lib.machine import ThreadPool, has_room
from ftree.criteria.impurity import entropy, gini
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import stop_limits
from ftree.growth.lanes import KEY_BITS, Lanes, OpenNode, Subtree, rules_of, side_by_side, sorted_lanes
from ftree.growth.records import impurity_code, whole_table
from ftree.growth.search import Terms
from ftree.policy import Policy
from ftree.splitters import threshold
from ftree.tree.schema import Feature

# A class is a byte, and squares of so many cases are exact as floats.
_MOST_CLASSES, _MOST_ROWS = 256, 2**26


@frozen(eq=False)
class LanesOfClasses(Lanes):
    """Keys with classes, the table of n log2 n for entropy, and the least rows of a child (F,)."""

    found: ClassVar[np.dtype[Any]] = np.dtype(np.float64)

    table: Array
    least: Array

    @property
    def _given(self) -> tuple[Array, ...]:
        return self.rules, self.keys, self.distinct, self.table, self.least

    def root(self) -> OpenNode:
        """All rows in one node."""
        return OpenNode(0, len(self.dataset), 0, 0, np.array(self.dataset.class_counts(), np.int64))

    def scan(self, here: OpenNode, found: Array, first: int, last: int) -> None:
        """Find the best gains of a node in the lanes of some features."""
        native.call("scan_lanes", *self._given, here.low, here.high, here.counts, first, last, np.empty_like(here.counts), found)

    def choose(self, here: OpenNode, found: Array, left: Array, cut: Array) -> bool:
        """Fill the cut of a node, and the class counts (K,) on its left, and mark its rows; whether it is closed."""
        given = here.low, here.high, here.depth, here.counts, found, left, self.right, cut
        return bool(native.call("choose", *self._given, *given))

    def grow(self, own: Subtree) -> None:
        """Grow a subtree for a while."""
        given = own.state, own.open, own.nodes, own.counts, self.right, self.room[own.root.low : own.root.high]
        room = np.empty(len(self.keys)), np.empty_like(own.root.counts)
        native.call("grow_lanes", *self._given, self.steps, *given, *room)


def lanes_of_classes(dataset: Dataset, policy: Policy, terms: Terms, threads: ThreadPool) -> LanesOfClasses | None:
    """The sorted lanes of all features; None for what the library does not know.

    It knows thresholds by gain of Gini or entropy in numbers that are all known, all rows counted once.
    """
    schema, n, columns = dataset.schema, len(dataset), dataset.columns
    limits, shift = stop_limits(policy.stop), max(len(schema.classes) - 1, 1).bit_length() + 1
    known = (
        terms.is_by_gain
        and policy.impurity in (gini, entropy)
        and dataset.weights is None
        and len(schema.classes) <= _MOST_CLASSES
        and n < min(_MOST_ROWS, 2 ** (KEY_BITS - shift))
        and len(schema.features) > 0
        and all(map(_takes_cuts, schema.features, columns, [terms.splitters] * len(columns)))
    )
    if limits is None or not known or not has_room(8.0 * n * (2 * len(columns) + 4 * len(schema.classes))):
        return None
    columns = tuple(side_by_side(columns))
    if any(np.isnan(column.min()) for column in columns):
        return None
    table, unit = whole_table(n) if policy.impurity is entropy else (np.zeros(0, np.int64), 1.0)
    rules = rules_of(limits, unit, len(schema.classes), shift, int(impurity_code(policy.impurity) or 0))
    keys, distinct = sorted_lanes(columns, dataset.target_column.astype(np.uint8), shift, threads)
    (cutter,) = [each for each in terms.splitters if isinstance(each, threshold)]
    least = np.full(len(columns), math.ceil(cutter.min_cases))  # type: ignore[arg-type]  # a number
    room = np.empty(n, np.uint8), np.empty(n, np.int32)
    return LanesOfClasses(dataset, np.arange(len(columns)), rules, keys, distinct, *room, threads, table, least)


def _takes_cuts(feature: Feature, column: Array, splitters: Sequence[Any]) -> bool:
    """Whether a feature has numbers, whose only splitter is a threshold with a least size in cases."""
    mine = [each for each in splitters if feature.kind in each.kinds]
    if feature.kind != "numeric" or column.dtype != np.float64 or len(mine) != 1 or not isinstance(mine[0], threshold):
        return False
    return not mine[0].mdl and not callable(mine[0].min_cases)
