"""The splits of all nodes of a tree as arrays, by which many rows are routed at once."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain, compress

import numpy as np
from attrs import define

from ftree._lib.arrays import Array, run_starts
from ftree.tree.splits.child_of import children_of
from ftree.tree.splits.optional import table_form
from ftree.tree.splits.protocol import UNKNOWN, Columns, Split
from ftree.tree.splits.tables import CODE, LEAF, OPAQUE, SUM, Question

# A table has a cell for each code up to the largest of a split. If a tree needs more cells than this, no tables are made.
_MOST_CELLS = 1 << 24
# The question of a split without a table form.
_OPAQUE = Question(OPAQUE)


@define(eq=False, slots=False)
class Questions:
    """The questions of all nodes, one item a node in every array, and after them those of surrogates.

    `surrogate` is the number of the next surrogate, -1 for none. The child of each code is in `table`, interval borders
    and weights are in `numbers`, features of sums in `terms`: `width` of them from `start` on. `in_tables` is False if
    tables would be too large and were not made.
    """

    splits: Sequence[Split | None]
    kind: Array
    feature: Array
    at: Array
    start: Array
    width: Array
    reversed: Array
    surrogate: Array
    default_child: Array
    table: Array
    numbers: Array
    terms: Array
    in_tables: bool

    @cached_property
    def used_features(self) -> Array:
        """Numbers of the features that the splits use, increasing."""
        return np.unique(np.concatenate([self.feature[~np.isin(self.kind, (LEAF, SUM, OPAQUE))], self.terms]))

    @cached_property
    def has_fallback(self) -> Array:
        """Which questions have a surrogate or a default child for rows without an answer."""
        fallback: Array = (self.surrogate != UNKNOWN) | (self.default_child != UNKNOWN)
        return fallback

    @cached_property
    def some_need_splits(self) -> bool:
        """Whether any question is more than a threshold or a table of codes."""
        return bool((self.kind > CODE).any() or self.has_fallback.any())

    @cached_property
    def compiled(self) -> bool:
        """Whether compiled code can route rows by these arrays: all questions are in tables, and none is `OPAQUE`."""
        return self.in_tables and not (self.kind == OPAQUE).any()

    @cached_property
    def place(self) -> Array:
        """The position of each question's feature among those used; the first position for a question without one feature."""
        return np.searchsorted(self.used_features, self.feature)

    def cells(self, columns: Columns, n: int) -> Array:
        """The used columns as floats side by side, NaN where missing, (used, n); one row of NaN if no column is used.

        >>> from ftree import Subset
        >>> in_arrays([Subset(1, (0,))]).cells((np.array([5]), np.array([0, -1])), 2).tolist()
        [[0.0, nan]]
        """
        cells = np.full((max(len(self.used_features), 1), n), np.nan)
        for row, feature in zip(cells, self.used_features.tolist(), strict=False):
            row[:] = columns[feature]
            if columns[feature].dtype.kind != "f":
                row[row < 0] = np.nan
        return cells

    def child_of(self, columns: Columns, cells: Array, here: Array, rows: Array) -> Array:
        """The child of each row at its node `here`: thresholds and codes all at once, other questions by their splits.

        `cells` are those of the columns; splits of other types read the columns themselves.
        """
        x = cells[self.place[here], rows]
        child = np.where(np.isnan(x), UNKNOWN, x > self.at[here]).astype(np.int64)
        kind = self.kind[here]
        coded = np.flatnonzero(kind == CODE)
        if len(coded):
            child[coded] = self._by_table(here[coded], x[coded])
        if self.some_need_splits:
            open_ = np.flatnonzero((kind > CODE) | ((child == UNKNOWN) & self.has_fallback[here]))
            child[open_] = self._by_split(columns, here[open_], rows[open_])
        return child

    def _by_table(self, nodes: Array, codes: Array) -> Array:
        known = ~np.isnan(codes)
        code = np.minimum(np.where(known, codes, 0).astype(np.int64), self.width[nodes] - 1)
        child: Array = np.where(known, self.table[self.start[nodes] + code], UNKNOWN)
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

    >>> from ftree import Subset, Threshold
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
    width[coded] = [max(listed) + 2 for listed in compress(codes, coded)]
    in_tables = int(width[coded].sum()) <= _MOST_CELLS
    start = np.where(coded, np.cumsum(width * coded), np.cumsum(width * ~coded)) - width
    table = np.zeros(0, np.int32)
    if in_tables:  # the last cell stands for all larger codes
        table = np.repeat(np.array(others, np.int32)[coded], width[coded])
        sizes = np.fromiter(map(len, compress(codes, coded)), np.int64)
        table[_whole(codes, coded) + np.repeat(start[coded], sizes)] = _whole(children, coded)
    weights, places = (np.array(list(chain.from_iterable(each))) for each in (numbers, terms))
    first = kind, np.array(features), np.array(at), start, width, np.array(is_reversed), surrogate, np.array(default_child)
    return Questions(splits, *first, table, weights.astype(np.float64), places.astype(np.int64), in_tables)


def _whole(lists: Sequence[Sequence[int]], chosen: Array) -> Array:
    """The numbers of the lists that a mask marks, one after another."""
    return np.fromiter(chain.from_iterable(compress(lists, chosen)), np.int64)


def _with_surrogates(questions: list[Question]) -> list[int]:
    """Append the questions of surrogates to the list; the result is each question's next surrogate, -1 for none."""
    surrogate = [UNKNOWN] * len(questions)
    for node in [number for number, each in enumerate(questions) if each.surrogates]:
        last = node
        for each in questions[node].surrogates:
            surrogate[last] = last = len(questions)
            questions.append(each._replace(default_child=questions[node].default_child))
            surrogate.append(UNKNOWN)
    return surrogate
