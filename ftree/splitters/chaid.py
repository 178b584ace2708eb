"""`merging`, CHAID's splitter: values whose classes do not differ significantly are merged (Kass 1980)."""

from collections.abc import Callable
from functools import lru_cache, partial
from math import comb, factorial, inf, log10
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, field, frozen
from attrs.validators import optional

from ftree._lib.arrays import Array, first_near_best, n_surjections, run_starts
from ftree._lib.fields import QUIET, ConstructorRepr, a_count, a_function, a_probability, true_or_false
from ftree.criteria.impurity import checked
from ftree.criteria.scores import significance
from ftree.splitters.combine import best_of
from ftree.splitters.cuts import (
    LeastWeight,
    a_least_weight,
    least_weight,
    merged_rows,
    nested_division,
    reach_weight,
    splits_into,
    sums_of_parts,
)
from ftree.splitters.nominal import multiway, subset
from ftree.splitters.runs import ORDERED, UNORDERED, BestSplits, Measure, Runs, first_best
from ftree.splitters.thresholds import threshold
from ftree.tree.splits import IsMissing, Split, WithDefault
from ftree.tree.splits.split import child_of

# A group is divided again only if it has at least this many values.
_COMPOUND = 3
# Of type Any, so that the fields keep the types that they declare.
_SEVERAL: Any = a_count(2, of="values")
_SEVERAL_OR_NONE: Any = optional(_SEVERAL)


def _no_more_than_merging(merging_: Any, _: Any, alpha: float) -> None:
    if alpha > merging_.alpha_merge:
        reason = "Otherwise groups would be divided again as soon as they are merged."
        raise ValueError(f"alpha_resplit must be at most alpha_merge, {merging_.alpha_merge}, got {alpha}. {reason}")


_AGAIN: Any = optional([a_probability, _no_more_than_merging])
# From class counts (..., V, K) to -log10 of p-values (...).
PairTest: TypeAlias = Callable[[Any], Any]
# Pairs that are tested in one call.
_AT_ONCE = 1 << 16


@frozen
class merging(ConstructorRepr):
    """CHAID's splitter: one child for each group of values, after merging those that do not differ significantly.

    Repeatedly, the two groups that differ least merge, while the p-value of their difference is above `alpha_merge`.
    Any two groups of a nominal feature can merge; if values have an order, only neighbours can. With `alpha_resplit`, a
    merged group of at least three values is divided in two again if that difference has a p-value of at most
    `alpha_resplit`. A group with fewer than `min_cases` cases (rows by weight) merges with the group from which it differs least.

    The p-value of the split into the final groups must be below `alpha_split`. With `bonferroni`, it is first multiplied by
    the number of ways to merge the values into that many groups (`n_mergings`). The score is -log10 of it, the unit of
    `significance`, which should be the policy's score if it has other splitters. Priors and costs do not weigh the cases.

    Under `as_value()` or `as_branch()`, a missing value of a nominal feature is one more value; for ordered features, see
    `as_branch(floating=True)`.

    A numeric feature first has its values pooled into `bins` intervals of about equal weight (None: no pooling). With more than
    `most` values, an ordered feature is pooled into `most` intervals, and the rarest values of a nominal one into one group.
    `test` returns -log10 of p-values for counts (..., V, K).

    Source: Kass 1980; small groups and floating categories as in SPSS.

    >>> merging(alpha_merge=0.1)
    merging(alpha_merge=0.1)
    """

    kinds = (*UNORDERED, *ORDERED)

    alpha_merge: float = field(default=0.05, kw_only=True, metadata=QUIET, validator=a_probability)
    alpha_split: float = field(default=0.05, kw_only=True, metadata=QUIET, validator=a_probability)
    bonferroni: bool = field(default=True, kw_only=True, metadata=QUIET, validator=true_or_false)
    alpha_resplit: float | None = field(default=None, kw_only=True, metadata=QUIET, validator=_AGAIN)
    min_cases: LeastWeight = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)
    bins: int | None = field(default=10, kw_only=True, metadata=QUIET, validator=_SEVERAL_OR_NONE)
    most: int = field(default=200, kw_only=True, metadata=QUIET, validator=_SEVERAL)
    test: PairTest = field(default=significance, kw_only=True, metadata=QUIET, validator=a_function)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:  # noqa: ARG002  # the test replaces the measure
        """Each run's groups, scored by their significance."""
        known, floating = runs, runs.counts[:0]
        if runs.floating is not None:
            known, floating = evolve(runs, counts=runs.counts.copy(), floating=None), runs.floating
            known.counts[runs.start] -= floating
        first = pooled(known, self._most_of(known))
        values = merged_rows(known, first)
        groups = self._merged(values)
        merged = merged_rows(values, groups)
        score: Array = multiway()(merged, partial(tested, self.test)).score
        if self.bonferroni:
            score = score - _log10_of_ways(values, merged)
        placed = {run: self._placed(values, merged, run, floating[run]) for run in np.flatnonzero(floating.any(axis=1)).tolist()}
        score[[*placed]] = [scored for scored, _, _ in placed.values()]
        score = np.where(score > _minus_log10(self.alpha_split), score, -inf)
        of_known = splits_into(known, nested_division(first, groups), score)

        def build(run: int) -> tuple[Split, Array]:
            if run not in placed:
                return of_known.build(run)
            _, child, counts = placed[run]
            apart = IsMissing(int(runs.feature[run]))
            return apart if merged.size[run] == 1 else WithDefault(of_known.build(run)[0], default_child=child), counts

        return BestSplits(score, build)

    def _placed(self, values: Runs, merged: Runs, run: int, floating: Array) -> tuple[float, int, Array]:
        """Score, child of missing values, children's counts: the better of the group from which they differ least and apart."""
        groups, least = merged.counts[merged.start[run] : merged.end[run]], least_weight(values, self.min_cases)[run]
        pairs = np.stack(np.broadcast_arrays(groups, floating), axis=1)
        near = int(first_best(-tested(self.test, pairs)))
        joined = groups + floating * (np.arange(len(groups)) == near)[:, None]
        best: tuple[float, int, Array] = -inf, near, joined
        for child, counts in ((near, joined), (len(groups), np.vstack([groups, floating]))):
            if len(counts) > 1 and reach_weight(counts.sum(axis=1).min(), least):
                ways = n_mergings(int(values.size[run]) + 1, len(counts), ordered=True, floating=True) if self.bonferroni else 1
                score = float(tested(self.test, counts[None])[0]) - log10(ways)
                best = max(best, (score, child, counts), key=lambda placed: placed[0])
        return best

    def _most_of(self, runs: Runs) -> Array:
        """The largest number of parts into which each run's values are pooled."""
        most = self.most if self.bins is None else min(self.bins, self.most)
        return np.where(runs.kind == "numeric", most, self.most)

    def _merged(self, runs: Runs) -> Array:
        """For each row, the first row of its group. Each round merges one pair in every run."""
        least = least_weight(runs, self.min_cases)[runs.run_of_row()]
        grouped = value_groups(runs, np.arange(len(runs.value)), self.test)
        rounds = 0
        while len(pair := self._to_merge(runs, grouped, least)):
            into = grouped.left[pair]
            grouped = with_merged(runs, grouped, pair, self.test)
            if self.alpha_resplit is not None:
                # Merging and dividing may alternate for ever, so a run is divided in at most as many rounds as it has values.
                grouped = self._redivided(runs, grouped, into[runs.size[runs.run_of_row()[into]] > rounds])
            rounds += 1
        return grouped.first

    def _to_merge(self, runs: Runs, grouped: "ValueGroups", least: Array) -> Array:
        """The pair of each run that differs least among those that may merge; the first of equal ones."""
        small = ~reach_weight(grouped.counts.sum(axis=1), least)
        alike = grouped.figure < _minus_log10(self.alpha_merge)
        pair = np.flatnonzero(alike | small[grouped.left] | small[grouped.right])
        if not len(pair):
            return pair
        return pair[first_near_best(-grouped.figure[pair], run_starts(runs.run_of_row()[grouped.left[pair]]))]

    def _redivided(self, runs: Runs, grouped: "ValueGroups", groups: Array) -> "ValueGroups":
        """The groups after dividing those of the given groups whose best division in two is significant."""
        parts, rows = groups_as_runs(runs, grouped.first, groups[np.bincount(grouped.first)[groups] >= _COMPOUND])
        two = best_of(parts, (subset(min_cases=self.min_cases), threshold(min_cases=self.min_cases)), self.test)
        again = np.flatnonzero(two.score >= _minus_log10(self.alpha_resplit))
        first = grouped.first.copy()
        for part in again.tolist():
            its = slice(parts.start[part], parts.end[part])
            away = rows[its][child_of(two.build(part)[0], parts.value[its]) == 1]
            first[away] = away[0]
        return value_groups(runs, first, self.test) if len(again) else grouped


@lru_cache(maxsize=1 << 14)
def n_mergings(values: int, groups: int, *, ordered: bool, floating: bool = False) -> int:
    """Number of ways to merge values into groups; of ordered values, only neighbours merge, and a `floating` one with any group.

    `merging` multiplies its p-value by this number.

    Source: Kass 1980, section 3 (the Bonferroni multipliers of free, monotonic and floating predictors).

    >>> n_mergings(4, 2, ordered=False), n_mergings(4, 2, ordered=True), n_mergings(4, 2, ordered=True, floating=True)
    (7, 3, 5)
    """
    if floating:
        apart = n_mergings(values - 1, groups - 1, ordered=ordered) if groups > 1 else 0
        return apart + groups * n_mergings(values - 1, groups, ordered=ordered)
    if ordered:
        return comb(values - 1, groups - 1)
    return n_surjections(values, groups) // factorial(groups)


def _log10_of_ways(values: Runs, merged: Runs) -> Array:
    """log10 of the number of ways to merge each run's values into its groups."""
    each = zip(values.size.tolist(), merged.size.tolist(), (values.kind != "nominal").tolist(), strict=True)
    return np.array([log10(n_mergings(many, few, ordered=ordered)) for many, few, ordered in each])


def _minus_log10(alpha: float | None) -> float:
    return -log10(alpha) if alpha else inf


# Groups of values, which merge pair by pair for all runs at once


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


def value_groups(runs: Runs, first: Array, test: PairTest) -> ValueGroups:
    """The groups of a division, with the pairs that may merge, tested."""
    counts = sums_of_parts(runs.counts, first, len(first))
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


def with_merged(runs: Runs, grouped: ValueGroups, pair: Array, test: PairTest) -> ValueGroups:
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


def _differences(test: PairTest, counts: Array, left: Array, right: Array) -> Array:
    """-log10 of the p-value of each pair's difference; at most `_AT_ONCE` pairs in one call, to bound memory."""
    pairs = np.column_stack([left, right])
    return np.concatenate([tested(test, counts[some]) for some in np.array_split(pairs, len(pairs) // _AT_ONCE + 1)])


def tested(test: PairTest, counts: Array) -> Array:
    """What a test returns for counts (..., V, K), checked: one number (...) for each split."""
    return checked(test, test(counts), counts.shape[:-2])


def groups_as_runs(runs: Runs, first: Array, groups: Array) -> tuple[Runs, Array]:
    """Each of the given groups as a run of its values, and the rows from which these come."""
    rows = np.flatnonzero(np.isin(first, groups))
    rows = rows[np.argsort(first[rows], kind="stable")]
    start = run_starts(first[rows])
    size = np.diff(start, append=len(rows))
    return runs.regrouped(runs.run_of_row()[rows[start]], size, rows), rows


# Values pooled before they merge, if there are many


def pooled(runs: Runs, most: Array) -> Array:
    """The division of each run's values into at most `most` parts, as small as possible: single values if they are few."""
    run = runs.run_of_row()
    own = np.arange(len(run)) - runs.start[run]
    shared = np.where((runs.kind == "nominal")[run], _by_rarity(runs, most), _by_weight(runs, most))
    part = np.where((runs.size > most)[run], shared, own)
    _, first, number = np.unique(run * len(run) + part, return_index=True, return_inverse=True)
    starts: Array = first[number]
    return starts


def _by_rarity(runs: Runs, most: Array) -> Array:
    """The part of each row: a value's rank by weight; the rarest values share the last part."""
    run = runs.run_of_row()
    order = np.lexsort((-runs.counts.sum(axis=1), run))
    place = np.empty_like(order)
    place[order] = np.arange(len(run)) - runs.start[run]
    shared: Array = np.minimum(place, most[run] - 1)
    return shared


def _by_weight(runs: Runs, most: Array) -> Array:
    """The part of each row, of `most` parts of equal weight: the part that contains the middle of the row's cases."""
    run, weight = runs.run_of_row(), runs.counts.sum(axis=1)
    upto = np.cumsum(weight)
    before = upto - weight
    place = before + upto - 2 * before[runs.start][run]
    part: Array = (place * most[run] // (2 * runs.weight[run])).astype(np.intp)
    return part
