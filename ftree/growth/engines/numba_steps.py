"""Which kernels the growth of a table needs, and their addresses: a kernel is compiled when its address is first wanted."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.kernels.by_address import address_of, addresses
from ftree.growth.criterion_codes import ENTROPY, is_user_function
from ftree.growth.engines.numba_state import State
from ftree.growth.kernels import best_splits, partition, steps, surrogates
from ftree.growth.kernels.buffers import CodedBuffers, CutBuffers, RunBuffers, SearchBuffers
from ftree.growth.kernels.keys import bits_of
from ftree.growth.kernels.records import Above, CriterionTables, Moves, Scores, Search, Splits
from ftree.growth.kernels.steps import Steps
from ftree.growth.kernels.surrogates import FoundSurrogates
from ftree.growth.split_arrays import NONE, THRESHOLD


def scorers(state: State) -> list[Any]:
    """The kernels that score the features of a table, now and in all nodes below."""
    features, measure, found = state.fixed.features, state.fixed.measure, list[Any]()
    weighted = becomes_weighted(state)
    if len(features.in_order):
        if measure.fast and (features.way[features.in_order] == THRESHOLD).any():
            found += _of_cuts(measure, weighted=weighted)
        if has_runs(state):
            found.append(best_splits.score_sorted_runs)
    if len(features.coded):
        found.append(best_splits.score_coded)
    if measure.fast and measure.impurity == ENTROPY and weighted:
        found.append(best_splits.score_closely)
    return found


def _of_cuts(measure: CriterionTables, *, weighted: bool) -> list[Any]:
    """The kernels that score thresholds in one pass."""
    if is_user_function(measure.impurity):
        return [best_splits.score_own]
    counting = best_splits.score_entropy if measure.impurity == ENTROPY else best_splits.score_gini
    return [counting, best_splits.score_weighted] if weighted else [counting]


def describers(state: State) -> list[Any]:
    """The kernels that describe splits, now and in all nodes below."""
    runs = len(state.fixed.features.coded) > 0 or has_runs(state)
    return [best_splits.describe_cuts, best_splits.describe_runs] if runs else [best_splits.describe_cuts]


def chooser(state: State) -> Any:
    """The kernel that chooses between features."""
    return best_splits.choose_by_score if np.isnan(state.fixed.measure.slack) else best_splits.choose_by_gain_ratio


def has_runs(state: State) -> bool:
    """Whether sorted features are searched by the values present, now or below."""
    features, measure = state.fixed.features, state.fixed.measure
    way = features.way[features.in_order]
    in_one_pass = measure.fast and (len(state.entries.weights) > 0 or len(measure.table) > 0)
    return bool(((way != NONE) & ~((way == THRESHOLD) & in_one_pass)).any())


def becomes_weighted(state: State) -> bool:
    """Whether rows have weights, now or below."""
    return len(state.entries.weights) > 0 or _misses_values(state)


def _misses_values(state: State) -> bool:
    """Whether rows of open nodes may miss values, and so become entries with a share of a row below."""
    features, entries, last = state.fixed.features, state.entries, state.nodes.end - 1
    if len(features.coded):  # which have no mark of it
        return True
    _, _, gone = bits_of(features.shift)
    lanes = -1 - entries.place[features.in_order]
    return bool((entries.keys[lanes[:, None], last] & gone).any())


def _needed_steps(state: State) -> dict[int, Any]:
    """The kernels of the steps that growth below the open nodes may take."""
    features, needed = state.fixed.features, {steps.CHOOSE: chooser(state)}
    needed |= {steps.ROUTE: partition.route, steps.COUNT_SIZES: partition.sizes_of, steps.RENUMBER: partition.renumber}
    if becomes_weighted(state):
        needed |= {steps.FIND_COUNTED: best_splits.find_counted, steps.MOVE_SHARES: partition.move_shares}
        needed |= {steps.SHARE_OUT: partition.scatter}
        needed |= {steps.NUMBER_COPIES: partition.number_copies, steps.COUNT_COPIES: partition.count_copies}
    if len(features.in_order):
        needed[steps.MOVE_SORTED] = partition.move_sorted
    if len(features.coded):
        needed[steps.MOVE_CODED] = partition.move_coded
    if len(state.fixed.surrogate_tables.backed):
        needed[steps.FIND_SURROGATES] = surrogates.find_surrogates
    return needed


def growth_steps(state: State) -> Steps:
    """The addresses of all kernels that growth below the open nodes may call."""
    table = np.zeros((steps.N_STEPS, 2), np.int64)
    for step, kernel in _needed_steps(state).items():
        table[step] = _address(state, kernel, step)
    return Steps(table, scorer_addresses(state, scorers(state)), describer_addresses(state, describers(state)))


def scorer_addresses(state: State, kernels: Sequence[Any]) -> Array:
    """The addresses of kernels that score."""
    return addresses([_address(state, kernel, _SCORE) for kernel in kernels])


def describer_addresses(state: State, kernels: Sequence[Any]) -> Array:
    """The addresses of kernels that describe splits."""
    return addresses([_address(state, kernel, _DESCRIBE) for kernel in kernels])


# Addresses of kernels by the type of keys: all other arguments are of the same types in every growth.
_ADDRESSES: dict[tuple[Any, str], tuple[int, int]] = {}
_SCORE, _DESCRIBE = steps.N_STEPS, steps.N_STEPS + 1


def _address(state: State, kernel: Any, step: int) -> tuple[int, int]:
    key = kernel, state.entries.keys.dtype.char
    if key not in _ADDRESSES:
        _ADDRESSES[key] = address_of(kernel, _examples(state)[step])
    return _ADDRESSES[key]


def _examples(state: State) -> dict[int, tuple[Any, ...]]:
    """Arguments of the types that each step takes."""
    fixed, entries, nodes = state.fixed, state.entries, state.nodes
    features, measure, sharing = fixed.features, fixed.measure, fixed.sharing
    short, small, whole, floats = (np.zeros(1, each) for each in (np.int8, np.int32, np.int64, np.float64))
    marks, numbers, table = np.zeros(1, np.bool_), np.zeros((1, 3), np.int64), np.zeros((1, 1))
    moves = Moves(short, whole, small, small, whole, numbers, floats)
    scores, above = Scores(table, small[None], marks[None], table), Above(table, whole)
    search, splits = Search(features, measure, entries, nodes, marks, above), Splits(*[whole] * 6, table)
    words, classes = np.zeros((1, 1), np.uint64), np.zeros(1, entries.classes.dtype)
    found = FoundSurrogates(whole, short, numbers, marks[None], table, words, words, table, table)
    return {
        _SCORE: (0, 0, 0, 0, search, _BUFFERS, scores),
        _DESCRIBE: (0, 0, search, small[None], _BUFFERS, splits),
        steps.FIND_COUNTED: (floats, nodes, floats, marks),
        steps.CHOOSE: (scores, table, features, measure, whole, marks, marks[None]),
        steps.ROUTE: (0, 0, short, whole, whole, whole, whole, features, entries, nodes, small),
        steps.COUNT_SIZES: (0, 0, short, whole, whole, whole, small, whole),
        steps.SHARE_OUT: (nodes, short, whole, small, small, floats, floats, sharing, numbers, floats, whole),
        steps.RENUMBER: (0, 0, nodes, moves, entries, classes, small),
        steps.NUMBER_COPIES: (nodes, moves, entries, classes, small),
        steps.COUNT_COPIES: (nodes, moves, entries, table),
        steps.MOVE_SHARES: (nodes, moves, entries, floats, floats),
        steps.MOVE_SORTED: (0, 0, features, entries, np.zeros((1, 1), entries.keys.dtype), 0, nodes, moves),
        steps.MOVE_CODED: (0, 0, words, words, short, whole, whole, small),
        steps.FIND_SURROGATES: (
            short, whole, whole, nodes, features, entries, small, table, fixed.surrogate_tables, found,
        ),
    }  # fmt: skip


def _example_buffers() -> SearchBuffers:
    whole, floats, table = np.zeros(1, np.int64), np.zeros(1), np.zeros((1, 1))
    cuts = CutBuffers(whole, whole, floats, floats, floats, table, floats, whole, whole)
    run = RunBuffers(whole, table, floats, whole, floats, floats, floats, floats)
    return SearchBuffers(cuts, run, CodedBuffers(whole, whole, whole, floats))


_BUFFERS = _example_buffers()
