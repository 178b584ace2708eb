"""Comparisons of learners: the same folds of the same tables for all, and the results as a value."""

from collections.abc import Iterable
from importlib import import_module
from statistics import fmean
from typing import Any, Literal

from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined, short_repr
from ftree.study.comparison_text import comparison_text
from ftree.study.friedman import Friedman, friedman
from ftree.study.metrics import LOWER_IS_BETTER
from ftree.study.significance import SignedRanks, TTest, corrected_t_test, wilcoxon
from ftree.study.trial import Trial


def _as_rows(trials: Iterable[Iterable[Trial]]) -> tuple[tuple[Trial, ...], ...]:
    return tuple(tuple(row) for row in trials)


@frozen(repr=False)
class Comparison:
    """The trials of learners on data sets, by learner, then by data set; prints as a table.

    `comparison["CART", "votes"]` is a trial, as `cross_validate` returns it. Equality ignores seconds.

    >>> from ftree import CART, ID3
    >>> from ftree.datasets import monks
    >>> from ftree.study import compare
    >>> found = compare({"ID3": ID3, "CART": CART}, {"monks": monks(1)}, folds=2)
    >>> found["CART", "monks"].mean == found.trials[1][0].mean
    True
    """

    learners: tuple[str, ...] = field(converter=as_tuple)
    datasets: tuple[str, ...] = field(converter=as_tuple)
    metrics: tuple[str, ...] = field(converter=as_tuple)
    trials: tuple[tuple[Trial, ...], ...] = field(converter=_as_rows)

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
        try:
            return import_module(library).DataFrame(self.columns())
        except ImportError as error:
            message = f"{library} must be installed for to_frame: pip install {library}"
            raise ImportError(message) from error

    def corrected_t_test(self, one: str, other: str, *, dataset: str | None = None, metric: str | None = None) -> TTest:
        """The corrected resampled t test of two learners on a data set, by default the first (Nadeau & Bengio 2003)."""
        name = self.datasets[0] if dataset is None else dataset
        return corrected_t_test(self[one, name], self[other, name], metric=metric)

    def wilcoxon(self, one: str, other: str, *, metric: str | None = None) -> SignedRanks:
        """Wilcoxon's test of two learners over all data sets; each one's sum of ranks counts the data sets where it is better.

        For leaves, depth, costs, losses and seconds, lower is better.
        """
        pair = (one, other) if (metric or self.metrics[0]) not in LOWER_IS_BETTER else (other, one)
        first, second = (self.means(metric)[self.learners[_place(name, self.learners, "learner")]] for name in pair)
        return wilcoxon(first, second)

    def friedman(self, metric: str | None = None, *, correct_for_ties: bool = False) -> Friedman:
        """The mean ranks of the learners over all data sets, with Friedman's test and Nemenyi's critical difference.

        For leaves, depth, costs, losses and seconds, lower is better. `correct_for_ties` as for `friedman`.
        """
        lower = (metric or self.metrics[0]) in LOWER_IS_BETTER
        return friedman(self.means(metric), lower_is_better=lower, correct_for_ties=correct_for_ties)

    def __repr__(self) -> str:
        """A table of mean scores."""
        return comparison_text(self.learners, self.datasets, self.metrics, self.trials)


def _place(name: str, names: tuple[str, ...], what: str) -> int:
    if name not in names:
        message = f"{what} must be among {joined(map(repr, names))}, got {short_repr(name)}."
        raise KeyError(message)
    return names.index(name)
