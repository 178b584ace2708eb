"""A trial: the scores of a learner in each fold."""

from math import isnan
from statistics import fmean

from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined
from ftree._lib.text_table import aligned
from ftree.study.spread import mean_and_error, standard_error_of


def _comparable(scores: tuple[float, ...]) -> tuple[float | None, ...]:
    """Scores in a form in which NaN equals NaN."""
    return tuple(None if isnan(score) else score for score in scores)


@frozen
class FoldResult:
    """Numbers of training and test rows of a fold, its scores in the order of the trial's metrics, seconds of training.

    Equality ignores seconds.

    >>> from ftree import ID3
    >>> from ftree.datasets import monks
    >>> from ftree.study import cross_validate
    >>> first = cross_validate(monks(1), ID3, folds=4).folds[0]
    >>> first.n_train, first.n_test
    (324, 108)
    """

    n_train: int
    n_test: int
    scores: tuple[float, ...] = field(converter=as_tuple, eq=_comparable)
    seconds: float = field(default=0.0, eq=False)


@frozen
class Trial:
    """The results of one learner in each fold; `trial["accuracy"]` are the scores by a metric, one for each fold.

    >>> trial = Trial(("accuracy",), (FoldResult(4, 2, (0.5,)), FoldResult(4, 2, (1.0,))))
    >>> trial["accuracy"], trial.mean, trial.standard_error
    ((0.5, 1.0), 0.75, 0.25)
    """

    metrics: tuple[str, ...] = field(converter=as_tuple)
    folds: tuple[FoldResult, ...] = field(converter=as_tuple)

    def __getitem__(self, metric: str) -> tuple[float, ...]:
        """The scores of all folds by a metric; for "seconds", the times of training.

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
        """Standard error of the mean by the first metric, computed by `standard_error_of`."""
        return standard_error_of(self[self.metrics[0]])

    def __str__(self) -> str:
        """For each metric its mean with its standard error."""
        lines = [(metric, *mean_and_error(self[metric])) for metric in (*self.metrics, "seconds")]
        return aligned([(f"{len(self.folds)} folds", "mean", "+-"), *lines], left=1)
