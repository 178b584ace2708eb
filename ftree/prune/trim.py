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
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import TIE, Array, read_only
from ftree._lib.fields import a_function, name_of
from ftree._lib.objects import gc_paused
from ftree.criteria.frontier import Frontier, Nodes
from ftree.criteria.impurity import Impurity, entropy, gini, require_of_classes
from ftree.criteria.impurity_of_sums import default_impurity, measures, risk_of_answers
from ftree.criteria.predicate import StoppingRule, a_measure, any_of, ask
from ftree.criteria.scores import gain
from ftree.data.channels import in_limbs
from ftree.prune.decisions import Pruned, decisions_between
from ftree.prune.passes import DecidingPass, LevelOrder, cut_at, in_level_order
from ftree.splitters import all_parts
from ftree.stop import alternatives, leaf_limit, max_leaves, not_significant
from ftree.tree.nodes import Branch, Leaf, Node, Tree, children
from ftree.tree.response import numbers
from ftree.tree.response_protocol import ResponseOfSums
from ftree.tree.schema import by_task, response_of_sums


@frozen
class trim(DecidingPass):
    """Cut, from the root down, each branch that the rule closes; gains are measured in `impurity`.

    The gains of a tree without classes are measured in the impurity of its response, as shares of that of the root.

    The rule sees the tree's counts. With missing values, growth shows it only a split's known cases, so that a rule about the
    split may close other nodes in growth. Rules about depth and counts close the same nodes.

    `decisions` are about every branch down to those that are cut, the root first. Their scores, by which the rule does not
    decide, are impurity times cases, of the node and of its children together.

    >>> from ftree.stop import max_depth
    >>> trim(max_depth(2))
    trim(max_depth(2), impurity=entropy)
    """

    rule: StoppingRule = field(validator=a_function)
    impurity: Impurity = field(default=entropy, kw_only=True, validator=a_measure)
    prunes_regression = True

    def __attrs_post_init__(self) -> None:
        """Refuse a `max_leaves` that has no meaning."""
        leaf_limit(self.rule)

    @gc_paused()
    def _prune(self, tree: Tree) -> Pruned:
        limit, measure, trimmed = leaf_limit(self.rule), self._measure(tree), tree
        others = [part for part in alternatives(self.rule) if not isinstance(part, max_leaves)]
        if others:
            order = in_level_order(trimmed)
            trimmed = cut_at(order, _by_rule(order, any_of(*others), measure))
        if limit is not None:
            order = in_level_order(trimmed)
            trimmed = cut_at(order, _best_first(order, limit, measure))

        def scores(branch: Branch) -> tuple[float, float]:
            return measure.amount(branch), sum(map(measure.amount, branch.children))

        return Pruned(trimmed, lambda: decisions_between(tree, trimmed, scores))

    def _measure(self, tree: Tree) -> "_Measure":
        """What the rule is asked about. Raises a ValueError for a rule or an impurity that is not about the response."""
        if tree.schema.has_classes:
            return _Measure(require_of_classes("impurity", self.impurity))
        response = response_of_sums(tree.schema)
        usual = default_impurity(response)
        impurity: Any = usual if self.impurity in (entropy, gini) else self.impurity
        strange = [rule for rule in all_parts([self.rule]) if isinstance(rule, not_significant)]
        if strange or not measures(impurity, response):
            wanted = "rule must be a rule that is not about classes" if strange else f"impurity must be {usual}"
            got = name_of(strange[0] if strange else impurity)
            raise ValueError(f"{wanted} for {by_task(response.kind)}, got {got}.")
        return _Measure(impurity.relative_to(in_limbs([tree.root.counts], response)[0], response), response)


@frozen
class _Measure:
    """The impurity of a tree's nodes, and what their counts are sums of; None for classes."""

    impurity: Impurity
    response: ResponseOfSums | None = None

    def sums(self, nodes: Sequence[Node]) -> Array:
        """The sums (m, C) of which the impurity is measured."""
        counts = [node.counts for node in nodes]
        sums: Array = read_only(np.array(counts) if self.response is None else in_limbs(counts, self.response))
        return sums

    def cases(self, node: Node) -> float:
        """The cases of a node."""
        return sum(node.counts) if self.response is None else node.counts[0]

    def amount(self, node: Node) -> float:
        """The impurity of a node times its cases."""
        return float(self.cases(node) * self.impurity(self.sums([node]))[0])


def _by_rule(order: LevelOrder, rule: StoppingRule, measure: _Measure) -> list[bool]:
    """Which nodes the rule closes, level by level: one call of the rule decides about all branches of a level."""
    cut, level, depth = [False] * len(order.nodes), [0], 0
    while branches := [number for number in level if order.below[number]]:
        stopped = ask(rule, _frontier(depth, [order.nodes[number] for number in branches], measure))
        level = []
        for number, stop in zip(branches, stopped.tolist(), strict=True):
            cut[number] = stop
            level += () if stop else order.below[number]
        depth += 1
    return cut


def _best_first(order: LevelOrder, limit: int, measure: _Measure) -> list[bool]:
    """Which nodes stay closed if the branch that reduces impurity most is opened repeatedly; of equal ones, the first reached."""
    cut, n_leaves, reached = [True] * len(order.nodes), 1, count(1)
    heap = [(_priority(order.nodes[0], measure), 0, 0)]
    while heap:
        *_, number = heappop(heap)
        kids = order.below[number]
        if kids and n_leaves + len(kids) - 1 <= limit:
            cut[number] = False
            n_leaves += len(kids) - 1
            for child in kids:
                heappush(heap, (_priority(order.nodes[child], measure), next(reached), child))
    return cut


def _priority(node: Node, measure: _Measure) -> float:
    """The least priority is expanded first: minus the decrease in impurity over all cases, to nine digits, so that equals tie."""
    if isinstance(node, Leaf):
        return 0.0
    gained = float(gain(measure.sums(node.children), measure.impurity))
    return -float(f"{measure.cases(node) * gained:.9g}") if gained > TIE or isinstance(measure.response, numbers) else 0.0


def _frontier(depth: int, branches: Sequence[Node], measure: _Measure) -> Frontier:
    counts = measure.sums(branches)
    risk = risk_of_answers(measure.impurity, measure.response)
    nodes = Nodes(depth, counts, measure.impurity(counts), response=measure.response, risk=risk)
    splits = tuple(branch.split for branch in branches if isinstance(branch, Branch))
    sizes = np.array([split.n_children for split in splits])
    stacked = measure.sums([child for branch in branches for child in children(branch)])
    return nodes.searched(splits, stacked, sizes, measure.impurity)
