"""Choosing between features by tests of whether the coefficients of linear models are stable along them.

The scores of a case are its residual, and that times each regressor. They add up to 0 in a node. Their sums over the cases up to
a value of a feature stay near 0 if one model fits all cases, and leave it if the coefficients change with the feature.
"""

from itertools import product
from math import log
from typing import Any

import numpy as np
from attrs import field, frozen
from attrs.converters import optional

from ftree._lib.arrays import Array, Floats, solved
from ftree._lib.fields import QUIET, ConstructorRepr, a_finite_number, a_probability, must_be, true_or_false
from ftree._lib.tail_probabilities import log_tail
from ftree.criteria.impurity import positive
from ftree.criteria.impurity_of_sums import without_limbs
from ftree.criteria.scores import minus_log10_p
from ftree.splitters.combine import number_of
from ftree.splitters.cuts import SLACK, reach_weight
from ftree.splitters.feature_choice import Candidates
from ftree.splitters.permutation_tests import significant
from ftree.splitters.runs import Runs
from ftree.tree.schema import as_names

# A score that depends on the others leaves at most this share of its variance.
_DEPENDENT = 1e-10


@frozen
class by_instability_test(ConstructorRepr):
    """Choose the feature along which the coefficients of linear models change most significantly; without one, make a leaf.

    Trees need the response `ftree.responses.linear`. Numbers are tested by the supLM statistic, over the cuts that leave on each
    side `trim` of the cases, and `min_cases`; its p-value is that of its limit. Nominal and ordinal features are tested by the
    chi-squared statistic of the sums of each value. The variance of scores is that of their outer products, so it may differ
    between cases. With `bonferroni`, p-values of m features become 1 - (1 - p) ** m. Weights count as cases.

    `features` are the names of those that are tested; None tests all, the regressors too.

    Growing raises a ValueError for another response, a KeyError if the data have no feature of such a name.

    Sources: Zeileis, Hothorn & Hornik 2008 (MOB); Andrews 1993 (supLM); Hjort & Koning 2002 (categories).

    >>> from ftree import CART, Dataset, evolve, grow
    >>> from ftree.responses import linear
    >>> x = [number % 7 for number in range(40)]
    >>> columns = {"x": x, "z": range(1, 80, 2), "y": [(x if z < 25 else 6 - x) + z % 3 / 4 for z, x in enumerate(x)]}
    >>> rows = Dataset.from_columns(columns, target="y", response=linear("x"))
    >>> print(grow(rows, evolve(CART, choose=by_instability_test(features=["z"]))))
    z <= 48: 0.235751 + 1.005181 x (24.0)
    z > 48: 6.300768 - 1.021679 x (16.0)
    """

    alpha: float = field(default=0.05, validator=a_probability)
    trim: float = field(default=0.1, kw_only=True, validator=must_be("a share below 0.5", lambda share: 0 <= share < 0.5))  # noqa: PLR2004
    min_cases: float = field(default=0, kw_only=True, metadata=QUIET, validator=a_finite_number)
    features: tuple[str, ...] | None = field(default=None, kw_only=True, metadata=QUIET, converter=optional(as_names))
    bonferroni: bool = field(default=True, kw_only=True, metadata=QUIET, validator=true_or_false)

    def __call__(self, candidates: Candidates) -> Array:
        """-log10 of each candidate's p-value, -inf where it is not significant."""
        digits, testable = self.significance(candidates)
        figures = significant(candidates.every_run, digits, testable, self.alpha, bonferroni=self.bonferroni)
        chosen: Array = figures[candidates.run]
        return chosen

    def significance(self, candidates: Candidates) -> tuple[Array, Array]:
        """-log10 of each run's p-value, unadjusted; and which runs can be tested."""
        runs = candidates.every_run
        statistic, dof, span = self.statistics(candidates)
        numeric = np.flatnonzero(np.isfinite(span))
        digits = minus_log10_p(statistic, np.where(np.isfinite(span), 0, dof))
        tails = zip(dof[numeric].tolist(), statistic[numeric].tolist(), span[numeric].tolist(), strict=True)
        digits[numeric] = [-log_tail(*each) / log(10) for each in tails]
        return digits, self._tested(runs) & (dof > 0)

    def statistics(self, candidates: Candidates) -> tuple[Array, Array, Array]:
        """The statistic of each run, its degrees of freedom, 0 without a test, and the span of cuts, NaN for categories."""
        runs, (sizes, scores, inverse, rank) = candidates.every_run, _scores(candidates)
        run, total, is_numeric = runs.run_of_row(), np.add.reduceat(sizes, runs.start), runs.kind == "numeric"
        least = np.maximum(np.maximum(np.ceil(self.trim * total - SLACK), self.min_cases), 1)
        upto = _within(runs, np.cumsum(np.vstack([sizes, scores]), axis=1))
        cut = reach_weight(np.minimum(upto[0], total[run] - upto[0]), least[run]) & is_numeric[run]
        part = np.where(cut, upto[0] / positive(total)[run], 0.5)
        of_cuts = np.where(cut, _lengths(inverse, run, upto[1:]) / (part * (1 - part)), 0.0)
        of_values = _lengths(inverse, run, scores) * total[run] / positive(sizes)
        statistic = np.where(is_numeric, np.maximum.reduceat(of_cuts, runs.start), np.add.reduceat(of_values, runs.start))
        dof = np.where(is_numeric, np.logical_or.reduceat(cut, runs.start), np.add.reduceat(sizes > 0, runs.start) - 1) * rank
        return statistic, dof, np.where(is_numeric & (dof > 0), 2 * np.log(np.maximum(total - least, 1) / least), np.nan)

    def _tested(self, runs: Runs) -> Array:
        """Which runs are those of the features that are tested."""
        names = [feature.name for feature in runs.features] if self.features is None else self.features
        return np.isin(runs.feature, [number_of(runs.features, name) for name in names])


def _scores(candidates: Candidates) -> tuple[Array, Array, Array, Array]:
    """Complete cases (R,) and scores (q, R) of the rows of runs; the inverse variance of scores (q, q, runs), and its rank."""
    runs = candidates.every_run
    response: Any = runs.response
    if response is None or response.options.squared_scores is None:
        kind = "classes" if response is None else response.kind
        got = "by_instability_test(), which tests linear models"
        raise ValueError(f"choose must be another choice for a target of {kind}, got {got}.")
    sums = response.in_units(without_limbs(runs.counts, response))
    answers = response.answers(without_limbs(np.add.reduceat(runs.counts, runs.start), response))
    scores = np.array(response.options.scores(answers[runs.run_of_row()], *sums))
    variance = _variances(candidates, response, answers, len(scores))
    inverse, stay = solved(variance, np.eye(len(scores))[:, :, None] + 0 * variance, _DEPENDENT * np.einsum("iir->ir", variance))
    return response.options.complete(*sums), scores, inverse, stay.sum(axis=0)


def _variances(candidates: Candidates, response: Any, answers: Floats, q: int) -> Floats:
    """The sums of outer products of the scores of the cases of each run, (q, q, runs), which sums of values do not tell."""
    runs, rows = candidates.every_run, candidates.joint(range(len(candidates.every_run.features)))
    sums, found = response.in_units(without_limbs(rows.counts, response)), np.empty((q, q, len(runs.node)))

    def of_nodes(own: Array, known: Array) -> Floats:
        run_of_node, node = np.zeros(rows.node[-1] + 1, dtype=np.intp), rows.node[known]
        run_of_node[runs.node[own]] = own
        squared = response.options.squared_scores(answers[run_of_node[node]], *(each[known] for each in sums))
        summed = [np.bincount(node, each, len(run_of_node)) for each in squared.reshape(q * q, -1)]
        return np.array(summed, dtype=np.float64).reshape(q, q, -1)

    complete: Floats | None = None  # that of all features without missing values
    for feature in np.unique(runs.feature):
        own, known = np.flatnonzero(runs.feature == feature), ~np.isnan(rows.vector[:, feature])
        if known.all() and complete is None:
            complete = of_nodes(own, known)
        variances = complete if complete is not None and known.all() else of_nodes(own, known)
        found[:, :, own] = variances[:, :, runs.node[own]]
    return found


def _within(runs: Runs, upto: Array) -> Array:
    """Sums over all rows up to each (..., R) as sums from the start of its run."""
    before = np.concatenate([np.zeros((len(upto), 1)), upto], axis=1)[:, runs.start]
    return np.asarray(upto - before[:, runs.run_of_row()])


def _lengths(inverse: Array, run: Array, sums: Array) -> Array:
    """The quadratic form of sums of scores (q, R) by the inverse variances of their runs."""
    pairs = product(range(len(sums)), repeat=2)
    return np.asarray(sum(inverse[i, j][run] * sums[i] * sums[j] for i, j in pairs))
