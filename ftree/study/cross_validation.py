"""Cross-validation of one learner, and its results; `do_all` shares any tasks between processes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isnan
from statistics import fmean
from time import perf_counter
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from attrs import Factory, field, frozen

from ftree._lib.faces import Face, Grid
from ftree._lib.fields import as_tuple
from ftree._lib.machine import n_workers
from ftree._lib.messages import counted, how_to_install, imported, joined
from ftree._lib.waiting import progress_of_wait
from ftree.data.cases import DrawnCases, RowsOrCases
from ftree.data.dataset import Dataset, require_dataset
from ftree.policy import ID3
from ftree.routing.missing_rules import MissingRule
from ftree.study.folds import Folds, pairs_of
from ftree.study.learners import Learner, LearningFunction, learning_function
from ftree.study.metrics import Metric, is_loss, losses_by_name, metric_value, named_metrics
from ftree.study.predictions import Predictions
from ftree.study.score_summaries import mean_and_error, standard_error_of

Metrics: TypeAlias = str | Metric | Iterable[str | Metric] | Mapping[str, Metric]


@frozen
class FoldResult:
    """Numbers of training and test rows of a fold, its scores in the order of the trial's metrics, seconds of training.

    Of weights that are counts, they are numbers of cases. `rows` is a checksum of the rows, by which `corrected_t_test` knows
    that trials are of the same folds; None if it is not known. Equality ignores it, and seconds.

    >>> from ftree import ID3, datasets, study
    >>> first = study.cross_validate(datasets.monks(1), ID3, folds=4).folds[0]
    >>> first.n_train, first.n_test
    (324, 108)
    """

    n_train: int
    n_test: int
    # NaN equals NaN.
    scores: tuple[float, ...] = field(converter=as_tuple, eq=lambda scores: [None if isnan(each) else each for each in scores])
    seconds: float = field(default=0.0, eq=False)
    rows: int | None = field(default=None, eq=False, repr=False, kw_only=True)


@frozen
class Trial(Face):
    """The results of one learner in each fold; `trial["accuracy"]` are the scores by a metric, one for each fold.

    `losses` are the names of the metrics of which lower is better, by default those that have the name of such a metric.

    >>> trial = Trial(("accuracy",), (FoldResult(4, 2, (0.5,)), FoldResult(4, 2, (1.0,))))
    >>> trial["accuracy"], trial.mean, trial.standard_error
    ((0.5, 1.0), 0.75, 0.25)
    """

    metrics: tuple[str, ...] = field(converter=as_tuple)
    folds: tuple[FoldResult, ...] = field(converter=as_tuple)
    losses: tuple[str, ...] = field(
        default=Factory(lambda trial: losses_by_name(trial.metrics), takes_self=True), kw_only=True, converter=as_tuple
    )

    @classmethod
    def of(cls, metrics: Mapping[str, Metric], folds: Iterable[FoldResult]) -> "Trial":
        """The trial of folds by these metrics, of which each says whether lower is better."""
        return cls(metrics, folds, losses=(name for name, metric in metrics.items() if is_loss(metric)))

    def __getitem__(self, metric: str) -> tuple[float, ...]:
        """The scores of all folds by a metric; for "seconds", the times of training.

        Raises a KeyError for a metric that was not measured.
        """
        if metric == "seconds":
            return tuple(fold.seconds for fold in self.folds)
        if metric not in self.metrics:
            raise KeyError(f"metric must be among {joined(map(repr, (*self.metrics, 'seconds')))}, got {metric!r}.")
        place = self.metrics.index(metric)
        return tuple(fold.scores[place] for fold in self.folds)

    @property
    def size(self) -> int:
        """Number of rows of the largest training set, or of cases if weights are counts."""
        return max(fold.n_train for fold in self.folds)

    def is_loss(self, metric: str) -> bool:
        """Whether lower is better by a metric, as by seconds."""
        return metric == "seconds" or metric in self.losses

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

    def _parts(self) -> Iterator[Grid]:
        """For each metric its mean with its standard error."""
        lines = [(metric, *mean_and_error(self[metric])) for metric in (*self.metrics, "seconds")]
        yield Grid((counted(len(self.folds), "fold"), "mean", "+-"), lines, left=1)


def cross_validate(
    dataset: Dataset,
    learner: Learner = ID3,
    *,
    folds: Folds = 10,
    seed: int = 0,
    metrics: Metrics | None = None,
    missing: MissingRule | None = None,
    n_jobs: int | None = 1,
    progress: bool | None = None,
) -> Trial:
    """Scores on each of n random folds, after training on the other folds.

    Weights that are counts (`Dataset.weights_are`) divide their cases among folds: the scores are those of copies of the rows.

    - `learner` is any learner that `learn` takes: a policy, a function from a dataset to a tree, an estimator, ...
    - `folds` is a number of stratified folds, drawn with `seed`: the counts of a class differ by at most one between them. Or it
      is `stratified(10, repeats=10)`, `grouped("patient", 5)`, `holdout(2 / 3, repeats=20)`, or pairs of row numbers.
    - `metrics` are names of `ftree.study.metrics`, such as ("accuracy", "kappa", "leaves"), or ("r_squared", "deviance") for a
      target of numbers or events, or functions of `Predictions`; None is the first of these names. The seconds of training are
      always measured, and equality ignores them.
    - `missing` is the rule by which trees predict, as for `predict`.
    - `n_jobs` processes of joblib share the folds; -1 uses one for each processor. The result is the same for any number.
    - `progress` shows a bar; None shows it after a second in a terminal or a notebook, after five seconds elsewhere.

    Raises a ValueError for fewer than 2 folds, more folds than rows, or an unknown metric; a TypeError for an invalid learner,
    and if a metric needs probabilities and the classifier has none; an ImportError for several jobs without joblib.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> trial = cross_validate(data, folds=5, metrics=("accuracy", "leaves"))
    >>> trial.accuracies, trial["leaves"]
    ((1.0, 1.0, 1.0, 1.0, 1.0), (2.0, 2.0, 2.0, 2.0, 2.0))
    """
    require_dataset(dataset)
    learn, named = learning_function(learner), named_metrics(metrics, dataset.schema)
    tasks = [(learn, dataset, pair, named, missing) for pair in pairs_of(folds, dataset, seed=seed)]
    return Trial.of(named, do_all(run_fold, tasks, n_jobs=n_jobs, progress=progress))


def run_fold(
    learn: LearningFunction,
    dataset: Dataset,
    pair: tuple[RowsOrCases, RowsOrCases],
    metrics: Mapping[str, Metric],
    missing: MissingRule | None,
) -> FoldResult:
    """Train on the training rows of a fold, the first of a pair, and score the predictions for its test rows, the second."""
    training_set, test_set = map(dataset.take, pair)
    start = perf_counter()
    classifier: Any = learn(training_set)
    seconds = perf_counter() - start
    predictions = Predictions(classifier, test_set, missing=missing)
    scores = [metric_value(name, metric, predictions) for name, metric in metrics.items()]
    return FoldResult(len(training_set.cases()), len(test_set.cases()), scores, seconds, rows=_checksum(*pair))


def _checksum(train: RowsOrCases, test: RowsOrCases) -> int:
    """A checksum of training and test rows in any order, or of cases."""
    first, second = (each.times if isinstance(each, DrawnCases) else np.sort(each) for each in (train, test))
    return crc32(second.tobytes(), crc32(first.tobytes()))


def do_all(
    work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], *, n_jobs: int | None = 1, progress: bool | None = None
) -> list[Any]:
    """The result of `work(*task)` for each task, in order, by `n_jobs` processes of joblib, as `n_workers` counts them.

    `progress` shows a bar on the standard error stream; None shows one after a second in a terminal or a notebook, and after
    five seconds elsewhere.

    Raises an ImportError without joblib for more than one job, a ValueError for an invalid number of jobs.

    >>> do_all(divmod, [(7, 2), (9, 4)])
    [(3, 1), (2, 1)]
    """
    n_processes, results = n_workers(n_jobs), []
    with progress_of_wait(shown=progress) as line:
        line.bar(0, len(tasks))
        for result in _results(work, tasks, min(n_processes, len(tasks))):
            results.append(result)
            line.bar(len(results), len(tasks))
    return results


def _results(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], n_processes: int) -> Iterator[Any]:
    if n_processes <= 1:
        return (work(*task) for task in tasks)
    joblib = imported("joblib", f"joblib must be installed for n_jobs other than 1. {how_to_install('study')}")
    parallel = joblib.Parallel(n_jobs=n_processes, return_as="generator")
    answers: Any = parallel(joblib.delayed(work)(*task) for task in tasks)
    return iter(answers)
