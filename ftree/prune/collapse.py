"""Collapsing: cut branches that decide nothing, so that the tree answers as before with fewer leaves."""

from math import isclose
from typing import Literal

from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, one_of
from ftree.prune.base import Decision, Note, Place, Verdict, all_leaves, bottom_up, errors, saving_errors, trail, unheard
from ftree.tree.nodes import Node, Tree, majority


@frozen(repr=False)
class collapse(ConstructorRepr):
    """Replace a branch by a leaf where all its leaves say the same.

    `by="class"`: they predict one class, so predictions stay. `by="probability"`: they have one class distribution,
    so probabilities stay. `by="errors"`: from the root down, together they get no fewer growing cases wrong than the branch
    as a leaf would, which is all that Weka's J48 does where pruning is switched off.

    >>> from ftree import Dataset, grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"], ["b"]], [1, 1, 0, 1, 1])
    >>> print(collapse()(grow(data)))
    : 1 (5.0/1.0)
    """

    by: Literal["class", "probability", "errors"] = field(
        default="class", kw_only=True, validator=one_of("class", "probability", "errors")
    )

    def __call__(self, tree: Tree) -> Tree:
        """The collapsed tree; the same tree when nothing is cut."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch, children first, by errors root first; scores are errors on the growing counts, which no cut changes."""
        return trail(self._run, tree)

    def _run(self, tree: Tree, note: Note) -> Tree:
        return saving_errors(tree, note) if self.by == "errors" else bottom_up(tree, errors, self._verdict, note=note)

    def _verdict(self, place: Place, _: float, __: float, nodes: list[Node]) -> Verdict:
        return None, all_leaves(nodes) and self._agree(place, nodes)

    def _agree(self, place: Place, nodes: list[Node]) -> bool:
        if self.by == "class":
            above = place.survey.seen(place.number).counts
            return len({majority(node.counts if any(node.counts) else above) for node in nodes}) == 1
        return all(_same_shares(node.counts, place.node.counts) for node in nodes)


def _same_shares(counts: tuple[float, ...], others: tuple[float, ...]) -> bool:
    """Whether two counts are proportional; no cases are proportional to any."""
    total, of_others = sum(counts), sum(others)
    return all(isclose(a * of_others, b * total, rel_tol=1e-12) for a, b in zip(counts, others, strict=True)) or not total
