"""The search of the compiled engine: kernels score every feature in every open node, and each node takes the best."""

from typing import Any

import numpy as np

from ftree._lib.arrays import Array, offsets
from ftree.growth.engines.fused import LevelSplits
from ftree.growth.engines.numba_kernels import Needs, chooser, describers, needs_of, scorers
from ftree.growth.engines.numba_state import State
from ftree.growth.engines.numba_steps import search_addresses, value_addresses
from ftree.growth.kernels import best_splits as kernels
from ftree.growth.kernels import steps
from ftree.growth.kernels.buffers import SearchBuffers, search_buffers
from ftree.growth.kernels.records import Above, Scores, Search, Splits
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD

# From this many nodes on, threads share coded features by nodes; below, by features.
_MANY_NODES = 64
# Where nothing is described.
_NONE = np.zeros(0, np.int64)
_NO_SPLITS = Splits(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, np.zeros((0, 0)))


def best_splits(state: State) -> LevelSplits:
    """The best split of each open node, of all nodes at once."""
    fixed, needs = state.fixed, needs_of(state)
    search = _search(state, needs)
    scores, m, n_features = _scored(state, needs, search), len(state.nodes.start), len(fixed.values)
    chosen, doubt, rivals = np.full(m, -1, np.int64), np.zeros(m, np.bool_), np.zeros((n_features, m), np.bool_)
    chooser(state)(scores, state.nodes.totals, fixed.features, fixed.measure, chosen, doubt, rivals)
    kind = np.where(chosen < 0, NONE, fixed.features.way[chosen]) if n_features else np.zeros(m, np.int8)
    splits = _described(state, needs, search, kind, chosen, scores)
    sides, at = (splits.lower.copy(), splits.upper.copy()), np.flatnonzero(kind == THRESHOLD)
    for side in sides:
        side[at] = state.rows_of(chosen[at], side[at])
    listed = state.rows_of(np.repeat(chosen, np.diff(splits.first_code)), splits.listed)
    cuts = state.cuts(kind, chosen, sides, splits.first_code, listed, splits.lower)
    return LevelSplits(cuts, state.counts(splits.children), np.diff(splits.first_child), doubt, rivals)


def _search(state: State, needs: Needs) -> Search:
    """The data that the search reads."""
    fixed, m, weights = state.fixed, len(state.nodes.start), state.entries.weights
    counted = np.ones(m, np.bool_)
    if len(weights):
        kernels.find_counted(weights, state.nodes, fixed.measure.table, counted)
    above = Above(np.zeros((len(fixed.values), 1)), np.zeros(m, np.int64))  # all nodes may be divisible
    return Search(fixed.features, fixed.measure, state.entries, state.nodes, counted, above, value_addresses(state, needs))


def _scored(state: State, needs: Needs, search: Search) -> Scores:
    """The score of each feature in each open node."""
    features, measure, (m, n_features) = search.features, search.measure, (len(state.nodes.start), len(state.fixed.values))
    information = np.empty((0 if np.isnan(measure.slack) else n_features, m))
    shape = n_features, m
    scores = Scores(np.full(shape, -np.inf), np.zeros(shape, np.int32), np.zeros(shape, np.bool_), information)
    for kernel in scorers(state, needs):
        n = len(features.coded) if kernel is kernels.score_coded else len(features.in_order)
        by_nodes = kernel is kernels.score_closely or (kernel is kernels.score_coded and m >= _MANY_NODES)
        _share_scoring(state, kernel, n, search, scores, by_nodes=by_nodes)
    return scores


def _share_scoring(state: State, kernel: Any, n: int, search: Search, scores: Scores, *, by_nodes: bool) -> None:
    """Share n features, or the nodes, among threads."""
    m, threads, work = len(state.nodes.start), state.fixed.threads, int(state.sizes.sum())
    given = search_addresses(state, [kernel]), 0

    def score_some(first: int, last: int, worker: int) -> None:
        steps.search_some(*given, first, last, 0, m, search, _buffers(state, worker), scores, _NO_SPLITS)

    def score_in_some(first: int, last: int, worker: int) -> None:
        steps.search_some(*given, 0, n, first, last, search, _buffers(state, worker), scores, _NO_SPLITS)

    if by_nodes:
        threads.share(score_in_some, m, work * (1 if kernel is kernels.score_closely else n))
    else:
        threads.share(score_some, n, work * n)


def _described(state: State, needs: Needs, search: Search, kind: Array, chosen: Array, scores: Scores) -> Splits:
    """The chosen splits, with their children's class counts."""
    fixed, m, cut = state.fixed, len(chosen), scores.cut
    width = np.where(kind > THRESHOLD, cut[chosen, np.arange(m)], 0) if len(cut) else np.zeros(m, np.int64)
    n_children = np.where(kind == MULTIWAY, width, np.where(kind == NONE, 1, 2))
    first_code, first_child = offsets(width), offsets(n_children)
    lower, upper, listed = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(first_code[-1], np.int64)
    children = np.zeros((first_child[-1], fixed.n_classes))
    splits = Splits(chosen, lower, upper, first_code, listed, first_child, children)
    kernels_of = search_addresses(state, describers(state, needs))

    def describe(first: int, last: int, worker: int) -> None:
        for number in range(len(kernels_of)):
            steps.search_some(kernels_of, number, 0, 0, first, last, search, _buffers(state, worker), scores, splits)

    fixed.threads.share(describe, m, int(state.sizes.sum()))
    return splits


def _buffers(state: State, worker: int) -> SearchBuffers:
    """The buffers of one thread, made when it first needs them; they are large enough for every level."""
    fixed, made = state.fixed, state.spare.buffers
    if worker not in made:
        made[worker] = search_buffers(fixed.features, most_values(state), fixed.n_classes)
    return made[worker]


def most_values(state: State) -> int:
    """The most values of a feature that is searched by its values, in any node, and one for missing ones.

    No node below has more: its entries are some of its parent's, or copies of them.
    """
    (way, absent, in_order, coded, *_), measure = state.fixed.features, state.fixed.measure
    values = absent[coded].tolist()  # lists, since tables of a few features are faster without arrays
    if len(in_order):
        fast = measure.fast and (len(state.entries.weights) > 0 or len(measure.table) > 0)
        in_one_pass = (way[in_order] == NONE) | ((way[in_order] == THRESHOLD) & fast)
        values += np.minimum(absent[in_order], state.sizes.max(initial=0))[~in_one_pass].tolist()
    return max(values, default=0) + 1
