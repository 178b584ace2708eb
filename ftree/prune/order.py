"""The nodes of a tree numbered level by level, with the numbers of parents and children."""

from collections.abc import Sequence

from attrs import frozen

from ftree._lib.gc_pause import gc_paused
from ftree.tree.nodes import Node, Path, Tree, check_tree, level_order


def path_to(number: int, parents: Sequence[int], below: Sequence[range]) -> Path:
    """The path of a node from the root, which is number 0.

    >>> path_to(2, [-1, 0, 0], [range(1, 3), range(0), range(0)])
    (1,)
    """
    steps = []
    while number:
        above = parents[number]
        steps.append(number - below[above].start)
        number = above
    return tuple(reversed(steps))


@frozen(eq=False)
class LevelOrder:
    """All nodes, level by level; the number of each node's parent, -1 for the root's; the numbers of its children.

    The lists are flat, since half a million small records would slow down Python's garbage collector.
    """

    nodes: list[Node]
    parents: list[int]
    below: list[range]

    def path(self, number: int) -> Path:
        """The path of a node."""
        return path_to(number, self.parents, self.below)

    def nearest_with_cases(self, number: int) -> Node:
        """The node, or its nearest ancestor with cases: its majority is the class that the node predicts."""
        while number and not any(self.nodes[number].counts):
            number = self.parents[number]
        return self.nodes[number]


@gc_paused()
def in_level_order(tree: Tree) -> LevelOrder:
    """The nodes of a tree, numbered level by level."""
    check_tree(tree)
    nodes, below = level_order(tree.root)
    parents = [-1]
    for number, kids in enumerate(below):
        parents += [number] * len(kids)
    return LevelOrder(nodes, parents, below)
