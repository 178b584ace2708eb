"""Snipping: cut the branches at given paths (rpart's snip.rpart)."""

from collections.abc import Iterable
from typing import Any

from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr
from ftree._lib.messages import short_repr
from ftree.prune.decisions import Decision, replay
from ftree.tree.edit import subtree_at
from ftree.tree.fold import leaves
from ftree.tree.nodes import Branch, Leaf, Path, Tree


def _topmost(paths: Iterable[Any]) -> tuple[Path, ...]:
    """The distinct paths in order, without those below another path."""
    try:
        listed = sorted({tuple(path) for path in paths})
    except TypeError:
        message = f"paths must be tuples of child numbers, such as [(0, 1)], got {short_repr(paths)}."
        raise TypeError(message) from None
    kept: list[Path] = []
    for path in listed:
        if not kept or path[: len(kept[-1])] != kept[-1]:
            kept.append(path)
    return tuple(kept)


@frozen(repr=False)
class snip(ConstructorRepr):
    """Cut the branches at these paths; a path below another one, or to a leaf, changes nothing.

    Raises an IndexError, when called, for a path that leaves the tree.

    >>> snip([(1, 0), (0,), (0, 1)])
    snip(((0,), (1, 0)))
    """

    paths: tuple[Path, ...] = field(converter=_topmost)

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        return replay(self.decisions(tree), tree)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """The branches at the paths; scores are errors on the training set."""
        pairs = [(path, subtree_at(tree, path)) for path in self.paths]
        return tuple(_cut(path, below) for path, below in pairs if isinstance(below.root, Branch))


def _cut(path: Path, tree: Tree) -> Decision:
    counts = tree.root.counts
    saved = sum(sum(leaf.counts) - max(leaf.counts) for leaf in leaves(tree))
    return Decision(path, counts, sum(counts) - max(counts), saved, done="cut", becomes=Leaf(counts))
