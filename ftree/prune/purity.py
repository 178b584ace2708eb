"""Purity pruning: cut where one class has a large enough share of the cases."""

from numbers import Real
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import short_repr
from ftree.prune.base import Candidate, Comparison, errors, root_first
from ftree.prune.compare import at_most
from ftree.prune.decisions import DecidingPass, Record
from ftree.tree.nodes import Node, Tree


def _share(_: Any, __: Any, threshold: float) -> None:
    if not (isinstance(threshold, Real) and 0 <= threshold <= 1):
        got = short_repr(threshold)
        message = f"threshold must be a share between 0 and 1, got {got}. threshold is the least share of the largest class."
        raise ValueError(message)


@frozen(repr=False)
class purity(DecidingPass):
    """Cut, from the root down, branches in which the largest class has at least this share of the cases.

    A branch without cases is pure. Branches below a cut are not judged.

    In `decisions`, scores are errors, and the threshold is the number of errors allowed.

    Raises a ValueError for a threshold outside 0 to 1.

    >>> purity(0.95)
    purity(0.95)
    """

    threshold: float = field(validator=_share)

    def _prune(self, tree: Tree, record: Record) -> Tree:
        return root_first(tree, errors, self._compare, record=record)

    def _compare(self, candidate: Candidate, as_leaf: float, _: float, __: list[Node]) -> Comparison:
        allowed = (1 - self.threshold) * sum(candidate.node.counts)
        return allowed, at_most(as_leaf, allowed)
