"""Critical-value pruning: cut splits with low scores by the measure that chose them.

Source: Mingers 1987.
"""

from numbers import Real
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import a_function
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import Impurity, entropy
from ftree.criteria.scores import Score, gain
from ftree.prune.base import Candidate, Comparison, all_leaves, bottom_up
from ftree.prune.compare import same
from ftree.prune.decisions import DecidingPass, Record
from ftree.prune.order import LevelOrder, in_level_order
from ftree.tree.nodes import Node, Tree


def _number(_: Any, __: Any, c: float) -> None:
    if not isinstance(c, Real) or c != c:  # noqa: PLR0124  # NaN
        message = f"c must be a number in the unit of the score, got {short_repr(c)}."
        raise ValueError(message)


@frozen(repr=False)
class critical_value(DecidingPass):
    """Cut a branch if its split, and every split below it, scores less than the critical value.

    `score` is the measure by which the tree was grown: gain, gain_ratio, pearson, or any function of children's counts
    (..., V, K) and an impurity; gains are measured in `impurity`. A branch whose score equals `c` stays.

    In `decisions`, the score as a leaf is that of the split, which a leaf loses; the score as a subtree is 0, the threshold c.

    Raises a ValueError for a critical value that is not a number, a TypeError for a score or impurity that is not a function.

    >>> critical_value(0.1)
    critical_value(0.1, score=gain, impurity=entropy)
    """

    c: float = field(validator=_number)
    score: Score = field(default=gain, kw_only=True, validator=a_function)
    impurity: Impurity = field(default=entropy, kw_only=True, validator=a_function)

    def _prune(self, tree: Tree, record: Record) -> Tree:
        order = in_level_order(tree)
        scores = _split_scores(order, self.score, self.impurity)

        def compare(_: Candidate, as_leaf: float, __: float, nodes: list[Node]) -> Comparison:
            return (self.c, as_leaf < self.c and not same(as_leaf, self.c)) if all_leaves(nodes) else None

        return bottom_up(
            tree, lambda candidate: scores[candidate.number], compare, subtree_score=lambda _, __: 0.0, record=record, order=order
        )


def _split_scores(order: LevelOrder, score: Score, impurity: Impurity) -> list[float]:
    """The score of each node's split, 0 for a leaf; one call scores all nodes with the same number of children."""
    counts = np.array([node.counts for node in order.nodes], dtype=np.float64)
    n_children = np.array([len(kids) for kids in order.below])
    first = np.array([kids.start for kids in order.below])
    found = np.zeros(len(counts))
    for size in set(n_children.tolist()) - {0}:
        alike = np.flatnonzero(n_children == size)
        found[alike] = score(counts[first[alike, None] + np.arange(size)], impurity)
    listed: list[float] = found.tolist()
    return listed
