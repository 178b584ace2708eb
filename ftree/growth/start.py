"""The tree from which growth starts: its splits are kept, level by level, and growth continues from its leaves."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr, type_of
from ftree._lib.objects import fold_over
from ftree.tree.edit import replace_at, subtree_at
from ftree.tree.nodes import Branch, Leaf, Node, Path, Tree, children
from ftree.tree.schema import Schema, by_task
from ftree.tree.splits.shared import recoded
from ftree.tree.splits.split import Split

# A tree whose leaves grow; or only the leaf at a path.
GrownFrom: TypeAlias = Tree | tuple[Tree, Path]


@frozen(eq=False)
class StartNodes:
    """The nodes of a start tree at one level of growth, in order; None where growth is free, which is below its leaves.

    `only` is the only leaf that grows, identified as an object; if it is None, all leaves grow.

    >>> from ftree.tree import Threshold
    >>> stump = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> root = StartNodes((stump,))
    >>> root.given([None]), root.below([2]).nodes
    ([Threshold(feature=0, at=0.5)], (None, None))
    """

    nodes: tuple[Node | None, ...]
    only: Leaf | None = None

    def free(self, counts: Array) -> Array:
        """Which nodes the search may split, given the class counts (m, K): those with cases; others stay leaves."""
        return np.array([node is None for node in self.nodes], dtype=bool) & counts.any(axis=1)

    def given(self, splits: Sequence[Split | None]) -> "Sequence[Split | None]":
        """The splits of the level: those of the start tree, and those found for the other nodes."""
        return [node.split if isinstance(node, Branch) else split for node, split in zip(self.nodes, splits, strict=True)]

    def among(self, nodes: Array) -> "StartNodes":
        """The start nodes that a boolean mask marks."""
        return evolve(self, nodes=tuple(node for node, kept in zip(self.nodes, nodes.tolist(), strict=True) if kept))

    def below(self, n_children: Sequence[int]) -> "StartNodes | None":
        """The next level, given each node's number of children; None below a level that is entirely free."""
        if all(node is None for node in self.nodes):
            return None
        listed = list[Node | None]()
        for node, n in zip(self.nodes, n_children, strict=True):
            listed += map(self.or_free, node.children) if isinstance(node, Branch) else [None] * n
        return evolve(self, nodes=tuple(listed))

    def or_free(self, node: Node) -> Node | None:
        """The node, or None for a leaf that grows."""
        return None if isinstance(node, Leaf) and (self.only is None or node is self.only) else node


def start_nodes(start: GrownFrom | None, schema: Schema) -> StartNodes | None:
    """The root of the start tree in the schema of a table; None without a start, or if it is a leaf.

    Raises a TypeError for a start that is not a tree, an IndexError for a path that leaves the tree, a ValueError for a path to a
    branch, and for a tree that does not fit the schema.
    """
    if start is None:
        return None
    tree, path = start if isinstance(start, tuple) and len(start) == len(("tree", "path")) else (start, None)
    if not isinstance(tree, Tree):
        message = f"start must be a Tree, or a pair (Tree, path), got {type_of(tree)}. Write Tree(schema, node) for a node."
        raise TypeError(message)
    if path is None:
        return _at_root(StartNodes((start_in_schema(tree, schema),), None))
    only = Leaf(_leaf_at(tree, path).counts)
    return _at_root(StartNodes((start_in_schema(replace_at(tree, path, only), schema),), only))


def _at_root(nodes: StartNodes) -> StartNodes | None:
    """The nodes, or None if the root is free."""
    (root,) = nodes.nodes
    return None if root is None or nodes.or_free(root) is None else nodes


def start_in_schema(start: Tree, schema: Schema) -> Node:
    """The root of a start tree in the schema of a table: features are matched by name, codes by value.

    Raises a ValueError for a class that the schema lacks, and for a split that uses a feature or a value that it lacks.

    >>> from ftree import Feature
    >>> from ftree.tree import Threshold
    >>> old, new = (Schema([Feature(name, "numeric") for name in names], "class", (0, 1)) for names in ("xy", "yx"))
    >>> start_in_schema(Tree(old, Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))), new).split
    Threshold(feature=1, at=0.5)
    """
    if start.schema.response.kind != schema.response.kind:
        wanted, got = by_task(schema.response.kind), by_task(start.schema.response.kind)
        raise ValueError(f"start must be {wanted}, to fit the dataset, got {got}.")
    if gone := [label for label in start.schema.classes if label not in schema.classes]:
        raise ValueError(f"start must have classes of the dataset, got {short_repr(gone[0])}, which the dataset does not have.")
    if start.schema.features == schema.features:
        return start.root

    def in_schema(node: Node, below: tuple[Node, ...]) -> Node:
        return Branch(node.counts, recoded(node.split, start.schema, schema), below) if isinstance(node, Branch) else node

    return fold_over(start.root, children, in_schema)


def _leaf_at(start: Tree, at: Path) -> Leaf:
    node = subtree_at(start, at).root
    if not isinstance(node, Leaf):
        message = f"start must have a path to a leaf of its tree, got {short_repr(at)}, the path of a branch."
        raise ValueError(message)  # noqa: TRY004  # the path has the right type, but leads to the wrong kind of node
    return node
