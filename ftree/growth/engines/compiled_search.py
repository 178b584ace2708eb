"""The search of the compiled engine: kernels score every feature in every open node, and describe the best split of each.

Whole levels and groups of small nodes are searched by the same functions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Array, offsets
from ftree.growth.engines.compiled_moves import known_children
from ftree.growth.engines.compiled_state import OpenRows, most_values
from ftree.growth.engines.engine import LevelSplits, SurrogateSearch
from ftree.growth.kernels import choose_and_describe, score_features
from ftree.growth.kernels.find_surrogates import find_surrogates
from ftree.growth.kernels.records import (
    BACKED,
    FEATURE,
    FIRST_CHILD,
    FIRST_CODE,
    KIND,
    LOWER,
    N_OF_CUT,
    NOMINAL,
    OWN,
    ROW_LOWER,
    ROW_UPPER,
    SCORE,
    SUBSET,
    THRESHOLD,
    FeatureScores,
    FoundSplits,
    FoundSurrogates,
)
from ftree.growth.split_arrays import Cuts, SurrogateArrays, SurrogateSplits

# From this many nodes on, threads share coded features by nodes; below, by features.
_MANY_NODES = 64
# No features.
_NONE = np.empty(0, np.int64)


def best_splits(rows: OpenRows) -> LevelSplits:
    """The best split of each open node, of all nodes at once."""
    scores = scored(rows, most_values(rows))
    found = described(rows, scores, most_values(rows))
    splits = found.splits
    sides, first_code = (splits[ROW_LOWER, :-1], splits[ROW_UPPER, :-1]), splits[FIRST_CODE]
    cuts = rows.cuts(splits[KIND, :-1], splits[FEATURE, :-1], sides, first_code, found.listed[1], splits[LOWER, :-1])
    return LevelSplits(cuts, rows.counts(found.children), np.diff(splits[FIRST_CHILD]), found.doubt, found.rivals)


def scored(rows: OpenRows, run_sizes: tuple[int, int], divisible: Array | None = None) -> FeatureScores:
    """The score of each feature in each open node; `divisible` (F, m) marks coded features that may have several values."""
    fixed, nodes, m = rows.fixed, rows.nodes, rows.nodes.shape[1]
    entries, measure, shape = rows.entries, fixed.measure, (len(fixed.values), m)
    score = np.full((1 if np.isnan(measure.slack) else 2, *shape), -np.inf)
    cut, work = np.zeros((N_OF_CUT, *shape), np.int32), int(rows.sizes.sum())
    if len(entries.weights):
        score_features.find_counted(entries.weights, len(measure.table), nodes)
    scores = FeatureScores(score, cut)
    if len(fixed.in_order):
        _score_sorted(rows, run_sizes, scores, work)
    if len(fixed.coded):
        score[SCORE, fixed.coded] = 0.0 if divisible is None else np.where(divisible[fixed.coded], 0.0, -np.inf)
        _score_coded(rows, run_sizes, scores, work)
    return scores


def _score_sorted(rows: OpenRows, run_sizes: tuple[int, int], scores: FeatureScores, work: int) -> None:
    """Score sorted features: thresholds in one pass where kernels know the measure, else by the values present."""
    fixed, columns, entries, measure = rows.fixed, rows.columns, rows.entries, rows.fixed.measure
    given, by_values = (rows.nodes, rows.totals), _given(rows, run_sizes, scores)

    def score_some(first: int, last: int, _: int) -> None:
        some = columns.cuts[first:last]
        if measure.impurity == OWN:
            score_features.score_by_own(some, columns, entries, *given, scores, measure.own)
            return
        if len(measure.table) or not len(entries.weights):
            score_features.score_counted(some, columns, entries.keys, *given, measure, scores)
        if len(entries.weights):
            score_features.score_by_weights(some, columns, entries, *given, measure.impurity, scores)

    def score_runs(first: int, last: int, _: int) -> None:
        score_features.score_by_values(columns.runs[first:last], _NONE, 0, len(rows.totals), *by_values)

    if len(columns.cuts):
        fixed.threads.share(score_some, len(columns.cuts), work * len(columns.cuts))
    if len(columns.runs):
        fixed.threads.share(score_runs, len(columns.runs), work * len(columns.runs))


def _given(rows: OpenRows, run_sizes: tuple[int, int], scores: FeatureScores) -> tuple[Any, ...]:
    """What kernels that score by values take besides features and nodes."""
    return rows.columns, rows.entries, rows.nodes, rows.totals, rows.fixed.measure, run_sizes, scores


def _score_coded(rows: OpenRows, run_sizes: tuple[int, int], scores: FeatureScores, work: int) -> None:
    """Score coded features, which threads share by nodes or by features."""
    fixed, m, given = rows.fixed, rows.nodes.shape[1], _given(rows, run_sizes, scores)

    by_nodes = m >= _MANY_NODES

    def score_some(first: int, last: int, _: int) -> None:
        features, nodes = (fixed.coded, (first, last)) if by_nodes else (fixed.coded[first:last], (0, m))
        score_features.score_by_values(_NONE, features, *nodes, *given)

    fixed.threads.share(score_some, m if by_nodes else len(fixed.coded), work * len(fixed.coded))


def described(rows: OpenRows, scores: FeatureScores, run_sizes: tuple[int, int]) -> FoundSplits:
    """Each node's choice among the scored features, described."""
    fixed, columns = rows.fixed, rows.columns
    splits, doubt, rivals = _chosen(rows, scores)
    listed = np.zeros((2, splits[FIRST_CODE, -1]), np.int64)
    children, m = np.zeros((splits[FIRST_CHILD, -1], fixed.n_classes)), len(doubt)
    given = columns, rows.entries, rows.nodes

    def describe(first: int, last: int, _: int) -> None:
        choose_and_describe.describe_cuts(first, last, *given, rows.totals, scores.cut, splits, children)
        if len(fixed.coded) or len(columns.runs):
            choose_and_describe.describe_runs(first, last, *given, run_sizes, scores.cut, splits, listed, children)

    fixed.threads.share(describe, m, int(rows.sizes.sum()))
    return FoundSplits(splits, listed, children, doubt, rivals)


def _chosen(rows: OpenRows, scores: FeatureScores) -> tuple[Array, Array, Array]:
    """The choices between features, by the better score or by gain ratio."""
    fixed, measure = rows.fixed, rows.fixed.measure
    if np.isnan(measure.slack):
        return choose_and_describe.choose_by_score(scores, rows.features, rows.totals, measure)  # type: ignore[no-any-return]
    return choose_and_describe.choose_by_gain_ratio(scores, rows.features, fixed.options, measure.slack)  # type: ignore[no-any-return]


# Surrogates.


def cuts_with_surrogates(rows: OpenRows, cuts: Cuts) -> Cuts:
    """The splits of the open nodes, with surrogates for the features that get them."""
    backed = are_backed(rows, cuts.kind, cuts.feature)
    if not backed.any():
        return cuts
    child_at = offsets(cuts.arity)
    totals, child = np.zeros((child_at[-1], rows.fixed.n_classes)), known_children(rows, cuts)
    found = found_surrogates(rows, cuts.kind, cuts.feature.astype(np.int64), child_at, child, totals)
    return with_found(rows, cuts, backed, found)


def found_surrogates(
    rows: OpenRows, kind: Array, feature: Array, child_at: Array, child: Array, totals: Array
) -> tuple[Array, ...]:
    """The surrogates of the splits that get some, in order; rows without an answer are given a child, and counted there."""
    fixed, nodes = rows.fixed, np.flatnonzero(are_backed(rows, kind, feature))
    search = fixed.surrogates or SurrogateSearch(frozenset(), 0, 0.0)
    wanted = np.stack([nodes, feature[nodes], child_at[nodes]], axis=1)
    default_child, shape = np.empty(len(nodes), np.int8), (len(nodes), search.at_most)
    which, sides, figures = np.full((2, *shape), -1), np.empty((2, *shape), np.uint64), np.empty((3, *shape))
    given = search.least, wanted, rows.nodes, rows.columns, rows.entries, child, totals, fixed.known
    found = FoundSurrogates(default_child, which, sides, figures)

    def find(first: int, last: int, _: int) -> None:
        find_surrogates(first, last, *given, found)

    fixed.threads.share(find, len(nodes), int(rows.sizes[nodes].sum()) * len(fixed.values))
    return default_child, which[0], which[1] != 0, figures[0], *sides, figures[1], figures[2]


def are_backed(rows: OpenRows, kind: Array, feature: Array) -> Array:
    """Which splits in two, of these kinds and features, get surrogates."""
    marked: Array = ((kind == THRESHOLD) | (kind == SUBSET)) & (np.append(rows.features[BACKED], 0)[feature] != 0)
    return marked


def with_found(rows: OpenRows, cuts: Cuts, backed: Array, found: Sequence[Array]) -> Cuts:
    """The splits, with the found surrogates, in order, at those that a mask marks."""
    splits = SurrogateSplits(cuts, backed, SurrogateArrays(*found), rows.features[NOMINAL] != 0)
    return cuts.replaced(backed, splits)
