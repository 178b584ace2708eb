"""Lanes of a table of numbers, cut by variance: `native/sums.c`, which makes the choices of NumPy to the last bit."""

from typing import Any, ClassVar, cast

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree._lib.machine import ThreadPool, require_memory
from ftree.criteria.impurity_of_sums import Variance
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import StopLimits, stop_limits
from ftree.growth.lanes import Lanes, OpenNode, Subtree, rules_of, side_by_side, sorted_lanes
from ftree.growth.search import Terms
from ftree.policy import Policy
from ftree.splitters import threshold
from ftree.splitters.runs import SLACK
from ftree.tree.response import numbers

# Rows are numbered in 29 bits, and whole numbers added up in 62.
_MOST_ROWS, _MOST_IN_SUM = 2**29, 2.0**62
_NOTHING = np.zeros(0)


@frozen(eq=False)
class LanesOfNumbers(Lanes):
    """Keys without classes, of the features and, in the last lane, of the numbers.

    `whole` (n,) are the numbers in units, `times` (n,) how often each row counts, empty if all count once. `channels` (n, C) is
    what rows add to the sums of a node. `searched` (F,) says how each feature is searched.
    """

    found: ClassVar[np.dtype[Any]] = native.CUT

    whole: Array
    times: Array
    channels: Floats
    searched: Array

    @property
    def _given(self) -> tuple[Array, ...]:
        return self.rules, self.keys, self.distinct, self.whole, self.times, self.channels, self.searched

    def scan(self, here: OpenNode, found: Array, first: int, last: int) -> None:
        """Find the best cuts of a node in the lanes of some features."""
        native.call("scan_sums", *self._given, here.low, here.high, here.counts, first, last, found)

    def choose(self, here: OpenNode, found: Array, left: Array, cut: Array) -> bool:
        """Fill the cut of a node, and the sums (C,) on its left, and mark its rows; whether it is closed."""
        given = here.low, here.high, here.depth, here.counts, found, left, np.empty_like(left), self.right, cut
        return bool(native.call("choose_sums", *self._given, *given))

    def grow(self, own: Subtree) -> None:
        """Grow a subtree for a while, by the best cuts of all features."""
        self.grow_drawn(own, np.array([(len(self.features), 0, 0)], native.SEARCH), _NOTHING, _NOTHING)

    def grow_drawn(self, own: Subtree, search: Array, x: Floats, at: Floats) -> None:
        """Grow a subtree by the features that a search draws; drawn cuts are in values x (F n,), and `at` gets the thresholds."""
        given = own.state, own.open, own.nodes, own.counts, at, self.right, self.room[own.root.low : own.root.high]
        drawn, cuts = np.empty(len(self.features), native.DRAWN), np.empty(len(self.features), native.CUT)
        native.call("grow_sums", *self._given, search, x, self.steps, *given, drawn, cuts)

    def root(self) -> OpenNode:
        """All rows that count."""
        times = self.times if len(self.times) else np.ones(len(self.whole), np.int64)
        return OpenNode(0, int(np.count_nonzero(times)), 0, 0, times @ self.channels)


def sums_fit(table: Dataset) -> bool:
    """Whether the library can add up a target of numbers: all values are known, weights whole, and sums fit 64 bits."""
    response, is_whole = cast("numbers", table.schema.response), table.weights is None or table.weights.dtype.kind != "f"
    largest = float(response.whole(table.target_column.max()))
    return is_whole and len(table) < _MOST_ROWS and table.n_cases * largest < _MOST_IN_SUM and not table.gaps()


def lanes_of_numbers(dataset: Dataset, policy: Policy, terms: Terms, threads: ThreadPool) -> LanesOfNumbers | None:
    """The sorted lanes of all features with a splitter; None for what the library does not know.

    It knows thresholds by variance in ordered values that are all known, and whole weights; other features must have no splitter.
    """
    limits, kinds = stop_limits(policy.stop, of_classes=False), {feature.kind for feature in dataset.schema.features}
    cutters: dict[str, list[Any]] = {kind: [each for each in terms.splitters if kind in each.kinds] for kind in kinds}
    known = (
        terms.is_by_gain
        and isinstance(terms.impurity, Variance)
        and any(cutters.values())
        and all(own == own[:1] and all(isinstance(each, threshold) for each in own) for own in cutters.values())
        and sums_fit(dataset)
    )
    if limits is None or limits.errors > 0 or not known:  # its nodes have no squares
        return None
    features = np.array([f for f, feature in enumerate(dataset.schema.features) if cutters[feature.kind]])
    least = np.array([cutters[dataset.schema.features[f].kind][0].min_cases - SLACK for f in features])
    searched = native.filled(native.SEARCHED_FEATURE, least=least)
    return lanes_of(dataset, features, searched, limits, cast("Variance", terms.impurity), threads)


def lanes_of(
    dataset: Dataset, features: Array, searched: Array, limits: StopLimits, impurity: Variance, threads: ThreadPool
) -> LanesOfNumbers:
    """The sorted lanes of some features and of the numbers."""
    n, whole = len(dataset), cast("numbers", dataset.schema.response).whole(dataset.target_column)
    require_memory(4.0 * n * (len(features) + 1 + 8 * threads.n), f"sorted columns of {n:,} rows", "Use fewer rows or features.")
    columns = [*(dataset.columns[f] for f in features), whole]
    keys, distinct = sorted_lanes(side_by_side(columns), np.zeros(n, np.uint8), 1, threads)
    times = np.zeros(0, np.int64) if dataset.weights is None else dataset.weights.astype(np.int64)
    channels = np.ascontiguousarray(rows_in_channels(dataset))
    rules = rules_of(limits, impurity.scale, channels.shape[1], 1, 0)
    room = np.empty(n, np.uint8), np.empty(n, np.int32)
    return LanesOfNumbers(dataset, features, rules, keys, distinct, *room, threads, whole, times, channels, searched)
