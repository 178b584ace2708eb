"""Some rows of a `Dataset`: by number, by condition, by value, at random, in folds."""

from collections.abc import Hashable, Iterator, Mapping
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import missing_cells
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.arrays import row_numbers
from ftree.data.dataset_fields import DatasetFields
from ftree.data.folds import fold_numbers
from ftree.data.where import fits_all


class RowSelection(DatasetFields):
    """The methods of a `Dataset` that return some of its rows, or all in another order."""

    __slots__ = ()

    def take(self, rows: Any) -> Self:
        """The rows that a boolean mask selects, or the rows with the given numbers, in that order.

        Raises an IndexError for a mask of another length or a row that does not exist.
        """
        picked = row_numbers(rows, len(self))
        weights = None if self.weights is None else self.weights[picked]
        return self._with(columns=[column[picked] for column in self.columns], labels=self.labels[picked], weights=weights)

    def head(self, n: int = 5) -> Self:
        """The first n rows, or all rows if there are fewer.

        Raises a ValueError for anything but a whole number from 0.
        """
        if not isinstance(n, (int, np.integer)) or n < 0:
            message = f"n must be a whole number from 0, got {short_repr(n)}."
            raise ValueError(message)
        return self.take(np.arange(min(n, len(self))))

    def where(self, conditions: Mapping[str, Any] | None = None, /, **by_name: Any) -> Self:
        """The rows that fit all conditions, such as `where(outlook="sunny")`, like the rows that a split sends to one child.

        A condition is a value, several values, or a function that says whether a value fits; None stands for missing.
        Names that are not Python identifiers go into a mapping.

        Raises a KeyError for a column that does not exist, a ValueError for a value that a nominal or ordinal column lacks.
        """
        wanted = {**(conditions or {}), **by_name}
        return self.take(fits_all({name: self._column(name) for name in wanted}, wanted, len(self)))

    def group_by(self, name: str) -> dict[Hashable, Self]:
        """The rows of each value of a nominal or ordinal feature, or of each class, in schema order; None for missing.

        Values without a row are omitted. Raises a KeyError for a column that does not exist, a ValueError for a numeric column.
        """
        feature, column = self._column(name)
        if feature.kind == "numeric":
            message = (
                f"A column to group by must be nominal or ordinal, got {name!r}, which is numeric. Divide it by binned first."
            )
            raise ValueError(message)
        groups: dict[Hashable, Self] = {}
        for code in np.unique(column[column >= 0]).tolist():
            groups[feature.values[code]] = self.take(column == code)
        return groups | ({None: self.take(column < 0)} if (column < 0).any() else {})

    def complete(self) -> Self:
        """The rows without a missing value."""
        return self.take(~self._incomplete())

    def incomplete(self) -> Self:
        """The rows with a missing value."""
        return self.take(self._incomplete())

    def split(self, fraction: float, *, seed: int) -> tuple[Self, Self]:
        """Two random parts: the first has `fraction` of the rows (rounded), the second has the others.

        Raises a ValueError for a fraction outside 0 to 1, and for a seed that is not a whole number from 0.
        """
        if not (isinstance(fraction, Real) and 0 <= fraction <= 1):
            message = f"fraction must be between 0 and 1, got {short_repr(fraction)}."
            raise ValueError(message)
        order = generator_of(seed).permutation(len(self))
        cut = round(fraction * len(self))
        return self.take(np.sort(order[:cut])), self.take(np.sort(order[cut:]))

    def folds(self, n: int, *, seed: int) -> Iterator[tuple[Self, Self]]:
        """Training and test sets of n random folds: for each fold, the rows of the other folds and its own rows.

        Folds are stratified: the counts of a class differ by at most one between folds.

        Raises a ValueError for fewer than 2 folds, or more folds than rows.

        >>> from ftree import Dataset
        >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
        >>> [(len(train), test.class_counts()) for train, test in data.folds(4, seed=0)]
        [(15, (3, 2)), (15, (3, 2)), (15, (2, 3)), (15, (2, 3))]
        """
        if not (isinstance(n, (int, np.integer)) and 2 <= n <= len(self)):  # noqa: PLR2004  # one fold to train on, one to test on
            message = f"folds must be a whole number from 2 to {len(self)}, the number of rows, got {short_repr(n)}."
            raise ValueError(message)
        fold_of = fold_numbers(self.labels, int(n), random=generator_of(seed))
        return ((self.take(fold_of != fold), self.take(fold_of == fold)) for fold in range(n))

    def shuffle(self, *, seed: int) -> Self:
        """The same rows in random order."""
        return self.take(generator_of(seed).permutation(len(self)))

    def _incomplete(self) -> npt.NDArray[np.bool_]:
        gaps = np.zeros(len(self), dtype=bool)
        for column in self.columns:
            gaps |= missing_cells(column)
        return gaps
