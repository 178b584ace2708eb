"""Depth-first growth on tables of any kinds of features: by `native/table.c`, and the decisions that it leaves."""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, evolve

from ftree import native
from ftree._lib.arrays import Array, Floats, midpoint, offsets, ranges
from ftree._lib.machine import ThreadPool
from ftree._lib.waiting import Progress
from ftree.growth.depth_first.growing_parts import GrowingPart, grown_parts, joined_nodes, split_by_numpy
from ftree.growth.depth_first.table_columns import TableColumns
from ftree.growth.settings import SearchSettings
from ftree.growth.split_arrays import NONE, THRESHOLD, Cuts, GrownTree, SurrogateArrays
from ftree.policy import Policy

if TYPE_CHECKING:
    from ftree.growth.depth_first.table_start import StartRows

# What the library leaves to do: nothing, a choice that is too close to call, more room. Then the numbers of its state, as
# `native/table.h` has them.
_UNSURE, _LACKS_ROOM = 1, 2
_N_LISTED, _N_STAND_INS = range(3, 5)
_NEEDED_KEYS, _NEEDED_NODES, _NEEDED_LISTED, _NEEDED_STAND_INS, _NEEDED_COPIES = range(5, 10)
# Rows through features between looks at other threads.
_STEPS = 1 << 20


def grown_table(
    table: TableColumns,
    policy: Policy,
    settings: SearchSettings,
    threads: ThreadPool,
    line: Progress,
    start: "StartRows | None" = None,
) -> GrownTree:
    """All nodes of the tree of a table, which begins with those of a start."""
    memories = list[Array]()  # one for each thread
    root = TablePart.of_root(table) if start is None else TablePart.of(start.open, start.counts, start.keys, start.fractions)

    def advance(part: TablePart) -> None:
        try:
            memory = memories.pop()
        except IndexError:  # none may be left although one was there a moment ago
            memory = _spare_memory()
        memory = _as_long(memory, native.call("grow_table_words", table.sizes, part.keys.shape[1]))
        left = part.grow(table, memory)
        memories.append(memory)
        if left == _UNSURE:
            part.decide(_decision(table, policy, settings, part))
        elif left == _LACKS_ROOM:
            part.enlarge()

    parts = grown_parts(root, advance, threads, line, n_rows=len(table.labels), n_features=len(table.columns))
    _SPARE.extend(memory for memory in memories if len(memory) <= _MOST_SPARE)
    return _joined(table, parts, None if start is None else start.splits)


@define(eq=False)
class TablePart(GrowingPart):
    """The subtree of a node of a table of any kinds, while it grows.

    Invariant: the part has keys (L, B) and fractions (B,) of its own, and an open node those from its `low` to its `high`.
    All arrays have room for more than is in use; where the library finds too little, the node waits, and `state` says how much.
    `native/table.h` says what they hold.
    """

    listed: Array
    stand_ins: Array
    keys: Array
    fractions: Array
    copies: Array

    @staticmethod
    def of_root(table: TableColumns) -> "TablePart":
        """All rows in one node."""
        return TablePart.of(_one_node(table.keys), table.totals[None], table.keys, table.fractions)

    @staticmethod
    def of(
        open_: Array, counts: Array, keys: Array, fractions: Floats, above: "tuple[TablePart, int] | None" = None
    ) -> "TablePart":
        """The nodes with these counts (m, Q), some of which are open."""
        n, room = keys.shape[1], 2 * keys.shape[1] + len(counts) + 64
        opened, nodes, state = np.empty(n + 1, native.OPEN), np.empty(room, native.TABLE_NODE), np.zeros(10, np.int64)
        opened[: len(open_)], nodes[: len(counts)], state[:2] = open_, _LEAF, (len(counts), len(open_))
        own = np.empty((room, counts.shape[1]))
        own[: len(counts)] = counts
        lists = np.empty(n + 256, np.int32), np.empty(64, native.STAND_IN)
        return TablePart(above, state, opened, nodes, own, *lists, keys, fractions, np.empty(64, native.COPY))

    def handed_over(self) -> "TablePart":
        """The subtree of the largest node that waits as a part of its own."""
        taken = self.take_largest()
        keys = self.keys[:, taken.low : taken.high].copy()
        fractions = self.fractions[taken.low : taken.high].copy() if len(self.fractions) else self.fractions
        opened = _one_node(keys, taken.depth, taken.key)
        return TablePart.of(opened, self.counts[taken.node][None], keys, fractions, (self, taken.node))

    def grow(self, table: TableColumns, memory: Array) -> int:
        """Grow for a while; what the library leaves. What is in its memory is worth nothing afterwards."""
        names = "state", "open", "nodes", "counts", "listed", "stand_ins", "keys", "fractions", "copies"
        grown = {name: getattr(self, name) for name in names}
        return native.call("grow_table", **table.given, memory=memory, steps=_STEPS, **grown)

    def list_codes(self, codes: Array) -> int:
        """List the codes of the split of the next node, and return the number of the first one."""
        first = int(self.state[_N_LISTED])
        self.listed = _longer(self.listed, first + len(codes))
        self.listed[first : first + len(codes)] = codes
        return first

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


def _one_node(keys: Array, depth: int = 0, key: int = 0) -> Array:
    """All keys in one open node."""
    return np.array([native.record(native.OPEN, high=keys.shape[1], depth=depth, key=key)], native.OPEN)


# Memory of ended growths, for the next one: the system clears every page that it gives, which a small tree would feel. At most
# four pieces of eight megabytes are kept.
_MOST_SPARE = 1 << 20
_SPARE: deque[Array] = deque(maxlen=4)


def _spare_memory() -> Array:
    try:
        return _SPARE.pop()
    except IndexError:
        return np.empty(0, np.uint64)


def _as_long(memory: Array, wanted: int) -> Array:
    """Memory of at least so many words; what is not used is not taken from the system."""
    return memory if wanted <= len(memory) else np.empty(wanted, np.uint64)


def _longer(array: Array, wanted: int) -> Array:
    """Return the array if it is long enough, else a copy of twice the wanted length."""
    if wanted <= len(array):
        return array
    longer = np.empty((2 * wanted, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


_LEAF = np.array(native.record(native.TABLE_NODE, feature=-1, default_child=-1), native.TABLE_NODE)


# A choice that is too close to call


def _decision(table: TableColumns, policy: Policy, settings: SearchSettings, part: TablePart) -> tuple[Any, ...] | None:
    """The node that was opened last with the split that NumPy finds for it, None for a leaf; the library finds surrogates."""
    here = part.last_open
    rows = part.keys[0, here.low : here.high]
    fractions = part.fractions[here.low : here.high] if len(part.fractions) else None
    bare, altered = evolve(settings, with_surrogates=frozenset()), _altered(table, rows, fractions)
    split: Any = split_by_numpy(table.dataset, rows, policy, bare, here.key, **altered)
    if split is None:
        return None
    cuts = Cuts.of([split])
    is_threshold = cuts.kind[0] == THRESHOLD
    below, above = table.next_to(split.feature, split.at, rows) if is_threshold else (0, 0)
    return native.record(
        native.TABLE_NODE,
        feature=split.feature,
        kind=cuts.kind[0],
        arity=split.n_children,
        below=below,
        above=above,
        listed=part.list_codes(cuts.codes),
        n_listed=len(cuts.codes),
        default_child=-1,
    )


def _altered(table: TableColumns, rows: Array, fractions: Array | None) -> dict[str, Any]:
    """What the engine of some rows has from the root, given how much of each row is there; None for all of it.

    Weights and sums are rounded at the root, by the cases of all rows; a table of fewer rows has a finer grid.
    """
    altered: dict[str, Any] = {"times": table.times[rows] if len(table.times) else None, "fractions": fractions}
    if len(table.channels):
        altered |= {"classes": table.channels[rows], "n_classes": table.channels.shape[1]}
    return altered


# The tree of all parts


def _joined(table: TableColumns, parts: Sequence[TablePart], given: Cuts | None) -> GrownTree:
    """All nodes, with their splits and surrogates."""
    n_listed, n_stand_ins = ([int(part.state[which]) for part in parts] for which in (_N_LISTED, _N_STAND_INS))
    nodes, counts = joined_nodes(parts, listed=n_listed, stand_ins=n_stand_ins)
    listed = np.concatenate([part.listed[:n] for part, n in zip(parts, n_listed, strict=True)])
    stand_ins = np.concatenate([part.stand_ins[:n] for part, n in zip(parts, n_stand_ins, strict=True)])
    cuts = _cuts(table, nodes, listed)
    first = nodes["first"].astype(np.int64)
    if given is not None:
        (own_splits,) = (given.kind != NONE).nonzero()
        cuts, first[own_splits] = cuts.beginning_with(given), 1 + offsets(given.arity)[own_splits]
    return GrownTree(counts, evolve(cuts, surrogates=_surrogates(table, nodes, stand_ins)), first)


def _cuts(table: TableColumns, nodes: Array, listed: Array) -> Cuts:
    feature, kind = nodes["feature"], np.where(nodes["feature"] >= 0, nodes["kind"], NONE).astype(np.int8)
    at = np.zeros(len(nodes))
    (cut,) = (kind == THRESHOLD).nonzero()
    values_at = table.columns["values_at"][feature[cut]]
    at[cut] = midpoint(*(table.values[values_at + nodes[side][cut]] for side in ("below", "above")))
    width = np.where(feature >= 0, nodes["n_listed"], 0).astype(np.int64)
    codes = listed[ranges(nodes["listed"], nodes["listed"] + width)].astype(np.int64)
    return Cuts(kind, feature.astype(np.int32), at, offsets(width), codes)


def _surrogates(table: TableColumns, nodes: Array, stand_ins: Array) -> SurrogateArrays | None:
    """The surrogates that the library found; None if no split has any."""
    (node,) = ((nodes["feature"] >= 0) & (nodes["default_child"] >= 0)).nonzero()
    if not len(node):
        return None
    own = nodes[node]
    found = stand_ins[ranges(own["stand_ins"], own["stand_ins"] + own["n_stand_ins"])]
    first, coded = offsets(own["n_stand_ins"].astype(np.int64)), table.columns["nominal"][found["feature"]] != 0
    return SurrogateArrays(node, own["default_child"].astype(np.int64), first, found, coded)
