"""Depth-first growth by the native library: trees of classes on numbers that are all known, cut by Gini or entropy.

Columns become sorted lanes of keys, once. All threads divide the largest nodes together, feature by feature; then each thread
grows one subtree after another to the end. A choice that rounding could decide is left to the search in NumPy.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from threading import current_thread, main_thread
from typing import Any, NamedTuple

import numpy as np
from attrs import astuple, frozen

from ftree import native
from ftree._lib.arrays import Array, midpoint
from ftree._lib.machine import ThreadPool, has_room, thread_pool
from ftree._lib.waiting import Progress
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.scores import gain
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import EngineSetup, GrownSubtrees, StopLimits, stop_limits
from ftree.growth.engines.plain_engine import plain
from ftree.growth.kernels.records import NONE, THRESHOLD
from ftree.growth.levels import Growth, step
from ftree.growth.search import Terms
from ftree.growth.split_arrays import Cuts
from ftree.policy import Policy
from ftree.splitters import by_score, threshold
from ftree.splitters.missing_policies import known_share
from ftree.tree.schema import Feature
from ftree.tree.splits import Threshold

# A key has 31 bits for its row, whether its value is new, and its class, which is a byte.
_KEY_BITS, _MOST_CLASSES = 31, 256
# Squares of so many cases are exact as floats.
_MOST_ROWS = 2**26
# A call takes at most so many steps of rows through lanes, some tenths of a second, for which an interruption waits.
_STEPS = 1 << 26
# With fewer cells than this, NumPy has grown the tree before arrays for the library are made.
LEAST_CELLS = 2_000
# The feature of a node that is left open.
_UNSURE = -2


class OpenNode(NamedTuple):
    """A node that is not divided yet: its range of lanes, its number, its depth and its class counts (K,)."""

    low: int
    high: int
    node: int
    depth: int
    counts: Array


@frozen(eq=False)
class Lanes:
    """The table as `native/grow.c` takes it, and room: `right` and `room` have a place for each row."""

    dataset: Dataset
    rules: Array
    keys: Array
    distinct: Array
    table: Array
    least: Array
    right: Array
    room: Array
    threads: ThreadPool

    @property
    def scan(self) -> tuple[Array, ...]:
        """The first arguments of scans."""
        return self.rules, self.keys, self.distinct, self.table, self.least

    def rows(self, feature: int, low: int, high: int) -> Array:
        """The rows of a node, in the order of a feature."""
        rows: Array = self.keys[feature, low:high] >> int(self.rules["shift"][0])
        return rows


def grown_depth_first(
    dataset: Dataset, policy: Policy, terms: Terms, n_jobs: int | None, line: Progress, *, least: int, steps: int = _STEPS
) -> GrownSubtrees | None:
    """All nodes of the tree; None if the library does not know the policy, or the table has fewer than the `least` cells.

    A call of the library takes about so many `steps` of rows through lanes. The line gets the nodes that are open.
    """
    rules = _rules(dataset, policy, terms) if len(dataset) * len(dataset.columns) >= least else None
    if rules is None:
        return None
    growth = Growth(dataset.schema.features, policy, terms)
    root = OpenNode(0, len(dataset), 0, 0, np.array(dataset.class_counts(), np.int64))
    with thread_pool(n_jobs) as threads:
        lanes, nodes, waiting = _sorted(dataset, rules, terms, threads), Nodes(root.counts), [root]
        while waiting:
            apart = _divided_together(lanes, growth, nodes, waiting, line)
            unsure = _grown_apart(lanes, nodes, apart, line, steps)
            waiting = [child for node in unsure for child in _by_numpy(lanes, growth, nodes, node)]
    return nodes.grown(dataset)


def _rules(dataset: Dataset, policy: Policy, terms: Terms) -> Array | None:
    """The stopping rule and the layout of keys as the library takes them; None for what it does not know."""
    schema, n = dataset.schema, len(dataset)
    limits, bits = stop_limits(policy.stop), max(len(schema.classes) - 1, 1).bit_length() + 1
    known = (
        schema.has_classes
        and policy.score is gain
        and policy.impurity in (gini, entropy)
        and isinstance(terms.choose, by_score)
        and terms.factors is None
        and not terms.gaps
        and terms.variants is None
        and terms.discount is known_share
        and dataset.weights is None
        and len(schema.classes) <= _MOST_CLASSES
        and n < min(_MOST_ROWS, 2 ** (_KEY_BITS - bits))
        and all(map(_takes_cuts, schema.features, dataset.columns, [terms.splitters] * len(schema.features)))
        and native.is_here()
    )
    if limits is None or not known or not has_room(8.0 * n * (len(schema.features) + 4 * len(schema.classes))):
        return None
    unit = _whole_table(n)[1] if policy.impurity is entropy else 1.0
    rules = np.zeros(1, native.GROWING)
    rules[0] = (*_numbers(limits), unit, len(schema.classes), bits, policy.impurity is entropy)
    return rules


def _numbers(limits: StopLimits) -> tuple[float, ...]:
    return tuple(float(each) for each in astuple(limits))


def _takes_cuts(feature: Feature, column: Array, splitters: Sequence[Any]) -> bool:
    """Whether a feature has numbers, all known, whose only splitter is a threshold with a least size in cases."""
    mine = [each for each in splitters if feature.kind in each.kinds]
    if feature.kind != "numeric" or column.dtype != np.float64 or len(mine) != 1 or not isinstance(mine[0], threshold):
        return False
    return not mine[0].mdl and not callable(mine[0].min_cases) and not np.isnan(column.min())


def _sorted(dataset: Dataset, rules: Array, terms: Terms, threads: ThreadPool) -> Lanes:
    """The sorted lanes of all features."""
    n, columns, shift = len(dataset), dataset.columns, int(rules["shift"][0])
    labels, keys = dataset.target_column.astype(np.uint8), np.empty((len(columns), n), np.int32)
    distinct, least = np.empty(len(columns), np.uint8), np.empty(len(columns), np.int64)
    (cutter,) = [each for each in terms.splitters if isinstance(each, threshold)]
    least[:] = math.ceil(cutter.min_cases)  # type: ignore[arg-type]  # a number

    def sort(first: int, last: int, _: int) -> None:
        items, room, count = np.empty(n, native.ITEM), np.empty(n, native.ITEM), np.empty((4, 256), np.uint32)
        for f in range(first, last):
            distinct[f] = native.call("sort_lane", np.ascontiguousarray(columns[f]), labels, shift, items, room, count, keys[f])

    threads.share(sort, len(columns), keys.size)
    table = _whole_table(n)[0] if rules["entropy"][0] else np.zeros(0, np.int64)
    return Lanes(dataset, rules, keys, distinct, table, least, np.empty(n, np.uint8), np.empty(n, np.int32), threads)


@lru_cache(maxsize=2)
def _whole_table(total: int) -> tuple[Array, float]:
    """N log2 n for n from 0 to `total`, in whole numbers of 1/unit bits, and the unit, as large as sums allow."""
    n = np.arange(total + 2, dtype=np.float64)
    exact = n * np.log2(np.maximum(n, 1))
    unit = 2.0 ** (62 - math.ceil(math.log2(max(exact[-1], 2.0))))
    return np.round(exact * unit).astype(np.int64), unit


class Nodes:
    """The nodes found so far, as `native/grow.c` notes them, and their class counts; parts are joined at the end."""

    def __init__(self, root: Array) -> None:
        """Begin with the class counts (K,) of the root."""
        self.counts, self.noted, self.n = [root[None]], [_leaves(1)], 1
        self.divided = dict[int, tuple[int, int, int, int]]()

    def add(self, counts: Array, noted: Array) -> int:
        """Add nodes, which have numbers of their own from 0 on; the number of the first among all."""
        first = self.n
        noted["first"] += first
        self.counts.append(counts)
        self.noted.append(noted)
        self.n += len(counts)
        return first

    def divide(self, lanes: Lanes, here: OpenNode, feature: int, at: int, left: Array) -> list[OpenNode]:
        """The children of a node whose lane of a feature is cut before the key `at`, with the class counts of the left one."""
        counts = np.array([left, here.counts - left])
        first = self.add(counts, _leaves(2))
        below, above = lanes.rows(feature, at - 1, at + 1).tolist()
        self.divided[here.node] = feature, first, below, above
        return [
            OpenNode(here.low, at, first, here.depth + 1, counts[0]),
            OpenNode(at, here.high, first + 1, here.depth + 1, counts[1]),
        ]

    def grown(self, dataset: Dataset) -> GrownSubtrees:
        """All nodes, as growth takes them."""
        counts, noted = np.concatenate(self.counts), np.concatenate(self.noted)
        for node, note in self.divided.items():
            noted[node] = note
        feature, at = noted["feature"], np.zeros(self.n)
        for f in np.unique(feature[feature >= 0]).tolist():
            (own,) = (feature == f).nonzero()
            at[own] = midpoint(dataset.columns[f][noted["below"][own]], dataset.columns[f][noted["above"][own]])
        kind, no_codes = np.where(feature >= 0, THRESHOLD, NONE).astype(np.int8), np.zeros(self.n + 1, np.int64)
        cuts = Cuts(kind, feature, at, no_codes, np.zeros(0, np.int64), np.full(self.n, -1, np.int64))
        first = noted["first"].astype(np.int64)
        return GrownSubtrees(np.zeros(1, np.int64), np.arange(self.n), counts.astype(np.float64), cuts, first)


def _leaves(n: int) -> Array:
    leaves = np.zeros(n, native.GROWN_NODE)
    leaves["feature"] = -1
    return leaves


# Large nodes, which all threads divide together, by features


def _divided_together(lanes: Lanes, growth: Growth, nodes: Nodes, waiting: list[OpenNode], line: Progress) -> list[OpenNode]:
    """The open nodes below these that are small enough for one thread."""
    small, most = list[OpenNode](), len(lanes.dataset) / (2 * lanes.threads.n) if lanes.threads.n > 1 else math.inf
    while waiting:
        here = waiting.pop()
        if here.high - here.low <= most:
            small.append(here)
            continue
        waiting += _divided(lanes, growth, nodes, here)
        line.level(here.depth, len(waiting) + len(small), 0.0)
    return small


def _divided(lanes: Lanes, growth: Growth, nodes: Nodes, here: OpenNode) -> list[OpenNode]:
    """The children of a node; none if it is closed."""
    n_features, steps = len(lanes.keys), (here.high - here.low) * len(lanes.keys)
    gains, left, cut = np.empty(n_features), np.empty_like(here.counts), np.zeros(1, native.CUT)

    def scan(first: int, last: int, _: int) -> None:
        room = np.empty_like(here.counts)
        native.call("scan_lanes", *lanes.scan, here.low, here.high, here.counts, first, last, room, gains)

    lanes.threads.share(scan, n_features, steps)
    given = here.low, here.high, here.depth, here.counts, gains, left, lanes.right, cut
    is_closed = native.call("choose", *lanes.scan, *given)
    if cut["unsure"][0]:
        return _by_numpy(lanes, growth, nodes, here)
    if is_closed:
        return []
    _part(lanes, here, int(cut["feature"][0]))
    return nodes.divide(lanes, here, int(cut["feature"][0]), int(cut["at"][0]), left)


def _part(lanes: Lanes, here: OpenNode, feature: int) -> None:
    """Part all lanes of a node but that of a feature by the marks of its rows."""

    def part(first: int, last: int, _: int) -> None:
        room = np.empty(here.high - here.low, np.int32)
        native.call("part_lanes", *lanes.scan[:3], here.low, here.high, feature, lanes.right, first, last, room)

    lanes.threads.share(part, len(lanes.keys), (here.high - here.low) * len(lanes.keys))


def _by_numpy(lanes: Lanes, growth: Growth, nodes: Nodes, here: OpenNode) -> list[OpenNode]:
    """The children of a node by the search in NumPy; none if it is closed."""
    data = lanes.dataset.take(lanes.rows(0, here.low, here.high))
    level, _ = step(growth, plain(data, EngineSetup()))
    (split,) = level.splits
    if not isinstance(split, Threshold):
        return []
    rows = lanes.rows(split.feature, here.low, here.high)
    right = lanes.dataset.columns[split.feature][rows] > split.at
    lanes.right[rows] = right
    left = lanes.dataset.target_column[rows[~right]]
    _part(lanes, here, split.feature)
    counts = np.bincount(left, minlength=len(here.counts))
    return nodes.divide(lanes, here, split.feature, here.low + len(left), counts)


# Small nodes, which one thread each grows to the end


@frozen(eq=False)
class Subtree:
    """A subtree while it grows: its root among all nodes, and what `ftree_grow_lanes` fills."""

    root: OpenNode
    state: Array
    open: Array
    nodes: Array
    counts: Array

    @staticmethod
    def below(root: OpenNode) -> "Subtree":
        """The subtree of an open node, with room for all nodes that it may get; memory that is not used is not taken."""
        n = root.high - root.low
        open_, counts = np.empty(2 * n, native.OPEN), np.empty((2 * n, len(root.counts)), np.int64)
        nodes = np.empty(2 * n, native.GROWN_NODE)
        open_[0], counts[0], nodes[0] = (root.low, root.high, 0, root.depth), root.counts, (-1, 0, 0, 0)
        return Subtree(root, np.ones(2, np.int64), open_, nodes, counts)


def _grown_apart(lanes: Lanes, nodes: Nodes, waiting: Sequence[OpenNode], line: Progress, steps: int) -> list[OpenNode]:
    """Grow the subtrees of open nodes; the nodes left open, since their choice is too close to call."""
    n_features, done = len(lanes.keys), list[int]()
    subtrees = [Subtree.below(node) for node in sorted(waiting, key=_size, reverse=True)]

    def work(own: Subtree, _: Array) -> list[Subtree]:
        given = own.state, own.open, own.nodes, own.counts, lanes.right, lanes.room[own.root.low : own.root.high]
        native.call("grow_lanes", *lanes.scan, steps, *given, np.empty(n_features), np.empty_like(own.root.counts))
        if own.state[1]:
            return [own]
        done.append(_size(own.root))
        if current_thread() is main_thread():
            line.level(own.root.depth, len(subtrees) - len(done), sum(done) / len(lanes.dataset))
        return []

    lanes.threads.run_tasks(subtrees, work, sum(map(_size, waiting)) * n_features)
    return [node for own in subtrees for node in _joined(nodes, own)]


def _size(node: OpenNode) -> int:
    return node.high - node.low


def _joined(nodes: Nodes, own: Subtree) -> list[OpenNode]:
    """Add a subtree to the other nodes; those of it that are left open."""
    n = int(own.state[0])
    counts, noted = own.counts[:n], own.nodes[:n].copy()
    (open_,) = (noted["feature"] == _UNSURE).nonzero()
    ranges = noted[open_]
    noted[open_] = -1, 0, 0, 0
    noted["first"] -= 1  # without the root, which has its number already
    first = nodes.n
    feature, at, below, above = noted[0].item()
    if feature >= 0:
        nodes.divided[own.root.node] = feature, first + at, below, above
    nodes.add(counts[1:], noted[1:])
    return [
        OpenNode(low, high, first + number - 1 if number else own.root.node, depth, counts[number])
        for number, (_, depth, low, high) in zip(open_.tolist(), ranges.tolist(), strict=True)
    ]
