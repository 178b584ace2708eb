"""A tree as arrays, made when they are first needed and kept as long as the tree; NumPy and compiled code route rows by them.

Nodes are numbered level by level, so that the children of a node have consecutive numbers.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain, compress
from typing import Any

import numpy as np
from attrs import define

from ftree import native
from ftree._lib.arrays import Array, first_largest, run_starts
from ftree._lib.objects import cached_by_identity, gc_paused
from ftree.native import filled
from ftree.routing.missing_rules import NodeShares, child_of_rest, shares_of
from ftree.tree.nodes import Branch, Node, PredictionRule, Tree, arrays_of, level_order
from ftree.tree.splits.split import (
    ABOVE,
    CODE,
    LEAF,
    OPAQUE,
    SUM,
    UNKNOWN,
    Columns,
    Split,
    TableForm,
    answers_unseen,
    children_of,
    table_form,
    tells_unseen,
)

# A table has a cell for each code up to the largest of a split. If a tree needs more cells than this, no tables are made.
_MOST_CELLS = 1 << 24
# The question of a split without a table form.
_OPAQUE = TableForm(OPAQUE)


@cached_by_identity  # hashing a tree takes as long as flattening it
@gc_paused()
def flat(tree: Tree | Node) -> "Flat":
    """The flat form of a tree, made at the first call: from the arrays of its growth, while nodes are no objects yet."""
    if isinstance(tree, Tree):
        arrays = arrays_of(tree)
        made: Flat | None = None if arrays is None else arrays.flat()
        return flat(tree.root) if made is None else made
    root: Node = tree
    return flat_of_nodes(*level_order(root))


def flat_of_nodes(nodes: Sequence[Node], below: Sequence[range]) -> "Flat":
    """The flat form of the tree with these nodes, level by level, and the numbers of the children of each."""
    questions = in_arrays([node.split if isinstance(node, Branch) else None for node in nodes])
    arity, n_classes = np.fromiter(map(len, below), np.int64, len(below)), len(nodes[0].counts)
    counts = np.fromiter(chain.from_iterable(node.counts for node in nodes), np.float64, len(nodes) * n_classes)
    return flat_of(questions, arity, counts.reshape(-1, n_classes))


@cached_by_identity
def flat_of_sums(tree: Tree | Node) -> "Flat":
    """The flat form of a regression tree: a node without cases has the sums of the ancestor that answers; sizes are cases."""
    own = flat(tree)
    answering_for = Flat(own.questions, own.arity, own.first_child, own.counts[own.answer])
    answering_for.sizes = own.counts[:, 0]
    return answering_for


def flat_of_tree(tree: Tree) -> "Flat":
    """The flat form whose sizes are the cases of nodes, whatever the tree answers."""
    return flat(tree) if tree.schema.has_classes else flat_of_sums(tree)


def flat_of(questions: "Questions", arity: Array, counts: Array) -> "Flat":
    """The flat form of the tree with such nodes, level by level: questions, numbers of children, class counts (m, K)."""
    return Flat(questions, arity, np.append(1, 1 + np.cumsum(arity[:-1])), counts)


@define(eq=False, slots=False)
class Flat:
    """Nodes level by level: questions, number of children, first child, class counts (m, K)."""

    questions: "Questions"
    arity: Array
    first_child: Array
    counts: Array

    @property
    def compiled(self) -> bool:
        """Whether compiled code can route rows by the arrays; a split without a table form must be called."""
        return self.questions.compiled

    @cached_property
    def answer(self) -> Array:
        """The node that answers for each node: itself, or its nearest ancestor with cases."""
        answer, parents = np.arange(len(self.counts)), np.append(0, np.repeat(np.arange(len(self.counts)), self.arity))
        for node in np.flatnonzero(~self.counts.any(axis=1)).tolist():  # parents come first
            answer[node] = answer[parents[node]]
        return answer

    @cached_property
    def labels(self) -> Array:
        """The number of the class that each node predicts."""
        labels: Array = first_largest(self.counts[self.answer])
        return labels

    @cached_property
    def sizes(self) -> Array:
        """Cases in each node, summed from left to right, as Python sums them."""
        return np.array(list(map(sum, self.counts.tolist())))

    def below(self, branches: Array, arity: int) -> Array:
        """The numbers of the children (B, V) of branches that all have so many."""
        numbers: Array = self.first_child[branches, None] + np.arange(arity)
        return numbers

    def shares(self, rule: PredictionRule) -> NodeShares:
        """How a rule divides rows without an answer at each node.

        >>> from ftree import Branch, Leaf
        >>> from ftree.tree import Threshold
        >>> from ftree.missing import weighted
        >>> twig = Branch((1, 3), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 3))))
        >>> [each.tolist() for each in flat(twig).shares(weighted())]
        [[0.0, 0.25, 0.75], [1.0, 1.0, 1.0], [1, -1, -1]]
        """
        share, total, rest = np.zeros(len(self.arity)), np.ones(len(self.arity)), np.full(len(self.arity), UNKNOWN)
        for arity in np.unique(self.arity[self.arity > 0]).tolist():
            branches = np.flatnonzero(self.arity == arity)
            below = self.below(branches, arity)
            share[below] = shares = shares_of(rule, self.sizes[below])
            total[branches], rest[branches] = shares.sum(axis=-1), child_of_rest(shares)
        return NodeShares(share, total, rest)

    @cached_property
    def preorder(self) -> Array:
        """The position of each node in preorder."""
        first, arity = self.first_child.tolist(), self.arity.tolist()
        size, place = [1] * len(arity), [0] * len(arity)
        for node in reversed(range(len(arity))):
            size[node] += sum(size[first[node] : first[node] + arity[node]])
        for node, n_children in enumerate(arity):
            at = place[node] + 1
            for child in range(first[node], first[node] + n_children):
                place[child], at = at, at + size[child]
        return np.array(place)

    @cached_property
    def leaf_ranks(self) -> Array:
        """The number of each leaf from left to right; -1 for a branch."""
        ranks, leaves = np.full(len(self.arity), UNKNOWN), np.flatnonzero(self.arity == 0)
        ranks[leaves[self.preorder[leaves].argsort()]] = np.arange(len(leaves))
        return ranks

    @cached_property
    def walk_arrays(self) -> tuple[Array, ...]:
        """The tree for the native library, where cells have a line for each used feature, and a missing one."""
        return self._records(self.questions.place, len(self.questions.used_features))

    @cached_property
    def walk_arrays_of_table(self) -> tuple[Array, ...] | None:
        """The tree for cells with a line for each feature; None unless each node is a leaf or a threshold."""
        return self._records(self.questions.feature, 0) if np.isin(self.questions.kind, (ABOVE, LEAF)).all() else None

    def _records(self, line: Array, missing: int) -> tuple[Array, ...]:
        """Steps, questions, codes, borders, and terms, given each question's line of cells."""
        own, n, asked = self.questions, len(self.first_child), self.questions.asked.copy()
        asked["line"], kind = line, asked["kind"][:n]
        place = np.where((kind == ABOVE) | (kind == CODE), line[:n], missing)
        first = np.where(kind == LEAF, np.arange(n), self.first_child)
        steps = filled(native.STEP, at=asked["at"][:n], line=2 * place + (kind == CODE), first=first)
        return steps, asked, own.table, own.numbers, np.searchsorted(own.used_features, own.terms)

    def divisions(self, rule: PredictionRule) -> Array:
        """By a rule, how the native library divides rows without an answer at each node."""
        own = self.shares(rule)
        return filled(native.DIVISION, share=own.share, arity=self.arity, rest=own.rest, answer=self.answer)

    @cached_property
    def steps(self) -> list[tuple[int, int, Any, int]] | None:
        """For one row in plain Python, each node's kind, feature, threshold, borders or children of codes, and first child.

        None for a tree with sums of features or splits without a table form.
        """
        own = self.questions
        if not own.compiled or (own.kind == SUM).any():
            return None
        codes, numbers = own.table.tolist(), own.numbers.tolist()
        return [
            (kind, feature, at if kind == ABOVE else (codes if kind == CODE else numbers)[start : start + width], first)
            for (at, start, width, kind, feature, *_), first in zip(own.asked.tolist(), self.first_child.tolist(), strict=False)
        ]


@define(eq=False, slots=False)
class Questions:
    """The questions of all nodes, and after them those of surrogates, as structs of the native library whose lines are features.

    `surrogate` is the number of the next surrogate, -1 for none. The child of each code is in `table`, interval borders
    and weights are in `numbers`, features of sums in `terms`: `width` of them from `start` on. There is no table of codes where
    all of them would be too large.
    """

    splits: Sequence[Split | None]
    asked: Array
    table: Array
    numbers: Array
    terms: Array

    kind = property(lambda self: self.asked["kind"])
    feature = property(lambda self: self.asked["line"])

    @cached_property
    def used_features(self) -> Array:
        """Numbers of the features that the splits use, increasing; those of splits without a table form are not listed."""
        return np.unique(np.concatenate([self.feature[~np.isin(self.kind, (LEAF, SUM, OPAQUE))], self.terms]))

    @cached_property
    def all_features(self) -> frozenset[int]:
        """Numbers of the features that any split uses."""
        return frozenset(self.used_features.tolist()).union(*(split.features for split in self._splits(self.kind == OPAQUE)))

    @cached_property
    def has_fallback(self) -> Array:
        """Which questions have a surrogate or a default child for rows without an answer."""
        fallback: Array = (self.asked["surrogate"] != UNKNOWN) | (self.asked["default_child"] != UNKNOWN)
        return fallback

    @cached_property
    def in_tables(self) -> bool:
        """Whether questions for a code have their tables."""
        return bool(len(self.table)) or not (self.kind == CODE).any()

    @cached_property
    def by_split(self) -> Array:
        """Which questions only their splits answer: all but thresholds and tables of codes."""
        others: Array = (self.kind > CODE) | ((self.kind == CODE) & (not self.in_tables))
        return others

    @cached_property
    def simple(self) -> bool:
        """Whether each question is a threshold or a table of codes, without surrogates or default children."""
        return not (self.by_split.any() or self.has_fallback.any())

    @cached_property
    def compiled(self) -> bool:
        """Whether compiled code can route rows by these arrays: all questions are in tables, and none is `OPAQUE`."""
        return self.in_tables and not (self.kind == OPAQUE).any()

    @cached_property
    def asks_unseen(self) -> frozenset[int]:
        """Features of splits that have a child for values that the schema lacks: by `child_of_unseen(values)`."""
        if not (self.kind == OPAQUE).any():
            return frozenset()
        return frozenset(split.features[0] for split in self._splits(self.kind != LEAF) if answers_unseen(split))

    @cached_property
    def tells_unseen(self) -> frozenset[int]:
        """Features of splits that may have a child for missing values, which is not that of values that the schema lacks."""
        asked = self.asked
        may = (asked["kind"] == OPAQUE) | ((asked["default_child"] != UNKNOWN) & (asked["surrogate"] == UNKNOWN))
        return frozenset(split.features[0] for split in self._splits(may) if tells_unseen(split))

    def _splits(self, which: Array) -> list[Split]:
        """The splits of the nodes that a mask over all questions marks."""
        numbers = np.flatnonzero(which[: len(self.splits)]).tolist()
        return [split for split in map(self.splits.__getitem__, numbers) if split is not None]

    @cached_property
    def place(self) -> Array:
        """The position of each question's feature among those used; the first position for a question without one feature."""
        places: Array = np.searchsorted(self.used_features, self.feature).astype(np.int64)
        return places

    def cells(self, columns: Columns, n: int) -> Array:
        """The used columns of n rows as floats, NaN where missing, (used + 1, n); the last line is entirely missing.

        >>> from ftree.tree import Subset
        >>> in_arrays([Subset(1, (0,))]).cells((np.array([5]), np.array([0, -1])), 2).tolist()
        [[0.0, nan], [nan, nan]]
        """
        cells = np.full((len(self.used_features) + 1, n), np.nan)
        self.fill(cells, columns, slice(n))
        return cells

    def fill(self, cells: Array, columns: Columns, rows: slice) -> None:
        """Copy some rows of the used columns into cells, a line each."""
        for line, feature in zip(cells, self.used_features.tolist(), strict=False):
            column = columns[feature][rows]
            line[: len(column)] = column
            if column.dtype.kind != "f":
                line[: len(column)][column < 0] = np.nan

    def child_of(self, columns: Columns, cells: Array, here: Array, rows: Array) -> Array:
        """The child of each row at its node `here`: thresholds and codes all at once, other questions by their splits.

        `cells` are those of the columns; splits of other types read the columns themselves.
        """
        x = cells[self.place[here], rows]
        child = np.where(np.isnan(x), UNKNOWN, x > self.asked["at"][here]).astype(np.int64)
        if len(self.table):
            coded = np.flatnonzero(self.kind[here] == CODE)
            child[coded] = self._by_table(here[coded], x[coded])
        if not self.simple:
            open_ = np.flatnonzero(self.by_split[here] | ((child == UNKNOWN) & self.has_fallback[here]))
            child[open_] = self._by_split(columns, here[open_], rows[open_])
        return child

    def _by_table(self, nodes: Array, codes: Array) -> Array:
        known = ~np.isnan(codes)
        code = np.minimum(np.where(known, codes, 0).astype(np.int64), self.asked["width"][nodes] - 1)
        child: Array = np.where(known, self.table[self.asked["start"][nodes] + code], UNKNOWN)
        return child

    def _by_split(self, columns: Columns, here: Array, rows: Array) -> Array:
        """The children that the splits' own methods give, for the rows of one split at a time."""
        child, order = np.empty(len(rows), np.int64), here.argsort(kind="stable")
        starts = run_starts(here[order])
        splits = [self.splits[node] for node in here[order][starts].tolist()]
        if splits:
            child[order] = children_of(splits, np.diff(starts, append=len(rows)), columns, rows[order])
        return child


def in_arrays(splits: Sequence[Split | None]) -> Questions:
    """The questions of some splits, None for a leaf, as arrays.

    >>> from ftree.tree import Subset, Threshold
    >>> questions = in_arrays([Threshold(1, 0.5), None, Subset(0, (1,))])
    >>> questions.kind.tolist(), questions.table.tolist()
    ([0, -1, 1], [1, 0, 1])
    """
    questions = [table_form(split) or _OPAQUE for split in splits]
    surrogate = np.array(_with_surrogates(questions))
    kinds, features, at, codes, children, others, numbers, terms, is_reversed, _, default_child = zip(*questions, strict=True)
    kind = np.array(kinds)
    coded = kind == CODE
    width = np.fromiter(map(len, numbers), np.int64, len(kind))
    sizes = np.fromiter(map(len, compress(codes, coded)), np.int64)
    listed = _whole(codes, coded), _whole(children, coded)
    start, width, table = tables_of_codes(coded, width, sizes, *listed, np.array(others, np.int32)[coded])
    weights, places = (np.array(list(chain.from_iterable(each))) for each in (numbers, terms))
    asked = asked_of(kind, features, at, start, width, reversed=is_reversed, surrogate=surrogate, default_child=default_child)
    return Questions(splits, asked, table, weights.astype(np.float64), places.astype(np.int64))


def asked_of(kind: Array, feature: Any, at: Any, start: Array, width: Array, **others: Any) -> Array:
    """Questions as structs; a leaf's is whether a number is above infinity, which none is."""
    numbers = np.where(kind == LEAF, np.inf, at)
    return filled(native.QUESTION, at=numbers, kind=kind, line=feature, start=start, width=width, **others)


def tables_of_codes(
    coded: Array, width: Array, sizes: Array, codes: Array, children: Array, others: Array
) -> tuple[Array, Array, Array]:
    """Where each question's table or numbers start, how wide they are, and the tables, none if they would be too large.

    `coded` marks the questions for a code. Each of these lists so many codes (`sizes`), all of them one after another in
    `codes`, with their `children`; `others` has the child of all other codes. `width` has how many numbers other questions have.

    >>> one = np.array([True]), np.zeros(1, np.int64), np.array([2]), np.array([0, 2]), np.array([0, 0]), np.array([1])
    >>> tables_of_codes(*one)[2].tolist()
    [0, 1, 0, 1]
    """
    width = width.copy()
    if len(sizes):
        width[coded] = np.maximum.reduceat(codes, np.cumsum(sizes) - sizes) + 2
    start = np.where(coded, np.cumsum(width * coded), np.cumsum(width * ~coded)) - width
    table = np.zeros(0, np.int32)
    if int(width[coded].sum()) <= _MOST_CELLS:  # the last cell stands for all larger codes
        table = np.repeat(others.astype(np.int32, copy=False), width[coded])
        table[codes + np.repeat(start[coded], sizes)] = children
    return start, width, table


def _whole(lists: Sequence[Sequence[int]], chosen: Array) -> Array:
    """The numbers of the lists that a mask marks, one after another."""
    return np.fromiter(chain.from_iterable(compress(lists, chosen)), np.int64)


def _with_surrogates(questions: list[TableForm]) -> list[int]:
    """Append the questions of surrogates to the list; the result is each question's next surrogate, -1 for none."""
    surrogate = [UNKNOWN] * len(questions)
    for node in [number for number, each in enumerate(questions) if each.surrogates]:
        last = node
        for each in questions[node].surrogates:
            surrogate[last] = last = len(questions)
            questions.append(each._replace(default_child=questions[node].default_child))
            surrogate.append(UNKNOWN)
    return surrogate
