"""A tree flattened once into arrays, kept for as long as the tree lives: what makes many predictions fast.

Nodes are numbered level by level, so that a node's children stand side by side. Flat trees are kept by the identity of
their root, weakly: a tree cannot change, and hashing one takes as long as flattening it.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from attrs import define

from ftree._kept import kept
from ftree._kernels import grid
from ftree.cuts import NONE, SUBSET, THRESHOLD, Cuts
from ftree.impurity import proportions
from ftree.route import Missing
from ftree.split import UNKNOWN, Backed, Columns, Groups, Intervals, Multiway, Oblique, Split, Subset, Threshold, primary
from ftree.tree import NEARLY, Branch, Node, children, preorder

Array: TypeAlias = npt.NDArray[Any]

# From so many rows on, compiled code pays for being loaded; so many at a time are gathered side by side.
_MANY = 100_000
_BLOCK = 2048
# Tables of children by code grow with the largest code of each split; larger ones in all than this are not made.
_MOST_CELLS = 1 << 24


@define(eq=False, slots=False)
class Flat:
    """Nodes level by level: the split of each, its first child, class counts, and the number of the node that answers.

    A node without cases leaves the answer to the nearest one above that has some. `beside` has for each code of the cuts the
    child that it leads to. Several intervals are as many thresholds, and a split with surrogates is the one they stand in
    for: a row that it does not know has no answer here. `routes` is False for a tree that asks for sums of features, or for
    so many codes that their tables would be too large: it has no row's way in these arrays. `faithful` is a tree of which
    every split stands here as it is.
    """

    cuts: Cuts
    beside: Array
    arity: Array
    first: Array
    counts: Array
    answer: Array
    routes: bool
    faithful: bool

    @cached_property
    def table(self) -> tuple[Array, Array]:
        """For each node that asks for a code: where its table starts (after which comes its size), and all tables."""
        starts, tables = np.zeros(len(self.first), np.int64), []
        size = 0
        for node in np.flatnonzero(self.cuts.kind > THRESHOLD).tolist():
            starts[node] = size
            tables.append(self._table(node))
            size += len(tables[-1])
        return starts, np.concatenate([np.zeros(0, np.int32), *tables]).astype(np.int32)

    def links(self, asked: Array) -> Array:
        """For each node its first child, and above 32 bits where among those `asked` its feature is; -1 for a leaf."""
        place = np.searchsorted(asked, self.cuts.feature).astype(np.int64)
        coded = self.cuts.kind > THRESHOLD
        links: Array = np.where(self.cuts.kind == NONE, -1, (2 * place + coded << 32) + self.first)
        return links

    @cached_property
    def labels(self) -> Array:
        """The number of the class that each node answers."""
        answers: Array = self.counts[self.answer]
        labels: Array = np.argmax(answers >= answers.max(axis=1, keepdims=True) * NEARLY, axis=1)
        return labels

    @cached_property
    def steps(self) -> Any:
        """The tree as nested tuples for one point: (feature, at, low, high), (feature, None, child of each code), (-1, label)."""
        labels, kinds, features = self.labels.tolist(), self.cuts.kind.tolist(), self.cuts.feature.tolist()
        at, first, arity = self.cuts.at.tolist(), self.first.tolist(), self.arity.tolist()
        made: list[Any] = [None] * len(kinds)
        for node in reversed(range(len(kinds))):
            below = made[first[node] : first[node] + arity[node]]
            if kinds[node] == NONE:
                made[node] = (-1, labels[node])
            elif kinds[node] == THRESHOLD:
                made[node] = (features[node], at[node], *below)
            else:
                codes = self._table(node)[1:].tolist()
                made[node] = (features[node], None, [None if child == UNKNOWN else below[child] for child in codes])
        return made[0]

    def leaf_numbers(self, columns: Columns, n: int) -> Array:
        """The node where each row ends; -1 for a row that has no answer at some split, or only one of a surrogate.

        >>> from ftree.split import Threshold
        >>> from ftree.tree import Branch, Leaf
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
        """Class counts that answer rows that may take several routes, (n, K), in compiled code; the tree is `faithful`."""
        from ftree._walk import gather  # noqa: PLC0415  # loaded where it is worth it, since it loads numba

        counts = proportions(self.counts) if missing == "weighted" else self.counts
        given = self.first, self.arity, self.sizes, counts, self.answer, get_args(Missing).index(missing), grid(1.0)
        answer = np.zeros((n, counts.shape[1]))

        def down(rows: slice, cells: Array, link: Array) -> None:
            gather(cells, link, self.cuts.at, *self.table, *given, answer[rows])

        _in_blocks(self, columns, n, down)
        return answer

    def _table(self, node: int) -> Array:
        """A node's child for each code, -1 for none; before it the number of codes, the last of which is all others."""
        own = slice(self.cuts.first[node], self.cuts.first[node + 1])
        codes = self.cuts.codes[own]
        table = np.full(int(codes.max()) + 3, 1 if self.cuts.kind[node] == SUBSET else UNKNOWN, dtype=np.int32)
        table[0] = len(table) - 1
        table[codes + 1] = self.beside[own]
        return table


@kept
def flat(root: Node) -> Flat:
    """The flat form of a tree, made at the first call."""
    top = _in_two(root)
    level, nodes, answer = [top], [top], [0]
    seen = [0]
    while level:
        level, above = [], level
        first = len(nodes)
        seen_above, seen = seen, []
        for node, answering in zip(above, seen_above, strict=True):
            for child in children(node):
                level.append(_in_two(child))
                seen.append(first + len(level) - 1 if any(child.counts) else answering)
        nodes += level
        answer += seen
    splits = [primary(node.split) if isinstance(node, Branch) else None for node in nodes]
    routes = not any(isinstance(split, Oblique) for split in splits)
    cuts = Cuts.of(map(_coded, splits) if routes else [None] * len(splits))
    routes = routes and _cells_of_tables(cuts) <= _MOST_CELLS
    faithful = routes and not any(isinstance(getattr(node, "split", None), (Backed, Intervals)) for node in preorder(root))
    beside = np.array([child for split in splits for child in _beside(split)], dtype=np.int32)
    arity = np.array([len(children(node)) for node in nodes])
    first_child = np.cumsum([1, *arity[:-1]])
    counts = np.fromiter(chain.from_iterable(node.counts for node in nodes), np.float64, len(nodes) * len(root.counts))
    return Flat(cuts, beside, arity, first_child, counts.reshape(len(nodes), -1), np.array(answer), routes, faithful)


def _cells_of_tables(cuts: Cuts) -> int:
    starts = cuts.first[:-1][np.diff(cuts.first) > 0]
    return int(np.maximum.reduceat(cuts.codes, starts).sum()) + 3 * len(starts) if len(starts) else 0


def _in_two(node: Node) -> Node:
    """A branch of several intervals as one of two, of which each has half of them, with its counts; all others as they are."""
    if not (isinstance(node, Branch) and isinstance(node.split, Intervals)):
        return node
    feature, cuts = node.split.feature, node.split.cuts
    half = len(cuts) // 2

    def side(inner: Sequence[float], nodes: Sequence[Node]) -> Node:
        return Branch(node.counts, Intervals(feature, inner), nodes) if inner else nodes[0]

    low, high = side(cuts[:half], node.children[: half + 1]), side(cuts[half + 1 :], node.children[half + 1 :])
    return Branch(node.counts, Threshold(feature, cuts[half]), (low, high))


def _coded(split: Split | None) -> Split | None:
    """A split of groups as one of codes, which `_beside` leads to children."""
    return Multiway(split.feature, chain.from_iterable(split.groups)) if isinstance(split, Groups) else split


def _beside(split: Split | None) -> Sequence[int]:
    """The child of each code that a split lists."""
    match split:
        case Multiway():
            return range(len(split.values))
        case Groups():
            return [child for child, group in enumerate(split.groups) for _ in group]
        case Subset():
            return [0] * len(split.members)
    return ()


def _level_by_level(tree: Flat, columns: Columns, n: int) -> Array:
    """All rows one level down at a time, in numpy; the twin of the compiled walk."""
    leaf, here, rows = np.zeros(n, np.int64), np.zeros(n, np.int64), np.arange(n)
    while len(rows):
        kind = tree.cuts.kind[here]
        leaf[rows] = here
        asks = kind != NONE
        rows, here, kind = rows[asks], here[asks], kind[asks]
        x = _cells(columns, tree.cuts.feature[here], rows)
        child = np.where(np.isnan(x), UNKNOWN, x > tree.cuts.at[here]).astype(np.int64)
        coded = np.flatnonzero(kind != THRESHOLD)
        if len(coded):
            child[coded] = _looked_up(tree, here[coded], x[coded])
        leaf[rows[child == UNKNOWN]] = UNKNOWN
        known = child != UNKNOWN
        rows, here = rows[known], (tree.first[here] + child)[known]
    return leaf


def _cells(columns: Columns, features: Array, rows: Array) -> Array:
    """Each row's value of the feature that is asked of it: floats, NaN where missing."""
    x = np.empty(len(rows))
    for feature in np.unique(features).tolist():
        asked = np.flatnonzero(features == feature)
        x[asked] = columns[feature][rows[asked]]
        if columns[feature].dtype.kind != "f":
            x[asked[x[asked] < 0]] = np.nan
    return x


def _looked_up(tree: Flat, nodes: Array, codes: Array) -> Array:
    starts, table = tree.table
    start = starts[nodes]
    known = ~np.isnan(codes)
    code = np.minimum(np.where(known, codes, 0).astype(np.int64), table[start] - 1)
    return np.where(known, table[start + 1 + code], UNKNOWN)


def _in_compiled_code(tree: Flat, columns: Columns, n: int) -> Array:
    """The node where each row ends, -1 for a row without an answer."""
    # Loaded here, since it loads numba, which few rows do without.
    from ftree._walk import walk  # noqa: PLC0415

    leaf = np.empty(n, np.int32)
    _in_blocks(tree, columns, n, lambda rows, cells, link: walk(cells, link, tree.cuts.at, *tree.table, leaf[rows]))
    return leaf


def _in_blocks(tree: Flat, columns: Columns, n: int, down: Callable[[slice, Array, Array], None]) -> None:
    """Blocks of rows gathered side by side and walked down, shared by threads."""
    from ftree._crew import crew  # noqa: PLC0415  # it loads a pool of threads, which few rows do without

    asked = np.unique(tree.cuts.feature[tree.cuts.kind != NONE])
    link = tree.links(asked)

    def walk(low: int, high: int, _: int) -> None:
        cells = np.empty((len(asked), _BLOCK))
        for begin in range(low * _BLOCK, min(high * _BLOCK, n), _BLOCK):
            block = slice(begin, min(begin + _BLOCK, n))
            for row, feature in zip(cells, asked.tolist(), strict=True):
                row[: block.stop - begin] = columns[feature][block]
                if columns[feature].dtype.kind != "f":
                    row[row < 0] = np.nan
            down(block, cells, link)

    with crew(None) as threads:
        threads.share(walk, -(-n // _BLOCK), n)
