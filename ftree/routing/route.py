"""Where rows go. The one walk of data down a tree, which predicting and recounting both read off.

At a split whose answer a row does not have (missing, or never seen there), it follows one of the routes that
design decides once for all: `all_routes`, `weighted`, `heaviest`, `stop`.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, grid, share_out
from ftree.data.dataset import Dataset
from ftree.tree.nodes import Branch, Leaf, Node
from ftree.tree.splits import Columns, Split, arity, child_of, features_of

Missing: TypeAlias = Literal["all_routes", "weighted", "heaviest", "stop"]
# Rows in one place: their numbers and their weights.
Group: TypeAlias = tuple[Array, Array]


@frozen(eq=False)
class Arrival:
    """Rows at a node: their numbers and weights; `ends` where they go no further, `seen` the last node above with cases."""

    node: Node
    rows: Array
    weights: Array
    ends: bool
    seen: Node


def check_missing(missing: str) -> None:
    """Refuse a policy that does not exist, listing those that do."""
    if missing not in get_args(Missing):
        message = f"missing is one of {get_args(Missing)}; it came as {missing!r}."
        raise ValueError(message)


def check_dataset(dataset: Dataset) -> None:
    """Refuse bare rows where labels are needed."""
    if not isinstance(dataset, Dataset):
        message = f"A Dataset is needed, made by Dataset.from_rows(rows, labels) and others; a {type(dataset).__name__} came."
        raise TypeError(message)


def arrivals(root: Node, columns: Columns, weights: Array, missing: Missing) -> Iterator[Arrival]:
    """Every node in preorder with the rows that reach it; nodes that no row reaches are left out.

    `all_routes` sends a row without an answer down every branch whole, `weighted` down every branch in
    proportion to the cases that went there, `heaviest` down the largest, and `stop` ends it where it is.

    >>> from ftree import Leaf, Threshold
    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> column = np.array([0.0, 1.0, np.nan])
    >>> [(a.rows.tolist(), a.ends) for a in arrivals(twig, (column,), np.ones(3), "all_routes")]
    [([0, 1, 2], False), ([0, 2], True), ([1, 2], True)]
    """
    # Of the largest weight, not of their sum: then a row's parts do not depend on the other rows.
    step = grid(float(weights.max(initial=0)))
    stack: list[tuple[Node, Group, Node]] = [(root, (np.arange(len(weights)), weights), root)]
    while stack:
        node, here, above = stack.pop()
        seen = node if any(node.counts) else above
        yield Arrival(node, *here, ends=isinstance(node, Leaf), seen=seen)
        if isinstance(node, Branch):
            groups = divide(node, columns, here, missing, step)
            if missing == "stop" and len(groups[-1][0]):
                yield Arrival(node, *groups[-1], ends=True, seen=seen)
            below = zip(node.children, groups, strict=False)
            stack.extend((child, group, seen) for child, group in reversed(list(below)) if len(group[0]))


def divide(branch: Branch, columns: Columns, here: Group, missing: Missing, step: float) -> list[Group]:
    """The rows and weights that go to each child of a branch, and last those without an answer, whatever becomes of them.

    Fractions are multiples of `step`, so that the parts of a row add up to it exactly.
    """
    *known, lost = apart(branch.split, columns, here)
    if len(lost[0]):
        shares = parts(lost[1], sizes_below(branch), missing, step)
        known = [joined(group, lost[0], part) for group, part in zip(known, shares, strict=True)]
    return [*known, lost]


def apart(split: Split, columns: Columns, here: Group) -> list[Group]:
    """The rows and weights whose answer leads to each child of a split, and last those without one."""
    rows, weights = here
    n_groups = arity(split) + 1
    if not len(rows):
        return [here] * n_groups
    child = child_of(split, *(columns[feature][rows] for feature in features_of(split)))
    order = child.argsort(kind="stable")
    rows, weights = rows[order], weights[order]
    bounds = [0, *np.bincount(child + 1, minlength=n_groups).cumsum().tolist()]
    lost, *known = [(rows[low:high], weights[low:high]) for low, high in pairwise(bounds)]
    return [*known, lost]


def joined(group: Group, rows: Array, part: Array) -> Group:
    """A group with the rows of which it gets a part."""
    also = part > 0
    return np.concatenate([group[0], rows[also]]), np.concatenate([group[1], part[also]])


def sizes_below(branch: Branch) -> Array:
    """How many cases each child of a branch has."""
    return np.array([sum(child.counts) for child in branch.children], dtype=np.float64)


def parts(weights: Array, sizes: Array, missing: Missing, step: float) -> Array:
    """What each of some children gets of rows without an answer, (V, n); equal parts where none of them has cases.

    >>> parts(np.array([1.0]), np.array([1.0, 3.0]), "weighted", 0.25).tolist()
    [[0.25], [0.75]]
    """
    if not sizes.any():
        sizes = np.ones(len(sizes))
    match missing:
        case "all_routes":
            return np.broadcast_to(weights, (len(sizes), len(weights)))
        case "weighted":
            return share_out(weights, sizes, step).T
        case "heaviest":
            return np.outer(np.arange(len(sizes)) == sizes.argmax(), weights)
        case _:  # "stop"
            return np.zeros((len(sizes), len(weights)))
