"""Trimming: a stopping rule applied to a finished tree.

Growing with `stop=a | b` gives the tree that is grown with `stop=a` and trimmed by `b`, if the rules depend on a node's
depth and counts only, as `max_depth`, `min_rows` and `pure` do. For rules that depend on its split, such as `min_gain`, it
holds if no value is missing and neither priors nor costs weigh classes. Growth shows these rules the known cases only,
with weighted classes. A finished tree has all cases, including parts of rows, with unweighted classes. `max_leaves`
depends on the whole tree, so `grow` trims by it as well.
"""

from collections.abc import Sequence
from functools import partial
from heapq import heappop, heappush

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import read_only
from ftree._lib.fields import ConstructorRepr, a_function
from ftree._lib.objects import gc_paused
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import Impurity, entropy
from ftree.criteria.predicate import StoppingRule, any_of, ask
from ftree.criteria.scores import gain
from ftree.prune.decisions import Decision, decisions_between
from ftree.prune.passes import with_root
from ftree.stop import alternatives, leaf_limit, max_leaves
from ftree.tree.nodes import Branch, Leaf, Node, Tree, check_tree, children, with_children


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
    impurity: Impurity = field(default=entropy, kw_only=True, validator=a_function)

    def __attrs_post_init__(self) -> None:
        """Refuse a `max_leaves` that has no meaning."""
        leaf_limit(self.rule)

    def __call__(self, tree: Tree) -> Tree:
        """The trimmed tree; the same tree if nothing is cut."""
        check_tree(tree, of_classes="trim")
        limit = leaf_limit(self.rule)
        others = [part for part in alternatives(self.rule) if not isinstance(part, max_leaves)]
        root = _by_rule(tree.root, any_of(*others), self.impurity) if others else tree.root
        if limit is not None:
            root = _best_first(root, limit, self.impurity)
        return with_root(tree, root)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch down to those that are cut, the root first.

        Scores are impurity times cases, of the node and of its children together. The rule does not decide by them.
        """
        of = partial(_amount, self.impurity)
        return decisions_between(tree, self(tree), lambda branch: (of(branch), sum(map(of, branch.children))))


def _amount(impurity: Impurity, node: Node) -> float:
    return sum(node.counts) * float(impurity(np.array(node.counts)))


@gc_paused()
def _by_rule(root: Node, rule: StoppingRule, impurity: Impurity) -> Node:
    """Trim level by level: one call of the rule decides about all branches of a level."""
    nodes, below, level = [root], [range(0)], [0]
    depth = 0
    while branches := [number for number in level if isinstance(nodes[number], Branch)]:
        stopped = ask(rule, _frontier(depth, [nodes[number] for number in branches], impurity))
        level = []
        for number, stop in zip(branches, stopped, strict=True):
            if not stop:
                level += _expand(number, nodes, below)
        depth += 1
    return _rebuilt(nodes, below)


@gc_paused()
def _best_first(root: Node, limit: int, impurity: Impurity) -> Node:
    """Expand repeatedly the branch that reduces impurity most; of equal ones, the one that was reached first."""
    nodes, below, leaves = [root], [range(0)], 1
    heap = [(_priority(root, impurity), 0)]
    while heap:
        _, number = heappop(heap)
        node = nodes[number]
        if isinstance(node, Branch) and leaves + len(node.children) - 1 <= limit:
            leaves += len(node.children) - 1
            for child in _expand(number, nodes, below):
                heappush(heap, (_priority(nodes[child], impurity), child))
    return _rebuilt(nodes, below)


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


def _expand(number: int, nodes: list[Node], below: list[range]) -> range:
    """Append the children of a branch to the nodes that stay, and return their numbers."""
    kids = children(nodes[number])
    below[number] = range(len(nodes), len(nodes) + len(kids))
    nodes.extend(kids)
    below.extend([range(0)] * len(kids))
    return below[number]


def _rebuilt(nodes: list[Node], below: list[range]) -> Node:
    """The root, built from the last node to the first: branches that were not expanded become leaves."""
    made = list(nodes)
    for number in reversed(range(len(nodes))):
        node = nodes[number]
        if isinstance(node, Branch):
            made[number] = with_children(node, [made[child] for child in below[number]]) if below[number] else Leaf(node.counts)
    return made[0]
