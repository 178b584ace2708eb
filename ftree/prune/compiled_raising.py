"""Subtree raising in compiled code, on the flat form of a tree; only changed nodes are rebuilt."""

import sys
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.compilation import compiled_code_is_due, is_compiled
from ftree._lib.gc_pause import gc_paused
from ftree.routing.count import plain_counts, with_counts
from ftree.routing.flat import Flat, flat
from ftree.routing.incremental import Descent
from ftree.tree.build import new_branches, new_leaves, set_children
from ftree.tree.nodes import Branch, Node

# From these numbers of nodes on, compiled code saves more time than flattening a tree takes: with numba loaded, and without.
_MANY, _MANY_UNLOADED = 100, 20_000
# Seconds that a node takes without compiled code, on a machine of 2024.
_SECONDS_PER_NODE = 1e-5


def raising_is_compiled(nodes: Sequence[Node]) -> bool:
    """Whether compiled code prunes a tree of these nodes: there are many, and each split has a table form."""
    n, loaded = len(nodes), "numba" in sys.modules and is_compiled()
    if n < (_MANY if loaded else _MANY_UNLOADED):
        return False
    return (loaded or compiled_code_is_due(n * _SECONDS_PER_NODE)) and flat(nodes[0]).compiled


@gc_paused()
def raised_in_compiled_code(nodes: Sequence[Node], below: Sequence[range], descent: Descent, confidence: float, z: float) -> Node:
    """The root of a tree, in level order, after pruning: as `ftree.prune.subtree_raising.Raising` prunes it."""
    tree, room = flat(nodes[0]), 2 * len(descent.data) + 2
    while True:  # rows without an answer are divided, so the room that they need is not known beforehand
        pruned = _pruned(tree, descent, room, (confidence, z))
        if pruned is not None:
            break
        room *= 2
    recounted, state = pruned
    return _root(nodes if recounted is None else with_counts(nodes, below, plain_counts(recounted)), state)


def _pruned(tree: Flat, descent: Descent, room: int, estimate: tuple[float, float]) -> tuple[Array | None, Any] | None:
    """Counts of the dataset's cases, where they differ from the tree's, and the pruned nodes; None if rows need more room."""
    # Imported here, since numba takes longer to load than a small tree to prune.
    from ftree.prune.kernels.raise_subtrees import count_nodes, raise_subtrees  # noqa: PLC0415

    rows, segments, nodes, work = _records(tree, descent, room)
    if not count_nodes(rows, segments, nodes, work):
        return None
    recounted = None if np.allclose(nodes.counts, tree.counts, rtol=1e-9) else nodes.counts.copy()
    if recounted is None:
        nodes.counts[:] = tree.counts
    return (recounted, nodes) if raise_subtrees(rows, segments, nodes, work, *estimate) else None


def _records(tree: Flat, descent: Descent, room: int) -> tuple[Any, Any, Any, Any]:
    """The arrays on which kernels work: rows, their segments with that much room, nodes, and room for judging."""
    from ftree.prune.kernels.divide_rows import Rows, Segments  # noqa: PLC0415  # loads numba
    from ftree.prune.kernels.raise_subtrees import Nodes, Work  # noqa: PLC0415

    data, m, (row, share), shape = descent.data, len(tree.arity), descent.all_rows, tree.counts.shape
    times = np.ones(len(data)) if descent.times is None else descent.times.astype(np.float64)
    cells = tree.questions.cells(data.columns, len(data))
    rows = Rows(cells, tree.walk_arrays, data.labels.astype(np.int64), times, descent.step)
    begin, end, widest = np.zeros(m, np.int64), np.zeros(m, np.int64), int(tree.arity.max()) + 1
    end[0] = len(data)
    places = np.empty(room, np.int64), np.empty(room)
    for place, given in zip(places, (row, share), strict=True):
        place[: len(given)] = given
    segments = Segments(*places, np.empty(room, np.int32), begin, end, np.empty(widest), np.empty(widest, np.int64))
    parent = np.concatenate([[-1], np.repeat(np.arange(m), tree.arity)])
    flags = [np.zeros(m, np.bool_) for _ in range(5)]
    numbers = [np.empty(m, np.int64) for _ in range(5)]
    state = tree.first_child.copy(), tree.arity.copy(), parent, np.arange(m), np.zeros(shape), np.empty(m)
    return rows, segments, Nodes(*state, *flags[:3]), Work(np.empty(shape), np.empty((1, shape[1])), *flags[3:], *numbers)


def _root(nodes: Sequence[Node], state: Any) -> Node:
    """The root of the pruned tree: nodes that changed, or have changed nodes below, are rebuilt; all others are shared."""
    first, arity, source = state.first.tolist(), state.arity.tolist(), state.source.tolist()
    touched, stack, listed = state.touched.tolist(), [0], list[int]()
    while stack:
        here = stack.pop()
        if touched[here]:
            listed.append(here)
            stack += range(first[here], first[here] + arity[here])
    counts = dict(zip(listed, plain_counts(state.counts[listed]), strict=True)) if listed else {}
    made = list(nodes)
    ends, inner = [here for here in listed if not arity[here]], list[int]()
    for here in listed:
        kids = range(first[here], first[here] + arity[here])
        if kids and counts[here] == nodes[source[here]].counts and not any(map(touched.__getitem__, kids)):
            made[here] = nodes[source[here]]  # a raised child that got no cases
        elif kids:
            inner.append(here)
    branches = new_branches(map(counts.__getitem__, inner), [cast("Branch", nodes[source[here]]).split for here in inner])
    news: list[Node] = [*new_leaves(map(counts.__getitem__, ends)), *branches]
    for here, new in zip(ends + inner, news, strict=True):
        made[here] = new
    set_children(branches, (tuple(made[first[here] : first[here] + arity[here]]) for here in inner))
    return made[0]
