"""Positions of the nodes of a tree in a picture: leaves from left to right, branches above the middle of their children."""

from attrs import frozen

from ftree.tree.nodes import Node, level_order


@frozen(eq=False)
class Placed:
    """A node and its position: x in leaves from the left, depth from the root.

    `parent` is the index of the branch above in the list of all nodes, and `child` the node's number among its children; both
    are -1 for the root. `seen` is the node whose counts label it: itself, or its nearest ancestor with cases.
    """

    node: Node
    x: float
    depth: int
    parent: int
    child: int
    seen: Node


def placed(root: Node) -> list[Placed]:
    """All nodes with their places, level by level from left to right.

    >>> from ftree import Branch, Leaf, Threshold
    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> [(each.x, each.depth, each.parent) for each in placed(twig)]
    [(0.5, 0, -1), (0, 1, 0), (1, 1, 0)]
    """
    nodes, below = level_order(root)
    x = _positions(below)
    found = [Placed(root, x[0], 0, -1, -1, root)]
    for number, kids in enumerate(below):
        above = found[number]
        for child, place in enumerate(kids):
            seen = nodes[place] if any(nodes[place].counts) else above.seen
            found.append(Placed(nodes[place], x[place], above.depth + 1, number, child, seen))
    return found


def _positions(below: list[range]) -> list[float]:
    """The x of each node: a leaf's number from the left, and the mean of a branch's first and last child."""
    sizes = [1] * len(below)
    for number in reversed(range(len(below))):
        if below[number]:
            sizes[number] = sum(sizes[place] for place in below[number])
    x: list[float] = [0] * len(below)
    for number, kids in enumerate(below):  # the position of the first leaf below each node
        start = x[number]
        for place in kids:
            x[place], start = start, start + sizes[place]
    for number in reversed(range(len(below))):
        if below[number]:
            x[number] = (x[below[number][0]] + x[below[number][-1]]) / 2
    return x
