"""What the nodes of a tree ask, in arrays: the questions of all splits, in numbers."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from attrs import define, evolve, frozen

from ftree._lib.arrays import Array, run_starts
from ftree.tree.splits import (
    UNKNOWN,
    Columns,
    Groups,
    Intervals,
    Multiway,
    Oblique,
    Split,
    Subset,
    Threshold,
    WithSurrogates,
    children_of,
    features_of,
)

# What is asked: nothing (at a leaf), whether a number lies above another, a code, between which cuts a number lies, a sum.
LEAF, ABOVE, CODE, BETWEEN, SUM = range(-1, 4)

# Tables of children by code grow with the largest code of each split; larger ones in all than this are not made.
_MOST_CELLS = 1 << 24


@frozen
class Question:
    """What a split asks of a row, in numbers.

    Of one feature, whether its number lies above `at`, which of `codes` it is, with `beside` the child of each and `rest` that
    of all others, or between which `numbers`; or whether the sum of the features in `terms`, times `numbers`, lies above `at`.
    Where there is no answer, `others` are asked in turn, of which those that are `turned` mean the other child; after the
    last one it is `otherwise`.
    """

    kind: int = LEAF
    feature: int = 0
    at: float = 0.0
    codes: Sequence[int] = ()
    beside: Sequence[int] = ()
    rest: int = UNKNOWN
    numbers: Sequence[float] = ()
    terms: Sequence[int] = ()
    turned: bool = False
    others: "tuple[Question, ...]" = ()
    otherwise: int = UNKNOWN


_NOTHING = Question()


def question(split: Split | None) -> Question:
    """What a split asks; nothing for a leaf.

    >>> question(Threshold(1, 0.5)).at, question(Subset(0, (1, 3))).codes, question(Oblique((1, 0, 2), 0.5)).terms
    (0.5, (1, 3), (0, 2))
    """
    match split:
        case Threshold():
            asked = Question(ABOVE, split.feature, split.at)
        case Multiway():
            asked = Question(CODE, split.feature, codes=split.values, beside=range(len(split.values)))
        case Groups():
            beside = [child for child, group in enumerate(split.groups) for _ in group]
            asked = Question(CODE, split.feature, codes=tuple(chain.from_iterable(split.groups)), beside=beside)
        case Subset():
            asked = Question(CODE, split.feature, codes=split.members, beside=(0,) * len(split.members), rest=1)
        case Intervals():
            asked = Question(BETWEEN, split.feature, numbers=split.cuts, terms=(split.feature,) * len(split.cuts))
        case Oblique():
            terms = features_of(split)
            asked = Question(SUM, at=split.at, numbers=[split.weights[feature] for feature in terms], terms=terms)
        case WithSurrogates():
            others = (evolve(question(each.split), turned=each.reversed) for each in split.surrogates)
            otherwise = UNKNOWN if split.default_child is None else split.default_child
            asked = evolve(question(split.split), others=tuple(others), otherwise=otherwise)
        case _:  # None
            asked = _NOTHING
    return asked


@define(eq=False, slots=False)
class Questions:
    """What nodes ask, one item for each in every array; behind them stand the questions that stand in for others.

    `other` is the next that stands in for one, -1 for none. Codes have their children in `table`, cuts and weights stand in
    `numbers`, from `start` on and `width` of them. Where tables would be too large there is none (`in_tables` is False).
    """

    splits: Sequence[Split | None]
    kind: Array
    feature: Array
    at: Array
    start: Array
    width: Array
    turned: Array
    other: Array
    otherwise: Array
    table: Array
    numbers: Array
    terms: Array
    in_tables: bool

    @cached_property
    def asked(self) -> Array:
        """Numbers of the features that are asked."""
        return np.unique(np.concatenate([self.feature[(self.kind != LEAF) & (self.kind != SUM)], self.terms]))

    @cached_property
    def has_more(self) -> Array:
        """Where something stands in for want of an answer."""
        more: Array = (self.other != UNKNOWN) | (self.otherwise != UNKNOWN)
        return more

    @cached_property
    def some_ask_more(self) -> bool:
        """Whether any question is neither of a threshold nor of codes alone."""
        return bool((self.kind > CODE).any() or self.has_more.any())

    def child_of(self, columns: Columns, here: Array, rows: Array) -> Array:
        """The child of each row at its node: thresholds and codes all at once, whatever else there is by asking the splits."""
        x = _cells(columns, self.feature[here], rows)
        child = np.where(np.isnan(x), UNKNOWN, x > self.at[here]).astype(np.int64)
        kind = self.kind[here]
        coded = np.flatnonzero(kind == CODE)
        if len(coded):
            child[coded] = self._looked_up(here[coded], x[coded])
        if self.some_ask_more:
            left = np.flatnonzero((kind > CODE) | ((child == UNKNOWN) & self.has_more[here]))
            child[left] = self._answered(columns, here[left], rows[left])
        return child

    def _looked_up(self, nodes: Array, codes: Array) -> Array:
        known = ~np.isnan(codes)
        code = np.minimum(np.where(known, codes, 0).astype(np.int64), self.width[nodes] - 1)
        child: Array = np.where(known, self.table[self.start[nodes] + code], UNKNOWN)
        return child

    def _answered(self, columns: Columns, here: Array, rows: Array) -> Array:
        """The children that splits themselves answer, the rows of one split at a time."""
        child, order = np.empty(len(rows), np.int64), here.argsort(kind="stable")
        starts = run_starts(here[order])
        splits = [self.splits[node] for node in here[order][starts].tolist()]
        if splits:
            child[order] = children_of(splits, np.diff(starts, append=len(rows)), columns, rows[order])
        return child


def in_arrays(splits: Sequence[Split | None]) -> Questions:
    """The questions of some splits, None for a leaf.

    >>> asks = in_arrays([Threshold(1, 0.5), None, Subset(0, (1,))])
    >>> asks.kind.tolist(), asks.table.tolist()
    ([0, -1, 1], [1, 0, 1])
    """
    questions = list(map(question, splits))
    other = _stand_ins(questions)
    width = np.array([max(each.codes) + 2 if each.kind == CODE else len(each.numbers) for each in questions])
    coded = np.array([each.kind == CODE for each in questions])
    in_tables = int(width[coded].sum()) <= _MOST_CELLS
    start = np.where(coded, np.cumsum(width * coded), np.cumsum(width * ~coded)) - width
    table = np.zeros(int(width[coded].sum()) if in_tables else 0, np.int32)
    for node in np.flatnonzero(coded).tolist() if in_tables else ():
        own = table[start[node] : start[node] + width[node]]
        own[:] = questions[node].rest  # the last one stands for all larger codes
        own[list(questions[node].codes)] = questions[node].beside
    kind, feature, at, turned, otherwise = (
        np.array([getattr(each, name) for each in questions]) for name in ("kind", "feature", "at", "turned", "otherwise")
    )
    numbers = np.array(list(chain.from_iterable(each.numbers for each in questions)), np.float64)
    terms = np.array(list(chain.from_iterable(each.terms for each in questions)), np.int64)
    fixed = np.array(other), otherwise, table, numbers, terms, in_tables
    return Questions(splits, kind, feature, at, start, width, turned, *fixed)


def _stand_ins(questions: list[Question]) -> list[int]:
    """Put the questions that stand in for others behind them all; the next that stands in for each, -1 for none."""
    other = [UNKNOWN] * len(questions)
    for node in [number for number, each in enumerate(questions) if each.others]:
        last = node
        for each in questions[node].others:
            other[last] = last = len(questions)
            questions.append(evolve(each, otherwise=questions[node].otherwise))
            other.append(UNKNOWN)
    return other


def _cells(columns: Columns, features: Array, rows: Array) -> Array:
    """Each row's value of the feature that is asked of it: floats, NaN where missing."""
    x = np.empty(len(rows))
    for feature in np.unique(features).tolist():
        asked = np.flatnonzero(features == feature)
        x[asked] = columns[feature][rows[asked]]
        if columns[feature].dtype.kind != "f":
            x[asked[x[asked] < 0]] = np.nan
    return x
