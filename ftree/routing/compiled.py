"""Routing of many rows through a flat tree in compiled code, in several threads; loading numba takes longer than a few rows."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.threads import thread_pool
from ftree.routing.in_memory import InMemory, in_memory
from ftree.routing.kernels.columns import GAPS, INFINITE, copy_columns, walk_known
from ftree.routing.kernels.walk import gather, walk
from ftree.tree.splits.protocol import Columns

if TYPE_CHECKING:
    from ftree.routing.flat import Flat

# This many rows are routed at a time; if they are copied, a row's features are adjacent in memory.
_BLOCK = 4096
# This many steps of rows through nodes take a few tenths of a second, for which an interruption can wait.
_MOST_STEPS = 1 << 26


def walk_all(tree: "Flat", columns: Columns, n: int, *, finite: bool = True) -> Array | None:
    """The leaf of each row, -1 without an answer; None if a column has infinity, unless all are known to be `finite`.

    Known numbers are read in place. Codes, and rows with missing values, are copied, a block at a time.
    """
    used = _used(tree, columns)
    looked = in_memory(column for column in (used.columns if finite else columns) if column.dtype.kind == "f").joined()
    enough = GAPS if finite else INFINITE
    in_place = tree.thresholds_only and used.alike
    leaf, states = np.empty(n, np.int64), [0]

    def down(rows: slice, cells: Array) -> None:
        state = GAPS
        if in_place or not finite:
            state = walk_known(used.places, looked.places, enough, in_place, *tree.nodes_in_pairs, rows.start, leaf[rows])
            states.append(state)
        if state == GAPS or not in_place:
            copy_columns(used.places, rows.start, rows.stop - rows.start, cells)
            walk(cells, tree.walk_arrays, leaf[rows])

    _in_blocks(down, used, n, block=_BLOCK, steps=n)
    return None if max(states) == INFINITE else leaf


def gather_all(tree: "Flat", columns: Columns, given: tuple[Any, ...], answer: Array) -> None:
    """Fill `answer` (n, K) with the class counts of the leaves that each row may reach; `given` as `gather` takes it."""
    used, n = _used(tree, columns), len(answer)
    # A row with missing values may visit every node.
    n_nodes = len(tree.arity)
    block = max(1, min(_BLOCK, _MOST_STEPS // n_nodes))

    def down(rows: slice, cells: Array) -> None:
        copy_columns(used.places, rows.start, rows.stop - rows.start, cells)
        gather(cells, tree.walk_arrays, *given, answer[rows])

    _in_blocks(down, used, n, block=block, steps=n * n_nodes)


def _used(tree: "Flat", columns: Columns) -> InMemory:
    return in_memory(columns[feature] for feature in tree.questions.used_features.tolist())


def _in_blocks(work: Callable[[slice, Array], None], used: InMemory, n: int, *, block: int, steps: int) -> None:
    """Call `work` with blocks of rows, in several threads, and room for a copy of one, whose last row is entirely missing."""

    def several(low: int, high: int, _: int) -> None:
        cells = np.full((len(used.columns) + 1, block), np.nan)
        for begin in range(low * block, min(high * block, n), block):
            work(slice(begin, min(begin + block, n)), cells)

    with thread_pool(None) as threads:
        threads.share(several, -(-n // block), steps)
