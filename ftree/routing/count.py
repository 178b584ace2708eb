"""Data counted at every node of a tree at once: rows go down level by level, those of a level together.

What `ftree.recount` and the passes that look at other data count with; a walk node by node takes some calls for each of them.
"""

from collections.abc import Iterator, Sequence
from itertools import compress, pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, grid, run_starts, times_and_fractions
from ftree._lib.gc_pause import gc_paused
from ftree.data.dataset import Dataset
from ftree.routing.route import Missing, parts, sizes_below
from ftree.tree.build import new_branches, new_leaves, set_children
from ftree.tree.nodes import Branch, Counts, Leaf, Node, whole_numbers
from ftree.tree.splits import UNKNOWN, Columns, children_of

# Where rows without an answer go: to all children as the tree's cases did, or to the largest, or as the known rows do.
Way: TypeAlias = Literal["weighted", "heaviest", "as_known"]
# Node numbers as near to each other as this are sorted in linear time.
SIXTEEN_BITS = 1 << 16
UPMOST = np.iinfo(np.intp).max
# Where more than this has come to a level it goes on in halves, so that rows in many parts take little room.
MANY = 1 << 16


class Level(NamedTuple):
    """What has come to a level, sorted by node: the node's number, the row's, and how much of the row it is."""

    at: Array
    rows: Array
    shares: Array


@gc_paused()
def tally(nodes: Sequence[Node], below: Sequence[range], data: Dataset, *, missing: Way = "weighted") -> list[Counts]:
    """Class counts of each node of `level_order(root)`, for data in the tree's codes.

    Rows without an answer go down in fractions on a grid, so that a branch has exactly what its children have.

    >>> from ftree import Leaf, Threshold
    >>> from ftree.tree import level_order
    >>> twig = Branch((1, 3), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 3))))
    >>> data = Dataset.from_columns({"x": [0.0, 1.0, None], "y": ["a", "b", "b"]}, target="y")
    >>> tally(*level_order(twig), data)
    [(1, 2), (1, 0.25), (0, 1.75)]
    """
    return plain_counts(counted(nodes, below, data, missing=missing)[0])


def counted(nodes: Sequence[Node], below: Sequence[range], data: Dataset, *, missing: Way) -> tuple[Array, set[int]]:
    """The same counts as an array (m, K), and the nodes at which a row had no answer."""
    labels, n_classes = data.labels.astype(np.intp), len(data.schema.classes)
    step = grid(float(sum(data.class_counts())))
    times, fractions = times_and_fractions(data.weights, step)
    down = _Down(nodes, below, data.columns, times, missing, step)
    n = len(data)
    counts = np.zeros(len(nodes) * n_classes)
    levels = [Level(np.zeros(n, np.intp), np.arange(n), np.ones(n) if fractions is None else fractions)]
    while levels:
        level = levels.pop()
        if len(level.at) > MANY and level.at[0] != level.at[-1]:
            levels += _halves(level)
        elif len(level.at):
            first = int(level.at[0])
            came = np.bincount((level.at - first) * n_classes + labels[level.rows], down.weights(level))
            counts[first * n_classes : first * n_classes + len(came)] += came
            levels.append(down.next_level(level))
    return counts.reshape(len(nodes), n_classes), down.lost


def plain_counts(counts: Array) -> list[Counts]:
    """An array of counts (m, K) as nodes have them.

    >>> plain_counts(np.array([[2.0, 0.5]]))
    [(2, 0.5)]
    """
    plain = iter(whole_numbers(counts.ravel()))
    return list(zip(*[plain] * counts.shape[1], strict=True))


@gc_paused()
def with_counts(nodes: Sequence[Node], below: Sequence[range], counts: Sequence[Counts], *, shared: bool = True) -> list[Node]:
    """The nodes of `level_order(root)` with other counts; `shared` ones are those below which no count changes."""
    changed = [not shared or now != node.counts for node, now in zip(nodes, counts, strict=True)]
    for number in reversed(range(len(nodes))):
        kids = below[number]
        changed[number] = changed[number] or any(changed[kids.start : kids.stop])
    asked = [number for number, node in enumerate(nodes) if changed[number] and isinstance(node, Branch)]
    ends = [number for number, node in enumerate(nodes) if changed[number] and isinstance(node, Leaf)]
    branches = new_branches(map(counts.__getitem__, asked), [cast("Branch", nodes[number]).split for number in asked])
    fresh: dict[int, Node] = dict(zip(ends, new_leaves(map(counts.__getitem__, ends)), strict=True))
    fresh.update(zip(asked, branches, strict=True))
    made = [fresh.get(number, node) for number, node in enumerate(nodes)]
    set_children(branches, (tuple(made[below[number].start : below[number].stop]) for number in asked))
    return made


@frozen(eq=False)
class _Down:
    """The way down a tree for the rows of some columns."""

    nodes: Sequence[Node]
    below: Sequence[range]
    columns: Columns
    times: Array | None
    missing: Way
    step: float
    lost: set[int] = field(init=False, factory=set)

    def weights(self, level: Level) -> Array:
        """How many cases the rows stand for."""
        return level.shares if self.times is None else level.shares * self.times[level.rows]

    def next_level(self, level: Level) -> Level:
        """What goes on from the branches of a level."""
        numbers, sizes = _nodes_of(level)
        if not all(map(self.below.__getitem__, numbers)):
            asks = [bool(self.below[number]) for number in numbers]
            level = _taken(level, np.repeat(asks, sizes))
            numbers, sizes = list(compress(numbers, asks)), sizes[asks]
        return self._moved(level, numbers, sizes) if numbers else level

    def _moved(self, level: Level, numbers: list[int], sizes: Array) -> Level:
        """What comes to the children of branches, so many parts of rows from each."""
        splits = [cast("Branch", self.nodes[number]).split for number in numbers]
        child = children_of(splits, sizes, self.columns, level.rows)
        moved = child + np.repeat([self.below[number].start for number in numbers], sizes)
        known = child != UNKNOWN
        if known.all():
            return _sorted(Level(moved, level.rows, level.shares))
        whole = _sorted(Level(moved[known], level.rows[known], level.shares[known]))
        divided = self._parts(_taken(level, ~known), whole)
        return _sorted(Level(*map(np.concatenate, zip(whole, *divided, strict=True))))

    def _parts(self, lost: Level, whole: Level) -> Iterator[Level]:
        """Rows without an answer, node by node, in their parts at its children."""
        for low, high in pairwise([*run_starts(lost.at).tolist(), len(lost.at)]):
            number = int(lost.at[low])
            self.lost.add(number)
            way: Missing = "heaviest" if self.missing == "heaviest" else "weighted"
            shares = parts(lost.shares[low:high], self._sizes(number, whole), way, self.step)
            child, row = np.nonzero(shares)
            yield Level(self.below[number].start + child, lost.rows[low:high][row], shares[child, row])

    def _sizes(self, number: int, whole: Level) -> Array:
        """How many cases each child of a node has, of its own or of what came there whole."""
        if self.missing != "as_known":
            return sizes_below(cast("Branch", self.nodes[number]))
        kids = self.below[number]
        came = slice(*np.searchsorted(whole.at, (kids.start, kids.stop)).tolist())
        return np.bincount(whole.at[came] - kids.start, self.weights(_taken(whole, came)), len(kids))


def _nodes_of(level: Level) -> tuple[list[int], Array]:
    """The nodes of a level to which something has come, and how many parts of rows."""
    if level.at[0] == level.at[-1]:  # as everywhere in a chain, which has many levels
        return [int(level.at[0])], np.array([len(level.at)])
    starts = run_starts(level.at)
    return level.at[starts].tolist(), np.diff(starts, append=len(level.at))


def _halves(level: Level) -> tuple[Level, Level]:
    """A level in two, between two nodes."""
    start = int(level.at[len(level.at) // 2])
    middle = int(np.searchsorted(level.at, start if start != level.at[0] else start + 1))
    return _taken(level, slice(middle, None)), _taken(level, slice(0, middle))


def _taken(level: Level, which: Any) -> Level:
    return Level(level.at[which], level.rows[which], level.shares[which])


def _sorted(level: Level) -> Level:
    near = level.at - level.at.min(initial=UPMOST)
    if near.max(initial=0) < SIXTEEN_BITS:
        near = near.astype(np.uint16)
    return _taken(level, near.argsort(kind="stable"))
