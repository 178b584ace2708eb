"""Sorted columns as the native library takes them: the keys of rows in the order of a number, and what is in a key.

`native/lanes.h` and `native/native.h` say how keys are made: a row, whether its value is another than that before, and more bits.
"""

from collections.abc import Sequence

import numpy as np
from attrs import asdict

from ftree import native
from ftree._lib.arrays import Array, Floats, blocks_of
from ftree._lib.machine import ThreadPool
from ftree.growth.depth_first.what_c_knows import StopLimits

# Rows that are copied together: a table of a hundred columns has 400 kB of them.
_BLOCK = 512


def side_by_side(columns: Sequence[Array]) -> list[Floats]:
    """Numbers as contiguous floats; columns of a table of rows are copied in blocks, whose rows stay in a processor's cache.

    >>> [column.flags.c_contiguous for column in side_by_side(np.array([[1, 2], [3, 4]]).T)]
    [True, True]
    """
    if all(column.flags.c_contiguous and column.dtype == np.float64 for column in columns):
        return list(columns)
    copies = np.empty((len(columns), len(columns[0])))
    for rows in blocks_of(0, copies.shape[1], _BLOCK):
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


def next_to(at: float, values: Array) -> Array:
    """Where a value next to a threshold is among those of a node: the largest one up to it, and the smallest one above it.

    >>> next_to(2.5, np.array([1.0, np.nan, 4.0, 2.0, 3.0])).tolist()
    [3, 4]
    """
    doubles = values.astype(np.float64, copy=False)  # a threshold between two values of single precision may have no such value
    below, above = np.where(doubles <= at, doubles, -np.inf), np.where(doubles > at, doubles, np.inf)
    return np.array([below.argmax(), above.argmin()])


# Limits may be whole numbers beyond the range of floats; no node reaches this one.
_UNREACHED = 2**1000


def rules_of(limits: StopLimits, unit: float, shift: int, impurity: int) -> Array:
    """The stopping rule and the layout of keys as the library takes them.

    >>> rules_of(StopLimits(depth=3), 1.0, 2, 1)["depth"].tolist()
    [3.0]
    """
    numbers = {name: float(min(limit, _UNREACHED)) for name, limit in asdict(limits).items()}
    rules = native.record(native.GROWTH_RULES, **numbers, unit=unit, shift=shift, impurity=impurity)
    return np.array([rules], native.GROWTH_RULES)
