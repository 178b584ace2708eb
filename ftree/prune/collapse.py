"""Cuts without scores: all leaves predict the same, a branch is pure enough, or a path is named."""

from collections.abc import Iterable
from math import isclose
from typing import Any, Literal

from attrs import field, frozen

from ftree._lib.fields import is_finite, must_be, one_of
from ftree._lib.messages import short_repr
from ftree.prune.decisions import Decision, Pruned, replay
from ftree.prune.passes import DecidingPass, Verdict, bottom_up, in_level_order, require_usual, risks_of, root_first
from ftree.tree.edit import node_at
from ftree.tree.fold import leaves
from ftree.tree.nodes import Branch, Leaf, Path, Tree

# By errors, a subtree stays if it saves at least this many of them on the training set, as in J48.
_LEAST_SAVED = 1e-3

_BY = one_of("class", "probability", "errors")


@frozen
class collapse(DecidingPass):
    """Replace a branch by a leaf if all its leaves predict the same.

    `by="class"`: they predict one class, or one number, so predictions stay. The others are for classification trees.
    `by="probability"`: they have one class distribution, so predicted probabilities stay. `by="errors"`: from the root down,
    together they make no fewer errors on the training set than the branch as a leaf; Weka's J48 does this even if pruning is
    switched off.

    In `decisions`, scores are errors on the training set, or shares of the squared error of the root. Cuts further down do not
    change a subtree's score.

    >>> from ftree import Dataset, grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"], ["b"]], [1, 1, 0, 1, 1])
    >>> print(collapse()(grow(data)))
    : 1 (5.0/1.0)
    """

    by: Literal["class", "probability", "errors"] = field(default="class", kw_only=True, validator=_BY)
    prunes_regression = True

    def _prune(self, tree: Tree) -> Pruned:
        require_usual(tree, "by", self.by, "class")
        if self.by == "errors":
            return collapsed_by_errors(tree)
        order, answer = in_level_order(tree), tree.schema.response.answer
        counts = order.counts

        def agree(number: int) -> bool:
            below = [counts[kid] for kid in order.below[number]]
            if self.by == "probability":
                return all(_same_shares(each, counts[number]) for each in below)
            above = order.nearest_with_cases(number).counts
            return len({answer(each if any(each) else above) for each in below}) == 1

        def judge(number: int, _: float, above_leaves: bool) -> Verdict:  # noqa: FBT001  # a `Judge`
            return Verdict(above_leaves and agree(number), threshold=None)

        return bottom_up(order, risks_of(tree.schema, counts), judge=judge)


def collapsed_by_errors(tree: Tree) -> Pruned:
    """The tree after `collapse(by="errors")`, which is also the first step of error-based pruning."""
    order = in_level_order(tree)
    risks = risks_of(tree.schema, order.counts)
    return root_first(order, risks, lambda _, as_subtree: as_subtree + _LEAST_SAVED)


def _same_shares(counts: tuple[float, ...], others: tuple[float, ...]) -> bool:
    """Whether two counts are proportional; counts without a case are proportional to any."""
    total, of_others = sum(counts), sum(others)
    return all(isclose(a * of_others, b * total, rel_tol=1e-12) for a, b in zip(counts, others, strict=True)) or not total


_SHARE = must_be(
    "a share between 0 and 1",
    lambda threshold: is_finite(threshold) and 0 <= threshold <= 1,
    remedy=" threshold is the least share of the largest class.",
)


@frozen
class purity(DecidingPass):
    """Cut, from the root down, branches in which the largest class has at least this share of the cases.

    A branch without cases is pure. Branches below a cut are not judged.

    In `decisions`, scores are errors, and the threshold is the number of errors allowed.

    Raises a ValueError for a threshold outside 0 to 1.

    >>> purity(0.95)
    purity(0.95)
    """

    threshold: float = field(validator=_SHARE)

    def _prune(self, tree: Tree) -> Pruned:
        order = in_level_order(tree)
        risks = risks_of(tree.schema, order.counts)
        return root_first(order, risks, lambda number, _: (1 - self.threshold) * sum(order.nodes[number].counts))


def _topmost(paths: Iterable[Any]) -> tuple[Path, ...]:
    """The distinct paths in order, without those below another path."""
    try:
        listed = sorted({tuple(path) for path in paths})
    except TypeError:
        raise TypeError(f"paths must be tuples of child numbers, such as [(0, 1)], got {short_repr(paths)}.") from None
    kept: list[Path] = []
    for path in listed:
        if not kept or path[: len(kept[-1])] != kept[-1]:
            kept.append(path)
    return tuple(kept)


@frozen
class snip(DecidingPass):
    """Cut the branches at these paths; a path below another one, or to a leaf, changes nothing.

    In `decisions`, scores are errors on the training set, or shares of the squared error of the root.

    Raises an IndexError, when called, for a path that leaves the tree.

    >>> snip([(1, 0), (0,), (0, 1)])
    snip(((0,), (1, 0)))
    """

    paths: tuple[Path, ...] = field(converter=_topmost)
    prunes_regression = True

    def _prune(self, tree: Tree) -> Pruned:
        pairs = [(path, node_at(tree, path)) for path in self.paths]
        made = [_cut(path, node, tree) for path, node in pairs if isinstance(node, Branch)]
        return Pruned(replay(made, tree), lambda: made)


def _cut(path: Path, branch: Branch, tree: Tree) -> Decision:
    counts = branch.counts
    _, own, *below = risks_of(tree.schema, [tree.root.counts, counts, *(leaf.counts for leaf in leaves(branch))])
    return Decision(path, counts, own, sum(below), done="cut", becomes=Leaf(counts))
