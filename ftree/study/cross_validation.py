"""Cross-validation, and any other division into training and test rows."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from ftree.data.dataset import Dataset, require_dataset
from ftree.policy import ID3
from ftree.routing.rule_names import Missing
from ftree.study.fold_pairs import Folds, pairs_of
from ftree.study.jobs import do_all
from ftree.study.learners import Learner, learning_function
from ftree.study.metric_names import named_metrics
from ftree.study.metrics import Metric
from ftree.study.run_fold import run_fold
from ftree.study.trial import Trial

Metrics: TypeAlias = str | Metric | Iterable[str | Metric] | Mapping[str, Metric]


def cross_validate(
    dataset: Dataset,
    learner: Learner = ID3,
    *,
    folds: Folds = 10,
    seed: int = 0,
    metrics: Metrics = "accuracy",
    missing: Missing | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> Trial:
    """Scores on each of n random folds, after training on the other folds.

    - `learner` is any learner that `learn` takes: a policy, a function from a dataset to a tree, an estimator, ...
    - `folds` is a number of stratified folds, drawn with `seed`: the counts of a class differ by at most one between them. Or it
      is `stratified(10, repeats=10)`, `grouped("patient", 5)`, `holdout(2 / 3, repeats=20)`, or pairs of row numbers.
    - `metrics` are names of `ftree.study.metrics`, such as ("accuracy", "kappa", "leaves"), or functions of `Predictions`.
      The seconds of training are always measured, and equality ignores them.
    - `missing` is the rule by which trees predict, as for `predict`.
    - `n_jobs` processes of joblib share the folds; -1 uses one for each core. The result is the same for any number.
    - `progress` shows a bar; None shows it in a terminal or a notebook, after a second.

    Raises a ValueError for fewer than 2 folds, more folds than rows, or an unknown metric; a TypeError for an invalid learner,
    and if a metric needs probabilities and the classifier has none; an ImportError for several jobs without joblib.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> trial = cross_validate(data, folds=5, metrics=("accuracy", "leaves"))
    >>> trial.accuracies, trial["leaves"]
    ((1.0, 1.0, 1.0, 1.0, 1.0), (2.0, 2.0, 2.0, 2.0, 2.0))
    """
    require_dataset(dataset)
    learn, named = learning_function(learner), named_metrics(metrics)
    tasks = [(learn, dataset, rows, named, missing) for rows in pairs_of(folds, dataset, seed=seed)]
    return Trial(tuple(named), tuple(do_all(run_fold, tasks, n_jobs=n_jobs, progress=progress)))
