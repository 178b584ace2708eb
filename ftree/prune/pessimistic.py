"""Pessimistic error pruning: half an error more for each leaf, and a standard error of doubt.

Source: Quinlan 1987, section 2.4.
"""

from math import sqrt

from attrs import frozen

from ftree._lib.fields import ConstructorRepr
from ftree.prune.base import Decision, Note, Place, Verdict, at_most, bottom_up, errors, top_down, trail, unheard
from ftree.tree.nodes import Node, Tree


@frozen(repr=False)
class pessimistic(ConstructorRepr):
    """Cut, from the root down, where e + 1/2 is within a standard error of the subtree's errors, 1/2 added for each leaf.

    >>> pessimistic()
    pessimistic()
    """

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch down to those that are cut, root first; scores are errors with the halves added."""
        return top_down(trail(self._run, tree))

    def _run(self, tree: Tree, note: Note) -> Tree:
        return bottom_up(tree, lambda place: errors(place) + 0.5, _within_doubt, note=note, forget=True)


def _within_doubt(place: Place, as_leaf: float, as_subtree: float, _: list[Node]) -> Verdict:
    n = sum(place.node.counts)
    limit = as_subtree + (sqrt(max(as_subtree * (n - as_subtree), 0) / n) if n else 0)
    return limit, at_most(as_leaf, limit)
