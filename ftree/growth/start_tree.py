"""The tree from which growth starts: its splits are kept, level by level, and growth continues from its leaves."""

from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr, type_of
from ftree._lib.recursion import fold_over
from ftree.growth.checkpoint import GrownLevels
from ftree.growth.split_arrays import Cuts
from ftree.tree.edit import replace_at, subtree_at
from ftree.tree.nodes import Branch, Leaf, Node, Path, Tree, children
from ftree.tree.schema import Schema
from ftree.tree.splits.optional import recoded
from ftree.tree.splits.protocol import Split


@frozen(eq=False)
class StartNodes:
    """The nodes of a start tree at one level of growth, in order; None where growth is free, which is below its leaves.

    `only` is the only leaf that grows, identified as an object; if it is None, all leaves grow. If growth continues after
    an interruption, the leaves of the first `closed_levels` levels do not grow. `counted` says that the nodes have the
    counts of this table, and that all cases have an answer.

    >>> from ftree import Threshold
    >>> stump = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> root = StartNodes((stump,))
    >>> root.given([None]), root.below([2]).nodes
    ([Threshold(feature=0, at=0.5)], (None, None))
    """

    nodes: tuple[Node | None, ...]
    only: Leaf | None = None
    closed_levels: int = 0
    counted: bool = False

    def free(self, counts: Array) -> Array:
        """Which nodes the search may split, given the class counts (m, K): those with cases; others stay leaves."""
        return np.array([node is None for node in self.nodes], dtype=bool) & counts.any(axis=1)

    def given(self, splits: Sequence[Split | None]) -> "Sequence[Split | None]":
        """The splits of the level: those of the start tree, and those found for the other nodes."""
        both = [node.split if isinstance(node, Branch) else split for node, split in zip(self.nodes, splits, strict=True)]
        return Cuts.of(both) if isinstance(splits, Cuts) else both

    def among(self, nodes: Array) -> "StartNodes":
        """The same for the nodes that a boolean mask marks."""
        return evolve(self, nodes=tuple(node for node, kept in zip(self.nodes, nodes.tolist(), strict=True) if kept))

    def below(self, n_children: Sequence[int]) -> "StartNodes | None":
        """The next level, given each node's number of children; None below a level that is entirely free."""
        if all(node is None for node in self.nodes):
            return None
        left, listed = evolve(self, closed_levels=self.closed_levels - 1), list[Node | None]()
        for node, n in zip(self.nodes, n_children, strict=True):
            listed += map(left.or_free, node.children) if isinstance(node, Branch) else [None] * n
        return evolve(left, nodes=tuple(listed))

    def child_counts(self) -> Array | None:
        """Class counts of the children of all nodes, None if they must be counted."""
        if not self.counted or any(node is None for node in self.nodes):
            return None
        return np.array([child.counts for node in self.nodes if isinstance(node, Branch) for child in node.children])

    def or_free(self, node: Node) -> Node | None:
        """The node, or None for a leaf that grows."""
        free = isinstance(node, Leaf) and self.closed_levels <= 0 and (self.only is None or node is self.only)
        return None if free else node


def start_nodes(start: Tree | None, at: Path | None, schema: Schema) -> StartNodes | None:
    """The root of the start tree in the schema of a table; None without a start, or if it is a leaf.

    Raises a TypeError for a start that is not a tree, an IndexError for a path that leaves the tree, a ValueError for a path to a
    branch or without a start, and for a tree that does not fit the schema.
    """
    if start is None:
        if at is not None:
            message = f"at must be None without a start, got {short_repr(at)}. Pass the tree as start."
            raise ValueError(message)
        return None
    if not isinstance(start, Tree):
        message = f"start must be a Tree, got {type_of(start)}. Write Tree(schema, node) for a node."
        raise TypeError(message)
    only = None if at is None else Leaf(_leaf_at(start, at).counts)
    tree = start if at is None or only is None else replace_at(start, at, only)
    return _at_root(StartNodes((fitted(tree, schema),), only))


def resumed_nodes(grown: GrownLevels | None, *, counted: bool) -> StartNodes | None:
    """The root of a tree whose growth continues after an interruption; None if no level was finished."""
    if grown is None:
        return None
    return _at_root(StartNodes((grown.tree.root,), None, grown.levels, counted))


def _at_root(nodes: StartNodes) -> StartNodes | None:
    """The nodes, or None if the root is free."""
    (root,) = nodes.nodes
    return None if root is None or nodes.or_free(root) is None else nodes


def fitted(start: Tree, schema: Schema) -> Node:
    """The root of a start tree in the schema of a table: features are matched by name, codes by value.

    Raises a ValueError for a class that the schema lacks, and for a split that uses a feature or a value that it lacks.

    >>> from ftree import Feature, Threshold
    >>> old, new = (Schema([Feature(name, "numeric") for name in names], "class", (0, 1)) for names in ("xy", "yx"))
    >>> fitted(Tree(old, Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))), new).split
    Threshold(feature=1, at=0.5)
    """
    if gone := [label for label in start.schema.classes if label not in schema.classes]:
        message = f"start must have classes of the dataset, got {short_repr(gone[0])}, which the dataset does not have."
        raise ValueError(message)
    if start.schema.features == schema.features:
        return start.root

    def in_schema(node: Node, below: tuple[Node, ...]) -> Node:
        return Branch(node.counts, recoded(node.split, start.schema, schema), below) if isinstance(node, Branch) else node

    return fold_over(start.root, children, in_schema)


def _leaf_at(start: Tree, at: Path) -> Leaf:
    node = subtree_at(start, at).root
    if not isinstance(node, Leaf):
        message = f"at must be a path to a leaf of the start, got {short_repr(at)}, the path of a branch."
        raise ValueError(message)  # noqa: TRY004  # the path has the right type, but leads to the wrong kind of node
    return node
