"""Decisions: what a pass computed about each branch and what it did, recorded and replayed; and which scores are equal."""

from collections.abc import Callable, Iterable
from functools import reduce
from math import isclose
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import is_iterable
from ftree._lib.messages import short_repr
from ftree.tree.edit import replace_at
from ftree.tree.nodes import Branch, Leaf, Link, Node, Path, Tree, check_tree, children, path_along
from ftree.tree.response import Counts

Done: TypeAlias = Literal["kept", "cut", "raised", "recounted"]


@frozen
class Decision:
    """What a pass computed about one branch and what it did; `replay` does it again.

    `path` is the branch's path at that time, `counts` its counts. `as_leaf` and `as_subtree` are its scores in the pass's
    own unit; lower is better. Both are None for a pass without scores, such as one made by `from_function`.
    The branch is cut if `as_leaf` is below `threshold`; at a `tie`, most passes cut. `threshold` is None if the pass compares
    no numbers.
    `done` is "kept", "cut", "raised" (child number `child` replaced the branch, with the score `as_raised`), or "recounted"
    (its counts were replaced). `becomes` is the node that then stands there, None for "kept".

    >>> from ftree import datasets, grow, prune
    >>> last = prune.pessimistic().decisions(grow(datasets.weather()))[-1]
    >>> last.path, last.as_leaf, last.as_subtree, last.done
    ((2,), 2.5, 1.0, 'kept')
    """

    path: Path
    counts: Counts
    as_leaf: float | None = None
    as_subtree: float | None = None
    threshold: float | None = None
    done: Done = "kept"
    as_raised: float | None = field(default=None, kw_only=True)
    child: int | None = field(default=None, kw_only=True)
    becomes: Node | None = field(default=None, kw_only=True, repr=False)

    @property
    def cut(self) -> bool:
        """Whether the branch became a leaf."""
        return self.done == "cut"

    @property
    def tie(self) -> bool:
        """Whether the score as a leaf equals the threshold (without one: the score as a subtree), except for rounding errors."""
        limit = self.as_subtree if self.threshold is None else self.threshold
        return self.as_leaf is not None and limit is not None and same(self.as_leaf, limit)


# From a branch to its scores as a leaf and as a subtree.
ScoresOf: TypeAlias = Callable[[Branch], tuple[float | None, float | None]]


@frozen(eq=False)
class Pruned:
    """The result of a pass: the pruned tree, and a function that lists the decisions.

    Most callers want the tree alone, and the paths of many decisions take longer than pruning.
    """

    tree: Tree
    decisions: Callable[[], Iterable[Decision]]


def decisions_between(tree: Tree, pruned: Tree, scores: ScoresOf = lambda _: (None, None)) -> tuple[Decision, ...]:
    """The decisions that turn a tree into a pruning of it, with `scores` (as a leaf, as a subtree) of each branch.

    They are about every branch down to those that are cut, the root first.
    """
    decisions: list[Decision] = []
    stack: list[tuple[Link, Node, Node]] = [(None, tree.root, pruned.root)]
    while stack:
        link, node, after = stack.pop()
        if isinstance(node, Branch):
            leaf = after if isinstance(after, Leaf) else None
            done: Done = "kept" if leaf is None else "cut"
            decisions.append(Decision(path_along(link), node.counts, *scores(node), done=done, becomes=leaf))
            pairs = enumerate(zip(children(node), children(after), strict=False))
            stack.extend(reversed([((link, number), *pair) for number, pair in pairs]))
    return tuple(decisions)


def replay(decisions: Iterable[Decision], tree: Tree) -> Tree:
    """The tree after each decision has been repeated; with a pass's decisions on this tree, the tree that the pass returns.

    Raises an IndexError if the decisions are about another tree, a TypeError for anything but decisions and a Tree.

    >>> from ftree import Leaf, Schema
    >>> replay((), Tree(Schema((), "ride", ("no", "yes")), Leaf((1, 2))))
    <Tree for 'ride': 1 node, 1 leaf>
    """
    check_tree(tree)
    listed: tuple[Any, ...] = tuple(decisions) if is_iterable(decisions) else (decisions,)
    for one in listed:
        if not isinstance(one, Decision):
            raise TypeError(f"decisions must be those of a pass, such as pass_.decisions(tree), got {short_repr(one)}.")
    return reduce(after, listed, tree)


def after(tree: Tree, decision: Decision) -> Tree:
    """The tree after one decision."""
    return tree if decision.becomes is None else replace_at(tree, decision.path, decision.becomes)


# Scores up to rounding

# Scores are equal if they differ by at most this share of the larger one, or, near 0, by at most this amount.
_RELATIVE, _ABSOLUTE = 1e-10, 1e-12


def same(one: float, other: float) -> bool:
    """Whether two scores are equal except for rounding.

    >>> same(0.1 + 0.2, 0.3), same(0.3, 0.3000001)
    (True, False)
    """
    return isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def at_most(one: float, other: float) -> bool:
    """Whether a score is smaller than another, or equal except for rounding.

    >>> at_most(0.1 + 0.2, 0.3), at_most(0.3000001, 0.3)
    (True, False)
    """
    return one <= other or same(one, other)


def same_each(ones: Floats, others: Floats) -> Array:
    """`same` for each pair of two arrays (n,).

    >>> same_each(np.array([0.1 + 0.2, 0.3]), np.array([0.3, 0.3000001])).tolist()
    [True, False]
    """
    near = np.maximum(_RELATIVE * np.maximum(abs(ones), abs(others)), _ABSOLUTE)
    answer: Array = abs(ones - others) <= near
    return answer
