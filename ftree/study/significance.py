"""Whether learners differ: a corrected t test on one data set, Wilcoxon's signed ranks and Friedman's test on several."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, takewhile
from math import copysign, erfc, inf, sqrt
from statistics import fmean
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.faces import Face, Grid
from ftree._lib.fields import as_tuple, is_finite, is_iterable, require_boolean
from ftree._lib.messages import how_to_install, imported, short_repr, type_of
from ftree._lib.tail_probabilities import upper_tail
from ftree.study.cross_validation import FoldResult, Trial

# Up to this many pairs all sums of ranks are counted, as in SciPy; with more pairs, only if none are tied.
_FEW = 13
_SEVERAL = 50


@frozen
class TTest:
    """The outcome of a t test: the mean difference, the statistic with its degrees of freedom, the two-sided p-value.

    >>> from ftree import CART, ID3, datasets, study
    >>> found = study.compare({"ID3": ID3, "CART": CART}, [datasets.monks(1)], folds=5)
    >>> found.corrected_t_test("ID3", "CART").degrees
    4
    """

    difference: float
    statistic: float
    degrees: int
    p_value: float


@frozen
class SignedRanks:
    """The result of Wilcoxon's test: the sums of ranks in favour of the first and the second learner, and the p-value.

    >>> wilcoxon([0.9, 0.8, 0.7, 0.9, 0.8], [0.8, 0.7, 0.7, 0.7, 0.6])
    SignedRanks(first=14.5, second=0.5, p_value=0.125)
    """

    first: float
    second: float
    p_value: float

    @property
    def statistic(self) -> float:
        """The smaller of the two sums."""
        return min(self.first, self.second)


def corrected_t_test(one: Trial, other: Trial, *, metric: str | None = None) -> TTest:
    """The corrected resampled t test of two trials of the same folds, by a metric, the first by default.

    Training sets of folds overlap, so their scores vary less than independent scores. The variance of the mean is therefore
    estimated as (1 / folds + test rows / training rows) times the variance of the differences, instead of 1 / folds times.

    Raises a ValueError for fewer than two folds, and for trials of other folds.

    Source: Nadeau & Bengio 2003.

    >>> from ftree.study import FoldResult
    >>> one, other = (Trial(["accuracy"], [FoldResult(8, 2, [score]) for score in scores]) for scores in ([0.5, 1], [0.5, 0.5]))
    >>> corrected_t_test(one, other)
    TTest(difference=0.25, statistic=0.81649..., degrees=1, p_value=0.56409...)
    """
    metric = _checked(one, other, metric)
    differences = np.array(one[metric]) - np.array(other[metric])
    n, mean = len(differences), float(differences.mean())
    ratio = fmean(fold.n_test / fold.n_train for fold in one.folds)
    error = sqrt((1 / n + ratio) * float(differences.var(ddof=1)))
    statistic = mean / error if error else copysign(inf, mean) if mean else 0.0
    return TTest(mean, statistic, n - 1, float(2 * _stats().t.sf(abs(statistic), n - 1)))


def _stats() -> Any:
    """SciPy's distributions, which take a second to load."""
    return imported("scipy.stats", f"Tests of learners need SciPy. {how_to_install('study')}")


def wilcoxon(one: Sequence[float], other: Sequence[float]) -> SignedRanks:
    """Wilcoxon's signed ranks test of the scores of two learners on the same data sets; higher scores are better.

    The ranks of data sets on which both score the same are split evenly between the two sums.

    Raises a ValueError for fewer than two scores, for sequences of different lengths, or for NaN.

    Source: Wilcoxon 1945; Demšar 2006, section 3.1.3.

    >>> wilcoxon([0.9, 0.8, 0.7, 0.8, 0.9], [0.8, 0.6, 0.4, 0.4, 0.4])
    SignedRanks(first=15.0, second=0.0, p_value=0.0625)
    """
    differences = scores_of(one) - scores_of(other, like=one)
    ranks = _stats().rankdata(abs(differences.round(12)))  # rounding makes nearly equal differences tie
    signs = np.sign(differences.round(12))
    first = float(ranks @ (1 + signs)) / 2
    are_few = len(ranks) <= _FEW or (len(ranks) <= _SEVERAL and len(set(ranks)) == len(ranks) and signs.all())
    if are_few:
        p_value = _exact_p_value(ranks[signs != 0], signs[signs != 0])
    else:
        p_value = float(_stats().wilcoxon(differences.round(12), zero_method="zsplit", method="approx").pvalue)
    return SignedRanks(first, float(ranks.sum()) - first, p_value)


def _exact_p_value(ranks: Floats, signs: Floats) -> float:
    """The probability of a sum of ranks at least this extreme, if both signs are equally probable.

    SciPy counts the same, but its older versions do not if ranks are tied.
    """
    doubled = (2 * ranks).astype(int)  # tied ranks may end in one half
    ways = np.ones(1)  # the number of ways for each sum of doubled positive ranks
    for rank in doubled.tolist():
        ways = np.append(ways, np.zeros(rank)) + np.append(np.zeros(rank), ways)
    found = int(doubled[signs > 0].sum())
    return float(min(1, 2 * min(ways[: found + 1].sum(), ways[found:].sum()) / ways.sum()))


def scores_of(scores: Any, *, like: Any = None, least: int = 2) -> Floats:
    """Scores on data sets as an array.

    Raises a ValueError for fewer than `least` numbers, or for another number of them than `like` has.

    >>> scores_of([0.5])
    Traceback (most recent call last):
    ValueError: Scores must be numbers on at least 2 data sets, got [0.5].
    """
    try:
        numbers = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    wanted = f"on at least {least} data sets" if like is None else f"on {len(like)} data sets"
    if numbers.ndim != 1 or not (numbers.size >= least if like is None else numbers.size == len(like)) or np.isnan(numbers).any():
        raise ValueError(f"Scores must be numbers {wanted}, got {short_repr(scores)}.")
    return numbers


def _checked(one: Any, other: Any, metric: str | None) -> str:
    """The metric to compare by."""
    for trial in (one, other):
        if not isinstance(trial, Trial):
            raise TypeError(f"A trial must be a result of cross_validate, got {type_of(trial)}.")
    n = len(one.folds), len(other.folds)
    if min(n) < 2 or n[0] != n[1]:  # noqa: PLR2004  # a variance needs two
        raise ValueError(f"Trials must be of the same folds, at least 2, got {n[0]} and {n[1]} folds.")
    if not all(map(_are_alike, one.folds, other.folds)):
        raise ValueError("Trials must be of the same folds, got folds of other rows. Give both the same dataset, folds and seed.")
    return one.metrics[0] if metric is None else metric


def _are_alike(one: FoldResult, other: FoldResult) -> bool:
    """Whether results are of one fold, as far as is known: results that are made by hand have no checksum of their rows."""
    are_other_rows = None not in (one.rows, other.rows) and one.rows != other.rows
    return (one.n_train, one.n_test) == (other.n_train, other.n_test) and not are_other_rows


@frozen
class Friedman(Face):
    """Mean ranks of learners over data sets, 1 the best, and the tests computed from them; prints as a table.

    `ties` is the share by which ties reduce the variance of the ranks; the statistics are divided by the remaining share, and
    0 means no correction.

    Raises a ValueError for fewer than two learners or data sets, and for ranks that are not one for each learner.

    >>> Friedman(("a", "b", "c"), (1.2, 1.9, 2.9), n_datasets=10)
    10 data sets  mean rank
    a                 1.200
    b                 1.900
    c                 2.900
    chi-squared 14.600 (p 0.000676), F 24.333 (p 7.63e-06), critical difference 1.048 (alpha 0.05)
    """

    learners: tuple[str, ...] = field(converter=as_tuple)
    mean_ranks: tuple[float, ...] = field(converter=as_tuple)
    n_datasets: int
    ties: float = field(default=0.0, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check the numbers of learners and data sets."""
        n = len(self.learners)
        if min(n, self.n_datasets) < 2 or len(self.mean_ranks) != n:  # noqa: PLR2004  # a comparison
            got = f"{n} learners with {len(self.mean_ranks)} ranks on {self.n_datasets}"
            raise ValueError(f"learners must be at least 2, each with a mean rank, on at least 2 data sets, got {got}.")

    @property
    def statistic(self) -> float:
        """Friedman's chi-squared, with (learners - 1) degrees of freedom; 0 if all scores are ties."""
        k = len(self.learners)
        squares = sum(rank**2 for rank in self.mean_ranks)
        left = 1 - self.ties
        return 12 * self.n_datasets / (k * (k + 1)) * (squares - k * (k + 1) ** 2 / 4) / left if left > 0 else 0.0

    @property
    def p_value(self) -> float:
        """The probability of a chi-squared at least this large if no learner is better than another."""
        return float(upper_tail(len(self.learners) - 1, self.statistic))

    @property
    def f_statistic(self) -> float:
        """Iman and Davenport's F, with (k - 1) and (k - 1)(N - 1) degrees of freedom, which is less conservative."""
        most = self.n_datasets * (len(self.learners) - 1)
        rest = most - self.statistic
        return (self.n_datasets - 1) * self.statistic / rest if rest > 1e-9 * most else inf

    @property
    def f_p_value(self) -> float:
        """The probability of an F at least this large if no learner is better than another."""
        k = len(self.learners)
        return float(_stats().f.sf(self.f_statistic, k - 1, (k - 1) * (self.n_datasets - 1)))

    def critical_difference(self, alpha: float = 0.05) -> float:
        """Nemenyi's critical difference: mean ranks further apart than this differ at the level alpha.

        Raises a ValueError for an alpha that is not between 0 and 1.
        """
        if not (is_finite(alpha) and 0 < alpha < 1):
            raise ValueError(f"alpha must be above 0 and below 1, got {short_repr(alpha)}.")
        k = len(self.learners)
        return float(_stats().studentized_range.ppf(1 - alpha, k, inf)) * sqrt(k * (k + 1) / (12 * self.n_datasets))

    def groups(self, alpha: float = 0.05) -> tuple[tuple[str, ...], ...]:
        """The largest groups of two or more learners that do not differ at the level alpha, from the best rank on."""
        order = sorted(range(len(self.learners)), key=self.mean_ranks.__getitem__)
        ranks, limit = [self.mean_ranks[place] for place in order], self.critical_difference(alpha)
        ends = [at + len(list(takewhile(lambda rank: rank <= ranks[at] + limit, ranks[at:]))) for at in range(len(ranks))]  # noqa: B023  # the function is used at once
        runs = [(at, end) for at, end in enumerate(ends) if end > at + 1 and (not at or end > ends[at - 1])]
        return tuple(tuple(self.learners[place] for place in order[at:end]) for at, end in runs)

    def post_hoc(self, control: str | None = None) -> "PostHoc":
        """Which learners differ by their mean ranks: each pair, or each learner from the control, by Holm's adjusted p-values.

        Raises a KeyError for a control that is not among the learners.

        Sources: Demšar 2006, section 3.2.2; Holm 1979; Siegel & Castellan 1988.
        """
        if control is not None and control not in self.learners:
            raise KeyError(f"control must be one of {', '.join(map(repr, self.learners))}, got {short_repr(control)}.")
        ranks, k = dict(zip(self.learners, self.mean_ranks, strict=True)), len(self.learners)
        others = combinations(ranks, 2) if control is None else ((control, name) for name in ranks if name != control)
        error = sqrt(k * (k + 1) / (6 * self.n_datasets))
        tests = [(one, other, ranks[one] - ranks[other]) for one, other in others]
        p_values = [erfc(abs(difference) / error / sqrt(2)) for *_, difference in tests]
        return PostHoc(RankTest(*each, p, own) for each, p, own in zip(tests, p_values, holm(p_values), strict=True))

    def _parts(self) -> Iterator[str | Grid]:
        """The mean ranks, the best first, and the tests."""
        ranked = sorted(zip(self.mean_ranks, self.learners, strict=True), key=lambda pair: pair[0])
        yield Grid((f"{self.n_datasets} data sets", "mean rank"), [(name, f"{rank:.3f}") for rank, name in ranked], left=1)
        tests = f"chi-squared {self.statistic:.3f} (p {self.p_value:.3g}), F {self.f_statistic:.3f} (p {self.f_p_value:.3g})"
        yield f"{tests}, critical difference {self.critical_difference():.3f} (alpha 0.05)"


_HEADER = ("pair", "difference of ranks", "p-value", "adjusted")


@frozen
class RankTest:
    """A comparison of two learners: the difference of their mean ranks, below 0 if the first is better, and its p-values.

    >>> found = Friedman(("a", "b"), (1.25, 1.75), n_datasets=10).post_hoc()
    >>> found[0].difference, round(found[0].adjusted, 4)
    (-0.5, 0.1138)
    """

    one: str
    other: str
    difference: float
    p_value: float
    adjusted: float


@frozen
class PostHoc(Face):
    """The comparisons after Friedman's test; prints as a table, the most significant first.

    >>> Friedman(("a", "b", "c"), (1.2, 1.9, 2.9), n_datasets=10).post_hoc(control="a")
    pair    difference of ranks   p-value  adjusted
    a, c                 -1.700  0.000144  0.000288
    a, b                 -0.700     0.118     0.118
    """

    tests: tuple[RankTest, ...] = field(converter=as_tuple)

    def __getitem__(self, number: int) -> RankTest:
        """A comparison, by its number."""
        return self.tests[number]

    def __len__(self) -> int:
        """The number of comparisons."""
        return len(self.tests)

    def _parts(self) -> Iterator[Grid]:
        """A line for each comparison."""
        ordered = sorted(self.tests, key=lambda test: test.p_value)
        rows = [(f"{t.one}, {t.other}", f"{t.difference:.3f}", f"{t.p_value:.3g}", f"{t.adjusted:.3g}") for t in ordered]
        yield Grid(_HEADER, rows, left=1, caption="Comparisons of mean ranks")


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: the i-th smallest of m times (m - i + 1), never less than a smaller one, at most 1.

    Raises a ValueError for anything but numbers from 0 to 1.

    Source: Holm 1979.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    listed: tuple[Any, ...] = tuple(p_values) if is_iterable(p_values) else (None,)
    if not all(is_finite(each) and 0 <= each <= 1 for each in listed):
        raise ValueError(f"p_values must be numbers from 0 to 1, got {short_repr(p_values)}.")
    order = np.argsort(listed, kind="stable")
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(np.asarray(listed, np.float64)[order] * np.arange(len(order), 0, -1))
    at_most_1: list[float] = np.minimum(adjusted, 1).tolist()
    return at_most_1


def friedman(scores: Mapping[str, Sequence[float]], *, lower_is_better: bool = False, correct_for_ties: bool = False) -> Friedman:
    """The mean ranks of learners, from each one's scores on the same data sets; equal scores share their ranks.

    Ties reduce the variance of ranks. Demšar ignores this, which is conservative; `correct_for_ties` divides by the remaining
    share of the variance, as R and SciPy do.

    Raises a ValueError for fewer than two learners or data sets, other numbers of scores, or NaN; a TypeError for anything
    but a mapping.

    >>> friedman({"one": [0.9, 0.8], "two": [0.8, 0.7], "three": [0.7, 0.7]}).mean_ranks
    (1.0, 2.25, 2.75)
    """
    require_boolean("lower_is_better", lower_is_better)
    require_boolean("correct_for_ties", correct_for_ties)
    if not isinstance(scores, Mapping):
        raise TypeError(f'scores must be a dict such as {{"ID3": (0.9, 0.8)}}, got {short_repr(scores)}.')
    first = next(iter(scores.values()), ())
    table = np.array([scores_of(first), *(scores_of(each, like=first) for each in list(scores.values())[1:])]).round(12)
    ranks = _stats().rankdata(table if lower_is_better else -table, axis=0)
    # The mean over data sets of the share by which ties reduce the variance of ranks (Hollander & Wolfe 1973, section 7.1).
    ties = 1 - fmean(map(_stats().tiecorrect, ranks.T)) if correct_for_ties else 0.0
    return Friedman(tuple(map(str, scores)), tuple(ranks.mean(axis=1).tolist()), table.shape[1], ties=ties)
