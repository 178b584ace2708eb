"""A tree as arrays, whose nodes are made only if the tree itself is needed."""

from collections.abc import Callable

from attrs import frozen

from ftree.routing.flat import Flat, flat
from ftree.tree.nodes import Tree
from ftree.tree.schema import Schema


@frozen(eq=False)
class FlatTree:
    """The schema and the flat form of a tree, and a function that makes the tree."""

    schema: Schema
    nodes: Flat
    tree: Callable[[], Tree]


def flat_tree(tree: Tree) -> FlatTree:
    """The flat form of an existing tree.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> tree = grow(weather())
    >>> flat_tree(tree).tree() is tree
    True
    """
    return FlatTree(tree.schema, flat(tree.root), lambda: tree)
