"""Many nodes made at once without checks, for callers that have already checked what the constructors check."""

from collections.abc import Iterable, Sequence
from itertools import repeat

from ftree._lib.recursion import exhaust
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.schema import Schema
from ftree.tree.splits.protocol import Split


def new_leaves(counts: Iterable[Counts]) -> "list[Leaf]":
    """Unchecked leaves with the given class counts.

    Slots are set through their descriptors, as attrs does, at a tenth of the cost of calling constructors.

    >>> new_leaves([(1, 0), (0, 1)])
    [Leaf(counts=(1, 0)), Leaf(counts=(0, 1))]
    """
    listed = list(counts)
    leaves: list[Leaf] = list(map(object.__new__, repeat(Leaf, len(listed))))
    exhaust(map(_SET_LEAF_COUNTS, leaves, listed))
    return leaves


def new_branches(counts: Iterable[Counts], splits: Sequence[Split]) -> "list[Branch]":
    """Unchecked branches without children; `set_children` must complete them."""
    branches: list[Branch] = list(map(object.__new__, repeat(Branch, len(splits))))
    exhaust(map(_SET_COUNTS, branches, counts))
    exhaust(map(_SET_SPLIT, branches, splits))
    return branches


def set_children(branches: "Iterable[Branch]", children_of: "Iterable[tuple[Node, ...]]") -> None:
    """Give new branches their children.

    >>> from ftree import Threshold
    >>> twigs = new_branches([(1, 1)], [Threshold(0, 0.5)])
    >>> set_children(twigs, [(Leaf((1, 0)), Leaf((0, 1)))])
    >>> twigs
    [Branch(counts=(1, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))]
    """
    exhaust(map(_SET_CHILDREN, branches, children_of))


def new_tree(schema: Schema, root: Node, *, missing: PredictionRule | None = None) -> Tree:
    """An unchecked tree, for splits that are known to fit the schema."""
    tree: Tree = object.__new__(Tree)
    _SET_SCHEMA(tree, schema)
    _SET_ROOT(tree, root)
    _SET_MISSING(tree, missing)
    return tree


_SET_LEAF_COUNTS = vars(Leaf)["counts"].__set__


_SET_COUNTS, _SET_SPLIT, _SET_CHILDREN = (vars(Branch)[name].__set__ for name in ("counts", "split", "children"))


_SET_SCHEMA, _SET_ROOT, _SET_MISSING = (vars(Tree)[name].__set__ for name in ("schema", "root", "missing"))
