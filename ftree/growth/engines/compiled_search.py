"""The search of the compiled engine: kernels score every feature in every open node, and describe the best split of each.

Whole levels and groups of small nodes are searched by the same functions.
"""

from collections.abc import Sequence

import numpy as np

from ftree._lib.arrays import Array, offsets
from ftree.growth.engines.compiled_moves import known_children
from ftree.growth.engines.compiled_state import OpenRows, most_values
from ftree.growth.engines.engine import LevelSplits
from ftree.growth.kernels import choose_and_describe, records, score_features
from ftree.growth.kernels.find_surrogates import find_surrogates
from ftree.growth.split_arrays import Cuts, SurrogateArrays, SurrogateSplits

# From this many nodes on, threads share coded features by nodes; below, by features.
_MANY_NODES = 64


def best_splits(rows: OpenRows) -> LevelSplits:
    """The best split of each open node, of all nodes at once."""
    scores = scored(rows, most_values(rows))
    found = described(rows, scores, most_values(rows))
    splits = found.splits
    names = records.KIND, records.FEATURE, records.ROW_LOWER, records.ROW_UPPER, records.LOWER
    kind, feature, low, high, lower = splits[list(names), :-1]
    cuts = rows.cuts(kind, feature, (low, high), splits[records.FIRST_CODE], found.listed[1], lower)
    return LevelSplits(cuts, rows.counts(found.children), np.diff(splits[records.FIRST_CHILD]), found.doubt, found.rivals)


def scored(rows: OpenRows, run_sizes: tuple[int, int], divisible: Array | None = None) -> records.FeatureScores:
    """The score of each feature in each open node; `divisible` (F, m) marks coded features that may have several values."""
    fixed, nodes, m = rows.fixed, rows.nodes, rows.nodes.shape[1]
    entries, measure, shape = rows.entries, fixed.measure, (len(fixed.values), m)
    score = np.full((1 if np.isnan(measure.slack) else 2, *shape), -np.inf)
    cut, work = np.zeros((2, *shape), np.int32), int(rows.sizes.sum())
    if len(entries.weights):
        score_features.find_counted(entries.weights, len(measure.table), nodes)
    if len(fixed.in_order):
        _score_sorted(rows, run_sizes, score, cut, work)
    if len(fixed.coded):
        score[records.SCORE, fixed.coded] = 0.0 if divisible is None else np.where(divisible[fixed.coded], 0.0, -np.inf)
        _score_coded(rows, run_sizes, score, cut, work)
    return records.FeatureScores(score, cut)


def _score_sorted(rows: OpenRows, run_sizes: tuple[int, int], score: Array, cut: Array, work: int) -> None:
    """Score sorted features: thresholds in one pass where kernels know the measure, else by the values present."""
    fixed, entries, measure = rows.fixed, rows.entries, rows.fixed.measure
    given = rows.features, entries.keys, fixed.shift, rows.nodes, rows.totals
    in_one_pass, others = (fixed.with_cuts, fixed.with_runs) if rows.in_one_pass else (fixed.with_cuts[:0], fixed.with_splits)

    def score_some(first: int, last: int, _: int) -> None:
        some = in_one_pass[first:last]
        if measure.own is not None:
            score_features.score_by_own(some, *given, entries.weights, score, cut, measure.own)
            return
        if len(measure.table) or not len(entries.weights):
            tables = measure.impurity, measure.whole, measure.steps, measure.unit
            score_features.score_counted(some, *given, *tables, score, cut)
        if len(entries.weights):
            score_features.score_by_weights(some, *given, entries.weights, measure.impurity, score, cut)

    def score_runs(first: int, last: int, _: int) -> None:
        tables = measure.factors, _table_for(rows), measure.impurity, measure.score, run_sizes
        given_runs = rows.features, fixed.options, *given[1:], entries.weights
        score_features.score_sorted_runs(others[first:last], *given_runs, *tables, score, cut, measure.own)

    if len(in_one_pass):
        fixed.threads.share(score_some, len(in_one_pass), work * len(in_one_pass))
    if len(others):
        fixed.threads.share(score_runs, len(others), work * len(others))


def _score_coded(rows: OpenRows, run_sizes: tuple[int, int], score: Array, cut: Array, work: int) -> None:
    """Score coded features, which threads share by nodes or by features."""
    fixed, entries, measure, m = rows.fixed, rows.entries, rows.fixed.measure, rows.nodes.shape[1]
    given = rows.features, fixed.options, entries.codes, entries.rows, rows.nodes, rows.totals, entries.weights
    tables = measure.factors, measure.table, measure.impurity, measure.score, measure.plain, run_sizes, score, cut, measure.own

    def score_some(first: int, last: int, _: int) -> None:
        score_features.score_coded(fixed.coded[first:last], 0, m, *given, *tables)

    def score_in_some(first: int, last: int, _: int) -> None:
        score_features.score_coded(fixed.coded, first, last, *given, *tables)

    by_nodes = m >= _MANY_NODES
    fixed.threads.share(score_in_some if by_nodes else score_some, m if by_nodes else len(fixed.coded), work * len(fixed.coded))


def _table_for(rows: OpenRows) -> Array:
    """The table of n log2 n while rows are counted; weights take logarithms one by one."""
    table: Array = rows.fixed.measure.table
    return table[:0] if len(rows.entries.weights) else table


def described(rows: OpenRows, scores: records.FeatureScores, run_sizes: tuple[int, int]) -> records.FoundSplits:
    """Each node's choice among the scored features, described."""
    fixed, entries, measure, in_one_pass = rows.fixed, rows.entries, rows.fixed.measure, rows.in_one_pass
    splits, doubt, rivals = _chosen(rows, scores)
    listed = np.zeros((2, splits[records.FIRST_CODE, -1]), np.int64)
    children, m = np.zeros((splits[records.FIRST_CHILD, -1], fixed.n_classes)), len(doubt)
    placed = entries.rows, fixed.shift, rows.nodes

    def describe(first: int, last: int, _: int) -> None:
        choose_and_describe.describe_cuts(
            first, last, rows.features, entries.keys, *placed, rows.totals, entries.weights, in_one_pass, scores.cut, splits,
            children,
        )  # fmt: skip
        if len(fixed.coded) or len(fixed.with_runs) or not in_one_pass:
            choose_and_describe.describe_runs(
                first, last, rows.features, fixed.options, entries.keys, entries.codes, *placed, entries.weights, measure.factors,
                _table_for(rows), measure.impurity, measure.score, in_one_pass, run_sizes, splits, listed, children, measure.own,
            )  # fmt: skip

    fixed.threads.share(describe, m, int(rows.sizes.sum()))
    return records.FoundSplits(splits, listed, children, doubt, rivals)


def _chosen(rows: OpenRows, scores: records.FeatureScores) -> tuple[Array, Array, Array]:
    """The choices between features, by the better score or by gain ratio."""
    fixed, measure = rows.fixed, rows.fixed.measure
    if np.isnan(measure.slack):
        exact, unit = (None, measure.unit) if measure.own is None else (True, np.inf)
        return choose_and_describe.choose_by_score(*scores, rows.totals, rows.features, measure.score, unit, exact)
    return choose_and_describe.choose_by_gain_ratio(*scores, fixed.options, rows.features, measure.slack)


# Surrogates.


def cuts_with_surrogates(rows: OpenRows, cuts: Cuts) -> Cuts:
    """The splits of the open nodes, with surrogates for the features that get them."""
    backed = is_backed(rows, cuts)
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
    fixed, entries = rows.fixed, rows.entries
    nodes, at_most = np.flatnonzero(_are_backed(rows, kind, feature)), fixed.surrogates.at_most if fixed.surrogates else 0
    wanted = np.stack([nodes, feature[nodes], child_at[nodes]], axis=1)
    columns = rows.features, entries.keys, fixed.shift, entries.codes, entries.rows, entries.weights
    found = find_surrogates(wanted, at_most, rows.nodes, *columns, child, totals, fixed.known)
    default_child, which, sides, figures = found
    return default_child, which[0], which[1] != 0, figures[0], *sides, figures[1], figures[2]


def is_backed(rows: OpenRows, cuts: Cuts) -> Array:
    """Which splits get surrogates."""
    return _are_backed(rows, cuts.kind, cuts.feature)


def _are_backed(rows: OpenRows, kind: Array, feature: Array) -> Array:
    """Which splits in two, of these kinds and features, get surrogates."""
    return ((kind == records.THRESHOLD) | (kind == records.SUBSET)) & (np.append(rows.features[records.BACKED], 0)[feature] != 0)


def with_found(rows: OpenRows, cuts: Cuts, backed: Array, found: Sequence[Array]) -> Cuts:
    """The splits, with the found surrogates, in order, at those that a mask marks."""
    splits = SurrogateSplits(cuts, backed, SurrogateArrays(*found), rows.features[records.NOMINAL] != 0)
    return cuts.replaced(backed, splits)
