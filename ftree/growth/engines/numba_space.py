"""The memory in which the compiled engine grows groups of subtrees, one after another, since kernels allocate none."""

from collections import deque
from itertools import pairwise

import numpy as np
from attrs import define, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.kernels.room import Room
from ftree._lib.memory import require_memory
from ftree.growth.engines.numba_search import most_values
from ftree.growth.engines.numba_state import State, product
from ftree.growth.kernels.buffers import search_buffers
from ftree.growth.kernels.grow_subtrees import Space
from ftree.growth.kernels.node_arrays import FEATURE, FIRST, KIND, LOWER, N_NOTED, UPPER, WIDTH, GrownNodes
from ftree.growth.kernels.records import Entries, Nodes

# Bytes in any room; of a row besides its codes and class; of the scores of a feature in a node; of a node.
_LEAST, _ROW, _SCORE, _NODE = 2**14, 60, 24, 200
# Nodes in any space.
_FEW = 64
_NONE = np.empty(0, np.int64)


@frozen(eq=False)
class Place:
    """A block of memory and the space in it; `n` entries have room, more often than not with those that are copies."""

    n: int
    block: Array
    space: Space

    def grown(self, n: int, n_listed: int) -> tuple[Array, ...]:
        """The first n nodes and the first of the values that they list, as `join_parts` takes them."""
        counts, noted, listed = self.space.grown
        kept = noted[:, :n].copy()
        in_order = (kept[row] for row in (KIND, FEATURE, LOWER, UPPER, FIRST, WIDTH))
        return counts[:n].copy(), *in_order, listed[:n_listed].copy()

    def left(self, left: Array, n: int, like: Entries) -> tuple[Nodes, Entries]:
        """The n nodes that `finish` leaves for another thread, with their entries, which are `like` those it was given."""
        k = self.space.grown.counts.shape[1]
        if not n:
            return Nodes(_NONE, _NONE, np.empty((0, k))), like
        at, size = left.T.tolist()
        lanes, n_entries = int((like.place < 0).sum()) + 1, size[3]
        begin, totals = self._copied(at[7], (n + 1,), np.int64), self._copied(at[8], (n, k), np.float64)
        times, fractions = (self._copied(at[row], (size[row],), np.float64) for row in (5, 6))
        entries = Entries(
            self._copied(at[0], like.place.shape, np.int64),
            self._copied(at[1], (lanes, size[1]), like.keys.dtype),
            self._copied(at[2], (n_entries, like.codes.shape[1]), np.uint8),
            self._copied(at[3], (n_entries,), like.classes.dtype),
            self._copied(at[4], (n_entries,), np.int32),
            times,
            fractions,
            product(times, fractions),
        )
        return Nodes(begin[:-1], begin[1:], totals), entries

    def _copied(self, address: int, shape: tuple[int, ...], dtype: "np.typing.DTypeLike") -> Array:
        """The array of a shape that begins at an address in the block."""
        if not np.prod(shape):
            return np.empty(shape, dtype)
        found: Array = np.ndarray(shape, dtype, self.block, address - self.block.ctypes.data)
        return found.copy()


@define(eq=False)
class Spaces:
    """Places for groups of up to `n` entries of a growth: as many as threads, each used by one group after another."""

    state: State
    n: int
    idle: deque[Place] = field(factory=deque, init=False)

    def take(self) -> Place:
        """A place for one thread, which gives it back; one that was too small is dropped instead."""
        place = self.idle.pop() if self.idle else place_for(self.state, self.n)
        free = place.space.kept.free
        free[0] = free[2]  # the arrays of the group before are copied
        return place

    def give_back(self, place: Place) -> None:
        """Keep a place for the next group, unless larger ones are made by now."""
        if place.n >= self.n:
            self.idle.append(place)

    def enlarge(self) -> None:
        """Make places for more entries from now on. Raises a MemoryError if the machine lacks the memory."""
        self.idle.clear()
        kept, level = _bytes(self.state, 2 * self.n)
        require_memory(float(kept + 2 * level), "the nodes below some rows", "Stop earlier.")
        self.n *= 2


def place_for(state: State, n: int) -> Place:
    """A place for groups of n entries."""
    fixed, k, most = state.fixed, state.fixed.n_classes, 2 * n + _FEW
    kept, level = _bytes(state, n)
    block, edges = np.empty(kept + 2 * level, np.uint8), (0, kept, kept + level, kept + 2 * level)
    address = block.__array_interface__["data"][0]  # sooner than `block.ctypes.data`
    stays, even, odd = (Room(address, np.array([begin, end, begin], np.int64)) for begin, end in pairwise(edges))
    grown = GrownNodes(np.empty((most, k)), np.empty((N_NOTED, most), np.int64), np.empty(most, np.int64))
    return Place(n, block, Space(stays, even, odd, grown, np.empty(k), search_buffers(fixed.features, most_values(state), k)))


def _bytes(state: State, n: int) -> tuple[int, int]:
    """The bytes that n entries and other lasting arrays may take, and those of a level; only bytes that are written count."""
    fixed, held, k = state.fixed, state.entries, state.fixed.n_classes
    row = held.codes.shape[1] + held.classes.dtype.itemsize + _ROW
    keys = 2 * held.keys.dtype.itemsize * (len(fixed.features.in_order) + 1)
    scores = _SCORE * len(fixed.values)
    # A node that is searched has two entries at least.
    return _LEAST + n * (row + keys + 8 * k) + scores, _LEAST + n * (row + (scores + _NODE + 40 * k) // 2)
