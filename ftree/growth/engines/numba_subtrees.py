"""Whole subtrees of the compiled engine: groups of small nodes are shared among threads, and a kernel grows each group."""

from functools import partial

import numpy as np

from ftree._lib.arrays import Array, offsets
from ftree._lib.memory import has_room
from ftree.growth.engines import numba_partition
from ftree.growth.engines.fused import GrownSubtrees, StopLimits
from ftree.growth.engines.numba_space import Place, Spaces
from ftree.growth.engines.numba_state import State
from ftree.growth.engines.numba_steps import growth_steps
from ftree.growth.engines.numba_surrogates import backing, found_so_far, is_backed, with_found
from ftree.growth.engines.subtree_tasks import Group, Tables, dealt, grown_in_parts, join_parts
from ftree.growth.kernels import grow_subtrees
from ftree.growth.kernels.grow_subtrees import Given, Limits
from ftree.growth.kernels.keys import most_entries
from ftree.growth.kernels.records import Entries, Nodes
from ftree.growth.kernels.steps import Steps

# Nodes of up to `_SMALL` cells (entries times features) are grown to the end in one call, in groups of about `_GROUP` cells.
_SMALL, _GROUP = 2**18, 2**16


def grown_subtrees(state: State, depth: int, stop: StopLimits) -> GrownSubtrees | None:
    """The small open nodes, all at one depth, with all nodes below them; None if there are none."""
    fixed, cells = state.fixed, state.sizes * len(state.fixed.values)
    (small,) = (cells <= _SMALL).nonzero()
    # Below a node of n entries are at most 2 n nodes, each with counts of all classes, in arrays that are copied as they grow.
    most = 48.0 * float(state.sizes[small].sum()) * fixed.n_classes
    if not len(fixed.values) or not len(small) or not has_room(most):
        return None
    groups = [
        Group(numbers, depth, state.nodes, state.entries, number)
        for number, numbers in enumerate(dealt(small, cells[small], _GROUP))
    ]
    depth_and_rows = float(stop.depth), float(stop.rows)
    limits = Limits(stop.pure, *depth_and_rows, float(stop.errors), float(stop.leaf), float(stop.gain), _most_entries(state))
    spaces = Spaces(state, max(int(state.sizes[group.numbers].sum()) for group in groups))
    grow = partial(_grown, state, limits, growth_steps(state), spaces)
    parts = grown_in_parts(groups, grow, fixed.threads, int(cells[small].sum()))
    if (found := join_parts(parts, len(cells))) is None:
        return None
    nodes, places, first, tables = found
    counts, kind, feature, lower, upper, _, width, codes, *surrogates = tables
    cuts = state.cuts(kind, feature, (lower, upper), offsets(width), codes, lower)
    backed = is_backed(state, cuts)
    if backed.any():
        cuts = with_found(state, cuts, backed, surrogates)
    return GrownSubtrees(nodes, places, counts, cuts, first)


def _grown(
    state: State, limits: Limits, steps: Steps, spaces: Spaces, group: Group, idle: Array
) -> tuple[Tables, int, Nodes, Entries]:
    """The subtrees of a group of nodes; then the depth, the nodes and the entries that are left for another thread."""
    while True:
        place = spaces.take()
        try:
            found = _grown_in(place, state, limits, steps, group, idle)
        except MemoryError:  # there are more copies than expected, or more nodes
            spaces.enlarge()
        else:
            spaces.give_back(place)
            return found


def _grown_in(
    place: Place, state: State, limits: Limits, steps: Steps, group: Group, idle: Array
) -> tuple[Tables, int, Nodes, Entries]:
    fixed, n = state.fixed, int((group.nodes.end - group.nodes.start)[group.numbers].sum())
    backs, left = backing(state, n), np.zeros((grow_subtrees.N_LEFT, 2), np.int64)
    given = Given(fixed.features, fixed.measure, fixed.sharing, limits, steps, backs, place.space)
    found = grow_subtrees.finish(group.numbers, group.depth, given, group.entries, group.nodes, idle, left)
    n_nodes, n_listed, depth, n_left = found
    # A split in many may divide copies of rows, so that splits outnumber the room: these are refused, as nodes in doubt are.
    refused = backs.found.size[0] > len(backs.found.default_child)
    tables = place.grown(0, 0) if refused else place.grown(n_nodes, n_listed)
    return (*tables, *found_so_far(backs.found)), depth, *place.left(left, n_left, group.entries)


def _most_entries(state: State) -> int:
    """How many entries have numbers."""
    return min(numba_partition.MOST_ENTRIES, most_entries(state.entries.keys.dtype, state.fixed.features.shift))
