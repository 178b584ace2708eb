"""Rows of any form at the leaves that they reach, and what these answer: labels, counts, ranks.

A few rows walk down in plain Python; blocks of more rows in the native library, where it is here, else in NumPy. Rows that may
reach several leaves, since a split has no answer for them, are counted by the same two.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import isinf, nan
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, distinct, exact_unit, first_largest, first_smallest
from ftree._lib.machine import thread_pool
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import proportions
from ftree.data.labelled import Unseen
from ftree.data.rows import columns_to_route
from ftree.routing.descent import descend
from ftree.routing.flat import Flat, flat, flat_of_sums
from ftree.routing.missing_rules import adds_distributions, route_shares, sees_rows, stop_here
from ftree.tree.nodes import PredictionRule, Tree
from ftree.tree.response import ResponseOfSums
from ftree.tree.splits.split import ABOVE, CODE, LEAF, UNKNOWN, Columns

# Up to this many rows, a single call of NumPy takes longer than a walk.
_FEW = 16
# Rows of a block, which is copied at once: the fewer copies, the less threads wait for each other.
_BLOCK = 1 << 13
# This many steps of rows through nodes take a few tenths of a second, for which an interruption can wait.
_MOST_STEPS = 1 << 26
# Rows in this many parts are in memory at a time.
MOST_PARTS = 1 << 22
# From this many steps of rows through nodes on, it pays to check whether rows are equal.
MANY_STEPS = 1 << 22
# Rows that are compared first: if most of them differ, so do the others.
_SAMPLE = 256


@frozen(eq=False)
class Reached:
    """The columns of rows in the codes of a tree, its nodes, and that where each row ends, -1 without an answer at some split.

    `single` says whether one row was given instead of several.
    """

    nodes: Flat = field(repr=False)
    columns: Columns = field(repr=False)
    single: bool
    leaf: Array = field(repr=False)

    def divided(self, rule: PredictionRule) -> tuple[Array, Columns]:
        """The numbers of the rows that a rule may divide, those without an answer or all of them, and their columns."""
        rows = np.arange(len(self.leaf)) if sees_rows(rule) else np.flatnonzero(self.leaf == UNKNOWN)
        table = table_of(self.columns) if len(rows) else None  # whole rows are copied faster than their cells
        return rows, tuple([column[rows] for column in self.columns] if table is None else table.take(rows, axis=0).T)


def reach(tree: Tree, rows: Any, unseen: Unseen = "rule") -> Reached:
    """Send rows down a tree.

    Raises a ValueError for rows of another length and for infinity, a KeyError for a column that the rows lack and a split uses.

    >>> from ftree import Dataset, grow
    >>> reach(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), [["rainy"], ["snowy"]]).leaf.tolist()
    [1, -1]
    """
    rows = rows.read_all() if hasattr(rows, "read_next_batch") else rows  # an Arrow stream can be read only once
    own = flat(tree).questions
    asking = own.asks_unseen if tree.schema.has_classes else ()
    columns, n, single, refuse_infinity = columns_to_route(tree.schema, rows, asking, own.all_features)
    tree, columns = with_answers_for_unseen(tree, rows, columns, unseen)
    nodes = flat(tree) if tree.schema.has_classes else flat_of_sums(tree)
    return Reached(nodes, columns, single, leaf_numbers(nodes, columns, n, refuse_infinity))


def with_answers_for_unseen(tree: Tree, rows: Any, columns: Columns, unseen: Unseen) -> tuple[Tree, Columns]:
    """`unseen_values.with_unseen`, which is loaded only for trees with a split that distinguishes values that it has not seen."""
    own = flat(tree).questions
    if unseen != "missing" and not (own.asks_unseen or own.tells_unseen):
        return tree, tuple(columns)
    from ftree.routing.unseen_values import with_unseen  # noqa: PLC0415  # few trees need it

    return with_unseen(tree, rows, columns, unseen)


def label_numbers(reached: Reached, rule: PredictionRule) -> npt.NDArray[np.intp]:
    """The class number of each row's label."""
    nodes, (rows, columns) = reached.nodes, reached.divided(rule)
    labels: npt.NDArray[np.intp] = nodes.labels[reached.leaf]  # -1 takes any node; these rows are replaced below
    if len(rows):
        labels[rows] = first_largest(reached_counts(nodes, columns, len(rows), rule))
    return labels


def answers_of_rows(reached: Reached, response: ResponseOfSums, rule: PredictionRule) -> Array:
    """What is predicted for each row of a tree without classes, (n,) or (n, K): the answer of the leaf that it reaches.

    The sums of several leaves are added, which weighs their means by their cases; by a rule that adds distributions, the answers
    are weighed by the row's shares, or, where answers are labels, the sums of a case.
    """
    if not adds_distributions(rule):
        return response.answers(counts_of_rows(reached, rule))
    shape, kind = (each := response.answers(reached.nodes.counts[:1])).shape[1:], each.dtype.kind
    if kind != "f":
        return response.answers(counts_of_rows(reached, rule, _sums_of_a_case))
    weighed = counts_of_rows(reached, rule, lambda sums: np.column_stack([np.ones(len(sums)), response.answers(sums)]))
    answers: Floats = weighed[:, 1:] / weighed[:, :1]
    return answers.reshape(-1, *shape)


def _sums_of_a_case(sums: Floats) -> Floats:
    """The sums of nodes (m, C) for each case of theirs."""
    return sums / np.where(sums[:, :1] > 0, sums[:, :1], 1.0)


def counts_of_rows(reached: Reached, rule: PredictionRule, estimate: Callable[[Floats], Floats] = proportions) -> Floats:
    """The class counts by which each row is predicted, (n, K); by a rule that adds distributions, those of `estimate`."""
    nodes, (rows, columns) = reached.nodes, reached.divided(rule)
    of_nodes = answers_of_nodes(nodes, rule, estimate)
    counts: Floats = of_nodes[nodes.answer[reached.leaf]]  # as above
    if len(rows):
        counts[rows] = reached_counts(nodes, columns, len(rows), rule, of_nodes)
    return counts


def leaf_ranks(reached: Reached, rule: PredictionRule) -> Array:
    """The number of the leaf, from left to right, that each row reaches by a rule that follows one route; else -1."""
    nodes, (rows, columns) = reached.nodes, reached.divided(rule)
    ranks: Array = nodes.leaf_ranks[reached.leaf]
    for level in descend(nodes, columns, np.ones(len(rows)), rule, 1.0, shares=route_shares):
        ends = level.ending()
        ranks[rows[ends.rows]] = nodes.leaf_ranks[ends.node]
    return ranks


def cheapest_class(tree: Tree, counts: Floats, priors: Iterable[float] | None, costs: Iterable[Iterable[float]] | None) -> Any:
    """The number of the class with the least expected cost; the first of several."""
    from ftree.criteria.costs import as_priors, costs_for, expected_costs, factors  # noqa: PLC0415  # few predictions have them

    weight = factors(tree.root.counts, as_priors(priors), None)
    matrix = costs_for(costs, len(tree.schema.classes))
    cost = expected_costs(counts if weight is None else counts * weight, matrix)
    return first_smallest(cost, counts.sum(axis=-1, keepdims=True) * np.max(matrix))


def checked_answer(name: str, answer: Any, shape: tuple[int, ...], *, of: str = "class") -> Floats:
    """The result of a user's function for rows, as an array; a number for each class, or each of something else.

    Raises a ValueError for anything but finite numbers from 0 of this shape.

    >>> checked_answer("estimate", [0.25, 0.75], (2,)).tolist()
    [0.25, 0.75]
    """
    try:
        numbers = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.shape != shape or not (np.isfinite(numbers) & (numbers >= 0)).all():
        got = short_repr(answer) + (" with other numbers" if numbers.shape == shape else "")
        raise ValueError(f"{name} must return finite numbers from 0 of shape {shape}, one for each {of}, got {got}.")
    return numbers


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
    return numpy_leaf_numbers(tree, columns, n)


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


def numpy_leaf_numbers(tree: Flat, columns: Columns, n: int, *, block: int = _BLOCK) -> Array:
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
