"""Depth-first growth by the native library. Here: trees of classes or numbers, by thresholds in values that are all known.

Columns become sorted lanes of keys, once. All threads divide the largest nodes together, feature by feature; then each thread
grows one subtree after another to the end. A choice that rounding could decide is left to the search in NumPy.
"""

import math
from collections.abc import Sequence
from threading import current_thread, main_thread

import numpy as np

from ftree import native
from ftree._lib.arrays import Array, midpoint
from ftree._lib.machine import thread_pool
from ftree._lib.waiting import Progress
from ftree.data.dataset import Dataset
from ftree.growth.engine_choice import EngineChoice, is_native
from ftree.growth.engines.engine import EngineSetup, GrownTree
from ftree.growth.engines.plain_engine import plain
from ftree.growth.lanes import Lanes, OpenNode, Subtree
from ftree.growth.lanes_of_classes import lanes_of_classes
from ftree.growth.lanes_of_numbers import lanes_of_numbers
from ftree.growth.levels import Growth, StartNodes, step
from ftree.growth.records import NONE, THRESHOLD
from ftree.growth.search import Terms
from ftree.growth.split_arrays import Cuts
from ftree.growth.table_columns import table_columns
from ftree.growth.table_growth import grown_table
from ftree.growth.table_start import start_rows
from ftree.policy import Policy

# The feature of a node that is left open.
_UNSURE = -2


def grown_depth_first(
    dataset: Dataset,
    policy: Policy,
    terms: Terms,
    engine: EngineChoice,
    n_jobs: int | None,
    line: Progress,
    *,
    start: StartNodes | None = None,
) -> GrownTree | None:
    """All nodes of the tree, if the library knows the policy, and should grow the tree; else None."""
    if not is_native(engine):
        return None
    growth = Growth(dataset.schema.features, policy, terms)
    with thread_pool(n_jobs) as threads:
        find = lanes_of_classes if dataset.schema.has_classes else lanes_of_numbers
        lanes = find(dataset, policy, terms, threads) if start is None else None
        if lanes is not None:
            return _grown_in_lanes(lanes, growth, line)
        columns = table_columns(dataset, policy, terms, threads)
        begun = None if columns is None or start is None else start_rows(columns, start)
        if columns is None or (start is not None and begun is None):
            return None
        return grown_table(columns, growth, threads, line, begun)


def _grown_in_lanes(lanes: Lanes, growth: Growth, line: Progress) -> GrownTree:
    root = lanes.root()
    nodes, waiting = Nodes(root.counts), [root]
    while waiting:
        apart = _divided_together(lanes, growth, nodes, waiting, line)
        waiting = [child for node in _grown_apart(lanes, nodes, apart, line) for child in _by_numpy(lanes, growth, nodes, node)]
    return nodes.grown(lanes)


class Nodes:
    """The nodes found so far, as `native/grow.c` notes them, and their class counts or sums; parts are joined at the end."""

    def __init__(self, root: Array) -> None:
        """Begin with the class counts or sums (K,) of the root."""
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
        """The children of a node whose lane of a feature is cut before the key `at`, with the counts of the left one."""
        counts = np.array([left, here.counts - left])
        first = self.add(counts, _leaves(2))
        below, above = lanes.rows(feature, at - 1, at + 1).tolist()
        self.divided[here.node] = feature, first, below, above
        return [
            OpenNode(here.low, at, first, here.depth + 1, counts[0]),
            OpenNode(at, here.high, first + 1, here.depth + 1, counts[1]),
        ]

    def grown(self, lanes: Lanes) -> GrownTree:
        """All nodes, as growth takes them."""
        counts, noted = np.concatenate(self.counts), np.concatenate(self.noted)
        for node, note in self.divided.items():
            noted[node] = note
        lane, at = noted["feature"], np.zeros(self.n)
        feature = np.where(lane >= 0, lanes.features[lane], -1).astype(np.int32)
        for f in np.unique(feature[feature >= 0]).tolist():
            (own,) = (feature == f).nonzero()
            column = lanes.dataset.columns[f]
            at[own] = midpoint(*(column[noted[side][own]].astype(np.float64) for side in ("below", "above")))
        kind, no_codes = np.where(feature >= 0, THRESHOLD, NONE).astype(np.int8), np.zeros(self.n + 1, np.int64)
        cuts = Cuts(kind, feature, at, no_codes, np.zeros(0, np.int64))
        first = noted["first"].astype(np.int64)
        return GrownTree(counts.astype(np.float64), cuts, first)


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
    n_features, left, cut = len(lanes.features), np.empty_like(here.counts), np.zeros(1, native.CUT)
    found = np.empty(n_features, lanes.found)
    lanes.threads.share(lambda first, last, _: lanes.scan(here, found, first, last), n_features, here.size * n_features)
    is_closed = lanes.choose(here, found, left, cut)
    if cut["unsure"][0]:
        return _by_numpy(lanes, growth, nodes, here)
    if is_closed:
        return []
    lanes.part(here, int(cut["feature"][0]))
    return nodes.divide(lanes, here, int(cut["feature"][0]), int(cut["at"][0]), left)


def _by_numpy(lanes: Lanes, growth: Growth, nodes: Nodes, here: OpenNode) -> list[OpenNode]:
    """The children of a node by the search in NumPy; none if it is closed."""
    data = lanes.dataset.take(lanes.rows(0, here.low, here.high))
    level, _ = step(growth, plain(data, EngineSetup()))
    cuts = Cuts.of(level.splits)
    if cuts.kind[0] != THRESHOLD:
        return []
    feature = int(cuts.feature[0])
    rows = lanes.rows(feature, here.low, here.high)
    right = lanes.dataset.columns[feature][rows] > cuts.at[0]
    lanes.right[rows] = right
    left = lanes.dataset.target_column[rows[~right]]
    lanes.part(here, feature)
    counts = np.bincount(left, minlength=len(here.counts))
    return nodes.divide(lanes, here, feature, here.low + len(left), counts)


# Small nodes, which one thread each grows to the end


def _grown_apart(lanes: Lanes, nodes: Nodes, waiting: Sequence[OpenNode], line: Progress) -> list[OpenNode]:
    """Grow the subtrees of open nodes; the nodes left open, since their choice is too close to call."""
    subtrees, done = [Subtree.below(node) for node in sorted(waiting, key=_size, reverse=True)], list[int]()

    def work(own: Subtree, _: Array) -> list[Subtree]:
        lanes.grow(own)
        if own.state[1]:
            return [own]
        done.append(_size(own.root))
        if current_thread() is main_thread():
            line.level(own.root.depth, len(subtrees) - len(done), sum(done) / len(lanes.dataset))
        return []

    lanes.threads.run_tasks(subtrees, work, sum(map(_size, waiting)) * len(lanes.features))
    return [node for own in subtrees for node in _joined(nodes, own)]


def _size(node: OpenNode) -> int:
    return node.size


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
