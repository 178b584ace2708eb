"""Collapsing: cut branches that decide nothing, so that the tree answers as before with fewer leaves."""

from math import isclose
from typing import Literal

from attrs import field, frozen
from attrs.validators import in_

from ftree._fields import reads_like_its_constructor
from ftree.prune.judge import Decision, Place, bottom_up, errors
from ftree.tree import Leaf, Node, Tree, majority


@reads_like_its_constructor
@frozen(repr=False)
class collapse:
    """Replace a branch by a leaf where all its leaves say the same.

    `by="class"`: they predict one class, so predictions stay. `by="probability"`: they have one class distribution,
    so probabilities stay.

    >>> from ftree.dataset import Dataset
    >>> from ftree.grow import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"], ["b"]], [1, 1, 0, 1, 1])
    >>> print(collapse()(grow(data)))
    : 1 (5.0/1.0)
    """

    by: Literal["class", "probability"] = field(default="class", kw_only=True, validator=in_(("class", "probability")))

    def __call__(self, tree: Tree) -> Tree:
        """The collapsed tree; the same tree when nothing is cut."""
        return bottom_up(tree, tree, errors, self._cuts)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch, children first; scores are errors on the growing counts, which a cut leaves as they are."""
        notes: list[Decision] = []
        bottom_up(tree, tree, errors, self._cuts, notes.append)
        return tuple(notes)

    def _cuts(self, place: Place, _: float, __: float, nodes: tuple[Node, ...]) -> bool:
        if not all(isinstance(node, Leaf) for node in nodes):
            return False
        if self.by == "class":
            labels = {majority(node.counts) if any(node.counts) else place.label for node in nodes}
            return len(labels) == 1
        return all(_same_shares(node.counts, place.node.counts) for node in nodes)


def _same_shares(counts: tuple[float, ...], others: tuple[float, ...]) -> bool:
    """Whether two counts are proportional; no cases are proportional to any."""
    total, of_others = sum(counts), sum(others)
    return all(isclose(a * of_others, b * total, rel_tol=1e-12) for a, b in zip(counts, others, strict=True)) or not total
