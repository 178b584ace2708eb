"""Rows sent down a tree in parts, level by level, in NumPy: any tree, any rule for rows without an answer.

`descend` goes from node to node; `divided` is its one step for rows without an answer.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ftree._lib.arrays import Array, Floats, blocks_of, exact_unit
from ftree.routing.flat import Flat
from ftree.routing.missing_rules import adds_distributions, divide_weights, sees_rows, shares_of, shares_of_rows, stop_here
from ftree.tree.nodes import PredictionRule
from ftree.tree.splits.split import UNKNOWN, Columns

# From a matrix of children's numbers or sizes (B, V) to their shares (B, V) of rows without an answer.
Shares: TypeAlias = Callable[[Array], Floats]
# A level with more parts of rows than this is continued in halves, so that rows in many parts take little memory.
_MANY_PARTS = 1 << 16
# Rows of a block, and parts of rows in memory at a time.
_BLOCK, _MOST_PARTS = 1 << 13, 1 << 22


class Parts(NamedTuple):
    """Parts of rows at nodes: the node's number, the row's, and the size of the part."""

    node: Array
    rows: Array
    sizes: Array

    def take(self, which: Any) -> "Parts":
        """Some of the parts."""
        return Parts(self.node[which], self.rows[which], self.sizes[which])

    def by_node(self) -> "Parts":
        """The parts sorted by node; those at a node stay in order."""
        near = self.node - self.node.min(initial=0)
        # Sorting numbers of 16 bits takes linear time.
        return self.take((near.astype(np.uint16) if near.max(initial=0) <= _SHORT else near).argsort(kind="stable"))


_SHORT = np.iinfo(np.uint16).max


class RowLevel(NamedTuple):
    """Parts of rows at nodes: node, row and size; how much of each ends there, and whether the split has no answer for it."""

    node: Array
    rows: Array
    sizes: Array
    ends: Array
    unanswered: Array

    def ending(self) -> Parts:
        """The parts that go no further."""
        some = self.ends > 0
        return Parts(self.node[some], self.rows[some], self.ends[some])


def descend(
    tree: Flat,
    columns: Columns,
    sizes: Array,
    rule: PredictionRule,
    unit: float,
    *,
    shares: Callable[[PredictionRule, Array], Floats] = shares_of,
    asks_rows: bool = False,
    times: Array | None = None,
    many: int = _MANY_PARTS,
) -> Iterator[RowLevel]:
    """Rows of these sizes from the root down, level by level, as parts that are multiples of `unit`.

    A row without an answer goes down by `shares` of a rule and the tree's own cases or, given the number of cases that each row
    stands for (`times`), by those of the rows whose answers are known. With `asks_rows`, as in prediction, a rule that sees rows
    also divides those with an answer. A level of more than `many` parts is continued in halves; with 0, nodes come one by one in
    preorder.

    >>> from ftree import Branch, Leaf
    >>> from ftree.tree import Threshold
    >>> from ftree.missing import all_routes
    >>> from ftree.routing.flat import flat
    >>> twig = flat(Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1)))))
    >>> below = list(descend(twig, (np.array([0.0, 1.0, np.nan]),), np.ones(3), all_routes(), 1.0))[1]
    >>> below.node.tolist(), below.rows.tolist()
    ([1, 2, 1, 2], [0, 1, 2, 2])
    """
    cells, of_sizes = tree.questions.cells(columns, len(sizes)), partial(shares, rule)
    soft = rule if asks_rows and sees_rows(rule) else None
    stack = [Parts(np.zeros(len(sizes), np.intp), np.arange(len(sizes)), sizes)]
    while stack:
        here = stack.pop()
        if len(here.node) > many and (here.node != here.node[0]).any():
            stack += _halves(here.by_node())
        elif len(here.node):
            level, below = _next_level(tree, columns, cells, here, shares=of_sizes, soft=soft, unit=unit, times=times)
            yield level
            stack.append(below)


def _next_level(
    tree: Flat, columns: Columns, cells: Array, here: Parts, *, shares: Shares, soft: Any, unit: float, times: Array | None
) -> tuple[RowLevel, Parts]:
    """The parts at some nodes, and those that arrive at their children; `soft` is a rule that divides rows with an answer."""
    inner = tree.arity[here.node] > 0
    goes_on = here if inner.all() else here.take(inner)
    child = tree.questions.child_of(columns, cells, goes_on.node, goes_on.rows)
    below, known = Parts(tree.first_child[goes_on.node] + child, goes_on.rows, goes_on.sizes), child != UNKNOWN
    all_known, stays = known.all(), np.zeros(len(known))  # what ends here of each part at a branch
    if soft is not None:
        softened, parts, stays = _divided_by_row(tree, columns, goes_on, known, soft, unit)
        below = Parts(*map(np.concatenate, zip(below.take(known & ~softened), *parts, strict=True)))
    elif not all_known:
        below = below.take(known)
    if not all_known:
        cases = tree.sizes if times is None else np.bincount(below.node, below.sizes * times[below.rows], len(tree.arity))
        lost = goes_on.take(~known)
        parts, stays[~known] = divided(lost, tree.first_child, tree.arity, lambda kids: shares(cases[kids]), unit)
        below = Parts(*map(np.concatenate, zip(below, *parts, strict=True)))
    ends, unanswered = np.where(inner, 0.0, here.sizes), np.zeros(len(inner), bool)
    if soft is not None or not all_known:
        ends[inner], unanswered[inner] = stays, ~known
    return RowLevel(*here, ends, unanswered), below


def _divided_by_row(
    tree: Flat, columns: Columns, here: Parts, known: Array, rule: PredictionRule, unit: float
) -> tuple[Array, list[Parts], Array]:
    """Which parts (n,) with an answer a rule divides that sees rows, what the children get, and what stays of each part (n,)."""
    divides, parts, stays = np.zeros(len(known), bool), list[Parts](), np.zeros(len(known))
    for node in np.unique(here.node[known]).tolist():
        split: Any = tree.questions.splits[node]
        some = np.flatnonzero(known & (here.node == node))
        rows = here.rows[some]
        shares = shares_of_rows(rule, split, tuple(columns[each][rows] for each in split.features))
        if shares is not None:
            given, stays[some] = divide_weights(here.sizes[some], shares.T, unit)
            child, row = np.nonzero(given)
            parts.append(Parts(tree.first_child[node] + child, rows[row], given[child, row]))
            divides[some] = True
    return divides, parts, stays


def divided(lost: Parts, first: Array, arity: Array, shares: Shares, unit: float) -> tuple[list[Parts], Array]:
    """The parts at the children of rows without an answer, and what is left of each at its node.

    `first` and `arity` are the first child of each node and the number of its children; `shares` are those of children (B, V).
    """
    parts, stays = list[Parts](), np.empty(len(lost.node))
    for n_children in np.unique(arity[lost.node]).tolist():
        some = np.flatnonzero(arity[lost.node] == n_children)
        branches, which = np.unique(lost.node[some], return_inverse=True)
        kids = first[branches, None] + np.arange(n_children)
        given, stays[some] = divide_weights(lost.sizes[some], shares(kids)[which.reshape(-1)].T, unit)
        child, row = np.nonzero(given)
        parts.append(Parts(first[lost.node[some[row]]] + child, lost.rows[some[row]], given[child, row]))
    return parts, stays


def _halves(level: Parts) -> tuple[Parts, Parts]:
    """A level in two parts, cut between two nodes; the first half comes last, since it is continued first."""
    start = int(level.node[len(level.node) // 2])
    middle = int(np.searchsorted(level.node, start if start != level.node[0] else start + 1))
    return level.take(slice(middle, None)), level.take(slice(0, middle))


# The leaves of rows, and what these add up to, as the native library finds them.


def numpy_leaf_numbers(tree: Flat, columns: Columns, n: int, *, block: int = _BLOCK) -> Array:
    """The leaf of each row, (n,); -1 for a row without an answer at some split on its path."""
    leaf = np.empty(n, np.intp)
    for rows in blocks_of(0, n, block):
        for level in descend(tree, _taken(columns, rows), np.ones(rows.stop - rows.start), stop_here(), 1.0):
            leaf[rows][level.rows] = np.where(level.unanswered, UNKNOWN, level.node)
    return leaf


def plain_counts_of_leaves(
    tree: Flat, columns: Columns, n: int, rule: PredictionRule, of_nodes: Floats, *, most: int = _MOST_PARTS
) -> Floats:
    """The sums of what nodes add (m, K) where the parts of each row end, (n, K), added up in preorder.

    An ancestor answers for a node without cases. Such nodes add nothing to a row that gets other counts; a row that gets no
    others has the largest that they would add, class by class. By a rule that adds distributions, they add as all nodes do.
    """
    as_distributions, at_nodes = adds_distributions(rule), of_nodes[tree.answer]
    counts = np.zeros((n, at_nodes.shape[1]))
    for rows in blocks_of(0, n, max(1, most // len(tree.arity))):
        some, found = _taken(columns, rows), counts[rows]
        levels = [level.ending() for level in descend(tree, some, np.ones(len(found)), rule, exact_unit(1.0), asks_rows=True)]
        node, row, part = (np.concatenate(each) for each in zip(*levels, strict=True))
        order = tree.preorder[node].argsort(kind="stable")
        node, row, part = node[order], row[order], part[order]
        from_above = np.zeros(len(node), bool) if as_distributions else tree.answer[node] != node
        for number, of_class in enumerate(at_nodes.T):
            added = part * of_class[node]
            found[:, number] = np.bincount(row[~from_above], added[~from_above], len(found))
        without = ~found.any(axis=1)
        if without.any() and from_above.any():
            largest = np.zeros(found.shape)
            np.maximum.at(largest, row[from_above], (part[:, None] * at_nodes[node])[from_above])
            found[without] = largest[without]
    return counts


def _taken(columns: Columns, rows: Any) -> Columns:
    return tuple([column[rows] for column in columns])
