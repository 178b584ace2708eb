"""The kernels that the growth of a table needs: each is compiled only for tables that need it."""

from typing import Any, NamedTuple

import numpy as np

from ftree.growth.criterion_codes import ENTROPY, GAIN, GINI, MISCLASSIFICATION, is_user_function
from ftree.growth.engines.numba_state import State
from ftree.growth.kernels import best_splits, grow_subtrees, partition, steps, surrogates
from ftree.growth.kernels.keys import bits_of
from ftree.growth.kernels.records import CriterionTables
from ftree.growth.split_arrays import MULTIWAY, NONE, SUBSET, THRESHOLD

# The kernels that find the best split by the values present, by the kind of splits.
BEST_BY_VALUES = {THRESHOLD: best_splits.best_threshold, MULTIWAY: best_splits.best_multiway, SUBSET: best_splits.best_division}


class Needs(NamedTuple):
    """The properties that determine the kernels of a growth: whether rows have weights, and whether sorted features have runs.

    Features with runs are searched by the values present.
    """

    weighted: bool
    runs: bool


def needs_of(state: State) -> Needs:
    """The properties that determine the kernels below the open nodes."""
    return Needs(len(state.entries.weights) > 0 or _misses_values(state), _has_runs(state))


def choices_of(state: State) -> tuple[Any, ...]:
    """All else that determines the kernels of a growth, given its needs."""
    features, measure = state.fixed.features, state.fixed.measure
    ways = (frozenset(features.way[stored].tolist()) for stored in (features.in_order, features.coded))
    stored = len(features.in_order) > 0, len(features.coded) > 0, len(state.fixed.surrogate_tables.backed) > 0
    impurity = MISCLASSIFICATION + 1 if is_user_function(measure.impurity) else measure.impurity
    criterion = impurity, measure.score, measure.fast, measure.plain, state.fixed.criterion.slack is None
    return *ways, *stored, *criterion, len(measure.table) > 0, len(state.entries.weights) > 0


def scorers(state: State, needs: Needs) -> list[Any]:
    """The kernels that score the features of a table."""
    features, measure, found = state.fixed.features, state.fixed.measure, list[Any]()
    if len(features.in_order):
        if measure.fast and (features.way[features.in_order] == THRESHOLD).any():
            found += _of_cuts(measure, weighted=needs.weighted)
        if needs.runs:
            found.append(best_splits.score_sorted_runs)
    if len(features.coded):
        found.append(best_splits.score_coded)
    if measure.fast and measure.impurity == ENTROPY and needs.weighted:
        found.append(best_splits.score_closely)
    return found


def _of_cuts(measure: CriterionTables, *, weighted: bool) -> list[Any]:
    """The kernels that score thresholds in one pass."""
    if is_user_function(measure.impurity):
        return [best_splits.score_own]
    if measure.impurity == ENTROPY:
        return [best_splits.score_entropy, best_splits.score_estimated] if weighted else [best_splits.score_entropy]
    return [best_splits.score_gini, best_splits.score_weighted] if weighted else [best_splits.score_gini]


def describers(state: State, needs: Needs) -> list[Any]:
    """The kernels that describe splits."""
    runs = len(state.fixed.features.coded) > 0 or needs.runs
    return [best_splits.describe_cuts, best_splits.describe_runs] if runs else [best_splits.describe_cuts]


def chooser(state: State) -> Any:
    """The kernel that chooses between features."""
    return best_splits.choose_by_score if np.isnan(state.fixed.measure.slack) else best_splits.choose_by_gain_ratio


def _has_runs(state: State) -> bool:
    features, measure = state.fixed.features, state.fixed.measure
    if not len(features.in_order):  # small nominal tables grow in less than a millisecond
        return False
    way = features.way[features.in_order]
    in_one_pass = measure.fast and (len(state.entries.weights) > 0 or len(measure.table) > 0)
    return bool(((way != NONE) & ~((way == THRESHOLD) & in_one_pass)).any())


def _misses_values(state: State) -> bool:
    """Whether rows of open nodes may have missing values, and so become entries with a share of a row below."""
    features, entries, last = state.fixed.features, state.entries, state.nodes.end - 1
    if state.fixed.gaps or not len(features.in_order):
        return state.fixed.gaps
    _, _, gone = bits_of(features.shift)
    lanes = -1 - entries.place[features.in_order]
    return bool((entries.keys[lanes[:, None], last] & gone).any())


def needed_steps(state: State, needs: Needs) -> dict[int, Any]:
    """The kernels of the steps that growth takes."""
    features, needed = state.fixed.features, {steps.CHOOSE: chooser(state)}
    needed |= {steps.ROUTE: partition.route, steps.COUNT_SIZES: partition.sizes_of, steps.RENUMBER: partition.renumber}
    needed |= {steps.GATHER: grow_subtrees.gathered, steps.SEARCH: grow_subtrees.searched, steps.NOTE: grow_subtrees.note_splits}
    needed |= {steps.SETTLE: grow_subtrees.settle, steps.FIND_WAYS: grow_subtrees.routed, steps.MOVE: grow_subtrees.moved_entries}
    if needs.weighted:
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


def ways_by_values(state: State, needs: Needs) -> set[int]:
    """The kinds of splits that are scored by the values present."""
    features, measure = state.fixed.features, state.fixed.measure
    ways = set(features.way[features.coded].tolist()) - {NONE}
    if needs.runs:
        ways |= set(features.way[features.in_order].tolist()) - {NONE}
    from_cells = measure.plain and measure.score == GAIN and measure.impurity in {ENTROPY, GINI}
    if from_cells and (len(measure.table) or len(state.entries.weights)) and not needs.runs:
        ways -= {MULTIWAY}
    return ways
