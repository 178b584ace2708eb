"""The search of the compiled engine: kernels score every feature in every open node, each node takes the best."""

from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.kernels.checked_calls import addresses, checked_address
from ftree.growth.criterion_codes import ENTROPY, is_user_function
from ftree.growth.engines.fused import LevelSplits
from ftree.growth.engines.numba_state import State
from ftree.growth.kernels import best_splits as kernels
from ftree.growth.kernels.buffers import SearchBuffers, search_buffers
from ftree.growth.kernels.keys import bits_of
from ftree.growth.kernels.records import Above, CriterionTables, Scores, Splits
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD

# From so many nodes on, threads share coded features by nodes; fewer, by features.
_MANY_NODES = 64


def best_splits(state: State) -> LevelSplits:
    """The best split of each open node, of all nodes at once."""
    fixed, scores = state.fixed, _scored(state)
    m, n_features = len(state.nodes.start), len(fixed.values)
    chosen, doubt, rivals = np.full(m, -1, np.int64), np.zeros(m, np.bool_), np.zeros((n_features, m), np.bool_)
    kernels.choose(scores, state.nodes.totals, fixed.features, fixed.measure, chosen, doubt, rivals)
    kind = np.where(chosen < 0, NONE, fixed.features.way[chosen]) if n_features else np.zeros(m, np.int8)
    splits = _described(state, kind, chosen, scores.cut)
    sides, at = (splits.lower.copy(), splits.upper.copy()), np.flatnonzero(kind == THRESHOLD)
    for side in sides:
        side[at] = state.rows_of(chosen[at], side[at])
    listed = state.rows_of(np.repeat(chosen, np.diff(splits.first_code)), splits.listed)
    cuts = state.cuts(kind, chosen, sides, splits.first_code, listed, splits.lower)
    return LevelSplits(cuts, state.counts(splits.children), np.diff(splits.first_child), doubt, rivals)


def _scored(state: State) -> Scores:
    """The score of each feature in each open node."""
    fixed, (m, n_features) = state.fixed, (len(state.nodes.start), len(state.fixed.values))
    features, measure, weights = fixed.features, fixed.measure, state.entries.weights
    counted, n_coded = np.ones(m, np.bool_), len(features.coded)
    if len(weights):
        kernels.find_counted(weights, state.nodes, measure.table, counted)
    shape = n_features, m
    information = np.empty((0 if np.isnan(measure.slack) else n_features, m))
    scores = Scores(np.full(shape, -np.inf), np.zeros(shape, np.int32), np.zeros(shape, np.bool_), information)
    given = features, measure, state.entries, state.nodes, counted
    above = Above(np.zeros((n_features, 1)), np.zeros(m, np.int64))  # all of which may be divisible
    for kernel in scorers(state):
        n = n_coded if kernel is kernels.score_coded else len(features.in_order)
        by_nodes = kernel is kernels.score_closely or (kernel is kernels.score_coded and m >= _MANY_NODES)
        _share_scoring(state, kernel, n, (*given, above), scores, by_nodes=by_nodes)
    return scores


def _share_scoring(state: State, kernel: Any, n: int, given: tuple[Any, ...], scores: Scores, *, by_nodes: bool) -> None:
    """Let threads share n features, or the nodes."""
    m, threads, work = len(state.nodes.start), state.fixed.threads, int(state.sizes.sum())

    def score_some(first: int, last: int, worker: int) -> None:
        kernel(first, last, 0, m, *given, _buffers(state, worker), scores)

    def score_in_some(first: int, last: int, worker: int) -> None:
        kernel(0, n, first, last, *given, _buffers(state, worker), scores)

    if by_nodes:
        threads.share(score_in_some, m, work * (1 if kernel is kernels.score_closely else n))
    else:
        threads.share(score_some, n, work * n)


def scorers(state: State) -> list[Any]:
    """The kernels that score the features of a table, now and in all nodes below."""
    features, measure, found = state.fixed.features, state.fixed.measure, list[Any]()
    becomes_weighted = len(state.entries.weights) > 0 or _misses_values(state)
    if len(features.in_order):
        if measure.fast and (features.way[features.in_order] == THRESHOLD).any():
            found += _of_cuts(measure, becomes_weighted=becomes_weighted)
        if has_runs(state):
            found.append(kernels.score_sorted_runs)
    if len(features.coded):
        found.append(kernels.score_coded)
    if measure.fast and measure.impurity == ENTROPY and becomes_weighted:
        found.append(kernels.score_closely)
    return found


def _of_cuts(measure: CriterionTables, *, becomes_weighted: bool) -> list[Any]:
    """The kernels that score thresholds in one pass."""
    if is_user_function(measure.impurity):
        return [kernels.score_own]
    counting = kernels.score_entropy if measure.impurity == ENTROPY else kernels.score_gini
    return [counting, kernels.score_weighted] if becomes_weighted else [counting]


def describers(state: State) -> list[Any]:
    """The kernels that describe splits, now and in all nodes below."""
    runs = len(state.fixed.features.coded) > 0 or has_runs(state)
    return [kernels.describe_cuts, kernels.describe_runs] if runs else [kernels.describe_cuts]


def has_runs(state: State) -> bool:
    """Whether sorted features are searched by the values present, now or below."""
    features, measure = state.fixed.features, state.fixed.measure
    way = features.way[features.in_order]
    in_one_pass = measure.fast and (len(state.entries.weights) > 0 or len(measure.table) > 0)
    return bool(((way != NONE) & ~((way == THRESHOLD) & in_one_pass)).any())


def _misses_values(state: State) -> bool:
    """Whether rows of open nodes may miss values, and so become entries with a share of a row below."""
    features, entries, last = state.fixed.features, state.entries, state.nodes.end - 1
    if len(features.coded):  # which have no mark of it
        return True
    _, _, gone = bits_of(features.shift)
    lanes = -1 - entries.place[features.in_order]
    return bool((entries.keys[lanes[:, None], last] & gone).any())


def _described(state: State, kind: Array, chosen: Array, cut: Array) -> Splits:
    """The chosen splits, with their children's class counts."""
    fixed, m = state.fixed, len(chosen)
    width = np.where(kind > THRESHOLD, cut[chosen, np.arange(m)], 0) if len(cut) else np.zeros(m, np.int64)
    n_children = np.where(kind == MULTIWAY, width, np.where(kind == NONE, 1, 2))
    first_code, first_child = np.append(0, np.cumsum(width)), np.append(0, np.cumsum(n_children))
    lower, upper, listed = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(first_code[-1], np.int64)
    children = np.zeros((first_child[-1], fixed.n_classes))
    splits = Splits(chosen, lower, upper, first_code, listed, first_child, children)
    given = fixed.features, fixed.measure, state.entries, state.nodes, cut

    def describe(first: int, last: int, worker: int) -> None:
        for kernel in describers(state):
            kernel(first, last, *given, _buffers(state, worker), splits)

    fixed.threads.share(describe, m, int(state.sizes.sum()))
    return splits


def search_addresses(state: State) -> tuple[Array, Array]:
    """The kernels that score and describe, as other kernels call them."""
    kind, scoring, describing = state.entries.keys.dtype.char, scorers(state), describers(state)
    for kernel in (*scoring, *describing):
        if (kernel, kind) not in _ADDRESSES:
            _ADDRESSES[kernel, kind] = checked_address(kernel, _example(state, describes=kernel in describing))
    return (
        addresses([_ADDRESSES[kernel, kind] for kernel in scoring]),
        addresses([_ADDRESSES[kernel, kind] for kernel in describing]),
    )


# Addresses of kernels by the type of keys: all other arguments are of the same types in every growth.
_ADDRESSES: dict[tuple[Any, str], tuple[int, int]] = {}


def _example(state: State, *, describes: bool) -> tuple[Any, ...]:
    """Arguments of the types that kernels take which score, or describe."""
    nothing, none, numbers = np.zeros((0, 0)), np.zeros(0, np.bool_), np.zeros(0, np.int64)
    scores, above = Scores(nothing, np.zeros((0, 0), np.int32), none[None], nothing), Above(nothing, numbers)
    given = state.fixed.features, state.fixed.measure, state.entries, state.nodes
    if describes:
        splits = Splits(numbers, numbers, numbers, numbers, numbers, numbers, nothing)
        return 0, 0, *given, scores.cut, _buffers(state, 0), splits
    return 0, 0, 0, 0, *given, none, above, _buffers(state, 0), scores


def _buffers(state: State, worker: int) -> SearchBuffers:
    """The buffers of one thread, made when it first has something to do; they are large enough for every level."""
    fixed, made = state.fixed, state.spare.buffers
    if worker not in made:
        # Not compiled: to make records for Python, numba calls Python code, and crashes where an interruption comes in it.
        allocate: Any = getattr(search_buffers, "py_func", search_buffers)
        made[worker] = allocate(fixed.features, _most_values(state), fixed.n_classes)
    return made[worker]


def _most_values(state: State) -> int:
    """The most values of a feature that is searched by its values, in any node, and one for missing ones."""
    (way, absent, *_), measure = state.fixed.features, state.fixed.measure
    fast = measure.fast and (len(state.entries.weights) > 0 or len(measure.table) > 0)
    in_one_pass = (way == NONE) | ((way == THRESHOLD) & (state.entries.place < 0) & fast)
    return int(absent[~in_one_pass].max(initial=0)) + 1
