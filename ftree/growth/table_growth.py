"""Depth-first growth on tables of any kinds of features: by `native/table.c`, and the decisions that it leaves.

One thread begins with the root. While another is idle, it hands over its largest open node.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import define, evolve, field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, midpoint, offsets, ranges
from ftree._lib.machine import ThreadPool
from ftree._lib.waiting import Progress
from ftree.growth import native_codes
from ftree.growth.engines.engine import EngineSetup, GrownTree
from ftree.growth.grown_parts import grown_parts, joined_nodes
from ftree.growth.levels import Growth, step
from ftree.growth.split_arrays import Cuts, SurrogateArrays, SurrogateSplits
from ftree.growth.table_columns import TableColumns
from ftree.tree.splits.child_of import child_of

if TYPE_CHECKING:
    from ftree.growth.engines.plain_engine import Plain
    from ftree.growth.table_start import StartRows

# What the library leaves to do: nothing, a choice that is too close to call, more room. Then the numbers of its state, as
# `native/table.h` has them.
_GROWN, _UNSURE, _LACKS_ROOM = range(3)
_N_NODES, _N_OPEN, _N_LISTED, _N_STAND_INS, _IS_GIVEN = range(5)
_NEEDED_KEYS, _NEEDED_NODES, _NEEDED_LISTED, _NEEDED_STAND_INS, _NEEDED_COPIES = range(5, 10)
# Rows through features between looks at other threads; and as many are worth a thread of their own.
_STEPS, _WORTH_IT = 1 << 20, 1 << 16


def grown_table(
    table: TableColumns, growth: Growth, threads: ThreadPool, line: Progress, start: "StartRows | None" = None
) -> GrownTree:
    """All nodes of the tree of a table, which begins with those of a start."""
    rooms, root = list[Room](), GrownPart.of_root(table) if start is None else GrownPart.of_start(start)

    def advance(part: GrownPart) -> None:
        room = rooms.pop() if rooms else Room.of(table)  # one for each thread
        left = part.grow(table, room)
        rooms.append(room)
        if left == _UNSURE:
            _decide(table, growth, part)
        elif left == _LACKS_ROOM:
            part.enlarge()

    parts = grown_parts(root, advance, threads, line, n_rows=len(table.labels), n_features=len(table.columns))
    return _joined(table, parts, None if start is None else start.splits)


@define(eq=False)
class GrownPart:
    """What one task grows: a node of the part `above` it, by number, with all nodes below, in arrays that the library fills.

    `native/table.h` says what the arrays hold; they have room for more. The keys (L, B) and fractions (B,) of
    an open node are those from its `low` to its `high`. Of nodes that NumPy decided, `at` has the thresholds. If it decided the
    node to divide next, `given` are the rows of that node and their children.
    """

    above: "tuple[GrownPart, int] | None"
    state: Array
    open: Array
    nodes: Array
    counts: Array
    listed: Array
    stand_ins: Array
    keys: Array
    fractions: Array
    copies: Array
    at: dict[int, float] = field(factory=dict)
    given: tuple[Array, Array] | None = None

    @staticmethod
    def of_root(table: TableColumns) -> "GrownPart":
        """All rows in one node."""
        return GrownPart._of(None, table.keys, table.fractions, table.totals, (0, 0))

    @staticmethod
    def _of(
        above: "tuple[GrownPart, int] | None", keys: Array, fractions: Floats, counts: Array, place: tuple[int, int]
    ) -> "GrownPart":
        open_ = np.array([native.record(native.OPEN, high=keys.shape[1], depth=place[0], key=place[1])], native.OPEN)
        return GrownPart._with(above, open_, counts[None], keys, fractions)

    @staticmethod
    def of_start(start: "StartRows") -> "GrownPart":
        """The rows of each leaf of a start tree that may grow in one node."""
        return GrownPart._with(None, start.open, start.counts, start.keys, start.fractions)

    @staticmethod
    def _with(above: "tuple[GrownPart, int] | None", open_: Array, counts: Array, keys: Array, fractions: Floats) -> "GrownPart":
        """The nodes with these counts (m, Q), some of which are open."""
        n, room = keys.shape[1], 2 * keys.shape[1] + len(counts) + 64
        opened, nodes, state = np.empty(n + 1, native.OPEN), np.empty(room, native.TABLE_NODE), np.zeros(10, np.int64)
        opened[: len(open_)], nodes[: len(counts)], state[:2] = open_, _LEAF, (len(counts), len(open_))
        own = np.empty((room, counts.shape[1]))
        own[: len(counts)] = counts
        lists = np.empty(n + 256, np.int32), np.empty(64, native.STAND_IN)
        return GrownPart(above, state, opened, nodes, own, *lists, keys, fractions, np.empty(64, native.COPY))

    @property
    def n_nodes(self) -> int:
        """The nodes so far."""
        return int(self.state[_N_NODES])

    @property
    def n_open(self) -> int:
        """The nodes that are left."""
        return int(self.state[_N_OPEN])

    @property
    def n_open_rows(self) -> int:
        """The rows of open nodes, which are the keys of a line in use."""
        return int(self.open[self.n_open - 1]["high"]) if self.n_open else 0

    def is_worth_sharing(self, n_features: int) -> bool:
        """Whether another thread should grow the largest node that waits."""
        return self.n_open > 1 and int(self._waiting.max()) * n_features >= _WORTH_IT

    @property
    def _waiting(self) -> Array:
        """The rows of each open node but the last one, which is next."""
        waiting = self.open[: self.n_open - 1]
        sizes: Array = waiting["high"] - waiting["low"]
        return sizes

    def handed_over(self) -> "GrownPart":
        """The subtree of the largest node that waits as a part of its own."""
        at = int(self._waiting.argmax())
        low, high, node, depth, key, _ = self.open[at].item()
        fractions = self.fractions[low:high].copy() if len(self.fractions) else self.fractions
        part = GrownPart._of((self, node), self.keys[:, low:high].copy(), fractions, self.counts[node], (depth, key))
        self.state[_N_OPEN] -= 1
        n = self.n_open
        self.open[at:n] = self.open[at + 1 : n + 1]
        return part

    def grow(self, table: TableColumns, room: "Room") -> int:
        """Grow for a while; what the library leaves."""
        if self.given is not None:
            rows, child = self.given
            room.child[rows] = child
        grown = self.open, self.nodes, self.counts, self.listed, self.stand_ins, self.keys, self.fractions
        of_children = np.empty(self.keys.shape[1], np.int32), np.empty(self.keys.shape[1])  # room for keys and fractions
        left = native.call("grow_table", *table.given, *room.arrays, _STEPS, self.state, *grown, *of_children, self.copies)
        self.given = self.given if self.state[_IS_GIVEN] else None
        return left

    def enlarge(self) -> None:
        """Make more room where the library asks for it."""
        need = self.state.tolist()
        self.nodes, self.counts = _longer(self.nodes, need[_NEEDED_NODES]), _longer(self.counts, need[_NEEDED_NODES])
        self.listed, self.stand_ins = _longer(self.listed, need[_NEEDED_LISTED]), _longer(self.stand_ins, need[_NEEDED_STAND_INS])
        self.copies = _longer(self.copies, need[_NEEDED_COPIES])
        if need[_NEEDED_KEYS] > self.keys.shape[1]:
            self.keys = np.ascontiguousarray(_longer(self.keys.T, need[_NEEDED_KEYS]).T)
            self.fractions = _longer(self.fractions, self.keys.shape[1]) if len(self.fractions) else self.fractions
            self.open = _longer(self.open, self.keys.shape[1] + 1)


def _longer(array: Array, wanted: int) -> Array:
    """Return the array if it is long enough, else a copy of twice the wanted length."""
    if wanted <= len(array):
        return array
    longer = np.empty((2 * wanted, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


_LEAF = np.array(native.record(native.TABLE_NODE, feature=-1, default_child=-1), native.TABLE_NODE)


@frozen(eq=False)
class Room:
    """What the library needs of one thread: room for rows, cells and runs."""

    child: Array
    arrays: tuple[Array, ...]

    @staticmethod
    def of(table: TableColumns) -> "Room":
        """Room for a table, in the order in which the library takes it; memory that is not used is not taken."""
        n, f, most = len(table.labels), len(table.columns), table.most_values
        k = len(table.totals) if table.dataset.schema.has_classes else 1
        cells = max(int(table.begin[-1]), 2 * (table.widest + 1))  # counts by code and class, or weights by code and child
        child = np.empty(n, np.int32)
        arrays = (
            np.empty((4, table.widest + 1), np.int64), child, np.empty(n if len(table.fractions) else 0), np.empty(cells),
            np.empty((cells, table.whole.shape[1]), np.int64), np.empty(f, native.SCORED), np.empty(f, native.DRAWN),
            np.empty((3, most), np.int32), np.empty((most, k)), np.empty((2, most)), np.empty(table.n_scores),
            np.empty((most, table.whole.shape[1]), np.int64), np.empty((2, k)),
        )  # fmt: skip
        return Room(child, arrays)


# A choice that is too close to call


def _decide(table: TableColumns, growth: Growth, part: GrownPart) -> None:
    """Note the split that NumPy finds for the last open node, or that it is a leaf; the library finds its surrogates."""
    growth = evolve(growth, settings=evolve(growth.settings, with_surrogates=frozenset()))
    here = part.open[part.n_open - 1]
    rows = part.keys[0, here["low"] : here["high"]]
    fractions = part.fractions[here["low"] : here["high"]] if len(part.fractions) else None
    level, _ = step(growth, _rows_of(table, rows, fractions), keys=np.array([here["key"]], np.uint64))
    (split,) = level.splits
    if split is None:
        part.state[_N_OPEN] -= 1
        return
    cuts, node = Cuts.of([split]), int(here["node"])
    listed = cuts.codes
    start = int(part.state[_N_LISTED])
    part.listed = _longer(part.listed, start + len(listed))
    part.listed[start : start + len(listed)] = listed
    part.nodes[node] = _LEAF
    noted = {"feature": split.features[0], "kind": cuts.kind[0], "arity": split.n_children, "n_listed": len(listed)}
    for name, value in (noted | {"listed": start, "stand_ins": part.state[_N_STAND_INS]}).items():
        part.nodes[name][node] = value
    part.at[node] = getattr(split, "at", 0.0)
    part.given = rows.copy(), child_of(split, table.dataset.columns[split.features[0]][rows])
    part.state[_IS_GIVEN] = 1


def _rows_of(table: TableColumns, rows: Array, fractions: Array | None) -> "Plain":
    """The engine of some rows in one node, given how much of each is there; None for all of it."""
    from ftree.growth.engines.plain_engine import plain  # noqa: PLC0415  # few choices are too close to call

    engine = plain(table.dataset.take(rows), EngineSetup())
    if len(table.channels):  # as they are at the root, where sums are rounded
        engine = evolve(engine, classes=table.channels[rows], n_classes=table.channels.shape[1])
    if fractions is None:
        return engine
    return evolve(engine, fractions=fractions, unit=float(table.criterion["grid"][0]))


# The tree of all parts


def _joined(table: TableColumns, parts: Sequence[GrownPart], given: Cuts | None) -> GrownTree:
    """All nodes, with their splits and surrogates."""
    n_listed, n_stand_ins = ([int(part.state[which]) for part in parts] for which in (_N_LISTED, _N_STAND_INS))
    nodes, counts, places = joined_nodes(parts, listed=n_listed, stand_ins=n_stand_ins)
    at = {int(own[node]): threshold for part, own in zip(parts, places, strict=True) for node, threshold in part.at.items()}
    listed = np.concatenate([part.listed[:n] for part, n in zip(parts, n_listed, strict=True)])
    stand_ins = np.concatenate([part.stand_ins[:n] for part, n in zip(parts, n_stand_ins, strict=True)])
    cuts = _cuts(table, nodes, listed, at)
    first = nodes["first"].astype(np.int64)
    if given is not None:
        (own_splits,) = (given.kind != native_codes.NONE).nonzero()
        cuts, first[own_splits] = cuts.beginning_with(given), 1 + offsets(given.arity)[own_splits]
    return GrownTree(counts, _with_surrogates(table, cuts, nodes, stand_ins), first)


def _cuts(table: TableColumns, nodes: Array, listed: Array, at_given: dict[int, float]) -> Cuts:
    feature, kind = nodes["feature"], np.where(nodes["feature"] >= 0, nodes["kind"], native_codes.NONE).astype(np.int8)
    at = np.zeros(len(nodes))
    (cut,) = (kind == native_codes.THRESHOLD).nonzero()
    values_at = table.columns["values_at"][feature[cut]]
    at[cut] = midpoint(*(table.values[values_at + nodes[side][cut]] for side in ("below", "above")))
    for node, threshold in at_given.items():
        at[node] = threshold
    width = np.where(feature >= 0, nodes["n_listed"], 0).astype(np.int64)
    codes = listed[ranges(nodes["listed"], nodes["listed"] + width)].astype(np.int64)
    return Cuts(kind, feature.astype(np.int32), at, offsets(width), codes)


def _with_surrogates(table: TableColumns, cuts: Cuts, nodes: Array, stand_ins: Array) -> Cuts:
    """The splits with the surrogates that the library found."""
    has_surrogates = (nodes["feature"] >= 0) & (nodes["default_child"] >= 0)
    if not has_surrogates.any():
        return cuts
    own, at_most = nodes[has_surrogates], int(table.criterion["most_surrogates"][0])
    there = np.arange(at_most) < own["n_stand_ins"][:, None]
    found = np.zeros(there.shape, native.STAND_IN)
    found["feature"] = -1
    found[there] = stand_ins[ranges(own["stand_ins"], own["stand_ins"] + own["n_stand_ins"])]
    names = "feature", "reversed", "at", "low", "high", "agreement", "adjusted"
    feature, is_reversed, *rest = (found[name] for name in names)
    arrays = SurrogateArrays(own["default_child"].astype(np.int8), feature.astype(np.int64), is_reversed != 0, *rest)
    return cuts.replaced(has_surrogates, SurrogateSplits(cuts, has_surrogates, arrays, table.columns["nominal"] != 0))
