"""CHAID: values that do not differ in their classes are merged, and what is left is tested (Kass 1980)."""

from collections.abc import Callable
from functools import lru_cache, partial
from math import comb, factorial, inf, log10
from typing import Any

import numpy as np
from attrs import field, frozen
from attrs.validators import instance_of, optional

from ftree._lib.arrays import Array, first_near_best, run_starts
from ftree._lib.combinatorics import n_surjections
from ftree._lib.fields import QUIET, ConstructorRepr, a_function, a_probability, a_whole_number
from ftree._lib.ties import TIE
from ftree.criteria.impurity import checked
from ftree.criteria.scores import significance
from ftree.splitters.base import ORDERED, UNORDERED, Found, Least, Measure, Runs, a_least_weight, least_weight, reaches
from ftree.splitters.combine import best_of
from ftree.splitters.grouping import divided, joined, regrouped
from ftree.splitters.multiway import multiway
from ftree.splitters.subset import subset
from ftree.splitters.threshold import threshold
from ftree.tree.splits import child_of

# A group of so many values may be divided again.
_COMPOUND = 3
# Pairs that are tested in one call.
_AT_ONCE = 1 << 16
# Of type Any, so that the fields keep the types that they declare.
_SEVERAL: Any = a_whole_number(2, of="values")
_SEVERAL_OR_NONE: Any = optional(_SEVERAL)


def _no_more_than_merging(merging_: Any, _: Any, alpha: float) -> None:
    if alpha > merging_.alpha_merge:
        message = f"alpha_resplit is at most alpha_merge, {merging_.alpha_merge}, or what is merged is divided; {alpha} came."
        raise ValueError(message)


@frozen(repr=False)
class merging(ConstructorRepr):
    """One child for each group of values: those that differ least merge two by two, while the p-value is above `alpha_merge`.

    Any two groups of a nominal feature merge, only neighbours where there is an order. With `alpha_resplit`, a merged group
    of three values or more is divided in two again where that is so significant. Groups of fewer than `min_cases` cases
    merge with what they differ from least. The p-value of the groups left, times the number of ways to merge the values
    into so many (with `bonferroni`), has to be below `alpha_split`. Its -log10 is the score, with which other families of a
    policy compare where theirs is `significance`. Cases count as they are, without priors and costs.

    Values merge as they are, but for numbers, which first share `bins` intervals of about equal weight (None: their own).
    Of more than `most` values, those of an ordered feature share so many intervals, and the rarest of a nominal one are one
    group, so that the work stays small. `test` answers -log10 of p-values from counts (..., V, K).

    Source: Kass 1980; small groups as in SPSS.

    >>> merging(alpha_merge=0.1)
    merging(alpha_merge=0.1)
    """

    kinds = (*UNORDERED, *ORDERED)

    alpha_merge: float = field(default=0.05, kw_only=True, metadata=QUIET, validator=a_probability)
    alpha_split: float = field(default=0.05, kw_only=True, metadata=QUIET, validator=a_probability)
    bonferroni: bool = field(default=True, kw_only=True, metadata=QUIET, validator=instance_of(bool))
    alpha_resplit: float | None = field(
        default=None, kw_only=True, metadata=QUIET, validator=optional([a_probability, _no_more_than_merging])
    )
    min_cases: Least = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)
    bins: int | None = field(default=10, kw_only=True, metadata=QUIET, validator=_SEVERAL_OR_NONE)
    most: int = field(default=200, kw_only=True, metadata=QUIET, validator=_SEVERAL)
    test: Callable[[Any], Any] = field(default=significance, kw_only=True, metadata=QUIET, validator=a_function)

    def __call__(self, runs: Runs, measure: Measure) -> Found:  # noqa: ARG002  # merging has a measure of its own
        """Score each run by how significant its groups are."""
        first = _starts(runs, self._most_of(runs))
        values = joined(runs, first)
        groups = self._merged(values)
        merged = joined(values, groups)
        score: Array = multiway()(merged, partial(_tested, self.test)).score
        if self.bonferroni:
            score = score - _digits_of_ways(values, merged)
        return divided(runs, regrouped(first, groups), np.where(score > _minus_log10(self.alpha_split), score, -inf))

    def _most_of(self, runs: Runs) -> Array:
        """How many values each run's merging starts from, at most."""
        most = self.most if self.bins is None else min(self.bins, self.most)
        return np.where(runs.kind == "numeric", most, self.most)

    def _merged(self, runs: Runs) -> Array:
        """For each row the first row of its group; in each round all runs merge a pair."""
        least = least_weight(runs, self.min_cases)[runs.of_row()]
        grouped = _grouped(runs, np.arange(len(runs.value)), self.test)
        rounds = 0
        while len(pair := self._to_merge(runs, grouped, least)):
            into = grouped.left[pair]
            grouped = _with_merged(runs, grouped, pair, self.test)
            if self.alpha_resplit is not None:
                # Merging and dividing may go round in circles: a run is divided in as many rounds as it has values.
                grouped = self._redivided(runs, grouped, into[runs.size[runs.of_row()[into]] > rounds])
            rounds += 1
        return grouped.first

    def _to_merge(self, runs: Runs, grouped: "_Grouped", least: Array) -> Array:
        """Each run's pair that differs least, if it may merge; the first of equals."""
        small = ~reaches(grouped.counts.sum(axis=1), least)
        alike = grouped.figure < _minus_log10(self.alpha_merge)
        pair = np.flatnonzero(alike | small[grouped.left] | small[grouped.right])
        if not len(pair):
            return pair
        return pair[first_near_best(-grouped.figure[pair], run_starts(runs.of_row()[grouped.left[pair]]), TIE)]

    def _redivided(self, runs: Runs, grouped: "_Grouped", groups: Array) -> "_Grouped":
        """Those of the groups given that are best divided in two again, if they are compound."""
        parts, rows = _as_runs(runs, grouped.first, groups[np.bincount(grouped.first)[groups] >= _COMPOUND])
        two = best_of(parts, (subset(min_cases=self.min_cases), threshold(min_cases=self.min_cases)), self.test)
        again = np.flatnonzero(two.score >= _minus_log10(self.alpha_resplit))
        first = grouped.first.copy()
        for part in again.tolist():
            its = slice(parts.start[part], parts.end[part])
            away = rows[its][child_of(two.build(part)[0], parts.value[its]) == 1]
            first[away] = away[0]
        return _grouped(runs, first, self.test) if len(again) else grouped


@lru_cache(maxsize=1 << 14)
def n_mergings(values: int, groups: int, *, ordered: bool) -> int:
    """In how many ways so many values make so many groups; with an order, groups of neighbours only.

    Source: Kass 1980, section 3 (the Bonferroni multipliers of free and of monotonic predictors).

    >>> n_mergings(4, 2, ordered=False), n_mergings(4, 2, ordered=True)
    (7, 3)
    """
    if ordered:
        return comb(values - 1, groups - 1)
    return n_surjections(values, groups) // factorial(groups)


def _digits_of_ways(values: Runs, merged: Runs) -> Array:
    """log10 of the number of ways to merge each run's values into its groups."""
    each = zip(values.size.tolist(), merged.size.tolist(), (values.kind != "nominal").tolist(), strict=True)
    return np.array([log10(n_mergings(many, few, ordered=ordered)) for many, few, ordered in each])


def _minus_log10(alpha: float | None) -> float:
    return -log10(alpha) if alpha else inf


def _starts(runs: Runs, most: Array) -> Array:
    """The division that merging starts from, with so many parts of a run at most."""
    run = runs.of_row()
    own = np.arange(len(run)) - runs.start[run]
    pooled = np.where((runs.kind == "nominal")[run], _by_rarity(runs, most), _by_weight(runs, most))
    part = np.where((runs.size > most)[run], pooled, own)
    _, first, number = np.unique(run * len(run) + part, return_index=True, return_inverse=True)
    starts: Array = first[number]
    return starts


def _by_rarity(runs: Runs, most: Array) -> Array:
    """Each row's place among its run's by weight, the rarest sharing the last of so many."""
    run = runs.of_row()
    order = np.lexsort((-runs.counts.sum(axis=1), run))
    place = np.empty(len(run), dtype=np.intp)
    place[order] = np.arange(len(run)) - runs.start[run]
    shared: Array = np.minimum(place, most[run] - 1)
    return shared


def _by_weight(runs: Runs, most: Array) -> Array:
    """In which of so many parts of equal weight the middle of each row lies."""
    run, weight = runs.of_row(), runs.counts.sum(axis=1)
    upto = np.cumsum(weight)
    before = upto - weight
    place = before + upto - 2 * before[runs.start][run]
    part: Array = (place * most[run] // (2 * runs.weight[run])).astype(np.intp)
    return part


@frozen(eq=False)
class _Grouped:
    """Groups of rows, `first` the first row of each row's; `counts` has a group's at that row.

    `left` and `right` are the pairs of groups that may merge, sorted, and `figure` how significantly they differ.
    """

    first: Array
    counts: Array
    left: Array
    right: Array
    figure: Array


def _grouped(runs: Runs, first: Array, test: Callable[[Any], Any]) -> _Grouped:
    counts = np.zeros(runs.counts.shape, dtype=runs.counts.dtype)
    np.add.at(counts, first, runs.counts)
    left, right = _pairs(runs, np.unique(first))
    return _Grouped(first, counts, left, right, _compared(test, counts, left, right))


def _pairs(runs: Runs, groups: Array) -> tuple[Array, Array]:
    """All pairs of a run's groups; pairs of neighbours where the feature has an order."""
    run = runs.of_row()[groups]
    after = np.searchsorted(run, run, side="right") - 1 - np.arange(len(run))
    after = np.where((runs.kind == "nominal")[run], after, np.minimum(after, 1))
    left = np.repeat(np.arange(len(run)), after)
    step = np.arange(len(left)) - np.repeat(np.cumsum(after) - after, after)
    return groups[left], groups[left + 1 + step]


def _with_merged(runs: Runs, grouped: _Grouped, pair: Array, test: Callable[[Any], Any]) -> _Grouped:
    """The groups after some pairs have merged, no group in two of them; only pairs with a merged group are tested."""
    into, gone = grouped.left[pair], grouped.right[pair]
    becomes, changed = np.arange(len(grouped.first)), np.zeros(len(grouped.first), dtype=bool)
    becomes[gone], changed[into] = into, True
    counts = grouped.counts.copy()
    counts[into] += counts[gone]
    lost = becomes != np.arange(len(becomes))
    # What lost a group to another has a pair with that one as well, but where only neighbours pair.
    twice = lost[grouped.left] & (runs.kind == "nominal")[runs.of_row()[grouped.left]]
    kept = ~(lost[grouped.right] | twice)
    left, right, figure = becomes[grouped.left[kept]], grouped.right[kept], grouped.figure[kept]
    new = changed[left] | changed[right]
    figure[new] = _compared(test, counts, left[new], right[new])
    return _Grouped(becomes[grouped.first], counts, left, right, figure)


def _compared(test: Callable[[Any], Any], counts: Array, left: Array, right: Array) -> Array:
    """How significantly the groups of each pair differ; not too many pairs in one call."""
    pairs = np.column_stack([left, right])
    return np.concatenate([_tested(test, counts[some]) for some in np.array_split(pairs, len(pairs) // _AT_ONCE + 1)])


def _tested(test: Callable[[Any], Any], counts: Array) -> Array:
    return checked(test, test(counts), counts.shape[:-2])


def _as_runs(runs: Runs, first: Array, groups: Array) -> tuple[Runs, Array]:
    """Each of some groups as a run of its values, and the rows that these are in."""
    rows = np.flatnonzero(np.isin(first, groups))
    rows = rows[np.argsort(first[rows], kind="stable")]
    start = run_starts(first[rows])
    run = runs.of_row()[rows[start]]
    node, feature, key = runs.node[run], runs.feature[run], runs.key[run]
    value, counts = runs.value[rows], runs.counts[rows]
    return Runs(value, counts, start, np.append(start[1:], len(rows))[: len(start)], node, feature, runs.features, key), rows
