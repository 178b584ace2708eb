"""Moving rows in the compiled engine: every column of the open nodes is sorted by their children."""

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array, offsets
from ftree.growth.engines.compiled_state import OpenRows, by_feature, product
from ftree.growth.kernels import partition
from ftree.growth.kernels.records import NONE, OBJECT, PLACE, START, THRESHOLD, EntryArrays, LeadingRows, Moves
from ftree.growth.kernels.sorted_cuts import bits_of, key_type
from ftree.growth.split_arrays import Cuts
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import UNKNOWN

# Entries are numbered in 32 bits.
MOST_ENTRIES = 2**31
_NOTHING = np.zeros(0)
_NO_COPIES = np.zeros((0, 3), np.int64)


def partitioned(rows: OpenRows, cuts: Cuts, child_counts: Array | None = None) -> OpenRows:
    """The children of the open nodes, node after node; the columns of `rows` are consumed.

    `child_counts` are those of the entries whose child is known; without them, all entries are counted.
    """
    child = np.empty(rows.entries.rows.shape[1], np.int32)
    _route_by_objects(rows, cuts, child)
    routes = _looked_up(rows, cuts)
    follow(rows, routes, child)
    return moved(rows, routes.kind, offsets(cuts.arity), child, child_counts)


def known_children(rows: OpenRows, cuts: Cuts) -> Array:
    """The child of every entry by its node's threshold, subset or multiway split; -1 where its value is missing."""
    child = np.full(rows.entries.rows.shape[1], UNKNOWN, np.int32)
    follow(rows, _looked_up(rows, cuts), child)
    return child


def follow(rows: OpenRows, routes: LeadingRows, child: Array) -> None:
    """Fill in the child of every entry whose split has an array form."""

    def route(first: int, last: int, _: int) -> None:
        partition.route(first, last, routes, rows.columns, rows.entries, rows.nodes, child)

    rows.fixed.threads.share(route, len(routes.kind), _work(rows, routes.kind))


def moved(rows: OpenRows, kind: Array, first_child: Array, child: Array, child_counts: Array | None) -> OpenRows:
    """The children of the open nodes, given the child of each entry.

    Raises a ValueError if rows with missing values are divided into more entries than have numbers.
    """
    moves, work = _positions(rows, kind, first_child, child), _work(rows, kind)
    new_rows, entries = _renumbered(rows, moves, work), rows.entries
    times, fractions = _shared_out(rows, moves)
    weights, begin = product(times, fractions), moves.position
    keys, codes = _moved_keys(rows, moves, work), _moved_codes(rows, moves, work)
    totals = _counted(rows, begin, new_rows, weights) if child_counts is None else child_counts.astype(np.float64)
    if child_counts is not None and len(moves.copies):
        partition.count_copies(first_child, rows.nodes, moves.copies, moves.shares, entries.rows, entries.times, totals)
    return evolve(
        rows, entries=EntryArrays(keys, codes, new_rows, times, fractions, weights), nodes=nodes_between(begin), totals=totals
    )


def nodes_between(begin: Array) -> Array:
    """The table of nodes whose entries follow each other."""
    nodes = np.ones((4, len(begin) - 1), np.int64)
    nodes[0], nodes[1] = begin[:-1], begin[1:]
    return nodes


def _work(rows: OpenRows, kind: Array) -> int:
    """The entries that move."""
    return int(rows.sizes[kind != NONE].sum())


def _positions(rows: OpenRows, kind: Array, first_child: Array, child: Array) -> Moves:
    """The position of each child's entries; rows without an answer are divided, into one copy for each child with a share."""
    fixed, entries, nodes = rows.fixed, rows.entries, rows.nodes
    number, sizes = np.empty(len(child), np.int32), np.zeros(first_child[-1], np.int64)
    lost = [0] * fixed.threads.n

    def count(first: int, last: int, worker: int) -> None:
        lost[worker] += partition.sizes_of(first, last, kind, first_child, nodes, child, sizes)

    fixed.threads.share(count, len(kind), _work(rows, kind))
    copies, shares = _NO_COPIES, _NOTHING
    if sum(lost):
        heavy = np.zeros(first_child[-1])
        partition.weigh(0, len(kind), kind, first_child, nodes, child, entries.weights, heavy)
        scattered = kind, first_child, nodes, child, number, entries.fractions, heavy, fixed.heaviest, fixed.unit
        n_copies = partition.scatter(*scattered, copies, shares, sizes)
        copies, shares = np.empty((n_copies, 3), np.int64), np.empty(n_copies)
        partition.scatter(*scattered, copies, shares, sizes)
    if sizes.sum() >= MOST_ENTRIES:
        remedy = "Grow with missing='heaviest', or with engine='plain'."
        raise ValueError(f"Rows with missing values have been divided into {sizes.sum()} entries, too many to number. {remedy}")
    return Moves(kind, first_child, child, number, offsets(sizes), copies, shares)


def _route_by_objects(rows: OpenRows, cuts: Cuts, child: Array) -> None:
    """The children of the entries in nodes whose split has no array form: each such split routes the rows of its node."""
    for node, split in zip(np.flatnonzero(cuts.kind == OBJECT).tolist(), cuts.objects, strict=True):
        entries = slice(*rows.nodes[:2, node].tolist())
        child[entries] = child_of(split, *(rows.values_of(feature, entries) for feature in split.features))


def _looked_up(rows: OpenRows, cuts: Cuts) -> LeadingRows:
    """The splits with values as codes or positions of keys, looked up if the search did not store them."""
    lower, listed, unknown = cuts.lower.copy(), cuts.codes.copy(), (cuts.kind == THRESHOLD) & (cuts.lower < 0)
    is_sorted = np.append(rows.features[PLACE], 0)[cuts.feature] < 0  # nodes without a split have feature -1
    start = rows.nodes[START]
    for feature, nodes in by_feature(cuts.feature, unknown & ~is_sorted):
        lower[nodes] = np.searchsorted(rows.fixed.values[feature][:-1], cuts.at[nodes], side="right") - 1
    for node in np.flatnonzero(unknown & is_sorted).tolist():
        lower[node] = start[node] - 1 + np.searchsorted(_known_values(rows, cuts, node), cuts.at[node], side="right")
    for node in np.flatnonzero((cuts.kind > THRESHOLD) & is_sorted).tolist():
        some, known = slice(*cuts.first[node : node + 2]), _known_values(rows, cuts, node)
        at = np.searchsorted(known, cuts.codes[some])
        listed[some] = np.where(np.append(known, -1)[at] == cuts.codes[some], start[node] + at, -1)
    return LeadingRows(cuts.kind.astype(np.int64), cuts.feature.astype(np.int64), lower, cuts.first, listed)


def _known_values(rows: OpenRows, cuts: Cuts, node: int) -> Array:
    """The known values of a node's entries in its sorted feature, increasing."""
    feature, shift, entries = cuts.feature[node], rows.fixed.shift, rows.entries
    keys = entries.keys[-1 - rows.features[PLACE, feature], slice(*rows.nodes[:2, node].tolist())]
    _, _, gone = bits_of(shift)
    known: Array = rows.fixed.values[feature][entries.rows[1, keys[keys & gone == 0] >> shift]]
    return known


def _renumbered(rows: OpenRows, moves: Moves, work: int) -> Array:
    """New numbers for entries and their copies; classes and origins in the new order."""
    new_rows = np.empty((2, moves.position[-1]), np.int32)
    given = moves.first_child, rows.nodes, moves.child, moves.position, rows.entries.rows, moves.number, new_rows

    def renumber(first: int, last: int, _: int) -> None:
        partition.renumber(first, last, moves.kind, *given)

    rows.fixed.threads.share(renumber, len(moves.kind), work)
    if len(moves.copies):
        partition.number_copies(moves.first_child, rows.nodes, moves.position, moves.copies, rows.entries.rows, new_rows)
    return new_rows


def _shared_out(rows: OpenRows, moves: Moves) -> tuple[Array, Array]:
    """Times and fractions in the new order, empty if all are 1."""
    n, entries = int(moves.position[-1]), rows.entries
    times = np.empty(n) if len(entries.times) else _NOTHING
    fractions = np.ones(n) if len(entries.fractions) or len(moves.copies) else _NOTHING
    if len(times) or len(fractions):
        kept = moves.kind, rows.nodes, moves.number, moves.copies, moves.shares
        partition.move_shares(*kept, entries.times, entries.fractions, times, fractions)
    return times, fractions


def _counted(rows: OpenRows, position: Array, new_rows: Array, weights: Array) -> Array:
    """Class counts of nodes whose entries are in order."""
    exact = np.zeros((len(position) - 1, rows.fixed.n_classes))

    def count(first: int, last: int, _: int) -> None:
        partition.count_classes(first, last, position, new_rows, weights, exact)

    rows.fixed.threads.share(count, len(exact), new_rows.shape[1])
    return exact


def _moved_keys(rows: OpenRows, moves: Moves, work: int) -> Array:
    """The keys of sorted features in the new order; if copies need more room, all move into a new block."""
    in_order, keys, n, spare = rows.fixed.in_order, rows.entries.keys, int(moves.position[-1]), rows.spare.rows
    if not len(in_order):
        return keys  # type: ignore[no-any-return]
    new_keys = keys if n <= keys.shape[1] else np.empty((len(keys), n), key_type(n, rows.fixed.shift))

    def move(first: int, last: int, worker: int) -> None:
        given = rows.columns, keys, new_keys, spare[worker], rows.nodes, moves
        spare[worker] = partition.move_sorted(first, last, in_order, *given)

    rows.fixed.threads.share(move, len(in_order), work * len(in_order))
    return new_keys


def _moved_codes(rows: OpenRows, moves: Moves, work: int) -> Array:
    """The codes in the new order; the block that held them becomes the next spare one."""
    n, codes = int(moves.position[-1]), rows.entries.codes
    if not codes.shape[1]:
        return codes  # type: ignore[no-any-return]
    new_codes = rows.spare.codes if n <= len(rows.spare.codes) else np.empty((n, codes.shape[1]), codes.dtype)
    words, new_words = codes.view(np.uint64), new_codes.view(np.uint64)

    def move(first: int, last: int, _: int) -> None:
        partition.move_coded(first, last, words, new_words, moves.kind, rows.nodes, moves.number)

    rows.fixed.threads.share(move, len(moves.kind), work * words.shape[1])
    if len(moves.copies):
        new_words[moves.copies[:, 2]] = words[moves.copies[:, 0]]
    rows.spare.codes = codes
    return new_codes
