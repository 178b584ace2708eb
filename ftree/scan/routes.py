"""Rows to their open nodes: `rows_at_nodes`, for any part of them, by the tree grown so far as arrays, its `Routes`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, offsets
from ftree.routing.descent import Parts, divided
from ftree.routing.missing_rules import whole_shares
from ftree.scan.parts import Part, SourceSummary
from ftree.tree.nodes import Branch, Node, Path, PredictionRule
from ftree.tree.splits.split import UNKNOWN, Split, child_of

END = -1


@frozen(eq=False)
class Entries:
    """Rows of a part in open nodes: the row's number, the open node's, and the fraction of the row; None means whole rows.

    Invariant: the fractions of a row sum to at most 1, and to 1 if all nodes that it reaches are open.
    """

    row: Array
    node: Array
    fraction: Floats | None = None

    def weights(self, part: Part) -> Array | None:
        """The weight of each entry: the weight of its row times its fraction; None if all are 1."""
        if part.weights is None:
            return self.fraction
        weights: Array = part.weights[self.row]
        return weights if self.fraction is None else weights * self.fraction


# The row of a part whose value at a node is missing, or has no child there, gets this minus the node's number.
_LOST = -2


def rows_at_nodes(routes: "Routes", part: Part) -> tuple[Array, Entries]:
    """The open node of each row of a part (n,), below 0 for none, and the entries of rows that missing values divide.

    Below a cut at 2.5, two rows go to the first child, one to the second, and half of the last one to each:

    >>> from ftree import Dataset
    >>> from ftree.scan import source_of
    >>> from ftree.tree.splits import Threshold
    >>> source = source_of(Dataset.from_columns({"size": [1.0, 2.0, 3.0, None], "class": [*"aabb"]}))
    >>> (part,) = source.parts.table.parts
    >>> routes = root_routes(unit=1 / 8).below([Threshold(0, 2.5)], source.summary, shares=np.array([0.5, 0.5]))
    >>> node, divided = rows_at_nodes(routes, part)
    >>> node[:3].tolist(), divided.row.tolist(), divided.node.tolist(), divided.fraction.tolist()
    ([0, 0, 1], [3, 3], [0, 1], [0.5, 0.5])
    """
    node = np.full(len(part), END, dtype=np.int32)
    if native.is_here():
        numbers = np.ascontiguousarray(part.numbers)
        n_lost = native.call("open_nodes", *part.code_bytes(), numbers, *native.aligned(routes.forks, routes.child), node)
        row = np.flatnonzero(node <= _LOST) if n_lost else np.zeros(0, dtype=np.int64)
        begin = _LOST - node[row].astype(np.int64)
    else:
        row, begin = np.arange(len(part)), np.zeros(len(part), dtype=np.int64)
    row, end, fraction = routes.entries(part, row, begin)
    whole = fraction == 1
    node[row[whole]] = end[whole]
    return node, Entries(row[~whole], end[~whole], fraction[~whole])


def whole_rows(node: Array) -> Entries:
    """The rows of a part in open nodes as entries, given the open node of each row (n,)."""
    row = np.flatnonzero(node >= 0)
    return Entries(row, node[row].astype(np.int64))  # cells of nodes are counted beyond 2**31


@frozen(eq=False)
class Routes:
    """The splits so far, node after node; a row begins at node 0.

    Invariant: the m open nodes have the numbers 0 to m - 1, each once, and no open node tests a feature. So a part's rows are
    counted in arrays (m, ...), and a row is in one open node at most, unless it is divided.

    `forks` (N,) is an array of structs, which the native library reads:

    - `feature` is the feature that a node tests, -1 at an end, and `first` the number of its first child.
    - For a numeric feature, numbers in bins before `code` go to the first child, those in bins after it to the second, and
      numbers in that bin up to `at` to the first. They stand in the row `numeric` of `Part.numbers`. `absent` is the code of a
      missing number.
    - For other features, `child[table + code]` is the child's number, -1 without an answer; `table` is -1 for numeric ones.
    - `open` is the number of an open node, -1 elsewhere.

    `arity` (N,) is the number of children, `share` (N,) a node's share of its parent's rows without an answer. Fractions of rows
    are multiples of `unit`.
    """

    forks: Array
    arity: Array
    share: Floats
    child: Array
    unit: float

    @property
    def n_open(self) -> int:
        """Number of open nodes."""
        return int(self.forks["open"].max(initial=END)) + 1

    def keep(self, nodes: Array) -> "Routes":
        """The same, where only those open nodes stay open that a mask marks."""
        number, of_node = np.where(nodes, np.cumsum(nodes) - 1, END), self.forks["open"]
        return self.with_open(np.where(of_node == END, END, number[of_node]))

    def with_open(self, number: Array) -> "Routes":
        """The same with these numbers (N,) of open nodes, -1 for others."""
        forks = self.forks.copy()
        forks["open"] = number
        return evolve(self, forks=forks)

    def below(self, splits: Sequence[Split | None], summary: SourceSummary, shares: Floats) -> "Routes":
        """The routes one level further, given a split or None for each open node; only the children are open, in order.

        `shares` (children,) are the shares of rows without an answer.
        """
        opened = np.flatnonzero(self.forks["open"] != END)
        opened = opened[np.argsort(self.forks["open"][opened])]
        tested = [(node, split) for node, split in zip(opened.tolist(), splits, strict=True) if split is not None]
        found = [_fork(split, summary) for _, split in tested]
        *firsts, n_below = offsets([split.n_children for _, split in tested]).tolist()
        *tables, _ = offsets([len(child) for _, child in found]).tolist()
        routes = _longer(self, n_below, shares)
        for (node, split), (fork, child), first, table in zip(tested, found, firsts, tables, strict=True):
            at = len(self.child) + table if len(child) else END
            routes.forks[node] = native.record(native.FORK, **fork, first=len(self.forks) + first, table=at, open=END)
            routes.arity[node] = split.n_children
        routes.forks["numeric"] = np.append(summary.numeric, END)[routes.forks["feature"]]
        return evolve(routes, child=np.concatenate([self.child, *(child for _, child in found)]))

    def entries(self, part: Part, row: Array, node: Array) -> tuple[Array, Array, Floats]:
        """The rows, open nodes and fractions of rows that come from nodes; a row without an answer is divided by the shares."""
        parts, done = Parts(node, row, np.ones(len(row))), list[Parts]()
        while len(parts.rows):
            inner = self.forks["feature"][parts.node] != END
            done.append(parts.take(~inner & (self.forks["open"][parts.node] != END)))
            parts = self._step(part, parts.take(inner))
        nodes, rows, fractions = map(np.concatenate, zip(*(done or [parts]), strict=True))
        return rows, self.forks["open"][nodes], fractions

    def _step(self, part: Part, parts: Parts) -> Parts:
        child, first = self._child(part, parts.rows, parts.node), self.forks["first"]
        below, lost = parts._replace(node=first[parts.node] + child), child == UNKNOWN
        if not lost.any():
            return below
        shared_out, _ = divided(parts.take(lost), first, self.arity, self.share.__getitem__, self.unit)
        return Parts(*map(np.concatenate, zip(below.take(~lost), *shared_out, strict=True)))

    def _child(self, part: Part, row: Array, node: Array) -> Array:
        """The child of each row, -1 if its value is missing or has no child."""
        forks, child = self.forks, np.full(len(row), UNKNOWN, dtype=np.int64)
        by_number = forks["table"][node] < 0
        rows, nodes = row[by_number], node[by_number]
        codes, code = part.codes[forks["feature"][nodes], rows], forks["code"][nodes]
        is_above = part.numbers[forks["numeric"][nodes], rows] > forks["at"][nodes]
        child[by_number] = np.where(codes == forks["absent"][nodes], UNKNOWN, np.where(codes == code, is_above, codes > code))
        rows, nodes = row[~by_number], node[~by_number]
        child[~by_number] = self.child[forks["table"][nodes] + part.codes[forks["feature"][nodes], rows]]
        return child


def _fork(split: Split, summary: SourceSummary) -> tuple[dict[str, Any], Array]:
    """A node's split as fields of its struct, and the child of each code, none for a numeric feature."""
    if len(split.features) != 1:
        raise TypeError(f"A split of a source must use one feature, got {split!r}.")
    (feature,) = split.features
    bins = summary.bins[feature]
    if bins is None:
        codes = np.append(np.arange(len(summary.schema.features[feature].values)), -1)
        return {"feature": feature}, child_of(split, codes).astype(np.int64)
    at: float | None = getattr(split, "at", None)
    if not isinstance(at, float) or split.n_children != 2:  # noqa: PLR2004  # two sides of a threshold
        raise TypeError(f"A split of a numeric feature must be a Threshold in a source, got {split!r}.")
    code = int(bins.codes(np.array([at]))[0])
    if bins.single[code]:
        # Such a bin goes to one side as a whole, so its numbers are not compared; in requested bins they differ.
        at = np.inf if bins.upper[code] <= at else -np.inf
    return {"feature": feature, "at": at, "code": code, "absent": bins.n}, np.zeros(0, dtype=np.int64)


def root_routes(unit: float) -> Routes:
    """The root alone, open."""
    none = np.zeros(0, dtype=np.int64)
    return _longer(Routes(_ends(0), none, np.zeros(0), none, unit), 1, np.zeros(1))


def _longer(routes: Routes, n: int, shares: Floats) -> Routes:
    """The routes with n more ends; only these are open."""
    closed = routes.with_open(np.full(len(routes.forks), END))
    return evolve(
        closed,
        forks=np.concatenate([closed.forks, _ends(n)]),
        arity=np.append(routes.arity, np.zeros(n, dtype=np.int64)),
        share=np.append(routes.share, shares),
    )


def _ends(n: int) -> Array:
    """Nodes that test no feature, and are open."""
    return native.filled(native.FORK, feature=np.full(n, END), open=np.arange(n))


def shares_of_children(splits: Sequence[Split | None], sizes: Array, rule: PredictionRule) -> Floats:
    """Each child's share of its parent's rows without an answer, (children,), given the sizes of all children."""
    ends = np.cumsum([0 if split is None else split.n_children for split in splits])
    parts = [own for own in np.split(sizes.astype(np.float64), ends[:-1]) if len(own)]
    return np.concatenate([whole_shares(rule, own) for own in parts] or [np.zeros(0)])


def routes_of_tree(root: Node, paths: Sequence[Path], summary: SourceSummary, *, rule: PredictionRule, unit: float) -> Routes:
    """Routes to the nodes with the given paths, which are open in this order; the tree's counts divide rows without an answer."""
    routes = root_routes(unit)
    level: list[tuple[Path, Node]] = [((), root)]
    on_the_way = {path[:depth] for path in paths for depth in range(len(path))}
    place: dict[Path, int] = {(): 0}
    while any(path in on_the_way for path, _ in level):
        splits = [node.split if path in on_the_way and isinstance(node, Branch) else None for path, node in level]
        going = [(path, node) for (path, node), split in zip(level, splits, strict=True) if split is not None]
        below = [((*path, number), child) for path, node in going for number, child in enumerate(node.children)]  # type: ignore[union-attr]
        sizes = np.array([sum(child.counts) for _, child in below])
        first = len(routes.forks)
        routes = routes.below(splits, summary, shares_of_children(splits, sizes, rule))
        place |= {path: first + number for number, (path, _) in enumerate(below)}
        level = below
    opened = np.full(len(routes.forks), END)
    opened[[place[path] for path in paths]] = np.arange(len(paths))
    return routes.with_open(opened)
