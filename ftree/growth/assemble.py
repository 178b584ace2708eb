"""The nodes of the whole tree, made from the arrays of growth at its end, all at once.

A node then costs a few steps in C, and the garbage collector does not visit unfinished nodes.
"""

from collections.abc import Sequence
from itertools import chain
from typing import cast

import numpy as np
from attrs import define, field

from ftree._lib.arrays import Array, Floats, distinct, end_to_end
from ftree._lib.gc_pause import gc_paused, move_to_oldest_generation
from ftree._lib.memory import has_room, require_memory
from ftree.growth.split_arrays import Cuts
from ftree.tree.build import new_branches, new_leaves, set_children
from ftree.tree.nodes import Branch, Leaf, Node, all_whole_numbers
from ftree.tree.splits.protocol import Split

# From this many nodes on, a run of the garbage collector would take a tenth of the time of growth.
_MANY_NODES = 10_000
# Equal leaves are found by a number with this many bits, divided among the classes.
_KEY = 16


@define(eq=False)
class Assembly:
    """Nodes listed so far, in parts: position in the tree, class counts, split, number of children, position of the first child.

    Positions number all nodes from 0, the root; the children of a node have consecutive positions.

    >>> from ftree import Threshold
    >>> parts = Assembly()
    >>> parts.add(np.array([1, 2]), np.array([[1, 0], [0, 1]]), [None, None], sizes=np.array([0, 0]), first=np.array([0, 0]))
    >>> parts.add(np.array([0]), np.array([[1, 1]]), [Threshold(0, 0.5)], sizes=np.array([2]), first=np.array([1]))
    >>> parts.root()
    Branch(counts=(1, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))
    """

    size: int = 0
    parts: list[tuple[Array, Array, Sequence[Split | None], Array, Array]] = field(factory=list)

    def add(self, place: Array, counts: Array, splits: Sequence[Split | None], sizes: Array, first: Array) -> None:
        """Add nodes to the list; `first` is ignored where `sizes` is 0."""
        if len(place):
            self.size += len(place)
            self.parts.append((place, counts, splits, sizes, first))

    def copy(self) -> "Assembly":
        """Another list of the same nodes, which can grow independently."""
        return Assembly(self.size, [*self.parts])

    def at_values(self, values: "Sequence[Floats | None]") -> "Assembly | None":
        """The same nodes with thresholds at the given values of features; None if a split is not in arrays."""
        if not all(isinstance(splits, Cuts) and not splits.objects for _, _, splits, _, _ in self.parts):
            return None
        other = self.copy()
        for number, (place, counts, splits, sizes, first) in enumerate(self.parts):
            other.parts[number] = (place, counts, cast("Cuts", splits).at_values(values), sizes, first)
        return other

    @gc_paused()
    def root(self) -> Node:
        """The node at position 0, with all nodes below it."""
        places, all_counts, splits, all_sizes, firsts = zip(*self.parts, strict=True)
        check_room(self.size, all_counts[0].shape[1], copies=4)
        place, counts, sizes, first = map(end_to_end, (places, all_counts, all_sizes, firsts))
        (leaf,), (branch,) = (sizes == 0).nonzero(), sizes.nonzero()
        branches = new_branches(all_whole_numbers(counts[branch]), list(chain.from_iterable(map(_present, splits))))
        leaves, which = distinct_leaves(counts[leaf])
        at = np.empty(len(place), np.intp)
        at[place[leaf]], at[place[branch]] = which, len(leaves) + np.arange(len(branches))
        listed = np.fromiter(chain(leaves, branches), object, len(leaves) + len(branches))
        nodes = listed[at]
        _complete(branches, nodes, first[branch], sizes[branch])
        if len(nodes) >= _MANY_NODES:
            move_to_oldest_generation()
        return nodes[0]  # type: ignore[no-any-return]  # an array of nodes


def check_room(n_nodes: int, n_classes: int, *, copies: int) -> None:
    """Raise a MemoryError before `copies` arrays of node counts are made, if they need more memory than is available.

    >>> check_room(1000, 2, copies=4)
    """
    needed = 8.0 * copies * n_nodes * n_classes
    if not has_room(needed):
        remedy = "Stop earlier, as max_depth does, or use fewer classes: bin a numeric target, for instance by quartiles."
        require_memory(needed, f"{n_nodes:,} nodes with counts of {n_classes:,} classes", remedy)


def _complete(branches: Sequence[Branch], nodes: Array, first: Array, sizes: Array) -> None:
    """Give branches their children, which have consecutive positions."""
    listed = tuple(nodes.tolist())  # slices of a tuple are tuples
    set_children(branches, map(listed.__getitem__, map(slice, first.tolist(), (first + sizes).tolist())))


def distinct_leaves(counts: Array) -> tuple[list[Leaf], Array]:
    """Leaves, and the number of the leaf for each row of counts; of many leaves, equal ones with few cases are one object.

    A large tree has mostly such leaves: a hundred thousand leaves with a few thousand different counts.

    >>> leaves, which = distinct_leaves(np.array([[2, 1], [2, 1]]))
    >>> leaves, which.tolist()
    ([Leaf(counts=(2, 1)), Leaf(counts=(2, 1))], [0, 1])
    >>> leaves, which = distinct_leaves(np.tile([[2, 1], [0, 500]], (5000, 1)))
    >>> leaves[:2], len(leaves), which[:3].tolist()
    ([Leaf(counts=(2, 1)), Leaf(counts=(0, 500))], 5001, [0, 1, 0])
    """
    n_classes = counts.shape[1]
    bits = _KEY // n_classes
    if len(counts) < _MANY_NODES or not bits:
        return new_leaves(all_whole_numbers(counts)), np.arange(len(counts))
    few, keys = np.ones(len(counts), bool), np.zeros(len(counts), np.intp)
    for column in counts.T:
        whole = column.astype(np.intp)
        few &= (whole == column) & (whole < 1 << bits)
        keys = (keys << bits) + whole
    alike, others = np.flatnonzero(few), np.flatnonzero(~few)
    rows, number = distinct(keys[alike])
    made = new_leaves(all_whole_numbers(counts[np.append(alike[rows], others)]))
    which = np.empty(len(counts), np.intp)
    which[alike], which[others] = number, np.arange(len(rows), len(made))
    return made, which


def _present(splits: Sequence[Split | None]) -> Sequence[Split]:
    return splits.present() if isinstance(splits, Cuts) else [split for split in splits if split is not None]
