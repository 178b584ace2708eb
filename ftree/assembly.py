"""Nodes made last: growth leaves arrays, and the frozen nodes of the whole tree are made of them in one go.

The cost of a node is then that of a few steps in C, and no search for garbage looks through nodes half made.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import define, field

from ftree._collector import count_as_old, no_collecting
from ftree.cuts import Cuts
from ftree.split import Split
from ftree.tree import Leaf, Node, all_whole_numbers, new_branches, new_leaves, set_children

Array: TypeAlias = npt.NDArray[Any]

# From so many nodes on, a look for garbage among them would take a tenth of the time that growing them took.
_MANY_NODES = 10_000
# Equal leaves are found by a number of so many bits, which all classes share.
_KEY = 16


@define(eq=False)
class Assembly:
    """Nodes listed so far: in parts, the place of each in the tree, class counts, split, number of children, place of the first.

    Places number all nodes from 0, the root; the children of a node have places side by side.

    >>> from ftree.split import Threshold
    >>> parts = Assembly()
    >>> parts.add(np.array([1, 2]), np.array([[1, 0], [0, 1]]), [None, None], sizes=np.array([0, 0]), first=np.array([0, 0]))
    >>> parts.add(np.array([0]), np.array([[1, 1]]), [Threshold(0, 0.5)], sizes=np.array([2]), first=np.array([1]))
    >>> parts.root()
    Branch(counts=(1, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))
    """

    size: int = field(default=0, init=False)
    parts: list[tuple[Array, Array, Sequence[Split | None], Array, Array]] = field(factory=list, init=False)

    def add(self, place: Array, counts: Array, splits: Sequence[Split | None], sizes: Array, first: Array) -> None:
        """List some more nodes; `first` is of no meaning where `sizes` is 0."""
        self.size += len(place)
        self.parts.append((place, counts, splits, sizes, first))

    @no_collecting()
    def root(self) -> Node:
        """The node at place 0, with all nodes below it."""
        places, all_counts, splits, all_sizes, firsts = zip(*self.parts, strict=True)
        place, counts, sizes, first = map(_joined, (places, all_counts, all_sizes, firsts))
        leaf, branch = np.flatnonzero(sizes == 0), np.flatnonzero(sizes)
        branches = new_branches(all_whole_numbers(counts[branch]), list(chain.from_iterable(map(_present, splits))))
        listed: list[Node] = [*equal_leaves(counts[leaf]), *branches]
        at = np.empty(len(place), np.intp)
        at[place[leaf]], at[place[branch]] = np.arange(len(leaf)), len(leaf) + np.arange(len(branch))
        nodes = tuple(map(listed.__getitem__, at.tolist()))
        below = map(slice, first[branch].tolist(), (first + sizes)[branch].tolist())
        set_children(branches, map(nodes.__getitem__, below))
        if len(nodes) >= _MANY_NODES:
            count_as_old()
        return nodes[0]


def equal_leaves(counts: Array) -> list[Leaf]:
    """A leaf for each row of counts; where there are many, equal ones of few cases are one object.

    A large tree has mostly such leaves: a hundred thousand that differ in a few thousand ways.

    >>> one, other = equal_leaves(np.array([[2, 1], [2, 1]]))
    >>> one == other, one is other
    (True, False)
    >>> many = equal_leaves(np.tile([[2, 1], [0, 500]], (5000, 1)))
    >>> many[:2], many[0] is many[2]
    ([Leaf(counts=(2, 1)), Leaf(counts=(0, 500))], True)
    """
    n_classes = counts.shape[1]
    bits = _KEY // n_classes
    if len(counts) < _MANY_NODES or not bits:
        return new_leaves(all_whole_numbers(counts))
    whole = counts.astype(np.int64)
    few = ((whole == counts) & (whole < 1 << bits)).all(axis=1)
    shifts = bits * np.arange(n_classes)
    keys = (whole[few] << shifts).sum(axis=1)
    present = np.flatnonzero(np.bincount(keys))
    made = new_leaves(all_whole_numbers(np.concatenate([present[:, None] >> shifts & (1 << bits) - 1, counts[~few]])))
    which = np.empty(len(counts), dtype=np.int64)
    which[few] = np.searchsorted(present, keys)
    which[~few] = len(present) + np.arange(len(made) - len(present))
    return list(map(made.__getitem__, which.tolist()))


def _joined(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _present(splits: Sequence[Split | None]) -> Sequence[Split]:
    return splits.present() if isinstance(splits, Cuts) else [split for split in splits if split is not None]
