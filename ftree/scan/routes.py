"""The tree grown so far as arrays, by which any part of the rows is routed to the open nodes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree.native import filled
from ftree.routing.descent import Parts, divided
from ftree.routing.missing_rules import whole_shares
from ftree.scan.parts import Part, SourceSummary
from ftree.tree.nodes import Branch, Node, Path, PredictionRule
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import UNKNOWN, Split

END = -1


@frozen(eq=False)
class Entries:
    """Rows of a part in open nodes: the row's number, the open node's, and the fraction of the row; None means whole rows."""

    row: Array
    node: Array
    fraction: Floats | None = None

    def weights(self, part: Part) -> Array | None:
        """The weight of each entry: the weight of its row times its fraction; None if all are 1."""
        if part.weights is None:
            return self.fraction
        weights: Array = part.weights[self.row]
        return weights if self.fraction is None else weights * self.fraction


@frozen(eq=False)
class Routes:
    """The splits so far, node after node; a row begins at node 0.

    - `feature` (N,) is the feature that a node tests, -1 at an end. `first` (N,) is the number of its first child.
    - For a numeric feature, numbers in bins before `code` (N,) go to the first child, those in bins after it to the second,
      and numbers in that bin up to `at` (N,) to the first. `absent` (N,) is the code of a missing number.
    - For other features, `child[table + code]` is the child's number, -1 without an answer; `table` is -1 for numeric ones.
    - `share` (N,) is a node's share of its parent's rows without an answer. `arity` (N,) is the number of children.
    - `open` (N,) is the number of an open node, -1 elsewhere.
    - Fractions of rows are multiples of `unit`.
    """

    feature: Array
    first: Array
    arity: Array
    at: Floats
    code: Array
    absent: Array
    table: Array
    child: Array
    share: Floats
    open: Array
    unit: float

    @property
    def n_open(self) -> int:
        """Number of open nodes."""
        return int(self.open.max(initial=END)) + 1

    def keep(self, nodes: Array) -> "Routes":
        """The same, where only those open nodes stay open that a mask marks."""
        number = np.where(nodes, np.cumsum(nodes) - 1, END)
        return evolve(self, open=np.where(self.open == END, END, number[self.open]))

    def below(self, splits: Sequence[Split | None], summary: SourceSummary, shares: Floats) -> "Routes":
        """The routes one level further; `shares` (children,) are the shares of rows without an answer."""
        place = np.flatnonzero(self.open != END)
        place = place[np.argsort(self.open[place])]
        asked = [_Ask.of(split, summary) for split in splits]
        arity = np.array([ask.arity for ask in asked], dtype=np.int64)
        first = len(self.feature) + np.cumsum(arity) - arity
        sizes = [len(ask.child) for ask in asked]
        table = len(self.child) + np.cumsum(sizes) - sizes
        grown = _longer(self, int(arity.sum()), shares)
        split = np.array([ask.arity > 0 for ask in asked], dtype=bool)
        new: dict[str, Any] = {name: [getattr(ask, name) for ask in asked] for name in ("feature", "at", "code", "absent")}
        new |= {"first": first, "arity": arity, "table": np.where([size > 0 for size in sizes], table, -1)}
        for name, values in new.items():
            getattr(grown, name)[place[split]] = np.asarray(values)[split]
        return evolve(grown, child=np.concatenate([self.child, *(ask.child for ask in asked)]))

    def entries(self, part: Part, numeric: Array, row: Array, node: Array) -> tuple[Array, Array, Floats]:
        """The rows, open nodes and fractions of rows that come from nodes; a row without an answer is divided by the shares."""
        parts, done = Parts(node, row, np.ones(len(row))), list[Parts]()
        while len(parts.rows):
            inner = self.feature[parts.node] != END
            done.append(parts.take(~inner & (self.open[parts.node] != END)))
            parts = self._step(part, numeric, parts.take(inner))
        nodes, rows, fractions = map(np.concatenate, zip(*(done or [parts]), strict=True))
        return rows, self.open[nodes], fractions

    def _step(self, part: Part, numeric: Array, parts: Parts) -> Parts:
        child = self._child(part, numeric, parts.rows, parts.node)
        below, lost = parts._replace(node=self.first[parts.node] + child), child == UNKNOWN
        if not lost.any():
            return below
        shared_out, _ = divided(parts.take(lost), self.first, self.arity, self.share.__getitem__, self.unit)
        return Parts(*map(np.concatenate, zip(below.take(~lost), *shared_out, strict=True)))

    def _child(self, part: Part, numeric: Array, row: Array, node: Array) -> Array:
        """The child of each row, -1 if its value is missing or has no child."""
        child = np.full(len(row), UNKNOWN, dtype=np.int64)
        by_number = self.table[node] < 0
        rows, nodes = row[by_number], node[by_number]
        codes, code = part.codes[self.feature[nodes], rows], self.code[nodes]
        above = np.where(codes == code, part.numbers[numeric[self.feature[nodes]], rows] > self.at[nodes], codes > code)
        child[by_number] = np.where(codes == self.absent[nodes], UNKNOWN, above)
        rows, nodes = row[~by_number], node[~by_number]
        child[~by_number] = self.child[self.table[nodes] + part.codes[self.feature[nodes], rows]]
        return child


@frozen(eq=False)
class _Ask:
    """One node's split as numbers."""

    feature: int = END
    arity: int = 0
    at: float = np.nan
    code: int = END
    absent: int = END
    child: Array = field(factory=lambda: np.zeros(0, dtype=np.int64))

    @staticmethod
    def of(split: Split | None, summary: SourceSummary) -> "_Ask":
        if split is None:
            return _Ask()
        if len(split.features) != 1:
            raise TypeError(f"A split of a source must use one feature, got {split!r}.")
        (feature,) = split.features
        bins = summary.bins[feature]
        if bins is None:
            codes = np.append(np.arange(len(summary.schema.features[feature].values)), -1)
            return _Ask(feature, split.n_children, child=child_of(split, codes).astype(np.int64))
        at: float | None = getattr(split, "at", None)
        if not isinstance(at, float) or split.n_children != 2:  # noqa: PLR2004  # two sides of a threshold
            raise TypeError(f"A split of a numeric feature must be a Threshold in a source, got {split!r}.")
        code = int(bins.codes(np.array([at]))[0])
        if bins.single[code]:
            # Such a bin goes to one side as a whole, so its numbers are not compared; in requested bins they differ.
            at = np.inf if bins.upper[code] <= at else -np.inf
        return _Ask(feature, 2, at, code, bins.n)


def root_routes(unit: float) -> Routes:
    """The root alone, open."""
    one = np.zeros(1, dtype=np.int64)
    nothing, floats = np.zeros(0, dtype=np.int64), np.zeros(1)
    return Routes(one + END, one, one, floats, one, one, one, nothing, floats, one, unit)


def shares_of_children(splits: Sequence[Split | None], sizes: Array, rule: PredictionRule) -> Floats:
    """Each child's share of its parent's rows without an answer, (children,), given the sizes of all children."""
    ends = np.cumsum([0 if split is None else split.n_children for split in splits])
    parts = [own for own in np.split(sizes.astype(np.float64), ends[:-1]) if len(own)]
    return np.concatenate([whole_shares(rule, own) for own in parts] or [np.zeros(0)])


def _longer(routes: Routes, n: int, shares: Floats) -> Routes:
    """The routes with n more ends; only these are open."""

    def more(name: str, value: float) -> Array:
        given: Array = getattr(routes, name)
        return np.append(given, np.full(n, value, dtype=given.dtype))

    arrays: dict[str, Any] = {name: more(name, END) for name in ("feature", "first", "arity", "at", "code", "absent", "table")}
    still = np.append(np.full(len(routes.feature), END, dtype=np.int64), np.arange(n))
    return evolve(routes, **arrays, share=np.append(routes.share, shares), open=still)


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
        first = len(routes.feature)
        routes = routes.below(splits, summary, shares_of_children(splits, sizes, rule))
        place |= {path: first + number for number, (path, _) in enumerate(below)}
        level = below
    opened = np.full(len(routes.feature), END)
    opened[[place[path] for path in paths]] = np.arange(len(paths))
    return evolve(routes, open=opened)


# The row of a part whose value at a node is missing, or has no child there, gets this minus the node's number.
_LOST = -2


def rows_at_nodes(routes: Routes, part: Part, numeric: Array) -> tuple[Array, Entries]:
    """The open node of each row of a part (n,), below 0 for none, and the entries of rows that missing values divide."""
    node = np.full(len(part), END, dtype=np.int32)
    if native.is_here():
        names = ("feature", "first", "at", "code", "absent", "table", "open")
        arrays = {name: getattr(routes, name) for name in names}
        forks = filled(native.FORK, numeric=np.append(numeric, END)[routes.feature], **arrays)
        n_lost = native.call("open_nodes", *part.code_bytes(), np.ascontiguousarray(part.numbers), forks, routes.child, node)
        row = np.flatnonzero(node <= _LOST) if n_lost else np.zeros(0, dtype=np.int64)
        begin = _LOST - node[row].astype(np.int64)
    else:
        row, begin = np.arange(len(part)), np.zeros(len(part), dtype=np.int64)
    row, end, fraction = routes.entries(part, numeric, row, begin)
    whole = fraction == 1
    node[row[whole]] = end[whole]
    return node, Entries(row[~whole], end[~whole], fraction[~whole])


def whole_rows(node: Array) -> Entries:
    """The rows of a part in open nodes as entries, given the open node of each row (n,)."""
    row = np.flatnonzero(node >= 0)
    return Entries(row, node[row].astype(np.int64))  # cells of nodes are counted beyond 2**31
