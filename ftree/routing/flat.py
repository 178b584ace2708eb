"""A tree flattened once into arrays, kept for as long as the tree lives: what makes many predictions fast.

Nodes are numbered level by level, so that a node's children stand side by side. Flat trees are kept by the identity of
their root, weakly: a tree cannot change, and hashing one takes as long as flattening it.
"""

from collections.abc import Callable
from functools import cached_property
from itertools import chain
from typing import Any, get_args

import numpy as np
from attrs import define

from ftree._lib.arrays import Array, grid
from ftree._lib.identity_cache import cached_by_identity
from ftree._lib.ties import first_largest
from ftree.criteria.impurity import proportions
from ftree.routing.route import Missing
from ftree.routing.split_tables import ABOVE, BETWEEN, CODE, LEAF, SUM, Questions, in_arrays
from ftree.tree.nodes import Branch, Node, children
from ftree.tree.splits import UNKNOWN, Columns

# From so many rows on, compiled code pays for being loaded; so many at a time are gathered side by side.
_MANY = 100_000
_BLOCK = 4096


@define(eq=False, slots=False)
class Flat:
    """Nodes level by level: what they ask, their first child and how many, class counts, and the number of the node that answers.

    A node without cases leaves the answer to the nearest one above that has some.
    """

    asks: Questions
    arity: Array
    first: Array
    counts: Array
    answer: Array

    @property
    def routes(self) -> bool:
        """Whether rows have a way in these arrays."""
        return self.asks.in_tables

    @cached_property
    def ways(self) -> tuple[Any, ...]:
        """What compiled code needs at each node, in few arrays, since each takes a while to be handed over.

        First a link: the first child, and above 32 bits twice the place of the feature among those asked, plus 1 if it asks for
        a code. A leaf links to itself, by way of a feature that is always missing. Last, whether all ask for numbers.
        """
        asks, n = self.asks, len(self.first)
        place = np.searchsorted(asks.asked, asks.feature).astype(np.int64)
        kind = asks.kind[:n]
        feature = 2 * np.where((kind == ABOVE) | (kind == CODE), place[:n], len(asks.asked)) + (kind == CODE)
        link = (feature << 32) + np.where(kind == LEAF, np.arange(n), self.first)
        rest = np.column_stack([asks.kind, place, asks.start, asks.width, asks.turned, asks.other, asks.otherwise]).astype(
            np.int64
        )
        numbers_only = np.bool_(np.isin(kind, (ABOVE, LEAF)).all())
        return link, asks.at, rest, asks.table, asks.numbers, np.searchsorted(asks.asked, asks.terms), numbers_only

    @cached_property
    def labels(self) -> Array:
        """The number of the class that each node answers."""
        answers: Array = self.counts[self.answer]
        labels: Array = first_largest(answers)
        return labels

    @cached_property
    def steps(self) -> Any:
        """The tree as nested tuples for one point: (feature, at, low, high), (feature, None, child of each code), (-1, label).

        None for a tree that asks for sums.
        """
        if (self.asks.kind == SUM).any() or not self.routes:
            return None
        first, arity, labels = self.first.tolist(), self.arity.tolist(), self.labels.tolist()
        made: list[Any] = [None] * len(first)
        for node in reversed(range(len(first))):
            made[node] = self._step(node, made[first[node] : first[node] + arity[node]], labels[node])
        return made[0]

    def _step(self, node: int, below: list[Any], label: int) -> Any:
        asks, feature = self.asks, int(self.asks.feature[node])
        own = slice(asks.start[node], asks.start[node] + asks.width[node])
        if asks.kind[node] == LEAF:
            return -1, label
        if asks.kind[node] == ABOVE:
            return feature, float(asks.at[node]), *below
        if asks.kind[node] == BETWEEN:
            return _halved(feature, asks.numbers[own].tolist(), below)
        return feature, None, [None if child == UNKNOWN else below[child] for child in asks.table[own].tolist()]

    def leaf_numbers(self, columns: Columns, n: int) -> Array:
        """The node where each row ends; -1 for a row that has no answer at some split.

        >>> from ftree import Branch, Leaf, Threshold
        >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
        >>> flat(twig).leaf_numbers((np.array([0.0, 1.0, np.nan]),), 3).tolist()
        [1, 2, -1]
        """
        if not self.routes:
            return np.full(n, UNKNOWN)
        return _in_compiled_code(self, columns, n) if n >= _MANY else _level_by_level(self, columns, n)

    @cached_property
    def sizes(self) -> Array:
        """Cases in each node, added up as Python adds them."""
        return np.array(list(map(sum, self.counts.tolist())))

    def gathered(self, columns: Columns, n: int, missing: Missing) -> Array:
        """Class counts that answer rows that may take several routes, (n, K), in compiled code."""
        from ftree.routing.kernels.walk import gather  # noqa: PLC0415  # loaded where it is worth it, since it loads numba

        counts = proportions(self.counts) if missing == "weighted" else self.counts
        given = self.first, self.arity, self.sizes, counts, self.answer, get_args(Missing).index(missing), grid(1.0)
        answer = np.zeros((n, counts.shape[1]))
        _in_blocks(self, columns, n, lambda rows, cells: gather(cells, self.ways, *given, answer[rows]))
        return answer


@cached_by_identity
def flat(root: Node) -> Flat:
    """The flat form of a tree, made at the first call."""
    level, nodes, answer = [root], [root], [0]
    seen = [0]
    while level:
        level, above = [], level
        first = len(nodes)
        seen_above, seen = seen, []
        for node, answering in zip(above, seen_above, strict=True):
            for child in children(node):
                level.append(child)
                seen.append(first + len(level) - 1 if any(child.counts) else answering)
        nodes += level
        answer += seen
    asks = in_arrays([node.split if isinstance(node, Branch) else None for node in nodes])
    arity = np.array([len(children(node)) for node in nodes])
    first_child = np.cumsum([1, *arity[:-1]])
    counts = np.fromiter(chain.from_iterable(node.counts for node in nodes), np.float64, len(nodes) * len(root.counts))
    return Flat(asks, arity, first_child, counts.reshape(len(nodes), -1), np.array(answer))


def _halved(feature: int, cuts: list[float], below: list[Any]) -> Any:
    """Several intervals as nested steps, of which each asks for the cut in the middle."""
    if not cuts:
        return below[0]
    half = len(cuts) // 2
    low = _halved(feature, cuts[:half], below[: half + 1])
    return feature, cuts[half], low, _halved(feature, cuts[half + 1 :], below[half + 1 :])


def _level_by_level(tree: Flat, columns: Columns, n: int) -> Array:
    """All rows one level down at a time, in numpy; the twin of the compiled walk."""
    leaf, here, rows = np.zeros(n, np.int64), np.zeros(n, np.int64), np.arange(n)
    while len(rows):
        leaf[rows] = here
        asks = tree.asks.kind[here] != LEAF
        rows, here = rows[asks], here[asks]
        child = tree.asks.child_of(columns, here, rows)
        leaf[rows[child == UNKNOWN]] = UNKNOWN
        known = child != UNKNOWN
        rows, here = rows[known], (tree.first[here] + child)[known]
    return leaf


def _in_compiled_code(tree: Flat, columns: Columns, n: int) -> Array:
    """The node where each row ends, -1 for a row without an answer."""
    # Loaded here, since it loads numba, which few rows do without.
    from ftree.routing.kernels.walk import walk  # noqa: PLC0415

    leaf = np.empty(n, np.int64)
    _in_blocks(tree, columns, n, lambda rows, cells: walk(cells, tree.ways, leaf[rows]))
    return leaf


def _in_blocks(tree: Flat, columns: Columns, n: int, down: Callable[[slice, Array], None]) -> None:
    """Blocks of rows gathered side by side and walked down, shared by threads."""
    from ftree._lib.threads import thread_pool  # noqa: PLC0415  # it loads a pool of threads, which few rows do without

    asked = tree.asks.asked

    def walk(low: int, high: int, _: int) -> None:
        cells = np.full((len(asked) + 1, _BLOCK), np.nan)
        for begin in range(low * _BLOCK, min(high * _BLOCK, n), _BLOCK):
            block = slice(begin, min(begin + _BLOCK, n))
            for row, feature in zip(cells[:-1], asked.tolist(), strict=True):
                row[: block.stop - begin] = columns[feature][block]
                if columns[feature].dtype.kind != "f":
                    row[row < 0] = np.nan
            down(block, cells)

    with thread_pool(None) as threads:
        threads.share(walk, -(-n // _BLOCK), n)
