"""Several numbers as a response: a node answers with the mean of each, and loses the sum of their squared errors."""

from operator import ge
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import as_tuple
from ftree.tree.schema import as_names


def _columns(names: Any) -> tuple[str, ...]:
    return as_names(names, "columns must be two or more names", least=2)


@frozen
class several:  # named like a function
    """The response of several numbers: a node answers with their means, (K,); its risk is the sum of all squared errors.

    `columns` are their names, the target first. All numbers count alike, so scale them first where their units differ. Shares of
    labels are such numbers: each row has a part of each class. `centres`, from which numbers are counted, are those of a table.

    Raises a ValueError for fewer than two names, or one that is repeated.

    Source: De'ath 2002, Multivariate regression trees, Ecology 83.

    >>> yields = several(["lime", "ash"])
    >>> yields.answer(2.0, 3.0, 5.0, 10.0, 25.0).tolist(), float(yields.loss(np.array([1.0, 2.0]), 2.0, 3.0, 5.0, 5.0, 13.0))
    ([1.5, 2.5], 2.0)
    """

    columns: tuple[str, ...] = field(converter=_columns)
    centres: tuple[float, ...] = field(converter=as_tuple, default=(), repr=False)
    kind = "several numbers"

    @property
    def squared(self) -> int:
        """How many numbers have squares."""
        return len(self.columns)

    @property
    def target(self) -> str:
        """The first column."""
        return self.columns[0]

    @property
    def further_targets(self) -> tuple[str, ...]:
        """The other columns."""
        return self.columns[1:]

    @property
    def channels(self) -> tuple[str, ...]:
        """The cases, the sums of each column, and those of its squares."""
        return ("cases", *self.columns, *(f"{name} squared" for name in self.columns))

    def of(self, *columns: Floats) -> "several":
        """Keeps its centres if no number is below them; otherwise takes the minima of the columns."""
        least = [float(column.min()) for column in columns if len(column)]
        fits = len(self.centres) == len(least) and all(map(ge, least, self.centres))
        return self if fits else evolve(self, centres=least)

    def add(self, *columns: Floats) -> list[Floats]:
        """Each number from its centre."""
        return [column - centre for column, centre in zip(columns, self._from, strict=True)]

    def answer(self, cases: Any, *sums: Any) -> Floats:
        """The means, on the last axis; the centres without cases."""
        totals = np.stack(np.broadcast_arrays(*sums[: len(self.columns)]), axis=-1)
        means: Floats = totals / np.where(cases > 0, cases, 1.0)[..., None] + self._from
        return means

    def loss(self, answer: Any, cases: Any, *sums: Any) -> Any:
        """The sum of the squared distances from each number of the answer."""
        k, distances = len(self.columns), np.asarray(answer) - self._from
        pairs = zip(np.moveaxis(distances, -1, 0), sums[:k], sums[k:], strict=True)
        return sum(squares - 2 * distance * total + cases * distance * distance for distance, total, squares in pairs)

    def figure(self, cases: Any, *sums: Any) -> Any:
        """The mean of the first column."""
        return self.answer(cases, *sums)[..., 0]

    def names(self) -> tuple[str, ...]:
        """The columns, for the numbers of an answer."""
        return self.columns

    @property
    def _from(self) -> tuple[float, ...]:
        return self.centres or (0.0,) * len(self.columns)
