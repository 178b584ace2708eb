"""Whether two learners differ: the corrected resampled t test on one data set, Wilcoxon's signed ranks on several."""

from collections.abc import Sequence
from math import copysign, inf, sqrt
from statistics import fmean
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Floats
from ftree._lib.messages import short_repr, type_of
from ftree.study.trial import Trial

# Up to this many pairs all sums of ranks are counted, as in SciPy; with more pairs, only if none are tied.
_FEW = 13
_SEVERAL = 50


@frozen
class TTest:
    """The outcome of a t test: the mean difference, the statistic with its degrees of freedom, the two-sided p-value.

    >>> from ftree import CART, ID3
    >>> from ftree.datasets import monks
    >>> from ftree.study import compare
    >>> found = compare({"ID3": ID3, "CART": CART}, [monks(1)], folds=5)
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
    from scipy.stats import t  # noqa: PLC0415  # scipy.stats takes a second to load

    return TTest(mean, statistic, n - 1, float(2 * t.sf(abs(statistic), n - 1)))


def wilcoxon(one: Sequence[float], other: Sequence[float]) -> SignedRanks:
    """Wilcoxon's signed ranks test of the scores of two learners on the same data sets; higher scores are better.

    The ranks of data sets on which both score the same are split evenly between the two sums.

    Raises a ValueError for fewer than two scores, for sequences of different lengths, or for NaN.

    Source: Wilcoxon 1945; Demšar 2006, section 3.1.3.

    >>> wilcoxon([0.9, 0.8, 0.7, 0.8, 0.9], [0.8, 0.6, 0.4, 0.4, 0.4])
    SignedRanks(first=15.0, second=0.0, p_value=0.0625)
    """
    differences = scores_of(one) - scores_of(other, like=one)
    from scipy import stats  # noqa: PLC0415  # scipy.stats takes a second to load

    ranks = stats.rankdata(abs(differences.round(12)))  # rounding makes nearly equal differences tie
    signs = np.sign(differences.round(12))
    first = float(ranks @ (1 + signs)) / 2
    are_few = len(ranks) <= _FEW or (len(ranks) <= _SEVERAL and len(set(ranks)) == len(ranks) and signs.all())
    if are_few:
        p_value = _exact_p_value(ranks[signs != 0], signs[signs != 0])
    else:
        p_value = float(stats.wilcoxon(differences.round(12), zero_method="zsplit", method="approx").pvalue)
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
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    wanted = f"on at least {least} data sets" if like is None else f"on {len(like)} data sets"
    if numbers.ndim != 1 or not (numbers.size >= least if like is None else numbers.size == len(like)) or np.isnan(numbers).any():
        message = f"Scores must be numbers {wanted}, got {short_repr(scores)}."
        raise ValueError(message)
    return numbers


def _checked(one: Any, other: Any, metric: str | None) -> str:
    """The metric to compare by."""
    for trial in (one, other):
        if not isinstance(trial, Trial):
            message = f"A trial must be a result of cross_validate, got {type_of(trial)}."
            raise TypeError(message)
    sizes = [[(fold.n_train, fold.n_test) for fold in trial.folds] for trial in (one, other)]
    if sizes[0] != sizes[1] or len(sizes[0]) < 2:  # noqa: PLR2004  # a variance needs two
        message = f"Trials must be of the same folds, at least 2, got {len(sizes[0])} and {len(sizes[1])} folds."
        raise ValueError(message)
    return one.metrics[0] if metric is None else metric
