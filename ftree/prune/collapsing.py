"""Collapsing by errors, used alone in `collapse` and as the first step of error-based pruning."""

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.gc_pause import gc_paused
from ftree.prune.base import Candidate, Comparison, cut_from_root, errors, root_first, with_root
from ftree.prune.compare import at_most, at_most_each
from ftree.prune.decisions import Record, ignore_decision
from ftree.prune.order import in_level_order
from ftree.tree.nodes import Node, Tree

# A subtree stays if it saves at least this many errors on the training set.
_LEAST_SAVED = 1e-3


def collapse_by_errors(tree: Tree, record: Record) -> Tree:
    """The tree without the branches that save no error on the training set, cut from the root down: J48's first step."""
    return _collapsed(tree) if record is ignore_decision else root_first(tree, errors, _saves_none, record=record)


@gc_paused()
def _collapsed(tree: Tree) -> Tree:
    """The same tree as `collapse_by_errors`, without decisions: all branches are compared at once."""
    order = in_level_order(tree)
    counts = np.array([node.counts for node in order.nodes], np.float64)
    as_leaf: Array = counts.sum(axis=1) - counts.max(axis=1)
    as_subtree = [0.0 if kids else error for kids, error in zip(order.below, as_leaf.tolist(), strict=True)]
    for number in range(len(as_subtree) - 1, 0, -1):
        as_subtree[order.parents[number]] += as_subtree[number]
    return with_root(tree, cut_from_root(order, at_most_each(as_leaf, np.array(as_subtree) + _LEAST_SAVED).tolist()))


def _saves_none(_: Candidate, as_leaf: float, as_subtree: float, __: list[Node]) -> Comparison:
    return as_subtree + _LEAST_SAVED, at_most(as_leaf, as_subtree + _LEAST_SAVED)
