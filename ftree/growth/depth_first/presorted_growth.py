"""Depth-first growth by thresholds in presorted columns, whose values are all known: `native/grow.c`, and what it leaves."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ftree import native
from ftree._lib.arrays import Array, midpoint
from ftree._lib.machine import ThreadPool, require_memory
from ftree._lib.waiting import Progress
from ftree.criteria.impurity import entropy
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.growth.depth_first.growing_parts import grown_parts, joined_nodes, rules_of, side_by_side, sorted_keys, split_by_numpy
from ftree.growth.depth_first.presorted_table import PresortedTable, Subtree, in_two_lines, no_places
from ftree.growth.depth_first.target_sums import whole_numbers
from ftree.growth.depth_first.what_c_knows import key_shift
from ftree.growth.native_codes import NONE, THRESHOLD, impurity_code, whole_table
from ftree.growth.settings import SearchSettings, StopLimits
from ftree.growth.split_arrays import Cuts, GrownTree
from ftree.policy import Policy
from ftree.splitters.cuts import SLACK

_NO_NUMBERS, _NO_TIMES, _NO_SCALES = np.zeros((2, 0, 1), np.int64), np.zeros((2, 0), np.int64), np.ones(1)


def grown_presorted(
    dataset: Dataset, policy: Policy, settings: SearchSettings, limits: StopLimits, threads: ThreadPool, line: Progress
) -> GrownTree:
    """All nodes of the tree."""
    presorted = presort(dataset, policy, settings, limits, threads)

    def advance(part: Subtree) -> None:
        if part.grow(presorted):
            _decide(presorted, policy, settings, part)

    n, n_features = len(dataset), len(presorted.features)
    return _joined(presorted, grown_parts(presorted.root(), advance, threads, line, n_rows=n, n_features=n_features))


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
    table, unit = whole_table(n) if impurity is entropy else (_NO_TIMES[0], 1.0)
    rules = rules_of(limits, unit, shift, int(impurity_code(impurity) or 0))
    keys, distinct = sorted_keys(columns, dataset.target_column.astype(np.uint8), shift, threads)
    no_sums = np.zeros((0, len(dataset.schema.classes)))
    given = features, rules, keys, distinct, searched, table, _NO_NUMBERS, _NO_SCALES, _NO_TIMES, no_sums
    return PresortedTable(dataset, *given, *no_places(n))


def presorted_regression(
    dataset: Dataset, features: Array, searched: Array, limits: StopLimits, impurity: Any, threads: ThreadPool
) -> PresortedTable:
    """The sorted columns of some features, unless all cuts are drawn, and of the numbers, or the first of several."""
    n, whole = len(dataset), whole_numbers(dataset.schema, dataset.target_column, *dataset.further_targets)
    require_memory(4.0 * n * (len(features) + 1 + 8 * threads.n), f"sorted columns of {n:,} rows", "Use fewer rows or features.")
    columns = [] if searched["is_drawn"].all() else side_by_side([dataset.columns[f] for f in features])
    columns.append(whole[:, 0].astype(np.float64))
    keys, distinct = sorted_keys(columns, np.zeros(n, np.uint8), 1, threads)
    times = _NO_TIMES if dataset.weights is None else in_two_lines(dataset.weights)
    channels = np.ascontiguousarray(rows_in_channels(dataset))
    rules, scales = rules_of(limits, 1.0, 1, 0), np.array(impurity.factors)
    given = features, rules, keys, distinct, searched, _NO_TIMES[0], in_two_lines(whole), scales, times, channels
    return PresortedTable(dataset, *given, *no_places(n))


def _decide(presorted: PresortedTable, policy: Policy, settings: SearchSettings, part: Subtree) -> None:
    """Divide the node that was opened last as the search in NumPy does, or make it a leaf."""
    dataset = presorted.dataset
    low, high, *_ = part.open[part.n_open - 1].item()
    split: Any = split_by_numpy(dataset, presorted.rows(0, low, high), policy, settings)
    if split is None:
        part.close()
        return
    number = int(np.searchsorted(presorted.features, split.feature))
    rows = presorted.rows(number, low, high)
    right = dataset.columns[split.feature][rows] > split.at
    n_left = len(rows) - int(np.count_nonzero(right))
    presorted.part(low, high, right, number)
    left = np.bincount(dataset.target_column[rows[:n_left]], minlength=part.counts.shape[1])
    part.divide(low + n_left, (number, int(rows[n_left - 1]), int(rows[n_left])), left)


def _joined(presorted: PresortedTable, parts: Sequence[Subtree]) -> GrownTree:
    """All nodes, with the thresholds between the rows that the library notes."""
    nodes, counts, _ = joined_nodes(parts)
    number, at = np.ascontiguousarray(nodes["feature"]), np.zeros(len(nodes))
    below, above = (np.ascontiguousarray(nodes[side]) for side in ("below", "above"))  # rows next to thresholds
    feature = np.where(number >= 0, presorted.features[number], -1).astype(np.int32)
    for f, column in enumerate(presorted.dataset.columns):
        (cut,) = (feature == f).nonzero()
        at[cut] = midpoint(*(column[rows[cut]].astype(np.float64, copy=False) for rows in (below, above)))
    kind, no_codes = np.where(feature >= 0, THRESHOLD, NONE).astype(np.int8), np.zeros(len(nodes) + 1, np.int64)
    return GrownTree(counts, Cuts(kind, feature, at, no_codes, np.zeros(0, np.int64)), nodes["first"].astype(np.int64))
