"""A table of numbers that are all known, as the native library grows trees from it: sorted columns, in which a node is a range.

`native/lanes.h` says what the arrays hold, and `presorted_growth` grows a tree from them.
"""

from typing import Any

import numpy as np
from attrs import Factory, evolve, field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree._lib.machine import ThreadPool, require_memory
from ftree.criteria.impurity import entropy, impurity_code, whole_n_log_n
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.growth.depth_first.sorted_columns import rules_of, side_by_side, sorted_keys
from ftree.growth.depth_first.target_sums import limb_places, whole_numbers
from ftree.growth.depth_first.what_c_knows import StopLimits, key_shift
from ftree.growth.settings import SearchSettings
from ftree.policy import Policy
from ftree.splitters.cuts import SLACK

_NO_NUMBERS, _NO_WHOLE, _NO_SCALES = np.zeros(0, np.int64), np.zeros((0, 1), np.int64), np.ones(1)


@frozen(eq=False, kw_only=True)
class PresortedTable:
    """The sorted columns of a table: keys (L, n), and whether no value of one occurs twice; first those of `features` (F,).

    Invariant: a node has the keys from its `low` to its `high` in all columns, and only the thread that grows it writes there,
    or to `right` for its rows. Keys are parted as the tree grows, so a table grows one tree; `of_bag` copies it.

    `searched` (F,) says how each feature is searched; where all cuts are drawn, features have no sorted keys. `entropies`
    has n log2 n. `times` (n,) are the weights of rows in whole units, empty if all count once. For regression, the last
    column is the target, or the first of A; `whole` (n, A) are their numbers in units, whose variances `scales` (A,)
    multiply, and `channels` (n, K) what rows add to the sums of a node, whose limbs have the places `limbs`.
    """

    dataset: Dataset
    features: Array
    rules: Array
    keys: Array
    distinct: Array
    searched: Array
    entropies: Array = _NO_NUMBERS
    whole: Array = _NO_WHOLE
    scales: Floats = _NO_SCALES
    times: Array = _NO_NUMBERS
    channels: Floats
    limbs: Array = _NO_NUMBERS
    right: Array = field(init=False, default=Factory(lambda self: np.empty(self.n_rows, np.uint8), takes_self=True))

    @property
    def n_rows(self) -> int:
        """The rows of the table."""
        return int(self.keys.shape[1])

    @property
    def given(self) -> dict[str, Array]:
        """The table, as the library takes it."""
        names = "rules", "keys", "distinct", "searched", "entropies", "whole", "scales", "times", "channels", "limbs", "right"
        return {name: getattr(self, name) for name in names}

    def rows(self, low: int, high: int) -> Array:
        """The rows of a node."""
        rows: Array = self.keys[0, low:high] >> int(self.rules["shift"][0])
        return rows

    def totals(self) -> tuple[int, Floats]:
        """How many rows count, and their counts or sums (K,)."""
        times = self.times if self.times.size else np.ones(self.n_rows, np.int64)
        n = int(np.count_nonzero(times))
        if self.whole.size:
            return n, times @ self.channels
        unit = 1.0 if len(self.entropies) else float(self.rules["unit"][0])
        counts: Floats = (
            np.bincount(self.dataset.target_column, times, self.channels.shape[1]).astype(np.float64, copy=False) * unit
        )
        return n, counts

    def of_bag(self, times: Array, **changed: Any) -> "PresortedTable":
        """The sorted columns of the rows that count, as often as `times` (n,) says, which may be parted."""
        absent, n = times == 0, len(times)
        counted_once = times.max() == 1 and not absent.any()
        own = evolve(self, keys=self.keys.copy(), times=_NO_NUMBERS if counted_once else times, **changed)
        if absent.any():
            room, every_lane = np.empty(n, np.int32), -1
            native.call("part_lanes", own.rules, own.keys, own.distinct, 0, n, every_lane, absent.view(np.uint8), room)
        return own


# Sorting the columns of a dataset


def presort(
    dataset: Dataset, policy: Policy, settings: SearchSettings, limits: StopLimits, threads: ThreadPool
) -> PresortedTable:
    """The sorted columns of all features with a splitter, a threshold."""
    own: list[Any] = [
        next((each for each in settings.splitters if feature.kind in each.kinds), None) for feature in dataset.schema.features
    ]
    cut = np.array([f for f, splitter in enumerate(own) if splitter is not None])
    searched = native.filled(native.SEARCHED_FEATURE, least=np.array([own[f].min_cases - SLACK for f in cut]))
    if dataset.schema.has_classes:
        return presorted_classification(dataset, cut, searched, limits, policy.impurity, threads)
    return presorted_regression(dataset, cut, searched, limits, settings.impurity, threads)


def presorted_classification(
    dataset: Dataset, features: Array, searched: Array, limits: StopLimits, impurity: Any, threads: ThreadPool
) -> PresortedTable:
    """The sorted columns of some features, or one of rows where all cuts are drawn."""
    n, shift, all_drawn = len(dataset), key_shift(dataset.schema), bool(searched["is_drawn"].all())
    columns = [np.arange(float(n))] if all_drawn else side_by_side([dataset.columns[f] for f in features])
    entropies, unit = whole_n_log_n(n) if impurity is entropy else (_NO_NUMBERS, 1.0)
    keys, distinct = sorted_keys(columns, dataset.target_column.astype(np.uint8), shift, threads)
    return PresortedTable(
        dataset=dataset,
        features=features,
        rules=rules_of(limits, unit, shift, int(impurity_code(impurity) or 0)),
        keys=keys,
        distinct=distinct,
        searched=searched,
        entropies=entropies,
        channels=np.zeros((0, len(dataset.schema.classes))),
    )


def presorted_regression(
    dataset: Dataset, features: Array, searched: Array, limits: StopLimits, impurity: Any, threads: ThreadPool
) -> PresortedTable:
    """The sorted columns of some features, unless all cuts are drawn, and of the numbers, or the first of several."""
    n, whole = len(dataset), whole_numbers(dataset.schema, dataset.target_column, *dataset.further_targets)
    require_memory(4.0 * n * (len(features) + 1 + 8 * threads.n), f"sorted columns of {n:,} rows", "Use fewer rows or features.")
    columns = [] if searched["is_drawn"].all() else side_by_side([dataset.columns[f] for f in features])
    columns.append(whole[:, 0].astype(np.float64))
    keys, distinct = sorted_keys(columns, np.zeros(n, np.uint8), 1, threads)
    return PresortedTable(
        dataset=dataset,
        features=features,
        rules=rules_of(limits, 1.0, 1, 0),
        keys=keys,
        distinct=distinct,
        searched=searched,
        whole=whole,
        scales=np.array(impurity.factors),
        times=_NO_NUMBERS if dataset.weights is None else dataset.weights.astype(np.int64),
        channels=np.ascontiguousarray(rows_in_channels(dataset)),
        limbs=limb_places(dataset),
    )
