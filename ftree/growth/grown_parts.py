"""What the two ways share in which the native library grows, in presorted columns and on tables of any kinds: parts, sorted keys.

Threads that wait get the largest open nodes of others as parts of the tree, and all parts are joined to one.
"""

from collections.abc import Callable, Sequence
from threading import current_thread, main_thread
from typing import Any, Protocol, TypeVar

import numpy as np
from attrs import asdict

from ftree import native
from ftree._lib.arrays import Array, Floats, offsets
from ftree._lib.machine import ThreadPool
from ftree._lib.waiting import Progress
from ftree.growth.engines.engine import StopLimits


class GrowingPart(Protocol):
    """A node of the part `above` it, by number, with all nodes below, in arrays that may be longer than `n_nodes`."""

    @property
    def above(self) -> "tuple[Any, int] | None":
        """The part that handed the node over, and the node's number there; None for the root's part."""
        ...

    @property
    def nodes(self) -> Array:
        """Nodes as the library has them; the children of each begin with `first`."""
        ...

    @property
    def counts(self) -> Floats:
        """Counts or sums of nodes, (m, K)."""
        ...

    @property
    def open(self) -> Array:
        """The open nodes; the last one is next."""
        ...

    @property
    def n_nodes(self) -> int:
        """The nodes so far."""
        ...

    @property
    def n_open(self) -> int:
        """The nodes that are left."""
        ...

    @property
    def n_open_rows(self) -> int:
        """The rows of open nodes."""
        ...

    def is_worth_sharing(self, n_features: int) -> bool:
        """Whether another thread should grow the largest node that waits."""
        ...

    def handed_over(self) -> Any:
        """The largest node that waits, as a part of its own."""
        ...


PartOfTree = TypeVar("PartOfTree", bound=GrowingPart)


def grown_parts(
    root: PartOfTree, advance: Callable[[PartOfTree], Any], threads: ThreadPool, line: Progress, *, n_rows: int, n_features: int
) -> list[PartOfTree]:
    """All parts of a tree, each grown by `advance`, which goes on for a while."""
    parts = [root]

    def work(part: PartOfTree, idle: Array) -> list[PartOfTree]:
        while part.n_open and not (idle[0] and part.is_worth_sharing(n_features)):
            advance(part)
            if current_thread() is main_thread():
                line.level(int(part.open[0]["depth"]), part.n_open, 1 - part.n_open_rows / n_rows)
        if not part.n_open:
            return []
        parts.append(part.handed_over())
        return [part, parts[-1]]

    threads.run_tasks([root], work, n_rows * n_features)
    return parts


def joined_nodes(parts: Sequence[GrowingPart], **sizes_of_lists: Sequence[int]) -> tuple[Array, Floats, list[Array]]:
    """All nodes and their counts: those of the root's part, then those of each other part; and the place of each part's nodes.

    The first node of every other part has its place in the part above. A node's field that says where it begins in a list moves
    behind the lists of earlier parts, whose sizes are given by the field's name.
    """
    sizes = [part.n_nodes for part in parts]
    begin = (offsets(np.array(sizes) - 1) + 1).tolist()
    own = [slice(part.above is not None, size) for part, size in zip(parts, sizes, strict=True)]
    nodes = _end_to_end([part.nodes[some] for part, some in zip(parts, own, strict=True)])
    counts = _end_to_end([part.counts[some] for part, some in zip(parts, own, strict=True)])
    moved = {name: offsets(np.array(each)) for name, each in sizes_of_lists.items()}
    number_of, places = {part: number for number, part in enumerate(parts)}, []
    for number, (part, first, size) in enumerate(zip(parts, begin, sizes, strict=False)):
        root = 0 if part.above is None else begin[number_of[part.above[0]]] + part.above[1] - 1
        nodes[root] = part.nodes[0]
        place = np.append(root, np.arange(first, first + size - 1))
        nodes["first"][place] += first - 1
        for name, by in moved.items():
            nodes[name][place] += by[number]
        places.append(place)
    return nodes, counts, places


def _end_to_end(arrays: Sequence[Array]) -> Array:
    return np.concatenate(arrays) if len(arrays) > 1 else arrays[0]


# Limits may be whole numbers beyond the range of floats; no node reaches this one.
_UNREACHED = 2**1000


# Rows that are copied together: a table of a hundred columns has 400 kB of them.
_BLOCK = 512


def rules_of(limits: StopLimits, unit: float, shift: int, impurity: int) -> Array:
    """The stopping rule and the layout of keys as the library takes them.

    >>> rules_of(StopLimits(depth=3), 1.0, 2, 1)["depth"].tolist()
    [3.0]
    """
    numbers = {name: float(min(limit, _UNREACHED)) for name, limit in asdict(limits).items()}
    rules = native.record(native.GROWTH_RULES, **numbers, unit=unit, shift=shift, impurity=impurity)
    return np.array([rules], native.GROWTH_RULES)


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


def sorted_keys(columns: Sequence[Floats], labels: Array, shift: int, threads: ThreadPool) -> tuple[Array, Array]:
    """Keys of columns, missing values last, and whether no value of one occurs twice.

    >>> keys, distinct = sorted_keys([np.array([2.0, 1.0, 2.0])], np.zeros(3, np.uint8), 1, ThreadPool(1))
    >>> (keys >> 1).tolist(), (keys & 1).tolist(), distinct.tolist()
    ([[1, 0, 2]], [[1, 1, 0]], [0])
    """
    n = len(labels)
    keys, distinct = np.empty((len(columns), n), np.int32), np.empty(len(columns), np.uint8)

    def sort(first: int, last: int, _: int) -> None:
        items, room, count = np.empty(n, native.ITEM), np.empty(n, native.ITEM), np.empty((4, 256), np.uint32)
        for number in range(first, last):
            distinct[number] = native.call("sort_lane", columns[number], labels, shift, items, room, count, keys[number])

    threads.share(sort, len(columns), keys.size)
    return keys, distinct
