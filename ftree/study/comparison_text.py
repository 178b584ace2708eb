"""A comparison as text: learners by metrics for one data set, data sets by learners for several."""

from collections.abc import Sequence
from math import isnan
from statistics import fmean

from ftree._lib.text_table import aligned
from ftree.study.spread import mean_and_error, short_number
from ftree.study.trial import Trial


def comparison_text(
    learners: Sequence[str], datasets: Sequence[str], metrics: Sequence[str], trials: Sequence[Sequence[Trial]]
) -> str:
    """The mean scores of each learner, with standard errors if there is only one data set.

    For several data sets there is a table for each metric, and one for the seconds of training.
    """
    if len(datasets) == 1:
        (name,), of_one = datasets, [trial for (trial,) in trials]
        columns = [column for metric in metrics for column in _means_and_errors(metric, of_one)]
        table = zip(["", *learners], *columns, _means("seconds", of_one), strict=True)
        return f"{name}, {len(of_one[0].folds)} folds: mean and its standard error\n{aligned(table, left=1)}"
    return "\n\n".join(_table(learners, datasets, metric, trials) for metric in (*metrics, "seconds"))


def _table(learners: Sequence[str], datasets: Sequence[str], metric: str, trials: Sequence[Sequence[Trial]]) -> str:
    columns = [_means(metric, row, header=learner) for learner, row in zip(learners, trials, strict=True)]
    return f"mean {metric}\n{aligned(zip(['', *datasets], *columns, strict=True), left=1)}"


def _means_and_errors(metric: str, trials: Sequence[Trial]) -> tuple[list[str], list[str]]:
    like = _largest([fmean(trial[metric]) for trial in trials])
    means, errors = zip(*(mean_and_error(trial[metric], like=like) for trial in trials), strict=True)
    return [metric, *means], ["+-", *errors]


def _means(metric: str, trials: Sequence[Trial], *, header: str | None = None) -> list[str]:
    means = [fmean(trial[metric]) for trial in trials]
    return [header or metric, *(short_number(mean, like=_largest(means)) for mean in means)]


def _largest(means: Sequence[float]) -> float:
    """The largest absolute value of a mean that is not NaN."""
    return max((abs(mean) for mean in means if not isnan(mean)), default=0.0)
