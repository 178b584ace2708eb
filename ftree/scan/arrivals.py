"""The nodes at which the rows of a part arrive: by compiled code for most rows; those with missing values become entries."""

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree._lib.compilation import compiled_code_is_due
from ftree.scan.parts import Part
from ftree.scan.routes import Entries, Routes

# Below this many rows, loading compiled code takes longer than it saves.
_MANY = 20_000
_SECONDS_PER_CELL = 5e-8


@frozen(eq=False)
class Arrivals:
    """The open node of each row (n,), below 0 for none, and the entries made from rows with missing values.

    `node` is None if all rows are entries.
    """

    node: Array | None
    entries: Entries


def arrivals(routes: Routes, part: Part, numeric: Array) -> Arrivals:
    """The nodes at which the rows of a part arrive."""
    if not takes_kernels(part):
        return Arrivals(None, routes.entries(part, numeric))
    from ftree.scan.kernels.count_part import LOST, descend  # noqa: PLC0415  # loads numba

    node = np.empty(len(part), dtype=np.int32)
    names = ("feature", "first", "at", "code", "absent", "table", "child", "open")
    n_lost = descend(part.codes, part.numbers, numeric, *(getattr(routes, name) for name in names), node)
    lost = np.flatnonzero(node <= LOST) if n_lost else np.zeros(0, dtype=np.int64)
    return Arrivals(node, routes.entries_from(part, numeric, lost, LOST - node[lost].astype(np.int64)))


def takes_kernels(part: Part) -> bool:
    """Whether a part is large enough for compiled code, and this is compiled or worth waiting for."""
    return len(part) >= _MANY and compiled_code_is_due(part.codes.size * _SECONDS_PER_CELL)
