"""A tree of any depth, for tests."""

from numbers import Integral
from typing import Any

from ftree._lib.messages import short_repr
from ftree.tree.fold import unfold
from ftree.tree.nodes import Leaf, Tree
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import Threshold


def chain(depth: int) -> Tree:
    """A tree of any depth with one leaf on each level, for tests of deep trees.

    Raises a ValueError for anything but a whole number from 0.

    >>> chain(2).root.children[1]
    Branch(counts=(1, 1), split=Threshold(feature=0, at=1.5), children=(Leaf(counts=(0, 1)), Leaf(counts=(1, 0))))
    """
    if not isinstance(depth, Integral) or depth < 0:
        message = f"depth must be a whole number from 0, got {short_repr(depth)}."
        raise ValueError(message)

    def step(level: int) -> Any:
        counts = _alternating(level, depth)
        if level == depth:
            return Leaf(counts)
        return counts, Threshold(0, level + 0.5), [-1 - level, level + 1]

    def both(level: int) -> Any:
        return Leaf(_alternating(-1 - level, -1 - level)) if level < 0 else step(level)

    return Tree(Schema([Feature("x", "numeric")], "class", ("even", "odd")), unfold(0, both))


def _alternating(first: int, last: int) -> tuple[int, int]:
    """Numbers of even and of odd integers from the first to the last."""
    even = last // 2 - (first - 1) // 2
    return even, last - first + 1 - even
