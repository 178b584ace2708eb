"""Collapsing by errors, alone in `collapse` and as the first step of error-based pruning."""

from ftree.prune.base import Candidate, Comparison, errors, root_first
from ftree.prune.compare import at_most
from ftree.prune.decisions import Record
from ftree.tree.nodes import Node, Tree

# Errors on the training set that a subtree must save to stay.
_LEAST_SAVED = 1e-3


def collapse_by_errors(tree: Tree, record: Record) -> Tree:
    """The tree without the branches that save no error on the training set, cut from the root down: J48's first step."""
    return root_first(tree, errors, _saves_none, record=record)


def _saves_none(_: Candidate, as_leaf: float, as_subtree: float, __: list[Node]) -> Comparison:
    return as_subtree + _LEAST_SAVED, at_most(as_leaf, as_subtree + _LEAST_SAVED)
