"""Trimming: a stopping rule applied to a finished tree.

Growing with `stop=a | b` gives the tree that is grown with `stop=a` and trimmed by `b`, if the rules depend on a node's
depth and counts only, as `max_depth`, `min_rows` and `pure` do. For rules that depend on its split, such as `min_gain`, it
holds if no value is missing and neither priors nor costs weigh classes. Growth shows these rules the known cases only,
with weighted classes. A finished tree has all cases, including parts of rows, with unweighted classes. `max_leaves`
depends on the whole tree, so `grow` trims by it as well.
"""

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import read_only
from ftree._lib.fields import ConstructorRepr, a_function
from ftree._lib.objects import gc_paused
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import Impurity, entropy
from ftree.criteria.predicate import StoppingRule, a_measure, any_of, ask
from ftree.criteria.scores import gain
from ftree.prune.decisions import Decision, decisions_between
from ftree.prune.passes import LevelOrder, cut_from_root, in_level_order, with_root
from ftree.stop import alternatives, leaf_limit, max_leaves
from ftree.tree.nodes import Branch, Leaf, Node, Tree, check_tree


@frozen(repr=False)
class trim(ConstructorRepr):
    """Cut, from the root down, each branch that the rule closes; gains are measured in `impurity`.

    The rule sees the tree's counts. With missing values, growth shows it only a split's known cases, so that a rule about the
    split may close other nodes in growth. Rules about depth and counts close the same nodes.

    >>> from ftree.stop import max_depth
    >>> trim(max_depth(2))
    trim(max_depth(2), impurity=entropy)
    """

    rule: StoppingRule = field(validator=a_function)
    impurity: Impurity = field(default=entropy, kw_only=True, validator=a_measure)

    def __attrs_post_init__(self) -> None:
        """Refuse a `max_leaves` that has no meaning."""
        leaf_limit(self.rule)

    @gc_paused()
    def __call__(self, tree: Tree) -> Tree:
        """The trimmed tree; the same tree if nothing is cut."""
        check_tree(tree, of_classes="trim")
        limit = leaf_limit(self.rule)
        others = [part for part in alternatives(self.rule) if not isinstance(part, max_leaves)]
        if others:
            order = in_level_order(tree)
            tree = with_root(tree, cut_from_root(order, _by_rule(order, any_of(*others), self.impurity)))
        if limit is not None:
            order = in_level_order(tree)
            tree = with_root(tree, cut_from_root(order, _best_first(order, limit, self.impurity)))
        return tree

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch down to those that are cut, the root first.

        Scores are impurity times cases, of the node and of its children together. The rule does not decide by them.
        """

        def amount(node: Node) -> float:
            return sum(node.counts) * float(self.impurity(np.array(node.counts)))

        return decisions_between(tree, self(tree), lambda branch: (amount(branch), sum(map(amount, branch.children))))


def _by_rule(order: LevelOrder, rule: StoppingRule, impurity: Impurity) -> list[bool]:
    """Which nodes the rule closes, level by level: one call of the rule decides about all branches of a level."""
    cut, level, depth = [False] * len(order.nodes), [0], 0
    while branches := [number for number in level if order.below[number]]:
        stopped = ask(rule, _frontier(depth, [order.nodes[number] for number in branches], impurity))
        level = []
        for number, stop in zip(branches, stopped.tolist(), strict=True):
            cut[number] = stop
            level += () if stop else order.below[number]
        depth += 1
    return cut


def _best_first(order: LevelOrder, limit: int, impurity: Impurity) -> list[bool]:
    """Which nodes stay closed if the branch that reduces impurity most is opened repeatedly; of equal ones, the first reached."""
    cut, n_leaves, reached = [True] * len(order.nodes), 1, count(1)
    heap = [(_priority(order.nodes[0], impurity), 0, 0)]
    while heap:
        *_, number = heappop(heap)
        kids = order.below[number]
        if kids and n_leaves + len(kids) - 1 <= limit:
            cut[number] = False
            n_leaves += len(kids) - 1
            for child in kids:
                heappush(heap, (_priority(order.nodes[child], impurity), next(reached), child))
    return cut


def _priority(node: Node, impurity: Impurity) -> float:
    """The least priority is expanded first: minus the decrease in impurity over all cases, rounded so that equal ones tie."""
    if isinstance(node, Leaf):
        return 0.0
    return -round(sum(node.counts) * float(gain([child.counts for child in node.children], impurity)), 9)


def _frontier(depth: int, branches: Sequence[Node], impurity: Impurity) -> Frontier:
    counts = read_only(np.array([branch.counts for branch in branches]))
    frontier = Frontier(depth, counts, impurity(counts))
    splits = tuple(branch.split for branch in branches if isinstance(branch, Branch))
    child_counts = [np.array([child.counts for child in b.children]) for b in branches if isinstance(b, Branch)]
    return frontier.with_splits(splits, child_counts, impurity)
