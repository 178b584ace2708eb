"""A presorted table, if the library can grow its classification or regression tree by thresholds in values that are all known."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree._lib.machine import ThreadPool, has_room, require_memory
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.impurity_of_sums import Variance, Variances
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import StopLimits, stop_limits
from ftree.growth.native_codes import impurity_code, whole_table
from ftree.growth.presorted_table import KEY_BITS, PresortedTable, in_two_lines, no_places, rules_of, side_by_side, sorted_keys
from ftree.growth.search import SearchSettings
from ftree.policy import Policy
from ftree.splitters import threshold
from ftree.splitters.runs import SLACK
from ftree.tree.additive import response_of_sums

# While columns are sorted, a class is a byte. Squares of so many cases are exact as floats.
_MOST_CLASSES, _MOST_ROWS = 256, 2**26
# Rows of numbers are numbered in 29 bits, and whole numbers added up in 62.
_MOST_NUMBERS, _MOST_IN_SUM = 2**29, 2.0**62
_NO_NUMBERS, _NO_TIMES, _NO_SCALES = np.zeros((2, 0, 1), np.int64), np.zeros((2, 0), np.int64), np.ones(1)
# The library adds up the variances of so many numbers.
_MOST_TARGETS = 16


def presort(dataset: Dataset, policy: Policy, settings: SearchSettings, threads: ThreadPool) -> PresortedTable | None:
    """The sorted columns of all features with a splitter; None for what the library does not know.

    It knows thresholds by gain in values that are all known: of Gini or entropy, in numeric features, with unit weights; or of
    variance, in ordered values, with whole weights. Other features must have no splitter.
    """
    features, of_classes = dataset.schema.features, dataset.schema.has_classes
    limits = stop_limits(policy.stop, of_classes=of_classes)
    splitters: dict[str, list[Any]] = {
        kind: [each for each in settings.splitters if kind in each.kinds] for kind in {each.kind for each in features}
    }
    are_known = any(splitters.values()) and all(map(_are_known, splitters.values()))
    if limits is None or not settings.is_by_gain or not are_known:
        return None
    cut = np.array([f for f, feature in enumerate(features) if splitters[feature.kind]])
    least = np.array([splitters[features[f].kind][0].min_cases - SLACK for f in cut])
    searched = native.filled(native.SEARCHED_FEATURE, least=least)
    if of_classes:
        is_numeric = all(feature.kind == "numeric" for feature in features) and dataset.weights is None
        is_known = is_numeric and policy.impurity in (gini, entropy) and classes_fit(dataset)
        return presorted_classification(dataset, cut, searched, limits, policy.impurity, threads) if is_known else None
    is_known = isinstance(settings.impurity, (Variance, Variances))
    if not is_known or limits.errors > 0 or not sums_fit(dataset):  # nodes of numbers have no squares
        return None
    return presorted_regression(dataset, cut, searched, limits, settings.impurity, threads)


def _are_known(splitters: Sequence[Any]) -> bool:
    """Whether the splitters of a kind are at most one, a threshold with a least size in cases."""
    known = all(isinstance(each, threshold) and not each.mdl and not callable(each.min_cases) for each in splitters)
    return known and len(splitters) <= 1


def classes_fit(table: Dataset) -> bool:
    """Whether a key has room for a row and its class, and the sorted columns of a table fit in memory."""
    n, n_classes = len(table), len(table.schema.classes)
    fits = n_classes <= _MOST_CLASSES and n < min(_MOST_ROWS, 2 ** (KEY_BITS - _shift(table)))
    return fits and has_room(8.0 * n * (2 * len(table.columns) + 4 * n_classes))


def _shift(table: Dataset) -> int:
    """The bits of a key below its row: those of a class, and that of a new value."""
    return max(len(table.schema.classes) - 1, 1).bit_length() + 1


def presorted_classification(
    dataset: Dataset, features: Array, searched: Array, limits: StopLimits, impurity: Any, threads: ThreadPool
) -> PresortedTable | None:
    """The sorted columns of some features, or one of rows where all cuts are drawn; None if a value is missing."""
    n, columns = len(dataset), side_by_side([dataset.columns[f] for f in features])
    if any(np.isnan(column.min()) for column in columns):
        return None
    if searched["is_drawn"].all():
        columns = [np.arange(float(n))]
    table, unit = whole_table(n) if impurity is entropy else (_NO_TIMES[0], 1.0)
    rules = rules_of(limits, unit, _shift(dataset), int(impurity_code(impurity) or 0))
    keys, distinct = sorted_keys(columns, dataset.target_column.astype(np.uint8), _shift(dataset), threads)
    no_sums = np.zeros((0, len(dataset.schema.classes)))
    given = features, rules, keys, distinct, searched, table, _NO_NUMBERS, _NO_SCALES, _NO_TIMES, no_sums
    return PresortedTable(dataset, *given, *no_places(n))


def sums_fit(table: Dataset) -> bool:
    """Whether the library can add up a target of numbers: all values are known, weights whole, and sums fit 64 bits."""
    is_whole = table.weights is None or table.weights.dtype.kind != "f"
    if not is_whole or len(table) >= _MOST_NUMBERS or len(table.further_targets) >= _MOST_TARGETS or table.gaps():
        return False
    return bool(table.n_cases * float(whole_numbers(table).max()) < _MOST_IN_SUM)


def whole_numbers(table: Dataset) -> Array:
    """The numbers of rows in units of their response, (n, A)."""
    response = response_of_sums(table.schema)
    return np.column_stack(response.wholes(table.target_column, *table.further_targets)[: response.squared])


def presorted_regression(
    dataset: Dataset, features: Array, searched: Array, limits: StopLimits, impurity: Any, threads: ThreadPool
) -> PresortedTable:
    """The sorted columns of some features, unless all cuts are drawn, and of the numbers, or the first of several."""
    n, whole = len(dataset), whole_numbers(dataset)
    require_memory(4.0 * n * (len(features) + 1 + 8 * threads.n), f"sorted columns of {n:,} rows", "Use fewer rows or features.")
    columns = [] if searched["is_drawn"].all() else side_by_side([dataset.columns[f] for f in features])
    columns.append(whole[:, 0].astype(np.float64))
    keys, distinct = sorted_keys(columns, np.zeros(n, np.uint8), 1, threads)
    times = _NO_TIMES if dataset.weights is None else in_two_lines(dataset.weights)
    channels = np.ascontiguousarray(rows_in_channels(dataset))
    rules, scales = rules_of(limits, 1.0, 1, 0), scales_of(impurity)
    given = features, rules, keys, distinct, searched, _NO_TIMES[0], in_two_lines(whole), scales, times, channels
    return PresortedTable(dataset, *given, *no_places(n))


def scales_of(impurity: Any) -> Floats:
    """What multiplies the variance of each number, (A,)."""
    return np.array([impurity.scale] if isinstance(impurity, Variance) else impurity.factors)
