"""Making nodes by the hundred thousand, for growth, which checks what the constructors check."""

from collections.abc import Iterable, Sequence
from itertools import repeat

from ftree._lib.recursion import exhaust
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree
from ftree.tree.schema import Schema
from ftree.tree.splits import Split


def new_leaves(counts: Iterable[Counts]) -> "list[Leaf]":
    """Leaves by the hundred thousand, for growth, which makes sure itself of what the constructor checks.

    Slots are set through their descriptors, as attrs does it, at a tenth of the cost of so many constructors.

    >>> new_leaves([(1, 0), (0, 1)])
    [Leaf(counts=(1, 0)), Leaf(counts=(0, 1))]
    """
    listed = list(counts)
    leaves: list[Leaf] = list(map(object.__new__, repeat(Leaf, len(listed))))
    exhaust(map(_SET_LEAF_COUNTS, leaves, listed))
    return leaves


def new_branches(counts: Iterable[Counts], splits: Sequence[Split]) -> "list[Branch]":
    """Branches in the same way, which `set_children` completes before anybody sees them."""
    branches: list[Branch] = list(map(object.__new__, repeat(Branch, len(splits))))
    exhaust(map(_SET_COUNTS, branches, counts))
    exhaust(map(_SET_SPLIT, branches, splits))
    return branches


def set_children(branches: "Iterable[Branch]", children_of: "Iterable[tuple[Node, ...]]") -> None:
    """Complete new branches.

    >>> from ftree import Threshold
    >>> twigs = new_branches([(1, 1)], [Threshold(0, 0.5)])
    >>> set_children(twigs, [(Leaf((1, 0)), Leaf((0, 1)))])
    >>> twigs
    [Branch(counts=(1, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))]
    """
    exhaust(map(_SET_CHILDREN, branches, children_of))


def grown(schema: Schema, root: Node) -> Tree:
    """A tree whose splits growth has made of the schema itself, so that they need no check against it."""
    tree: Tree = object.__new__(Tree)
    _SET_SCHEMA(tree, schema)
    _SET_ROOT(tree, root)
    return tree


_SET_LEAF_COUNTS = vars(Leaf)["counts"].__set__


_SET_COUNTS, _SET_SPLIT, _SET_CHILDREN = (vars(Branch)[name].__set__ for name in ("counts", "split", "children"))


_SET_SCHEMA, _SET_ROOT = (vars(Tree)[name].__set__ for name in ("schema", "root"))
