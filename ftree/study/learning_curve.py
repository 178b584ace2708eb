"""The learning curve: scores by the number of training rows."""

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

from ftree._lib.fields import require_whole_number
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.policy import ID3
from ftree.routing.rule_names import Missing
from ftree.study.cross_validation import Metrics
from ftree.study.jobs import do_all
from ftree.study.learners import Learner, learning_function
from ftree.study.metric_names import named_metrics
from ftree.study.run_fold import run_fold
from ftree.study.trial import Trial


def learning_curve(
    dataset: Dataset,
    learner: Learner = ID3,
    *,
    sizes: Sequence[int],
    repeats: int = 10,
    seed: int = 0,
    metrics: Metrics = "accuracy",
    missing: Missing | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> tuple[Trial, ...]:
    """A trial for each training size: scores on the other rows after training on random rows.

    For each size, `repeats` training sets are drawn uniformly without replacement. Other arguments are those of
    `cross_validate`; `plot_learning_curve` draws the result with bands.

    Raises a ValueError for a size that leaves no row for training or for testing, and the errors of `cross_validate`.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> [trial.size for trial in learning_curve(data, sizes=[4, 8], repeats=3)]
    [4, 8]
    """
    require_dataset(dataset)
    learn, named = learning_function(learner), named_metrics(metrics)
    require_whole_number("repeats", repeats, 1)
    listed = _checked_sizes(sizes, len(dataset))
    random = generator_of(seed)
    orders = [(size, random.permutation(len(dataset))) for size in listed for _ in range(repeats)]
    tasks = [(learn, dataset, (order[:size], order[size:]), named, missing) for size, order in orders]
    results = do_all(run_fold, tasks, n_jobs=n_jobs, progress=progress)
    return tuple(Trial(tuple(named), tuple(results[at : at + repeats])) for at in range(0, len(results), repeats))


def _checked_sizes(sizes: Any, n: int) -> list[int]:
    if not isinstance(sizes, Iterable):
        message = f"sizes must be a sequence of training sizes, such as [50, 100], got {short_repr(sizes)}."
        raise TypeError(message)
    listed = list(sizes)
    for size in listed:
        if not (isinstance(size, Integral) and 0 < int(size) < n):
            message = f"sizes must be from 1 to {n - 1}, so that rows remain for testing, got {short_repr(size)}."
            raise ValueError(message)
    return listed
