"""Columns in place in memory: rows routed without a copy, checked for missing values and infinity, or copied into a block.

Columns are int64 arrays (4, F), as `ftree.routing.in_memory` makes them: addresses, strides in bytes, types of numbers, and the
number of values in a row, which is one, except for columns that are adjacent in memory.
"""

import numpy as np

from ftree._lib.jit import alloc_free, inlined, kernel
from ftree._lib.kernels.pointer import pointer_to

ADDRESS, STRIDE, TYPE, WIDTH = range(4)
# Types of numbers in memory.
FLOAT64, FLOAT32, INT8, INT16, INT32, INT64 = range(6)
# States of numbers: all known, some missing, some infinite.
KNOWN, GAPS, INFINITE = range(3)

# This many rows of about a dozen columns stay in the fastest cache.
_BLOCK = 256
# As in `walk`: check for finished rows every 4 levels.
_STEPS = 4
_LOW = np.int64(0xFFFFFFFF)


@kernel
def walk_known(used, looked, enough, in_place, nodes, thresholds, begin, leaf):
    """The state of the columns `looked` in these rows; if they are all known, `leaf` is the node where each row ends.

    Rows are `begin` and those after it, one for each item of `leaf`; after the state `enough`, no more are checked. Without
    `in_place` they are only checked; with it, the columns `used` are floats of one type and stride. `nodes` and
    `thresholds` are `Flat.nodes_in_pairs`.
    """
    row, node = np.empty(_BLOCK, np.uint32), np.empty(_BLOCK, np.uint32)
    state = KNOWN
    for first in range(0, len(leaf), _BLOCK):
        n = min(_BLOCK, len(leaf) - first)
        for f in range(looked.shape[1]):
            state = max(state, _state(looked, f, begin + first, n))
        if state >= enough:
            return state
        if in_place and state == KNOWN:
            if used[TYPE, 0] == FLOAT64:
                _walk_in_place(used, nodes, thresholds, begin, leaf, first, n, row, node, np.float64(0))
            else:
                _walk_in_place(used, nodes, thresholds, begin, leaf, first, n, row, node, np.float32(0))
    return state


@alloc_free
def _walk_in_place(columns, nodes, thresholds, begin, leaf, first, n, row, node, like):
    """As `walk`, for n rows from the first on; `row` and `node` are buffers."""
    begin, active = begin + first, np.uint64(n)
    for i in range(active):
        row[i], node[i] = i, 0
    while active:
        for _ in range(_STEPS - 1):
            for i in range(active):
                node[i] = _step(columns, nodes, thresholds, begin + np.int64(row[i]), np.uint64(node[i]), like)
        still = np.uint64(0)
        for i in range(active):
            r = np.uint64(row[i])
            here = _step(columns, nodes, thresholds, begin + np.int64(r), np.uint64(node[i]), like)
            row[still], node[still], leaf[np.uint64(first) + r] = r, here, here
            still += np.uint64(np.uint64(nodes[np.uint64(2) * here] & _LOW) != here)
        active = still


@inlined
def _step(columns, nodes, thresholds, r, here, like):
    """The child to which a known number leads; a leaf itself, whose threshold is infinity."""
    way = nodes[np.uint64(2) * here]
    x = pointer_to(columns[ADDRESS, np.uint64(way >> 33)] + r * columns[STRIDE, 0], like)[0]
    return np.uint64((way & _LOW) + np.int64(np.float64(x) > thresholds[np.uint64(2) * here + np.uint64(1)]))


@inlined
def _state(columns, f, begin, n):
    """The state of n rows of a column of floats: `KNOWN`, `GAPS` or `INFINITE`."""
    stride, width = columns[STRIDE, f], columns[WIDTH, f]
    address = columns[ADDRESS, f] + begin * width * stride
    if columns[TYPE, f] == FLOAT64:
        return _state_of(address, stride, n * width, 8, np.float64(0))
    return _state_of(address, stride, n * width, 4, np.float32(0))


@alloc_free
def _state_of(address, stride, n, size, like):
    """The state of n floats; adjacent ones are checked several at once."""
    numbers, odd = pointer_to(address, like), 0
    if stride == size:
        for i in range(n):
            odd |= np.int64(numbers[i] - numbers[i] != 0)  # infinity minus infinity is NaN
    else:
        for i in range(n):
            x = pointer_to(address + i * stride, like)[0]
            odd |= np.int64(x - x != 0)
    for i in range(n if odd else 0):
        if np.isinf(pointer_to(address + i * stride, like)[0]):
            return INFINITE
    return GAPS if odd else KNOWN


@kernel
def copy_columns(columns, begin, n, cells):
    """Copy n rows of columns into a block (F, n or more), as floats; negative integers, which are missing, as NaN."""
    for f in range(columns.shape[1]):
        stride, kind = columns[STRIDE, f], columns[TYPE, f]
        address = columns[ADDRESS, f] + begin * stride
        if kind == FLOAT64:
            for i in range(n):
                cells[f, i] = pointer_to(address + i * stride, np.float64(0))[0]
        else:
            for i in range(n):
                cells[f, i] = _number(address + i * stride, kind)


@inlined
def _number(address, kind):
    """The number of another type than FLOAT64 at an address as a float; NaN for a negative integer."""
    if kind == FLOAT32:
        return np.float64(pointer_to(address, np.float32(0))[0])
    if kind == INT8:
        code = np.int64(pointer_to(address, np.int8(0))[0])
    elif kind == INT16:
        code = np.int64(pointer_to(address, np.int16(0))[0])
    elif kind == INT32:
        code = np.int64(pointer_to(address, np.int32(0))[0])
    else:
        code = pointer_to(address, np.int64(0))[0]
    return np.float64(code) if code >= 0 else np.nan
