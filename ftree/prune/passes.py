"""The base of the passes: compare the score of each branch as a leaf with its score as a subtree, and cut."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import inf
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import is_finite, must_be
from ftree._lib.objects import gc_paused
from ftree.prune.decisions import Decision, Done, Recorder, ignore_decision
from ftree.prune.figures import at_most, same_each
from ftree.tree.edit import renew
from ftree.tree.nodes import Counts, Leaf, Node, Path, Tree, check_tree, level_order, new_tree, with_children
from ftree.tree.schema import Schema, response_of_sums


@frozen(eq=False)
class LevelOrder:
    """All nodes, level by level; the number of each node's parent, -1 for the root's; the numbers of its children.

    The lists are flat, since half a million small records would slow down Python's garbage collector.
    """

    nodes: list[Node]
    parents: list[int]
    below: list[range]

    def path(self, number: int) -> Path:
        """The path of a node."""
        return path_to(number, self.parents, self.below)

    def nearest_with_cases(self, number: int) -> Node:
        """The node, or its nearest ancestor with cases: its majority is the class that the node predicts."""
        while number and not any(self.nodes[number].counts):
            number = self.parents[number]
        return self.nodes[number]


# The score of a branch from its number and the scores of its children.
SubtreeScore: TypeAlias = Callable[[int, list[float]], float]
# The threshold that the score as a leaf must reach, and whether to cut; None for a branch that is not judged.
Verdict: TypeAlias = "tuple[float | None, bool] | None"
# From the number of a branch, its scores as a leaf and as a subtree, and its children after pruning.
Compare: TypeAlias = "Callable[[int, float, float, list[Node]], Verdict]"


@gc_paused()
def bottom_up(
    tree: Tree,
    order: LevelOrder,
    leaf_scores: Sequence[float],
    compare: Compare,
    *,
    record: Recorder,
    subtree_score: SubtreeScore = lambda _, below: sum(below),
) -> Tree:
    """Judge every branch, children first, by the scores of all nodes as leaves, and cut where `compare` says so.

    Untouched subtrees are shared, and the tree itself is returned if nothing is cut.
    """
    made, scores = list(order.nodes), list(leaf_scores)
    decisions: list[Decision] = []
    for number in reversed(range(len(made))):
        node, kids, as_leaf = made[number], order.below[number], leaf_scores[number]
        if isinstance(node, Leaf):
            continue
        nodes = made[kids.start : kids.stop]
        scores[number] = as_subtree = subtree_score(number, scores[kids.start : kids.stop])
        comparison = compare(number, as_leaf, as_subtree, nodes)
        threshold, cut = comparison or (None, False)
        made[number] = Leaf(node.counts) if cut else with_children(node, nodes)
        if cut:
            scores[number] = as_leaf
        if comparison is not None and record is not ignore_decision:
            decisions.append(decision_about(order, number, as_leaf, as_subtree, threshold, made[number] if cut else None))
    for decision in sorted(decisions, key=lambda decision: (*decision.path, inf)):  # children first, left to right
        record(decision)
    return with_root(tree, made[0])


@gc_paused()
def root_first(tree: Tree, order: LevelOrder, leaf_scores: Sequence[float], compare: Compare, *, record: Recorder) -> Tree:
    """Judge branches from the root down, and cut where `compare` says so; nothing below a cut is judged.

    The score of a branch as a subtree is that of its leaves, whatever is cut below it.
    """
    subtrees, cut, stack = sums_below(order, leaf_scores), [False] * len(order.nodes), [0]
    while stack:
        number = stack.pop()
        node, kids = order.nodes[number], order.below[number]
        if kids:
            scores = leaf_scores[number], subtrees[number]
            threshold, cut[number] = compare(number, *scores, order.nodes[kids.start : kids.stop]) or (None, False)
            if record is not ignore_decision:
                record(decision_about(order, number, *scores, threshold, Leaf(node.counts) if cut[number] else None))
            stack += () if cut[number] else reversed(kids)
    return with_root(tree, cut_from_root(order, cut))


def sums_below(order: LevelOrder, leaf_scores: Sequence[float]) -> list[float]:
    """The sum of the scores of the leaves below each node."""
    sums = [0.0 if kids else score for kids, score in zip(order.below, leaf_scores, strict=True)]
    for number in range(len(sums) - 1, 0, -1):
        sums[order.parents[number]] += sums[number]
    return sums


def cut_from_root(order: LevelOrder, cut: Sequence[bool]) -> Node:
    """The root of a tree whose marked branches become leaves; nodes below the topmost cuts are not visited."""
    nodes, below = order.nodes, order.below
    changes = [is_cut and bool(kids) for is_cut, kids in zip(cut, below, strict=True)]
    for number in range(len(nodes) - 1, 0, -1):
        changes[order.parents[number]] |= changes[number]
    made, listed = list(nodes), [0]
    for number in listed:  # the list grows while it is read
        if changes[number] and not cut[number]:
            listed += below[number]
    changed = [number for number in listed if changes[number]]
    renew(made, [number for number in changed if cut[number]], [number for number in changed if not cut[number]], below)
    return made[0]


def decision_about(
    order: LevelOrder, number: int, as_leaf: float, as_subtree: float, threshold: float | None, becomes: Node | None
) -> Decision:
    """A decision about a branch: it is cut to the leaf `becomes`, or kept if `becomes` is None."""
    done: Done = "kept" if becomes is None else "cut"
    return Decision(order.path(number), order.nodes[number].counts, as_leaf, as_subtree, threshold, done, becomes=becomes)


def with_root(tree: Tree, root: Node) -> Tree:
    """The tree with another root of the same schema; the same tree if it has that root already."""
    return tree if root is tree.root else new_tree(tree.schema, root, missing=tree.missing)


def errors_as_leaves(order: LevelOrder) -> list[float]:
    """Training cases that each node would classify wrongly as a leaf."""
    return [sum(node.counts) - max(node.counts) for node in order.nodes]


def risk_of(schema: Schema, root: Counts) -> Callable[[Counts], float]:
    """The risk of a node with such counts as a leaf, on its own cases: errors, or of numbers a share of the root's squared error.

    A share is the same in any unit, and so are ties.

    >>> from ftree.tree import Schema, numbers
    >>> risk_of(Schema((), "mpg", (), response=numbers()), (4, 8, 24))((2, 1, 1))
    0.0625
    """
    risk = schema.response.risk
    if schema.has_classes:
        return risk
    whole = risk(root) or 1.0
    return lambda counts: risk(counts) / whole


def risks_of(schema: Schema, nodes: Sequence[Counts]) -> list[float]:
    """The same for all nodes with such counts, of which the first is the root, in one computation.

    >>> from ftree.tree import Schema, numbers
    >>> risks_of(Schema((), "mpg", (), response=numbers()), [(4, 8, 24), (2, 1, 1)])
    [1.0, 0.0625]
    """
    if schema.has_classes:
        return list(map(schema.response.risk, nodes))
    risks = response_of_sums(schema).risks(nodes)
    shares: list[float] = (risks / (risks[0] or 1.0)).tolist()
    return shares


def all_leaves(nodes: Iterable[Node]) -> bool:
    """Whether all nodes are leaves, so that a branch with these children has no branch below it."""
    return all(isinstance(node, Leaf) for node in nodes)


def no_worse(_: int, as_leaf: float, as_subtree: float, __: list[Node], *, slack: float = 0.0) -> Verdict:
    """Cut where the score as a leaf is at most the score as a subtree and the slack, which is the score shown."""
    return as_subtree + slack, at_most(as_leaf, as_subtree + slack)


# The nodes of a tree numbered level by level, with the numbers of parents and children.


def path_to(number: int, parents: Sequence[int], below: Sequence[range]) -> Path:
    """The path of a node from the root, which is number 0.

    >>> path_to(2, [-1, 0, 0], [range(1, 3), range(0), range(0)])
    (1,)
    """
    steps = []
    while number:
        above = parents[number]
        steps.append(number - below[above].start)
        number = above
    return tuple(reversed(steps))


@gc_paused()
def in_level_order(tree: Tree) -> LevelOrder:
    """The nodes of a tree, numbered level by level."""
    check_tree(tree)
    nodes, below = level_order(tree.root)
    parents = [-1]
    for number, kids in enumerate(below):
        parents += [number] * len(kids)
    return LevelOrder(nodes, parents, below)


def a_number_from(least: float) -> Any:
    """A validator: the value must be a number of at least `least`; infinity is allowed.

    It is of type Any, so that a field keeps the type that it declares.

    >>> from attrs import fields, make_class
    >>> a_number_from(0)(None, fields(make_class("pass_", ["alpha"])).alpha, -1)
    Traceback (most recent call last):
    ValueError: alpha must be a number of at least 0, got -1.
    """

    def fits(value: Any) -> bool:
        return (is_finite(value) and value >= least) or (isinstance(value, float) and value == inf)

    return must_be(f"a number of at least {least}", fits)


# Collapsing by errors, used alone in `collapse` and as the first step of error-based pruning.


# A subtree stays if it saves at least this many errors on the training set.
_LEAST_SAVED = 1e-3


def collapse_by_errors(tree: Tree, record: Recorder) -> Tree:
    """The tree without the branches that save no error on the training set, cut from the root down: J48's first step."""
    order = in_level_order(tree)
    if record is ignore_decision:
        return _collapsed(tree, order)
    return root_first(tree, order, errors_as_leaves(order), partial(no_worse, slack=_LEAST_SAVED), record=record)


@gc_paused()
def _collapsed(tree: Tree, order: LevelOrder) -> Tree:
    """The tree of `collapse_by_errors`, without decisions: all branches are compared at once."""
    counts = np.array([node.counts for node in order.nodes], np.float64)
    as_leaf: Array = counts.sum(axis=1) - counts.max(axis=1)
    limit = np.array(sums_below(order, as_leaf.tolist())) + _LEAST_SAVED
    return with_root(tree, cut_from_root(order, ((as_leaf <= limit) | same_each(as_leaf, limit)).tolist()))
