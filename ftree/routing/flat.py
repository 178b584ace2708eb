"""A tree as arrays, made at the first prediction and kept as long as the tree; NumPy or compiled code route rows by them.

Nodes are numbered level by level, so that the children of a node have consecutive numbers. Flat trees are cached by the
identity of their root, with weak references: hashing a tree takes as long as flattening it.
"""

import sys
from collections.abc import Callable
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from attrs import define

from ftree._lib.arrays import Array, grid
from ftree._lib.compilation import compiled_code_is_due, is_compiled
from ftree._lib.gc_pause import gc_paused
from ftree._lib.identity_cache import cached_by_identity
from ftree._lib.ties import first_largest
from ftree.criteria.impurity import proportions
from ftree.routing.rule_names import adds_distributions
from ftree.routing.shares import child_of_rest, shares_of
from ftree.routing.split_tables import Questions, in_arrays
from ftree.tree.nodes import Branch, Node, level_order
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.splits.protocol import UNKNOWN, Columns
from ftree.tree.splits.tables import ABOVE, BETWEEN, CODE, LEAF, OPAQUE, SUM

# From this many rows on, compiled code saves more time than loading numba takes.
_MANY = 100_000
# The same limit if numba is loaded already and the kernels are compiled.
_MANY_WHERE_LOADED = 5_000
# The same limit for a tree with at least this many nodes, which is deep.
_MANY_DOWN_LARGE, _LARGE_TREE = 2_000, 2_000
# Seconds that NumPy takes for a row on a level, on a machine of 2024.
_SECONDS_PER_STEP = 2e-8
# NumPy routes this many rows at a time: the columns used are copied next to each other.
_BLOCK = 1 << 13


@define(eq=False, slots=False)
class Flat:
    """Nodes level by level: questions, number of children, first child, class counts (m, K), and the node that answers.

    The node that answers is the node itself, or its nearest ancestor with cases.
    """

    questions: Questions
    arity: Array
    first_child: Array
    counts: Array
    answer: Array

    @property
    def in_tables(self) -> bool:
        """Whether the arrays can route rows; if tables of codes would be too large, only the splits can."""
        return self.questions.in_tables

    @property
    def compiled(self) -> bool:
        """Whether compiled code can route rows by the arrays; a split without a table form must be called."""
        return self.questions.compiled

    @cached_property
    def walk_arrays(self) -> tuple[Any, ...]:
        """The tree for `ftree.routing.kernels.walk`, in few arrays, since numba takes time to unpack each of them.

        The first array holds links: the first child in the low 32 bits, and above them twice the position of the feature among
        those used, plus 1 if the question is about a code. A leaf links to itself, with a feature that is always missing.
        """
        own, n = self.questions, len(self.first_child)
        place = np.searchsorted(own.used_features, own.feature).astype(np.int64)
        kind = own.kind[:n]
        feature = 2 * np.where((kind == ABOVE) | (kind == CODE), place[:n], len(own.used_features)) + (kind == CODE)
        link = (feature << 32) + np.where(kind == LEAF, np.arange(n), self.first_child)
        columns = own.kind, place, own.start, own.width, own.reversed, own.surrogate, own.default_child
        rest = np.column_stack(columns).astype(np.int64)
        return link, own.at, rest, own.table, own.numbers, np.searchsorted(own.used_features, own.terms)

    @cached_property
    def thresholds_only(self) -> bool:
        """Whether each node is a leaf, or compares a number with a threshold."""
        return bool(np.isin(self.questions.kind[: len(self.arity)], (ABOVE, LEAF)).all())

    @cached_property
    def nodes_in_pairs(self) -> tuple[Array, Array]:
        """Links and thresholds alternating, as integers and as floats, for `ftree.routing.kernels.columns`.

        They are those of `walk_arrays`, except that a leaf compares a known number with infinity. A node's two numbers are
        adjacent, so that one memory access reads both.
        """
        link, at, *_ = self.walk_arrays
        is_leaf = self.arity == 0
        pairs = np.empty((len(link), 2), np.int64)
        pairs[:, 0] = np.where(is_leaf, np.arange(len(link)), link)
        pairs.view(np.float64)[:, 1] = np.where(is_leaf, np.inf, at[: len(link)])
        return pairs.ravel(), pairs.view(np.float64).ravel()

    @cached_property
    def labels(self) -> Array:
        """The number of the class that each node predicts."""
        answers: Array = self.counts[self.answer]
        labels: Array = first_largest(answers)
        return labels

    @cached_property
    def leaf_ranks(self) -> Array:
        """The number of each leaf from left to right; -1 for a branch."""
        first, arity = self.first_child.tolist(), self.arity.tolist()
        n_leaves, ranks = [1] * len(arity), [0] * len(arity)
        for node in reversed(range(len(arity))):
            if arity[node]:
                n_leaves[node] = sum(n_leaves[first[node] : first[node] + arity[node]])
        for node, n_children in enumerate(arity):
            rank = ranks[node]
            for child in range(first[node], first[node] + n_children):
                ranks[child], rank = rank, rank + n_leaves[child]
        return np.where(self.arity == 0, np.array(ranks), UNKNOWN)

    @cached_property
    def nested_steps(self) -> Any:
        """The tree as nested tuples for one row: (feature, at, low, high), (feature, None, child of each code), (-1, label).

        None for a tree with sums of features or splits without a table form, or without tables.
        """
        if np.isin(self.questions.kind, (SUM, OPAQUE)).any() or not self.in_tables:
            return None
        first, arity, labels = self.first_child.tolist(), self.arity.tolist(), self.labels.tolist()
        steps: list[Any] = [None] * len(first)
        for node in reversed(range(len(first))):
            steps[node] = self._step(node, steps[first[node] : first[node] + arity[node]], labels[node])
        return steps[0]

    def _step(self, node: int, below: list[Any], label: int) -> Any:
        own, feature = self.questions, int(self.questions.feature[node])
        cells = slice(own.start[node], own.start[node] + own.width[node])
        if own.kind[node] == LEAF:
            return -1, label
        if own.kind[node] == ABOVE:
            return feature, float(own.at[node]), *below
        if own.kind[node] == BETWEEN:
            return _nested_cuts(feature, own.numbers[cells].tolist(), below)
        return feature, None, [None if child == UNKNOWN else below[child] for child in own.table[cells].tolist()]

    def leaf_numbers(self, columns: Columns, n: int, refuse_infinity: Callable[[], None] | None = None) -> Array:
        """The leaf of each row, (n,); -1 for a row without an answer at some split on its path.

        If columns may have infinity, `refuse_infinity` raises an error if they do; compiled code checks while it reads.

        >>> from ftree import Branch, Leaf, Threshold
        >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
        >>> flat(twig).leaf_numbers((np.array([0.0, 1.0, np.nan]),), 3).tolist()
        [1, 2, -1]
        """
        if self.in_tables and self._due(n):
            leaf = _in_compiled_code(self, columns, n, refuse_infinity is None)
            if leaf is not None:
                return leaf
        if refuse_infinity is not None:
            refuse_infinity()
        return _level_by_level(self, columns, n) if self.in_tables else np.full(n, UNKNOWN)

    def _due(self, n: int) -> bool:
        """Whether compiled code should route n rows."""
        if n >= _MANY and self.compiled:
            return compiled_code_is_due(n * len(self.arity).bit_length() * _SECONDS_PER_STEP)
        enough = _MANY_WHERE_LOADED if len(self.arity) < _LARGE_TREE else _MANY_DOWN_LARGE
        return n >= enough and self.compiled and "numba" in sys.modules and is_compiled()

    @cached_property
    def sizes(self) -> Array:
        """Cases in each node, summed from left to right, as Python sums them."""
        return np.array(list(map(sum, self.counts.tolist())))

    def routes(self, rule: PredictionRule) -> tuple[Array, Array]:
        """By a rule, the share that each node gets of its parent's rows without an answer, and the child that gets the remainder.

        The child that gets the rounding remainder is -1 if the remainder stays at the branch.

        >>> from ftree import Branch, Leaf, Threshold
        >>> from ftree.missing import weighted
        >>> twig = Branch((1, 3), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 3))))
        >>> [each.tolist() for each in flat(twig).routes(weighted())]
        [[0.0, 0.25, 0.75], [1, -1, -1]]
        """
        share, rest = np.zeros(len(self.arity)), np.full(len(self.arity), UNKNOWN)
        for arity in np.unique(self.arity[self.arity > 0]).tolist():
            branches = np.flatnonzero(self.arity == arity)
            below = self.first_child[branches, None] + np.arange(arity)
            share[below] = shares = shares_of(rule, self.sizes[below])
            rest[branches] = child_of_rest(shares)
        return share, rest

    def gather_counts(self, columns: Columns, n: int, rule: PredictionRule) -> Array:
        """Class counts for rows that may reach several leaves, (n, K), in compiled code."""
        from ftree.routing.compiled import gather_all  # noqa: PLC0415  # loads numba, which takes longer than a few rows

        as_distributions = adds_distributions(rule)
        counts = proportions(self.counts) if as_distributions else self.counts
        given = self.first_child, self.arity, *self.routes(rule), counts, self.answer, as_distributions, grid(1.0)
        answer = np.zeros((n, counts.shape[1]))
        gather_all(self, columns, given, answer)
        return answer


@cached_by_identity
@gc_paused()
def flat(root: Node) -> Flat:
    """The flat form of a tree, made at the first call."""
    nodes, below = level_order(root)
    questions = in_arrays([node.split if isinstance(node, Branch) else None for node in nodes])
    arity = np.fromiter(map(len, below), np.int64, len(below))
    counts = np.fromiter(chain.from_iterable(node.counts for node in nodes), np.float64, len(nodes) * len(root.counts))
    counts = counts.reshape(len(nodes), -1)
    return Flat(questions, arity, np.cumsum([1, *arity[:-1]]), counts, _answering(counts, arity))


def _answering(counts: Array, arity: Array) -> Array:
    """The node that answers for each node: itself, or its nearest ancestor with cases."""
    answer, parents = np.arange(len(counts)), np.append(0, np.repeat(np.arange(len(counts)), arity))
    for node in np.flatnonzero(~counts.any(axis=1)).tolist():  # parents come first
        answer[node] = answer[parents[node]]
    return answer


def _nested_cuts(feature: int, cuts: list[float], below: list[Any]) -> Any:
    """Several intervals as nested steps: a binary search for the interval of a number."""
    if not cuts:
        return below[0]
    half = len(cuts) // 2
    low = _nested_cuts(feature, cuts[:half], below[: half + 1])
    return feature, cuts[half], low, _nested_cuts(feature, cuts[half + 1 :], below[half + 1 :])


def _level_by_level(tree: Flat, columns: Columns, n: int) -> Array:
    """The leaf of each row, -1 without an answer, in NumPy."""
    leaf = np.empty(n, np.int64)
    for begin in range(0, n, _BLOCK):
        block = slice(begin, min(begin + _BLOCK, n))
        leaf[block] = _block_level_by_level(tree, tuple(column[block] for column in columns), block.stop - begin)
    return leaf


def _block_level_by_level(tree: Flat, columns: Columns, n: int) -> Array:
    """As `_level_by_level`: all rows of a block go down one level at a time."""
    leaf, here, rows = np.zeros(n, np.int64), np.zeros(n, np.int64), np.arange(n)
    cells = tree.questions.cells(columns, n)
    while len(rows):
        leaf[rows] = here
        goes_on = tree.questions.kind[here] != LEAF
        rows, here = rows[goes_on], here[goes_on]
        child = tree.questions.child_of(columns, cells, here, rows)
        leaf[rows[child == UNKNOWN]] = UNKNOWN
        known = child != UNKNOWN
        rows, here = rows[known], (tree.first_child[here] + child)[known]
    return leaf


def _in_compiled_code(tree: Flat, columns: Columns, n: int, finite: bool = True) -> Array | None:  # noqa: FBT001, FBT002  # private
    """The leaf of each row, -1 without an answer, in compiled code; None if a column has infinity."""
    from ftree.routing.compiled import walk_all  # noqa: PLC0415  # loads numba, which takes longer than a few rows

    return walk_all(tree, columns, n, finite=finite)
