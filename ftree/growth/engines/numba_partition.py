"""Moving rows in the compiled engine: every column of the open nodes is sorted by their children."""

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array, offsets
from ftree.growth.engines.numba_state import State, by_feature, product
from ftree.growth.kernels import partition
from ftree.growth.kernels.keys import bits_of, key_type
from ftree.growth.kernels.records import Moves, Nodes
from ftree.growth.split_arrays import NONE, OBJECT, THRESHOLD, Cuts
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import UNKNOWN

# Entries are numbered in 32 bits.
MOST_ENTRIES = 2**31

_NOTHING = np.zeros(0)
_NO_COPIES = np.zeros((0, 3), np.int64)


def partitioned(state: State, cuts: Cuts, child_counts: Array | None = None) -> State:
    """The children of the open nodes, node after node; the columns of `state` are consumed.

    `child_counts` are those of the entries whose child is known; without them, all entries are counted.
    """
    work = int(state.sizes[cuts.kind != NONE].sum())
    moves = _routed(state, cuts, work)
    classes, origin = _renumbered(state, moves, work)
    times, fractions = _shared_out(state, moves)
    weights, begin = product(times, fractions), moves.position
    keys, codes = _moved_keys(state, moves, work), _moved_codes(state, moves, work)
    totals = _counted(state, begin, classes, weights) if child_counts is None else _with_copies(state, moves, child_counts)
    nodes = Nodes(begin[:-1], begin[1:], totals)
    entries = state.entries._replace(
        keys=keys, codes=codes, classes=classes, origin=origin, times=times, fractions=fractions, weights=weights
    )
    return evolve(state, entries=entries, nodes=nodes)


def _routed(state: State, cuts: Cuts, work: int) -> Moves:
    """The child of every entry, and the position of each child's entries."""
    fixed, entries, nodes, n = state.fixed, state.entries, state.nodes, len(state.entries.classes)
    first_child = offsets(cuts.arity)
    child, number = np.empty(n, np.int32), np.empty(n, np.int32)
    _route_by_objects(state, cuts, child)
    lower, listed = _looked_up(state, cuts)
    given = cuts.kind, cuts.feature.astype(np.int64), lower, cuts.first, listed, fixed.features, entries, nodes
    sizes, lost = np.zeros(first_child[-1], np.int64), [0] * fixed.threads.n

    def route(first: int, last: int, worker: int) -> None:
        partition.route(first, last, *given, child, state.spare.room(worker, 0))
        lost[worker] += partition.sizes_of(first, last, cuts.kind, first_child, nodes.start, nodes.end, child, sizes)

    fixed.threads.share(route, len(cuts), work)
    copies, shares = _NO_COPIES, _NOTHING
    if sum(lost):
        heavy = np.zeros(first_child[-1])
        partition.weigh(0, len(cuts), cuts.kind, first_child, nodes.start, nodes.end, child, entries.weights, heavy)
        scattered = nodes, cuts.kind, first_child, child, number, entries.fractions, heavy, fixed.sharing
        room = partition.scatter(*scattered, copies, shares, sizes)
        copies, shares = np.empty((room, 3), np.int64), np.empty(room)
        partition.scatter(*scattered, copies, shares, sizes)
    if sizes.sum() >= MOST_ENTRIES:
        remedy = "Grow with missing='heaviest', or with engine='plain'."
        message = f"Rows with missing values have been divided into {sizes.sum()} entries, too many to number. {remedy}"
        raise ValueError(message)
    return Moves(cuts.kind, first_child, child, number, offsets(sizes), copies, shares)


def known_children(state: State, cuts: Cuts) -> Array:
    """The child of every entry by its node's threshold, subset or multiway split; -1 where its value is missing."""
    nodes, (lower, listed) = state.nodes, _looked_up(state, cuts)
    child = np.full(len(state.entries.classes), UNKNOWN, np.int32)
    given = cuts.kind, cuts.feature.astype(np.int64), lower, cuts.first, listed, state.fixed.features, state.entries, nodes
    partition.route(0, len(cuts), *given, child, state.spare.room(0, 0))
    return child


def _route_by_objects(state: State, cuts: Cuts, child: Array) -> None:
    """The children of the entries in nodes whose split has no array form: each such split routes the rows of its node."""
    for node, split in zip(np.flatnonzero(cuts.kind == OBJECT).tolist(), cuts.objects, strict=True):
        entries = slice(state.nodes.start[node], state.nodes.end[node])
        child[entries] = child_of(split, *(state.values_of(feature, entries) for feature in split.features))


def _looked_up(state: State, cuts: Cuts) -> tuple[Array, Array]:
    """The last value below each threshold, looked up if the search did not store it, and the listed values.

    A value is identified by its code, or, in a sorted feature, by the position of a key.
    """
    lower, listed, unknown = cuts.lower.copy(), cuts.codes.copy(), (cuts.kind == THRESHOLD) & (cuts.lower < 0)
    is_sorted = np.append(state.entries.place, 0)[cuts.feature] < 0  # nodes without a split have feature -1
    start = state.nodes.start
    for feature, nodes in by_feature(cuts.feature, unknown & ~is_sorted):
        lower[nodes] = np.searchsorted(state.fixed.values[feature][:-1], cuts.at[nodes], side="right") - 1
    for node in np.flatnonzero(unknown & is_sorted).tolist():
        lower[node] = start[node] - 1 + np.searchsorted(_known_values(state, cuts, node), cuts.at[node], side="right")
    for node in np.flatnonzero((cuts.kind > THRESHOLD) & is_sorted).tolist():
        some, known = slice(*cuts.first[node : node + 2]), _known_values(state, cuts, node)
        at = np.searchsorted(known, cuts.codes[some])
        listed[some] = np.where(np.append(known, -1)[at] == cuts.codes[some], start[node] + at, -1)
    return lower, listed


def _known_values(state: State, cuts: Cuts, node: int) -> Array:
    """The known values of a node's entries in its sorted feature, increasing."""
    feature, shift, entries = cuts.feature[node], state.fixed.features.shift, state.entries
    keys = entries.keys[-1 - entries.place[feature], state.nodes.start[node] : state.nodes.end[node]]
    _, _, gone = bits_of(shift)
    known: Array = state.fixed.values[feature][entries.origin[keys[keys & gone == 0] >> shift]]
    return known


def _renumbered(state: State, moves: Moves, work: int) -> tuple[Array, Array]:
    """New numbers for entries and their copies; classes and rows in the new order."""
    n, n_children, given = moves.position[-1], int(moves.first_child[-1]), (state.nodes, moves, state.entries)
    classes, origin = np.empty(n, state.entries.classes.dtype), np.empty(n, np.int32)

    def renumber(first: int, last: int, worker: int) -> None:
        partition.renumber(first, last, *given, classes, origin, state.spare.room(worker, n_children))

    state.fixed.threads.share(renumber, len(moves.kind), work)
    if len(moves.copies):
        partition.number_copies(*given, classes, origin, state.spare.room(0, n_children))
    return classes, origin


def _shared_out(state: State, moves: Moves) -> tuple[Array, Array]:
    """Times and fractions in the new order, empty if all are 1."""
    n, entries = int(moves.position[-1]), state.entries
    times = np.empty(n if len(entries.times) else 0)
    fractions = np.ones(n if len(entries.fractions) or len(moves.copies) else 0)
    if len(times) or len(fractions):
        partition.move_shares(state.nodes, moves, entries, times, fractions)
    return times, fractions


def _counted(state: State, position: Array, classes: Array, weights: Array) -> Array:
    """Class counts of nodes whose entries are in order."""
    exact = np.zeros((len(position) - 1, state.fixed.n_classes))

    def count(first: int, last: int, _: int) -> None:
        partition.count_classes(first, last, position, classes, weights, exact)

    state.fixed.threads.share(count, len(exact), len(classes))
    return exact


def _with_copies(state: State, moves: Moves, child_counts: Array) -> Array:
    """Class counts of the children: those of the entries whose child is known, and of the copies of the others."""
    exact = child_counts.astype(np.float64)
    if len(moves.copies):
        partition.count_copies(state.nodes, moves, state.entries, exact)
    return exact


def _moved_keys(state: State, moves: Moves, work: int) -> Array:
    """The keys of sorted features in the new order; if copies need more room, all move into a new block."""
    features, keys, n, rows = state.fixed.features, state.entries.keys, int(moves.position[-1]), state.spare.rows
    new_keys = keys if n <= keys.shape[1] else np.empty((len(keys), n), key_type(n, features.shift))

    def move(first: int, last: int, worker: int) -> None:
        room = state.spare.room(worker, int(moves.first_child[-1]))
        rows[worker] = partition.move_sorted(
            first, last, features, state.entries, new_keys, rows[worker], state.nodes, moves, room
        )

    if len(features.in_order):
        state.fixed.threads.share(move, len(features.in_order), work * len(features.in_order))
    return new_keys


def _moved_codes(state: State, moves: Moves, work: int) -> Array:
    """The codes in the new order; the block that held them becomes the next spare one."""
    n, nodes = int(moves.position[-1]), state.nodes
    codes: Array = state.entries.codes
    if not codes.shape[1]:
        return codes
    new_codes = state.spare.codes if n <= len(state.spare.codes) else np.empty((n, codes.shape[1]), codes.dtype)
    words, new_words = codes.view(np.uint64), new_codes.view(np.uint64)

    def move(first: int, last: int, _: int) -> None:
        partition.move_coded(first, last, words, new_words, moves.kind, nodes.start, nodes.end, moves.number)

    state.fixed.threads.share(move, len(moves.kind), work * words.shape[1])
    new_words[moves.copies[:, 2]] = words[moves.copies[:, 0]]
    state.spare.codes = codes
    return new_codes
