"""Rows sent down a tree: to their leaves, to the counts of all leaves that they reach, or in parts to every node.

`descend` is the plain way, in NumPy, by any rule for rows without an answer; `divided` is its one step for these rows. The native
library, where it is here, takes blocks of rows.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import isinf, nan
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, distinct, exact_unit, times_and_fractions
from ftree._lib.machine import thread_pool
from ftree.criteria.impurity import proportions
from ftree.data.dataset import Dataset
from ftree.routing.flat import Flat
from ftree.routing.missing_rules import (
    adds_distributions,
    divide_weights,
    sees_rows,
    shares_of,
    shares_of_rows,
    stop_here,
    weighted,
)
from ftree.tree.nodes import Counts, PredictionRule
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import ABOVE, CODE, LEAF, UNKNOWN, Columns, Split

# From a matrix of children's numbers or sizes (B, V) to their shares (B, V) of rows without an answer.
Shares: TypeAlias = Callable[[Array], Floats]
# Up to this many rows, a single call of NumPy takes longer than a walk.
_FEW = 16
# Rows of a block, which is copied at once: the fewer copies, the less threads wait for each other.
_BLOCK = 1 << 13
# This many steps of rows through nodes take a few tenths of a second, for which an interruption can wait.
_MOST_STEPS = 1 << 26
# Rows in this many parts are in memory at a time.
MOST_PARTS = 1 << 22
# A level with more parts of rows than this is continued in halves, so that rows in many parts take little memory.
_MANY_PARTS = 1 << 16
# From this many steps of rows through nodes on, it pays to check whether rows are equal.
MANY_STEPS = 1 << 22
# Rows that are compared first: if most of them differ, so do the others.
_SAMPLE = 256


def leaf_numbers(tree: Flat, columns: Columns, n: int, refuse_infinity: Callable[[], None] | None = None) -> Array:
    """The leaf of each row, (n,); -1 for a row without an answer at some split on its path.

    If columns may have infinity, `refuse_infinity` raises an error if they do; the native library checks while it reads.

    >>> from ftree import Branch, Leaf
    >>> from ftree.tree import Threshold
    >>> from ftree.routing.flat import flat
    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> leaf_numbers(flat(twig), (np.array([0.0, 1.0, np.nan]),), 3).tolist()
    [1, 2, -1]
    """
    found = few_leaf_numbers(tree, columns, refuse_infinity) if n <= _FEW else None
    if found is not None:
        return found
    if tree.compiled and native.is_here():
        return native_leaf_numbers(tree, columns, n, refuse_infinity)
    if refuse_infinity is not None:
        refuse_infinity()
    return plain_leaf_numbers(tree, columns, n)


def few_leaf_numbers(tree: Flat, columns: Columns, refuse_infinity: Callable[[], None] | None = None) -> Array | None:
    """`leaf_numbers` for a few rows, in plain Python; None if a split may have an answer for a missing value."""
    if tree.steps is None or not columns:
        return None
    known = [column.tolist() if column.dtype.kind == "f" else np.where(column < 0, nan, column).tolist() for column in columns]
    rows = list(zip(*known, strict=True))
    if refuse_infinity is not None and any(map(isinf, chain.from_iterable(rows))):
        refuse_infinity()
    leaves = [end_of_row(tree.steps, row) for row in rows]
    return None if UNKNOWN in leaves and tree.questions.has_fallback.any() else np.array(leaves, np.intp)


def end_of_row(steps: Sequence[tuple[int, int, Any, int]], cells: Sequence[Any]) -> int:
    """The node at which a row ends, by `Flat.steps` and its cells, NaN where missing; -1 if the way there is not known."""
    node = 0
    while True:
        kind, feature, at, end = steps[node]
        if kind == LEAF:
            return node
        cell = cells[feature]
        if cell != cell:  # noqa: PLR0124  # NaN is not equal to itself
            return UNKNOWN
        if kind == ABOVE:
            node = end + (cell > at)
        elif kind == CODE:
            child = at[int(cell) if cell < len(at) else -1]
            if child == UNKNOWN:
                return UNKNOWN
            node = end + child
        else:
            node = end + bisect_left(at, cell)


def plain_leaf_numbers(tree: Flat, columns: Columns, n: int, *, block: int = _BLOCK) -> Array:
    """`leaf_numbers` in NumPy."""
    leaf = np.empty(n, np.intp)
    for rows in _blocks(n, block):
        for level in descend(tree, _taken(columns, rows), np.ones(rows.stop - rows.start), stop_here(), 1.0):
            leaf[rows][level.rows] = np.where(level.unanswered, UNKNOWN, level.node)
    return leaf


def native_leaf_numbers(
    tree: Flat, columns: Columns, n: int, refuse_infinity: Callable[[], None] | None = None, *, block: int = _BLOCK
) -> Array:
    """`leaf_numbers` in the native library."""
    table, ways = _table_and_ways(tree, columns)
    lines = tree.questions.used_features.tolist() if table is None else range(len(columns))
    others = [column for number, column in enumerate(columns) if column.dtype.kind == "f" and number not in lines]
    leaf, infinite = np.empty(n, np.intp), list[int]()

    def down(rows: slice, cells: Array) -> None:
        read = [cells[: len(lines), : rows.stop - rows.start] if table is None else cells, *(column[rows] for column in others)]
        if refuse_infinity is not None and _some_infinite(read):
            infinite.append(rows.start)
        native.call("leaves", cells, table is not None, *ways, leaf[rows])

    _in_blocks(down, tree, columns, n, block=block, steps=n, table=table)
    if infinite and refuse_infinity is not None:
        refuse_infinity()
    return leaf


def _table_and_ways(tree: Flat, columns: Columns) -> tuple[Array | None, tuple[Array, ...]]:
    """The table whose columns these are, if the library can read it without a copy, and the tree's arrays for it."""
    table, ways = table_of(columns), tree.walk_arrays_of_table
    return (None, tree.walk_arrays) if table is None or ways is None else (table, ways)


def table_of(columns: Columns) -> Array | None:
    """The table of floats (n, F) whose columns these are, which need no copy; None if they are others."""
    table = columns[0].base if columns else None
    if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype != np.float64:  # noqa: PLR2004  # rows and columns
        return None
    n = len(columns[0])
    table = (table if table.flags.c_contiguous else table.T)[:n]
    same = len(columns) == table.shape[1] and all(
        column.__array_interface__ == own.__array_interface__ for column, own in zip(columns, table.T, strict=True)
    )
    return table if same and table.flags.c_contiguous else None


def _some_infinite(arrays: Sequence[Array]) -> bool:
    """Whether a number is infinite; the extremes, which pass over missing values, are found faster than each is checked."""
    return any(isinf(extreme(each, axis=None, initial=0.0)) for each in arrays for extreme in (np.fmax.reduce, np.fmin.reduce))


def reached_counts(
    tree: Flat, columns: Columns, n: int, rule: PredictionRule, of_nodes: Floats | None = None, *, many: int = MANY_STEPS
) -> Floats:
    """The class counts by which rows that may reach several leaves are predicted, (n, K); of equal rows, one is routed.

    They are sums of `of_nodes` (m, K): by default `answers_of_nodes`.
    """
    of_nodes = answers_of_nodes(tree, rule) if of_nodes is None else of_nodes
    used = [columns[feature] for feature in tree.questions.used_features.tolist()] if tree.compiled else list(columns)
    groups = alike(used) if used and n * len(tree.arity) >= many else None
    if groups is not None:
        columns, n = _taken(columns, groups[0]), len(groups[0])
    takes = native_counts if tree.compiled and not sees_rows(rule) and native.is_here() else plain_counts_of_leaves
    counts = takes(tree, columns, n, rule, of_nodes)
    return counts if groups is None else counts[groups[1]]


def answers_of_nodes(tree: Flat, rule: PredictionRule, estimate: Callable[[Floats], Floats] = proportions) -> Floats:
    """What each node adds for a whole row, (m, K): its counts, or the distribution that is estimated from them."""
    return estimate(tree.counts) if adds_distributions(rule) else tree.counts


def plain_counts_of_leaves(
    tree: Flat, columns: Columns, n: int, rule: PredictionRule, of_nodes: Floats, *, most: int = MOST_PARTS
) -> Floats:
    """`reached_counts` in NumPy; parts of rows are added up in preorder."""
    as_distributions, at_nodes = adds_distributions(rule), of_nodes[tree.answer]
    counts = np.zeros((n, at_nodes.shape[1]))
    for rows in _blocks(n, max(1, most // len(tree.arity))):
        some, found = _taken(columns, rows), counts[rows]
        levels = [level.ending() for level in descend(tree, some, np.ones(len(found)), rule, exact_unit(1.0))]
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


def native_counts(tree: Flat, columns: Columns, n: int, rule: PredictionRule, of_nodes: Floats, *, block: int = _BLOCK) -> Floats:
    """`reached_counts` in the native library."""
    n_nodes, n_classes = of_nodes.shape
    given = tree.divisions(rule), np.ascontiguousarray(of_nodes), adds_distributions(rule), exact_unit(1.0)
    added = np.zeros((n, n_classes))
    table, ways = _table_and_ways(tree, columns)

    def down(rows: slice, cells: Array) -> None:
        room = np.empty(n_nodes, np.int64), np.empty(n_nodes), np.empty(n_classes)
        native.call("add_up", cells, table is not None, *ways, *given, *room, added[rows])

    # A row with missing values may visit every node.
    _in_blocks(down, tree, columns, n, block=max(1, min(block, _MOST_STEPS // n_nodes)), steps=n * n_nodes, table=table)
    return added


def _in_blocks(
    work: Callable[[slice, Array], None],
    tree: Flat,
    columns: Columns,
    n: int,
    *,
    block: int,
    steps: int,
    table: Array | None = None,
) -> None:
    """Call `work` with blocks of rows and their cells, copied from columns or those of a table, in several threads."""
    block = max(1, min(block, n))  # few rows take little memory

    def several(low: int, high: int, _: int) -> None:
        cells = np.full((len(tree.questions.used_features) + 1, block if table is None else 0), np.nan)
        for begin in range(low * block, min(high * block, n), block):
            rows = slice(begin, min(begin + block, n))
            if table is None:
                tree.questions.fill(cells, columns, rows)
            work(rows, cells if table is None else table[rows])

    with thread_pool(None) as threads:
        threads.share(several, -(-n // block), steps)


def _taken(columns: Columns, rows: Any) -> Columns:
    return tuple([column[rows] for column in columns])


def _blocks(n: int, block: int) -> Iterator[slice]:
    return (slice(begin, min(begin + block, n)) for begin in range(0, n, block))


# The plain descent


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
    times: Array | None = None,
    many: int = _MANY_PARTS,
) -> Iterator[RowLevel]:
    """Rows of these sizes from the root down, level by level, as parts that are multiples of `unit`.

    A row without an answer goes down by `shares` of a rule and the tree's own cases or, given the number of cases that each row
    stands for (`times`), by those of the rows whose answers are known. A level of more than `many` parts is continued in halves;
    with 0, nodes come one by one in preorder.

    >>> from ftree import Branch, Leaf
    >>> from ftree.tree import Threshold
    >>> from ftree.missing import all_routes
    >>> from ftree.routing.flat import flat
    >>> twig = flat(Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1)))))
    >>> below = list(descend(twig, (np.array([0.0, 1.0, np.nan]),), np.ones(3), all_routes(), 1.0))[1]
    >>> below.node.tolist(), below.rows.tolist()
    ([1, 2, 1, 2], [0, 1, 2, 2])
    """
    cells = tree.questions.cells(columns, len(sizes))
    stack = [Parts(np.zeros(len(sizes), np.intp), np.arange(len(sizes)), sizes)]
    while stack:
        here = stack.pop()
        if len(here.node) > many and (here.node != here.node[0]).any():
            stack += _halves(here.by_node())
        elif len(here.node):
            level, below = _next_level(tree, columns, cells, here, rule, shares=shares, unit=unit, times=times)
            yield level
            stack.append(below)


def _next_level(
    tree: Flat, columns: Columns, cells: Array, here: Parts, rule: Any, *, shares: Any, unit: float, times: Array | None
) -> tuple[RowLevel, Parts]:
    """The parts at some nodes, and those that arrive at their children."""
    inner = tree.arity[here.node] > 0
    ends, unanswered = np.where(inner, 0.0, here.sizes), np.zeros(len(inner), bool)
    level = RowLevel(*here, ends, unanswered)  # the last two are completed below
    goes_on = here if inner.all() else here.take(inner)
    child = tree.questions.child_of(columns, cells, goes_on.node, goes_on.rows)
    below, known = Parts(tree.first_child[goes_on.node] + child, goes_on.rows, goes_on.sizes), child != UNKNOWN
    if shares is shares_of and sees_rows(rule):
        softened, parts, stays = _divided_by_row(tree, columns, goes_on, known, rule, unit)
        ends[np.flatnonzero(inner)[softened]] = stays[softened]
        below = Parts(*map(np.concatenate, zip(below.take(known & ~softened), *parts, strict=True)))
    elif not known.all():
        below = below.take(known)
    if known.all():
        return level, below
    lost = np.flatnonzero(inner)[~known]
    unanswered[lost] = True
    cases = tree.sizes if times is None else np.bincount(below.node, below.sizes * times[below.rows], len(tree.arity))
    parts, ends[lost] = divided(here.take(lost), tree.first_child, tree.arity, lambda kids: shares(rule, cases[kids]), unit)
    return level, Parts(*map(np.concatenate, zip(below, *parts, strict=True)))


def _divided_by_row(
    tree: Flat, columns: Columns, here: Parts, known: Array, rule: PredictionRule, unit: float
) -> tuple[Array, list[Parts], Array]:
    """Which rows with an answer a rule divides that sees them, their parts at the children, and what is left of each row."""
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


def alike(columns: Sequence[Array]) -> tuple[Array, Array] | None:
    """One row for each group of equal rows, and for each row the number of its group; None if most rows differ.

    `columns` are one or more of equal length; missing values count as equal.

    >>> rows, which = alike([np.array([1.0, np.nan, np.nan, 1.0])])
    >>> rows.tolist(), which.tolist()
    ([3, 2], [0, 1, 1, 0])
    >>> alike([np.array([1.0, 2.0, 3.0, 3.0])])
    """
    some = np.column_stack([column[:: max(1, len(column) // _SAMPLE)] for column in columns])
    return _grouped(columns) if 2 * len(set(map(bytes, some))) <= len(some) else None


def _grouped(columns: Sequence[Array]) -> tuple[Array, Array]:
    key = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        values, code = np.unique(column, return_inverse=True)
        key = np.unique(key * len(values) + code, return_inverse=True)[1]
    return distinct(key)


# One split at a time, for subtree raising

# Rows at one node: their numbers and the sizes of their parts.
WeightedRows: TypeAlias = tuple[Array, Array]
_NO_ROWS = np.zeros(0, np.intp), np.zeros(0)
_WEIGHTED = weighted()


@frozen(eq=False)
class Descent:
    """The rows of one dataset, in the tree's codes, of which a split divides some; `all_rows` has each row and its size.

    `unit` is that of shares, `times` are whole row weights.
    """

    data: Dataset
    unit: float
    times: Array | None
    all_rows: WeightedRows

    @staticmethod
    def of(data: Dataset) -> "Descent":
        """The descent of all rows of a dataset."""
        unit = exact_unit(sum(data.class_counts()), len(data.schema.features))
        times, fractions = times_and_fractions(data.weights, unit)
        return Descent(data, unit, times, (np.arange(len(data)), np.ones(len(data)) if fractions is None else fractions))

    def divide(self, split: Split, here: WeightedRows, before: Sequence[Counts] = ()) -> tuple[list[WeightedRows], bool]:
        """The rows of each child, and whether every row has an answer; `before` has the children's counts of earlier rows.

        A row without an answer is divided in proportion to the rows that have one, earlier rows included.
        """
        rows, sizes = here
        child = child_of(split, *(self.data.columns[feature][rows] for feature in split.features))
        known, n_children = child != UNKNOWN, split.n_children
        groups = [(rows[which], sizes[which]) for which in (child == number for number in range(n_children))]
        if known.all():
            return groups, True
        cases = np.array([self._cases(group).sum() for group in groups]) + (list(map(sum, before)) or 0)
        lost = Parts(np.zeros(len(rows) - known.sum(), np.intp), rows[~known], sizes[~known])
        (parts,), _ = divided(
            lost, np.array([0]), np.array([n_children]), lambda kids: shares_of(_WEIGHTED, cases[kids]), self.unit
        )
        more = [(parts.rows[which], parts.sizes[which]) for which in (parts.node == number for number in range(n_children))]
        return list(map(concatenate, zip(groups, more, strict=True))), False

    def count(self, here: WeightedRows, before: Counts) -> Counts:
        """Class counts of some rows and of those that were counted before."""
        added = np.bincount(self.data.target_column[here[0]], self._cases(here), len(before)).tolist()
        return tuple([_whole(old + new) for old, new in zip(before, added, strict=True)])

    def _cases(self, here: WeightedRows) -> Array:
        """The number of cases that the rows stand for."""
        rows, sizes = here
        return sizes if self.times is None else sizes * self.times[rows]


def concatenate(groups: Sequence[WeightedRows]) -> WeightedRows:
    """The rows of all groups; there may be no group."""
    if len(groups) == 1:
        return groups[0]
    rows, sizes = zip(_NO_ROWS, *groups, strict=True)
    return np.concatenate(rows), np.concatenate(sizes)


def _whole(count: float) -> float:
    whole = int(count)
    return whole if whole == count else count
