"""Collapsing: cut branches whose leaves all predict the same, which keeps predictions and removes leaves."""

from math import isclose
from typing import Literal

from attrs import field, frozen

from ftree._lib.fields import one_of
from ftree.prune.base import Candidate, Comparison, all_leaves, bottom_up, errors
from ftree.prune.collapsing import collapse_by_errors
from ftree.prune.decisions import DecidingPass, Record
from ftree.tree.nodes import Node, Tree, majority


@frozen(repr=False)
class collapse(DecidingPass):
    """Replace a branch by a leaf if all its leaves predict the same.

    `by="class"`: they predict one class, so predicted classes stay. `by="probability"`: they have one class distribution,
    so predicted probabilities stay. `by="errors"`: from the root down, together they make no fewer errors on the training set
    than the branch as a leaf; Weka's J48 does this even if pruning is switched off.

    In `decisions`, scores are errors on the training set. Cuts further down do not change a subtree's score.

    >>> from ftree import Dataset, grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"], ["b"]], [1, 1, 0, 1, 1])
    >>> print(collapse()(grow(data)))
    : 1 (5.0/1.0)
    """

    by: Literal["class", "probability", "errors"] = field(
        default="class", kw_only=True, validator=one_of("class", "probability", "errors")
    )

    def _prune(self, tree: Tree, record: Record) -> Tree:
        return collapse_by_errors(tree, record) if self.by == "errors" else bottom_up(tree, errors, self._compare, record=record)

    def _compare(self, candidate: Candidate, _: float, __: float, nodes: list[Node]) -> Comparison:
        return None, all_leaves(nodes) and self._agree(candidate, nodes)

    def _agree(self, candidate: Candidate, nodes: list[Node]) -> bool:
        if self.by == "class":
            above = candidate.order.nearest_with_cases(candidate.number).counts
            return len({majority(node.counts if any(node.counts) else above) for node in nodes}) == 1
        return all(_same_shares(node.counts, candidate.node.counts) for node in nodes)


def _same_shares(counts: tuple[float, ...], others: tuple[float, ...]) -> bool:
    """Whether two counts are proportional; counts without a case are proportional to any."""
    total, of_others = sum(counts), sum(others)
    return all(isclose(a * of_others, b * total, rel_tol=1e-12) for a, b in zip(counts, others, strict=True)) or not total
