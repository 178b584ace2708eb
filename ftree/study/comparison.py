"""Comparing learners: the same folds of the same tables for all, and the comparison as a table."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from statistics import fmean
from typing import Any, Literal

from attrs import field, frozen

from ftree._lib.faces import Face, Grid
from ftree._lib.fields import as_tuple
from ftree._lib.messages import counted, imported, joined, short_repr
from ftree.data.dataset import Dataset, require_dataset
from ftree.routing.missing_rules import MissingRule
from ftree.study.confusion_matrix import as_rows
from ftree.study.cross_validation import Metrics, Trial, do_all, run_fold
from ftree.study.folds import Folds, pairs_of
from ftree.study.learners import Learner, learning_function
from ftree.study.metrics import named_metrics
from ftree.study.score_summaries import mean_and_error, short_number
from ftree.study.significance import Friedman, SignedRanks, TTest, corrected_t_test, friedman, wilcoxon


@frozen
class Comparison(Face):
    """The trials of learners on data sets, by learner, then by data set; prints as a table.

    `comparison["CART", "votes"]` is a trial, as `cross_validate` returns it. Equality ignores seconds.

    >>> from ftree import CART, ID3, datasets, study
    >>> found = study.compare({"ID3": ID3, "CART": CART}, {"monks": datasets.monks(1)}, folds=2)
    >>> found["CART", "monks"].mean == found.trials[1][0].mean
    True
    """

    learners: tuple[str, ...] = field(converter=as_tuple)
    datasets: tuple[str, ...] = field(converter=as_tuple)
    trials: tuple[tuple[Trial, ...], ...] = field(converter=as_rows)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, which are those of each trial."""
        return self.trials[0][0].metrics

    def __getitem__(self, names: tuple[str, str]) -> Trial:
        """The trial of a learner on a data set. Raises a KeyError for unknown names."""
        learner, dataset = names
        return self.trials[_place(learner, self.learners, "learner")][_place(dataset, self.datasets, "dataset")]

    def means(self, metric: str | None = None) -> dict[str, tuple[float, ...]]:
        """For each learner, its mean score on each data set, by a metric, the first by default."""
        metric = metric or self.metrics[0]
        return {name: tuple(fmean(trial[metric]) for trial in row) for name, row in zip(self.learners, self.trials, strict=True)}

    def columns(self) -> dict[str, list[Any]]:
        """The results as named columns with a row for each learner, data set and fold; all frame libraries accept them."""
        rows = self.rows()
        return {name: [row[name] for row in rows] for name in rows[0]}

    def rows(self) -> list[dict[str, Any]]:
        """The results as rows, each a dict: learner, dataset, fold, n_train, n_test, the metrics, seconds."""
        keys = ("learner", "dataset", "fold", "n_train", "n_test", *self.metrics, "seconds")
        return [
            dict(zip(keys, (learner, dataset, n, fold.n_train, fold.n_test, *fold.scores, fold.seconds), strict=True))
            for learner, row in zip(self.learners, self.trials, strict=True)
            for dataset, trial in zip(self.datasets, row, strict=True)
            for n, fold in enumerate(trial.folds)
        ]

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """The results as a frame of a library, which must be installed; use `columns()` for any other library.

        Raises an ImportError if it is not installed, a ValueError for another library.
        """
        if library not in ("pandas", "polars"):
            message = f"library must be 'pandas' or 'polars', got {short_repr(library)}. Use columns() for any other library."
            raise ValueError(message)
        return imported(library, f"{library} must be installed for to_frame: pip install {library}").DataFrame(self.columns())

    def corrected_t_test(self, one: str, other: str, *, dataset: str | None = None, metric: str | None = None) -> TTest:
        """The corrected resampled t test of two learners on a data set, by default the first (Nadeau & Bengio 2003)."""
        name = self.datasets[0] if dataset is None else dataset
        return corrected_t_test(self[one, name], self[other, name], metric=metric)

    def wilcoxon(self, one: str, other: str, *, metric: str | None = None) -> SignedRanks:
        """Wilcoxon's test of two learners over all data sets; each one's sum of ranks counts the data sets where it is better.

        For leaves, depth, costs, losses and seconds, lower is better; `metrics.loss` marks losses of your own.
        """
        pair = (other, one) if self._is_loss(metric) else (one, other)
        first, second = (self.means(metric)[self.learners[_place(name, self.learners, "learner")]] for name in pair)
        return wilcoxon(first, second)

    def friedman(self, metric: str | None = None, *, correct_for_ties: bool = False) -> Friedman:
        """The mean ranks of the learners over all data sets, with Friedman's test and Nemenyi's critical difference.

        Lower is better as for `wilcoxon`. `correct_for_ties` as for `friedman`.
        """
        return friedman(self.means(metric), lower_is_better=self._is_loss(metric), correct_for_ties=correct_for_ties)

    def _is_loss(self, metric: str | None) -> bool:
        return self.trials[0][0].is_loss(metric or self.metrics[0])

    def _parts(self) -> Iterator[str | Grid]:
        """A table of mean scores, with their standard errors if there is only one data set; or one for each metric."""
        name, *others = self.datasets
        if others:
            for number, metric in enumerate((*self.metrics, "seconds")):
                yield f"{chr(10) * (number > 0)}mean {metric}"
                yield self._grid(metric)
            return
        of_one = [trial for (trial,) in self.trials]
        columns = [column for metric in self.metrics for column in _means_and_errors(metric, of_one)]
        table = list(zip(["", *self.learners], *columns, _means("seconds", of_one), strict=True))
        yield f"{name}, {counted(len(of_one[0].folds), 'fold')}: mean and its standard error"
        yield Grid(table[0], table[1:], left=1)

    def _grid(self, metric: str) -> Grid:
        columns = [_means(metric, row, header=learner) for learner, row in zip(self.learners, self.trials, strict=True)]
        header, *rows = zip(["", *self.datasets], *columns, strict=True)
        return Grid(header, rows, left=1)


def compare(
    learners: Mapping[str, Learner],
    datasets: Dataset | Sequence[Dataset] | Mapping[str, Dataset],
    *,
    folds: Folds = 10,
    seed: int = 0,
    metrics: Metrics | None = None,
    missing: MissingRule | None = None,
    n_jobs: int | None = 1,
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
    named = named_metrics(metrics, next(iter(tables.values())).schema)
    divisions = {name: pairs_of(folds, dataset, seed=seed) for name, dataset in tables.items()}
    cells = [(learner, name) for learner in functions for name in tables]
    tasks = [(functions[one], tables[name], rows, named, missing) for one, name in cells for rows in divisions[name]]
    results = iter(do_all(run_fold, tasks, n_jobs=n_jobs, progress=progress))
    trials = {cell: Trial.of(named, (next(results) for _ in divisions[cell[1]])) for cell in cells}
    by_learner = tuple(tuple(trials[learner, name] for name in tables) for learner in functions)
    return Comparison(tuple(functions), tuple(tables), by_learner)


def _functions(learners: Any) -> dict[str, Any]:
    if not isinstance(learners, Mapping):
        raise TypeError(f'learners must be a dict such as {{"ID3": ID3, "C4.5": c45}}, got {short_repr(learners)}.')
    if not learners:
        raise ValueError("learners must be at least one learner, got none.")
    return {str(name): learning_function(learner) for name, learner in learners.items()}


def _named_datasets(datasets: Any) -> dict[str, Dataset]:
    listed = [datasets] if isinstance(datasets, Dataset) else datasets
    if not isinstance(listed, (Mapping, Sequence)) or isinstance(listed, str):
        raise TypeError(f"datasets must be a Dataset, a list of them, or a dict from names to them, got {short_repr(datasets)}.")
    named = listed if isinstance(listed, Mapping) else {f"dataset {n}": dataset for n, dataset in enumerate(listed, start=1)}
    for dataset in named.values():
        require_dataset(dataset)
    if not named:
        raise ValueError("datasets must be at least one Dataset, got none.")
    return {str(name): dataset for name, dataset in named.items()}


def _place(name: str, names: tuple[str, ...], what: str) -> int:
    if name not in names:
        raise KeyError(f"{what} must be among {joined(map(repr, names))}, got {short_repr(name)}.")
    return names.index(name)


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
