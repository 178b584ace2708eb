"""Comparing learners: the same folds of the same tables for all."""

from collections.abc import Mapping, Sequence
from typing import Any

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset, require_dataset
from ftree.routing.rule_names import Missing
from ftree.study.comparison import Comparison
from ftree.study.cross_validation import Metrics
from ftree.study.fold_pairs import Folds, pairs_of
from ftree.study.jobs import do_all
from ftree.study.learners import Learner, learning_function
from ftree.study.metric_names import named_metrics
from ftree.study.run_fold import run_fold
from ftree.study.trial import Trial


def compare(
    learners: Mapping[str, Learner],
    datasets: Dataset | Sequence[Dataset] | Mapping[str, Dataset],
    *,
    folds: Folds = 10,
    seed: int = 0,
    metrics: Metrics = "accuracy",
    missing: Missing | None = None,
    n_jobs: int = 1,
    progress: bool | None = None,
) -> Comparison:
    """Cross-validate each learner on each data set, all on the same folds.

    Learners have names, data sets may have names; by default they are "dataset 1", ... Other arguments as for `cross_validate`.

    Raises a ValueError without learners or data sets, a TypeError for other types, and the errors of `cross_validate`.

    >>> from ftree import CART, ID3
    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> comparison = compare({"ID3": ID3, "CART": CART}, {"easy": data}, folds=5, metrics=("accuracy", "leaves"))
    >>> print(comparison)
    easy, 5 folds: mean and its standard error
          accuracy     +-  leaves    +-  seconds
    ID3      1.000  0.000    2.00  0.00    0...
    CART     1.000  0.000    2.00  0.00    0...
    >>> comparison.corrected_t_test("ID3", "CART").p_value
    1.0
    """
    functions = _functions(learners)
    tables = _named_datasets(datasets)
    named = named_metrics(metrics)
    divisions = {name: pairs_of(folds, dataset, seed=seed) for name, dataset in tables.items()}
    cells = [(learner, name) for learner in functions for name in tables]
    tasks = [(functions[one], tables[name], rows, named, missing) for one, name in cells for rows in divisions[name]]
    results = iter(do_all(run_fold, tasks, n_jobs=n_jobs, progress=progress))
    trials = {cell: Trial(tuple(named), tuple(next(results) for _ in divisions[cell[1]])) for cell in cells}
    by_learner = tuple(tuple(trials[learner, name] for name in tables) for learner in functions)
    return Comparison(tuple(functions), tuple(tables), tuple(named), by_learner)


def _functions(learners: Any) -> dict[str, Any]:
    if not isinstance(learners, Mapping):
        message = f'learners must be a dict such as {{"ID3": ID3, "C4.5": c45}}, got {short_repr(learners)}.'
        raise TypeError(message)
    if not learners:
        message = "learners must be at least one learner, got none."
        raise ValueError(message)
    return {str(name): learning_function(learner) for name, learner in learners.items()}


def _named_datasets(datasets: Any) -> dict[str, Dataset]:
    listed = [datasets] if isinstance(datasets, Dataset) else datasets
    if not isinstance(listed, (Mapping, Sequence)) or isinstance(listed, str):
        message = f"datasets must be a Dataset, a list of them, or a dict from names to them, got {short_repr(datasets)}."
        raise TypeError(message)
    named = listed if isinstance(listed, Mapping) else {f"dataset {n}": dataset for n, dataset in enumerate(listed, start=1)}
    for dataset in named.values():
        require_dataset(dataset)
    if not named:
        message = "datasets must be at least one Dataset, got none."
        raise ValueError(message)
    return {str(name): dataset for name, dataset in named.items()}
