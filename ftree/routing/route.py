"""Rows sent down a tree node by node, by any prediction rule.

A split gives no answer for a row whose value is missing or was never seen there. The rule then gives each child a share
of the row.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats, grid
from ftree.routing.shares import divide_weights, shares_of
from ftree.tree.nodes import Branch, Leaf, Node
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import Columns, Split

# Rows at one node: their numbers and their weights.
WeightedRows: TypeAlias = tuple[Array, Array]


@frozen(eq=False)
class Arrival:
    """Rows at a node: their numbers and weights.

    `ends` says whether they go no further. `answer` is the node whose counts predict: this one, or its nearest ancestor with
    cases.
    """

    node: Node
    rows: Array
    weights: Array
    ends: bool
    answer: Node


def arrivals(root: Node, columns: Columns, weights: Array, rule: PredictionRule) -> Iterator[Arrival]:
    """Every node that rows reach, in preorder, with these rows; the share of a row that no child gets ends at the branch.

    >>> from ftree import Leaf, Threshold
    >>> from ftree.missing import all_routes
    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> column = np.array([0.0, 1.0, np.nan])
    >>> [(a.rows.tolist(), a.ends) for a in arrivals(twig, (column,), np.ones(3), all_routes())]
    [([0, 1, 2], False), ([0, 2], True), ([1, 2], True)]
    """
    # The grid depends on the largest weight, not on the sum, so that a row's parts do not depend on the other rows.
    step = grid(float(weights.max(initial=0)))
    stack: list[tuple[Node, WeightedRows, Node]] = [(root, (np.arange(len(weights)), weights), root)]
    while stack:
        node, here, above = stack.pop()
        answer = node if any(node.counts) else above
        yield Arrival(node, *here, ends=isinstance(node, Leaf), answer=answer)
        if isinstance(node, Branch):
            groups = divide(node, columns, here, rule, step)
            rows, stays = groups[-1]
            if len(rows) and stays.any():
                yield Arrival(node, rows[stays > 0], stays[stays > 0], ends=True, answer=answer)
            below = zip(node.children, groups, strict=False)
            stack.extend((child, rows, answer) for child, rows in reversed(list(below)) if len(rows[0]))


def divide(branch: Branch, columns: Columns, here: WeightedRows, rule: PredictionRule, step: float) -> list[WeightedRows]:
    """The rows and weights that go to each child of a branch, and last the rows without an answer, with their remainders."""
    groups = by_child(branch.split, columns, here)
    return divide_unanswered(groups, shares_of(rule, child_sizes(branch)), step) if len(groups[-1][0]) else groups


def divide_unanswered(groups: list[WeightedRows], shares: Floats, step: float) -> list[WeightedRows]:
    """The groups of `by_child`, those of the children with their parts of the rows without an answer.

    Parts are multiples of `step`, so that those of a row add up to it exactly.
    """
    *known, (rows, weights) = groups
    parts, stays = divide_weights(weights, shares, step)
    return [*(_with_parts(group, rows, part) for group, part in zip(known, parts, strict=True)), (rows, stays)]


def by_child(split: Split, columns: Columns, here: WeightedRows) -> list[WeightedRows]:
    """The rows and weights that the split sends to each child, and last those without an answer."""
    rows, weights = here
    n_groups = split.n_children + 1
    if not len(rows):
        return [here] * n_groups
    child = child_of(split, *(columns[feature][rows] for feature in split.features))
    order = child.argsort(kind="stable")
    rows, weights = rows[order], weights[order]
    bounds = [0, *np.bincount(child + 1, minlength=n_groups).cumsum().tolist()]
    unanswered, *known = [(rows[low:high], weights[low:high]) for low, high in pairwise(bounds)]
    return [*known, unanswered]


def _with_parts(known: WeightedRows, rows: Array, part: Array) -> WeightedRows:
    """The rows of a child, and the rows of which it gets a part."""
    positive = part > 0
    return np.concatenate([known[0], rows[positive]]), np.concatenate([known[1], part[positive]])


def child_sizes(branch: Branch) -> Array:
    """The number of cases of each child of a branch, (V,)."""
    return np.array([sum(child.counts) for child in branch.children], dtype=np.float64)
