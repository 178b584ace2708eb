"""Groups of values that CHAID merges pair by pair, for all runs at once."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, run_starts
from ftree.criteria.impurity import checked
from ftree.splitters.base import Runs

# From class counts (..., V, K) to -log10 of p-values (...).
Test: TypeAlias = Callable[[Any], Any]
# Pairs that are tested in one call.
_AT_ONCE = 1 << 16


@frozen(eq=False)
class ValueGroups:
    """Groups of rows: `first` (R,) is the first row of each row's group, `counts` (R, K) has a group's counts at that row.

    `left` and `right` are the pairs of groups that may merge, sorted; `figure` is -log10 of the p-value of their difference.
    """

    first: Array
    counts: Array
    left: Array
    right: Array
    figure: Array


def value_groups(runs: Runs, first: Array, test: Test) -> ValueGroups:
    """The groups of a division, with the pairs that may merge, tested."""
    counts = np.zeros(runs.counts.shape, dtype=runs.counts.dtype)
    np.add.at(counts, first, runs.counts)
    left, right = _pairs(runs, np.unique(first))
    return ValueGroups(first, counts, left, right, _differences(test, counts, left, right))


def _pairs(runs: Runs, groups: Array) -> tuple[Array, Array]:
    """All pairs of a run's groups; only pairs of neighbours if the feature has an order."""
    run = runs.run_of_row()[groups]
    after = np.searchsorted(run, run, side="right") - 1 - np.arange(len(run))
    after = np.where((runs.kind == "nominal")[run], after, np.minimum(after, 1))
    left = np.repeat(np.arange(len(run)), after)
    step = np.arange(len(left)) - np.repeat(np.cumsum(after) - after, after)
    return groups[left], groups[left + 1 + step]


def with_merged(runs: Runs, grouped: ValueGroups, pair: Array, test: Test) -> ValueGroups:
    """The groups after some pairs have merged; no group is in two pairs, and only pairs with a merged group are tested again."""
    into, gone = grouped.left[pair], grouped.right[pair]
    becomes, changed = np.arange(len(grouped.first)), np.zeros(len(grouped.first), dtype=bool)
    becomes[gone], changed[into] = into, True
    counts = grouped.counts.copy()
    counts[into] += counts[gone]
    lost = becomes != np.arange(len(becomes))
    # In a nominal feature, the merged group already has a pair with each other group; the second pair is dropped.
    twice = lost[grouped.left] & (runs.kind == "nominal")[runs.run_of_row()[grouped.left]]
    kept = ~(lost[grouped.right] | twice)
    left, right, figure = becomes[grouped.left[kept]], grouped.right[kept], grouped.figure[kept]
    new = changed[left] | changed[right]
    figure[new] = _differences(test, counts, left[new], right[new])
    return ValueGroups(becomes[grouped.first], counts, left, right, figure)


def _differences(test: Test, counts: Array, left: Array, right: Array) -> Array:
    """-log10 of the p-value of each pair's difference; at most `_AT_ONCE` pairs in one call, to bound memory."""
    pairs = np.column_stack([left, right])
    return np.concatenate([tested(test, counts[some]) for some in np.array_split(pairs, len(pairs) // _AT_ONCE + 1)])


def tested(test: Test, counts: Array) -> Array:
    """What a test returns for counts (..., V, K), checked: one number (...) for each split."""
    return checked(test, test(counts), counts.shape[:-2])


def groups_as_runs(runs: Runs, first: Array, groups: Array) -> tuple[Runs, Array]:
    """Each of the given groups as a run of its values, and the rows from which these come."""
    rows = np.flatnonzero(np.isin(first, groups))
    rows = rows[np.argsort(first[rows], kind="stable")]
    start = run_starts(first[rows])
    run = runs.run_of_row()[rows[start]]
    node, feature, key = runs.node[run], runs.feature[run], runs.key[run]
    value, counts = runs.value[rows], runs.counts[rows]
    return Runs(value, counts, start, np.append(start[1:], len(rows))[: len(start)], node, feature, runs.features, key), rows
