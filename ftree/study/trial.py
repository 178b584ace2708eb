"""A trial: the scores of a learner in each fold, and how a fold is run."""

from collections.abc import Mapping
from math import isnan, nan, sqrt
from statistics import fmean, stdev
from time import perf_counter
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined
from ftree.data.arrays import RowNumbers
from ftree.data.dataset import Dataset
from ftree.routing.rule_names import Missing
from ftree.study.learners import LearningFunction
from ftree.study.metrics import Metric, value_of
from ftree.study.predictions import Predictions
from ftree.study.tables import aligned

_TEN = 10


def _comparable(scores: tuple[float, ...]) -> tuple[float | None, ...]:
    """Scores that are equal where both are NaN."""
    return tuple(None if isnan(score) else score for score in scores)


@frozen
class FoldResult:
    """Numbers of training and test rows of a fold, its scores in the order of the trial's metrics, seconds of training.

    Seconds do not count in comparisons.
    """

    n_train: int
    n_test: int
    scores: tuple[float, ...] = field(converter=as_tuple, eq=_comparable)
    seconds: float = field(default=0.0, eq=False)


@frozen
class Trial:
    """The results of one learner in each fold; `trial["accuracy"]` are the scores by a metric, one a fold.

    >>> trial = Trial(("accuracy",), (FoldResult(4, 2, (0.5,)), FoldResult(4, 2, (1.0,))))
    >>> trial["accuracy"], trial.mean, trial.standard_error
    ((0.5, 1.0), 0.75, 0.25)
    """

    metrics: tuple[str, ...] = field(converter=as_tuple)
    folds: tuple[FoldResult, ...] = field(converter=as_tuple)

    def __getitem__(self, metric: str) -> tuple[float, ...]:
        """The scores of all folds by a metric; of "seconds", the time of training.

        Raises a KeyError for a metric that was not measured.
        """
        if metric == "seconds":
            return tuple(fold.seconds for fold in self.folds)
        if metric not in self.metrics:
            message = f"metric must be among {joined(map(repr, (*self.metrics, 'seconds')))}, got {metric!r}."
            raise KeyError(message)
        place = self.metrics.index(metric)
        return tuple(fold.scores[place] for fold in self.folds)

    @property
    def size(self) -> int:
        """Number of rows of the largest training set."""
        return max(fold.n_train for fold in self.folds)

    @property
    def accuracies(self) -> tuple[float, ...]:
        """The accuracy in each fold."""
        return self["accuracy"]

    @property
    def mean(self) -> float:
        """Mean score by the first metric."""
        return fmean(self[self.metrics[0]])

    @property
    def standard_error(self) -> float:
        """Standard error of the mean by the first metric, as `standard_error_of` has it."""
        return standard_error_of(self[self.metrics[0]])

    def __str__(self) -> str:
        """For each metric its mean with its standard error."""
        lines = [(metric, *mean_and_error(self[metric])) for metric in (*self.metrics, "seconds")]
        return aligned([(f"{len(self.folds)} folds", "mean", "+-"), *lines])


def standard_error_of(scores: tuple[float, ...]) -> float:
    """Standard error of the mean, as if the scores were independent; NaN for a single one.

    Scores of overlapping training sets are not quite independent; `corrected_t_test` allows for that.

    >>> standard_error_of((0.5, 1.0))
    0.25
    """
    return deviation_of(scores) / sqrt(len(scores))


def deviation_of(scores: tuple[float, ...]) -> float:
    """Standard deviation of scores; NaN for a single one, and where one is NaN.

    >>> deviation_of((0.5, 1.0))
    0.3535533905932738
    """
    return stdev(scores) if len(scores) > 1 and not any(map(isnan, scores)) else nan


def mean_and_error(scores: tuple[float, ...], *, like: float | None = None) -> tuple[str, str]:
    """The mean and its standard error as text, with as many decimals as suit the mean, or the number `like`.

    >>> mean_and_error((0.5, 1.0)), mean_and_error((120.0,))
    (('0.750', '0.250'), ('120.0', '-'))
    """
    mean = fmean(scores)
    return short_number(mean, like=like), short_number(standard_error_of(scores), like=mean if like is None else like)


def short_number(number: float, *, like: float | None = None) -> str:
    """A number with as many decimals as suit it, or the number `like`: three up to 1, two below 10, else one; a dash for NaN.

    >>> short_number(0.12345), short_number(12.345), short_number(0.5, like=12.3), short_number(float("nan"))
    ('0.123', '12.3', '0.5', '-')
    """
    size = abs(number if like is None else like)
    decimals = 3 - (size > 1) - (size >= _TEN)
    return "-" if isnan(number) else f"{number:.{decimals}f}"


def run_fold(
    learn: LearningFunction,
    dataset: Dataset,
    rows: tuple[RowNumbers, RowNumbers],
    metrics: Mapping[str, Metric],
    missing: Missing | None,
) -> FoldResult:
    """Learn from the training rows of a fold, and score the answers to its test rows."""
    train, test = rows
    training_set = dataset.take(train)
    start = perf_counter()
    classifier: Any = learn(training_set)
    seconds = perf_counter() - start
    predictions = Predictions(classifier, dataset.take(test), missing=missing)
    scores = [value_of(name, metric, predictions) for name, metric in metrics.items()]
    return FoldResult(int(np.size(train)), int(np.size(test)), scores, seconds)
