"""Rows sent down a tree node by node, by the four rules for missing values.

A split gives no answer for a row whose value is missing or was never seen there. The row then goes to every child
(`all_routes`), to every child in parts (`weighted`), to the largest child (`heaviest`), or no further (`stop`).
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, grid, share_out
from ftree._lib.messages import short_repr
from ftree.tree.nodes import Branch, Leaf, Node
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import Columns, Split

Missing: TypeAlias = Literal["all_routes", "weighted", "heaviest", "stop"]
# Rows at one node: their numbers and their weights.
WeightedRows: TypeAlias = tuple[Array, Array]


@frozen(eq=False)
class Arrival:
    """Rows at a node: their numbers and weights.

    `ends` says whether they go no further. `answer` is the node whose counts answer: this one, or the nearest above with cases.
    """

    node: Node
    rows: Array
    weights: Array
    ends: bool
    answer: Node


def check_missing(missing: str) -> None:
    """Raise a ValueError for a rule that does not exist."""
    if missing not in get_args(Missing):
        message = f"missing must be one of {', '.join(map(repr, get_args(Missing)))}, got {short_repr(missing)}."
        raise ValueError(message)


def arrivals(root: Node, columns: Columns, weights: Array, missing: Missing) -> Iterator[Arrival]:
    """Every node that rows reach, in preorder, with these rows.

    A row without an answer goes whole to every child (`all_routes`), in parts proportional to the children's cases
    (`weighted`), to the largest child (`heaviest`), or no further (`stop`).

    >>> from ftree import Leaf, Threshold
    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> column = np.array([0.0, 1.0, np.nan])
    >>> [(a.rows.tolist(), a.ends) for a in arrivals(twig, (column,), np.ones(3), "all_routes")]
    [([0, 1, 2], False), ([0, 2], True), ([1, 2], True)]
    """
    # A grid for the largest weight, not for the sum of weights, so that a row's parts do not depend on the other rows.
    step = grid(float(weights.max(initial=0)))
    stack: list[tuple[Node, WeightedRows, Node]] = [(root, (np.arange(len(weights)), weights), root)]
    while stack:
        node, here, above = stack.pop()
        answer = node if any(node.counts) else above
        yield Arrival(node, *here, ends=isinstance(node, Leaf), answer=answer)
        if isinstance(node, Branch):
            groups = divide(node, columns, here, missing, step)
            if missing == "stop" and len(groups[-1][0]):
                yield Arrival(node, *groups[-1], ends=True, answer=answer)
            below = zip(node.children, groups, strict=False)
            stack.extend((child, rows, answer) for child, rows in reversed(list(below)) if len(rows[0]))


def divide(branch: Branch, columns: Columns, here: WeightedRows, missing: Missing, step: float) -> list[WeightedRows]:
    """The rows and weights that go to each child of a branch, and last the rows without an answer, divided or not."""
    groups = by_child(branch.split, columns, here)
    return divide_unanswered(groups, child_sizes(branch), missing, step) if len(groups[-1][0]) else groups


def divide_unanswered(groups: list[WeightedRows], sizes: Array, missing: Missing, step: float) -> list[WeightedRows]:
    """The groups of `by_child`, those of the children with their parts of the rows without an answer.

    Parts are multiples of `step`, so that those of a row add up to it exactly.
    """
    *known, unanswered = groups
    shares = divide_weights(unanswered[1], sizes, missing, step)
    return [*(_with_parts(group, unanswered[0], part) for group, part in zip(known, shares, strict=True)), unanswered]


def by_child(split: Split, columns: Columns, here: WeightedRows) -> list[WeightedRows]:
    """The rows and weights whose answer leads to each child of a split, and last those without an answer."""
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
    """The rows of a child, and those of which it gets a part."""
    positive = part > 0
    return np.concatenate([known[0], rows[positive]]), np.concatenate([known[1], part[positive]])


def child_sizes(branch: Branch) -> Array:
    """How many cases each child of a branch has, (V,)."""
    return np.array([sum(child.counts) for child in branch.children], dtype=np.float64)


def divide_weights(weights: Array, sizes: Array, missing: Missing, step: float) -> Array:
    """What each child gets of the weights of rows without an answer, (V, n); equal parts where no child has cases.

    >>> divide_weights(np.array([1.0]), np.array([1.0, 3.0]), "weighted", 0.25).tolist()
    [[0.25], [0.75]]
    """
    match missing:
        case "all_routes":
            return np.broadcast_to(weights, (len(sizes), len(weights)))
        case "weighted":
            return share_out(weights, sizes, step).T
        case "heaviest":
            return np.outer(np.arange(len(sizes)) == sizes.argmax(), weights)
        case _:  # "stop"
            return np.zeros((len(sizes), len(weights)))
