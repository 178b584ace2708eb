"""Purity pruning: cut where one class is already common enough."""

from typing import Any

from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr
from ftree.prune.base import Decision, Note, Place, Verdict, at_most, bottom_up, errors, top_down, trail, unheard
from ftree.tree.nodes import Node, Tree


def _share(_: Any, __: Any, threshold: float) -> None:
    if not 0 <= threshold <= 1:
        message = f"The threshold is the share of the largest class, between 0 and 1; it came as {threshold!r}."
        raise ValueError(message)


@frozen(repr=False)
class purity(ConstructorRepr):
    """Cut, from the root down, branches in which the largest class has at least this share of the cases.

    A branch without cases is pure. Raises a ValueError for a threshold outside 0 to 1.

    >>> purity(0.95)
    purity(0.95)
    """

    threshold: float = field(validator=_share)

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch down to those that are cut, root first; scores are errors, the threshold those that are allowed."""
        return top_down(trail(self._run, tree))

    def _run(self, tree: Tree, note: Note) -> Tree:
        return bottom_up(tree, errors, self._verdict, note=note, forget=True)

    def _verdict(self, place: Place, as_leaf: float, _: float, __: list[Node]) -> Verdict:
        allowed = (1 - self.threshold) * sum(place.node.counts)
        return allowed, at_most(as_leaf, allowed)
