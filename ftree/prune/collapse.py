"""Cuts without scores: all leaves predict the same, a branch is pure enough, or a path is named."""

from collections.abc import Callable, Iterable
from math import isclose
from numbers import Real
from typing import Any, Literal

from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, must_be, one_of
from ftree._lib.messages import short_repr
from ftree.prune.decisions import DecidingPass, Decision, Recorder, replay
from ftree.prune.figures import at_most
from ftree.prune.passes import (
    Verdict,
    all_leaves,
    bottom_up,
    collapse_by_errors,
    errors_as_leaves,
    in_level_order,
    risk_of,
    risks_of,
    root_first,
)
from ftree.tree.edit import subtree_at
from ftree.tree.fold import leaves
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Path, Tree, check_tree


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

    by: Literal["class", "probability", "errors"] = field(
        default="class", kw_only=True, validator=one_of("class", "probability", "errors")
    )

    @property
    def prunes_regression(self) -> bool:  # type: ignore[override]  # it depends on the option
        """Whether the pass prunes regression trees."""
        return self.by == "class"

    def _prune(self, tree: Tree, record: Recorder) -> Tree:
        if self.by == "errors":
            return collapse_by_errors(tree, record)
        order, answer = in_level_order(tree), tree.schema.response.answer

        def agree(number: int, nodes: list[Node]) -> bool:
            if self.by == "class":
                above = order.nearest_with_cases(number).counts
                return len({answer(node.counts if any(node.counts) else above) for node in nodes}) == 1
            return all(_same_shares(node.counts, order.nodes[number].counts) for node in nodes)

        def compare(number: int, _: float, __: float, nodes: list[Node]) -> Verdict:
            return None, all_leaves(nodes) and agree(number, nodes)

        return bottom_up(tree, order, risks_of(tree.schema, [node.counts for node in order.nodes]), compare, record=record)


def _same_shares(counts: tuple[float, ...], others: tuple[float, ...]) -> bool:
    """Whether two counts are proportional; counts without a case are proportional to any."""
    total, of_others = sum(counts), sum(others)
    return all(isclose(a * of_others, b * total, rel_tol=1e-12) for a, b in zip(counts, others, strict=True)) or not total


_SHARE = must_be(
    "a share between 0 and 1",
    lambda threshold: isinstance(threshold, Real) and 0 <= threshold <= 1,  # type: ignore[operator]  # Real declares no order
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

    def _prune(self, tree: Tree, record: Recorder) -> Tree:
        order = in_level_order(tree)

        def compare(number: int, as_leaf: float, _: float, __: list[Node]) -> Verdict:
            allowed = (1 - self.threshold) * sum(order.nodes[number].counts)
            return allowed, at_most(as_leaf, allowed)

        return root_first(tree, order, errors_as_leaves(order), compare, record=record)


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
class snip(ConstructorRepr):
    """Cut the branches at these paths; a path below another one, or to a leaf, changes nothing.

    Raises an IndexError, when called, for a path that leaves the tree.

    >>> snip([(1, 0), (0,), (0, 1)])
    snip(((0,), (1, 0)))
    """

    paths: tuple[Path, ...] = field(converter=_topmost)

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        return replay(self.decisions(tree), tree)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """The branches at the paths; scores are errors on the training set, or shares of the squared error of the root."""
        check_tree(tree)
        risk, pairs = risk_of(tree.schema, tree.root.counts), [(path, subtree_at(tree, path)) for path in self.paths]
        return tuple(_cut(path, below, risk) for path, below in pairs if isinstance(below.root, Branch))


def _cut(path: Path, tree: Tree, risk: Callable[[Counts], float]) -> Decision:
    counts = tree.root.counts
    below = sum(risk(leaf.counts) for leaf in leaves(tree))
    return Decision(path, counts, risk(counts), below, done="cut", becomes=Leaf(counts))
