"""Bags of rows for the trees of a forest, and out-of-bag predictions, by the trees that grew without a row."""

from collections.abc import Iterator
from math import nan, sqrt
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats, first_largest
from ftree._lib.random_numbers import generator_of


@frozen(eq=False)
class OutOfBag:
    """Votes (n, K) for each row by the trees that grew without it; the true labels (n,), and the weights of rows or None.

    In a table of counts there is a line for each case, because a bag may hold only some of a row's cases.

    Votes on numbers are as `Forest.votes` has them, (n, 2), and the true numbers are floats. Of several numbers, (n, 1 + K), the
    true ones are (n, K), and squared errors are added up.

    >>> found = OutOfBag(np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), np.array([0, 1, 1]))
    >>> found.error, found.n_in_every_bag
    (0.5, 1)
    """

    votes: Floats
    labels: Array
    weights: Array | None = None

    @property
    def has_votes(self) -> Array:
        """Which rows some tree left out."""
        voted: Array = np.asarray(self.votes.any(axis=1))
        return voted

    @property
    def n_in_every_bag(self) -> int:
        """Number of rows that no tree left out, which therefore count in no error."""
        return int(np.count_nonzero(~self.has_votes))

    @property
    def error(self) -> float:
        """The share of wrong labels, or the root of the mean squared error of numbers, by the weights of the rows with votes.

        It is NaN without such a row.
        """
        wrong = answers_of_votes(self.votes, self._kind) - self.labels
        return float(self._mean(wrong != 0)) if self._kind == "classes" else sqrt(np.sum(self._mean(wrong**2)))

    @property
    def r_squared(self) -> float:
        """The share of the variance of the numbers with votes that is explained, as `study.r_squared`; NaN without any.

        Raises a ValueError for classes.

        >>> OutOfBag(np.array([[2.0, 3.0], [1.0, 4.0]]), np.array([1.5, 3.5])).r_squared
        0.875
        """
        if self._kind == "classes":
            raise ValueError("r_squared must be asked of a regression forest, got votes for classes. Use error.")
        whole = float(np.sum(self._mean((self.labels - self._mean(self.labels)) ** 2)))
        return 1 - self.error**2 / whole if whole else float(self.error == 0)

    @property
    def _kind(self) -> str:
        return "numbers" if self.labels.dtype.kind == "f" else "classes"

    def _mean(self, values: Array) -> Any:
        """The mean over the rows with votes, of each column."""
        rows, cases = self.has_votes, np.ones(len(values)) if self.weights is None else self.weights
        return np.average(values[rows], axis=0, weights=cases[rows]) if cases[rows].sum() else nan


@frozen
class Bags:
    """The rows that are drawn for each of `n_trees` trees from `n_rows` rows, with replacement; with `seeds`, each draws a seed.

    Of a table of counts, the rows are its cases: numbers in `Dataset.cases()`.

    >>> [rows.tolist() for rows, _ in Bags(3, 2, seed=0, seeds=False).draw()]
    [[2, 1, 1], [0, 0, 0]]
    """

    n_rows: int
    n_trees: int
    seed: int = field(kw_only=True)
    seeds: bool = field(kw_only=True)

    def draw(self) -> Iterator[tuple[Array, int]]:
        """The rows of each tree, and its seed."""
        random = generator_of(self.seed)
        for _ in range(self.n_trees):
            rows = random.integers(self.n_rows, size=self.n_rows)
            yield rows, int(random.integers(2**63)) if self.seeds else 0


def answers_of_votes(votes: Floats, kind: str) -> Any:
    """The number of the class with the most votes, or the mean of numbers, for each row, (n,), or for one; NaN without votes.

    Of answers that are K numbers, (n, K).

    >>> votes = np.array([[2.0, 7.0], [1.0, 0.5]])
    >>> answers_of_votes(votes, "classes").tolist(), answers_of_votes(votes, "numbers").tolist()
    ([1, 0], [3.5, 0.5])
    """
    if kind == "classes":
        return first_largest(votes)
    with np.errstate(invalid="ignore"):
        return votes[..., 1] / votes[..., 0] if votes.shape[-1] == 2 else votes[..., 1:] / votes[..., :1]  # noqa: PLR2004  # one number
