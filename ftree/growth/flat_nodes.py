"""The flat form of a grown tree, from the arrays of growth: no node becomes an object.

It equals the flat form of the finished tree, array by array.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from attrs import define, frozen

from ftree._lib.arrays import Array, end_to_end, ranges
from ftree.growth.assemble import Assembly
from ftree.growth.split_arrays import MULTIWAY, NONE, SUBSET, THRESHOLD, Cuts
from ftree.growth.surrogate_splits import SurrogateSplits
from ftree.routing.flat import Flat, flat_of
from ftree.routing.split_tables import Questions, tables_of_codes
from ftree.tree.splits.protocol import UNKNOWN, Split
from ftree.tree.splits.tables import ABOVE, CODE, LEAF

# The kind of question of each kind of split.
_KIND_OF_QUESTION = np.array([LEAF, ABOVE, CODE, CODE])


def flat_nodes(parts: Assembly) -> Flat | None:
    """The flat form of the tree of these parts; None if a split has no array form."""
    places, counts, splits, sizes, firsts = zip(*parts.parts, strict=True)
    cuts = [each if isinstance(each, Cuts) else Cuts.of(each) for each in splits]
    found = [_in_arrays(each) for each in cuts]
    if None in found:
        return None
    arity = end_to_end(sizes)
    order = _level_order(end_to_end(places), arity, end_to_end(firsts))
    questions = _questions(found, SplitsInOrder(cuts, order), order)
    return flat_of(questions, arity[order], end_to_end(counts)[order].astype(np.float64))


@define(eq=False, slots=False)
class SplitsInOrder(Sequence["Split | None"]):
    """The splits of all parts in an order; they become objects when the first is asked for."""

    cuts: Sequence[Cuts]
    order: Array

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.order)

    def __getitem__(self, number: Any) -> Any:
        """The split of one node, or a list of some."""
        return self._made[number]

    def __iter__(self) -> "Iterator[Split | None]":
        """All splits."""
        return iter(self._made)

    @cached_property
    def _made(self) -> list[Split | None]:
        listed = list(chain.from_iterable(self.cuts))
        return [listed[row] for row in self.order.tolist()]


def _in_arrays(cuts: Cuts) -> tuple[Cuts, SurrogateSplits | None] | None:
    """The cuts without their surrogates, and the surrogates; None if there are other objects."""
    if not cuts.objects:
        return cuts, None
    if isinstance(cuts.objects, SurrogateSplits) and len(cuts.objects.cuts) == len(cuts):
        return cuts.objects.cuts, cuts.objects
    return None


def _level_order(place: Array, arity: Array, first: Array) -> Array:
    """The rows of nodes in level order, given each one's position, number of children and first child."""
    row_at = np.empty(len(place), np.intp)
    row_at[place] = np.arange(len(place))
    levels, rows = [], row_at[:1]
    while len(rows):
        levels.append(rows)
        rows = rows[arity[rows] > 0]
        rows = row_at[ranges(first[rows], first[rows] + arity[rows])]
    return np.concatenate(levels)


def _questions(found: Sequence[Any], splits: Sequence[Split | None], order: Array) -> Questions:
    """The questions of all nodes in an order, then those of surrogates."""
    cuts = [each for each, _ in found]
    kind, feature, at = (end_to_end([getattr(each, name) for each in cuts])[order] for name in ("kind", "feature", "at"))
    backed = _backed(found, order)
    coded = (kind == MULTIWAY) | (kind == SUBSET)
    listed = _listed(cuts, order[coded], kind[coded] == MULTIWAY)
    tables = map(np.append, (coded, *listed), (backed.coded, *backed.listed()))
    is_coded, sizes, codes, children, others = tables
    width = np.zeros(len(is_coded), np.int64)
    start, width, table, in_tables = tables_of_codes(is_coded, width, sizes, codes, children, others)
    return Questions(
        splits,
        np.append(_KIND_OF_QUESTION[kind], np.where(backed.coded, CODE, ABOVE)),
        np.append(np.where(kind == NONE, 0, feature), backed.feature).astype(np.int64),
        np.append(np.where(kind == THRESHOLD, at, 0.0), np.where(backed.coded, 0.0, backed.at)),
        start,
        width,
        np.append(np.zeros(len(order), np.bool_), backed.reversed),
        backed.next_one(len(order)),
        backed.default_children(len(order)),
        table,
        np.zeros(0),
        np.zeros(0, np.int64),
        in_tables,
    )


def _listed(cuts: Sequence[Cuts], rows: Array, multiway: Array) -> tuple[Array, Array, Array, Array]:
    """For the splits in some rows: the number of listed codes, these codes, the child of each, and that of all other codes."""
    widths, codes = end_to_end([np.diff(each.first) for each in cuts]), end_to_end([each.codes for each in cuts])
    start, sizes = (np.cumsum(widths) - widths)[rows], widths[rows]
    at = ranges(start, start + sizes)
    children = np.where(np.repeat(multiway, sizes), at - np.repeat(start, sizes), 0)
    return sizes, codes[at], children, np.where(multiway, UNKNOWN, 1)


@frozen(eq=False)
class _Backed:
    """Nodes with surrogates: number, count of surrogates and larger child of each (N,); then all surrogates in order."""

    node: Array
    many: Array
    default_child: Array
    feature: Array
    coded: Array
    reversed: Array
    at: Array
    low: Array
    high: Array

    def listed(self) -> tuple[Array, Array, Array, Array]:
        """As `_listed`, for the surrogates that test a code."""
        low, high = self.low[self.coded], self.high[self.coded]
        row, code = np.nonzero((low | high)[:, None] >> _BITS & np.uint64(1))
        children = (high[row] >> code.astype(np.uint64) & np.uint64(1)).astype(np.int64)
        return np.bincount(row, minlength=len(low)), code, children, np.full(len(low), UNKNOWN)

    def next_one(self, n: int) -> Array:
        """The number of the next surrogate, of n nodes and then of all surrogates; -1 for none."""
        following = np.append(np.full(n, UNKNOWN), n + 1 + np.arange(len(self.feature)))
        ends, some = np.cumsum(self.many), self.many > 0
        following[self.node[some]] = n + (ends - self.many)[some]
        following[n + ends[some] - 1] = UNKNOWN
        return following

    def default_children(self, n: int) -> Array:
        """The child of a row without any answer, of n nodes and then of all surrogates; -1 for none."""
        children = np.append(np.full(n, UNKNOWN), np.repeat(self.default_child, self.many))
        children[self.node] = self.default_child
        return children


def _backed(found: Sequence[Any], order: Array) -> _Backed:
    """The nodes with surrogates, in an order of all nodes."""
    begin = np.cumsum([0, *(len(cuts) for cuts, _ in found)])
    some = [(start, splits) for start, (_, splits) in zip(begin.tolist(), found, strict=False) if splits is not None]
    if not some:
        return _NONE_BACKED
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    node = number[end_to_end([start + np.flatnonzero(splits.backed) for start, splits in some])]
    by_node = np.argsort(node)
    names = "default_child", "feature", "reverse", "threshold", "low", "high"
    columns = [end_to_end([getattr(splits.surrogates, name) for _, splits in some])[by_node] for name in names]
    default_child, feature, *rest = columns
    there = feature >= 0
    reverse, threshold, low, high = (column[there] for column in rest)
    coded = some[0][1].nominal[feature[there]]
    return _Backed(node[by_node], there.sum(axis=1), default_child, feature[there], coded, reverse, threshold, low, high)


_BITS = np.arange(64, dtype=np.uint64)
_WHOLE, _MARK, _BIT = (np.zeros(0, kind) for kind in (np.int64, np.bool_, np.uint64))
_NONE_BACKED = _Backed(_WHOLE, _WHOLE, _WHOLE, _WHOLE, _MARK, _MARK, np.zeros(0), _BIT, _BIT)
