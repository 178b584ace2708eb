"""Critical-value pruning: cut splits that were weak by the measure they were chosen for.

Source: Mingers 1987.
"""

from math import isnan
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_function
from ftree.criteria.impurity import Impurity, entropy
from ftree.criteria.scores import Score, gain
from ftree.prune.base import Decision, Note, Place, Survey, Verdict, all_leaves, bottom_up, same, surveyed, trail, unheard
from ftree.tree.nodes import Node, Tree


def _number(_: Any, __: Any, c: float) -> None:
    if isnan(c):
        message = f"The critical value is a number in the unit of the score; it came as {c!r}."
        raise ValueError(message)


@frozen(repr=False)
class critical_value(ConstructorRepr):
    """Cut a branch when its split, and every split below it, scores less than the critical value.

    `score` is the measure that the tree was grown by: gain, gain_ratio, pearson, or any function of children's counts
    (..., V, K) and an impurity; `impurity` is what gains are measured in. A score at the critical value stays.

    Raises a ValueError for a critical value that is no number, a TypeError for a score or impurity that is no function.

    >>> critical_value(0.1)
    critical_value(0.1, score=gain, impurity=entropy)
    """

    c: float = field(validator=_number)
    score: Score = field(default=gain, kw_only=True, validator=a_function)
    impurity: Impurity = field(default=entropy, kw_only=True, validator=a_function)

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Branches above leaves, children first.

        The score as a leaf is that of the split, which a leaf forgoes (as a subtree: nothing, 0); the threshold is c.
        """
        return trail(self._run, tree)

    def _run(self, tree: Tree, note: Note) -> Tree:
        survey = surveyed(tree)
        scores = _measures(survey, self.score, self.impurity)

        def verdict(_: Place, as_leaf: float, __: float, nodes: list[Node]) -> Verdict:
            return (self.c, as_leaf < self.c and not same(as_leaf, self.c)) if all_leaves(nodes) else None

        return bottom_up(tree, lambda place: scores[place.number], verdict, merge=lambda _, __: 0.0, note=note, survey=survey)


def _measures(survey: Survey, score: Score, impurity: Impurity) -> list[float]:
    """The score of each node's split, 0 for a leaf; the score is asked once for each number of children."""
    counts = np.array([node.counts for node in survey.nodes], dtype=np.float64)
    n_children = np.array([len(kids) for kids in survey.below])
    first = np.array([kids.start for kids in survey.below])
    found = np.zeros(len(counts))
    for size in set(n_children.tolist()) - {0}:
        alike = np.flatnonzero(n_children == size)
        found[alike] = score(counts[first[alike, None] + np.arange(size)], impurity)
    listed: list[float] = found.tolist()
    return listed
