"""Lanes: the columns of a table as sorted keys, in which a node is a range; what the native library needs to divide nodes.

`native/grow.c` says how keys are made and parted. What a target adds to them, a subclass has: `LanesOfClasses`, `LanesOfNumbers`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from attrs import astuple, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree._lib.machine import ThreadPool
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import StopLimits

# A key has 31 bits for its row, whether its value is new, and its class, if there is one.
KEY_BITS = 31
# Limits may be whole numbers beyond the range of floats; no node reaches this one.
_UNREACHED = 2**1000
# Rows that are copied together: a table of a hundred columns has 400 kB of them.
_BLOCK = 512


class OpenNode(NamedTuple):
    """A node that is not divided yet: its range of lanes, its number, its depth and its class counts or sums (K,)."""

    low: int
    high: int
    node: int
    depth: int
    counts: Array

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.high - self.low


@frozen(eq=False)
class Subtree:
    """A subtree while it grows: its root among all nodes, and what the library fills, which has room for all nodes."""

    root: OpenNode
    state: Array
    open: Array
    nodes: Array
    counts: Array

    @staticmethod
    def below(root: OpenNode) -> "Subtree":
        """The subtree of an open node; memory that is not used is not taken."""
        n = root.size
        open_, nodes = np.empty(2 * n, native.OPEN), np.empty(2 * n, native.GROWN_NODE)
        counts = np.empty((2 * n, len(root.counts)), root.counts.dtype)
        open_[0], counts[0], nodes[0] = (root.low, root.high, 0, root.depth, 0, 0), root.counts, (-1, 0, 0, 0)
        return Subtree(root, np.ones(2, np.int64), open_, nodes, counts)


@frozen(eq=False)
class Lanes(ABC):
    """The lanes of a table: keys (L, n), and whether no value of one occurs twice. The first ones are of the `features` (F,).

    `right` and `room` have a place for each row. `found` is the type of what `scan` finds in a lane. A call takes at most so many
    `steps` of rows through lanes, some tenths of a second, for which an interruption waits.
    """

    found: ClassVar[np.dtype[Any]]
    steps: ClassVar[int] = 1 << 26

    dataset: Dataset
    features: Array
    rules: Array
    keys: Array
    distinct: Array
    right: Array
    room: Array
    threads: ThreadPool

    def rows(self, lane: int, low: int, high: int) -> Array:
        """The rows of a node, in the order of a lane."""
        rows: Array = self.keys[lane, low:high] >> int(self.rules["shift"][0])
        return rows

    @abstractmethod
    def root(self) -> OpenNode:
        """All rows in one node."""

    @abstractmethod
    def scan(self, here: OpenNode, found: Array, first: int, last: int) -> None:
        """Find the best cuts of a node in the lanes of some features."""

    @abstractmethod
    def choose(self, here: OpenNode, found: Array, left: Array, cut: Array) -> bool:
        """Fill the cut of a node, and the counts (K,) on its left, and mark its rows; whether it is closed."""

    @abstractmethod
    def grow(self, own: Subtree) -> None:
        """Grow a subtree for a while."""

    def part(self, here: OpenNode, lane: int) -> None:
        """Part all lanes of a node but one by the marks of its rows."""

        def work(first: int, last: int, _: int) -> None:
            given = self.rules, self.keys, self.distinct, here.low, here.high, lane, self.right, first, last
            native.call("part_lanes", *given, np.empty(here.size, np.int32))

        self.threads.share(work, len(self.keys), here.size * len(self.keys))


def rules_of(limits: StopLimits, unit: float, n_classes: int, shift: int, impurity: int) -> Array:
    """The stopping rule and the layout of keys as the library takes them.

    >>> rules_of(StopLimits(depth=3), 1.0, 2, 2, 1)["depth"].tolist()
    [3.0]
    """
    numbers = (float(min(limit, _UNREACHED)) for limit in astuple(limits))
    return np.array([(*numbers, unit, n_classes, shift, impurity)], native.GROWING)


def side_by_side(columns: Sequence[Array]) -> list[Floats]:
    """Numbers as contiguous floats; columns of a table of rows are copied in blocks, whose rows stay in a processor's cache.

    >>> [column.flags.c_contiguous for column in side_by_side(np.array([[1, 2], [3, 4]]).T)]
    [True, True]
    """
    if all(column.flags.c_contiguous and column.dtype == np.float64 for column in columns):
        return list(columns)
    copies = np.empty((len(columns), len(columns[0])))
    for start in range(0, copies.shape[1], _BLOCK):
        rows = slice(start, start + _BLOCK)
        for copy, column in zip(copies, columns, strict=True):
            copy[rows] = column[rows]
    return list(copies)


def sorted_lanes(columns: Sequence[Floats], labels: Array, shift: int, threads: ThreadPool) -> tuple[Array, Array]:
    """Keys of columns, missing values last, and whether no value of one occurs twice.

    >>> keys, distinct = sorted_lanes([np.array([2.0, 1.0, 2.0])], np.zeros(3, np.uint8), 1, ThreadPool(1))
    >>> (keys >> 1).tolist(), (keys & 1).tolist(), distinct.tolist()
    ([[1, 0, 2]], [[1, 1, 0]], [0])
    """
    n = len(labels)
    keys, distinct = np.empty((len(columns), n), np.int32), np.empty(len(columns), np.uint8)

    def sort(first: int, last: int, _: int) -> None:
        items, room, count = np.empty(n, native.ITEM), np.empty(n, native.ITEM), np.empty((4, 256), np.uint32)
        for lane in range(first, last):
            distinct[lane] = native.call("sort_lane", columns[lane], labels, shift, items, room, count, keys[lane])

    threads.share(sort, len(columns), keys.size)
    return keys, distinct
