"""Pessimistic error pruning: half an error is added for each leaf, and one standard error is tolerated.

Source: Quinlan 1987, section 2.4.
"""

from math import sqrt

from attrs import frozen

from ftree.prune.base import Candidate, Comparison, errors, root_first
from ftree.prune.compare import at_most
from ftree.prune.decisions import DecidingPass, Record
from ftree.tree.nodes import Node, Tree


@frozen(repr=False)
class pessimistic(DecidingPass):
    """Cut, from the root down, where the leaf's errors are within one standard error of the subtree's.

    Each leaf counts half an error more than it makes. Branches below a cut are not judged.

    In `decisions`, scores are errors with the halves added.

    >>> pessimistic()
    pessimistic()
    """

    def _prune(self, tree: Tree, record: Record) -> Tree:
        return root_first(tree, lambda candidate: errors(candidate) + 0.5, _within_standard_error, record=record)


def _within_standard_error(candidate: Candidate, as_leaf: float, as_subtree: float, _: list[Node]) -> Comparison:
    n = sum(candidate.node.counts)
    limit = as_subtree + (sqrt(max(as_subtree * (n - as_subtree), 0) / n) if n else 0)
    return limit, at_most(as_leaf, limit)
