"""Choosing between features by tests of independence from the target, so that features with many values have no advantage.

The linear statistic of a feature is the sum over cases of its value times an indicator of the class, or times the number that is
the target. Its mean and covariance are known if targets are permuted among the cases, and its quadratic form is then
asymptotically chi-squared.
"""

import numpy as np
from attrs import field, frozen
from attrs.validators import optional

from ftree._lib.arrays import TIE, Array, row_sums
from ftree._lib.fields import QUIET, ConstructorRepr, a_count, a_probability, a_whole_number, true_or_false
from ftree._lib.random_numbers import generator_of
from ftree.criteria.impurity import positive
from ftree.criteria.impurity_of_sums import mean, variance
from ftree.criteria.scores import degrees_of_freedom, minus_log10_p
from ftree.splitters.feature_choice import Candidates
from ftree.splitters.runs import UNORDERED, Runs

# The cells of permuted cases in memory at a time.
_AT_ONCE = 2_000_000


@frozen
class by_permutation_test(ConstructorRepr):
    """Choose the feature that depends most significantly on the target; a node without a significant one becomes a leaf.

    The test is one of independence by permutation: numbers and ordered codes by their values, nominal features by their table of
    counts, each for the cases whose value is known. Its p-value is asymptotic, or, with `resamples`, the share of so many random
    permutations, and of the table itself, whose statistic is as large; the draw depends on the seed, the feature and the path.
    With `bonferroni`, p-values of m features become 1 - (1 - p) ** m. Weights count as cases.

    Growing raises a ValueError for fractions of cases, and for a target of numbers, with `resamples`.

    Sources: Hothorn, Hornik & Zeileis 2006; Strasser & Weber 1999; Phipson & Smyth 2010 (counting the table itself).

    >>> from ftree import CART, evolve, grow
    >>> from ftree.criteria import pearson
    >>> from ftree.datasets import auto_mpg
    >>> from ftree.splitters import subset, threshold
    >>> from ftree.stop import max_depth
    >>> cut = (subset(min_cases=7), threshold(min_cases=7))
    >>> inference = evolve(CART, splits=cut, score=pearson, choose=by_permutation_test(0.05), missing="heaviest")
    >>> print(grow(auto_mpg(), inference.stopping(max_depth(1))))
    weight <= 3085.5: good (233.0/115.0)
    weight > 3085.5: bad (159.0/30.0)
    """

    alpha: float = field(default=0.05, validator=a_probability)
    bonferroni: bool = field(default=True, kw_only=True, validator=true_or_false)
    resamples: int | None = field(default=None, kw_only=True, validator=optional(a_count(1)))
    seed: int = field(default=0, kw_only=True, metadata=QUIET, validator=a_whole_number(0))

    def __call__(self, candidates: Candidates) -> Array:
        """-log10 of each candidate's p-value, -inf where it is not significant."""
        runs = candidates.every_run
        figures = significant(runs, *self.significance(runs), self.alpha, bonferroni=self.bonferroni)
        chosen: Array = figures[candidates.run]
        return chosen

    def significance(self, runs: Runs) -> tuple[Array, Array]:
        """-log10 of each run's p-value, unadjusted; and which runs have two values and two answers, as a test needs."""
        statistic, dof = _statistics(runs)
        if self.resamples is None:
            return minus_log10_p(statistic, dof), dof > 0
        digits, draws, within = np.zeros(len(dof)), runs.draws(self, self.seed), _within_range(runs)
        for run in np.flatnonzero(dof).tolist():
            rows, random = slice(runs.start[run], runs.end[run]), generator_of(int(draws[run] * 2.0**53))
            columns = _indicators(runs.counts[rows]) if runs.kind[run] in UNORDERED else within[rows, None]
            digits[run] = -np.log10(_resampled(runs.counts[rows], columns, self.resamples, random))
        return digits, dof > 0


def significant(runs: Runs, digits: Array, testable: Array, alpha: float, *, bonferroni: bool) -> Array:
    """-log10 of the p-values of runs that can be tested, -inf where it is not below alpha, adjusted for the tests of the node."""
    n_tests = np.maximum(np.bincount(runs.node, testable, minlength=1), 1) if bonferroni else np.ones(runs.node.max() + 1)
    with np.errstate(divide="ignore"):  # an alpha of 1 or 0
        least = -np.log10(-np.expm1(np.log1p(-alpha) / n_tests))
    return np.where(testable & (digits >= least[runs.node]), digits, -np.inf)


def _statistics(runs: Runs) -> tuple[Array, Array]:
    """The quadratic form of each run's linear statistic, and its degrees of freedom."""
    start, run, nominal = runs.start, runs.run_of_row(), np.isin(runs.kind, UNORDERED)
    influence, scale, n_answers = _influences(runs)
    weight, within = runs.weight_of(runs.counts), _within_range(runs)
    cases = np.add.reduceat(weight, start)
    away = within - (np.add.reduceat(weight * within, start) / cases)[run]
    spread = np.add.reduceat(weight * away**2, start)
    squares = np.add.reduceat(influence * away[:, None], start) ** 2
    of_numeric = (squares * scale).sum(axis=1) / positive(spread)
    of_table = np.add.reduceat((influence**2 * scale[run]).sum(axis=1) / positive(weight), start)
    dof = degrees_of_freedom(np.where(nominal, runs.size, np.minimum(runs.size, 2)), n_answers)
    return (cases - 1) * np.where(nominal, of_table, of_numeric), dof


def _influences(runs: Runs) -> tuple[Array, Array, Array]:
    """What each row's cases add to the linear statistic beyond their share (R, H), its scale (runs, H), and answers of a run.

    Of classes these are the counts of each; of numbers, the distances from the mean.
    """
    counts, run, totals = runs.counts, runs.run_of_row(), np.add.reduceat(runs.counts, runs.start)
    if runs.response is None:
        shares = totals / row_sums(totals)[:, None]
        return counts - row_sums(counts)[:, None] * shares[run], 1 / positive(totals), (totals > 0).sum(axis=1)
    squares = runs.weight_of(totals) * variance(totals)
    distance = runs.weight_of(counts) * (mean(counts) - mean(totals)[run])
    return distance[:, None], 1 / positive(squares)[:, None], 1 + (squares > 0)


def _within_range(runs: Runs) -> Array:
    """Where each row's value lies between the least and the largest of its run, from 0 to 1."""
    # Half of each number, since the difference of two large numbers may overflow.
    half, run = runs.value / 2, runs.run_of_row()
    low, high = half[runs.start], half[runs.end - 1]
    return np.asarray((half - low[run]) / positive(high - low)[run])


def _indicators(counts: Array) -> Array:
    """A column for each value, in units in which the quadratic form of a table is a sum of squares (V, V)."""
    return np.asarray(np.eye(len(counts)) / np.sqrt(counts.sum(axis=1)))


def _resampled(counts: Array, columns: Array, resamples: int, random: np.random.Generator) -> float:
    """The p-value of class counts (V, K), whose values have columns (V, C), by so many permutations of the classes."""
    if (counts % 1 != 0).any():
        raise ValueError(f"resamples must be None for fractions of cases, got {resamples}. Weights and missing values make them.")
    columns = columns - np.average(columns, axis=0, weights=counts.sum(axis=1))
    # Cases in the order of their classes, each by the number of its value.
    cases = np.repeat(np.tile(np.arange(len(counts)), counts.shape[1]), counts.T.ravel().astype(int))
    of_class = counts.sum(axis=0)[counts.any(axis=0)].astype(int)

    def statistic(permuted: Array) -> Array:
        sums = np.add.reduceat(columns[permuted], np.cumsum(of_class) - of_class, axis=1)
        return np.asarray((sums**2 / of_class[:, None]).sum(axis=(1, 2)))

    observed, at_once = statistic(cases[None])[0] * (1 - TIE), 1 + _AT_ONCE // columns[cases].size
    draws = [at_once] * (resamples // at_once) + [resamples % at_once]
    permuted = (random.permuted(np.tile(cases, (n, 1)), axis=1) for n in draws)
    at_least = sum(int(np.count_nonzero(statistic(each) >= observed)) for each in permuted)
    return (1 + at_least) / (1 + resamples)
