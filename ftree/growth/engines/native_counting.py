"""Counting and moving the entries of a level by the native library, to the same bits as NumPy does it in `plain_engine`.

An entry is a row in a node; codes (F, E) number its values among those of each feature, and features are shared among threads.
"""

from collections.abc import Sequence

import numpy as np

from ftree import native
from ftree._lib.arrays import Array, offsets, require_room_for_counts
from ftree._lib.machine import ThreadPool
from ftree.criteria.frontier import Avc

# Counts are searched as counts of children, with what is computed of them: in all so many times their memory, and as much for
# a block that is measured at once.
_COPIES, _BLOCK = 6, 1 << 13
# Codes are ranked by a table while it is not much larger than the rows; otherwise they are sorted.
_DENSE = 4
_NO_LABELS, _NO_WEIGHTS = np.zeros(0, np.int64), np.zeros(0)


def sorted_codes(column: Array) -> tuple[Array, Array]:
    """The different values of a column of finite doubles, in order, and each row's position among them."""
    n = len(column)
    items, room, count, keys = (
        np.empty(n, native.ITEM),
        np.empty(n, native.ITEM),
        np.empty((4, 256), np.uint32),
        np.empty(n, np.int32),
    )
    native.call("sort_lane", np.ascontiguousarray(column), np.zeros(n, np.uint8), 1, items, room, count, keys)
    rows, is_new, codes = keys >> 1, keys & 1, np.empty(n, np.int32)
    codes[rows] = np.cumsum(is_new) - 1
    return column[rows[is_new > 0]], codes


def counted(
    values: Sequence[Array],
    codes: Array,
    sizes: Array,
    classes: Array,
    weights: Array | None,
    *,
    n_classes: int,
    threads: ThreadPool,
) -> Avc:
    """Attribute-value-class counts of nodes, whose entries follow each other by these sizes; see `class_counts_of_cells`.

    Raises a MemoryError before it takes more memory than there is.
    """
    node = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    widths = np.array([len(of) for of in values], np.int64)
    ranks, found = _ranked(codes, node, widths, len(sizes), threads)
    by_node = found.T.ravel()
    rows, n_rows = np.ascontiguousarray(offsets(by_node)[:-1].reshape(len(sizes), len(codes)).T), int(by_node.sum())
    require_room_for_counts(n_rows, n_classes, copies_in_search(n_rows))
    whole = weights is None and classes.ndim == 1
    value, counts = np.empty(n_rows), np.zeros((n_rows, n_classes), np.int64 if whole else np.float64)
    cases = _NO_WEIGHTS if weights is None or classes.ndim > 1 else weights.astype(np.float64, copy=False)
    labels, added = (classes, np.zeros((0, n_classes))) if classes.ndim == 1 else (_NO_LABELS, _weighted(classes, weights))
    given = codes, ranks, node, rows, labels, cases, added, np.concatenate([*values, _NO_WEIGHTS]), offsets(widths)[:-1]

    def count(first: int, last: int, _: int) -> None:
        native.call("count_ranks", *given, first, last, value, counts.view(np.float64))

    threads.share(count, len(codes), codes.size)
    node_of, feature = np.divmod(np.arange(by_node.size), max(len(codes), 1))
    return Avc(np.repeat(node_of, by_node), np.repeat(feature, by_node), value, counts)


def _ranked(codes: Array, node: Array, widths: Array, n_nodes: int, threads: ThreadPool) -> tuple[Array, Array]:
    """The rank of each code in its node (F, E), and how many codes each node has (F, m); codes are less than `widths` (F,)."""
    n, widest = len(node), int(widths.max(initial=1))
    ranks, sizes = np.empty(codes.shape, np.int32), np.empty((len(codes), n_nodes), np.int64)

    def rank(first: int, last: int, _: int) -> None:
        room = (np.empty(size, np.int32) for size in (widest, n_nodes, n, _DENSE * n))
        native.call("rank_codes", codes, node, widths, first, last, *room, ranks, sizes)

    threads.share(rank, len(codes), codes.size)
    return ranks, sizes


def _weighted(sums: Array, weights: Array | None) -> Array:
    return np.ascontiguousarray(sums if weights is None else sums * weights[:, None], np.float64)


def in_nodes(node: Array, n_nodes: int) -> tuple[Array, Array]:
    """The entries in the order of their new nodes (E,), without those of no node (-1), and the first one of each node."""
    order, starts = np.empty(np.count_nonzero(node >= 0), np.int64), np.empty(n_nodes + 1, np.int64)
    native.call("group_entries", node, starts, order)
    return order, starts[:-1]


def taken(codes: Array, entries: Array, threads: ThreadPool) -> Array:
    """The codes of some entries."""
    into = np.empty((len(codes), len(entries)), np.int32)

    def take(first: int, last: int, _: int) -> None:
        native.call("take_codes", codes, entries, first, last, into)

    threads.share(take, len(codes), into.size)
    return into


def copies_in_search(n_cells: int) -> float:
    """How many times the memory of so many cells' counts the search among them takes."""
    return _COPIES * (1 + min(n_cells, _BLOCK) / max(n_cells, 1))
