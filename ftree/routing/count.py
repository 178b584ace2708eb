"""Class counts of a dataset at every node of a tree: all rows go down together, level by level.

`ftree.recount`, reduced-error and error-based pruning use it. Counting node by node would take several NumPy calls a node.
"""

from collections.abc import Iterator, Sequence
from itertools import compress, pairwise
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, grid, run_starts, times_and_fractions
from ftree._lib.gc_pause import gc_paused
from ftree.data.dataset import Dataset
from ftree.routing.alike import MANY_STEPS, alike
from ftree.routing.route import child_sizes
from ftree.routing.shares import divide_weights, whole_shares
from ftree.routing.weighted import weighted
from ftree.tree.build import new_branches, new_leaves, set_children
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree, whole_numbers
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.splits.child_of import children_of
from ftree.tree.splits.protocol import UNKNOWN, Columns

# The rule that divides rows without an answer by default.
_WEIGHTED = weighted()
# Sorting node numbers within a range of 16 bits takes linear time.
SIXTEEN_BITS = 1 << 16
LARGEST = np.iinfo(np.intp).max
# A level with more parts of rows than this is continued in halves, so that rows in many parts take little memory.
MANY = 1 << 16


class RowParts(NamedTuple):
    """Parts of rows at the nodes of a level, sorted by node: the node's number, the row's, and the size of the part."""

    node: Array
    rows: Array
    shares: Array


@runtime_checkable
class CountsNodes(Protocol):
    """A table that counts the nodes of a tree itself, since its rows are not in memory; passes accept it as a pruning set."""

    def count_nodes(self, tree: Tree, /) -> list[Counts]:
        """Class counts of each node in level order, with rows without an answer divided by weight."""
        ...


@gc_paused()
def count_cases(
    nodes: Sequence[Node],
    below: Sequence[range],
    data: Dataset,
    *,
    rule: PredictionRule = _WEIGHTED,
    as_known: bool = False,
    total: float | None = None,
) -> list[Counts]:
    """Class counts of each node of `level_order(root)`, for data in the tree's codes.

    Parts of rows are multiples of a power of two, so that a branch's counts are exactly the sum of its children's. For a part
    of a larger table, `total` is the number of cases of the whole table, so that counts of parts add up exactly as well.

    Rows without an answer are divided by the rule, according to the tree's own child sizes or, with `as_known`, to the numbers
    of rows whose answers are known.

    Raises a ValueError for a rule whose shares do not add up to 1.

    >>> from ftree import Leaf, Threshold
    >>> from ftree.tree import level_order
    >>> twig = Branch((1, 3), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 3))))
    >>> data = Dataset.from_columns({"x": [0.0, 1.0, None], "y": ["a", "b", "b"]}, target="y")
    >>> count_cases(*level_order(twig), data)
    [(1, 2), (1, 0.25), (0, 1.75)]
    """
    return plain_counts(counts_and_gaps(nodes, below, data, rule=rule, as_known=as_known, total=total)[0])


def counts_and_gaps(
    nodes: Sequence[Node],
    below: Sequence[range],
    data: Dataset,
    *,
    rule: PredictionRule = _WEIGHTED,
    as_known: bool = False,
    total: float | None = None,
) -> tuple[Array, set[int]]:
    """The same counts as an array (m, K), and the numbers of the nodes at which a row had no answer."""
    labels, n_classes = data.labels.astype(np.intp), len(data.schema.classes)
    step = grid(float(sum(data.class_counts())) if total is None else total)
    times, fractions = times_and_fractions(data.weights, step)
    rows, times = _merged(nodes, data, times, fractions)
    walk = _LevelWalk(nodes, below, data.columns, times, rule, as_known, step)
    counts = np.zeros(len(nodes) * n_classes)
    levels = [RowParts(np.zeros(len(rows), np.intp), rows, np.ones(len(rows)) if fractions is None else fractions[rows])]
    while levels:
        level = levels.pop()
        if len(level.node) > MANY and level.node[0] != level.node[-1]:
            levels += _halves(level)
        elif len(level.node):
            first = int(level.node[0])
            added = np.bincount((level.node - first) * n_classes + labels[level.rows], walk.weights(level))
            counts[first * n_classes : first * n_classes + len(added)] += added
            levels.append(walk.next_level(level))
    return counts.reshape(len(nodes), n_classes), walk.gaps


def _merged(nodes: Sequence[Node], data: Dataset, times: Array | None, fractions: Array | None) -> tuple[Array, Array | None]:
    """The rows to send down, and the multiplicity of each: one row stands for all that the tree cannot tell apart."""
    n = len(data)
    if n * len(nodes) >= MANY_STEPS:
        used = sorted({feature for node in nodes if isinstance(node, Branch) for feature in node.split.features})
        groups = alike([data.labels, *([] if fractions is None else [fractions]), *(data.columns[feature] for feature in used)])
        if groups is not None:
            rows, which = groups
            summed = np.zeros(n)
            summed[rows] = np.bincount(which, times)
            return rows, summed
    return np.arange(n), times


def plain_counts(counts: Array) -> list[Counts]:
    """An array of counts (m, K) as nodes have them.

    >>> plain_counts(np.array([[2.0, 0.5]]))
    [(2, 0.5)]
    """
    plain = iter(whole_numbers(counts.ravel()))
    return list(zip(*[plain] * counts.shape[1], strict=True))


@gc_paused()
def with_counts(nodes: Sequence[Node], below: Sequence[range], counts: Sequence[Counts], *, shared: bool = True) -> list[Node]:
    """The nodes of `level_order(root)` with other counts; with `shared`, a subtree without changes stays the same object."""
    changed = [not shared or now != node.counts for node, now in zip(nodes, counts, strict=True)]
    for number in reversed(range(len(nodes))):
        kids = below[number]
        changed[number] = changed[number] or any(changed[kids.start : kids.stop])
    inner = [number for number, node in enumerate(nodes) if changed[number] and isinstance(node, Branch)]
    ends = [number for number, node in enumerate(nodes) if changed[number] and isinstance(node, Leaf)]
    branches = new_branches(map(counts.__getitem__, inner), [cast("Branch", nodes[number]).split for number in inner])
    fresh: dict[int, Node] = dict(zip(ends, new_leaves(map(counts.__getitem__, ends)), strict=True))
    fresh.update(zip(inner, branches, strict=True))
    made = [fresh.get(number, node) for number, node in enumerate(nodes)]
    set_children(branches, (tuple(made[below[number].start : below[number].stop]) for number in inner))
    return made


@frozen(eq=False)
class _LevelWalk:
    """Sends the rows of some columns from level to level; `gaps` are the nodes at which a row had no answer."""

    nodes: Sequence[Node]
    below: Sequence[range]
    columns: Columns
    times: Array | None
    rule: PredictionRule
    as_known: bool
    step: float
    gaps: set[int] = field(init=False, factory=set)

    def weights(self, level: RowParts) -> Array:
        """The number of cases that each row stands for."""
        return level.shares if self.times is None else level.shares * self.times[level.rows]

    def next_level(self, level: RowParts) -> RowParts:
        """The level below: all parts that go on from the branches of a level."""
        numbers, sizes = _nodes_of(level)
        if not all(map(self.below.__getitem__, numbers)):
            goes_on = [bool(self.below[number]) for number in numbers]
            level = _take(level, np.repeat(goes_on, sizes))
            numbers, sizes = list(compress(numbers, goes_on)), sizes[goes_on]
        return self._children_of(level, numbers, sizes) if numbers else level

    def _children_of(self, level: RowParts, numbers: list[int], sizes: Array) -> RowParts:
        """All parts that arrive at the children of some branches; `sizes` is each branch's number of parts in the level."""
        splits = [cast("Branch", self.nodes[number]).split for number in numbers]
        child = children_of(splits, sizes, self.columns, level.rows)
        node = child + np.repeat([self.below[number].start for number in numbers], sizes)
        known = child != UNKNOWN
        if known.all():
            return _sorted(RowParts(node, level.rows, level.shares))
        whole = _sorted(RowParts(node[known], level.rows[known], level.shares[known]))
        divided = self._parts(_take(level, ~known), whole)
        return _sorted(RowParts(*map(np.concatenate, zip(whole, *divided, strict=True))))

    def _parts(self, unanswered: RowParts, whole: RowParts) -> Iterator[RowParts]:
        """The parts of rows without an answer at the children, node by node."""
        for low, high in pairwise([*run_starts(unanswered.node).tolist(), len(unanswered.node)]):
            number = int(unanswered.node[low])
            self.gaps.add(number)
            shares = whole_shares(self.rule, self._sizes(number, whole))
            parts, _ = divide_weights(unanswered.shares[low:high], shares, self.step)
            child, row = np.nonzero(parts)
            yield RowParts(self.below[number].start + child, unanswered.rows[low:high][row], parts[child, row])

    def _sizes(self, number: int, whole: RowParts) -> Array:
        """The number of cases of each child of a node: the tree's own, or those of the known rows."""
        if not self.as_known:
            return child_sizes(cast("Branch", self.nodes[number]))
        kids = self.below[number]
        known = slice(*np.searchsorted(whole.node, (kids.start, kids.stop)).tolist())
        return np.bincount(whole.node[known] - kids.start, self.weights(_take(whole, known)), len(kids))


def _nodes_of(level: RowParts) -> tuple[list[int], Array]:
    """The nodes of a level that have rows, and each one's number of parts of rows."""
    if level.node[0] == level.node[-1]:  # the shortcut is for chains, which have many levels of one node
        return [int(level.node[0])], np.array([len(level.node)])
    starts = run_starts(level.node)
    return level.node[starts].tolist(), np.diff(starts, append=len(level.node))


def _halves(level: RowParts) -> tuple[RowParts, RowParts]:
    """A level in two parts, cut between two nodes."""
    start = int(level.node[len(level.node) // 2])
    middle = int(np.searchsorted(level.node, start if start != level.node[0] else start + 1))
    return _take(level, slice(middle, None)), _take(level, slice(0, middle))


def _take(level: RowParts, which: Any) -> RowParts:
    return RowParts(level.node[which], level.rows[which], level.shares[which])


def _sorted(level: RowParts) -> RowParts:
    near = level.node - level.node.min(initial=LARGEST)
    if near.max(initial=0) < SIXTEEN_BITS:
        near = near.astype(np.uint16)
    return _take(level, near.argsort(kind="stable"))
