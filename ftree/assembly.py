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
from ftree.tree import Node, all_whole_numbers, assembled

Array: TypeAlias = npt.NDArray[Any]

# From so many nodes on, a look for garbage among them would take a tenth of the time that growing them took.
_MANY_NODES = 10_000


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
        places, counts, splits, all_sizes, all_first = zip(*self.parts, strict=True)
        sizes = np.concatenate(all_sizes)
        first = np.concatenate(all_first)[sizes > 0]
        below = map(slice, first.tolist(), (first + sizes[sizes > 0]).tolist())
        nodes = assembled(
            chain.from_iterable(map(all_whole_numbers, counts)),
            (sizes > 0).tolist(),
            chain.from_iterable(map(_present, splits)),
            np.argsort(np.concatenate(places)).tolist(),
            below,
        )
        if len(nodes) >= _MANY_NODES:
            count_as_old()
        return nodes[0]


def _present(splits: Sequence[Split | None]) -> Sequence[Split]:
    return splits.present() if isinstance(splits, Cuts) else [split for split in splits if split is not None]
